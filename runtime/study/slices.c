/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/slices.h"

#include <pthread.h>
#include <time.h>

#include "study/slice_messages.h"

enum {
    MOST_WORKERS = 256,
    LINE_ACCESSES = 16, /* of a slice, for each line so far */
    FEW = 4,            /* one first touch in that many accesses: slicing pays */
    PASSED_OVER = 16    /* slices, where it does not */
};

typedef enum job_state { JOB_FREE, JOB_FILLED, JOB_RUNNING, JOB_DONE } job_state;

typedef struct job {
    job_state state;
    pluss_status status;
    plussi_slice slice;
} job;

/* What a worker has of its own: stacks of its slice, and distances of all its slices. */
typedef struct worker {
    struct slices *slices;
    plussi_ctx ctx;
    plussi_caches *cache;
    size_t made;
    pthread_t thread;
    bool started;
} worker;

typedef struct slices {
    plussi_ctx *ctx;
    const plussi_slicing *how;
    plussi_slice_fn next;
    void *user;
    plussi_caches *cache; /* of the whole trace */
    size_t n_caches;
    plussi_slice_shape shape;
    worker *worker; /* number 0 is the caller */
    size_t n_workers, cap_workers;
    plussi_rank_work *ranks; /* NULL: there are none; the caller's alone */
    pluss_status met;        /* what went wrong with them */
    job *job;                /* a ring: filled and joined in order */
    size_t n_jobs, cap;
    uint64_t most_firsts; /* of a slice */
    size_t begun, joined; /* jobs */
    uint64_t accesses, firsts;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop;
} slices;

/* ---- workers -----------------------------------------------------------------------------------
 */

/* The lock is held. */
static job *next_filled(const slices *s)
{
    for (size_t i = s->joined; i < s->begun; i++)
        if (s->job[i % s->n_jobs].state == JOB_FILLED)
            return &s->job[i % s->n_jobs];
    return NULL;
}

static void change_state(slices *s, job *j, job_state state)
{
    pthread_mutex_lock(&s->lock);
    j->state = state;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* Gives idle ranks what there is to do. */
static void give_ranks(slices *s)
{
    uint32_t rank;
    while ((rank = plussi_rank_work_idle(s->ranks)) > 0) {
        pthread_mutex_lock(&s->lock);
        job *j = next_filled(s);
        if (j)
            j->state = JOB_RUNNING;
        pthread_mutex_unlock(&s->lock);
        if (!j)
            return;
        if (!plussi_rank_work_give(s->ranks, rank, &j->slice, s->most_firsts, (size_t)(j - s->job)))
            change_state(s, j, JOB_FILLED);
    }
}

/* Takes what ranks have done, and gives them more. */
static void meet_ranks(void *user)
{
    slices *s = user;
    plussi_rank_news news = PLUSSI_RANKS_READY;
    while (!s->met && news != PLUSSI_RANKS_NOTHING) {
        size_t number = 0;
        s->met = plussi_rank_work_look(s->ranks, &news, &number);
        if (!s->met && news == PLUSSI_RANKS_DONE) {
            job *j = &s->job[number];
            j->status = plussi_rank_work_take(s->ranks, s->cache, &j->slice);
            change_state(s, j, JOB_DONE);
        } else if (news == PLUSSI_RANKS_LOST) {
            change_state(s, &s->job[number], JOB_FILLED);
        }
    }
    if (!s->met)
        give_ranks(s);
}

/* The lock is held, but not while the job runs. */
static void take_job(worker *w, job *j)
{
    slices *s = w->slices;
    const plussi_meanwhile meanwhile = {w == s->worker && s->ranks ? meet_ranks : NULL, s};
    j->state = JOB_RUNNING;
    pthread_mutex_unlock(&s->lock);
    j->status =
        plussi_slice_run(&w->ctx, w->cache, s->n_caches, s->most_firsts, &meanwhile, &j->slice);
    pthread_mutex_lock(&s->lock);
    j->state = JOB_DONE;
    pthread_cond_broadcast(&s->changed);
}

static void *work(void *user)
{
    worker *w = user;
    slices *s = w->slices;
    pthread_mutex_lock(&s->lock);
    while (!s->stop) {
        job *j = next_filled(s);
        if (j)
            take_job(w, j);
        else
            pthread_cond_wait(&s->changed, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- the whole trace ---------------------------------------------------------------------------
 */

/* Accesses one by one through the stacks of the whole trace. */
static pluss_status count_batch(slices *s, const plussi_access *access, size_t n)
{
    pluss_status status = PLUSS_OK;
    for (size_t c = 0; c < s->n_caches && !status; c++)
        status = plussi_count_batch(s->ctx, &s->cache[c], access, n);
    if (s->ranks)
        meet_ranks(s);
    return status;
}

/* A first touch in the slice is a touch of the whole trace. */
static pluss_status touch_firsts(slices *s, plussi_caches *c, plussi_lru *lru,
                                 const plussi_touched *t)
{
    enum { MEANWHILE = 1 << 14 };
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < t->n && !status; i++) {
        if (s->ranks && i % MEANWHILE == 0)
            meet_ranks(s);
        for (unsigned ahead = 3; ahead > 0; ahead--)
            if (i + ahead * PLUSSI_LRU_AHEAD < t->n)
                plussi_lru_fetch(lru, t->line[i + ahead * PLUSSI_LRU_AHEAD], ahead);
        status =
            plussi_count_distance(s->ctx, &c->d[t->part[i]], plussi_lru_touch(lru, t->line[i]));
    }
    return status ? status : plussi_lru_reorder(lru, t->last, t->n);
}

/* What the slice's worker has left, one by one. */
static pluss_status touch_rest(slices *s, const plussi_slice *slice)
{
    plussi_access buf[PLUSSI_BATCH];
    pluss_status status = PLUSS_OK;
    for (size_t i = slice->done, n; i < slice->n && !status; i += n) {
        const size_t left = slice->n - i;
        n = left < PLUSSI_BATCH ? left : PLUSSI_BATCH;
        for (size_t k = 0; k < n; k++)
            buf[k] = (plussi_access){.line = slice->line[i + k],
                                     .ref = slice->ref ? slice->ref[i + k] : 0,
                                     .thread = slice->thread ? slice->thread[i + k] : 0};
        status = count_batch(s, buf, n);
    }
    return status;
}

static pluss_status join(slices *s, const job *j)
{
    pluss_status status = j->status;
    const plussi_touched *t = j->slice.stack;
    for (size_t c = 0; c < s->n_caches && !status; c++)
        for (size_t k = 0; k < s->cache[c].n && !status; k++, t++)
            if (t->n > 0) {
                status = touch_firsts(s, &s->cache[c], s->cache[c].lru[k], t);
                s->firsts += t->n;
            }
    s->accesses += j->slice.done * s->n_caches;
    return status ? status : touch_rest(s, &j->slice);
}

/* Waits for a worker, or a while for ranks. The lock is held, but not meanwhile. */
static void wait_for_change(slices *s)
{
    enum { A_WHILE = 200000 /* nanoseconds */ };
    if (!s->ranks) {
        pthread_cond_wait(&s->changed, &s->lock);
        return;
    }
    const size_t busy = plussi_rank_work_count(s->ranks);
    pthread_mutex_unlock(&s->lock);
    meet_ranks(s);
    if (plussi_rank_work_count(s->ranks) == busy)
        nanosleep(&(struct timespec){.tv_nsec = A_WHILE}, NULL);
    pthread_mutex_lock(&s->lock);
}

/* Joins the oldest slice, or does what can be done until it can be. */
static pluss_status join_oldest(slices *s)
{
    job *oldest = &s->job[s->joined % s->n_jobs];
    pthread_mutex_lock(&s->lock);
    while (oldest->state != JOB_DONE && !s->met) {
        job *j = next_filled(s);
        if (j)
            take_job(&s->worker[0], j);
        else
            wait_for_change(s);
    }
    pthread_mutex_unlock(&s->lock);
    pluss_status status = s->met ? s->met : join(s, oldest);
    pthread_mutex_lock(&s->lock);
    oldest->state = JOB_FREE;
    s->joined++;
    pthread_mutex_unlock(&s->lock);
    return status;
}

static size_t slice_length(const slices *s)
{
    uint64_t lines = 0;
    for (size_t c = 0; c < s->n_caches; c++)
        for (size_t i = 0; i < s->cache[c].n; i++) {
            const uint64_t here = plussi_lru_footprint(s->cache[c].lru[i]);
            lines = here > lines ? here : lines;
        }
    if (lines < s->how->least / LINE_ACCESSES)
        return s->how->least;
    return lines < s->cap / LINE_ACCESSES ? LINE_ACCESSES * lines : s->cap;
}

static void copy_accesses(plussi_slice *j, const plussi_access *batch, size_t n)
{
    uint64_t *line = j->line + j->n;
    for (size_t i = 0; i < n; i++)
        line[i] = batch[i].line;
    uint32_t *ref = j->ref ? j->ref + j->n : NULL, *thread = j->thread ? j->thread + j->n : NULL;
    for (size_t i = 0; ref && i < n; i++)
        ref[i] = batch[i].ref;
    for (size_t i = 0; thread && i < n; i++)
        thread[i] = batch[i].thread;
}

static pluss_status fill(slices *s, plussi_slice *j, size_t length, bool *end)
{
    enum { FEW_ACCESSES = 1024, MEANWHILE = 1 << 14 };
    plussi_access batch[FEW_ACCESSES];
    j->n = 0;
    while (j->n < length && !*end) {
        const size_t left = length - j->n;
        size_t n = 0;
        pluss_status status =
            s->next(s->user, batch, left < FEW_ACCESSES ? left : FEW_ACCESSES, &n);
        if (status)
            return status;
        copy_accesses(j, batch, n);
        if (s->ranks && j->n / MEANWHILE < (j->n + n) / MEANWHILE)
            meet_ranks(s);
        j->n += n;
        *end = n == 0;
    }
    return PLUSS_OK;
}

static pluss_status pass_over(slices *s, size_t length, bool *end)
{
    plussi_access buf[PLUSSI_BATCH];
    pluss_status status = PLUSS_OK;
    for (size_t done = 0, n = 1; done < length && !*end && !status; done += n) {
        const size_t left = length - done;
        status = s->next(s->user, buf, left < PLUSSI_BATCH ? left : PLUSSI_BATCH, &n);
        *end = !status && n == 0;
        if (!status)
            status = count_batch(s, buf, n);
    }
    return status;
}

/* No slice is under way: what they hold is not needed for a while. */
static void give_memory_back(slices *s)
{
    for (size_t i = 0; i < s->n_jobs; i++)
        plussi_slice_drop_lines(&s->ctx->mem, &s->shape, &s->job[i].slice);
    for (size_t i = 0; i < s->n_workers; i++)
        for (size_t c = 0; c < s->worker[i].made; c++)
            for (size_t k = 0; k < s->worker[i].cache[c].n; k++)
                plussi_lru_shrink(s->worker[i].cache[c].lru[k]);
}

static pluss_status count_slices(slices *s)
{
    bool end = false, pays = false; /* whether a slice since the last passing over has paid */
    pluss_status status = PLUSS_OK;
    while (!end && !status) {
        job *j = &s->job[s->begun % s->n_jobs];
        const size_t length = slice_length(s);
        status = fill(s, &j->slice, length, &end);
        if (status)
            break;
        pthread_mutex_lock(&s->lock);
        j->state = JOB_FILLED;
        s->begun++;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
        if (s->ranks)
            meet_ranks(s);
        while (!status && s->begun - s->joined >= (pays ? s->n_jobs : 1))
            status = join_oldest(s);
        pays = s->firsts <= s->accesses / FEW;
        if (!status && !pays) {
            while (!status && s->joined < s->begun)
                status = join_oldest(s);
            give_memory_back(s);
            if (!status)
                status = pass_over(s, PASSED_OVER * length, &end);
            s->firsts = s->accesses = 0;
        }
    }
    while (!status && s->joined < s->begun)
        status = join_oldest(s);
    return status;
}

/* ---- what it takes -----------------------------------------------------------------------------
 */

static pluss_status new_worker(slices *s, worker *w)
{
    plussi_ctx_init(&w->ctx, &s->ctx->mem);
    w->slices = s;
    return plussi_caches_like(&w->ctx, s->cache, s->n_caches, &w->cache, &w->made);
}

static uint32_t count_ranks(const plussi_slicing *how)
{
    uint32_t n = 0;
    for (uint32_t i = 0; how->ranks && i < how->ranks->n; i++)
        n += !how->ranks->gone[i];
    return n;
}

/* Accesses of a slice whose result a message holds. */
static size_t most_of_message(const slices *s)
{
    enum { MESSAGE = 1 << 30 };
    size_t n = s->how->most;
    while (n > s->how->least && plussi_slice_result_most(s->cache, s->n_caches, n) > MESSAGE)
        n /= 2;
    return n;
}

static pluss_status new_slices(slices *s)
{
    const plussi_mem *mem = &s->ctx->mem;
    const uint32_t workers = s->how->workers < MOST_WORKERS ? s->how->workers : MOST_WORKERS,
                   ranks = count_ranks(s->how);
    /* two a worker: none waits while the caller fills and joins; a rank has one more in advance */
    s->n_jobs = 2 * (size_t)workers + 1 + 2 * (size_t)ranks;
    s->shape = plussi_slice_shape_of(s->cache, s->n_caches);
    const size_t most = ranks ? most_of_message(s) : s->how->most;
    s->cap = s->how->held / s->n_jobs;
    s->cap = s->cap < s->how->least ? s->how->least : s->cap;
    s->cap = s->cap < most ? s->cap : most;
    s->most_firsts = s->cap / FEW * s->n_caches;
    s->job = plussi_calloc(mem, s->n_jobs, sizeof *s->job);
    s->worker = plussi_calloc(mem, workers, sizeof *s->worker);
    s->cap_workers = workers;
    pluss_status status = s->job && s->worker ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < s->n_jobs && !status; i++)
        status = plussi_slice_new(mem, &s->shape, s->cap, &s->job[i].slice);
    for (; s->n_workers < workers && !status; s->n_workers++)
        status = new_worker(s, &s->worker[s->n_workers]);
    if (!status && ranks)
        status =
            plussi_rank_work_new(s->ctx, s->how->ranks, s->cache, s->n_caches, s->cap, &s->ranks);
    return status;
}

static void start_workers(slices *s)
{
    for (size_t i = 1; i < s->n_workers; i++)
        s->worker[i].started = pthread_create(&s->worker[i].thread, NULL, work, &s->worker[i]) == 0;
}

static void stop_workers(slices *s)
{
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 1; i < s->n_workers; i++)
        if (s->worker[i].started)
            pthread_join(s->worker[i].thread, NULL);
}

static pluss_status add_workers(slices *s)
{
    pluss_status status = PLUSS_OK;
    for (size_t w = 0; w < s->n_workers; w++)
        for (size_t c = 0; c < s->n_caches; c++)
            for (size_t i = 0; i < s->cache[c].n_d && !status; i++)
                status =
                    plussi_distances_add(s->ctx, &s->worker[w].cache[c].d[i], &s->cache[c].d[i]);
    return status;
}

static void free_slices(slices *s)
{
    const plussi_mem *mem = &s->ctx->mem;
    plussi_rank_work_free(s->ranks);
    s->ranks = NULL;
    for (size_t i = 0; s->worker && i <= s->n_workers && i < s->cap_workers; i++) {
        worker *w = &s->worker[i];
        for (size_t c = 0; c < w->made; c++)
            plussi_caches_free(&w->ctx, &w->cache[c]);
        plussi_free(mem, w->cache);
        if (w->slices)
            plussi_ctx_clear(&w->ctx);
    }
    for (size_t i = 0; s->job && i < s->n_jobs; i++)
        plussi_slice_free(mem, &s->shape, &s->job[i].slice);
    plussi_free(mem, s->worker);
    plussi_free(mem, s->job);
}

pluss_status plussi_slices_count(plussi_ctx *ctx, const plussi_slicing *how, plussi_slice_fn next,
                                 void *user, plussi_caches *caches, size_t n_caches)
{
    slices s = {.ctx = ctx,
                .how = how,
                .next = next,
                .user = user,
                .cache = caches,
                .n_caches = n_caches,
                .lock = PTHREAD_MUTEX_INITIALIZER,
                .changed = PTHREAD_COND_INITIALIZER};
    pluss_status status = how->workers > 1 || count_ranks(how) ? new_slices(&s) : PLUSS_ENOMEM;
    if (status) { /* with the memory that there is */
        bool end = false;
        free_slices(&s);
        return pass_over(&s, SIZE_MAX, &end);
    }
    start_workers(&s);
    status = count_slices(&s);
    stop_workers(&s);
    if (!status)
        status = add_workers(&s);
    free_slices(&s);
    return status;
}
