/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A line's mark is in the slot of its last touch: the reuse distance is the number of later marks.
 * When no slot is free the marks are compacted; with twice as many slots as lines a touch takes
 * O(1) moves.
 */
#include "exact/lru.h"

#include "base/huge_pages.h"
#include "base/linemap.h"
#include "exact/marks.h"

struct plussi_lru {
    plussi_mem mem;
    plussi_linemap map;
    plussi_marks marks;
    /* marks.cap slots: the map's value of the line whose last touch took the slot; that value is
     * the slot's number + 1 */
    uint64_t **slot;
    size_t next; /* the next free slot */
    uint64_t lines;
    uint64_t (*touch)(plussi_lru *lru, uint64_t line);
};

void plussi_lru_free(plussi_lru *lru)
{
    if (!lru)
        return;
    plussi_mem mem = lru->mem;
    plussi_marks_free(&mem, &lru->marks);
    plussi_free(&mem, lru->slot);
    plussi_linemap_free(&lru->map);
    plussi_free(&mem, lru);
}

void plussi_lru_reset(plussi_lru *lru)
{
    plussi_linemap_clear(&lru->map);
    plussi_marks_first(&lru->marks, 0);
    lru->next = 0;
    lru->lines = 0;
}

void plussi_lru_shrink(plussi_lru *lru)
{
    plussi_marks marks;
    uint64_t **slot = plussi_alloc(&lru->mem, PLUSSI_MARKS_LEAST, sizeof *slot);
    if (slot && plussi_marks_new(&lru->mem, PLUSSI_MARKS_LEAST, &marks) == PLUSS_OK) {
        plussi_marks_free(&lru->mem, &lru->marks);
        plussi_free(&lru->mem, lru->slot);
        lru->marks = marks;
        lru->slot = slot;
    } else {
        plussi_free(&lru->mem, slot);
    }
    plussi_linemap_free(&lru->map);
    plussi_lru_reset(lru);
}

uint64_t plussi_lru_footprint(const plussi_lru *lru)
{
    return lru->lines;
}

/* Compacts the lines, in ascending order of slots, to the front of `to`. */
static void move_together(const plussi_marks *marks, uint64_t *const *from, uint64_t **to)
{
    size_t n = 0;
    for (size_t w = 0; w < marks->cap >> PLUSSI_MARKS_WORD; w++) {
        for (uint64_t left = marks->word[w]; left; left &= left - 1) {
            to[n] = from[(w << PLUSSI_MARKS_WORD) + (size_t)__builtin_ctzll(left)];
            *to[n] = n + 1;
            n++;
        }
    }
}

static void compact(plussi_lru *lru)
{
    move_together(&lru->marks, lru->slot, lru->slot);
    plussi_marks_first(&lru->marks, lru->lines);
    lru->next = lru->lines;
}

/* Makes a slot free; doubles the slots if the lines take more than half of them. */
static pluss_status make_room(plussi_lru *lru)
{
    size_t cap = plussi_marks_capacity(lru->marks.cap, lru->lines);
    if (cap == lru->marks.cap) {
        compact(lru);
        return PLUSS_OK;
    }
    plussi_marks marks;
    pluss_status status = plussi_marks_new(&lru->mem, cap, &marks);
    if (status != PLUSS_OK)
        return status;
    uint64_t **moved = plussi_alloc(&lru->mem, cap, sizeof *moved);
    plussi_prefer_huge_pages(moved, cap * sizeof *moved);
    if (!moved) {
        plussi_marks_free(&lru->mem, &marks);
        return PLUSS_ENOMEM;
    }
    move_together(&lru->marks, lru->slot, moved);
    plussi_marks_free(&lru->mem, &lru->marks);
    plussi_free(&lru->mem, lru->slot);
    lru->marks = marks;
    lru->slot = moved;
    plussi_marks_first(&lru->marks, lru->lines);
    lru->next = lru->lines;
    return PLUSS_OK;
}

PLUSSI_MARKS_INLINE uint64_t touch(plussi_lru *lru, uint64_t line)
{
    uint64_t *value = plussi_linemap_at(&lru->map, line);
    if (!value)
        return PLUSSI_LRU_FAIL;
    if (*value && *value == lru->next) /* the line touched last keeps its slot */
        return 0;
    if (lru->next == lru->marks.cap && make_room(lru) != PLUSS_OK)
        return PLUSSI_LRU_FAIL;
    uint64_t distance = PLUSSI_LRU_COLD;
    size_t next = lru->next++;
    if (*value) {
        distance = plussi_marks_move(&lru->marks, *value - 1, next);
    } else {
        plussi_marks_set(&lru->marks, next);
        lru->lines++;
    }
    lru->slot[next] = value;
    *value = next + 1;
    return distance;
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) static uint64_t touch_popcnt(plussi_lru *lru, uint64_t line)
{
    return touch(lru, line);
}
#endif

static uint64_t touch_plain(plussi_lru *lru, uint64_t line)
{
    return touch(lru, line);
}

pluss_status plussi_lru_new(plussi_ctx *ctx, plussi_lru **out)
{
    plussi_lru *lru = plussi_calloc(&ctx->mem, 1, sizeof *lru);
    if (!lru)
        return PLUSS_ENOMEM;
    lru->mem = ctx->mem;
    lru->touch = touch_plain;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("popcnt"))
        lru->touch = touch_popcnt;
#endif
    plussi_linemap_init(&lru->map, &lru->mem);
    pluss_status status = make_room(lru);
    if (status != PLUSS_OK) {
        plussi_lru_free(lru);
        return status;
    }
    *out = lru;
    return PLUSS_OK;
}

uint64_t plussi_lru_touch(plussi_lru *lru, uint64_t line)
{
    return lru->touch(lru, line);
}

void plussi_lru_fetch(const plussi_lru *lru, uint64_t line, unsigned ahead)
{
    enum { FEW_LINES = 1 << 15 }; /* which a processor's own caches hold */
    if (lru->lines < FEW_LINES)
        return;
    if (ahead == 3) {
        plussi_linemap_fetch_slot(&lru->map, line);
        return;
    }
    const uint64_t *value = plussi_linemap_fetch(&lru->map, line);
    if (ahead == 1 && value && *value)
        plussi_marks_fetch(&lru->marks, *value - 1);
}

void plussi_lru_order(plussi_lru *lru, const uint64_t *line, size_t n, uint32_t *order)
{
    compact(lru); /* then a line's value is its place + 1 */
    for (size_t i = 0; i < n; i++)
        order[*plussi_linemap_at(&lru->map, line[i]) - 1] = (uint32_t)i;
}

pluss_status plussi_lru_reorder(plussi_lru *lru, const uint32_t *order, size_t n)
{
    uint64_t **last = plussi_alloc(&lru->mem, n + 1, sizeof *last);
    if (!last)
        return PLUSS_ENOMEM;
    /* no line of these was touched again, so that their slots are neighbours */
    const size_t from = lru->next - n;
    for (size_t k = 0; k < n; k++)
        last[k] = lru->slot[from + k];
    for (size_t k = 0; k < n; k++) {
        lru->slot[from + k] = last[order[k]];
        *last[order[k]] = from + k + 1;
    }
    plussi_free(&lru->mem, last);
    return PLUSS_OK;
}
