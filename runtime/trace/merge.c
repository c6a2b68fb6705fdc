/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Merged orders: the law of thread progress decides which thread is next, the walk what it does.
 */
#include <string.h>

#include "team/law.h"
#include "trace/state.h"

/* A thread's prefetched accesses, in its part of ahead[]. */
typedef struct merge_lane {
    uint32_t at, n;
} merge_lane;

struct plussi_merge {
    plussi_trace trace;
    plussi_mem mem;
    plussi_walk *walk;
    plussi_progress progress;
    plussi_clocks clocks;
    plussi_rng rng;
    bool begun, ended;
    merge_lane *lane;     /* by thread */
    uint32_t room;        /* prefetched accesses a thread */
    plussi_access *ahead; /* thread k's from k * room */
};

/* Allocates for the largest team, so that a merge cannot run out of memory later. */
static pluss_status make_lanes(plussi_merge *m, uint32_t n)
{
    enum { AHEAD_LEAST = 16, AHEAD_MOST = 256, AHEAD_ALL = 1 << 16 };
    uint32_t room = AHEAD_ALL / n;
    m->room = room < AHEAD_LEAST ? AHEAD_LEAST : room > AHEAD_MOST ? AHEAD_MOST : room;
    m->lane = plussi_calloc(&m->mem, n, sizeof *m->lane);
    m->ahead = plussi_alloc(&m->mem, (size_t)n * m->room, sizeof *m->ahead);
    return m->lane && m->ahead ? PLUSS_OK : PLUSS_ENOMEM;
}

static void begin_phase(plussi_merge *m)
{
    m->clocks.team = plussi_walk_team(m->walk);
    memset(m->lane, 0, m->clocks.team * sizeof *m->lane);
    plussi_clocks_begin_order(&m->clocks, plussi_walk_phase(m->walk));
}

/* false: the thread waits at the barrier. */
static bool refill_buffer(plussi_merge *m, uint32_t thread)
{
    merge_lane *l = &m->lane[thread];
    l->at = 0;
    l->n =
        (uint32_t)plussi_walk_fill(m->walk, thread, m->ahead + (size_t)thread * m->room, m->room);
    return l->n > 0;
}

/* Takes up to n accesses of a thread; fewer: it has reached the barrier. */
static size_t take_accesses(plussi_merge *m, uint32_t thread, plussi_access *buf, size_t n)
{
    merge_lane *l = &m->lane[thread];
    const plussi_access *ahead = m->ahead + (size_t)thread * m->room;
    for (size_t i = 0; i < n; i++) {
        if (l->at == l->n && !refill_buffer(m, thread))
            return i;
        buf[i] = ahead[l->at++];
    }
    return n;
}

/* One thread is left: first its prefetched accesses, then straight from the walk. */
static size_t take_last(plussi_merge *m, plussi_access *buf, size_t cap)
{
    uint32_t thread = m->clocks.running[0];
    merge_lane *l = &m->lane[thread];
    size_t n = l->n - l->at;
    if (n > 0)
        return take_accesses(m, thread, buf, n < cap ? n : cap);
    n = plussi_walk_fill(m->walk, thread, buf, cap);
    if (n == 0)
        m->clocks.n_running = 0;
    return n;
}

/* Accesses of the current phase; 0: it has ended. */
static size_t next_in_phase(plussi_merge *m, plussi_access *buf, size_t cap)
{
    size_t n = 0;
    while (n < cap && m->clocks.n_running > 1) {
        uint64_t run = cap - n;
        uint32_t thread = m->clocks.next(&m->clocks, &run);
        merge_lane *l = &m->lane[thread];
        if (run == 1 && l->at < l->n) {
            buf[n++] = m->ahead[(size_t)thread * m->room + l->at++];
            continue;
        }
        size_t taken = take_accesses(m, thread, buf + n, run);
        if (taken < run)
            m->clocks.leave(&m->clocks);
        n += taken;
    }
    return n == 0 && m->clocks.n_running == 1 ? take_last(m, buf, cap) : n;
}

size_t plussi_merge_next(plussi_merge *m, plussi_access *buf, size_t cap)
{
    if (cap == 0)
        return 0;
    while (!m->ended) {
        size_t n = m->begun ? next_in_phase(m, buf, cap) : 0;
        if (n > 0)
            return n;
        m->ended = !plussi_walk_next_phase(m->walk);
        m->begun = true;
        if (!m->ended)
            begin_phase(m);
    }
    return 0;
}

static pluss_status next_of_trace(plussi_trace *trace, plussi_access *buf, size_t cap, size_t *n)
{
    plussi_merge *m = (plussi_merge *)trace;
    *n = plussi_merge_next(m, buf, cap);
    trace->phase = plussi_walk_phase(m->walk);
    return *n ? PLUSS_OK : plussi_walk_status(m->walk);
}

static double done_of_trace(plussi_trace *trace)
{
    return plussi_walk_done(((plussi_merge *)trace)->walk);
}

plussi_trace *plussi_merge_trace(plussi_merge *m)
{
    return &m->trace;
}

/* ---- what the law asks of the walk -------------------------------------------------------------
 */

/* The current instance. All its phases have the same team. */
static uint64_t region_of(void *user, uint64_t phase)
{
    (void)phase;
    return plussi_walk_instance(((const plussi_merge *)user)->walk);
}

static uint64_t recorded_of(void *user, uint64_t phase)
{
    (void)user;
    return phase;
}

pluss_status plussi_merge_new(plussi_ctx *ctx, plussi_walk *walk, const plussi_progress *progress,
                              uint64_t seed, plussi_merge **out)
{
    pluss_status status = plussi_progress_check(ctx, progress);
    plussi_merge *m = status ? NULL : plussi_calloc(&ctx->mem, 1, sizeof *m);
    if (!m)
        return status ? status : PLUSS_ENOMEM;
    m->trace.next = next_of_trace;
    m->trace.done = done_of_trace;
    m->mem = ctx->mem;
    m->walk = walk;
    m->progress = *progress;
    plussi_rng_seed(&m->rng, seed, 0);
    bool recorded = progress->law == PLUSSI_PROGRESS_RECORDED;
    m->clocks = (plussi_clocks){.progress = &m->progress,
                                .timeline = recorded ? &progress->timelines->run[0] : NULL,
                                .phases = {region_of, recorded_of, NULL, NULL, m},
                                .rng = &m->rng,
                                .seed = seed,
                                .team = walk->bound->max_team};
    status = plussi_clocks_new(ctx, &m->clocks, true);
    if (!status)
        status = make_lanes(m, walk->bound->max_team);
    if (status) {
        plussi_merge_free(m);
        return status;
    }
    *out = m;
    return PLUSS_OK;
}

void plussi_merge_free(plussi_merge *m)
{
    if (!m)
        return;
    plussi_mem mem = m->mem;
    plussi_clocks_free(&m->clocks);
    plussi_free(&mem, m->lane);
    plussi_free(&mem, m->ahead);
    plussi_free(&mem, m);
}
