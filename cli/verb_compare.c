/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static char *read_whole(const char *path, size_t *length)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t used = 0, room = 0;
    int error = file ? 0 : errno;
    while (file && !error) {
        if (used == room) {
            room = room ? 2 * room : 65536;
            text = cli_grow(text, room - 1, 1);
        }
        errno = 0;
        size_t got = fread(text + used, 1, room - used, file);
        used += got;
        if (got == 0) {
            error = ferror(file) ? (errno ? errno : EIO) : 0;
            break;
        }
    }
    if (file)
        fclose(file);
    if (error) {
        fprintf(stderr, "%s: error: cannot be read: %s\n", path, strerror(error));
        free(text);
        return NULL;
    }
    *length = used;
    return text;
}

static pluss_result *read_result(pluss_context *ctx, const char *path)
{
    size_t length;
    pluss_result *result = NULL;
    char *text = read_whole(path, &length);
    if (text && pluss_result_read(ctx, text, length, path, &result))
        result = NULL;
    free(text);
    return result;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* A symbol that has one value here and another there; -1: there is none. */
static ptrdiff_t other_value(const pluss_curve_info *a, const pluss_curve_info *b, int64_t *there)
{
    for (size_t i = 0; i < a->n_bindings; i++)
        for (size_t k = 0; k < b->n_bindings; k++)
            if (strcmp(a->bindings[i].name, b->bindings[k].name) == 0 &&
                a->bindings[i].value != b->bindings[k].value) {
                *there = b->bindings[k].value;
                return (ptrdiff_t)i;
            }
    return -1;
}

static bool is_kind(const pluss_curve_info *a, const pluss_curve_info *b)
{
    return a->team == b->team && a->sharers == b->sharers && strcmp(a->region, b->region) == 0;
}

/* The curve of the same region, values, team and kind of cache; of several such, the one from the
 * same place. */
static const pluss_curve *partner(const pluss_curve_info *info, const pluss_result *in)
{
    const pluss_curve *found = NULL;
    for (size_t i = 0; i < pluss_result_count(in); i++) {
        pluss_curve_info other = {.size = sizeof other};
        const pluss_curve *curve = pluss_result_get(in, i);
        int64_t there;
        if (pluss_curve_get_info(curve, &other) || !is_kind(info, &other) ||
            other_value(info, &other, &there) >= 0)
            continue;
        if (info->line == other.line && same_text(info->file, other.file))
            return curve;
        found = found ? found : curve;
    }
    return found;
}

typedef struct tally {
    size_t n;
    double sum;
    bool above; /* a mean difference exceeds the tolerance */
    json_t *json;
} tally;

static void print_pair(cli_output *out, const pluss_curve_info *a, const pluss_difference *d)
{
    char size[32], shared[48];
    cli_sharers_text(a->sharers, shared);
    cli_bytes_text(d->max_at_lines * a->line_bytes, size);
    cli_output_print(out,
                     "%s, T = %u%s: MAE %.2f points, mean difference %+.2f, largest %.2f at %llu "
                     "lines (%s), %zu sizes from %llu to %llu lines\n",
                     a->region, a->team, shared, 100 * d->mean_abs, 100 * d->mean_signed,
                     100 * d->max_abs, (unsigned long long)d->max_at_lines, size, d->n,
                     (unsigned long long)d->first_lines, (unsigned long long)d->last_lines);
}

static void note_json(json_t *list, const pluss_curve_info *a, const pluss_difference *d)
{
    json_t *region = json_string(a->region);
    json_t *pair = json_pack("{s:o, s:I, s:f, s:f, s:f, s:I, s:I, s:I, s:I}", "region",
                             region ? region : json_null(), "threads", (json_int_t)a->team,
                             "mae_points", 100 * d->mean_abs, "mean_points", 100 * d->mean_signed,
                             "largest_points", 100 * d->max_abs, "largest_at_lines",
                             (json_int_t)d->max_at_lines, "first_lines", (json_int_t)d->first_lines,
                             "last_lines", (json_int_t)d->last_lines, "sizes", (json_int_t)d->n);
    if (pair && a->sharers)
        json_object_set_new(pair, "sharers", json_integer(a->sharers));
    json_array_append_new(list, pair);
}

static pluss_status compare_pair(pluss_context *ctx, const cli_options *options,
                                 const pluss_curve *a, const pluss_curve *b, cli_output *out,
                                 tally *t)
{
    pluss_difference d = {.size = sizeof d};
    pluss_curve_info info = {.size = sizeof info};
    pluss_status status = pluss_curve_get_info(a, &info);
    if (!status)
        status = pluss_curve_compare(ctx, a, b, options->grid, &d);
    if (status)
        return status;
    if (t->json)
        note_json(t->json, &info, &d);
    else
        print_pair(out, &info, &d);
    t->n++;
    t->sum += 100 * d.mean_abs;
    /* the figure as it is printed decides */
    t->above = t->above || (options->tolerance >= 0 && 100 * d.mean_abs > options->tolerance);
    return PLUSS_OK;
}

/* Where the other side has such a curve, but of another problem. */
static void tell_value(const pluss_curve_info *info, const pluss_result *other)
{
    for (size_t i = 0; i < pluss_result_count(other); i++) {
        pluss_curve_info there = {.size = sizeof there};
        int64_t value;
        ptrdiff_t at = -1;
        if (!pluss_curve_get_info(pluss_result_get(other, i), &there) && is_kind(info, &there))
            at = other_value(info, &there, &value);
        if (at >= 0) {
            fprintf(stderr, ", %s = %lld: it has %lld", info->bindings[at].name,
                    (long long)info->bindings[at].value, (long long)value);
            return;
        }
    }
}

/* What one side has and the other has not is said, and not counted. */
static void warn_unmatched(const char *file, const pluss_result *in, const char *other_file,
                           const pluss_result *other)
{
    for (size_t i = 0; i < pluss_result_count(in); i++) {
        pluss_curve_info info = {.size = sizeof info};
        if (pluss_curve_get_info(pluss_result_get(in, i), &info) || partner(&info, other))
            continue;
        fprintf(stderr, "%s: warning: %s has no curve of %s, T = %u", file, other_file, info.region,
                info.team);
        tell_value(&info, other);
        fputc('\n', stderr);
    }
}

static int dump(const char *data, size_t length, void *user)
{
    return cli_output_write(user, data, length);
}

static void print_json(cli_output *out, const cli_options *options, const tally *t)
{
    json_t *root =
        json_pack("{s:i, s:s+, s:s, s:f, s:O}", "version", 1, "generator", "pluss ",
                  pluss_version(), "grid", options->grid == PLUSS_GRID_PAPER ? "paper" : "strict",
                  "mae_points", t->sum / (double)t->n, "comparisons", t->json);
    if (!root || json_dump_callback(root, dump, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)))
        out->error = out->error ? out->error : EIO;
    json_decref(root);
    cli_output_print(out, "\n");
}

static int compare_results(pluss_context *ctx, const cli_options *options, const pluss_result *a,
                           const pluss_result *b, cli_output *out, tally *t)
{
    for (size_t i = 0; i < pluss_result_count(a); i++) {
        pluss_curve_info info = {.size = sizeof info};
        const pluss_curve *curve = pluss_result_get(a, i);
        if (pluss_curve_get_info(curve, &info))
            continue;
        const pluss_curve *other = partner(&info, b);
        if (other && compare_pair(ctx, options, curve, other, out, t))
            return CLI_INPUT;
    }
    if (t->n == 0) {
        cli_error(options, "%s and %s have no region, values and number of threads in common",
                  options->file[0], options->file[1]);
        return CLI_INPUT;
    }
    if (t->json)
        print_json(out, options, t);
    else if (t->n > 1)
        cli_output_print(out, "all %zu: MAE %.2f points\n", t->n, t->sum / (double)t->n);
    return t->above ? CLI_NO : CLI_OK;
}

int cli_compare(cli_options *options)
{
    pluss_context *ctx = cli_context();
    pluss_result *a = read_result(ctx, options->file[0]);
    pluss_result *b = a ? read_result(ctx, options->file[1]) : NULL;
    int status = CLI_INPUT;
    if (a && b) {
        tally t = {.json = options->format == CLI_JSON ? json_array() : NULL};
        warn_unmatched(options->file[0], a, options->file[1], b);
        warn_unmatched(options->file[1], b, options->file[0], a);
        status = compare_results(ctx, options, a, b, options->report, &t);
        status = cli_output_close(options, options->report, status);
        json_decref(t.json);
    }
    pluss_result_free(a);
    pluss_result_free(b);
    pluss_context_free(ctx);
    return status;
}
