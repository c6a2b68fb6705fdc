/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss transform: a nest with its loops or arrays in another form.
 */
#include "cli.h"

static int transform(pluss_context *ctx, const cli_options *options, const pluss_nests *nests)
{
    pluss_nest *alone = NULL, *made = NULL;
    const pluss_nest *nest = cli_choose_nest(ctx, options, nests, &alone);
    int status = CLI_NO;
    if (nest) {
        pluss_status done = pluss_nest_transform(ctx, nest, (const char *const *)options->file + 1,
                                                 options->n_files - 1, &made);
        status = done == PLUSS_EUNSUPPORTED || done == PLUSS_ENOTFOUND ? CLI_NO
                 : done == PLUSS_EINVAL                                ? CLI_USAGE
                                                                       : cli_exit_status(done);
        if (!done) {
            done = pluss_nest_write(ctx, made, cli_output_write, options->report);
            status =
                cli_output_close(options, options->report, done ? cli_exit_status(done) : CLI_OK);
        }
    }
    pluss_nest_free(made);
    pluss_nest_free(alone);
    return status;
}

int cli_transform(cli_options *options)
{
    return cli_on_one_region(options, transform);
}
