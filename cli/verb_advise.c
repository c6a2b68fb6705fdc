/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss advise: what would cost less.
 */

#include "cli.h"

/* Puts what the commands of --now and --then take into the advice. The exit status, or -1. */
static int measure(pluss_context *ctx, const cli_options *options, pluss_advice *advice)
{
    double seconds[2];
    uint32_t runs;
    int status = options->now ? cli_time_commands(options, seconds, &runs) : -1;
    if (options->now && status < 0 &&
        pluss_advice_put_times(ctx, advice, seconds[0], seconds[1], runs))
        return CLI_INPUT;
    return status;
}

static int report(pluss_context *ctx, const cli_options *options, pluss_advice *advice)
{
    pluss_report *report = NULL;
    int status = measure(ctx, options, advice);
    if (status >= 0)
        return status;
    pluss_status made = pluss_advice_report(ctx, advice, options->file[0], &report);
    return cli_write_report(ctx, options, made, report, CLI_OK);
}

static int advise(pluss_context *ctx, const cli_options *options, const pluss_nests *nests)
{
    pluss_advice *advice = NULL;
    pluss_status done = pluss_nests_advise(ctx, nests, options->request, &advice);
    int status = cli_tell_missing(done ? done : pluss_advice_get_missing(advice));
    int written = done ? CLI_OK : report(ctx, options, advice);
    pluss_advice_free(advice);
    return status ? status : written;
}

int cli_advise(cli_options *options)
{
    if (!options->now != !options->then)
        return cli_usage(options, "--now and --then belong together");
    int status = cli_use_levels(options);
    status = status < 0 ? cli_set_threads(options) : status;
    return status < 0 ? cli_on_nests(options, false, advise) : status;
}
