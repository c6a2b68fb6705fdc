/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "team/recorded_iterset.h"

#include <stdlib.h>
#include <string.h>

/* What a thread executed in one execution of a loop. */
typedef struct part {
    uint32_t thread;
    bool ascending;
    size_t first; /* segment; its `before` values start at first + number of earlier parts */
    size_t n;
} part;

typedef struct execution {
    uint32_t loop;
    uint64_t time, n; /* n: iterations */
    size_t first;     /* part */
    size_t n_parts;
} execution;

typedef struct times {
    uint32_t loop;
    uint64_t n;
} times;

struct plussi_replay {
    plussi_mem mem;
    execution *execution; /* by loop, time */
    part *part;           /* by execution, thread */
    plussi_segment *segment;
    uint64_t *before; /* a part has one more of them than segments */
    times *times;     /* recorded executions of each loop */
    size_t n_executions, n_parts, n_segments, n_times;
};

/* ---- making ------------------------------------------------------------------------------------
 */

/* A chunk and its index, for a stable order. */
typedef struct item {
    plussi_chunk chunk;
    size_t at;
} item;

#define BY(field)                                                                                  \
    if (a->field != b->field)                                                                      \
        return a->field < b->field ? -1 : 1;

static int by_execution(const void *left, const void *right)
{
    const item *a = left, *b = right;
    BY(chunk.loop)
    BY(chunk.time)
    BY(chunk.thread)
    BY(at)
    return 0;
}

static int by_iteration(const void *left, const void *right)
{
    const plussi_segment *a = left, *b = right;
    BY(lo)
    BY(hi)
    return 0;
}

static bool same_execution(const item *a, const item *b)
{
    return a->chunk.loop == b->chunk.loop && a->chunk.time == b->chunk.time;
}

/* Checks that each iteration of *n occurs once. scratch holds all segments of the execution. */
static pluss_status check_whole(plussi_ctx *ctx, const item *items, size_t n_items,
                                plussi_segment *scratch, uint64_t *n)
{
    for (size_t i = 0; i < n_items; i++)
        scratch[i] = (plussi_segment){items[i].chunk.lo, items[i].chunk.hi};
    qsort(scratch, n_items, sizeof *scratch, by_iteration);
    uint64_t next = 0;
    for (size_t i = 0; i < n_items; i++) {
        if (scratch[i].lo >= scratch[i].hi)
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a recorded chunk of no iterations");
        if (scratch[i].lo != next)
            return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                               "execution %llu of loop %u is recorded with iteration %llu %s",
                               (unsigned long long)items->chunk.time, items->chunk.loop,
                               (unsigned long long)(scratch[i].lo < next ? scratch[i].lo : next),
                               scratch[i].lo < next ? "twice" : "missing");
        next = scratch[i].hi;
    }
    *n = next;
    return PLUSS_OK;
}

static void add_part(plussi_replay *r, const item *items, size_t n)
{
    uint64_t *before = r->before + r->n_segments + r->n_parts;
    part *p = &r->part[r->n_parts++];
    *p = (part){items->chunk.thread, true, r->n_segments, n};
    before[0] = 0;
    for (size_t i = 0; i < n; i++) {
        plussi_segment s = {items[i].chunk.lo, items[i].chunk.hi};
        p->ascending = p->ascending && (i == 0 || items[i - 1].chunk.hi <= s.lo);
        r->segment[r->n_segments++] = s;
        before[i + 1] = before[i] + (s.hi - s.lo);
    }
}

static void count_times(plussi_replay *r, const plussi_chunk *chunk)
{
    if (r->n_times == 0 || r->times[r->n_times - 1].loop != chunk->loop)
        r->times[r->n_times++] = (times){chunk->loop, 0};
    r->times[r->n_times - 1].n = chunk->time + 1; /* ascending */
}

static pluss_status fill_replay(plussi_ctx *ctx, plussi_replay *r, const item *items, size_t n)
{
    for (size_t i = 0, next; i < n; i = next) {
        uint64_t iterations = 0;
        for (next = i; next < n && same_execution(&items[i], &items[next]);)
            next++;
        if (items[i].chunk.time == UINT64_MAX)
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a loop was executed too often");
        /* the segments of this execution go after the present ones: space to sort them */
        pluss_status status =
            check_whole(ctx, items + i, next - i, r->segment + r->n_segments, &iterations);
        if (status)
            return status;
        size_t first = r->n_parts;
        for (size_t k = i, end; k < next; k = end) {
            for (end = k; end < next && items[end].chunk.thread == items[k].chunk.thread;)
                end++;
            add_part(r, items + k, end - k);
        }
        r->execution[r->n_executions++] = (execution){items[i].chunk.loop, items[i].chunk.time,
                                                      iterations, first, r->n_parts - first};
        count_times(r, &items[i].chunk);
    }
    return PLUSS_OK;
}

pluss_status plussi_replay_new(plussi_ctx *ctx, const plussi_chunk *chunk, size_t n,
                               plussi_replay **out)
{
    if (n > PLUSSI_MAX_SEGMENTS)
        return plussi_fail(ctx, PLUSS_ELIMIT, NULL, "more than %d recorded chunks",
                           PLUSSI_MAX_SEGMENTS);
    const plussi_mem *mem = &ctx->mem;
    plussi_replay *r = plussi_calloc(mem, 1, sizeof *r);
    item *items = plussi_alloc(mem, n + 1, sizeof *items);
    pluss_status status = PLUSS_ENOMEM;
    if (r)
        r->mem = *mem;
    if (r && items) {
        r->execution = plussi_alloc(mem, n + 1, sizeof *r->execution);
        r->part = plussi_alloc(mem, n + 1, sizeof *r->part);
        r->segment = plussi_alloc(mem, n + 1, sizeof *r->segment);
        r->before = plussi_alloc(mem, 2 * n + 1, sizeof *r->before);
        r->times = plussi_alloc(mem, n + 1, sizeof *r->times);
        if (r->execution && r->part && r->segment && r->before && r->times) {
            for (size_t i = 0; i < n; i++)
                items[i] = (item){chunk[i], i};
            qsort(items, n, sizeof *items, by_execution);
            status = fill_replay(ctx, r, items, n);
        }
    }
    plussi_free(mem, items);
    if (status == PLUSS_OK)
        *out = r;
    else
        plussi_replay_free(r);
    return status;
}

void plussi_replay_free(plussi_replay *r)
{
    if (!r)
        return;
    plussi_mem mem = r->mem;
    plussi_free(&mem, r->execution);
    plussi_free(&mem, r->part);
    plussi_free(&mem, r->segment);
    plussi_free(&mem, r->before);
    plussi_free(&mem, r->times);
    plussi_free(&mem, r);
}

/* ---- asking ------------------------------------------------------------------------------------
 */

static uint64_t times_of(const plussi_replay *r, uint32_t loop)
{
    for (size_t lo = 0, hi = r->n_times; lo < hi;) {
        size_t mid = lo + (hi - lo) / 2;
        if (r->times[mid].loop == loop)
            return r->times[mid].n;
        if (r->times[mid].loop < loop)
            lo = mid + 1;
        else
            hi = mid;
    }
    return 0;
}

static const execution *find_execution(const plussi_replay *r, uint32_t loop, uint64_t time)
{
    for (size_t lo = 0, hi = r->n_executions; lo < hi;) {
        size_t mid = lo + (hi - lo) / 2;
        const execution *x = &r->execution[mid];
        if (x->loop == loop && x->time == time)
            return x;
        if (x->loop < loop || (x->loop == loop && x->time < time))
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

pluss_status plussi_replay_iterset(const plussi_replay *r, uint32_t loop, uint64_t time, uint64_t n,
                                   uint32_t team, uint32_t thread, plussi_iterset *out)
{
    static const uint64_t none[1];
    plussi_iterset set = {.kind = PLUSSI_ITERSET_SEGMENTS,
                          .team = team,
                          .thread = thread,
                          .n = n,
                          .before = none,
                          .ascending = true};
    if (n == 0) { /* no thread has any; and the last executions may all be like that */
        *out = set;
        return PLUSS_OK;
    }
    uint64_t recorded = times_of(r, loop);
    const execution *x = recorded ? find_execution(r, loop, time % recorded) : NULL;
    if ((x ? x->n : 0) != n)
        return PLUSS_EINVAL;
    if (x && r->part[x->first + x->n_parts - 1].thread >= team)
        return PLUSS_EINVAL;
    for (size_t lo = 0, hi = x ? x->n_parts : 0; lo < hi;) {
        size_t mid = lo + (hi - lo) / 2, at = (x ? x->first : 0) + mid;
        const part *p = &r->part[at];
        if (p->thread == thread) {
            set.segment = r->segment + p->first;
            set.before = r->before + p->first + at;
            set.n_segments = p->n;
            set.ascending = p->ascending;
            break;
        }
        if (p->thread < thread)
            lo = mid + 1;
        else
            hi = mid;
    }
    *out = set;
    return PLUSS_OK;
}

static size_t count_segments(const plussi_replay *r, uint32_t loop, uint64_t time)
{
    uint64_t recorded = times_of(r, loop);
    const execution *x = recorded ? find_execution(r, loop, time % recorded) : NULL;
    size_t n = 0;
    for (size_t i = 0; x && i < x->n_parts; i++)
        n += r->part[x->first + i].n;
    return n;
}

pluss_status plussi_replay_itersets(const plussi_replay *r, uint32_t loop, uint64_t time,
                                    uint64_t n, uint32_t team, plussi_itersets *out)
{
    size_t segments = n ? count_segments(r, loop, time) : 0, at = 0;
    plussi_itersets s = {.mem = r->mem, .team = team, .n_segments = segments};
    s.set = plussi_alloc(&r->mem, team, sizeof *s.set);
    s.segment = plussi_alloc(&r->mem, segments, sizeof *s.segment);
    s.before = plussi_alloc(&r->mem, segments + team, sizeof *s.before);
    s.chunk_end = plussi_calloc(&r->mem, segments, sizeof *s.chunk_end);
    pluss_status status = s.set && s.segment && s.before && s.chunk_end ? PLUSS_OK : PLUSS_ENOMEM;
    for (uint32_t t = 0; t < team && status == PLUSS_OK; t++) {
        plussi_iterset set;
        status = plussi_replay_iterset(r, loop, time, n, team, t, &set);
        if (status)
            break;
        if (set.n_segments)
            memcpy(s.segment + at, set.segment, set.n_segments * sizeof *s.segment);
        memcpy(s.before + at + t, set.before, (set.n_segments + 1) * sizeof *s.before);
        set.segment = s.segment + at;
        set.before = s.before + at + t;
        s.set[t] = set;
        at += set.n_segments;
    }
    if (status == PLUSS_OK)
        *out = s;
    else
        plussi_itersets_free(&s);
    return status;
}
