/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines that one cache holds: sets of ways, replaced in the order of their last use. A copy of
 * a line has three flags, which are the simulator's.
 */
#ifndef PLUSSI_CACHE_STORE_H
#define PLUSSI_CACHE_STORE_H

#include <stdbool.h>

#include "base/linemap.h"
#include "cache/hierarchy.h"

/* A copy of a line: its number and its flags. Numbers are below 2^61. */
typedef uint64_t plussi_copy;
enum {
    PLUSSI_COPY_DIRTY = 1,
    PLUSSI_COPY_SHARED = 2,  /* another cache of the level may hold the line */
    PLUSSI_COPY_WATCHED = 4, /* who writes which bytes of the line is kept */
    PLUSSI_COPY_BITS = 3
};

typedef struct plussi_store {
    plussi_mem mem;
    uint64_t sets, page_lines; /* 0: no pages */
    uint64_t ways;
    bool hashed;
    plussi_copy *copy; /* few ways: those of a set together, the last used one first */
    uint32_t *used;    /* by set: ways that hold a line */
    /* many ways: a list a set, entries by number from 1 */
    struct plussi_store_entry *entry;
    uint64_t *head, *tail;
    size_t n_entries, cap_entries;
    uint64_t free_entry;  /* the first of a list; 0: none */
    plussi_linemap place; /* line: its entry */
} plussi_store;

/* An empty one, of the level; PLUSS_ENOMEM. Memory: 8 bytes a line, 40 to 50 a line held where
 * there are more than 64 ways. */
PLUSS_NODISCARD pluss_status plussi_store_init(plussi_ctx *ctx, const plussi_hierarchy *h,
                                               size_t level, plussi_store *out);
void plussi_store_free(plussi_store *store);

/* The copy of a line, which is the last used one then; NULL: none. The pointer is good until the
 * next call. O(ways), at most O(64). */
plussi_copy *plussi_store_use(plussi_store *store, uint64_t line);
/* The copy, in the place that it has. */
plussi_copy *plussi_store_find(plussi_store *store, uint64_t line);
/* Adds a line that is not there, as the last used one. *victim: the copy that had to go, with its
 * flags; *replaced: there was one. PLUSS_ENOMEM: nothing has changed. */
PLUSS_NODISCARD pluss_status plussi_store_add(plussi_store *store, plussi_copy copy, bool *replaced,
                                              plussi_copy *victim);
/* Takes a line away; false: it is not there. *copy: its flags, too. The next line of the set takes
 * the place that is free. */
bool plussi_store_remove(plussi_store *store, uint64_t line, plussi_copy *copy);

#endif
