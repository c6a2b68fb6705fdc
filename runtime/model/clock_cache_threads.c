/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Caches that only some of the threads share: a window then holds the accesses of these threads
 * alone. Accesses in whole phases between the access and its source are counted and found thread by
 * thread.
 */
#include "model/clock_state.h"

enum { PHASES_LISTED = 1024 }; /* windows over more phases are not listed */

static bool all_share(const plussi_clock_run *run)
{
    return run->last - run->first == run->team;
}

void plussi_clock_choose_cache_threads(plussi_clock_run *run, uint32_t own)
{
    uint32_t n = run->threads_per_cache;
    run->first = n && n < run->team ? own / n * n : 0;
    run->last = n && n < run->team - run->first ? run->first + n : run->team;
}

/* Makes a table of all phases, unless they are too many: a question for one may take as many steps
 * as there are phases. */
static void rank_phases(plussi_clock_run *run)
{
    enum { MOST = 1 << 20 };
    const uint64_t n = plussi_engine_phases(run->engine), team = run->team;
    run->ranked = true;
    if (n > MOST / team)
        return;
    run->rank = plussi_calloc(&run->ctx->mem, (size_t)(n * team), sizeof *run->rank);
    for (uint64_t phase = 1; run->rank && phase < n; phase++)
        for (uint32_t k = 0; k < team; k++)
            run->rank[phase * team + k] = run->rank[(phase - 1) * team + k] +
                                          plussi_engine_length(run->workspace, k, phase - 1);
}

/* Number of accesses of thread k in the phases before this one. */
static uint64_t rank_of_phase(plussi_clock_run *run, uint32_t k, uint64_t phase)
{
    plussi_cursor end;
    if (phase == 0)
        return 0;
    if (!run->ranked)
        rank_phases(run);
    if (run->rank)
        return run->rank[phase * run->team + k];
    plussi_engine_end(run->workspace, k, phase - 1, &end);
    return plussi_engine_thread_rank(run->workspace, &end);
}

uint64_t plussi_clock_rank_of(plussi_clock_run *run, const plussi_cursor *cursor)
{
    uint64_t phase, pos;
    plussi_engine_locate(run->workspace, cursor, &phase, &pos);
    return rank_of_phase(run, (uint32_t)cursor->iv[0], phase) + pos;
}

static uint64_t count_accesses_between(plussi_clock_run *run, uint32_t k)
{
    return rank_of_phase(run, k, run->phase) - rank_of_phase(run, k, run->source_phase + 1);
}

uint64_t plussi_clock_between(plussi_clock_run *run)
{
    uint64_t sum = 0;
    if (run->source_phase == run->phase || run->source_phase + 1 == run->phase)
        return 0;
    if (all_share(run))
        return plussi_engine_before(run->workspace, run->phase) -
               plussi_engine_before(run->workspace, run->source_phase + 1);
    for (uint32_t k = run->first; k < run->last; k++)
        sum += count_accesses_between(run, k);
    return sum;
}

bool plussi_clock_is_listed(const plussi_clock_run *run)
{
    return run->interval - 1 <= run->most_listed &&
           (run->between == 0 || all_share(run) || run->phase - run->source_phase < PHASES_LISTED);
}

bool plussi_clock_is_counted(const plussi_clock_run *run, uint32_t draws)
{
    const bool swept = run->team == 1 && plussi_engine_is_flat(run->engine, run->cursor.leaf);
    const uint64_t each = swept ? PLUSSI_CLOCK_SWEPT_DRAW : PLUSSI_CLOCK_DRAW;
    return run->interval - 1 <= each * draws && run->between == 0;
}

/* Finds access number u of thread k in the phases [lo, hi). */
static void find_access(plussi_clock_run *run, uint32_t k, uint64_t lo, uint64_t hi, uint64_t u,
                        plussi_cursor *out)
{
    uint64_t base = rank_of_phase(run, k, lo), at = base;
    while (hi - lo > 1) {
        uint64_t mid = lo + (hi - lo) / 2, rank = rank_of_phase(run, k, mid);
        if (rank - base <= u) {
            lo = mid;
            at = rank;
        } else {
            hi = mid;
        }
    }
    plussi_engine_unrank(run->workspace, k, lo, u - (at - base), out);
}

void plussi_clock_access_before(plussi_clock_run *run, const plussi_cursor *cursor, uint64_t n,
                                plussi_cursor *out)
{
    uint32_t k = (uint32_t)cursor->iv[0];
    uint64_t lo = plussi_engine_phase(run->workspace, cursor), hi = lo + 1, base;
    for (uint64_t step = 1; (base = rank_of_phase(run, k, lo)) > n; step *= 2) {
        hi = lo;
        lo -= step < lo ? step : lo;
    }
    find_access(run, k, lo, hi, n - base, out);
}

void plussi_clock_nth_between(plussi_clock_run *run, uint64_t u, plussi_cursor *out)
{
    if (all_share(run)) {
        plussi_engine_nth(run->workspace,
                          plussi_engine_before(run->workspace, run->source_phase + 1) + u, out);
        return;
    }
    for (uint32_t k = run->first; k < run->last; k++) {
        uint64_t n = count_accesses_between(run, k);
        if (u < n) {
            find_access(run, k, run->source_phase + 1, run->phase, u, out);
            return;
        }
        u -= n;
    }
}
