/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/ranks.h"

#include <time.h>

#include "study/slice_messages.h"

typedef enum rank_state { ABSENT, BEGINNING, IDLE, BUSY } rank_state;

typedef struct rank {
    rank_state state; /* ABSENT: it takes no slices */
    size_t number;    /* BUSY: of its slice, */
    size_t accesses;  /* and of how many */
} rank;

struct plussi_rank_work {
    plussi_ctx *ctx;
    plussi_ranks *ranks;
    const plussi_caches *caches;
    size_t n_caches;
    rank *rank; /* number i + 1 */
    uint64_t
        *word; /* the latest message, for which there is this room: a result is never without */
    size_t room, busy; /* bytes; ranks that owe an answer */
};

static bool send_to(plussi_ranks *ranks, uint32_t number, const void *data, size_t bytes)
{
    if (!ranks->gone[number - 1] && ranks->send(ranks->user, number, data, bytes) != 0)
        ranks->gone[number - 1] = true;
    return !ranks->gone[number - 1];
}

/* ---- a counting --------------------------------------------------------------------------------
 */

pluss_status plussi_rank_work_new(plussi_ctx *ctx, plussi_ranks *ranks, const plussi_caches *caches,
                                  size_t n_caches, size_t cap, plussi_rank_work **out)
{
    plussi_rank_work *w = plussi_calloc(&ctx->mem, 1, sizeof *w);
    plussi_rank_cache *told = plussi_alloc(&ctx->mem, n_caches, sizeof *told);
    rank *all = plussi_calloc(&ctx->mem, ranks->n, sizeof *all);
    const size_t room = plussi_slice_result_most(caches, n_caches, cap);
    uint64_t *word = plussi_alloc(&ctx->mem, room, 1);
    if (!w || !told || !all || !word) {
        plussi_free(&ctx->mem, w);
        plussi_free(&ctx->mem, told);
        plussi_free(&ctx->mem, all);
        plussi_free(&ctx->mem, word);
        return PLUSS_ENOMEM;
    }
    *w = (plussi_rank_work){.ctx = ctx,
                            .ranks = ranks,
                            .caches = caches,
                            .n_caches = n_caches,
                            .rank = all,
                            .word = word,
                            .room = room};
    for (size_t c = 0; c < n_caches; c++)
        told[c] = (plussi_rank_cache){caches[c].threads_per_cache, caches[c].n, caches[c].n_d,
                                      caches[c].by_stack};
    const plussi_rank_head head = {PLUSSI_RANK_BEGIN, n_caches, cap};
    for (uint32_t i = 0; i < ranks->n; i++)
        if (send_to(ranks, i + 1, &head, sizeof head) &&
            send_to(ranks, i + 1, told, n_caches * sizeof *told)) {
            w->rank[i].state = BEGINNING;
            w->busy++;
        }
    plussi_free(&ctx->mem, told);
    *out = w;
    return PLUSS_OK;
}

uint32_t plussi_rank_work_idle(const plussi_rank_work *w)
{
    for (uint32_t i = 0; i < w->ranks->n; i++)
        if (w->rank[i].state == IDLE && !w->ranks->gone[i])
            return i + 1;
    return 0;
}

size_t plussi_rank_work_count(const plussi_rank_work *w)
{
    return w->busy;
}

bool plussi_rank_work_give(plussi_rank_work *w, uint32_t number, const plussi_slice *slice,
                           uint64_t most_firsts, size_t job)
{
    const plussi_rank_head head = {PLUSSI_RANK_SLICE, slice->n, most_firsts};
    plussi_ranks *r = w->ranks;
    rank *to = &w->rank[number - 1];
    const size_t n = slice->n;
    bool sent = send_to(r, number, &head, sizeof head) &&
                send_to(r, number, slice->line, n * sizeof *slice->line) &&
                (!slice->ref || send_to(r, number, slice->ref, n * sizeof *slice->ref)) &&
                (!slice->thread || send_to(r, number, slice->thread, n * sizeof *slice->thread));
    *to = (rank){sent ? BUSY : ABSENT, job, n};
    w->busy += sent;
    return sent;
}

/* ---- answers -----------------------------------------------------------------------------------
 */

/* The rank has what it had no more. */
static plussi_rank_news drop(plussi_rank_work *w, uint32_t number, size_t *job)
{
    rank *r = &w->rank[number - 1];
    const rank_state was = r->state;
    r->state = ABSENT;
    w->busy -= was == BUSY || was == BEGINNING;
    *job = r->number;
    return was == BUSY        ? PLUSSI_RANKS_LOST
           : was == BEGINNING ? PLUSSI_RANKS_READY
                              : PLUSSI_RANKS_NOTHING;
}

static plussi_rank_news understand(plussi_rank_work *w, uint32_t number, size_t n, size_t *job)
{
    rank *r = &w->rank[number - 1];
    const plussi_rank_head *head = (const plussi_rank_head *)w->word;
    const bool is_head = n * sizeof *w->word == sizeof *head;
    if (r->state == BEGINNING && is_head && head->what == PLUSSI_RANK_READY) {
        r->state = head->a == PLUSS_OK ? IDLE : ABSENT;
        w->busy--;
        return PLUSSI_RANKS_READY;
    }
    if (r->state == BUSY &&
        plussi_slice_is_result(w->caches, w->n_caches, r->accesses, w->word, n)) {
        r->state = IDLE;
        w->busy--;
        *job = r->number;
        return PLUSSI_RANKS_DONE;
    }
    const bool lacks = is_head && head->what == PLUSSI_RANK_RESULT && head->a == PLUSS_ENOMEM;
    w->ranks->gone[number - 1] |= !lacks; /* it speaks another language */
    return drop(w, number, job);
}

pluss_status plussi_rank_work_look(plussi_rank_work *w, plussi_rank_news *news, size_t *job)
{
    plussi_ranks *r = w->ranks;
    uint32_t number = 0;
    size_t bytes = 0;
    const int there = r->probe(r->user, &number, &bytes);
    *news = PLUSSI_RANKS_NOTHING;
    if (there == 0 || number < 1 || number > r->n)
        return PLUSS_OK;
    if (there > 0 && bytes > w->room)
        return plussi_fail(w->ctx, PLUSS_EFORMAT, NULL,
                           "rank %u sends what is no result: it is of another version of pluss",
                           number);
    if (there < 0 || r->receive(r->user, number, w->word, bytes) != 0) {
        r->gone[number - 1] = true;
        *news = drop(w, number, job);
        return PLUSS_OK;
    }
    if (r->gone[number - 1]) /* what it still said */
        *news = PLUSSI_RANKS_READY;
    else
        *news = understand(w, number, bytes % sizeof *w->word ? 0 : bytes / sizeof *w->word, job);
    return PLUSS_OK;
}

pluss_status plussi_rank_work_take(plussi_rank_work *w, plussi_caches *caches, plussi_slice *slice)
{
    return plussi_slice_unpack(w->ctx, caches, w->n_caches, w->word, slice);
}

void plussi_rank_work_free(plussi_rank_work *w)
{
    if (!w)
        return;
    plussi_rank_news news;
    size_t job;
    while (w->busy > 0 && plussi_rank_work_look(w, &news, &job) == PLUSS_OK) {
        if (news == PLUSSI_RANKS_NOTHING)
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    plussi_free(&w->ctx->mem, w->word);
    plussi_free(&w->ctx->mem, w->rank);
    plussi_free(&w->ctx->mem, w);
}

void plussi_ranks_end(plussi_ranks *ranks)
{
    const plussi_rank_head head = {PLUSSI_RANK_END, 0, 0};
    for (uint32_t i = 0; i < ranks->n; i++)
        (void)send_to(ranks, i + 1, &head, sizeof head);
}
