/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss codegen: a nest as a program of its own.
 */
#include "cli.h"

static int generate(pluss_context *ctx, const cli_options *options, const pluss_nests *nests)
{
    pluss_nest *alone = NULL;
    const pluss_nest *nest = cli_choose_nest(ctx, options, nests, &alone);
    int status = CLI_NO;
    if (nest) {
        pluss_status done =
            pluss_nest_codegen(ctx, nest, options->language, cli_output_write, options->report);
        status = cli_output_close(options, options->report, done ? cli_exit_status(done) : CLI_OK);
    }
    pluss_nest_free(alone);
    return status;
}

int cli_codegen(cli_options *options)
{
    if (!options->has_language)
        return cli_usage(options, "--lang c or --lang rust is missing");
    if (options->n_regions > 1)
        return cli_usage(options, "one --region at most");
    pluss_context *ctx = cli_context();
    pluss_nests *nests = NULL;
    int status = CLI_INPUT;
    if (pluss_nests_read(ctx, options->file[0], &nests) == PLUSS_OK)
        status = !cli_holds_regions(options, nests)  ? CLI_INPUT
                 : cli_regions_exist(options, nests) ? generate(ctx, options, nests)
                                                     : CLI_NO;
    pluss_nests_free(nests);
    pluss_context_free(ctx);
    return status;
}
