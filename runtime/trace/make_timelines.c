/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/make_timelines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/counted.h"
#include "trace/timeline_phases.h"

/* Points of one thread in one phase, while they are collected. */
typedef struct points {
    const plussi_mem *mem;
    plussi_timeline_point *point;
    size_t n, cap;
    bool failed;
} points;

static void add_point(points *p, double time, double done)
{
    if (plussi_grow(p->mem, &p->point, &p->cap, p->n, sizeof *p->point)) {
        p->failed = true;
        return;
    }
    if (p->n && p->point[p->n - 1].time == time && p->point[p->n - 1].done == done)
        return;
    p->point[p->n++] = (plussi_timeline_point){time, done};
}

/* State of joining one run. */
typedef struct joining {
    plussi_ctx *ctx;
    const plussi_timed_run *stamps;
    plussi_counted *counted;
    size_t *cursor; /* by thread: stamps before this index belong to earlier phases */
    points points;
    plussi_arena *arena;
    plussi_phases *phases;
} joining;

static pluss_status fail_mismatch(const joining *j, uint32_t thread, const plussi_counted_run *run)
{
    return plussi_fail(j->ctx, PLUSS_EINVALID, NULL,
                       "the stamps do not fit this nest: thread %u has none of loop %u, "
                       "execution %u",
                       thread, run->loop, run->execution);
}

/* The LOOP stamp of an execution, from the thread's cursor on; n: none. */
static size_t find_loop(const plussi_timed_thread *t, size_t from, const plussi_counted_run *run)
{
    while (from < t->n &&
           (t->stamp[from].kind != PLUSSI_STAMP_LOOP || t->stamp[from].loop != run->loop ||
            t->stamp[from].execution != run->execution))
        from++;
    return from;
}

/* Accesses before iteration i of the iteration set; *at: a run of this execution, which only
 * ascends. */
static double done_before(const plussi_counted_run *run, size_t end, size_t *at, uint64_t i)
{
    while (*at + 1 < end && run[*at].first + run[*at].n <= i)
        ++*at;
    const plussi_counted_run *r = &run[*at];
    if (i <= r->first)
        return r->done;
    return r->done + (double)(i - r->first < r->n ? i - r->first : r->n) * r->each;
}

/* Joins the stamps from LOOP at `at` to DONE; the execution's runs are [a, b). */
static size_t add_loop(joining *j, const plussi_timed_thread *t, size_t at,
                       const plussi_counted_run *run, size_t a, size_t b)
{
    const plussi_stamp *s = &t->stamp[at];
    size_t cursor = a;
    add_point(&j->points, s->time, run[a].done);
    for (at++; at < t->n && t->stamp[at].kind == PLUSSI_STAMP_ITER; at++)
        add_point(&j->points, t->stamp[at].time,
                  done_before(run, b, &cursor, t->stamp[at].begun - 1));
    if (at < t->n && t->stamp[at].kind == PLUSSI_STAMP_DONE)
        add_point(&j->points, t->stamp[at++].time,
                  run[b - 1].done + (double)run[b - 1].n * run[b - 1].each);
    return at;
}

static bool is_edge(const plussi_stamp *s, bool begins)
{
    return begins ? s->kind == PLUSSI_STAMP_BEGIN || s->kind == PLUSSI_STAMP_GO
                  : s->kind == PLUSSI_STAMP_BARRIER || s->kind == PLUSSI_STAMP_END;
}

/* Joins one thread in the current phase; *begin: start of the phase. */
static pluss_status join_thread(joining *j, uint32_t k, double *begin)
{
    const plussi_timed_thread *t = &j->stamps->thread[k];
    size_t n, at = j->cursor[k];
    double accesses;
    const plussi_counted_run *run = plussi_counted_runs(j->counted, k, &n, &accesses);
    j->points.n = 0;
    for (size_t a = 0, b; a < n; a = b) {
        for (b = a + 1;
             b < n && run[b].loop == run[a].loop && run[b].execution == run[a].execution;)
            b++;
        size_t loop = find_loop(t, at, &run[a]);
        if (loop == t->n)
            return fail_mismatch(j, k, &run[a]);
        if (a == 0) {
            size_t edge = loop;
            while (edge > j->cursor[k] && !is_edge(&t->stamp[edge - 1], true))
                edge--;
            *begin = t->stamp[edge > j->cursor[k] ? edge - 1 : loop].time;
            add_point(&j->points, *begin, 0);
        }
        at = add_loop(j, t, loop, run, a, b);
    }
    if (n == 0)
        return PLUSS_OK;
    if (j->points.failed)
        return PLUSS_ENOMEM;
    const plussi_timeline_point *last = &j->points.point[j->points.n - 1];
    if (last->done < accesses) { /* code after the last loop */
        size_t edge = at;
        while (edge < t->n && !is_edge(&t->stamp[edge], false))
            edge++;
        add_point(&j->points, edge < t->n ? t->stamp[edge].time : last->time, accesses);
    }
    j->cursor[k] = at;
    return j->points.failed ? PLUSS_ENOMEM : PLUSS_OK;
}

/* Makes times relative to the start of the phase's first thread. */
static void shift_phase(plussi_timeline_phase *phase, double begin)
{
    for (uint32_t k = 0; k < phase->team; k++)
        for (size_t i = 0; i < phase->thread[k].n; i++)
            phase->thread[k].point[i].time -= begin;
}

static pluss_status join_phase(joining *j)
{
    plussi_timeline_phase phase = {.team = plussi_counted_team(j->counted),
                                   .loop = plussi_counted_loop(j->counted)};
    double first = INFINITY;
    phase.thread = plussi_arena_alloc(j->arena, phase.team, sizeof *phase.thread);
    pluss_status status = phase.thread ? PLUSS_OK : PLUSS_ENOMEM;
    for (uint32_t k = 0; k < phase.team && !status; k++) {
        double begin = INFINITY;
        status = join_thread(j, k, &begin);
        first = begin < first ? begin : first;
        if (status || j->points.n == 0)
            continue;
        size_t bytes = j->points.n * sizeof(plussi_timeline_point);
        phase.thread[k].n = j->points.n;
        phase.thread[k].point =
            plussi_arena_alloc(j->arena, j->points.n, sizeof(plussi_timeline_point));
        if (!phase.thread[k].point)
            return PLUSS_ENOMEM;
        memcpy(phase.thread[k].point, j->points.point, bytes);
    }
    if (status)
        return status;
    shift_phase(&phase, first < INFINITY ? first : 0);
    return plussi_phases_add(j->phases, &phase);
}

/* Appends the run's phases. */
static pluss_status join_run(plussi_ctx *ctx, const plussi_bound *bound,
                             const plussi_timed_run *stamps, plussi_arena *arena,
                             plussi_phases *phases)
{
    joining j = {
        .ctx = ctx, .stamps = stamps, .arena = arena, .phases = phases, .points.mem = &ctx->mem};
    bool more = true;
    if (bound->max_team > stamps->team)
        return plussi_fail(ctx, PLUSS_EINVALID, NULL,
                           "the stamps do not fit this nest: it has a team of %u threads, "
                           "they are of %u",
                           bound->max_team, stamps->team);
    j.cursor = plussi_calloc(&ctx->mem, stamps->team, sizeof *j.cursor);
    pluss_status status = j.cursor ? PLUSS_OK : PLUSS_ENOMEM;
    if (!status)
        status = plussi_counted_new(ctx, bound, 0, &j.counted);
    while (!status && more) {
        status = plussi_counted_next(j.counted, &more);
        if (!status && more)
            status = join_phase(&j);
    }
    plussi_counted_free(j.counted);
    plussi_free(&ctx->mem, j.points.point);
    plussi_free(&ctx->mem, j.cursor);
    return status;
}

/* ---- runs --------------------------------------------------------------------------------------
 */

static pluss_status bind_run(plussi_ctx *ctx, const plussi_record *record, const plussi_nest *nest,
                             const plussi_timed_run *run, plussi_bound **out)
{
    uint32_t team =
        run->block < record->n_blocks ? record->block[run->block].default_team : run->team;
    plussi_bind_options options = {.team = team,
                                   .line_bytes = record->line_bytes,
                                   .recorded = run->chunk,
                                   .n_recorded = run->n_chunks};
    return plussi_bind(ctx, nest, &options, out);
}

static pluss_status keep_chunks(plussi_arena *arena, const plussi_timed_run *run,
                                plussi_timeline *timeline)
{
    if (run->n_chunks == 0)
        return PLUSS_OK;
    timeline->chunk = plussi_arena_alloc(arena, run->n_chunks, sizeof *timeline->chunk);
    if (!timeline->chunk)
        return PLUSS_ENOMEM;
    memcpy(timeline->chunk, run->chunk, run->n_chunks * sizeof *timeline->chunk);
    timeline->n_chunks = run->n_chunks;
    return PLUSS_OK;
}

static pluss_status add_run(plussi_ctx *ctx, const plussi_record *record, const plussi_nest *nest,
                            const plussi_timed_run *run, plussi_timelines *timelines)
{
    plussi_bound *bound = NULL;
    plussi_timeline *timeline = &timelines->run[timelines->n];
    plussi_phases phases = {.mem = &ctx->mem};
    pluss_status status = bind_run(ctx, record, nest, run, &bound);
    if (!status)
        status = join_run(ctx, bound, run, &timelines->arena, &phases);
    if (!status)
        status = plussi_phases_keep(&phases, &timelines->arena, timeline);
    plussi_free(&ctx->mem, phases.phase);
    if (!status)
        status = keep_chunks(&timelines->arena, run, timeline);
    timelines->n += !status;
    if (bound)
        plussi_bound_free(bound);
    return status;
}

pluss_status plussi_make_block_timelines(plussi_ctx *ctx, plussi_trace_reader *trace,
                                         const plussi_record *record, size_t block,
                                         const plussi_nest *const *nests, size_t n,
                                         plussi_timelines **out)
{
    plussi_nest *nest = NULL;
    plussi_timelines *timelines = NULL;
    pluss_status status = plussi_record_nest(ctx, record, block, 0, nests, n, &nest);
    if (!status)
        status = plussi_timelines_new(ctx, trace->n_runs, &timelines);
    for (size_t i = 0; i < trace->n_runs && !status; i++) {
        plussi_timed_run run;
        if (!trace->run[i].timed || trace->run[i].block != block)
            continue;
        status = plussi_timed_run_read(trace, &trace->run[i], &run);
        if (!status)
            status = add_run(ctx, record, nest, &run, timelines);
    }
    if (!status && timelines->n == 0)
        status = plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "%s has no time stamps of such a run",
                             trace->path);
    plussi_nest_free(nest);
    if (status)
        plussi_timelines_free(timelines);
    else
        *out = timelines;
    return status;
}

/* ---- chunks with times ------------------------------------------------------------------------
 */

/* A thread's chunk of the block. */
typedef struct timed_chunk {
    plussi_chunk chunk;
    plussi_chunk_time time;
} timed_chunk;

static int by_thread_and_time(const void *left, const void *right)
{
    const timed_chunk *a = left, *b = right;
    if (a->chunk.thread != b->chunk.thread)
        return a->chunk.thread < b->chunk.thread ? -1 : 1;
    if (a->time.from != b->time.from)
        return a->time.from < b->time.from ? -1 : 1;
    return a->time.to < b->time.to ? -1 : a->time.to > b->time.to;
}

/* The stamps that a thread would have left: at either end of each chunk. */
static size_t stamp_chunks(const timed_chunk *c, size_t n, plussi_stamp *out)
{
    size_t made = 0;
    uint64_t begun = 0;
    for (size_t i = 0; i < n; i++) {
        plussi_stamp s = {.loop = c[i].chunk.loop, .execution = (uint32_t)c[i].chunk.time};
        bool first = i == 0 || c[i - 1].chunk.loop != s.loop || c[i - 1].chunk.time != s.execution;
        bool last =
            i + 1 == n || c[i + 1].chunk.loop != s.loop || c[i + 1].chunk.time != s.execution;
        begun = first ? 0 : begun;
        s.time = (double)c[i].time.from;
        s.kind = PLUSSI_STAMP_LOOP;
        if (first)
            out[made++] = s;
        s.kind = PLUSSI_STAMP_ITER;
        s.begun = begun + 1;
        out[made++] = s;
        begun += c[i].chunk.hi - c[i].chunk.lo;
        s.time = (double)c[i].time.to;
        s.begun = begun + !last;
        s.kind = last ? PLUSSI_STAMP_DONE : PLUSSI_STAMP_ITER;
        out[made++] = s;
    }
    return made;
}

pluss_status plussi_make_chunk_timeline(plussi_ctx *ctx, const plussi_bound *bound,
                                        const plussi_record_block *block, plussi_timelines **out)
{
    enum { MOST = 3 /* stamps of a chunk */ };
    const plussi_mem *mem = &ctx->mem;
    size_t n = block->n_chunks;
    plussi_timelines *timelines = NULL;
    timed_chunk *chunk = plussi_alloc(mem, n + 1, sizeof *chunk);
    plussi_stamp *stamp = plussi_alloc(mem, MOST * n + 1, sizeof *stamp);
    plussi_timed_thread *thread = plussi_calloc(mem, block->team, sizeof *thread);
    plussi_phases phases = {.mem = mem};
    plussi_timed_run run = {.team = block->team, .thread = thread, .chunk = block->chunk};
    run.n_chunks = n;
    pluss_status status =
        chunk && stamp && thread ? plussi_timelines_new(ctx, 1, &timelines) : PLUSS_ENOMEM;
    for (size_t i = 0; i < n && !status; i++)
        chunk[i] = (timed_chunk){block->chunk[i], block->time[i]};
    if (!status)
        qsort(chunk, n, sizeof *chunk, by_thread_and_time);
    for (size_t i = 0, end, made = 0; i < n && !status; i = end) {
        plussi_timed_thread *t = &thread[chunk[i].chunk.thread];
        for (end = i; end < n && chunk[end].chunk.thread == chunk[i].chunk.thread;)
            end++;
        *t = (plussi_timed_thread){stamp_chunks(chunk + i, end - i, stamp + made), stamp + made};
        made += t->n;
    }
    if (!status)
        status = join_run(ctx, bound, &run, &timelines->arena, &phases);
    if (!status)
        status = plussi_phases_keep(&phases, &timelines->arena, &timelines->run[0]);
    if (!status)
        status = keep_chunks(&timelines->arena, &run, &timelines->run[0]);
    plussi_free(mem, phases.phase);
    plussi_free(mem, thread);
    plussi_free(mem, stamp);
    plussi_free(mem, chunk);
    if (status) {
        plussi_timelines_free(timelines);
        return status;
    }
    timelines->n = 1;
    *out = timelines;
    return PLUSS_OK;
}

/* ---- the sequence ------------------------------------------------------------------------------
 */

/* All runs in order; nest: by block, made when first needed; NULL: no nest has the region. */
static pluss_status join_sequence(plussi_ctx *ctx, plussi_trace_reader *trace,
                                  const plussi_record *record, const plussi_nest *const *nests,
                                  size_t n, plussi_nest **nest, plussi_timelines *timelines)
{
    plussi_phases phases = {.mem = &ctx->mem};
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < trace->n_runs && !status; i++) {
        const plussi_nest *owner;
        plussi_bound *bound = NULL;
        plussi_timed_run run;
        uint32_t block = trace->run[i].block;
        if (!trace->run[i].timed)
            continue;
        status = plussi_timed_run_read(trace, &trace->run[i], &run);
        if (status || block >= record->n_blocks)
            continue;
        if (!plussi_record_region(&record->block[block], nests, n, &owner))
            continue;
        if (!nest[block])
            status = plussi_record_nest(ctx, record, block, 0, nests, n, &nest[block]);
        if (!status)
            status = bind_run(ctx, record, nest[block], &run, &bound);
        if (!status)
            status = join_run(ctx, bound, &run, &timelines->arena, &phases);
        if (bound)
            plussi_bound_free(bound);
    }
    if (!status)
        status = plussi_phases_keep(&phases, &timelines->arena, &timelines->run[0]);
    plussi_free(&ctx->mem, phases.phase);
    return status;
}

pluss_status plussi_make_program_timeline(plussi_ctx *ctx, plussi_trace_reader *trace,
                                          const plussi_record *record,
                                          const plussi_nest *const *nests, size_t n,
                                          plussi_timelines **out)
{
    plussi_nest **nest = plussi_calloc(&ctx->mem, record->n_blocks + 1, sizeof *nest);
    plussi_timelines *timelines = NULL;
    pluss_status status = nest ? plussi_timelines_new(ctx, 1, &timelines) : PLUSS_ENOMEM;
    if (!status)
        status = join_sequence(ctx, trace, record, nests, n, nest, timelines);
    if (!status && timelines->run[0].n_phases == 0)
        status = plussi_fail(ctx, PLUSS_ENOTFOUND, NULL,
                             "%s has no time stamps of a run of these nests", trace->path);
    for (size_t b = 0; nest && b < record->n_blocks; b++)
        plussi_nest_free(nest[b]);
    plussi_free(&ctx->mem, nest);
    if (status) {
        plussi_timelines_free(timelines);
        return status;
    }
    timelines->n = 1;
    *out = timelines;
    return PLUSS_OK;
}
