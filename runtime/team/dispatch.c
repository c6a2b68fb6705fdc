/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "team/iterset.h"

/* GCC's range of a loop with the condition i <= last ends at last + 1, as the nest's does. */
static bool is_ragged(const plussi_bound_loop *loop, const int64_t *iv)
{
    bool fault = false;
    uint64_t lo = (uint64_t)plussi_cexpr_eval(loop->lo, iv, &fault);
    uint64_t hi = (uint64_t)plussi_cexpr_eval(loop->hi, iv, &fault);
    uint64_t step = (uint64_t)loop->step;
    return loop->step > 0 ? (hi - lo) % step != 0 : (lo - hi) % (0 - step) != 0;
}

plussi_dispatch plussi_dispatch_of_loop(const plussi_bound_loop *loop, const int64_t *iv,
                                        uint64_t n, uint64_t chunk, uint32_t team)
{
    return (plussi_dispatch){.n = n,
                             .chunk = chunk ? chunk : 1,
                             .team = team,
                             .guided = loop->schedule.kind == PLUSSI_SCHED_GUIDED,
                             .ragged = loop->collapse == 1 && is_ragged(loop, iv)};
}
