/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Map from cache line numbers to 64-bit values: the last-touch table of every engine. Lines of a
 * program come in runs, so a small page of values stands for 2^k neighbouring lines, and a hash
 * table leads to the pages; the page used last is remembered.
 */
#ifndef PLUSSI_BASE_LINEMAP_H
#define PLUSSI_BASE_LINEMAP_H

#include "base/ctx.h"

typedef struct plussi_linemap {
    plussi_mem mem;
    struct plussi_linemap_page **table; /* open addressing, power-of-two size */
    size_t n_pages, table_size;
    struct plussi_linemap_page *recent[8]; /* direct-mapped cache of pages */
} plussi_linemap;

void plussi_linemap_init(plussi_linemap *map, const plussi_mem *mem);
void plussi_linemap_free(plussi_linemap *map);
void plussi_linemap_clear(plussi_linemap *map); /* every value 0 again */

/* The value of a line, 0 when never set; the pointer stays valid until the map is freed or cleared.
 * NULL: no memory. Amortised O(1). */
uint64_t *plussi_linemap_at(plussi_linemap *map, uint64_t line);

/* Calls fn for every line whose value is not 0, in no order. */
void plussi_linemap_each(const plussi_linemap *map,
                         void (*fn)(void *user, uint64_t line, uint64_t value), void *user);

#endif
