/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines that all threads touch at the same places of their sequences. A phase that is one static
 * loop whose iterations make equally many accesses is the same sequence for every thread, but for
 * the loop's own induction variable, and where no subscript or bound reads that, a touch by one
 * thread tells those of the others.
 */
#include <string.h>

#include "sampler/search.h"

static bool reads_none(const plussi_plan_node *node, plussi_slots slots)
{
    return !(node->reads & slots);
}

bool plussi_is_same_for_threads(const plussi_group *g)
{
    const plussi_plan_node *x = g->member[0], *ws = x->in_ws;
    if (!ws || !ws->set_fixed || ws->collapse > 1 || !ws->turn || x->zero || g->thread_coef ||
        !g->affine || g->swap_level != -2 || g->n_before)
        return false;
    const plussi_slots slots = UINT32_C(1) << ws->slot | 1;
    for (uint32_t j = 0; j < g->n_dims + (g->n_dims > 0); j++)
        if (g->constraint[j].k && g->constraint[j].k[ws->depth])
            return false;
    for (uint32_t l = ws->depth; l < g->n_levels; l++) {
        const plussi_level *level = &g->level[l];
        if (l > ws->depth && !reads_none(level->loop, slots))
            return false;
        for (uint32_t i = 0; i < level->n_checks; i++)
            if (level->check[i]->parent->kind != PLUSSI_P_IF ||
                !reads_none(level->check[i]->parent, slots))
                return false;
    }
    return true;
}

/* The loop that such a phase is; NULL: it is something else. */
static const plussi_plan_node *loop_of(plussi_workspace *workspace, uint64_t phase)
{
    const plussi_phase *ph = plussi_workspace_phase(workspace, phase);
    const plussi_plan_node *ws = ph->n_items == 1 ? ph->item[0].node : NULL;
    return ws && ws->ws && ws->turn && ws->set_fixed && ws->collapse == 1 ? ws : NULL;
}

/* Whether bits has at most one in so many of the team's threads. */
static bool are_few(const plussi_engine *e, const uint64_t *bits)
{
    enum { FEW = 4 };
    uint32_t n = 0;
    for (uint32_t i = 0; i < (e->team + 63) / 64; i++)
        n += (uint32_t)__builtin_popcountll(bits[i]);
    return n <= e->team / FEW;
}

bool plussi_engine_touched_alike(plussi_workspace *workspace, uint64_t line, uint64_t phase,
                                 uint64_t *except)
{
    const plussi_engine *e = workspace->engine;
    const plussi_plan_node *ws = loop_of(workspace, phase);
    plussi_search f = {.e = e, .span = plussi_line_span(e)};
    uint32_t at = UINT32_MAX;
    bool known = false;         /* it is no other thread's private memory */
    if (!ws || !ws->some_alike) /* all threads would be exceptions */
        return false;
    memset(except, 0, ((size_t)e->team + 63) / 64 * sizeof *except);
    for (const plussi_array_range *range; (range = plussi_next_range(e, 0, line, &at));) {
        if (range->copy_lines)
            return false;
        known = true;
        plussi_pay_groups(e, range->n_groups);
        for (uint32_t i = 0; i < range->n_groups; i++) {
            const plussi_group *g = range->group[i];
            if (g->member[0]->item != ws)
                continue;
            int64_t offset = plussi_range_offset(e, range, g, 0, line);
            if (offset + plussi_line_span(e) < g->bytes.lo || offset > g->bytes.hi)
                continue;
            if (g->member[0]->in_ws != ws)
                return false;
            if (g->same_for_threads)
                continue;
            f.root = range->root;
            f.g = g;
            plussi_add_touchers_in(&f, &workspace->phase[phase % PLUSSI_WORKSPACE_PHASES].item[0],
                                   offset, except);
            if (!are_few(e, except))
                return false;
        }
    }
    return known;
}

void plussi_engine_move_to_thread(plussi_workspace *workspace, uint64_t phase, uint64_t pos,
                                  uint32_t thread, plussi_cursor *cursor)
{
    const plussi_plan_node *ws = loop_of(workspace, phase);
    plussi_thread_set own = {.set = ws->set};
    own.set.thread = thread;
    uint64_t n = plussi_thread_set_nth(ws, &own, pos / ws->turn);
    cursor->iv[0] = thread;
    plussi_enter_iteration(ws, cursor->iv, n);
}
