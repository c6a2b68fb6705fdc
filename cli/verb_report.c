/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss report: files and records to a report on all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { FEW = 12 /* regions that are shown with a grid of schedules and sizes */ };

/* What was read, and what was made of it. */
typedef struct work {
    pluss_context *ctx;
    const cli_options *options;
    pluss_nests **nests;
    size_t n_nests, n_regions;
    bool grid, parallel;  /* a grid of points is wanted; some loop is shared out */
    size_t part, n_parts; /* of the work: those begun, all */
    pluss_result *result;
    int status; /* of the first part that is not there */
} work;

static void begin_part(work *w)
{
    const double n = (double)w->n_parts;
    cli_begin_part((double)w->part++ / n, 1 / n);
}

static void note_status(work *w, int status)
{
    w->status = w->status ? w->status : status;
}

/* Takes the result. */
static void add_result(work *w, pluss_status done, pluss_result *result)
{
    note_status(w, cli_exit_status(done ? done : pluss_result_get_missing(result)));
    if (!w->result) {
        w->result = result;
        return;
    }
    if (result)
        cli_must(pluss_result_append(w->ctx, w->result, result));
    pluss_result_free(result);
}

static void keep_nests(work *w, pluss_nests *nests)
{
    w->nests = cli_grow(w->nests, w->n_nests, sizeof(pluss_nests *));
    w->nests[w->n_nests++] = nests;
}

/* ---- the grid ---------------------------------------------------------------------------------
 */

/* Teams of 1, 2, 4, ... up to 16 threads, or the machine's; of many regions fewer. */
static void set_teams(const work *w, pluss_options *options)
{
    const uint32_t processors = w->options->target.info.processors;
    const uint32_t last = processors > 16 ? processors : 16;
    uint32_t team[40], n = 0;
    if (cli_given(w->options, "threads"))
        return;
    if (!w->grid) {
        team[n++] = 1;
        if (processors > 1)
            team[n++] = processors;
    } else {
        const uint32_t step = w->n_regions > FEW ? 4 : 2;
        for (uint32_t t = 1; t < last; t *= step)
            team[n++] = t;
        team[n++] = last;
    }
    cli_must(pluss_options_set_threads(w->options->quiet, options, team, n));
}

static void set_schedules(const work *w, pluss_options *options)
{
    static const char *const schedule[] = {"written", "static,1", "dynamic,4"};
    if (!w->grid || !w->parallel || w->n_regions > FEW || cli_given(w->options, "schedule") ||
        cli_given(w->options, "progress"))
        return;
    for (size_t i = 0; i < sizeof schedule / sizeof *schedule; i++)
        cli_must(pluss_options_set(w->options->quiet, options, "schedule", schedule[i]));
}

/* The sizes that were given, times a half, rounded up, or times two, put in place of these. false:
 * there are none, or several of one. */
static bool scale_sizes(const cli_options *o, bool half, pluss_options *options)
{
    bool scaled = false;
    for (size_t i = 0; i < o->n_given; i++) {
        const char *text = o->given[i].text;
        char *end;
        if (strcmp(o->given[i].name, "define") != 0)
            continue;
        const char *equals = strrchr(text, '=');
        const long long value = equals ? strtoll(equals + 1, &end, 0) : 0;
        if (!equals || *end || memchr(text, ',', (size_t)(equals - text)))
            return false;
        if (value < 4 || value > INT32_MAX)
            continue;
        char *name = cli_text("%.*s", (int)(equals - text), text);
        cli_must(
            pluss_options_set_binding(o->quiet, options, name, half ? (value + 1) / 2 : 2 * value));
        free(name);
        scaled = true;
    }
    return scaled;
}

/* Half and double of the sizes: what cannot be done of them is left out. */
static void add_sizes(work *w, const pluss_nests *nests, const pluss_options *options)
{
    const pluss_context_options how = {.size = sizeof how, .ask = cli_show_status};
    pluss_context *quiet = NULL;
    if (!w->grid || w->n_regions > FEW)
        return;
    cli_must(pluss_context_new(&how, &quiet));
    for (int half = 1; half >= 0 && !cli_interrupted(); half--) {
        begin_part(w);
        pluss_options *own = NULL;
        pluss_result *result = NULL;
        cli_must(pluss_options_copy(quiet, options, &own));
        if (!cli_given(w->options, "schedule"))
            cli_must(pluss_options_set_schedule(quiet, own, PLUSS_SCHEDULE_AS_WRITTEN, 0));
        if (scale_sizes(w->options, half, own) &&
            !pluss_nests_predict(quiet, nests, own, &result) && w->result)
            cli_must(pluss_result_append(w->ctx, w->result, result));
        pluss_result_free(result);
        pluss_options_free(own);
        pluss_context_clear(quiet);
    }
    pluss_context_free(quiet);
}

/* ---- files ------------------------------------------------------------------------------------
 */

static void count_regions(work *w, const pluss_nests *nests)
{
    pluss_region_info region = {.size = sizeof region};
    pluss_loop_info loop = {.size = sizeof loop};
    for (size_t i = 0; i < pluss_nests_count(nests); i++) {
        const pluss_nest *nest = pluss_nests_get(nests, i);
        for (uint32_t r = 0; !pluss_nest_get_region(nest, r, &region); r++)
            w->n_regions += cli_region_wanted(w->options, region.name);
        for (uint32_t l = 0; !pluss_nest_get_loop(nest, l, &loop); l++)
            w->parallel = w->parallel || loop.schedule;
    }
}

static void predict_file(work *w, pluss_nests *nests)
{
    pluss_options *own = NULL;
    pluss_result *result = NULL;
    begin_part(w);
    cli_must(pluss_options_copy(w->options->quiet, w->options->request, &own));
    set_teams(w, own);
    set_schedules(w, own);
    const bool trace = pluss_nests_is_trace(nests);
    pluss_status done = (trace ? pluss_nests_simulate : pluss_nests_predict)(
        w->ctx, nests, trace ? w->options->request : own, &result);
    add_result(w, done, result);
    if (done == PLUSS_EUNBOUND || (result && pluss_result_get_missing(result) == PLUSS_EUNBOUND))
        fputs("Values are given with -D NAME=VALUE.\n", stderr);
    if (!done && !trace)
        add_sizes(w, nests, own);
    pluss_options_free(own);
}

/* A record says so at its beginning. */
static bool is_record(const char *path)
{
    static const char magic[] = "pluss-record ";
    char begin[sizeof magic] = "";
    FILE *file = fopen(path, "re");
    bool found = file && fread(begin, 1, sizeof magic - 1, file) == sizeof magic - 1 &&
                 strcmp(begin, magic) == 0;
    if (file)
        fclose(file);
    return found;
}

static void predict_record(work *w, const char *path)
{
    pluss_record *record = NULL;
    pluss_options *own = NULL;
    pluss_result *result = NULL;
    pluss_nests *nests = NULL;
    if (pluss_record_read(w->ctx, path, &record)) {
        note_status(w, CLI_INPUT);
        return;
    }
    begin_part(w);
    cli_must(pluss_options_copy(w->options->quiet, w->options->request, &own));
    const pluss_status done = pluss_record_run(w->ctx, record, NULL, 0, own, &result);
    add_result(w, done, result); /* after the call, which sets it */
    if (!pluss_record_nests(w->options->quiet, record, NULL, 0, own, &nests))
        keep_nests(w, nests);
    pluss_context_clear(w->options->quiet);
    pluss_options_free(own);
    pluss_record_free(record);
}

/* A file of nests goes to those before it; a trace or a record is reported at once. */
static void read_file(work *w, const char *path, pluss_nests **all)
{
    pluss_nests *nests = NULL;
    if (is_record(path)) {
        predict_record(w, path);
    } else if (pluss_nests_read(w->ctx, path, &nests)) {
        note_status(w, CLI_INPUT);
    } else if (pluss_nests_is_trace(nests)) {
        predict_file(w, nests);
        keep_nests(w, nests);
    } else if (!cli_holds_regions(w->options, nests)) {
        pluss_nests_free(nests);
        note_status(w, CLI_INPUT);
    } else if (!*all) {
        *all = nests;
    } else {
        cli_must(pluss_nests_append(w->ctx, *all, nests));
        pluss_nests_free(nests);
    }
}

/* A trace or a record each, all nests, half and double of their sizes in a grid, and advice where
 * there are any. */
static void count_parts(work *w)
{
    size_t alone = 0, traces = 0;
    for (size_t i = 0; i < w->options->n_files; i++) {
        const bool trace = cli_is_trace(w->options, w->options->file[i]);
        traces += trace;
        alone += trace || is_record(w->options->file[i]);
    }
    const bool nests = alone < w->options->n_files;
    w->n_parts = alone + (nests ? 1 : 0) + (nests && w->grid ? 2 : 0) +
                 (traces < w->options->n_files ? 1 : 0);
}

static void read_files(work *w)
{
    pluss_nests *all = NULL;
    count_parts(w);
    for (size_t i = 0; i < w->options->n_files && !cli_interrupted(); i++)
        read_file(w, w->options->file[i], &all);
    if (!all)
        return;
    count_regions(w, all);
    predict_file(w, all);
    keep_nests(w, all);
}

/* ---- the report -------------------------------------------------------------------------------
 */

/* What the name of the output tells; NULL: nothing. */
static const char *format_of(const cli_options *o)
{
    static const char *const known[][2] = {
        {".html", "html"},       {".htm", "html"}, {".md", "markdown"}, {".json", "json"},
        {".json.gz", "json.gz"}, {".csv", "csv"},  {".sarif", "sarif"}};
    for (size_t i = 0; o->output && i < sizeof known / sizeof *known; i++)
        if (cli_ends_with(o->output, known[i][0]))
            return known[i][1];
    return NULL;
}

static int write_overview(work *w)
{
    const cli_options *o = w->options;
    pluss_report *report = NULL;
    pluss_cache *cache;
    w->part = w->n_parts - 1;
    begin_part(w);
    const size_t n = cli_choose_caches(o, &cache);
    const char *slash = strrchr(o->file[0], '/');
    char *title = cli_text(o->n_files > 1 ? "%s and %zu more" : "%s",
                           slash ? slash + 1 : o->file[0], o->n_files - 1);
    const pluss_overview_options overview = {.size = sizeof overview,
                                             .title = title,
                                             .caches = cache,
                                             .n_caches = n,
                                             .nests = (const pluss_nests *const *)w->nests,
                                             .n_nests = w->n_nests,
                                             .sources = o->format && strcmp(o->format, "text") != 0,
                                             .folders = o->folder,
                                             .n_folders = o->n_folders,
                                             .plot = cli_plot_kind(o),
                                             .advised = (uint32_t)o->advised,
                                             .options = o->request};
    pluss_status made = pluss_overview_report(w->ctx, w->result, &overview, &report);
    int status = cli_write_report(w->ctx, o, made, report, CLI_OK);
    if (status == CLI_OK && o->svg)
        status = cli_plot(o, w->result, cache, n);
    free(title);
    free(cache);
    return status;
}

int cli_report_verb(cli_options *options)
{
    int status = cli_store_pipes(options);
    status = status < 0 ? cli_use_machine(options) : status;
    status = status < 0 ? cli_use_levels(options) : status;
    status = status < 0 ? cli_find_target(options) : status;
    if (status >= 0)
        return status;
    options->format = options->format ? options->format : format_of(options);
    work w = {.options = options, .ctx = cli_context()};
    w.grid = options->format && strcmp(options->format, "text") != 0 &&
             strcmp(options->format, "markdown") != 0 && strcmp(options->format, "sarif") != 0;
    read_files(&w);
    status = w.result ? cli_keep_level(w.ctx, options, w.result) : CLI_OK;
    if (w.result && !status)
        status = options->line_of ? cli_report_line(w.ctx, options, w.result) : write_overview(&w);
    for (size_t i = 0; i < w.n_nests; i++)
        pluss_nests_free(w.nests[i]);
    free(w.nests);
    pluss_result_free(w.result);
    pluss_context_free(w.ctx);
    return w.status ? w.status : status;
}
