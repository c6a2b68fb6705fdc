/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Map from cache line numbers to 64-bit values: the table of last touches of every engine. A
 * program's lines come in runs, so a small page of values covers 2^k neighbouring lines, and a hash
 * table leads to the pages; recently used pages are remembered.
 */
#ifndef PLUSSI_BASE_LINEMAP_H
#define PLUSSI_BASE_LINEMAP_H

#include "base/map.h"

/* 64 lines are 4 KB of a program's memory. A column walk touches a page for each row: pages are
 * small, so that a used page has few unused lines (8 bytes a line, at most 8.4 times that for
 * isolated lines). */
enum { PLUSSI_LINEMAP_BITS = 6, PLUSSI_LINEMAP_LINES = 1 << PLUSSI_LINEMAP_BITS };
enum { PLUSSI_LINEMAP_RECENT_BITS = 10, PLUSSI_LINEMAP_RECENT = 1 << PLUSSI_LINEMAP_RECENT_BITS };

typedef struct plussi_linemap_page {
    uint64_t number; /* line >> PLUSSI_LINEMAP_BITS */
    uint64_t value[PLUSSI_LINEMAP_LINES];
} plussi_linemap_page;

typedef struct plussi_linemap_slot {
    uint64_t number;           /* of the page, so that a probe does not have to read the page */
    plussi_linemap_page *page; /* NULL: the slot is empty */
} plussi_linemap_slot;

typedef struct plussi_linemap {
    plussi_mem mem;
    plussi_linemap_slot *table; /* base/map.h */
    size_t n_pages, table_size;
    plussi_linemap_slot recent[PLUSSI_LINEMAP_RECENT]; /* direct-mapped by the page's hash */
} plussi_linemap;

void plussi_linemap_init(plussi_linemap *map, const plussi_mem *mem);
void plussi_linemap_free(plussi_linemap *map);
void plussi_linemap_clear(plussi_linemap *map); /* sets every value to 0; keeps its memory */

/* The slow path of plussi_linemap_at. NULL: out of memory, the map is unchanged. */
plussi_linemap_page *plussi_linemap_find(plussi_linemap *map, uint64_t number);

/* The page if there is one; NULL: none of its lines has been set. */
plussi_linemap_page *plussi_linemap_look_up(plussi_linemap *map, uint64_t number);

/* Hints of lines that are touched soon. First where the line's page is looked up is fetched; some
 * touches later the value; the result is where that is, NULL: it is not known. */
void plussi_linemap_fetch_slot(const plussi_linemap *map, uint64_t line);
uint64_t *plussi_linemap_fetch(const plussi_linemap *map, uint64_t line);

static inline uint64_t *plussi_linemap_by(plussi_linemap *map, uint64_t line,
                                          plussi_linemap_page *(*find)(plussi_linemap *map,
                                                                       uint64_t number))
{
    uint64_t number = line >> PLUSSI_LINEMAP_BITS;
    const plussi_linemap_slot *recent =
        &map->recent[plussi_hash(number) >> (64 - PLUSSI_LINEMAP_RECENT_BITS)];
    plussi_linemap_page *page = recent->page;
    if (__builtin_expect(!page || recent->number != number, 0)) {
        page = find(map, number);
        if (!page)
            return NULL;
    }
    return &page->value[line & (PLUSSI_LINEMAP_LINES - 1)];
}

/* The value of a line, 0 if never set; the pointer is valid until the map is freed. NULL: out of
 * memory. Amortised O(1). */
static inline uint64_t *plussi_linemap_at(plussi_linemap *map, uint64_t line)
{
    return plussi_linemap_by(map, line, plussi_linemap_find);
}

/* The same without allocating: NULL where neither the line nor one near it has a value. */
static inline uint64_t *plussi_linemap_known(plussi_linemap *map, uint64_t line)
{
    return plussi_linemap_by(map, line, plussi_linemap_look_up);
}

#endif
