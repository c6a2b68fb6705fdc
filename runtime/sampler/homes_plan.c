/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which groups can touch which memory.
 */
#include <stdlib.h>

#include "sampler/maker.h"

/* Whether array a can have b's memory: swaps connect them, in any number of steps. */
static void connect(uint32_t *part, const plussi_pnode *node)
{
    for (uint32_t i = 0; i < node->n_body; i++)
        connect(part, node->body[i]);
    for (uint32_t i = 0; i < node->n_orelse; i++)
        connect(part, node->orelse[i]);
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
    const plussi_home *x = a, *y = b;
    if (!x->copy_lines != !y->copy_lines)
        return x->copy_lines ? 1 : -1;
    return x->first < y->first ? -1 : x->first > y->first;
}

pluss_status plussi_plan_homes(plussi_engine *e)
{
    const plussi_bound *bound = e->bound;
    uint32_t *part = plussi_arena_alloc(&e->arena, bound->n_arrays + 1, sizeof *part);
    e->home = plussi_arena_alloc(&e->arena, bound->n_arrays + 1, sizeof *e->home);
    if (!part || !e->home)
        return PLUSS_ENOMEM;
    for (uint32_t a = 0; a < bound->n_arrays; a++)
        part[a] = a;
    connect(part, e->root);
    for (uint32_t a = 0; a < bound->n_arrays; a++) {
        const plussi_barray *array = &bound->array[a];
        plussi_home *home = &e->home[e->n_homes];
        *home = (plussi_home){.root = a, .first = UINT64_MAX};
        for (int pass = 0; pass < 2; pass++) {
            uint32_t n = 0;
            for (uint32_t i = e->n_groups; i-- > 0;) {
                plussi_group *g = &e->group[i];
                if (part_of(part, g->root) != part_of(part, a))
                    continue;
                if (pass) {
                    uint64_t low =
                        (uint64_t)(array->base + g->shift + g->bytes.lo) >> e->line_shift;
                    uint64_t high =
                        (uint64_t)(array->base + g->shift + g->bytes.hi) >> e->line_shift;
                    home->first = low < home->first ? low : home->first;
                    home->last = high > home->last ? high : home->last;
                    home->group[n] = g;
                }
                n++;
            }
            home->n_groups = n;
            if (n == 0)
                break;
            if (!pass) {
                home->group = plussi_arena_alloc(&e->arena, n, sizeof(plussi_group *));
                if (!home->group)
                    return PLUSS_ENOMEM;
            }
        }
        if (array->is_private)
            home->copy_lines = (uint64_t)array->copy_bytes >> e->line_shift;
        e->n_homes += home->n_groups > 0;
        e->n_shared += home->n_groups > 0 && !home->copy_lines;
    }
    qsort(e->home, e->n_homes, sizeof *e->home, by_line);
    uint64_t furthest = 0;
    for (uint32_t i = 0; i < e->n_shared; i++) {
        furthest = e->home[i].last > furthest ? e->home[i].last : furthest;
        e->home[i].furthest = furthest;
    }
    return PLUSS_OK;
}
