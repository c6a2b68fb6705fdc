/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rayon's indexed parallel iterators (rayon 1.x, iter/plumbing: LengthSplitter, and the deques of
 * rayon-core). A range is halved as long as its halves have at least `least` iterations and its
 * budget of splits lasts: T at first, or n / most if that is more; each split halves the budget, a
 * steal raises it to at least T. The worker goes on with the left half and puts the right one at
 * the young end of its deque, from which it also takes its next chunk. A thief takes from the old
 * end, where the largest ranges are, of the first worker that has any, beginning with a random one.
 * Splitting and stealing take no time.
 */
#include "team/chunk_log.h"

typedef struct range {
    plussi_segment at;
    uint64_t splits;
} range;

/* Index i of a deque holds the right half of a range that was halved i times before (the old end
 * may be empty): 64 always suffice. */
enum { DEQUE = 64 };

typedef struct worker {
    range deque[DEQUE]; /* old to young */
    unsigned old, young;
} worker;

typedef struct pool {
    plussi_chunk_log log;
    plussi_clocks busy;
    worker *worker;
    uint32_t *idle;
    uint32_t n_idle;
    uint64_t least, waiting; /* ranges in all deques */
} pool;

static bool try_split(const pool *p, range *r, bool stolen)
{
    if ((r->at.hi - r->at.lo) / 2 < p->least || (!stolen && r->splits == 0))
        return false;
    r->splits /= 2;
    if (stolen && r->splits < p->log.team)
        r->splits = p->log.team;
    return true;
}

/* Splits a range as far as possible and executes the leftmost part. */
static pluss_status take_range(pool *p, uint32_t thread, range r, bool stolen, double now)
{
    worker *w = &p->worker[thread];
    for (; try_split(p, &r, stolen); stolen = false) {
        uint64_t middle = r.at.lo + (r.at.hi - r.at.lo) / 2;
        w->deque[w->young++] = (range){{middle, r.at.hi}, r.splits};
        r.at.hi = middle;
        p->waiting++;
    }
    double end = 0;
    pluss_status status = plussi_chunk_log_run(&p->log, thread, r.at, now, &end);
    if (status == PLUSS_OK)
        plussi_clocks_push(&p->busy, thread, end, &p->log.rng);
    return status;
}

/* Some range waits, in another deque: the thief's own is empty. */
static pluss_status steal_range(pool *p, uint32_t thief, double now)
{
    uint32_t team = p->log.team, victim = (uint32_t)plussi_rng_below(&p->log.rng, team);
    while (p->worker[victim].old == p->worker[victim].young)
        victim = (victim + 1) % team;
    range r = p->worker[victim].deque[p->worker[victim].old++];
    p->waiting--;
    p->worker[thief].old = p->worker[thief].young = 0;
    return take_range(p, thief, r, true, now);
}

/* Idle threads, in random order, steal until nothing waits. */
static pluss_status feed_idle(pool *p, double now)
{
    pluss_status status = PLUSS_OK;
    while (status == PLUSS_OK && p->n_idle > 0 && p->waiting > 0) {
        uint32_t *drawn = &p->idle[plussi_rng_below(&p->log.rng, p->n_idle)], thief = *drawn;
        *drawn = p->idle[--p->n_idle];
        status = steal_range(p, thief, now);
    }
    return status;
}

static pluss_status run_pool(pool *p, uint64_t n, uint64_t most)
{
    if (n == 0)
        return PLUSS_OK;
    uint64_t splits = most ? n / most : 0;
    splits = splits > p->log.team ? splits : p->log.team;
    for (uint32_t t = 0; t < p->log.team; t++)
        p->idle[p->n_idle++] = t;
    /* The pool's threads are alike: any of them may be the first to find the job. */
    uint32_t first = (uint32_t)plussi_rng_below(&p->log.rng, p->n_idle);
    p->idle[first] = p->idle[--p->n_idle];
    pluss_status status = take_range(p, first, (range){{0, n}, splits}, false, 0);
    if (status == PLUSS_OK)
        status = feed_idle(p, 0);
    while (status == PLUSS_OK && p->busy.n > 0) {
        plussi_free_thread done = plussi_clocks_pop(&p->busy);
        worker *w = &p->worker[done.thread];
        if (w->old < w->young) {
            p->waiting--;
            status = take_range(p, done.thread, w->deque[--w->young], false, done.time);
        } else {
            p->idle[p->n_idle++] = done.thread;
        }
        if (status == PLUSS_OK)
            status = feed_idle(p, done.time);
    }
    return status;
}

pluss_status plussi_simulate_rayon(plussi_ctx *ctx, uint64_t n, uint64_t least, uint64_t most,
                                   uint32_t team, plussi_work_fn work, void *user, uint64_t seed,
                                   plussi_itersets *out)
{
    pool p = {.least = least ? least : 1};
    pluss_status status = plussi_chunk_log_init(&p.log, ctx, team, work, user, seed);
    if (status != PLUSS_OK)
        return status;
    /* A lower bound known beforehand: n / most, unless halves become too short. */
    uint64_t longest = most > p.least ? most : p.least;
    status = most ? plussi_check_chunks(ctx, n / 2 / longest) : PLUSS_OK;
    if (status != PLUSS_OK)
        return status;
    p.busy.heap = plussi_alloc(&ctx->mem, team, sizeof *p.busy.heap);
    p.worker = plussi_calloc(&ctx->mem, team, sizeof *p.worker);
    p.idle = plussi_alloc(&ctx->mem, team, sizeof *p.idle);
    status = p.busy.heap && p.worker && p.idle ? run_pool(&p, n, most) : PLUSS_ENOMEM;
    if (status == PLUSS_OK)
        status = plussi_chunk_log_sets(&p.log, n, true, out);
    plussi_free(&ctx->mem, p.busy.heap);
    plussi_free(&ctx->mem, p.worker);
    plussi_free(&ctx->mem, p.idle);
    plussi_chunk_log_free(&p.log);
    return status;
}
