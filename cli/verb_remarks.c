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

static int remark(pluss_context *ctx, const cli_options *options, const pluss_nests *nests)
{
    pluss_report *report = NULL;
    pluss_severity worst = PLUSS_NOTE;
    pluss_status made = pluss_nests_remark(ctx, nests, options->request, &worst, &report);
    return cli_write_report(ctx, options, made, report, worst == PLUSS_ERROR ? CLI_NO : CLI_OK);
}

int cli_remarks(cli_options *options)
{
    int status = cli_use_levels(options);
    status = status < 0 ? set_teams(options) : status;
    return status < 0 ? cli_on_nests(options, false, remark) : status;
}
