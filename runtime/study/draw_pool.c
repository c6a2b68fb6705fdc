/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Timelines, with chunks, of a nest whose parallel loops a pool of threads shares out by stealing.
 * The work of each iteration is that of the nest bound with one thread.
 */
#include <string.h>

#include "bound/cexpr.h"
#include "study/stage.h"
#include "team/stealing_pool.h"
#include "trace/counted.h"
#include "trace/timeline_phases.h"

/* Iterations of one loop's execution. */
typedef struct loop_work {
    const plussi_counted_run *run;
    size_t n;
} loop_work;

static double count_work(void *user, uint64_t lo, uint64_t hi)
{
    const loop_work *w = user;
    double sum = 0;
    for (size_t i = 0; i < w->n; i++) {
        uint64_t from = w->run[i].first > lo ? w->run[i].first : lo;
        uint64_t end = w->run[i].first + w->run[i].n, to = end < hi ? end : hi;
        sum += from < to ? (double)(to - from) * w->run[i].each : 0;
    }
    return sum;
}

typedef struct draw {
    plussi_ctx *ctx;
    const plussi_bound *bound;
    plussi_pool pool;
    uint32_t team;
    uint64_t seed;
    plussi_arena *arena;
    plussi_phases phases;
    plussi_chunk *chunk;
    size_t n_chunks, cap;
} draw;

/* A limit of a schedule; 0: none. */
static pluss_status limit_of(const draw *d, const plussi_cexpr *limit, uint64_t *out)
{
    *out = 0;
    if (limit && !plussi_cexpr_is_const(limit))
        return plussi_fail(d->ctx, PLUSS_EUNSUPPORTED, NULL,
                           "progress pool of a loop whose pieces are limited by a variable");
    if (limit && limit->c > 0)
        *out = (uint64_t)limit->c;
    return PLUSS_OK;
}

/* The pieces of one thread. */
static pluss_status add_pieces(draw *d, const plussi_itersets *sets, uint32_t thread,
                               const plussi_counted_run *run, plussi_timeline_thread *out)
{
    const plussi_iterset *set = &sets->set[thread];
    size_t first = (size_t)(set->segment - sets->segment);
    const uint64_t *accesses = sets->accesses + (set->before - sets->before);
    if (accesses[set->n_segments] > 0) {
        out->point = plussi_arena_alloc(d->arena, 2 * set->n_segments, sizeof *out->point);
        if (!out->point)
            return PLUSS_ENOMEM;
    }
    for (size_t i = 0; i < set->n_segments; i++) {
        plussi_chunk chunk = {.loop = run->loop,
                              .thread = thread,
                              .time = run->execution,
                              .lo = set->segment[i].lo,
                              .hi = set->segment[i].hi};
        pluss_status status =
            plussi_grow(&d->ctx->mem, &d->chunk, &d->cap, d->n_chunks, sizeof *d->chunk);
        if (status)
            return status;
        d->chunk[d->n_chunks++] = chunk;
        if (!out->point)
            continue;
        out->point[out->n++] =
            (plussi_timeline_point){sets->chunk_begin[first + i], (double)accesses[i]};
        out->point[out->n++] =
            (plussi_timeline_point){sets->chunk_end[first + i], (double)accesses[i + 1]};
    }
    return PLUSS_OK;
}

static pluss_status draw_loop(draw *d, const plussi_counted_run *run, size_t n, double accesses,
                              plussi_timeline_phase *phase)
{
    const plussi_bound_node *node = d->bound->loop[run->loop];
    plussi_pool_loop loop = {.n = run[n - 1].first + run[n - 1].n};
    loop_work work = {run, n};
    plussi_itersets sets = {.mem = d->ctx->mem};
    bool alone = count_work(&work, 0, loop.n) == accesses;
    for (size_t i = 0; i < n; i++)
        alone = alone && run[i].loop == run->loop && run[i].execution == run->execution;
    if (!alone)
        return plussi_fail(d->ctx, PLUSS_EUNSUPPORTED, &node->decl->loc,
                           "progress 'pool' is of loops that are alone between two barriers");
    pluss_status status = limit_of(d, node->u.loop.schedule.chunk, &loop.least);
    if (!status)
        status = limit_of(d, node->u.loop.schedule.chunk2, &loop.most);
    uint64_t state = d->seed ^ d->phases.n;
    if (!status)
        status = plussi_simulate_pool(d->ctx, &loop, d->team, &d->pool, count_work, &work,
                                      plussi_splitmix64(&state), &sets);
    *phase = (plussi_timeline_phase){.team = d->team, .loop = run->loop};
    phase->thread = plussi_arena_alloc(d->arena, d->team, sizeof *phase->thread);
    status = status || phase->thread ? status : PLUSS_ENOMEM;
    for (uint32_t t = 0; t < d->team && !status; t++)
        status = add_pieces(d, &sets, t, run, &phase->thread[t]);
    plussi_itersets_free(&sets);
    return status;
}

static pluss_status draw_serial(draw *d, double accesses, plussi_timeline_phase *phase)
{
    plussi_timeline_point *point = plussi_arena_alloc(d->arena, 2, sizeof *point);
    *phase = (plussi_timeline_phase){.team = 1, .loop = PLUSSI_TIMELINE_NO_LOOP};
    phase->thread = plussi_arena_alloc(d->arena, 1, sizeof *phase->thread);
    if (!point || !phase->thread)
        return PLUSS_ENOMEM;
    point[1] = (plussi_timeline_point){accesses * d->pool.access, accesses};
    phase->thread[0] = (plussi_timeline_thread){2, point};
    return PLUSS_OK;
}

static pluss_status draw_phases(draw *d)
{
    plussi_counted *counted = NULL;
    bool more = true;
    pluss_status status = plussi_counted_new(d->ctx, d->bound, d->seed, &counted);
    while (!status && more) {
        plussi_timeline_phase phase;
        size_t n;
        double accesses;
        status = plussi_counted_next(counted, &more);
        if (status || !more)
            break;
        const plussi_counted_run *run = plussi_counted_runs(counted, 0, &n, &accesses);
        status = n ? draw_loop(d, run, n, accesses, &phase) : draw_serial(d, accesses, &phase);
        if (!status)
            status = plussi_phases_add(&d->phases, &phase);
    }
    plussi_counted_free(counted);
    return status;
}

pluss_status plussi_pipeline_draw_pool(plussi_ctx *ctx, const plussi_nest *nest,
                                       const plussi_request *request, uint32_t team,
                                       plussi_timelines **out)
{
    plussi_bound *bound = NULL;
    plussi_timelines *timelines = NULL;
    pluss_status status = plussi_pipeline_bind(ctx, nest, request, 1, &bound);
    if (!status)
        status = plussi_pool_check(ctx, bound);
    if (!status)
        status = plussi_timelines_new(ctx, 1, &timelines);
    draw d = {.ctx = ctx, .bound = bound, .team = team, .seed = request->seed};
    d.phases.mem = &ctx->mem;
    d.pool = plussi_pool_of(&request->progress);
    if (!status) {
        d.arena = &timelines->arena;
        status = draw_phases(&d);
    }
    if (!status)
        status = plussi_phases_keep(&d.phases, d.arena, &timelines->run[0]);
    if (!status) {
        plussi_timeline *run = &timelines->run[0];
        run->n_chunks = d.n_chunks;
        run->chunk = plussi_arena_alloc(d.arena, d.n_chunks + 1, sizeof *run->chunk);
        if (run->chunk && d.n_chunks)
            memcpy(run->chunk, d.chunk, d.n_chunks * sizeof *run->chunk);
        status = run->chunk ? PLUSS_OK : PLUSS_ENOMEM;
    }
    plussi_free(&ctx->mem, d.phases.phase);
    plussi_free(&ctx->mem, d.chunk);
    if (bound)
        plussi_bound_free(bound);
    if (status) {
        plussi_timelines_free(timelines);
        return status;
    }
    timelines->n = 1;
    *out = timelines;
    return PLUSS_OK;
}
