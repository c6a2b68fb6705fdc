/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "trace/merge_state.h"

/* For the largest team, so that a merge that was made cannot run out of memory. */
static pluss_status make_lanes(plussi_merge *m, uint32_t n)
{
    enum { AHEAD_LEAST = 16, AHEAD_MOST = 256, AHEAD_ALL = 1 << 16 };
    uint32_t room = AHEAD_ALL / n;
    m->room = room < AHEAD_LEAST ? AHEAD_LEAST : room > AHEAD_MOST ? AHEAD_MOST : room;
    m->lane = plussi_calloc(&m->mem, n, sizeof *m->lane);
    m->ahead = plussi_alloc(&m->mem, (size_t)n * m->room, sizeof *m->ahead);
    if (!m->lane || !m->ahead)
        return PLUSS_ENOMEM;
    return m->kind == PLUSSI_INTERLEAVE_SPEEDS ? plussi_merge_speeds_new(m, n) : PLUSS_OK;
}

static void begin_phase(plussi_merge *m)
{
    uint32_t team = plussi_walk_team(m->walk);
    for (uint32_t k = 0; k < team; k++)
        m->lane[k] = (merge_lane){.thread = k};
    m->n_lanes = team;
    m->n_cores = team < m->cores ? team : m->cores;
    for (uint32_t c = 0; c < m->n_cores; c++)
        m->core[c] = (merge_core){c, c, (uint64_t)m->param};
    m->turn = 0;
    m->burst = 0;
    if (m->kind == PLUSSI_INTERLEAVE_SPEEDS)
        plussi_merge_speeds_begin(m, team);
    if (m->kind == PLUSSI_INTERLEAVE_RECORDED)
        plussi_merge_recorded_begin(m, team);
}

bool plussi_lane_refill(plussi_merge *m, merge_lane *l)
{
    l->at = 0;
    l->n = (uint32_t)plussi_walk_fill(m->walk, l->thread, m->ahead + (size_t)l->thread * m->room,
                                      m->room);
    return l->n > 0;
}

/* The order of the others is kept where it matters. */
void plussi_lane_remove(plussi_merge *m, uint32_t i)
{
    m->n_lanes--;
    if (m->kind == PLUSSI_INTERLEAVE_ROUND_ROBIN)
        memmove(m->lane + i, m->lane + i + 1, (m->n_lanes - i) * sizeof *m->lane);
    else
        m->lane[i] = m->lane[m->n_lanes];
    if (m->kind == PLUSSI_INTERLEAVE_SPEEDS)
        plussi_merge_speeds_look(m);
}

/* ---- orders ------------------------------------------------------------------------------------
 */

/* One lane is left: what was fetched, then straight from the walk. */
static size_t last_lane(plussi_merge *m, plussi_access *buf, size_t cap)
{
    merge_lane *l = &m->lane[0];
    size_t n = l->n - l->at;
    if (n > 0) {
        n = n < cap ? n : cap;
        memcpy(buf, plussi_lane_ahead(m, l), n * sizeof *buf);
        l->at += (uint32_t)n;
        return n;
    }
    n = plussi_walk_fill(m->walk, l->thread, buf, cap);
    if (n == 0)
        m->n_lanes = 0;
    return n;
}

static inline uint32_t draw_lane(plussi_merge *m)
{
    if (m->kind == PLUSSI_INTERLEAVE_SPEEDS)
        return plussi_merge_speeds_next(m);
    return (uint32_t)plussi_rng_below(&m->rng, m->n_lanes);
}

static size_t drawn(plussi_merge *m, plussi_access *buf, size_t cap)
{
    size_t n = 0;
    while (n < cap && m->n_lanes > 1) {
        uint32_t i = draw_lane(m);
        merge_lane *l = &m->lane[i];
        if (l->at == l->n && !plussi_lane_refill(m, l)) {
            plussi_lane_remove(m, i);
            continue;
        }
        buf[n++] = m->ahead[(size_t)l->thread * m->room + l->at++];
    }
    return n;
}

/* Geometric on 1, 2, ... of mean q, by inversion. */
static uint64_t draw_burst(plussi_merge *m)
{
    if (m->param <= 1)
        return 1;
    double u = 1 - plussi_rng_unit(&m->rng);
    double k = 1 + floor(log(u) / log1p(-1 / m->param));
    return k < 1e18 ? (uint64_t)k : (uint64_t)1e18;
}

static size_t bursts(plussi_merge *m, plussi_access *buf, size_t cap)
{
    size_t n = 0;
    while (n < cap && m->n_lanes > 1) {
        if (m->burst == 0) {
            m->turn = (uint32_t)plussi_rng_below(&m->rng, m->n_lanes);
            m->burst = draw_burst(m);
        }
        merge_lane *l = &m->lane[m->turn];
        if (l->at == l->n && !plussi_lane_refill(m, l)) {
            plussi_lane_remove(m, m->turn);
            m->burst = 0;
            continue;
        }
        size_t run = l->n - l->at;
        run = run < m->burst ? run : (size_t)m->burst;
        run = run < cap - n ? run : cap - n;
        memcpy(buf + n, plussi_lane_ahead(m, l), run * sizeof *buf);
        l->at += (uint32_t)run;
        m->burst -= run;
        n += run;
    }
    return n;
}

static size_t in_turn(plussi_merge *m, plussi_access *buf, size_t cap)
{
    size_t n = 0;
    while (n < cap && m->n_lanes > 1) {
        if (m->turn >= m->n_lanes)
            m->turn = 0;
        merge_lane *l = &m->lane[m->turn];
        if (l->at == l->n && !plussi_lane_refill(m, l)) {
            plussi_lane_remove(m, m->turn);
            continue;
        }
        buf[n++] = m->ahead[(size_t)l->thread * m->room + l->at++];
        m->turn++;
    }
    return n;
}

static size_t sequential(plussi_merge *m, plussi_access *buf, size_t cap)
{
    while (m->turn < m->n_lanes) {
        size_t n = plussi_walk_fill(m->walk, m->turn, buf, cap);
        if (n > 0)
            return n;
        m->turn++;
    }
    m->n_lanes = 0;
    return 0;
}

/* The core's next thread that does not wait; false: all do. */
static bool next_turn(plussi_merge *m, merge_core *c)
{
    uint32_t team = plussi_walk_team(m->walk), first = c->thread;
    do {
        c->thread = m->cores < team - c->thread ? c->thread + m->cores : c->number;
        c->left = (uint64_t)m->param;
    } while (m->lane[c->thread].waits && c->thread != first);
    return !m->lane[c->thread].waits;
}

static size_t slices(plussi_merge *m, plussi_access *buf, size_t cap)
{
    size_t n = 0;
    while (n < cap && m->n_cores > 0) {
        uint32_t i = m->n_cores > 1 ? (uint32_t)plussi_rng_below(&m->rng, m->n_cores) : 0;
        merge_core *c = &m->core[i];
        if (c->left == 0)
            (void)next_turn(m, c);
        merge_lane *l = &m->lane[c->thread];
        while (l->at == l->n && !plussi_lane_refill(m, l)) {
            l->waits = true;
            if (!next_turn(m, c))
                break;
            l = &m->lane[c->thread];
        }
        if (l->waits) {
            m->core[i] = m->core[--m->n_cores];
            continue;
        }
        buf[n++] = m->ahead[(size_t)l->thread * m->room + l->at++];
        c->left--;
    }
    if (n == 0)
        m->n_lanes = 0;
    return n;
}

/* Accesses of the present phase; 0: it is over. */
static size_t next_in_phase(plussi_merge *m, plussi_access *buf, size_t cap)
{
    size_t n = 0;
    while (n == 0 && m->n_lanes > 0) {
        if (m->kind == PLUSSI_INTERLEAVE_SEQUENTIAL)
            n = sequential(m, buf, cap);
        else if (m->kind == PLUSSI_INTERLEAVE_SLICES)
            n = slices(m, buf, cap);
        else if (m->kind == PLUSSI_INTERLEAVE_RECORDED && m->n_lanes > 1)
            n = plussi_merge_recorded(m, buf, cap);
        else if (m->n_lanes == 1)
            n = last_lane(m, buf, cap);
        else if (m->kind == PLUSSI_INTERLEAVE_ROUND_ROBIN)
            n = in_turn(m, buf, cap);
        else if (m->kind == PLUSSI_INTERLEAVE_BURST)
            n = bursts(m, buf, cap);
        else
            n = drawn(m, buf, cap);
    }
    return n;
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

static pluss_status next(plussi_trace *trace, plussi_access *buf, size_t cap, size_t *n)
{
    plussi_merge *m = (plussi_merge *)trace;
    *n = plussi_merge_next(m, buf, cap);
    return *n ? PLUSS_OK : plussi_walk_status(m->walk);
}

plussi_trace *plussi_merge_trace(plussi_merge *m)
{
    return &m->trace;
}

static pluss_status make(plussi_ctx *ctx, plussi_walk *walk, const plussi_merge *as, uint64_t seed,
                         plussi_merge **out)
{
    plussi_merge *m = plussi_calloc(&ctx->mem, 1, sizeof *m);
    if (!m)
        return PLUSS_ENOMEM;
    *m = *as;
    m->trace.next = next;
    m->mem = ctx->mem;
    m->walk = walk;
    m->seed = seed;
    plussi_rng_seed(&m->rng, seed, 0);
    pluss_status status = make_lanes(m, walk->bound->max_team);
    if (!status && m->cores && !(m->core = plussi_calloc(&m->mem, m->cores, sizeof *m->core)))
        status = PLUSS_ENOMEM;
    if (status) {
        plussi_merge_free(m);
        return status;
    }
    *out = m;
    return PLUSS_OK;
}

pluss_status plussi_merge_new(plussi_ctx *ctx, plussi_walk *walk, plussi_interleave kind,
                              double param, uint64_t seed, plussi_merge **out)
{
    if (kind == PLUSSI_INTERLEAVE_SLICES)
        return plussi_merge_new_slices(ctx, walk, param, 1, seed, out);
    if (kind == PLUSSI_INTERLEAVE_SPEEDS)
        return plussi_merge_new_speeds(ctx, walk, &(plussi_speeds){.sigma = param}, seed, out);
    if (kind == PLUSSI_INTERLEAVE_RECORDED)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "there is no recorded progress");
    if (kind == PLUSSI_INTERLEAVE_BURST && !(param >= 1 && param <= 1e15))
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "bursts must have a mean of at least 1 access");
    return make(ctx, walk, &(plussi_merge){.kind = kind, .param = param}, seed, out);
}

pluss_status plussi_merge_new_slices(plussi_ctx *ctx, plussi_walk *walk, double q, uint32_t cores,
                                     uint64_t seed, plussi_merge **out)
{
    if (cores < 1 || !(q >= 1 && q <= 1e15))
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "slices need at least one core and a length of at least 1 access");
    uint32_t team = walk->bound->max_team;
    plussi_merge as = {
        .kind = PLUSSI_INTERLEAVE_SLICES, .param = q, .cores = cores < team ? cores : team};
    return make(ctx, walk, &as, seed, out);
}

pluss_status plussi_merge_new_speeds(plussi_ctx *ctx, plussi_walk *walk,
                                     const plussi_speeds *speeds, uint64_t seed, plussi_merge **out)
{
    pluss_status status = plussi_speeds_check(ctx, speeds);
    if (status)
        return status;
    plussi_merge as = {.kind = PLUSSI_INTERLEAVE_SPEEDS, .speeds = *speeds};
    return make(ctx, walk, &as, seed, out);
}

pluss_status plussi_merge_new_recorded(plussi_ctx *ctx, plussi_walk *walk,
                                       const plussi_timeline *timeline, plussi_merge **out)
{
    if (timeline->n_phases == 0)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "the recorded progress has no phases");
    return make(ctx, walk,
                &(plussi_merge){.kind = PLUSSI_INTERLEAVE_RECORDED, .timeline = timeline}, 0, out);
}

void plussi_merge_free(plussi_merge *m)
{
    if (!m)
        return;
    plussi_mem mem = m->mem;
    plussi_free(&mem, m->lane);
    plussi_free(&mem, m->ahead);
    plussi_free(&mem, m->weight);
    plussi_free(&mem, m->stalls);
    plussi_free(&mem, m->core);
    plussi_free(&mem, m);
}
