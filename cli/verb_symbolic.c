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

int cli_symbolic(cli_options *options)
{
    if (options->emit && options->format)
        return cli_usage(options, "--emit and a format of reports exclude each other");
    pluss_context *ctx = cli_context();
    pluss_nests *nests = NULL;
    int status = CLI_INPUT;
    if (pluss_nests_read(ctx, options->file[0], &nests) == PLUSS_OK)
        status = !cli_holds_regions(options, nests)   ? CLI_INPUT
                 : !cli_regions_exist(options, nests) ? CLI_NO
                 : options->emit                      ? write_code(ctx, options, nests)
                                                      : write_report(ctx, options, nests);
    pluss_nests_free(nests);
    pluss_context_free(ctx);
    return status;
}
