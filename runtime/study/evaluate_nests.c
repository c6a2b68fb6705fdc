/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/evaluate_nests.h"

#include <pthread.h>
#include <time.h>

#include "base/processors.h"
#include "study/points.h"

enum { MOST_WORKERS = 1024 };

typedef struct evaluation {
    plussi_evaluated of;
    bool done;
} evaluation;

typedef struct evaluations {
    const plussi_nest *const *nest;
    size_t n;
    const plussi_request *request;
    plussi_study_fn engine;
    plussi_evaluated_fn take;
    void *user;
    plussi_spare spare;
    bool cancelled; /* atomic */
    /* under the lock: */
    pthread_mutex_t lock;
    pthread_cond_t some_done;
    evaluation *at;
    size_t begun, done, end; /* end: none from there on is begun */
    /* the calling thread's: */
    size_t taken;
    pluss_status status; /* of what is taken */
} evaluations;

/* ---- who is asked ------------------------------------------------------------------------------
 */

static double share_done(evaluations *all, double of_one)
{
    pthread_mutex_lock(&all->lock);
    const double done = (double)all->done + (of_one > 0 ? of_one : 0);
    pthread_mutex_unlock(&all->lock);
    return done / (double)all->n;
}

/* By the calling thread. */
static int ask_caller(void *user, const char *stage, double done, uint64_t steps)
{
    evaluations *all = user;
    const double share = done < 0 && all->n == 1 ? done : share_done(all, done);
    const pluss_status status = plussi_ask_whether(&all->request->ask, stage, share, steps);
    if (status)
        __atomic_store_n(&all->cancelled, true, __ATOMIC_RELAXED);
    return status != PLUSS_OK;
}

/* By the others. */
static int ask_flag(void *user, const char *stage, double done, uint64_t steps)
{
    const evaluations *all = user;
    (void)stage;
    (void)done;
    (void)steps;
    return __atomic_load_n(&all->cancelled, __ATOMIC_RELAXED);
}

/* ---- one nest ----------------------------------------------------------------------------------
 */

static pluss_status evaluate_nest(evaluations *all, const plussi_nest *nest, bool by_caller,
                                  plussi_evaluated *out)
{
    plussi_request own;
    pluss_status status = plussi_request_for(&out->ctx, nest, all->request, &own);
    if (status)
        return status;
    if (all->request->ask.fn || !by_caller)
        own.ask = (plussi_ask){by_caller ? ask_caller : ask_flag, all};
    own.spare = &all->spare;
    status = plussi_evaluate_points(&out->ctx, nest, &own, all->engine, &out->result);
    plussi_free(&out->ctx.mem, (void *)own.binding);
    return status;
}

/* The next nest to be evaluated; NULL: there is none. */
static evaluation *begin_next(evaluations *all)
{
    pthread_mutex_lock(&all->lock);
    evaluation *next = all->begun < all->end ? &all->at[all->begun++] : NULL;
    pthread_mutex_unlock(&all->lock);
    return next;
}

static bool evaluate_next(evaluations *all, bool by_caller)
{
    evaluation *next = begin_next(all);
    if (!next)
        return false;
    plussi_evaluated *e = &next->of;
    e->status = evaluate_nest(all, all->nest[next - all->at], by_caller, e);
    pthread_mutex_lock(&all->lock);
    if (e->status == PLUSS_ENOMEM || e->status == PLUSS_ECANCELLED)
        all->end = all->begun;
    next->done = true;
    all->done++;
    pthread_cond_signal(&all->some_done);
    pthread_mutex_unlock(&all->lock);
    return true;
}

static void *run_worker(void *user)
{
    evaluations *all = user;
    while (evaluate_next(all, false))
        continue;
    plussi_spare_give(&all->spare, 1);
    return NULL;
}

/* ---- the calling thread ------------------------------------------------------------------------
 */

static bool is_done(evaluations *all, size_t i)
{
    pthread_mutex_lock(&all->lock);
    const bool done = i < all->begun && all->at[i].done;
    pthread_mutex_unlock(&all->lock);
    return done;
}

/* Takes those that are done, in order; after a failure, none. */
static void take_done(evaluations *all)
{
    for (; is_done(all, all->taken); all->taken++) {
        plussi_evaluated *e = &all->at[all->taken].of;
        const bool ends = e->status == PLUSS_ENOMEM || e->status == PLUSS_ECANCELLED;
        if (!all->status) {
            pluss_status status = all->take(all->user, e);
            all->status = ends ? e->status : status;
        }
        plussi_result_free(&e->result);
        plussi_ctx_clear(&e->ctx);
        if (!all->status)
            continue;
        pthread_mutex_lock(&all->lock);
        all->end = all->begun;
        pthread_mutex_unlock(&all->lock);
    }
}

/* Waits a moment, or until one more is done; false: all that were begun are. */
static bool wait_for_others(evaluations *all)
{
    enum { MOMENT = 100000000 /* ns */ };
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += MOMENT;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&all->lock);
    const size_t before = all->done;
    if (before < all->begun)
        pthread_cond_timedwait(&all->some_done, &all->lock, &until);
    const bool waits = all->done < all->begun, none = all->done == before;
    pthread_mutex_unlock(&all->lock);
    if (waits && none)
        (void)ask_caller(all, "predict", 0, 0);
    return waits;
}

static void evaluate_all(evaluations *all, uint32_t workers)
{
    pthread_t thread[MOST_WORKERS];
    uint32_t others = 0;
    while (others + 1 < workers && others + 1 < all->n &&
           pthread_create(&thread[others], NULL, run_worker, all) == 0)
        others++;
    plussi_spare_give(&all->spare, workers - 1 - others);
    while (evaluate_next(all, true))
        take_done(all);
    plussi_spare_give(&all->spare, 1);
    while (wait_for_others(all))
        take_done(all);
    for (uint32_t i = 0; i < others; i++)
        pthread_join(thread[i], NULL);
    take_done(all);
}

pluss_status plussi_evaluate_nests(plussi_ctx *ctx, const plussi_nest *const *nest, size_t n,
                                   const plussi_request *request, plussi_study_fn engine,
                                   bool together, plussi_evaluated_fn take, void *user)
{
    evaluations all = {.nest = nest,
                       .n = n,
                       .request = request,
                       .engine = engine,
                       .take = take,
                       .user = user,
                       .lock = PTHREAD_MUTEX_INITIALIZER,
                       .some_done = PTHREAD_COND_INITIALIZER,
                       .end = n};
    const uint32_t wanted = request->workers ? request->workers : plussi_count_processors();
    const uint32_t workers = wanted < MOST_WORKERS ? wanted : MOST_WORKERS;
    all.at = plussi_calloc(&ctx->mem, n + 1, sizeof *all.at);
    if (!all.at)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        plussi_ctx_init(&all.at[i].of.ctx, &ctx->mem);
        plussi_result_init(&all.at[i].of.result, &ctx->mem);
    }
    if (!together)
        plussi_spare_give(&all.spare, workers - 1);
    evaluate_all(&all, together ? workers : 1);
    plussi_free(&ctx->mem, all.at);
    return all.status;
}
