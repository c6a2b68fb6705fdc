/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sidecar file of a record that a program left.
 */
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"

char *cli_trace_path(const char *record)
{
    return cli_text("%s.trace", record);
}

pluss_status cli_find_stamps(pluss_context *ctx, const pluss_record *record, const char *path,
                             bool *found)
{
    char *trace = cli_trace_path(path);
    bool there = access(trace, F_OK) == 0;
    pluss_trace_info info = {.size = sizeof info};
    pluss_status status = there ? pluss_record_get_trace(ctx, record, &info) : PLUSS_OK;
    *found = info.timed_runs > 0;
    free(trace);
    return status;
}
