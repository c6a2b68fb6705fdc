/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss scale: curves of many threads and large problems from profiles of few and small ones.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* *all has these, too. Takes the result. */
static pluss_status add(pluss_context *ctx, pluss_result *result, pluss_result **all)
{
    pluss_status status = pluss_result_get_missing(result);
    if (!status && *all)
        status = pluss_result_append(ctx, *all, result);
    if (status || *all)
        pluss_result_free(result);
    else
        *all = result;
    return status;
}

/* Before what takes time: the model scales. */
static int check_model(const cli_options *options)
{
    const char *name = cli_given(options, "model");
    pluss_model_info model = {.size = sizeof model};
    for (size_t i = 0; name && pluss_model_get(i, &model) == PLUSS_OK; i++)
        if (strcmp(model.name, name) == 0 && !model.scales)
            return cli_usage(options, "the model %s does not scale profiles", name);
    return -1;
}

/* What is asked for, with the values of a size; the caller's. */
static pluss_options *options_at(const cli_options *options, const cli_sizes *sizes, size_t run)
{
    pluss_options *own = NULL;
    cli_must(pluss_options_copy(options->quiet, options->request, &own));
    for (size_t i = 0; i < sizes->n_symbols; i++)
        cli_must(pluss_options_set_binding(options->quiet, own, sizes->symbol[i],
                                           sizes->value[run * sizes->n_symbols + i]));
    return own;
}

/* ---- profiles -----------------------------------------------------------------------------------
 */

/* Measuring takes nearly all of the time. */
static const double measuring = 0.9;

static void begin_measuring(size_t i, size_t n)
{
    cli_begin_part(measuring * (double)i / (double)n, measuring / (double)n);
}

/* Of the nests, by walks at the first two sizes, with few threads. */
static pluss_status measure(pluss_context *ctx, const cli_options *options,
                            const pluss_nests *nests, const cli_sizes *sizes, pluss_result **out)
{
    static const uint32_t few[] = {1, 2, 4};
    const size_t n = sizes->n_runs < 2 ? sizes->n_runs : 2;
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < n && !status; i++) {
        begin_measuring(i, n);
        pluss_result *result = NULL;
        pluss_options *own = options_at(options, sizes, i);
        cli_must(pluss_options_set_threads(options->quiet, own, few, sizeof few / sizeof *few));
        cli_must(pluss_options_set_caches(options->quiet, own, NULL, 0));
        cli_must(pluss_options_set(options->quiet, own, "sharing", NULL));
        status = pluss_nests_simulate(ctx, nests, own, &result);
        if (!status)
            status = add(ctx, result, out);
        pluss_options_free(own);
    }
    return status;
}

static bool is_profile(const char *path)
{
    return cli_ends_with(path, ".json") || cli_ends_with(path, ".json.gz");
}

/* Profiles, or what they are measured of as it is. */
static bool has_profiles(const cli_options *options, const char *path)
{
    return is_profile(path) || cli_is_trace(options, path);
}

/* Of a trace, which has its own threads. */
static pluss_status measure_trace(pluss_context *ctx, const cli_options *options,
                                  const pluss_nests *trace, pluss_result **out)
{
    pluss_options *own = NULL;
    cli_must(pluss_options_copy(options->quiet, options->request, &own));
    cli_must(pluss_options_set_caches(options->quiet, own, NULL, 0));
    cli_must(pluss_options_set(options->quiet, own, "sharing", NULL));
    const pluss_status status = pluss_nests_simulate(ctx, trace, own, out);
    pluss_options_free(own);
    return status;
}

/* Of kept profiles and of traces. */
static pluss_status read(pluss_context *ctx, const cli_options *options, pluss_result **out)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < options->n_files && !status; i++) {
        pluss_result *result = NULL;
        pluss_nests *trace = NULL;
        begin_measuring(i, options->n_files);
        if (is_profile(options->file[i])) {
            result = cli_read_result(ctx, options->file[i]);
            status = result ? PLUSS_OK : PLUSS_EFORMAT;
        } else {
            status = pluss_nests_read(ctx, options->file[i], &trace);
            if (!status)
                status = measure_trace(ctx, options, trace, &result);
            pluss_nests_free(trace);
        }
        if (!status)
            status = add(ctx, result, out);
    }
    return status;
}

/* ---- curves -------------------------------------------------------------------------------------
 */

/* The curves of shared and private caches, whatever sizes are shown. */
static pluss_cache *ask_for_both(cli_options *options, size_t *n)
{
    const pluss_cache *given = pluss_options_get_caches(options->request, n);
    pluss_cache *cache = cli_alloc(*n + 2, sizeof *cache);
    for (size_t i = 0; i < *n; i++)
        cache[i] = given[i];
    cache[*n] = (pluss_cache){.bytes = 1};
    cache[*n + 1] = (pluss_cache){.bytes = 1, .threads = 1};
    cli_must(pluss_options_set_caches(options->quiet, options->request, cache, *n + 2));
    return cache;
}

/* At all sizes from the profiles, then, where there are nests, by the model clock. */
static pluss_status predict(pluss_context *ctx, const cli_options *options,
                            const pluss_result *profiles, const pluss_nests *nests,
                            const cli_sizes *sizes, pluss_result **out)
{
    const size_t n = sizes->n_runs * (nests ? 2 : 1);
    const double part = (1 - measuring) / (double)n;
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < n && !status; i++) {
        pluss_result *result = NULL;
        pluss_options *own = options_at(options, sizes, i % sizes->n_runs);
        cli_begin_part(measuring + (double)i * part, part);
        if (i >= sizes->n_runs)
            cli_must(pluss_options_set(options->quiet, own, "model", "clock"));
        status = i < sizes->n_runs ? pluss_result_scale(ctx, profiles, own, &result)
                                   : pluss_nests_predict(ctx, nests, own, &result);
        if (!status)
            status = add(ctx, result, out);
        pluss_options_free(own);
    }
    return status;
}

static pluss_status scale(pluss_context *ctx, const cli_options *options, const cli_sizes *sizes,
                          pluss_result **out)
{
    pluss_nests *nests = NULL;
    pluss_result *profiles = NULL;
    pluss_status status;
    if (has_profiles(options, options->file[0])) {
        status = read(ctx, options, &profiles);
    } else {
        status = pluss_nests_read(ctx, options->file[0], &nests);
        if (!status && !cli_holds_regions(options, nests))
            status = PLUSS_ENOTFOUND;
        if (!status)
            status = measure(ctx, options, nests, sizes, &profiles);
    }
    if (!status)
        status = predict(ctx, options, profiles, nests, sizes, out);
    pluss_result_free(profiles);
    pluss_nests_free(nests);
    return status;
}

/* One thread, to compare with, and those that are asked for. */
static void set_threads(cli_options *options)
{
    static const uint32_t doubling[] = {8, 16, 32, 64, 128, 256};
    size_t n = sizeof doubling / sizeof *doubling, used = 1;
    const uint32_t *team =
        cli_given(options, "threads") ? pluss_options_get_threads(options->request, &n) : doubling;
    uint32_t *all = cli_alloc(n + 1, sizeof *all);
    all[0] = 1;
    for (size_t i = 0; i < n; i++)
        if (team[i] != 1)
            all[used++] = team[i];
    cli_must(pluss_options_set_threads(options->quiet, options->request, all, used));
    free(all);
}

static int report(pluss_context *ctx, const cli_options *options, const pluss_result *result,
                  const pluss_cache *cache, size_t n)
{
    pluss_report *made = NULL;
    const pluss_report_options o = {.size = sizeof o,
                                    .caches = cache,
                                    .n_caches = n,
                                    .scaling = 1,
                                    .private_latency = options->latency[0],
                                    .shared_latency = options->latency[1],
                                    .memory_latency = options->latency[2]};
    const pluss_status status = pluss_result_report(ctx, result, &o, &made);
    int end = cli_write_report(ctx, options, status, made, CLI_OK);
    if (end == CLI_OK && options->svg)
        end = cli_plot(options, result, cache, n);
    return end;
}

int cli_scale(cli_options *options)
{
    cli_sizes sizes = {.n_runs = 1};
    int status = cli_read_sizes(options, &sizes);
    if (status >= 0)
        return status;
    status = check_model(options);
    for (size_t i = 1; i < options->n_files && status < 0; i++)
        if (!has_profiles(options, options->file[0]) || !has_profiles(options, options->file[i]))
            status =
                cli_usage(options, "one file of nests, or profiles and traces alone, not '%s' too",
                          options->file[i]);
    if (status >= 0) {
        cli_free_sizes(&sizes);
        return status;
    }
    pluss_context *ctx = cli_context();
    pluss_result *result = NULL;
    size_t n = 0;
    pluss_cache *cache = ask_for_both(options, &n);
    set_threads(options);
    const pluss_status done = scale(ctx, options, &sizes, &result);
    status = cli_exit_status(done);
    if (!done)
        status = report(ctx, options, result, cache, n);
    pluss_result_free(result);
    pluss_context_free(ctx);
    cli_free_sizes(&sizes);
    free(cache);
    return status;
}
