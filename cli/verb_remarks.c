/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss remarks: a line for each loop, as of a compiler.
 */
#include "cli.h"

/* Without -T: one thread, and the machine's processors. */
static int set_teams(cli_options *options)
{
    uint32_t team[2] = {1, 1};
    if (cli_given(options, "threads"))
        return -1;
    int status = cli_find_target(options);
    if (status < 0) {
        team[1] = options->target.info.processors;
        cli_must(
            pluss_options_set_threads(options->quiet, options->request, team, team[1] > 1 ? 2 : 1));
    }
    return status;
}

int cli_remarks(cli_options *options)
{
    int status = cli_use_levels(options);
    status = status < 0 ? set_teams(options) : status;
    if (status >= 0)
        return status;
    pluss_context *ctx = cli_context();
    pluss_nests *nests = NULL;
    pluss_report *report = NULL;
    pluss_severity worst = PLUSS_NOTE;
    status = CLI_INPUT;
    if (pluss_nests_read(ctx, options->file[0], &nests) == PLUSS_OK &&
        cli_holds_regions(options, nests)) {
        pluss_status made = pluss_nests_remark(ctx, nests, options->request, &worst, &report);
        status =
            cli_write_report(ctx, options, made, report, worst == PLUSS_ERROR ? CLI_NO : CLI_OK);
    }
    pluss_nests_free(nests);
    pluss_context_free(ctx);
    return status;
}
