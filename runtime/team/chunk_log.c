/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "team/chunk_log.h"

#include <math.h>

#include "base/heap.h"
#include "base/variates.h"
#include "team/gslrng.h"

/* ---- the heap ----------------------------------------------------------------------------------
 */

static bool is_sooner(const plussi_clocks *clocks, const plussi_free_thread *a,
                      const plussi_free_thread *b)
{
    (void)clocks;
    if (__builtin_expect(a->time == b->time, 0))
        return a->draw < b->draw;
    return a->time < b->time;
}

PLUSSI_HEAP(threads, plussi_free_thread, plussi_clocks, is_sooner)

void plussi_clocks_push(plussi_clocks *clocks, uint32_t thread, double time, plussi_rng *rng)
{
    clocks->heap[clocks->n++] = (plussi_free_thread){time, plussi_rng_next(rng), thread};
    threads_rise(clocks, clocks->heap, clocks->n - 1);
}

plussi_free_thread plussi_clocks_pop(plussi_clocks *clocks)
{
    plussi_free_thread first = clocks->heap[0];
    clocks->heap[0] = clocks->heap[--clocks->n];
    if (clocks->n > 0)
        threads_sink(clocks, clocks->heap, clocks->n, 0);
    return first;
}

void plussi_clocks_move_first(plussi_clocks *clocks, double time, plussi_rng *rng)
{
    const plussi_free_thread again = {time, plussi_rng_next(rng), clocks->heap[0].thread};
    threads_replace(clocks, clocks->heap, clocks->n, again);
}

/* ---- the log -----------------------------------------------------------------------------------
 */

pluss_status plussi_chunk_log_init(plussi_chunk_log *p, plussi_ctx *ctx, uint32_t team,
                                   plussi_work_fn work, void *user, uint64_t seed)
{
    if (team == 0)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a team of no threads");
    *p = (plussi_chunk_log){.ctx = ctx, .team = team, .work = work, .user = user};
    plussi_rng_seed(&p->rng, seed, 0);
    return PLUSS_OK;
}

void plussi_chunk_log_free(plussi_chunk_log *p)
{
    plussi_free(&p->ctx->mem, p->chunk);
    p->chunk = NULL;
}

pluss_status plussi_check_chunks(plussi_ctx *ctx, uint64_t chunks)
{
    if (chunks <= PLUSSI_MAX_SEGMENTS)
        return PLUSS_OK;
    return plussi_fail(ctx, PLUSS_ELIMIT, NULL,
                       "a loop in more than %d chunks (PLUSSI_MAX_SEGMENTS)", PLUSSI_MAX_SEGMENTS);
}

pluss_status plussi_chunk_log_run(plussi_chunk_log *p, uint32_t thread, plussi_segment segment,
                                  double begin, double *end)
{
    pluss_status status = plussi_check_chunks(p->ctx, p->n + 1);
    if (status != PLUSS_OK)
        return status;
    double work = p->work(p->user, segment.lo, segment.hi);
    if (!(work >= 0 && isfinite(work)))
        return plussi_fail(p->ctx, PLUSS_EINVAL, NULL, "the work of iterations %llu to %llu is %g",
                           (unsigned long long)segment.lo, (unsigned long long)segment.hi - 1,
                           work);
    status = plussi_grow(&p->ctx->mem, &p->chunk, &p->cap, p->n, sizeof *p->chunk);
    if (status != PLUSS_OK)
        return status;
    *end = begin + (p->access > 0 ? work * p->access * exp(p->sigma * plussi_draw_normal(&p->rng))
                                  : plussi_gamma(&p->rng, work));
    p->chunk[p->n++] = (plussi_logged_chunk){thread, segment, begin, *end, work};
    return PLUSS_OK;
}

/* ---- iteration sets
 * ------------------------------------------------------------------------------------
 */

void plussi_itersets_free(plussi_itersets *sets)
{
    plussi_free(&sets->mem, sets->set);
    plussi_free(&sets->mem, sets->segment);
    plussi_free(&sets->mem, sets->before);
    plussi_free(&sets->mem, sets->accesses);
    plussi_free(&sets->mem, sets->chunk_begin);
    plussi_free(&sets->mem, sets->chunk_end);
    *sets = (plussi_itersets){.mem = sets->mem};
}

/* Lays out the threads' parts of the common arrays: a thread's segments are contiguous, after a 0
 * in `before`. */
static void lay_out(const plussi_chunk_log *p, uint64_t n, plussi_itersets *out)
{
    for (uint32_t t = 0; t < p->team; t++)
        out->set[t] = (plussi_iterset){.kind = PLUSSI_ITERSET_SEGMENTS,
                                       .team = p->team,
                                       .thread = t,
                                       .n = n,
                                       .ascending = true};
    for (size_t i = 0; i < p->n; i++)
        out->set[p->chunk[i].thread].n_segments++;
    size_t first = 0;
    for (uint32_t t = 0; t < p->team; t++) {
        plussi_iterset *s = &out->set[t];
        s->segment = out->segment + first;
        s->before = out->before + first + t;
        first += s->n_segments;
        s->n_segments = 0;
    }
}

pluss_status plussi_chunk_log_sets(const plussi_chunk_log *p, uint64_t n, bool with_ends,
                                   plussi_itersets *out)
{
    const plussi_mem *mem = &p->ctx->mem;
    plussi_itersets s = {.mem = *mem, .team = p->team, .n_segments = p->n};
    s.set = plussi_alloc(mem, p->team, sizeof *s.set);
    s.segment = plussi_alloc(mem, p->n, sizeof *s.segment);
    s.before = plussi_calloc(mem, p->n + p->team, sizeof *s.before);
    s.accesses = plussi_calloc(mem, p->n + p->team, sizeof *s.accesses);
    if (with_ends) {
        s.chunk_begin = plussi_alloc(mem, p->n, sizeof *s.chunk_begin);
        s.chunk_end = plussi_alloc(mem, p->n, sizeof *s.chunk_end);
    }
    if (!s.set || !s.segment || !s.before || !s.accesses ||
        (with_ends && !(s.chunk_begin && s.chunk_end))) {
        plussi_itersets_free(&s);
        return PLUSS_ENOMEM;
    }
    lay_out(p, n, &s);
    for (size_t i = 0; i < p->n; i++) {
        const plussi_logged_chunk *chunk = &p->chunk[i];
        plussi_iterset *set = &s.set[chunk->thread];
        size_t k = set->n_segments++, at = (size_t)(set->segment - s.segment) + k;
        s.segment[at] = chunk->segment;
        if (with_ends) {
            s.chunk_begin[at] = chunk->begin;
            s.chunk_end[at] = chunk->end;
        }
        s.before[at + chunk->thread + 1] =
            s.before[at + chunk->thread] + (chunk->segment.hi - chunk->segment.lo);
        s.accesses[at + chunk->thread + 1] = s.accesses[at + chunk->thread] + (uint64_t)chunk->work;
        if (k > 0 && chunk->segment.lo < set->segment[k - 1].hi)
            set->ascending = false;
    }
    *out = s;
    return PLUSS_OK;
}
