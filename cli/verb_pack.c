/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss pack: a trace in the packed format.
 */
#include "cli.h"

int cli_pack(cli_options *options)
{
    pluss_context *ctx = cli_context();
    pluss_status done = pluss_trace_pack(ctx, options->file[0], options->request, cli_output_write,
                                         options->report);
    int status = cli_output_close(options, options->report, done ? cli_exit_status(done) : CLI_OK);
    pluss_context_free(ctx);
    return status;
}
