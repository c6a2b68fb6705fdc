/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss progress: how far apart the threads of a loop are while it runs.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

enum { RUNS = 10 };
static const char default_interval[] = "100us";
static const double default_interval_ns = 1e5;

static const char *interval_of(const cli_options *options)
{
    return options->interval ? options->interval : default_interval;
}

/* ---- the report -------------------------------------------------------------------------------
 */

/* 0.23, or < 0.0001. */
static void p_text(double p, char out[16])
{
    if (p < 1e-4)
        strcpy(out, "<.0001");
    else
        snprintf(out, 16, "%.4f", p);
}

static void print_row(cli_output *out, const char *name, const pluss_gaps_test *t)
{
    char p[16], corrected[16];
    if (t->samples == 0) {
        cli_output_print(out, "%5s  %8llu  %8d\n", name, (unsigned long long)t->stops, 0);
        return;
    }
    p_text(t->p, p);
    p_text(t->p_corrected, corrected);
    cli_output_print(out, "%5s  %8llu  %8llu  %9.1f  %6s  %6.3f  %7.1f  %9.0f  %9s\n", name,
                     (unsigned long long)t->stops, (unsigned long long)t->samples, t->chi2, p,
                     t->lag1, t->correlation, t->effective, corrected);
}

static void print_histogram(cli_output *out, const pluss_gaps_test *t)
{
    enum { WIDTH = 50 };
    uint64_t most = 1;
    for (size_t i = 0; i < t->n_counts; i++)
        most = t->counts[i] > most ? t->counts[i] : most;
    cli_output_print(out, "\n      gap     share\n");
    for (size_t i = 0; i < t->n_counts; i++) {
        double share = (double)t->counts[i] / (double)t->samples;
        char bar[WIDTH + 1];
        size_t length = (size_t)llround((double)WIDTH * (double)t->counts[i] / (double)most);
        memset(bar, '#', length);
        bar[length] = '\0';
        cli_output_print(out, "%4.2f-%4.2f  %6.2f %%%s%s\n", (double)i / (double)t->n_counts,
                         (double)(i + 1) / (double)t->n_counts, 100 * share, length ? "  " : "",
                         bar);
    }
}

static void print_text(cli_output *out, const cli_options *options, const pluss_gaps_info *info,
                       const pluss_gaps *gaps)
{
    pluss_gaps_test t = {.size = sizeof t};
    cli_output_print(
        out,
        "%s (%s:%u), loop %u, %u threads: gaps to thread 0, in laps of %g iteration%s; "
        "stops every %s%s\n\n",
        info->region, info->file, info->line, info->loop, info->team, info->lap,
        info->lap == 1 ? "" : "s", interval_of(options), options->by_timer ? ", by the timer" : "");
    cli_output_print(out, "%5s  %8s  %8s  %9s  %6s  %6s  %7s  %9s  %9s\n", "run", "stops", "gaps",
                     "chi2", "p", "lag 1", "time", "effective", "corrected");
    for (size_t i = 0; i < info->runs; i++) {
        char name[24];
        snprintf(name, sizeof name, "%zu", i + 1);
        if (pluss_gaps_get_test(gaps, i, &t) == PLUSS_OK)
            print_row(out, name, &t);
    }
    if (pluss_gaps_get_test(gaps, SIZE_MAX, &t) != PLUSS_OK)
        return;
    print_row(out, "all", &t);
    print_histogram(out, &t);
    cli_output_print(
        out,
        "\nEven gaps and independent samples: p = %.4g, %u degrees of freedom. Samples "
        "are correlated over\n%.1f stops: they tell as much as %.0f independent ones, "
        "and p = %.4g for even gaps.\n",
        t.p, info->bins - 1, t.correlation, t.effective, t.p_corrected);
}

/* Strings from the system may be anything; JSON is UTF-8. */
static json_t *text_or_null(const char *text)
{
    json_t *json = text ? json_string(text) : NULL;
    return json ? json : json_null();
}

static void put_test(json_t *object, const pluss_gaps_test *t)
{
    json_t *counts = json_array();
    for (size_t i = 0; i < t->n_counts; i++)
        json_array_append_new(counts, json_integer((json_int_t)t->counts[i]));
    json_object_set_new(object, "stops", json_integer((json_int_t)t->stops));
    json_object_set_new(object, "outside", json_integer((json_int_t)t->outside));
    json_object_set_new(object, "wrong", json_integer((json_int_t)t->wrong));
    json_object_set_new(object, "samples", json_integer((json_int_t)t->samples));
    json_object_set_new(object, "counts", counts);
    if (t->samples == 0)
        return;
    json_object_set_new(object, "chi_square", json_real(t->chi2));
    json_object_set_new(object, "p", json_real(t->p));
    json_object_set_new(object, "lag_one", json_real(t->lag1));
    json_object_set_new(object, "correlation_samples", json_real(t->correlation));
    json_object_set_new(object, "effective_samples", json_real(t->effective));
    json_object_set_new(object, "p_corrected", json_real(t->p_corrected));
}

static int dump(const char *data, size_t length, void *user)
{
    return cli_output_write(user, data, length);
}

static void print_json(cli_output *out, const cli_options *options, const pluss_gaps_info *info,
                       const pluss_gaps *gaps)
{
    pluss_gaps_test t = {.size = sizeof t};
    json_t *runs = json_array();
    for (size_t i = 0; i < info->runs; i++) {
        json_t *run = json_object();
        if (pluss_gaps_get_test(gaps, i, &t) == PLUSS_OK)
            put_test(run, &t);
        json_array_append_new(runs, run);
    }
    json_t *root = json_pack(
        "{s:i, s:s+, s:o, s:o, s:I, s:I, s:I, s:f, s:s, s:s, s:I}", "version", 1, "generator",
        "pluss ", pluss_version(), "region", text_or_null(info->region), "file",
        text_or_null(info->file), "line", (json_int_t)info->line, "loop", (json_int_t)info->loop,
        "threads", (json_int_t)info->team, "lap_iterations", info->lap, "interval",
        interval_of(options), "taken", options->by_timer ? "timer" : "afterwards",
        "degrees_of_freedom", (json_int_t)info->bins - 1);
    if (root && pluss_gaps_get_test(gaps, SIZE_MAX, &t) == PLUSS_OK)
        put_test(root, &t);
    if (root)
        json_object_set(root, "runs", runs);
    json_decref(runs);
    if (!root || json_dump_callback(root, dump, out, JSON_INDENT(2)) != 0)
        out->error = out->error ? out->error : -1;
    json_decref(root);
    cli_output_print(out, "\n");
}

static int report(const cli_options *options, const pluss_gaps *gaps)
{
    pluss_gaps_info info = {.size = sizeof info};
    pluss_gaps_test all = {.size = sizeof all};
    if (pluss_gaps_get_info(gaps, &info) || pluss_gaps_get_test(gaps, SIZE_MAX, &all))
        return CLI_INPUT;
    /* the handler may be interrupted between clock and counters: rarely */
    if (all.wrong > 10 && all.wrong * 100 > all.samples)
        fprintf(stderr,
                "pluss progress: warning: %llu counters and time stamps of %llu do not agree\n",
                (unsigned long long)all.wrong, (unsigned long long)all.samples);
    if (options->format == CLI_JSON)
        print_json(options->report, options, &info, gaps);
    else
        print_text(options->report, options, &info, gaps);
    return cli_output_close(options, options->report, CLI_OK);
}

/* ---- the runs ---------------------------------------------------------------------------------
 */

static int take_run(const cli_options *options, pluss_context *ctx, pluss_gaps *gaps,
                    const char *path, const char *stamps)
{
    pluss_record *record = NULL;
    if (access(path, F_OK) != 0 || access(stamps, F_OK) != 0) {
        cli_error(options,
                  "%s left no time stamps: it ended before it could write them, or it was not "
                  "built with pluss cc --mode=time, or no region ran",
                  options->file[0]);
        return CLI_INPUT;
    }
    pluss_status status = pluss_record_read(ctx, path, &record);
    if (!status)
        status = pluss_gaps_add(gaps, record, stamps);
    pluss_record_free(record);
    return status ? cli_exit_status(status) : CLI_OK;
}

/* ended: as wait gives it, of a program that failed. */
static int run_all(const cli_options *options, pluss_context *ctx, pluss_gaps *gaps,
                   const char *folder, int *ended)
{
    char *path = cli_text("%s/record", folder), *stamps = cli_text("%s.stamps", path);
    cli_remember(path);
    cli_remember(stamps);
    int status = CLI_OK;
    uint64_t runs = options->runs ? options->runs : RUNS;
    for (uint64_t i = 0; status == CLI_OK && *ended == 0 && i < runs; i++) {
        (void)cli_progress(NULL, "running", (double)i / (double)runs, i);
        status = cli_spawn(options, (char *const *)options->file, path, ended) ? CLI_OK : CLI_INPUT;
        if (status == CLI_OK && *ended == 0)
            status = take_run(options, ctx, gaps, path, stamps);
        unlink(path);
        unlink(stamps);
    }
    cli_progress_clear();
    cli_forget(path);
    cli_forget(stamps);
    free(path);
    free(stamps);
    return status;
}

static int run_in_folder(const cli_options *options, pluss_gaps *gaps, pluss_context *ctx,
                         int *ended)
{
    char *folder = cli_make_folder(options);
    if (!folder)
        return CLI_INPUT;
    int status = run_all(options, ctx, gaps, folder, ended);
    cli_remove_folder(folder);
    if (*ended && status == CLI_OK) {
        cli_error(options, "%s failed; nothing is reported", options->file[0]);
        return CLI_INPUT;
    }
    if (status != CLI_OK)
        return status;
    pluss_status tested = pluss_gaps_finish(gaps);
    if (tested)
        return tested == PLUSS_ENOTFOUND ? CLI_NO : cli_exit_status(tested);
    return report(options, gaps);
}

int cli_progress_verb(cli_options *options)
{
    if (options->n_regions > 1)
        return cli_usage(options, "one --region at a time");
    pluss_gaps_options o = {.size = sizeof o,
                            .region = options->n_regions ? options->region[0] : NULL,
                            .has_loop = options->has_loop,
                            .loop = options->loop,
                            .lap = options->lap,
                            .drop = options->drop_given && options->drop == 0 ? -1 : options->drop,
                            .bins = options->bins};
    if (!options->by_timer)
        o.interval_ns = options->interval ? options->interval_ns : default_interval_ns;
    pluss_context *ctx = cli_context();
    pluss_gaps *gaps = NULL;
    int status = CLI_INPUT, ended = 0;
    options->silent = true;
    /* for all that is started */
    setenv("PLUSS_STAMPS", "tsc", 1);
    if (options->by_timer)
        setenv("PLUSS_STOPS", interval_of(options), 1);
    else
        unsetenv("PLUSS_STOPS");
    pluss_status made = pluss_gaps_new(ctx, &o, &gaps);
    status = made ? cli_exit_status(made) : run_in_folder(options, gaps, ctx, &ended);
    pluss_gaps_free(gaps);
    pluss_context_free(ctx);
    return ended ? cli_end_as(ended) : status;
}
