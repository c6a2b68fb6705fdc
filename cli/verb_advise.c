/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss advise: what would cost less.
 */
#include <stdio.h>

#include "cli.h"

int cli_advise(cli_options *options)
{
    int status = cli_use_levels(options);
    status = status < 0 ? cli_set_threads(options) : status;
    if (status >= 0)
        return status;
    pluss_context *ctx = cli_context();
    pluss_nests *nests = NULL;
    pluss_advice *advice = NULL;
    pluss_report *report = NULL;
    status = CLI_INPUT;
    if (pluss_nests_read(ctx, options->file[0], &nests) == PLUSS_OK &&
        cli_holds_regions(options, nests)) {
        pluss_status done = pluss_nests_advise(ctx, nests, options->request, &advice);
        pluss_status missing = done ? done : pluss_advice_get_missing(advice);
        status = cli_exit_status(missing);
        if (missing == PLUSS_EUNBOUND)
            fputs(cli_how_to_bind, stderr);
        if (!done) {
            pluss_status made = pluss_advice_report(ctx, advice, options->file[0], &report);
            int written = cli_write_report(ctx, options, made, report, CLI_OK);
            status = status ? status : written;
        }
    }
    pluss_advice_free(advice);
    pluss_nests_free(nests);
    pluss_context_free(ctx);
    return status;
}
