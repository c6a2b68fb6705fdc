/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sampler/firsts.h"

#include <string.h>

#include "sampler/workspace.h"

/* The slots that decide whether, where and in which memory the leaf accesses. */
static plussi_slots slots_of(const plussi_plan_node *leaf)
{
    plussi_slots slots = plussi_cexpr_slots(leaf->ref->offset);
    for (const plussi_plan_node *x = leaf; x; x = x->parent)
        slots |= x->reads | (x->ws && x->chunk ? plussi_cexpr_slots(x->chunk) : 0);
    return slots;
}

/* Makes tables for the loops around the leaf whose counts have open cases, from the innermost. */
static void keep_sums(const plussi_count *c, plussi_arena *arena, uint64_t *n_sums,
                      plussi_prefix *prefix)
{
    const plussi_plan_node *leaf = c->only->leaf;
    for (uint32_t l = leaf->depth; l-- > 0;) {
        const plussi_plan_node *loop = leaf->loops[l];
        if (loop->own_dep && !plussi_iterations_regular(loop))
            plussi_count_prefix(c, loop, arena, n_sums, &prefix[loop->slot]);
    }
}

void plussi_firsts_of(const plussi_engine *e, const plussi_group *g, plussi_arena *arena,
                      uint64_t *n_sums, plussi_firsts *out)
{
    const plussi_plan_node *leaf = g->member[0];
    plussi_slots slots = slots_of(leaf);
    /* dispatched iterations change threads each time */
    bool fixed = !leaf->in_ws || leaf->in_ws->schedule == PLUSSI_SCHED_STATIC;
    out->g = g;
    for (uint32_t i = 0; i < PLUSSI_CURSOR_SLOTS; i++)
        out->most[i] = UINT64_MAX;
    for (uint32_t l = 0; l < leaf->depth && fixed; l++) {
        const plussi_plan_node *loop = leaf->loops[l];
        uint32_t order = loop->has_swap ? e->iteration[loop->order].order : 1;
        if (!(slots >> loop->slot & 1) && !loop->ws_head)
            out->most[loop->slot] = order ? order : 1;
    }
    int64_t iv[PLUSSI_CURSOR_SLOTS] = {0};
    memset(out->prefix, 0, sizeof out->prefix);
    plussi_count c = {e, PLUSSI_M_LEAF, iv, &(plussi_only){leaf, out->most, out->prefix}, NULL};
    keep_sums(&c, arena, n_sums, out->prefix);
    out->count = plussi_count_node(&c, e->root) / leaf->ref->touches;
}

void plussi_firsts_nth(plussi_workspace *workspace, const plussi_firsts *firsts, uint64_t n,
                       plussi_cursor *out)
{
    const plussi_engine *e = workspace->engine;
    const plussi_plan_node *only = firsts->g->member[0];
    int64_t iv[PLUSSI_CURSOR_SLOTS] = {0};
    uint32_t touch;
    plussi_count c = {e, PLUSSI_M_LEAF, iv, &(plussi_only){only, firsts->most, firsts->prefix},
                      NULL};
    uint64_t p = n * only->ref->touches + firsts->g->touch;
    const plussi_plan_node *leaf = plussi_descend(workspace, &c, e->root, p, &touch, NULL);
    plussi_set_cursor(leaf, touch, iv, out);
}
