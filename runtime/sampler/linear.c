/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * If all bodies make the same number of accesses in every iteration, a thread's position in an item
 * is linear in the iterations of the outer loops, and the number of accesses before a child of a
 * body is constant.
 */
#include "sampler/plan.h"

/* A thread's accesses in a node; false: not constant, or not the same for all threads. */
static bool count_even(const plussi_plan_node *node, uint64_t *count)
{
    if (!node->fixed || node->has_ws || node->thread_count[0] != node->thread_count[1])
        return false;
    *count = node->thread_count[0];
    return true;
}

static bool even_list(plussi_plan_node *const *list, uint32_t n, uint64_t *sum)
{
    uint64_t one;
    *sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!count_even(list[i], &one))
            return false;
        *sum += one;
    }
    return true;
}

/* Accesses an iteration, and whether the position among iterations is that of the iteration or that
 * in the iteration set. */
static bool is_even(const plussi_plan_node *loop, uint64_t *each)
{
    if (loop->ws_head ? loop->collapse != 1 || loop->ws_own_dep : loop->own_dep)
        return false;
    return even_list(loop->body, loop->n_body, each);
}

void plussi_plan_linear(plussi_engine *e, plussi_plan_node *node)
{
    if (node->kind == PLUSSI_P_LOOP && !is_even(node, &node->turn))
        node->turn = 0;
    node->flat = plussi_is_flat(node);
    if (node->kind != PLUSSI_P_REF)
        return;
    uint64_t *each = plussi_arena_alloc(&e->arena, node->depth + 1, sizeof *each), sum;
    if (!each) /* counted instead */
        return;
    for (const plussi_plan_node *x = node, *p; x != node->item; x = p) {
        p = x->parent;
        if (!even_list(x->in_else ? p->orelse : p->body, x->child, &sum))
            return;
        node->ahead += sum;
        if (p->kind == PLUSSI_P_LOOP && !is_even(p, &each[p->depth]))
            return;
        if (p->kind != PLUSSI_P_LOOP && p->kind != PLUSSI_P_IF)
            return;
    }
    node->each = each;
}

uint64_t plussi_linear_rank(const plussi_engine *e, const plussi_plan_node *leaf, const int64_t *iv)
{
    uint64_t sum = leaf->ahead;
    for (uint32_t l = leaf->item->depth; l < leaf->depth; l++) {
        const plussi_plan_node *loop = leaf->loops[l];
        int64_t gap = iv[loop->slot] - plussi_value(loop->lo, iv);
        uint64_t iteration = (uint64_t)(loop->step == 1 ? gap : gap / loop->step);
        if (loop->begin) {
            iteration -= loop->begin[iv[0]];
        } else if (loop->ws) {
            plussi_thread_set own;
            plussi_thread_set_at(e, loop, iv, (uint32_t)iv[0], &own);
            if (!plussi_iterset_position(&own.set, iteration, &iteration)) /* as in the counting */
                continue;
        }
        sum += leaf->each[l] * iteration;
    }
    return sum;
}

/* ---- lists --------------------------------------------------------------------------------------
 */

void plussi_plan_lists(plussi_engine *e, plussi_plan_node *node)
{
    bool by_thread = true;
    if (node->n_body < 2)
        return;
    for (uint32_t i = 0; i < node->n_body; i++) {
        if (!node->body[i]->team_known)
            return;
        by_thread &= node->body[i]->fixed && !node->body[i]->has_ws;
    }
    uint64_t *sum = plussi_arena_alloc(&e->arena, 3 * ((size_t)node->n_body + 1), sizeof *sum);
    if (!sum)
        return;
    for (uint32_t k = 0; k < (by_thread ? 3U : 1U); k++, sum += node->n_body + 1) {
        for (uint32_t i = 0; i < node->n_body; i++) {
            const plussi_plan_node *x = node->body[i];
            sum[i + 1] = sum[i] + (k == 0 ? x->team_count : x->thread_count[k - 1]);
        }
        node->before[k] = sum;
    }
}
