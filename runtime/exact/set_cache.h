/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A set-associative cache with LRU replacement in each set, as caches of one configuration are
 * simulated: the line with number l belongs to set l mod sets. Lines that were invalidated leave
 * their way empty, and empty ways are filled first.
 */
#ifndef PLUSSI_EXACT_SET_CACHE_H
#define PLUSSI_EXACT_SET_CACHE_H

#include <stdbool.h>

#include "base/ctx.h"

typedef struct plussi_set_cache {
    plussi_mem mem;
    uint64_t sets;
    uint32_t ways;
    uint64_t *line;   /* ways of them a set, most recent first */
    uint32_t *filled; /* ways in use, by set */
} plussi_set_cache;

/* PLUSS_EINVAL: a size that is not a positive multiple of ways * line_bytes. Any number of sets. */
PLUSS_NODISCARD pluss_status plussi_set_cache_init(plussi_ctx *ctx, uint64_t size_bytes,
                                                   uint32_t ways, uint32_t line_bytes,
                                                   plussi_set_cache *out);
void plussi_set_cache_free(plussi_set_cache *cache);
void plussi_set_cache_clear(plussi_set_cache *cache); /* empty again */

/* One access to a line number (address / line_bytes): true for a hit; a missing line comes in.
 * O(ways). */
bool plussi_set_cache_touch(plussi_set_cache *cache, uint64_t line);
/* Drops a line; false: it was not there. O(ways). */
bool plussi_set_cache_invalidate(plussi_set_cache *cache, uint64_t line);

#endif
