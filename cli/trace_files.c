/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Traces where a verb takes files of several kinds.
 */
#include "cli.h"

bool cli_is_trace(const cli_options *options, const char *path)
{
    pluss_nests *nests = NULL;
    pluss_status status = pluss_nests_read(options->quiet, path, &nests);
    if (status == PLUSS_ENOMEM)
        cli_no_memory();
    const bool trace = !status && pluss_nests_is_trace(nests);
    if (!status)
        pluss_nests_free(nests);
    pluss_context_clear(options->quiet);
    return trace;
}

pluss_result *cli_simulate_trace(pluss_context *ctx, const cli_options *options, const char *path)
{
    pluss_nests *nests = NULL;
    pluss_result *result = NULL;
    if (pluss_nests_read(ctx, path, &nests))
        return NULL;
    if (pluss_nests_simulate(ctx, nests, options->request, &result))
        result = NULL;
    pluss_nests_free(nests);
    return result;
}
