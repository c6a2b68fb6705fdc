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

PLUSSI_NUMBER_MAP(pages, plussi_linemap_slot, number, page)

static plussi_linemap_page *new_page(plussi_linemap *map, uint64_t number)
{
    if (!pages_reserve(&map->mem, &map->table, &map->table_size, FIRST_TABLE, map->n_pages + 1))
        return NULL;
    plussi_linemap_page *page = plussi_calloc(&map->mem, 1, sizeof *page);
    if (!page)
        return NULL;
    page->number = number;
    *pages_find(map->table, map->table_size, number, number) = (plussi_linemap_slot){number, page};
    map->n_pages++;
    return page;
}

static plussi_linemap_page *remember(plussi_linemap *map, plussi_linemap_page *page)
{
    if (page)
        map->recent[plussi_hash(page->number) >> (64 - PLUSSI_LINEMAP_RECENT_BITS)] =
            (plussi_linemap_slot){page->number, page};
    return page;
}

plussi_linemap_page *plussi_linemap_look_up(plussi_linemap *map, uint64_t number)
{
    const plussi_linemap_slot *slot = pages_find(map->table, map->table_size, number, number);
    return slot ? remember(map, slot->page) : NULL;
}

plussi_linemap_page *plussi_linemap_find(plussi_linemap *map, uint64_t number)
{
    plussi_linemap_page *page = plussi_linemap_look_up(map, number);
    return page ? page : remember(map, new_page(map, number));
}

void plussi_linemap_fetch_slot(const plussi_linemap *map, uint64_t line)
{
    if (map->table_size)
        __builtin_prefetch(&map->table[plussi_hash(line >> PLUSSI_LINEMAP_BITS) >>
                                       (64 - __builtin_ctzll(map->table_size))]);
}

uint64_t *plussi_linemap_fetch(const plussi_linemap *map, uint64_t line)
{
    uint64_t number = line >> PLUSSI_LINEMAP_BITS;
    const plussi_linemap_slot *slot = pages_find(map->table, map->table_size, number, number);
    uint64_t *value =
        slot && slot->page ? &slot->page->value[line & (PLUSSI_LINEMAP_LINES - 1)] : NULL;
    if (value)
        __builtin_prefetch(value, 1);
    return value;
}
