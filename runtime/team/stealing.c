/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rayon's indexed parallel iterators (team/deques.h) under the clock model: splitting and stealing
 * take no time.
 */
#include "team/chunk_log.h"
#include "team/deques.h"

typedef struct pool {
    plussi_chunk_log log;
    plussi_clocks busy;
    plussi_deques deques;
    uint32_t *idle;
    uint32_t n_idle;
} pool;

/* Splits a range as far as possible and executes the leftmost part. */
static pluss_status take_range(pool *p, uint32_t thread, plussi_range r, bool stolen, double now)
{
    while (plussi_deques_split(&p->deques, thread, &r, stolen))
        stolen = false;
    double end = 0;
    pluss_status status = plussi_chunk_log_run(&p->log, thread, r.at, now, &end);
    if (status == PLUSS_OK)
        plussi_clocks_push(&p->busy, thread, end, &p->log.rng);
    return status;
}

/* Idle threads, in random order, steal until nothing waits. */
static pluss_status feed_idle(pool *p, double now)
{
    pluss_status status = PLUSS_OK;
    while (status == PLUSS_OK && p->n_idle > 0 && p->deques.waiting > 0) {
        uint32_t *drawn = &p->idle[plussi_rng_below(&p->log.rng, p->n_idle)], thief = *drawn;
        *drawn = p->idle[--p->n_idle];
        plussi_range r = plussi_deques_steal(&p->deques, thief, &p->log.rng);
        status = take_range(p, thief, r, true, now);
    }
    return status;
}

static pluss_status run_pool(pool *p, plussi_range r)
{
    if (r.at.hi == 0)
        return PLUSS_OK;
    for (uint32_t t = 0; t < p->log.team; t++)
        p->idle[p->n_idle++] = t;
    /* The pool's threads are alike: any of them may be the first to find the job. */
    uint32_t first = (uint32_t)plussi_rng_below(&p->log.rng, p->n_idle);
    p->idle[first] = p->idle[--p->n_idle];
    pluss_status status = take_range(p, first, r, false, 0);
    if (status == PLUSS_OK)
        status = feed_idle(p, 0);
    while (status == PLUSS_OK && p->busy.n > 0) {
        plussi_free_thread done = plussi_clocks_pop(&p->busy);
        if (plussi_deques_take(&p->deques, done.thread, &r))
            status = take_range(p, done.thread, r, false, done.time);
        else
            p->idle[p->n_idle++] = done.thread;
        if (status == PLUSS_OK)
            status = feed_idle(p, done.time);
    }
    return status;
}

pluss_status plussi_simulate_rayon(plussi_ctx *ctx, uint64_t n, uint64_t least, uint64_t most,
                                   uint32_t team, plussi_work_fn work, void *user, uint64_t seed,
                                   plussi_itersets *out)
{
    pool p = {.n_idle = 0};
    plussi_range whole;
    pluss_status status = plussi_chunk_log_init(&p.log, ctx, team, work, user, seed);
    if (status != PLUSS_OK)
        return status;
    status = plussi_deques_new(ctx, &(plussi_pool_loop){n, least, most}, team, &p.deques, &whole);
    p.busy.heap = plussi_alloc(&ctx->mem, team, sizeof *p.busy.heap);
    p.idle = plussi_alloc(&ctx->mem, team, sizeof *p.idle);
    if (status == PLUSS_OK)
        status = p.busy.heap && p.idle ? run_pool(&p, whole) : PLUSS_ENOMEM;
    if (status == PLUSS_OK)
        status = plussi_chunk_log_sets(&p.log, n, true, out);
    plussi_deques_free(ctx, &p.deques);
    plussi_free(&ctx->mem, p.busy.heap);
    plussi_free(&ctx->mem, p.idle);
    plussi_chunk_log_free(&p.log);
    return status;
}
