/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss generate: a trace of threads whose stack distances are drawn from distributions.
 */
#include "cli.h"

static int write_on(void *user, const char *data, size_t length)
{
    return cli_interrupted() ? 1 : cli_output_write(user, data, length);
}

int cli_generate(cli_options *options)
{
    pluss_context *ctx = cli_context();
    pluss_status done = pluss_trace_generate(ctx, options->file[0], write_on, options->report);
    int status = done == PLUSS_EINVAL ? CLI_USAGE : done ? cli_exit_status(done) : CLI_OK;
    status = cli_output_close(options, options->report, status);
    pluss_context_free(ctx);
    return status;
}
