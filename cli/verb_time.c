/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss time: how long loops run.
 */
#include <stdio.h>

#include "cli.h"

static int predict(cli_options *options)
{
    pluss_context *ctx = cli_context();
    pluss_nests *nests = NULL;
    pluss_times *times = NULL;
    pluss_report *report = NULL;
    int status = CLI_INPUT;
    if (pluss_nests_read(ctx, options->file[0], &nests) == PLUSS_OK &&
        cli_holds_regions(options, nests)) {
        pluss_status done = pluss_nests_time(ctx, nests, options->request, &times);
        pluss_status missing = done ? done : pluss_times_get_missing(times);
        status = cli_exit_status(missing);
        if (missing == PLUSS_EUNBOUND)
            fputs(cli_how_to_bind, stderr);
        if (!done) {
            pluss_status made = pluss_times_report(ctx, times, &report);
            int written = cli_write_report(ctx, options, made, report, CLI_OK);
            status = status ? status : written;
        }
    }
    pluss_times_free(times);
    pluss_nests_free(nests);
    pluss_context_free(ctx);
    return status;
}

int cli_time(cli_options *options)
{
    int status = cli_use_costs(options);
    if (status < 0)
        status = cli_use_levels(options);
    if (status < 0)
        status = cli_set_threads(options);
    return status < 0 ? predict(options) : status;
}
