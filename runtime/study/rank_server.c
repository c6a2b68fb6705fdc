/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The other side of ranks.c: a process that runs slices that it is sent.
 */
#include <time.h>

#include "study/ranks.h"
#include "study/slice_messages.h"

typedef struct server {
    plussi_ctx *ctx;
    const plussi_ranks *ranks;
    const plussi_ask *ask;
    plussi_caches *cache;
    size_t n_caches, n_made;
    plussi_slice_shape shape;
    plussi_slice slice;
    size_t cap; /* accesses; 0: there is no room, or no counting */
} server;

static void clear(server *s)
{
    for (size_t c = 0; c < s->n_made; c++)
        plussi_caches_free(s->ctx, &s->cache[c]);
    plussi_free(&s->ctx->mem, s->cache);
    plussi_slice_free(&s->ctx->mem, &s->shape, &s->slice);
    s->cache = NULL;
    s->n_caches = s->n_made = s->cap = 0;
    s->slice = (plussi_slice){0};
}

/* Waits for the next message of rank 0, longer each time that nothing has come: its size. */
static pluss_status wait(const server *s, size_t *bytes)
{
    enum { LEAST = 20000, MOST = 2000000 /* nanoseconds */ };
    uint32_t from = 0;
    int there;
    for (long pause = LEAST; (there = s->ranks->probe(s->ranks->user, &from, bytes)) == 0;
         pause = 2 * pause < MOST ? 2 * pause : MOST) {
        if (plussi_ask_whether(s->ask, "wait", -1, 0))
            return PLUSS_ECANCELLED;
        nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
    }
    return there < 0 || from != 0 ? PLUSS_EIO : PLUSS_OK;
}

/* The next message, which has that many bytes. */
static pluss_status receive(const server *s, void *to, size_t bytes)
{
    size_t there = 0;
    pluss_status status = wait(s, &there);
    if (status)
        return status;
    if (there != bytes)
        return plussi_fail(s->ctx, PLUSS_EFORMAT, NULL,
                           "a message of %zu bytes is of another version of pluss", there);
    return s->ranks->receive(s->ranks->user, 0, to, bytes) ? PLUSS_EIO : PLUSS_OK;
}

static pluss_status answer(const server *s, const void *data, size_t bytes)
{
    return s->ranks->send(s->ranks->user, 0, data, bytes) ? PLUSS_EIO : PLUSS_OK;
}

static pluss_status make_caches(server *s, const plussi_rank_cache *told, size_t n, size_t cap)
{
    s->cache = plussi_calloc(&s->ctx->mem, n + 1, sizeof *s->cache);
    pluss_status status = s->cache ? PLUSS_OK : PLUSS_ENOMEM;
    for (; s->n_made < n && !status; s->n_made++) {
        const plussi_rank_cache *c = &told[s->n_made];
        const uint32_t each = (uint32_t)c->threads_per_cache;
        plussi_caches *made = &s->cache[s->n_made];
        status =
            plussi_caches_new(s->ctx, each ? (uint32_t)c->stacks * each : 1, each, c->parts, made);
        made->by_stack = c->by_stack != 0;
    }
    s->shape = plussi_slice_shape_of(s->cache, s->n_made);
    if (!status)
        status = plussi_slice_new(&s->ctx->mem, &s->shape, cap, &s->slice);
    s->n_caches = status ? 0 : n;
    s->cap = status ? 0 : cap;
    return status;
}

static bool is_possible(const plussi_rank_cache *c)
{
    return c->stacks > 0 && c->parts > 0 && c->threads_per_cache <= PLUSSI_EVENT_THREADS &&
           c->stacks <= PLUSSI_EVENT_THREADS && c->parts <= UINT32_MAX;
}

static pluss_status begin(server *s, size_t n, size_t cap)
{
    enum { CACHES_MOST = 1 << 16 };
    clear(s);
    if (n > CACHES_MOST)
        return plussi_fail(s->ctx, PLUSS_EFORMAT, NULL, "%zu caches", n);
    plussi_rank_cache *told = plussi_calloc(&s->ctx->mem, n + 1, sizeof *told);
    pluss_status status = told ? receive(s, told, n * sizeof *told) : PLUSS_ENOMEM;
    for (size_t i = 0; i < n && !status; i++)
        if (!is_possible(&told[i]))
            status = plussi_fail(s->ctx, PLUSS_EFORMAT, NULL, "an impossible cache");
    if (!status) {
        const pluss_status made = make_caches(s, told, n, cap);
        status =
            answer(s, &(plussi_rank_head){PLUSSI_RANK_READY, made, 0}, sizeof(plussi_rank_head));
    }
    plussi_free(&s->ctx->mem, told);
    return status;
}

static pluss_status run(server *s, size_t n, uint64_t most_firsts)
{
    plussi_slice *slice = &s->slice;
    uint64_t *word = NULL;
    size_t words = 0;
    if (n > s->cap)
        return plussi_fail(s->ctx, PLUSS_EFORMAT, NULL, "a slice of %zu accesses", n);
    slice->n = n;
    pluss_status status = receive(s, slice->line, n * sizeof *slice->line);
    if (!status && slice->ref)
        status = receive(s, slice->ref, n * sizeof *slice->ref);
    if (!status && slice->thread)
        status = receive(s, slice->thread, n * sizeof *slice->thread);
    if (status)
        return status;
    const plussi_meanwhile nobody = {0};
    status = plussi_slice_run(s->ctx, s->cache, s->n_caches, most_firsts, &nobody, slice);
    if (!status)
        status = plussi_slice_pack(s->ctx, s->cache, s->n_caches, slice, &word, &words);
    status = status ? answer(s, &(plussi_rank_head){PLUSSI_RANK_RESULT, status, 0},
                             sizeof(plussi_rank_head))
                    : answer(s, word, words * sizeof *word);
    plussi_free(&s->ctx->mem, word);
    return status;
}

pluss_status plussi_ranks_serve(plussi_ctx *ctx, const plussi_ranks *ranks, const plussi_ask *ask)
{
    server s = {.ctx = ctx, .ranks = ranks, .ask = ask};
    plussi_rank_head head;
    pluss_status status = PLUSS_OK;
    do {
        status = receive(&s, &head, sizeof head);
        if (!status && head.what == PLUSSI_RANK_BEGIN)
            status = begin(&s, head.a, head.b);
        else if (!status && head.what == PLUSSI_RANK_SLICE)
            status = run(&s, head.a, head.b);
        else if (!status && head.what != PLUSSI_RANK_END)
            status = plussi_fail(ctx, PLUSS_EFORMAT, NULL,
                                 "a message that is of another version of pluss");
    } while (!status && head.what != PLUSSI_RANK_END);
    clear(&s);
    if (status == PLUSS_EIO)
        return plussi_fail(ctx, PLUSS_EIO, NULL, "the process that simulates has ended");
    return status;
}
