/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts the marks after a slot in a row of slots, for the LRU stacks. Each touch of a line takes
 * the next slot and marks it; the marks after a line's slot are the lines above it in the stack.
 *
 * Marks are bits; 512 of them are a block, and above the blocks is a tree of counters with 16
 * children a node. A move from one slot to a later one changes the tree only below their common
 * ancestor, and the count needs no more: the cost grows with the logarithm of the distance, not of
 * the footprint. Now and then no slot is free and the marks are compacted (plussi_marks_first).
 */
#ifndef PLUSSI_EXACT_MARKS_H
#define PLUSSI_EXACT_MARKS_H

#include "base/ctx.h"

enum {
    PLUSSI_MARKS_WORD = 6,   /* log2 of marks a word */
    PLUSSI_MARKS_BLOCK = 9,  /* of marks a block: one cache line of words */
    PLUSSI_MARKS_FAN = 4,    /* of children a node: one cache line of counters */
    PLUSSI_MARKS_LEVELS = 6, /* 9 + 4 * 6 bits cover the largest capacity */
    PLUSSI_MARKS_LEAST = 1 << 13
};
static const size_t plussi_marks_most = (size_t)1 << 31; /* slots; counters have 32 bits */

typedef struct plussi_marks {
    size_t cap; /* slots: a power of two, LEAST to most */
    uint64_t *word;
    /* level[0][b]: marks in block b; level[k + 1][i]: sum of level[k][16 i ... 16 i + 15]. The
     * highest has at most 16 counters; every level has room for whole nodes. */
    uint32_t *level[PLUSSI_MARKS_LEVELS];
    unsigned n_levels;
    void *memory; /* of all these */
} plussi_marks;

PLUSS_NODISCARD pluss_status plussi_marks_new(const plussi_mem *mem, size_t cap, plussi_marks *out);
void plussi_marks_free(const plussi_mem *mem, plussi_marks *m);

/* The capacity for n marks and as many free slots, no less than the present one (0: none). */
size_t plussi_marks_capacity(size_t present, uint64_t n);

void plussi_marks_first(plussi_marks *m, size_t n); /* marks on the first n slots, on no other */
void plussi_marks_set(plussi_marks *m, size_t at);  /* at is free */

/* ---- the inner loop ----------------------------------------------------------------------------
 *
 * Inlined into callers that are compiled for the processor's own population count. */
#define PLUSSI_MARKS_INLINE static inline __attribute__((always_inline))

/* Marks after a slot in its own block. */
PLUSSI_MARKS_INLINE uint64_t plussi_marks_in_block(const plussi_marks *m, size_t at)
{
    size_t w = at >> PLUSSI_MARKS_WORD;
    size_t end = (w | ((1 << (PLUSSI_MARKS_BLOCK - PLUSSI_MARKS_WORD)) - 1)) + 1;
    uint64_t count = (uint64_t)__builtin_popcountll(m->word[w] & (UINT64_MAX << (at & 63)) << 1);
    while (++w < end)
        count += (uint64_t)__builtin_popcountll(m->word[w]);
    return count;
}

/* Sum of the counters after counter i in its own node: all sixteen under a mask, as their number
 * cannot be predicted. */
PLUSSI_MARKS_INLINE uint64_t plussi_marks_in_node(const uint32_t *level, size_t i)
{
    enum { FAN = 1 << PLUSSI_MARKS_FAN };
    static const uint32_t mask[2 * FAN] = {[FAN] = ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u,
                                           ~0u,         ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
    const uint32_t *node = level + (i & ~(size_t)(FAN - 1));
    const uint32_t *after = mask + FAN - 1 - (i & (FAN - 1));
    uint32_t sum = 0;
    for (int k = 0; k < FAN; k++)
        sum += node[k] & after[k];
    return sum;
}

/* Marks after slot `at`; none is at or after slot `next` > at. */
PLUSSI_MARKS_INLINE uint64_t plussi_marks_after(const plussi_marks *m, size_t at, size_t next)
{
    uint64_t count = plussi_marks_in_block(m, at);
    size_t from = at >> PLUSSI_MARKS_BLOCK, to = next >> PLUSSI_MARKS_BLOCK;
    for (uint32_t *const *level = m->level; from != to; level++) {
        count += plussi_marks_in_node(*level, from);
        from >>= PLUSSI_MARKS_FAN;
        to >>= PLUSSI_MARKS_FAN;
    }
    return count;
}

/* Fetches what it takes to move the mark at a slot. */
PLUSSI_MARKS_INLINE void plussi_marks_fetch(const plussi_marks *m, size_t at)
{
    __builtin_prefetch(&m->word[at >> PLUSSI_MARKS_WORD], 1);
    size_t i = at >> PLUSSI_MARKS_BLOCK;
    for (unsigned k = 0; k + 1 < m->n_levels; k++, i >>= PLUSSI_MARKS_FAN)
        __builtin_prefetch(&m->level[k][i], 1);
}

/* Moves the mark at slot `at` to slot `next`; returns the number of marks after it. */
PLUSSI_MARKS_INLINE uint64_t plussi_marks_move(plussi_marks *m, size_t at, size_t next)
{
    const uint64_t out = (uint64_t)1 << (at & 63), in = (uint64_t)1 << (next & 63);
    uint64_t *word = &m->word[at >> PLUSSI_MARKS_WORD];
    if (at >> PLUSSI_MARKS_WORD == next >> PLUSSI_MARKS_WORD) { /* as most touches are */
        uint64_t marks = *word;
        *word = (marks ^ out) | in;
        return (uint64_t)__builtin_popcountll(marks & UINT64_MAX << (at & 63) << 1);
    }
    uint64_t count = plussi_marks_in_block(m, at);
    *word ^= out;
    m->word[next >> PLUSSI_MARKS_WORD] |= in;
    size_t from = at >> PLUSSI_MARKS_BLOCK, to = next >> PLUSSI_MARKS_BLOCK;
    for (uint32_t *const *level = m->level; from != to; level++) {
        count += plussi_marks_in_node(*level, from);
        (*level)[from]--;
        (*level)[to]++;
        from >>= PLUSSI_MARKS_FAN;
        to >>= PLUSSI_MARKS_FAN;
    }
    return count;
}

#endif
