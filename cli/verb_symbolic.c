/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss symbolic: stack histograms as formulas in the symbols of a nest.
 */
#include "cli.h"

static int write_code(pluss_context *ctx, const cli_options *options, const pluss_nests *nests)
{
    const pluss_status done =
        pluss_nests_symbolic_code(ctx, nests, options->request, cli_output_write, options->report);
    return cli_output_close(options, options->report, done ? cli_exit_status(done) : CLI_OK);
}

static int write_report(pluss_context *ctx, const cli_options *options, const pluss_nests *nests)
{
    pluss_report *report = NULL;
    const pluss_status made = pluss_nests_symbolic(ctx, nests, options->request, &report);
    return cli_write_report(ctx, options, made, report, CLI_OK);
}

static int write_either(pluss_context *ctx, const cli_options *options, const pluss_nests *nests)
{
    return options->emit ? write_code(ctx, options, nests) : write_report(ctx, options, nests);
}

int cli_symbolic(cli_options *options)
{
    if (options->emit && options->format)
        return cli_usage(options, "--emit and a format of reports exclude each other");
    return cli_on_nests(options, true, write_either);
}
