/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/lines_merge.h"
#include "base/bisect.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/map.h"
#include "base/rng.h"
#include "base/variates.h"

enum { FIRST_TABLE = 1024 };
enum { OWN_SHIFT = 42 }; /* of line numbers: above it, the thread that a private line belongs to */

/* Sampled lines may be one in thousands; the map of base/linemap.h has room for their neighbours,
 * too. */
typedef struct numbered {
    uint64_t line;
    uint32_t number; /* from 1; 0: empty */
} numbered;

PLUSSI_NUMBER_MAP(lines, numbered, line, number)

typedef struct table {
    numbered *slot;
    size_t cap;
    uint32_t n;
} table;

/* A chunk as it was recorded. */
typedef struct chunk {
    uint64_t phase; /* its sort key */
    uint32_t loop, thread;
    uint64_t number, first, length; /* accesses, sampled or not */
    size_t next, end;               /* the sampled ones */
} chunk;

/* A part of a recorded thread's accesses, without a barrier or the end of a chunk inside. */
typedef struct stretch {
    uint32_t thread;
    uint64_t first, end; /* accesses of the recorded thread in the phase */
    size_t next, last;   /* the sampled ones */
} stretch;

/* A thread in the current phase. */
typedef struct runner {
    uint32_t thread;
    bool shares;    /* the cache in question */
    bool ends;      /* the event is the end of the stretch, not an access */
    uint32_t loops; /* loops that it has finished in this phase */
    uint64_t made;  /* own accesses before the stretch */
    uint64_t at;    /* position of the event among the recorded thread's accesses */
    double time;    /* of the event */
    stretch stretch;
    const plussi_trace_phase *phase;
    size_t mark; /* where the next loop begins */
} runner;

/* The remaining chunks of a loop. */
typedef struct queue {
    size_t next, end;
} queue;

struct plussi_lines_merge {
    plussi_ctx *ctx;
    const plussi_sampled_trace *sampled;
    table table;
    uint32_t **line; /* by thread and sampled access: number of the line */
    chunk *chunk;    /* by phase, loop, number */
    size_t n_chunks, cap_chunks;
    plussi_rng rng;
    size_t *phase;  /* by thread: the next one */
    runner *runner; /* by thread */
    uint32_t *heap; /* threads that have accesses left, a heap by time */
    uint32_t n_heap, n_sharing;
    queue *loop; /* of this phase */
    size_t n_loops, cap_loops, first_chunk;
    double made; /* accesses of the earlier phases, and of threads that have finished this one */
    uint64_t number; /* of the phase */
};

/* ---- numbers for lines -------------------------------------------------------------------------
 */

/* false: out of memory. */
static bool number_line(const plussi_mem *mem, table *t, uint64_t line, uint32_t *out)
{
    if (!lines_reserve(mem, &t->slot, &t->cap, FIRST_TABLE, (size_t)t->n + 1))
        return false;
    numbered *slot = lines_find(t->slot, t->cap, line, line);
    if (!slot->number)
        *slot = (numbered){line, ++t->n};
    *out = slot->number - 1;
    return true;
}

static bool number_lines(plussi_lines_merge *m)
{
    const plussi_mem *mem = &m->ctx->mem;
    for (uint32_t k = 0; k < m->sampled->team; k++) {
        const plussi_trace_thread *thread = &m->sampled->thread[k];
        m->line[k] = plussi_alloc(mem, thread->n, sizeof **m->line);
        if (!m->line[k])
            return false;
        for (size_t i = 0; i < thread->n; i++)
            if (!number_line(mem, &m->table, thread->access[i].line, &m->line[k][i]))
                return false;
    }
    return true;
}

/* ---- chunks ------------------------------------------------------------------------------------
 */

static int by_number(const void *a, const void *b)
{
    const chunk *x = a, *y = b;
    if (x->phase != y->phase)
        return x->phase < y->phase ? -1 : 1;
    if (x->loop != y->loop)
        return x->loop < y->loop ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* The first sampled access of a phase at or after the thread's access `at`. */
static size_t find_sampled_from(const plussi_trace_thread *thread, const plussi_trace_phase *phase,
                                uint64_t at)
{
    PLUSSI_BISECT(size_t, i, phase->first, phase->end, thread->access[i].at >= at);
    return i;
}

static bool chunks_of_phase(plussi_lines_merge *m, uint32_t k, const plussi_trace_phase *phase)
{
    const plussi_trace_thread *thread = &m->sampled->thread[k];
    uint32_t loop = 0;
    for (size_t i = phase->first_mark; i < phase->end_mark; i++) {
        const plussi_chunk_mark *mark = &thread->mark[i];
        if (mark->chunk == PLUSSI_MARK_OPEN)
            continue;
        if (mark->chunk == PLUSSI_MARK_CLOSE) {
            loop++;
            continue;
        }
        if (plussi_grow(&m->ctx->mem, &m->chunk, &m->cap_chunks, m->n_chunks, sizeof *m->chunk))
            return false;
        m->chunk[m->n_chunks++] = (chunk){phase->key,
                                          loop,
                                          k,
                                          mark->chunk,
                                          mark->at,
                                          mark[1].at - mark->at,
                                          find_sampled_from(thread, phase, mark->at),
                                          find_sampled_from(thread, phase, mark[1].at)};
    }
    return true;
}

static bool find_chunks(plussi_lines_merge *m)
{
    for (uint32_t k = 0; m->sampled->marked && k < m->sampled->team; k++)
        for (size_t p = 0; p < m->sampled->thread[k].n_phases; p++)
            if (!chunks_of_phase(m, k, &m->sampled->thread[k].phase[p]))
                return false;
    if (m->n_chunks)
        qsort(m->chunk, m->n_chunks, sizeof *m->chunk, by_number);
    return true;
}

/* Makes the queues of a phase's loops; phases come in order. */
static bool open_loops(plussi_lines_merge *m, uint64_t key)
{
    m->n_loops = 0;
    while (m->first_chunk < m->n_chunks && m->chunk[m->first_chunk].phase < key)
        m->first_chunk++;
    for (; m->first_chunk < m->n_chunks && m->chunk[m->first_chunk].phase == key;
         m->first_chunk++) {
        const chunk *c = &m->chunk[m->first_chunk];
        while (m->n_loops <= c->loop) {
            if (plussi_grow(&m->ctx->mem, &m->loop, &m->cap_loops, m->n_loops, sizeof *m->loop))
                return false;
            m->loop[m->n_loops++] = (queue){m->first_chunk, m->first_chunk};
        }
        m->loop[c->loop].end = m->first_chunk + 1;
    }
    return true;
}

/* ---- threads -----------------------------------------------------------------------------------
 */

static const plussi_trace_access *access_of(const plussi_lines_merge *m, const runner *r)
{
    return &m->sampled->thread[r->stretch.thread].access[r->stretch.next];
}

static bool is_through(const runner *r)
{
    return r->ends && r->stretch.end == UINT64_MAX;
}

/* Advances to the stretch's next sampled access, or to its end. r->time: time of the access `at`,
 * or of `ahead` accesses before it. */
static void go_on(plussi_lines_merge *m, runner *r, uint64_t at, unsigned ahead)
{
    r->ends = r->stretch.next == r->stretch.last;
    if (is_through(r))
        return;
    r->at = r->ends ? r->stretch.end : access_of(m, r)->at;
    uint64_t steps = r->at - at + ahead;
    if (steps > 0)
        r->time += plussi_draw_gamma(&m->rng, (double)steps);
}

/* The thread's own accesses from `first` to the next loop, or to the end of the phase. */
static void own_piece(const plussi_lines_merge *m, runner *r, uint64_t first)
{
    const plussi_trace_thread *thread = &m->sampled->thread[r->thread];
    uint64_t end = r->mark < r->phase->end_mark ? thread->mark[r->mark].at : UINT64_MAX;
    r->stretch = (stretch){r->thread, first, end, find_sampled_from(thread, r->phase, first),
                           find_sampled_from(thread, r->phase, end)};
}

/* At the end of a stretch, inside a loop: takes the next chunk, or goes on after the loop if none
 * is left. The thread's clock is at its next access, whichever that is. */
static void next_piece(plussi_lines_merge *m, runner *r)
{
    const plussi_trace_thread *thread = &m->sampled->thread[r->thread];
    queue *q = r->loops < m->n_loops ? &m->loop[r->loops] : NULL;
    r->made += r->stretch.end - r->stretch.first;
    if (q && q->next < q->end) {
        const chunk *c = &m->chunk[q->next++];
        r->stretch = (stretch){c->thread, c->first, c->first + c->length, c->next, c->end};
    } else {
        while (thread->mark[r->mark].chunk != PLUSSI_MARK_CLOSE)
            r->mark++;
        r->loops++;
        r->mark++;
        own_piece(m, r, thread->mark[r->mark - 1].at);
    }
    go_on(m, r, r->stretch.first, 0);
}

/* ---- phases ------------------------------------------------------------------------------------
 */

static bool is_earlier(const plussi_lines_merge *m, const uint32_t *a, const uint32_t *b)
{
    return m->runner[*a].time < m->runner[*b].time;
}

PLUSSI_HEAP(runners, uint32_t, plussi_lines_merge, is_earlier)

/* Lists the threads with accesses in the phase, each at its first event. false: out of memory. */
static bool begin_phase(plussi_lines_merge *m, uint32_t from, uint32_t to, uint64_t key)
{
    m->n_heap = m->n_sharing = 0;
    if (!open_loops(m, key))
        return false;
    for (uint32_t k = 0; k < m->sampled->team; k++) {
        const plussi_trace_thread *thread = &m->sampled->thread[k];
        size_t p = m->phase[k];
        bool shares = k >= from && k < to;
        if (p == thread->n_phases || thread->phase[p].key != key || !(shares || m->n_chunks))
            continue;
        m->phase[k]++;
        runner *r = &m->runner[k];
        *r = (runner){.thread = k,
                      .shares = shares,
                      .phase = &thread->phase[p],
                      .mark = thread->phase[p].first_mark};
        own_piece(m, r, 0);
        go_on(m, r, 0, 1);
        if (is_through(r))
            continue;
        m->heap[m->n_heap++] = k;
        m->n_sharing += r->shares;
    }
    runners_order(m, m->heap, m->n_heap);
    return true;
}

static pluss_status tell_event(plussi_lines_merge *m, const runner *r, plussi_lines_take take,
                               void *self)
{
    const plussi_trace_access *a = access_of(m, r);
    uint32_t line = m->line[r->stretch.thread][r->stretch.next];
    uint64_t owner = a->line >> OWN_SHIFT;
    if (r->stretch.thread != r->thread && owner == r->stretch.thread + 1u) {
        uint64_t own = a->line ^ (owner ^ (r->thread + 1u)) << OWN_SHIFT;
        if (!number_line(&m->ctx->mem, &m->table, own, &line))
            return PLUSS_ENOMEM;
    }
    plussi_lines_event event = {.thread = r->thread,
                                .ref = a->ref,
                                .line = line,
                                .phase = m->number,
                                .at = r->made + (r->at - r->stretch.first),
                                .time = r->time,
                                .made = m->made + m->n_sharing * r->time};
    return take(self, &event);
}

static pluss_status merge_phase(plussi_lines_merge *m, plussi_lines_take take, void *self)
{
    pluss_status status = PLUSS_OK;
    while (!status && m->n_heap > 0) {
        runner *r = &m->runner[m->heap[0]];
        if (r->ends) {
            next_piece(m, r);
        } else {
            if (r->shares)
                status = tell_event(m, r, take, self);
            r->stretch.next++;
            go_on(m, r, r->at, 0);
        }
        if (is_through(r)) {
            m->made += r->shares ? r->time : 0;
            m->n_sharing -= r->shares;
            m->heap[0] = m->heap[--m->n_heap];
        }
        if (m->n_heap > 0)
            runners_sink(m, m->heap, m->n_heap, 0);
    }
    m->number++;
    return status;
}

/* The least key of the phases to come. */
static uint64_t next_key(const plussi_lines_merge *m, uint32_t from, uint32_t to, bool *any)
{
    uint64_t key = UINT64_MAX;
    *any = false;
    for (uint32_t k = 0; k < m->sampled->team; k++) {
        const plussi_trace_thread *thread = &m->sampled->thread[k];
        if (m->phase[k] == thread->n_phases || !((k >= from && k < to) || m->n_chunks))
            continue;
        *any = true;
        uint64_t next = thread->phase[m->phase[k]].key;
        key = next < key ? next : key;
    }
    return key;
}

pluss_status plussi_lines_merge_run(plussi_lines_merge *m, uint32_t from, uint32_t to,
                                    plussi_lines_take take, void *self)
{
    pluss_status status = PLUSS_OK;
    bool any;
    memset(m->phase, 0, m->sampled->team * sizeof *m->phase);
    m->made = 0;
    m->first_chunk = 0;
    for (uint64_t key; key = next_key(m, from, to, &any), any && !status;)
        status = begin_phase(m, from, to, key) ? merge_phase(m, take, self) : PLUSS_ENOMEM;
    return status;
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

void plussi_lines_merge_seed(plussi_lines_merge *m, uint64_t seed, uint64_t stream)
{
    plussi_rng_seed(&m->rng, seed, stream);
}

uint32_t plussi_lines_merge_lines(const plussi_lines_merge *m)
{
    return m->table.n;
}

void plussi_lines_merge_free(plussi_lines_merge *m)
{
    if (!m)
        return;
    const plussi_mem mem = m->ctx->mem;
    for (uint32_t k = 0; m->line && k < m->sampled->team; k++)
        plussi_free(&mem, m->line[k]);
    plussi_free(&mem, m->line);
    plussi_free(&mem, m->table.slot);
    plussi_free(&mem, m->chunk);
    plussi_free(&mem, m->loop);
    plussi_free(&mem, m->phase);
    plussi_free(&mem, m->runner);
    plussi_free(&mem, m->heap);
    plussi_free(&mem, m);
}

pluss_status plussi_lines_merge_new(plussi_ctx *ctx, const plussi_sampled_trace *sampled,
                                    plussi_lines_merge **out)
{
    const plussi_mem *mem = &ctx->mem;
    plussi_lines_merge *m = plussi_calloc(mem, 1, sizeof *m);
    if (!m)
        return PLUSS_ENOMEM;
    *m = (plussi_lines_merge){.ctx = ctx, .sampled = sampled};
    m->line = plussi_calloc(mem, sampled->team, sizeof *m->line);
    m->phase = plussi_calloc(mem, sampled->team, sizeof *m->phase);
    m->runner = plussi_calloc(mem, sampled->team, sizeof *m->runner);
    m->heap = plussi_calloc(mem, sampled->team, sizeof *m->heap);
    if (!m->line || !m->phase || !m->runner || !m->heap || !number_lines(m) || !find_chunks(m)) {
        plussi_lines_merge_free(m);
        return PLUSS_ENOMEM;
    }
    *out = m;
    return PLUSS_OK;
}
