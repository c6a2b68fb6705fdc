/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/slices.h"

#include <pthread.h>

enum {
    MOST_WORKERS = 256,
    LINE_ACCESSES = 16, /* of a slice, for each line so far */
    FEW = 4,            /* one first touch in that many accesses: slicing pays */
    PASSED_OVER = 16    /* slices, where it does not */
};

/* Lines of a slice that a stack sees. */
typedef struct touched {
    uint64_t *line; /* in the order of their first touches */
    uint32_t *ref;  /* of these */
    uint32_t *last; /* their numbers in the order of their last touches */
    size_t n, cap;
} touched;

typedef enum job_state { JOB_FREE, JOB_FILLED, JOB_RUNNING, JOB_DONE } job_state;

typedef struct job {
    job_state state;
    pluss_status status;
    uint64_t *line;
    uint32_t *ref, *thread; /* NULL: they make no difference */
    size_t n;
    touched *stack; /* of all caches, one cache after the other */
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
    size_t n_caches, n_stacks;
    worker *worker; /* number 0 is the caller */
    size_t n_workers;
    job *job; /* a ring: filled and joined in order */
    size_t n_jobs, cap;
    size_t begun, joined; /* jobs */
    uint64_t accesses, firsts;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop;
} slices;

/* ---- one slice ---------------------------------------------------------------------------------
 */

static bool grow(plussi_ctx *ctx, touched *t)
{
    const size_t cap = t->cap ? 2 * t->cap : 1024;
    uint64_t *line = plussi_realloc(&ctx->mem, t->line, cap, sizeof *line);
    t->line = line ? line : t->line;
    uint32_t *ref = plussi_realloc(&ctx->mem, t->ref, cap, sizeof *ref);
    t->ref = ref ? ref : t->ref;
    uint32_t *last = plussi_realloc(&ctx->mem, t->last, cap, sizeof *last);
    t->last = last ? last : t->last;
    if (!line || !ref || !last)
        return false;
    t->cap = cap;
    return true;
}

static pluss_status note_first(plussi_ctx *ctx, touched *t, uint64_t line, uint32_t ref)
{
    if (t->n == t->cap && !grow(ctx, t))
        return PLUSS_ENOMEM;
    t->line[t->n] = line;
    t->ref[t->n++] = ref;
    return PLUSS_OK;
}

static pluss_status run_cache(plussi_ctx *ctx, plussi_caches *c, job *j, touched *stack)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < j->n && !status; i++) {
        const uint32_t ref = c->n_d > 1 ? j->ref[i] : 0;
        const size_t s = c->threads_per_cache ? j->thread[i] / c->threads_per_cache : 0;
        const uint64_t distance = plussi_lru_touch(c->lru[s], j->line[i]);
        status = distance == PLUSSI_LRU_COLD ? note_first(ctx, &stack[s], j->line[i], ref)
                                             : plussi_count_distance(ctx, &c->d[ref], distance);
    }
    for (size_t s = 0; s < c->n; s++) {
        if (!status && stack[s].n > 0)
            plussi_lru_order(c->lru[s], stack[s].line, stack[s].n, stack[s].last);
        plussi_lru_reset(c->lru[s]); /* also of a slice that failed: the next one begins empty */
    }
    return status;
}

static void run_job(worker *w, job *j)
{
    touched *stack = j->stack;
    j->status = PLUSS_OK;
    for (size_t s = 0; s < w->slices->n_stacks; s++)
        stack[s].n = 0;
    for (size_t c = 0; c < w->slices->n_caches && !j->status; stack += w->cache[c++].n)
        j->status = run_cache(&w->ctx, &w->cache[c], j, stack);
}

/* The lock is held. */
static job *next_filled(const slices *s)
{
    for (size_t i = s->joined; i < s->begun; i++)
        if (s->job[i % s->n_jobs].state == JOB_FILLED)
            return &s->job[i % s->n_jobs];
    return NULL;
}

/* The lock is held, but not while the job runs. */
static void take_job(worker *w, job *j)
{
    slices *s = w->slices;
    j->state = JOB_RUNNING;
    pthread_mutex_unlock(&s->lock);
    run_job(w, j);
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

/* A first touch in the slice is a touch of the whole trace. */
static pluss_status touch_firsts(slices *s, plussi_caches *c, plussi_lru *lru, const touched *t)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < t->n && !status; i++) {
        for (unsigned ahead = 3; ahead > 0; ahead--)
            if (i + ahead * PLUSSI_LRU_AHEAD < t->n)
                plussi_lru_fetch(lru, t->line[i + ahead * PLUSSI_LRU_AHEAD], ahead);
        status = plussi_count_distance(s->ctx, &c->d[t->ref[i]], plussi_lru_touch(lru, t->line[i]));
    }
    return status ? status : plussi_lru_reorder(lru, t->last, t->n);
}

static pluss_status join(slices *s, const job *j)
{
    pluss_status status = j->status;
    const touched *t = j->stack;
    for (size_t c = 0; c < s->n_caches && !status; c++)
        for (size_t k = 0; k < s->cache[c].n && !status; k++, t++)
            if (t->n > 0) {
                status = touch_firsts(s, &s->cache[c], s->cache[c].lru[k], t);
                s->firsts += t->n;
            }
    s->accesses += j->n * s->n_caches;
    return status;
}

/* Joins the oldest slice, or does what can be done until it can be. */
static pluss_status join_oldest(slices *s)
{
    job *oldest = &s->job[s->joined % s->n_jobs];
    pthread_mutex_lock(&s->lock);
    while (oldest->state != JOB_DONE) {
        job *j = next_filled(s);
        if (j)
            take_job(&s->worker[0], j);
        else
            pthread_cond_wait(&s->changed, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    pluss_status status = join(s, oldest);
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

static void copy_accesses(job *j, const plussi_access *batch, size_t n)
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

static pluss_status fill(slices *s, job *j, size_t length, bool *end)
{
    enum { FEW_ACCESSES = 1024 };
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
        j->n += n;
        *end = n == 0;
    }
    return PLUSS_OK;
}

/* Accesses one by one through the stacks of the whole trace. */
static pluss_status pass_over(slices *s, size_t length, bool *end)
{
    plussi_access buf[PLUSSI_BATCH];
    pluss_status status = PLUSS_OK;
    for (size_t done = 0, n = 1; done < length && !*end && !status; done += n) {
        const size_t left = length - done;
        status = s->next(s->user, buf, left < PLUSSI_BATCH ? left : PLUSSI_BATCH, &n);
        *end = !status && n == 0;
        for (size_t c = 0; c < s->n_caches && !status; c++)
            status = plussi_count_batch(s->ctx, &s->cache[c], buf, n);
    }
    return status;
}

static pluss_status count_slices(slices *s)
{
    bool end = false;
    pluss_status status = PLUSS_OK;
    while (!end && !status) {
        job *j = &s->job[s->begun % s->n_jobs];
        const size_t length = slice_length(s);
        status = fill(s, j, length, &end);
        if (status)
            break;
        pthread_mutex_lock(&s->lock);
        j->state = JOB_FILLED;
        s->begun++;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
        while (!status && s->begun - s->joined == s->n_jobs)
            status = join_oldest(s);
        if (!status && s->firsts > s->accesses / FEW) {
            while (!status && s->joined < s->begun)
                status = join_oldest(s);
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
    w->cache = plussi_calloc(&s->ctx->mem, s->n_caches + 1, sizeof *w->cache);
    pluss_status status = w->cache ? PLUSS_OK : PLUSS_ENOMEM;
    for (; w->made < s->n_caches && !status; w->made++) {
        const plussi_caches *c = &s->cache[w->made];
        const uint32_t team = c->threads_per_cache ? (uint32_t)c->n * c->threads_per_cache : 1;
        status = plussi_caches_new(&w->ctx, team, c->threads_per_cache, c->n_d, &w->cache[w->made]);
    }
    return status;
}

static pluss_status new_slices(slices *s)
{
    const plussi_mem *mem = &s->ctx->mem;
    const uint32_t workers = s->how->workers < MOST_WORKERS ? s->how->workers : MOST_WORKERS;
    s->n_jobs = (size_t)workers + 1;
    s->cap = s->how->held / s->n_jobs;
    s->cap = s->cap < s->how->least ? s->how->least : s->cap;
    s->cap = s->cap < s->how->most ? s->cap : s->how->most;
    bool refs = false, threads = false;
    for (size_t c = 0; c < s->n_caches; c++) {
        s->n_stacks += s->cache[c].n;
        refs |= s->cache[c].n_d > 1;
        threads |= s->cache[c].threads_per_cache > 0;
    }
    s->job = plussi_calloc(mem, s->n_jobs, sizeof *s->job);
    s->worker = plussi_calloc(mem, workers, sizeof *s->worker);
    pluss_status status = s->job && s->worker ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < s->n_jobs && !status; i++) {
        job *j = &s->job[i];
        j->line = plussi_alloc(mem, s->cap, sizeof *j->line);
        j->ref = refs ? plussi_alloc(mem, s->cap, sizeof *j->ref) : NULL;
        j->thread = threads ? plussi_alloc(mem, s->cap, sizeof *j->thread) : NULL;
        j->stack = plussi_calloc(mem, s->n_stacks, sizeof *j->stack);
        if (!j->line || !j->stack || (refs && !j->ref) || (threads && !j->thread))
            status = PLUSS_ENOMEM;
    }
    for (; s->n_workers < workers && !status; s->n_workers++)
        status = new_worker(s, &s->worker[s->n_workers]);
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

static pluss_status add_distances(plussi_ctx *ctx, const plussi_distances *d, plussi_distances *to)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = d->n; i-- > 0 && !status;)
        if (d->count[i] > 0) {
            status = plussi_count_distance(ctx, to, i);
            to->count[i] += status ? 0 : d->count[i] - 1;
        }
    return status;
}

static pluss_status add_workers(slices *s)
{
    pluss_status status = PLUSS_OK;
    for (size_t w = 0; w < s->n_workers; w++)
        for (size_t c = 0; c < s->n_caches; c++)
            for (size_t i = 0; i < s->cache[c].n_d && !status; i++)
                status = add_distances(s->ctx, &s->worker[w].cache[c].d[i], &s->cache[c].d[i]);
    return status;
}

static void free_slices(slices *s)
{
    const plussi_mem *mem = &s->ctx->mem;
    for (size_t i = 0; s->worker && i <= s->n_workers && i < s->n_jobs - 1; i++) {
        worker *w = &s->worker[i];
        for (size_t c = 0; c < w->made; c++)
            plussi_caches_free(&w->ctx, &w->cache[c]);
        plussi_free(mem, w->cache);
        if (w->slices)
            plussi_ctx_clear(&w->ctx);
    }
    for (size_t i = 0; s->job && i < s->n_jobs; i++) {
        for (size_t k = 0; s->job[i].stack && k < s->n_stacks; k++) {
            plussi_free(mem, s->job[i].stack[k].line);
            plussi_free(mem, s->job[i].stack[k].ref);
            plussi_free(mem, s->job[i].stack[k].last);
        }
        plussi_free(mem, s->job[i].stack);
        plussi_free(mem, s->job[i].line);
        plussi_free(mem, s->job[i].ref);
        plussi_free(mem, s->job[i].thread);
    }
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
    pluss_status status = how->workers > 1 ? new_slices(&s) : PLUSS_ENOMEM;
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
