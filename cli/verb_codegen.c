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
    return cli_on_one_region(options, generate);
}
