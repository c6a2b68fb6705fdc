/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds out which groups can touch which memory.
 */
#include <stdlib.h>

#include "sampler/maker.h"

/* Whether array a can have b's memory: swaps connect the two, in any number of steps. */
static void connect_swapped(uint32_t *part, const plussi_plan_node *node)
{
    for (uint32_t i = 0; i < node->n_body; i++)
        connect_swapped(part, node->body[i]);
    for (uint32_t i = 0; i < node->n_orelse; i++)
        connect_swapped(part, node->orelse[i]);
    if (node->kind != PLUSSI_P_SWAP)
        return;
    uint32_t a = node->decl->u.swap.a, b = node->decl->u.swap.b;
    while (part[a] != a)
        a = part[a];
    while (part[b] != b)
        b = part[b];
    part[a] = b;
}

static uint32_t part_of(const uint32_t *part, uint32_t a)
{
    while (part[a] != a)
        a = part[a];
    return a;
}

static int by_line(const void *a, const void *b)
{
    const plussi_array_range *x = a, *y = b;
    if (!x->copy_lines != !y->copy_lines)
        return x->copy_lines ? 1 : -1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Whether no other range has lines of this one, which is shared. */
static bool is_alone(const plussi_engine *e, uint32_t i)
{
    const plussi_array_range *x = e->range;
    return e->n_shared == e->n_ranges && (i == 0 || x[i - 1].furthest < x[i].first) &&
           (i + 1 == e->n_shared || x[i + 1].first > x[i].last);
}

static pluss_status find_leaf_ranges(plussi_engine *e)
{
    e->leaf_range = plussi_arena_alloc(&e->arena, e->n_leaves, sizeof(*e->leaf_range));
    if (!e->leaf_range)
        return PLUSS_ENOMEM;
    for (uint32_t i = 0; i < e->n_shared; i++)
        for (uint32_t k = 0; is_alone(e, i) && k < e->range[i].n_groups; k++)
            for (uint32_t m = 0; m < e->range[i].group[k]->n_members; m++)
                e->leaf_range[e->range[i].group[k]->member[m]->leaf] = &e->range[i];
    return PLUSS_OK;
}

pluss_status plussi_plan_ranges(plussi_engine *e)
{
    const plussi_bound *bound = e->bound;
    uint32_t *part = plussi_arena_alloc(&e->arena, bound->n_arrays + 1, sizeof *part);
    e->range = plussi_arena_alloc(&e->arena, bound->n_arrays + 1, sizeof *e->range);
    if (!part || !e->range)
        return PLUSS_ENOMEM;
    for (uint32_t a = 0; a < bound->n_arrays; a++)
        part[a] = a;
    connect_swapped(part, e->root);
    for (uint32_t a = 0; a < bound->n_arrays; a++) {
        const plussi_bound_array *array = &bound->array[a];
        plussi_array_range *range = &e->range[e->n_ranges];
        *range = (plussi_array_range){.root = a, .first = UINT64_MAX};
        for (int pass = 0; pass < 2; pass++) {
            uint32_t n = 0;
            for (uint32_t i = e->n_groups; i-- > 0;) {
                plussi_group *g = &e->group[i];
                if (part_of(part, g->root) != part_of(part, a))
                    continue;
                if (pass) { /* no further than the memory: a guard may keep it from more */
                    int64_t low = plussi_max64(g->shift + g->bytes.lo, array->room_lo);
                    int64_t high = plussi_min64(g->shift + g->bytes.hi, array->room_hi - 1);
                    uint64_t first = (uint64_t)(array->base + low) >> e->line_shift;
                    uint64_t last = (uint64_t)(array->base + high) >> e->line_shift;
                    range->first = first < range->first ? first : range->first;
                    range->last = last > range->last ? last : range->last;
                    range->group[n] = g;
                }
                n++;
            }
            range->n_groups = n;
            if (n == 0)
                break;
            if (!pass) {
                range->group = plussi_arena_alloc(&e->arena, n, sizeof(plussi_group *));
                if (!range->group)
                    return PLUSS_ENOMEM;
            }
        }
        if (array->is_private)
            range->copy_lines = (uint64_t)array->copy_bytes >> e->line_shift;
        e->n_ranges += range->n_groups > 0;
        e->n_shared += range->n_groups > 0 && !range->copy_lines;
    }
    qsort(e->range, e->n_ranges, sizeof *e->range, by_line);
    uint64_t furthest = 0;
    for (uint32_t i = 0; i < e->n_shared; i++) {
        furthest = e->range[i].last > furthest ? e->range[i].last : furthest;
        e->range[i].furthest = furthest;
    }
    return find_leaf_ranges(e);
}
