/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss advise: what would cost less.
 */
#include <stdio.h>

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

int cli_advise(cli_options *options)
{
    if (!options->now != !options->then)
        return cli_usage(options, "--now and --then belong together");
    int status = cli_use_levels(options);
    status = status < 0 ? cli_set_threads(options) : status;
    if (status >= 0)
        return status;
    pluss_context *ctx = cli_context();
    pluss_nests *nests = NULL;
    pluss_advice *advice = NULL;
    status = CLI_INPUT;
    if (pluss_nests_read(ctx, options->file[0], &nests) == PLUSS_OK &&
        cli_holds_regions(options, nests)) {
        pluss_status done = pluss_nests_advise(ctx, nests, options->request, &advice);
        pluss_status missing = done ? done : pluss_advice_get_missing(advice);
        status = cli_exit_status(missing);
        if (missing == PLUSS_EUNBOUND)
            fputs(cli_how_to_bind, stderr);
        if (!done) {
            int written = report(ctx, options, advice);
            status = status ? status : written;
        }
    }
    pluss_advice_free(advice);
    pluss_nests_free(nests);
    pluss_context_free(ctx);
    return status;
}
