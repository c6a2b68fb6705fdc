/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "team/pieces.h"

#include <math.h>

#include "base/heap.h"
#include "team/gslrng.h"

/* ---- the heap ----------------------------------------------------------------------------------
 */

static bool is_sooner(const plussi_clocks *clocks, const plussi_free_thread *a,
                      const plussi_free_thread *b)
{
    (void)clocks;
    return a->time < b->time || (a->time == b->time && a->draw < b->draw);
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

/* ---- the log -----------------------------------------------------------------------------------
 */

pluss_status plussi_pieces_init(plussi_pieces *p, plussi_ctx *ctx, uint32_t team,
                                const double *rate, plussi_work_fn work, void *user, uint64_t seed)
{
    if (team == 0)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a team of no threads");
    for (uint32_t t = 0; rate && t < team; t++)
        if (!(rate[t] > 0 && isfinite(rate[t])))
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "the rate of thread %u is %g", t, rate[t]);
    *p = (plussi_pieces){.ctx = ctx, .team = team, .rate = rate, .work = work, .user = user};
    plussi_rng_seed(&p->rng, seed, 0);
    return PLUSS_OK;
}

void plussi_pieces_free(plussi_pieces *p)
{
    plussi_free(&p->ctx->mem, p->piece);
    p->piece = NULL;
}

pluss_status plussi_pieces_limit(plussi_ctx *ctx, uint64_t pieces)
{
    if (pieces <= PLUSSI_MAX_SEGMENTS)
        return PLUSS_OK;
    return plussi_fail(ctx, PLUSS_ELIMIT, NULL,
                       "a loop in more than %d chunks (PLUSSI_MAX_SEGMENTS)", PLUSSI_MAX_SEGMENTS);
}

pluss_status plussi_pieces_run(plussi_pieces *p, uint32_t thread, plussi_segment segment,
                               double begin, double *end)
{
    pluss_status status = plussi_pieces_limit(p->ctx, p->n + 1);
    if (status != PLUSS_OK)
        return status;
    double work = p->work(p->user, segment.lo, segment.hi);
    if (!(work >= 0 && isfinite(work)))
        return plussi_fail(p->ctx, PLUSS_EINVAL, NULL, "the work of iterations %llu to %llu is %g",
                           (unsigned long long)segment.lo, (unsigned long long)segment.hi - 1,
                           work);
    status = plussi_grow(&p->ctx->mem, &p->piece, &p->cap, p->n, sizeof *p->piece);
    if (status != PLUSS_OK)
        return status;
    *end = begin + plussi_gamma(&p->rng, work) / (p->rate ? p->rate[thread] : 1);
    p->piece[p->n++] = (plussi_piece){thread, segment, *end, work};
    return PLUSS_OK;
}

/* ---- shares ------------------------------------------------------------------------------------
 */

void plussi_shares_free(plussi_shares *shares)
{
    plussi_free(&shares->mem, shares->share);
    plussi_free(&shares->mem, shares->segment);
    plussi_free(&shares->mem, shares->before);
    plussi_free(&shares->mem, shares->accesses);
    plussi_free(&shares->mem, shares->chunk_end);
    *shares = (plussi_shares){.mem = shares->mem};
}

/* Each thread's part of the common arrays: its segments in one piece, with a leading 0 in `before`.
 */
static void lay_out(const plussi_pieces *p, uint64_t n, plussi_shares *out)
{
    for (uint32_t t = 0; t < p->team; t++)
        out->share[t] = (plussi_share){
            .kind = PLUSSI_SHARE_SEGMENTS, .team = p->team, .thread = t, .n = n, .ascending = true};
    for (size_t i = 0; i < p->n; i++)
        out->share[p->piece[i].thread].n_segments++;
    size_t first = 0;
    for (uint32_t t = 0; t < p->team; t++) {
        plussi_share *s = &out->share[t];
        s->segment = out->segment + first;
        s->before = out->before + first + t;
        first += s->n_segments;
        s->n_segments = 0;
    }
}

pluss_status plussi_pieces_shares(const plussi_pieces *p, uint64_t n, bool with_ends,
                                  plussi_shares *out)
{
    const plussi_mem *mem = &p->ctx->mem;
    plussi_shares s = {.mem = *mem, .team = p->team, .n_segments = p->n};
    s.share = plussi_alloc(mem, p->team, sizeof *s.share);
    s.segment = plussi_alloc(mem, p->n, sizeof *s.segment);
    s.before = plussi_calloc(mem, p->n + p->team, sizeof *s.before);
    s.accesses = plussi_calloc(mem, p->n + p->team, sizeof *s.accesses);
    if (with_ends)
        s.chunk_end = plussi_alloc(mem, p->n, sizeof *s.chunk_end);
    if (!s.share || !s.segment || !s.before || !s.accesses || (with_ends && !s.chunk_end)) {
        plussi_shares_free(&s);
        return PLUSS_ENOMEM;
    }
    lay_out(p, n, &s);
    for (size_t i = 0; i < p->n; i++) {
        const plussi_piece *piece = &p->piece[i];
        plussi_share *share = &s.share[piece->thread];
        size_t k = share->n_segments++, at = (size_t)(share->segment - s.segment) + k;
        s.segment[at] = piece->segment;
        if (with_ends)
            s.chunk_end[at] = piece->end;
        s.before[at + piece->thread + 1] =
            s.before[at + piece->thread] + (piece->segment.hi - piece->segment.lo);
        s.accesses[at + piece->thread + 1] = s.accesses[at + piece->thread] + (uint64_t)piece->work;
        if (k > 0 && piece->segment.lo < share->segment[k - 1].hi)
            share->ascending = false;
    }
    *out = s;
    return PLUSS_OK;
}
