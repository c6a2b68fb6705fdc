/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss time: how long loops run.
 */
#include "cli.h"

static int predict(pluss_context *ctx, const cli_options *options, const pluss_nests *nests)
{
    pluss_times *times = NULL;
    pluss_report *report = NULL;
    pluss_status done = pluss_nests_time(ctx, nests, options->request, &times);
    int status = cli_tell_missing(done ? done : pluss_times_get_missing(times));
    int written = CLI_OK;
    if (!done) {
        pluss_status made = pluss_times_report(ctx, times, &report);
        written = cli_write_report(ctx, options, made, report, CLI_OK);
    }
    pluss_times_free(times);
    return status ? status : written;
}

int cli_time(cli_options *options)
{
    int status = cli_use_costs(options);
    if (status < 0)
        status = cli_use_levels(options);
    if (status < 0)
        status = cli_set_threads(options);
    return status < 0 ? cli_on_nests(options, false, predict) : status;
}
