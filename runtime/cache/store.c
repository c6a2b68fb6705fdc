/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cache/store.h"

#include <string.h>

enum { FEW_WAYS = 64 };

typedef struct plussi_store_entry {
    plussi_copy copy;
    uint64_t before, after; /* used later, used earlier; entry numbers, 0: none */
} entry;

static uint64_t set_of(const plussi_store *s, uint64_t line)
{
    if (s->hashed)
        return (plussi_hash(line) >> 20) % s->sets;
    if (s->page_lines)
        line = (plussi_hash(line / s->page_lines) >> 24) * s->page_lines + line % s->page_lines;
    return s->sets & (s->sets - 1) ? line % s->sets : line & (s->sets - 1);
}

static bool has_few_ways(const plussi_store *s)
{
    return s->copy != NULL;
}

static uint64_t line_of(plussi_copy copy)
{
    return copy >> PLUSSI_COPY_BITS;
}

pluss_status plussi_store_init(plussi_ctx *ctx, const plussi_hierarchy *h, size_t level,
                               plussi_store *out)
{
    const plussi_cache_level *l = &h->level[level];
    plussi_store s = {.mem = ctx->mem,
                      .sets = plussi_level_sets(h, level),
                      .ways = plussi_level_ways(h, level),
                      .page_lines = l->page_bytes / h->line_bytes,
                      .hashed = l->hashed};
    plussi_linemap_init(&s.place, &ctx->mem);
    s.used = plussi_calloc(&ctx->mem, s.sets, sizeof *s.used);
    bool good = s.used != NULL;
    if (good && s.ways <= FEW_WAYS) {
        s.copy = plussi_alloc(&ctx->mem, s.sets, s.ways * sizeof *s.copy);
        good = s.copy != NULL;
    } else if (good) {
        s.head = plussi_calloc(&ctx->mem, s.sets, sizeof *s.head);
        s.tail = plussi_calloc(&ctx->mem, s.sets, sizeof *s.tail);
        good = s.head && s.tail;
    }
    *out = s;
    if (good)
        return PLUSS_OK;
    plussi_store_free(out);
    return PLUSS_ENOMEM;
}

void plussi_store_free(plussi_store *s)
{
    if (!s->mem.resize)
        return;
    plussi_free(&s->mem, s->copy);
    plussi_free(&s->mem, s->used);
    plussi_free(&s->mem, s->entry);
    plussi_free(&s->mem, s->head);
    plussi_free(&s->mem, s->tail);
    plussi_linemap_free(&s->place);
    *s = (plussi_store){0};
}

/* ---- few ways ----------------------------------------------------------------------------------
 */

static uint32_t find_way(const plussi_copy *set, uint32_t used, uint64_t line)
{
    uint32_t way = 0;
    while (way < used && line_of(set[way]) != line)
        way++;
    return way;
}

static plussi_copy *move_to_front(plussi_copy *set, uint32_t way)
{
    plussi_copy copy = set[way];
    if (way > 0) {
        memmove(set + 1, set, way * sizeof *set);
        set[0] = copy;
    }
    return set;
}

/* ---- many ways ---------------------------------------------------------------------------------
 */

static void unlink_entry(plussi_store *s, uint64_t set, uint64_t number)
{
    const entry *e = &s->entry[number - 1];
    *(e->before ? &s->entry[e->before - 1].after : &s->head[set]) = e->after;
    *(e->after ? &s->entry[e->after - 1].before : &s->tail[set]) = e->before;
}

static void link_first(plussi_store *s, uint64_t set, uint64_t number)
{
    entry *e = &s->entry[number - 1];
    e->before = 0;
    e->after = s->head[set];
    *(e->after ? &s->entry[e->after - 1].before : &s->tail[set]) = number;
    s->head[set] = number;
}

static pluss_status new_entry(plussi_store *s, uint64_t *number)
{
    if (s->free_entry) {
        *number = s->free_entry;
        s->free_entry = s->entry[*number - 1].after;
        return PLUSS_OK;
    }
    pluss_status status =
        plussi_grow(&s->mem, &s->entry, &s->cap_entries, s->n_entries, sizeof *s->entry);
    if (!status)
        *number = ++s->n_entries;
    return status;
}

static void free_entry(plussi_store *s, uint64_t number)
{
    s->entry[number - 1].after = s->free_entry;
    s->free_entry = number;
}

/* The entry of a line; 0: none. (No memory: the line was never there.) */
static uint64_t entry_of(plussi_store *s, uint64_t line)
{
    const uint64_t *number = plussi_linemap_at(&s->place, line);
    return number ? *number : 0;
}

static pluss_status add_entry(plussi_store *s, uint64_t set, plussi_copy copy, bool *replaced,
                              plussi_copy *victim)
{
    uint64_t *place = plussi_linemap_at(&s->place, line_of(copy)), number = 0;
    pluss_status status = place ? PLUSS_OK : PLUSS_ENOMEM;
    *replaced = s->used[set] == s->ways;
    if (!status && !*replaced)
        status = new_entry(s, &number);
    if (status)
        return status;
    if (*replaced) {
        number = s->tail[set];
        *victim = s->entry[number - 1].copy;
        *plussi_linemap_at(&s->place, line_of(*victim)) = 0;
        unlink_entry(s, set, number);
    } else {
        s->used[set]++;
    }
    s->entry[number - 1].copy = copy;
    link_first(s, set, number);
    *place = number;
    return PLUSS_OK;
}

/* ---- both --------------------------------------------------------------------------------------
 */

plussi_copy *plussi_store_use(plussi_store *s, uint64_t line)
{
    uint64_t set = set_of(s, line);
    if (has_few_ways(s)) {
        plussi_copy *copies = s->copy + set * s->ways;
        uint32_t way = find_way(copies, s->used[set], line);
        return way < s->used[set] ? move_to_front(copies, way) : NULL;
    }
    uint64_t number = entry_of(s, line);
    if (!number)
        return NULL;
    if (s->head[set] != number) {
        unlink_entry(s, set, number);
        link_first(s, set, number);
    }
    return &s->entry[number - 1].copy;
}

plussi_copy *plussi_store_find(plussi_store *s, uint64_t line)
{
    if (!has_few_ways(s)) {
        uint64_t number = entry_of(s, line);
        return number ? &s->entry[number - 1].copy : NULL;
    }
    uint64_t set = set_of(s, line);
    plussi_copy *copies = s->copy + set * s->ways;
    uint32_t way = find_way(copies, s->used[set], line);
    return way < s->used[set] ? &copies[way] : NULL;
}

pluss_status plussi_store_add(plussi_store *s, plussi_copy copy, bool *replaced,
                              plussi_copy *victim)
{
    uint64_t set = set_of(s, line_of(copy));
    if (!has_few_ways(s))
        return add_entry(s, set, copy, replaced, victim);
    plussi_copy *copies = s->copy + set * s->ways;
    *replaced = s->used[set] == s->ways;
    if (*replaced)
        *victim = copies[s->ways - 1];
    else
        s->used[set]++;
    copies[s->used[set] - 1] = copy;
    move_to_front(copies, s->used[set] - 1);
    return PLUSS_OK;
}

bool plussi_store_remove(plussi_store *s, uint64_t line, plussi_copy *copy)
{
    uint64_t set = set_of(s, line);
    if (!has_few_ways(s)) {
        uint64_t number = entry_of(s, line);
        if (!number)
            return false;
        *copy = s->entry[number - 1].copy;
        unlink_entry(s, set, number);
        free_entry(s, number);
        *plussi_linemap_at(&s->place, line) = 0;
        s->used[set]--;
        return true;
    }
    plussi_copy *copies = s->copy + set * s->ways;
    uint32_t way = find_way(copies, s->used[set], line);
    if (way == s->used[set])
        return false;
    *copy = copies[way];
    s->used[set]--;
    memmove(copies + way, copies + way + 1, (s->used[set] - way) * sizeof *copies);
    return true;
}
