/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/state.h"

#include <string.h>

/* ---- threads -----------------------------------------------------------------------------------
 */

static bool make_threads(plussi_walk *w, uint32_t n)
{
    if (n <= w->n_threads)
        return true;
    const plussi_mem *mem = &w->ctx->mem;
    size_t flat = w->program.most_flat, levels = w->program.most_levels;
    walk_thread *thread = plussi_realloc(mem, w->thread, n, sizeof *thread);
    if (thread)
        w->thread = thread;
    flat_access *flats = thread ? plussi_realloc(mem, w->flat, n * flat, sizeof *flats) : NULL;
    if (flats)
        w->flat = flats;
    walk_level *level = flats ? plussi_realloc(mem, w->level, n * levels, sizeof *level) : NULL;
    if (!level) {
        plussi_walk_fail(w, NULL, PLUSS_ENOMEM, NULL);
        return false;
    }
    w->level = level;
    for (uint32_t k = 0; k < n; k++) {
        if (k >= w->n_threads)
            w->thread[k] = (walk_thread){.number = k};
        w->thread[k].flat = w->flat + k * flat;
        w->thread[k].level = w->level + k * levels;
    }
    w->n_threads = n;
    return true;
}

/* Threads start where the region does, and go on after a barrier only when they are next called. */
static void catch_up(plussi_walk *w, walk_thread *t)
{
    if (t->seen == w->epoch)
        return;
    if (t->seen < w->fork_epoch) {
        const step *fork = &w->program.step[w->serial.step];
        memcpy(t->iv, w->serial.iv, (fork->node->depth + 1) * sizeof *t->iv);
        t->iv[0] = t->number;
        t->step = w->serial.step + 1;
        t->entry = 0;
        t->inside = t->joined = t->waits = false;
    } else if (t->waits && !t->joined) {
        t->step++;
        t->waits = false;
    }
    t->n_encounters = 0;
    t->seen = w->epoch;
}

static walk_stop run_thread(plussi_walk *w, walk_thread *t, plussi_access *buf, size_t cap,
                            size_t *n)
{
    *n = 0;
    catch_up(w, t);
    if (t->waits)
        return STOP_WAIT;
    walk_stop stop = plussi_walk_run(w, t, buf, cap, n);
    if (stop == STOP_WAIT) {
        t->waits = true;
        t->joined = w->program.step[t->step].kind == STEP_JOIN;
        w->n_waiting++;
        w->n_joined += t->joined;
    }
    return stop;
}

/* ---- phases ------------------------------------------------------------------------------------
 */

/* Number of threads that can have something to do in a region that is a single worksharing loop, so
 * that a small loop does not visit each of many threads. */
static bool count_active(plussi_walk *w, const step *fork)
{
    w->active = w->team;
    if (w->program.step[w->serial.step + 1].kind == STEP_JOIN)
        w->active = 0;
    if (fork->first == 0 || w->watch) /* a watch has to see all threads */
        return true;
    const step *set = &w->program.step[fork->first];
    const plussi_bound_schedule *schedule = &set->node->u.loop.schedule;
    walk_thread *t = &w->thread[0];
    uint64_t n;
    catch_up(w, t);
    if (!plussi_rows_begin(w, t, set, &n))
        return false;
    if (schedule->kind != PLUSSI_SCHED_STATIC) {
        w->active = n ? w->team : 0;
        return true;
    }
    bool fault = false;
    int64_t chunk = schedule->chunk ? plussi_cexpr_eval(schedule->chunk, t->iv, &fault) : 1;
    if (fault || chunk < 1) /* reported when the loop begins */
        return true;
    uint64_t chunks = n / (uint64_t)chunk + (n % (uint64_t)chunk != 0);
    if (chunks < w->active)
        w->active = (uint32_t)chunks;
    return true;
}

static bool fork_team(plussi_walk *w)
{
    const step *fork = &w->program.step[w->serial.step];
    w->team = plussi_bparallel_team(w->bound, fork->node, w->serial.iv);
    if (!make_threads(w, w->team))
        return false;
    w->parallel = true;
    w->instance++;
    w->fork_epoch = ++w->epoch;
    if (!count_active(w, fork))
        return false;
    w->n_waiting = w->n_joined = w->team - w->active;
    return true;
}

/* All threads wait: passes the barrier. */
static void release_threads(plussi_walk *w)
{
    plussi_pool_clear(w);
    if (w->n_joined == w->team) {
        w->parallel = false;
        w->serial.step = w->program.step[w->serial.step].target;
        return;
    }
    w->epoch++;
    w->n_waiting = w->n_joined;
}

/* Whether a thread of the new phase has something to do; the earlier ones wait. */
static bool team_has_work(plussi_walk *w)
{
    plussi_access none[1];
    for (uint32_t k = 0; k < w->active; k++) {
        size_t n;
        walk_stop stop = run_thread(w, &w->thread[k], none, 0, &n);
        if (stop == STOP_FULL || stop == STOP_CLAIM)
            return true;
        if (stop == STOP_FAIL)
            return false;
    }
    return false;
}

/* From the barrier to the next phase with accesses. */
static bool advance_phase(plussi_walk *w)
{
    plussi_access none[1];
    size_t n = 0;
    while (!w->status) {
        if (w->parallel)
            release_threads(w);
        if (!w->parallel) {
            walk_stop stop = plussi_walk_run(w, &w->serial, none, 0, &n);
            if (stop == STOP_FULL)
                return true;
            if (stop == STOP_END)
                w->ended = true;
            if (stop != STOP_FORK || !fork_team(w))
                return false;
        }
        if (team_has_work(w))
            return true;
    }
    return false;
}

/* Skips what the threads have left in the current phase. */
static void pass_over(plussi_walk *w)
{
    enum { ROOM = 64 };
    plussi_access unread[ROOM];
    for (uint32_t k = 0; k < plussi_walk_team(w); k++)
        while (plussi_walk_fill(w, k, unread, ROOM) > 0)
            ;
}

/* ---- the interface -----------------------------------------------------------------------------
 */

size_t plussi_walk_fill(plussi_walk *w, uint32_t thread, plussi_access *buf, size_t cap)
{
    size_t n = 0;
    w->fresh = false;
    if (w->status || w->ended || cap == 0 || thread >= plussi_walk_team(w))
        return 0;
    if (w->parallel)
        run_thread(w, &w->thread[thread], buf, cap, &n);
    else
        plussi_walk_run(w, &w->serial, buf, cap, &n);
    return w->status ? 0 : n;
}

bool plussi_walk_next_phase(plussi_walk *w)
{
    if (w->fresh && !w->ended && !w->status) {
        w->fresh = false;
        return true;
    }
    if (w->ended || w->status)
        return false;
    if (!w->parallel || w->n_waiting < w->team)
        pass_over(w);
    if (w->status || !advance_phase(w))
        return false;
    w->phase++;
    return true;
}

uint32_t plussi_walk_team(const plussi_walk *w)
{
    return w->ended ? 0 : w->parallel ? w->active : 1;
}

pluss_status plussi_walk_status(const plussi_walk *w)
{
    return w->status;
}

uint64_t plussi_walk_phase(const plussi_walk *w)
{
    return w->phase;
}

uint64_t plussi_walk_instance(const plussi_walk *w)
{
    return w->instance;
}

static pluss_status take_record(plussi_walk *w)
{
    const plussi_bound *bound = w->bound;
    if (bound->n_chunks == 0)
        return PLUSS_OK;
    w->times = plussi_calloc(&w->ctx->mem, bound->n_loops, sizeof *w->times);
    if (!w->times)
        return PLUSS_ENOMEM;
    return plussi_replay_new(w->ctx, bound->chunk, bound->n_chunks, &w->replay);
}

static pluss_status start_walk(plussi_walk *w)
{
    const plussi_mem *mem = &w->ctx->mem;
    pluss_status status = plussi_program_build(w->ctx, w->bound, &w->program);
    if (!status)
        status = plussi_work_prepare(w);
    if (!status)
        status = take_record(w);
    if (status)
        return status;
    w->base = plussi_calloc(mem, w->bound->n_arrays + 1, sizeof *w->base);
    w->serial.flat = plussi_calloc(mem, w->program.most_flat + 1, sizeof *w->serial.flat);
    if (!w->base || !w->serial.flat)
        return PLUSS_ENOMEM;
    for (uint32_t id = 0; id < w->bound->n_arrays; id++)
        w->base[id] = w->bound->array[id].base;
    while (UINT32_C(1) << w->line_shift < w->bound->line_bytes)
        w->line_shift++;
    plussi_program_weigh(w->bound, &w->program);
    w->fresh = true;
    advance_phase(w);
    return w->status;
}

static pluss_status make_walk(plussi_ctx *ctx, const plussi_bound *bound, uint64_t seed,
                              plussi_effort *effort, const plussi_walk_watch *watch,
                              plussi_walk **out)
{
    plussi_walk *w = plussi_calloc(&ctx->mem, 1, sizeof *w);
    if (!w)
        return PLUSS_ENOMEM;
    w->ctx = ctx;
    w->effort = effort ? effort : plussi_effort_of(ctx);
    w->bound = bound;
    w->seed = seed;
    w->watch = watch;
    pluss_status status = start_walk(w);
    if (status) {
        plussi_walk_free(w);
        return status;
    }
    *out = w;
    return PLUSS_OK;
}

pluss_status plussi_walk_new(plussi_ctx *ctx, const plussi_bound *bound, uint64_t seed,
                             plussi_walk **out)
{
    return make_walk(ctx, bound, seed, NULL, NULL, out);
}

pluss_status plussi_walk_new_bounded(plussi_ctx *ctx, const plussi_bound *bound, uint64_t seed,
                                     plussi_effort *effort, plussi_walk **out)
{
    return make_walk(ctx, bound, seed, effort, NULL, out);
}

pluss_status plussi_walk_new_counting(plussi_ctx *ctx, const plussi_bound *bound, uint64_t seed,
                                      const plussi_walk_watch *watch, plussi_walk **out)
{
    return make_walk(ctx, bound, seed, NULL, watch, out);
}

void plussi_walk_give_addresses(plussi_walk *walk)
{
    walk->line_shift = 0;
}

void plussi_walk_free(plussi_walk *w)
{
    if (!w)
        return;
    plussi_mem mem = w->ctx->mem;
    plussi_pool_clear(w);
    plussi_program_free(&w->program);
    plussi_free(&mem, w->pool);
    plussi_free(&mem, w->count_slots);
    plussi_free(&mem, w->times);
    plussi_replay_free(w->replay);
    plussi_free(&mem, w->base);
    plussi_free(&mem, w->serial.flat);
    plussi_free(&mem, w->thread);
    plussi_free(&mem, w->flat);
    plussi_free(&mem, w->level);
    plussi_free(&mem, w);
}
