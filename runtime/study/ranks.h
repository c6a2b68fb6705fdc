/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Other processes, of this machine or others, that take slices of exact simulations (slices.h).
 * Slices are sent to them and not read by them: so they need neither the file nor what is asked,
 * and a slice costs the sender less than to read it (8 to 16 bytes an access).
 *
 * Messages from the process that simulates (all have one head, of 24 bytes, and then other
 * messages): BEGIN  numbers of caches and of accesses that a slice has at most; then the caches'
 * shapes. The answer is a head READY with a status. SLICE  accesses, first touches that it has
 * at most; then their lines, and where they make a difference references and threads. The answer is
 * one message (slice_messages.h). END there is no answer.
 */
#ifndef PLUSSI_STUDY_RANKS_H
#define PLUSSI_STUDY_RANKS_H

#include "base/ask.h"
#include "study/slice.h"

/* How they are reached; each is called by the caller's thread alone. Not 0: it failed, and the rank
 * is taken to be gone. */
typedef struct plussi_ranks {
    uint32_t n; /* the others: 1 to n; the process that simulates is rank 0 */
    int (*send)(void *user, uint32_t rank, const void *data, size_t bytes);
    /* 1: the next message is from *rank; 0: there is none; negative, once: *rank is gone. */
    int (*probe)(void *user, uint32_t *rank, size_t *bytes);
    int (*receive)(void *user, uint32_t rank, void *data, size_t bytes);
    void *user;
    bool *gone; /* of rank i + 1; not used again */
} plussi_ranks;

/* Ranks as seen by one counting. */
typedef struct plussi_rank_work plussi_rank_work;

/* Begins a counting on all of them: at most cap accesses a slice. The caller frees. PLUSS_ENOMEM.
 */
PLUSS_NODISCARD pluss_status plussi_rank_work_new(plussi_ctx *ctx, plussi_ranks *ranks,
                                                  const plussi_caches *caches, size_t n_caches,
                                                  size_t cap, plussi_rank_work **out);
/* A rank that is ready and has nothing to do; 0: none. */
uint32_t plussi_rank_work_idle(const plussi_rank_work *work);
/* Gives it slice number `number` (most_firsts: of plussi_slice_run). False: it is gone. */
bool plussi_rank_work_give(plussi_rank_work *work, uint32_t rank, const plussi_slice *slice,
                           uint64_t most_firsts, size_t number);
typedef enum plussi_rank_news {
    PLUSSI_RANKS_NOTHING, /* no message */
    PLUSSI_RANKS_READY,   /* one more may take slices, or will not */
    PLUSSI_RANKS_DONE,    /* *number is done: give it to plussi_rank_work_take */
    PLUSSI_RANKS_LOST     /* *number is to be done by somebody else */
} plussi_rank_news;
/* Looks for a message. PLUSS_EFORMAT: it is too long to be an answer. Does not wait. */
PLUSS_NODISCARD pluss_status plussi_rank_work_look(plussi_rank_work *work, plussi_rank_news *news,
                                                   size_t *number);
/* Fills slice->stack and adds the distances of the slice that is done. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_rank_work_take(plussi_rank_work *work, plussi_caches *caches,
                                                   plussi_slice *slice);
size_t plussi_rank_work_count(const plussi_rank_work *work); /* slices that ranks have */
/* Waits for what ranks still have, unless one talks nonsense. NULL is allowed. */
void plussi_rank_work_free(plussi_rank_work *work);

void plussi_ranks_end(plussi_ranks *ranks); /* ends plussi_ranks_serve in all of them */
/* In another process: answers until it is told to end. PLUSS_ECANCELLED: ask says so; PLUSS_ENOMEM;
 * PLUSS_EIO: rank 0 is gone; PLUSS_EFORMAT: it is of another version. */
PLUSS_NODISCARD pluss_status plussi_ranks_serve(plussi_ctx *ctx, const plussi_ranks *ranks,
                                                const plussi_ask *ask);

#endif
