/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

_Static_assert((int)PLUSS_TIME_CORE == (int)PLUSSI_BOUND_CORE &&
                   (int)PLUSS_TIME_LATENCY == (int)PLUSSI_BOUND_LEVEL &&
                   (int)PLUSS_TIME_BARRIERS == (int)PLUSSI_BOUND_TEAM &&
                   (int)PLUSS_TIME_IMBALANCE == (int)PLUSSI_BOUND_BALANCE &&
                   (int)PLUSS_TIME_TRANSFERS == (int)PLUSSI_BOUND_TRANSFER,
               "pluss.h: what binds");

void pluss_times_free(pluss_times *times)
{
    if (!times)
        return;
    plussi_mem mem = times->list.arena.mem;
    plussi_times_free(&times->list);
    plussi_free(&mem, times);
}

pluss_status pluss_times_get_missing(const pluss_times *times)
{
    return times ? times->missing : PLUSS_EINVAL;
}

static pluss_time_info public_info(const plussi_times *times, const plussi_region_time *region,
                                   const plussi_team_time *team)
{
    pluss_time_info info = {.size = sizeof info,
                            .region = region->region,
                            .file = region->place.file,
                            .line = region->place.line,
                            .threads = team->team,
                            .seconds = team->seconds,
                            .error = team->error,
                            .speedup = team->speedup,
                            .imbalance = team->imbalance,
                            .core = team->core,
                            .dependences = team->chain,
                            .bound = (pluss_time_bound)team->by,
                            .memory = team->pages + team->transfers,
                            .counted = region->counted,
                            .barriers = team->barriers};
    for (size_t k = 1; k < times->costs.n; k++)
        info.memory += team->server[k];
    if (team->by == PLUSSI_BOUND_LEVEL || team->by == PLUSSI_BOUND_SHARED)
        info.level = times->costs.server[team->by_server].name;
    return info;
}

pluss_status pluss_times_get(const pluss_times *times, size_t i, pluss_time_info *out)
{
    if (!times || !out)
        return PLUSS_EINVAL;
    for (size_t r = 0; r < times->list.n; r++) {
        const plussi_region_time *region = &times->list.at[r];
        if (i < region->n_teams) {
            pluss_time_info info = public_info(&times->list, region, &region->team[i]);
            return plussi_ffi_give(out, &info, sizeof info);
        }
        i -= region->n_teams;
    }
    return PLUSS_ENOTFOUND;
}

pluss_status pluss_times_report(pluss_context *ctx, const pluss_times *times, pluss_report **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!times || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_report *report = plussi_ffi_report(ctx);
    if (report)
        plussi_times_report(&times->list, &report->document);
    return plussi_ffi_give_report(ctx, report, out);
}
