/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Map from cache line numbers to 64-bit values: the last-touch table of every engine. Lines of a
 * program come in runs, so a small page of values stands for 2^k neighbouring lines, and a hash
 * table leads to the pages; the pages used last are remembered.
 */
#ifndef PLUSSI_BASE_LINEMAP_H
#define PLUSSI_BASE_LINEMAP_H

#include "base/map.h"

/* 64 lines are 4 KB of a program's memory. A column walk touches a page a row: pages are small, so
 * that a touched page holds few lines that the program leaves alone (8 bytes a line, at most 8.4
 * times that for lone lines). */
enum { PLUSSI_LINEMAP_BITS = 6, PLUSSI_LINEMAP_LINES = 1 << PLUSSI_LINEMAP_BITS };
enum { PLUSSI_LINEMAP_RECENT_BITS = 8, PLUSSI_LINEMAP_RECENT = 1 << PLUSSI_LINEMAP_RECENT_BITS };

typedef struct plussi_linemap_page {
    uint64_t number; /* line >> PLUSSI_LINEMAP_BITS */
    uint64_t value[PLUSSI_LINEMAP_LINES];
} plussi_linemap_page;

typedef struct plussi_linemap_slot {
    uint64_t number;           /* of the page, so that a probe does not have to look into it */
    plussi_linemap_page *page; /* NULL: the slot is free */
} plussi_linemap_slot;

typedef struct plussi_linemap {
    plussi_mem mem;
    plussi_linemap_slot *table; /* base/map.h */
    size_t n_pages, table_size;
    plussi_linemap_page *recent[PLUSSI_LINEMAP_RECENT]; /* direct-mapped by the page's hash */
} plussi_linemap;

void plussi_linemap_init(plussi_linemap *map, const plussi_mem *mem);
void plussi_linemap_free(plussi_linemap *map);
void plussi_linemap_clear(plussi_linemap *map); /* every value 0 again; keeps its memory */

/* The way through the table, for plussi_linemap_at alone. NULL: no memory, the map is as before. */
plussi_linemap_page *plussi_linemap_find(plussi_linemap *map, uint64_t number);

/* The value of a line, 0 when never set; the pointer stays valid until the map is freed.
 * NULL: no memory. Amortised O(1). */
static inline uint64_t *plussi_linemap_at(plussi_linemap *map, uint64_t line)
{
    uint64_t number = line >> PLUSSI_LINEMAP_BITS;
    plussi_linemap_page *page =
        map->recent[plussi_hash(number) >> (64 - PLUSSI_LINEMAP_RECENT_BITS)];
    if (__builtin_expect(!page || page->number != number, 0)) {
        page = plussi_linemap_find(map, number);
        if (!page)
            return NULL;
    }
    return &page->value[line & (PLUSSI_LINEMAP_LINES - 1)];
}

#endif
