/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What ranks say of slices (ranks.h). All numbers are of 64 bits, in the order of the machine's
 * bytes.
 */
#ifndef PLUSSI_STUDY_SLICE_MESSAGES_H
#define PLUSSI_STUDY_SLICE_MESSAGES_H

#include "study/slice.h"

typedef enum plussi_rank_message {
    PLUSSI_RANK_BEGIN = 0x706c757373020001, /* "pluss", version 2 */
    PLUSSI_RANK_READY,
    PLUSSI_RANK_SLICE,
    PLUSSI_RANK_RESULT,
    PLUSSI_RANK_END
} plussi_rank_message;

typedef struct plussi_rank_head {
    uint64_t what; /* plussi_rank_message */
    uint64_t a, b;
} plussi_rank_head;

/* A cache as it is told. */
typedef struct plussi_rank_cache {
    uint64_t threads_per_cache, stacks, parts, by_stack;
} plussi_rank_cache;

/* What is found in a slice: head (RESULT, status, number of the words after it); the number of its
 * accesses that were run; of each stack the number of lines, these, and parts * 2^32 + last; of
 * each cache's distances the number of those that there are, each with its count. */

/* A slice of that many accesses has at most as many bytes of result. */
size_t plussi_slice_result_most(const plussi_caches *caches, size_t n_caches, size_t accesses);
/* Packs the slice's stacks and the caches' distances, which are none again then. The caller frees
 * *out. PLUSS_ENOMEM: nothing is changed. */
PLUSS_NODISCARD pluss_status plussi_slice_pack(plussi_ctx *ctx, plussi_caches *caches,
                                               size_t n_caches, const plussi_slice *slice,
                                               uint64_t **out, size_t *n);
/* Whether these n words are a result, PLUSS_OK, of a slice of so many accesses, for these caches.
 */
bool plussi_slice_is_result(const plussi_caches *caches, size_t n_caches, size_t accesses,
                            const uint64_t *word, size_t n);
/* Fills the slice's stacks from a result, and adds its distances to the caches'. PLUSS_ENOMEM: a
 * part of it is done. */
PLUSS_NODISCARD pluss_status plussi_slice_unpack(plussi_ctx *ctx, plussi_caches *caches,
                                                 size_t n_caches, const uint64_t *word,
                                                 plussi_slice *slice);

/* Adds distances to others. PLUSS_ENOMEM: a part of them is added. */
PLUSS_NODISCARD pluss_status plussi_distances_add(plussi_ctx *ctx, const plussi_distances *d,
                                                  plussi_distances *to);

#endif
