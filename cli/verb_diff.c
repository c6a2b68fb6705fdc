/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss diff: what changed, and whether that is too much.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- what is compared --------------------------------------------------------------------------
 */

/* What a file begins with, past white space: '{' or 0x1f of reports, "pluss-record" of records. */
static bool begins_with(const char *path, const char *text)
{
    char start[16] = "";
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(start, 1, sizeof start - 1, file) : 0;
    if (file)
        fclose(file);
    size_t skip = strspn(start, " \t\r\n");
    return n > skip && strncmp(start + skip, text, strlen(text)) == 0;
}

static bool is_report(const cli_options *options, const char *path)
{
    return begins_with(path, "{") ||
           (begins_with(path, "\x1f\x8b") && !cli_is_trace(options, path));
}

static pluss_result *run_record(pluss_context *ctx, const cli_options *options, const char *path)
{
    pluss_record *record = NULL;
    pluss_result *result = NULL;
    if (pluss_record_read(ctx, path, &record) ||
        pluss_record_run(ctx, record, NULL, 0, options->request, &result))
        result = NULL;
    pluss_record_free(record);
    return result;
}

static pluss_result *predict(pluss_context *ctx, const cli_options *options, const char *path)
{
    pluss_nests *nests = NULL;
    pluss_result *result = NULL;
    if (pluss_nests_read(ctx, path, &nests) == PLUSS_OK) {
        const bool trace = pluss_nests_is_trace(nests);
        pluss_status status = (trace ? pluss_nests_simulate
                                     : pluss_nests_predict)(ctx, nests, options->request, &result);
        if (status)
            result = NULL;
        if (status == PLUSS_EUNBOUND)
            fputs(cli_how_to_bind, stderr);
    }
    pluss_nests_free(nests);
    return result;
}

/* A report, what a record or nests are predicted to do, or what a trace does. */
static pluss_result *evaluate(pluss_context *ctx, const cli_options *options, const char *path)
{
    return is_report(options, path)            ? cli_read_result(ctx, path)
           : begins_with(path, "pluss-record") ? run_record(ctx, options, path)
                                               : predict(ctx, options, path);
}

/* Levels and threads for what is predicted. -1: go on; else the exit status. */
static int prepare(cli_options *options)
{
    bool nests = false;
    int status = cli_store_pipes(options);
    if (status >= 0)
        return status;
    for (size_t i = 0; i < 2; i++) {
        const char *path = options->file[i];
        nests = nests || !(is_report(options, path) || begins_with(path, "pluss-record"));
    }
    status = cli_use_levels(options);
    return status < 0 && nests ? cli_set_threads(options) : status;
}

/* ---- what makes it fail ------------------------------------------------------------------------
 */

/* "+0.5%@L2": more than 0.5 % more misses of a level; "0.5%": of any. */
typedef struct limit {
    double percent;
    const char *level; /* "": any */
    size_t length;
} limit;

static bool read_limit(const char **text, limit *out)
{
    char *end;
    errno = 0;
    out->percent = strtod(*text, &end);
    if (end == *text || errno || !(out->percent >= 0) || out->percent > 1e9 || *end++ != '%')
        return false;
    out->level = *end == '@' ? ++end : end;
    out->length = strcspn(out->level, ",");
    *text = out->level + out->length;
    return out->level == end && (end[-1] != '@' || out->length > 0) &&
           (end[-1] == '@' || out->length == 0);
}

bool cli_check_limits(const char *text, const char **why)
{
    limit l;
    *why = "limits are as in +0.5%@L2, with commas between them";
    while (read_limit(&text, &l))
        if (!*text++)
            return true;
    return false;
}

/* L1 is L1d, too. */
static bool is_of_level(const limit *l, const char *name)
{
    return l->length == 0 || (strncmp(name, l->level, l->length) == 0 &&
                              (!name[l->length] || strcmp(name + l->length, "d") == 0));
}

static bool exceeds(const limit *l, const pluss_level_difference *d)
{
    const double rise = d->b_misses - d->a_misses;
    const double error = d->error > 0 ? d->error * fmax(d->a_accesses, d->b_accesses) : 0;
    return is_of_level(l, d->name) && rise > 1.96 * error && rise > 0 &&
           100 * rise > l->percent * d->a_misses;
}

/* Says which levels exceed one of the limits. */
static bool any_exceeds(const cli_options *options, const pluss_comparison *comparison)
{
    pluss_level_difference d = {.size = sizeof d};
    bool any = false;
    for (size_t i = 0; !pluss_comparison_get_level(comparison, i, &d); i++) {
        const char *text = options->fail;
        limit l;
        for (bool more = text != NULL; more; more = *text++ == ',') {
            if (!read_limit(&text, &l))
                break;
            if (!exceeds(&l, &d))
                continue;
            any = true;
            cli_error(options, "%s, T = %u: %s misses %.0f times, %.0f before (+%.2f %%)", d.region,
                      d.threads, d.name, d.b_misses, d.a_misses,
                      100 * (d.b_misses / d.a_misses - 1));
            break;
        }
    }
    return any;
}

static bool is_in_both(const pluss_comparison *comparison, const limit *l)
{
    pluss_level_difference d = {.size = sizeof d};
    for (size_t i = 0; !pluss_comparison_get_level(comparison, i, &d); i++)
        if (is_of_level(l, d.name))
            return true;
    return false;
}

int cli_check_changes(const cli_options *options, const pluss_comparison *comparison)
{
    limit l;
    for (const char *text = options->fail; text && read_limit(&text, &l); text += *text == ',') {
        if (is_in_both(comparison, &l))
            continue;
        cli_error(options, "--fail: no region has %s%.*s in both files",
                  l.length ? "the level " : "levels", (int)l.length, l.level);
        return CLI_INPUT; /* a limit on what is not there would never fail */
    }
    return any_exceeds(options, comparison) ? CLI_NO : CLI_OK;
}

int cli_diff(cli_options *options)
{
    int status = prepare(options);
    return status < 0 ? cli_compare_files(options, evaluate, options->tolerance < 0) : status;
}
