/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/linemap.h"

#include <stdbool.h>
#include <string.h>

enum { FIRST_TABLE = 64 };

void plussi_linemap_init(plussi_linemap *map, const plussi_mem *mem)
{
    *map = (plussi_linemap){.mem = *mem};
}

void plussi_linemap_free(plussi_linemap *map)
{
    for (size_t i = 0; i < map->table_size; i++)
        plussi_free(&map->mem, map->table[i].page);
    plussi_free(&map->mem, map->table);
    *map = (plussi_linemap){.mem = map->mem};
}

void plussi_linemap_clear(plussi_linemap *map)
{
    for (size_t i = 0; i < map->table_size; i++)
        if (map->table[i].page)
            memset(map->table[i].page->value, 0, sizeof map->table[i].page->value);
}

/* The slot of a page, or the free one where it belongs. The table is never full. */
static plussi_linemap_slot *slot_of(plussi_linemap_slot *table, size_t size, uint64_t number)
{
    size_t i = plussi_linemap_hash(number) >> (64 - __builtin_ctzll(size));
    while (table[i].page && table[i].number != number)
        i = (i + 1) & (size - 1);
    return &table[i];
}

static bool grow_table(plussi_linemap *map)
{
    size_t size = map->table_size ? 2 * map->table_size : FIRST_TABLE;
    plussi_linemap_slot *table = plussi_calloc(&map->mem, size, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < map->table_size; i++)
        if (map->table[i].page)
            *slot_of(table, size, map->table[i].number) = map->table[i];
    plussi_free(&map->mem, map->table);
    map->table = table;
    map->table_size = size;
    return true;
}

static plussi_linemap_page *new_page(plussi_linemap *map, uint64_t number)
{
    /* At most half full: a probe for a page that is not there ends soon. */
    if (2 * map->n_pages >= map->table_size && !grow_table(map))
        return NULL;
    plussi_linemap_page *page = plussi_calloc(&map->mem, 1, sizeof *page);
    if (!page)
        return NULL;
    page->number = number;
    *slot_of(map->table, map->table_size, number) = (plussi_linemap_slot){number, page};
    map->n_pages++;
    return page;
}

plussi_linemap_page *plussi_linemap_find(plussi_linemap *map, uint64_t number)
{
    plussi_linemap_page *page = NULL;
    if (map->table_size)
        page = slot_of(map->table, map->table_size, number)->page;
    if (!page)
        page = new_page(map, number);
    if (page)
        map->recent[plussi_linemap_hash(number) >> (64 - PLUSSI_LINEMAP_RECENT_BITS)] = page;
    return page;
}
