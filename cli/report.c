/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report of curves, their profiles and their picture.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Threads that share such a cache, one thread a core; 0: all that the machine runs. */
static uint32_t count_threads(const pluss_machine_file_info *machine, uint32_t processors)
{
    uint64_t cores = (uint64_t)processors * machine->cores;
    if (!machine->processors || processors >= machine->processors)
        return 0;
    return cores > machine->processors ? (uint32_t)(cores / machine->processors) : 1;
}

size_t cli_choose_caches(const cli_options *options, pluss_cache **out)
{
    size_t n = 0;
    const pluss_cache *given = pluss_options_get_caches(options->request, &n);
    const pluss_machine_file *machine = options->target.file;
    const size_t n_given = n, n_machine = n ? 0 : options->target.info.n_levels;
    pluss_cache *cache = cli_alloc(n_given + n_machine, sizeof *cache);
    for (size_t i = 0; i < n_given; i++)
        cache[i] = given[i];
    for (; n < n_machine; n++) {
        cli_must(pluss_machine_file_get_level(machine, n, &cache[n]));
        cache[n].threads = count_threads(&options->target.info, cache[n].threads);
    }
    *out = cache;
    return n;
}

static const char no_levels[] =
    "no levels of caches: the model clock predicts them, and simulations count them";

/* Why the levels that nobody has refused are not there; NULL: they are. */
static const char *tell_no_levels(const cli_options *options, const pluss_result *result)
{
    pluss_level_info level = {.size = sizeof level};
    if (cli_given(options, "cache") || !pluss_result_get_level(result, 0, &level))
        return NULL;
    if (!options->target.info.n_levels)
        return "the system tells of no caches: --cache and --machine describe some";
    return options->levels ? no_levels : NULL;
}

bool cli_ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static int save_profiles(pluss_context *ctx, const cli_options *options, const pluss_result *result)
{
    pluss_report *report = NULL;
    pluss_status made = pluss_profile_report(ctx, result, &report);
    return cli_write_report_to(ctx, options,
                               cli_ends_with(options->profiles, ".gz") ? "json.gz" : "json",
                               options->profile_file, made, report, CLI_OK);
}

int cli_keep_level(pluss_context *ctx, const cli_options *options, pluss_result *result)
{
    pluss_level_info level = {.size = sizeof level};
    if (!options->at || pluss_result_keep_level(ctx, result, options->at) == PLUSS_OK)
        return CLI_OK;
    if (pluss_result_get_level(result, 0, &level))
        cli_error(options, "--at: %s", no_levels);
    return CLI_NO;
}

int cli_report_line(pluss_context *ctx, const cli_options *options, const pluss_result *result)
{
    const char *colon = strrchr(options->line_of, ':');
    uint64_t line;
    if (!colon || colon == options->line_of || !cli_read_count(colon + 1, UINT32_MAX, &line) ||
        !line)
        return cli_usage(options, "--line-of '%s': it is FILE:LINE", options->line_of);
    char *file = cli_text("%.*s", (int)(colon - options->line_of), options->line_of);
    pluss_report *report = NULL;
    pluss_status made = pluss_line_report(ctx, result, file, (uint32_t)line, &report);
    free(file);
    if (made == PLUSS_ENOTFOUND)
        return CLI_NO;
    return cli_write_report(ctx, options, made, report, CLI_OK);
}

/* What the environment says of the characters of a terminal. */
static bool has_blocks(void)
{
    static const char *const name[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        const char *locale = getenv(name[i]);
        if (locale && *locale)
            return strstr(locale, "UTF-8") || strstr(locale, "utf8") || strstr(locale, "UTF8");
    }
    return false;
}

int cli_plot_kind(const cli_options *options)
{
    return !options->plot ? 0 : has_blocks() ? 1 : 2;
}

int cli_report(pluss_context *ctx, const cli_options *options, pluss_result *result)
{
    pluss_cache *cache;
    int kept = cli_keep_level(ctx, options, result);
    if (kept || options->line_of)
        return kept ? kept : cli_report_line(ctx, options, result);
    size_t n = cli_choose_caches(options, &cache);
    const bool only = pluss_options_get_caches(options->request, NULL) != NULL;
    pluss_cache *row = cli_alloc(n, sizeof *row); /* the machine's are marked on the one curve */
    for (size_t i = 0; i < n; i++)
        row[i] = (pluss_cache){cache[i].bytes, cache[i].label, only ? cache[i].threads : 0};
    const pluss_report_options o = {.size = sizeof o,
                                    .caches = row,
                                    .n_caches = n,
                                    .note = tell_no_levels(options, result),
                                    .plot = cli_plot_kind(options),
                                    .only_caches = only,
                                    .brief = !options->details && !options->n_regions &&
                                             !options->plot && !cli_given(options, "explain")};
    pluss_report *report = NULL;
    pluss_status made = pluss_result_report(ctx, result, &o, &report);
    int status = cli_write_report(ctx, options, made, report, CLI_OK);
    if (status == CLI_OK && options->profiles)
        status = save_profiles(ctx, options, result);
    if (status == CLI_OK && options->svg)
        status = cli_plot(options, result, cache, n);
    free(row);
    free(cache);
    return status;
}
