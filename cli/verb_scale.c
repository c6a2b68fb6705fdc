/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss scale: curves of many threads from profiles of few.
 */
#include <stdlib.h>

#include "cli.h"

/* Of the nests, with that model (NULL: simulated with one thread); *all has them, too. */
static pluss_status add_curves(pluss_context *ctx, const pluss_nests *nests,
                               const cli_options *options, const char *model, pluss_result **all)
{
    pluss_options *own = NULL;
    pluss_result *result = NULL;
    const uint32_t one = 1;
    cli_must(pluss_options_copy(ctx, options->request, &own));
    if (model)
        cli_must(pluss_options_set(ctx, own, "model", model));
    else
        cli_must(pluss_options_set_threads(ctx, own, &one, 1));
    pluss_status status = model ? pluss_nests_predict(ctx, nests, own, &result)
                                : pluss_nests_simulate(ctx, nests, own, &result);
    if (!status)
        status = pluss_result_get_missing(result);
    if (!status && *all)
        status = pluss_result_append(ctx, *all, result);
    else if (!status) {
        *all = result;
        result = NULL;
    }
    pluss_result_free(result);
    pluss_options_free(own);
    return status;
}

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

static pluss_status scale(pluss_context *ctx, const cli_options *options, pluss_result **out)
{
    static const char *const model[] = {NULL, "scale", "clock"};
    pluss_nests *nests = NULL;
    pluss_status status = pluss_nests_read(ctx, options->file[0], &nests);
    if (!status && pluss_nests_is_trace(nests))
        status = PLUSS_EUNSUPPORTED;
    if (!status && !cli_holds_regions(options, nests))
        status = PLUSS_ENOTFOUND;
    for (size_t i = 0; i < sizeof model / sizeof *model && !status; i++)
        status = add_curves(ctx, nests, options, model[i], out);
    pluss_nests_free(nests);
    return status;
}

int cli_scale(cli_options *options)
{
    static const uint32_t doubling[] = {8, 16, 32, 64, 128, 256};
    enum { DOUBLING = sizeof doubling / sizeof *doubling };
    pluss_context *ctx = cli_context();
    pluss_result *result = NULL;
    pluss_report *report = NULL;
    size_t n = 0;
    pluss_cache *cache = ask_for_both(options, &n);
    if (!cli_given(options, "threads"))
        cli_must(pluss_options_set_threads(options->quiet, options->request, doubling, DOUBLING));
    const pluss_status done = scale(ctx, options, &result);
    int status = cli_exit_status(done);
    if (!done) {
        const pluss_report_options o = {
            .size = sizeof o, .caches = cache, .n_caches = n, .scaling = 1};
        const pluss_status made = pluss_result_report(ctx, result, &o, &report);
        status = cli_write_report(ctx, options, made, report, CLI_OK);
    } else if (done == PLUSS_EUNSUPPORTED && !result) {
        cli_error(options, "a trace has its own threads: pluss scale takes nests");
    }
    pluss_result_free(result);
    pluss_context_free(ctx);
    free(cache);
    return status;
}
