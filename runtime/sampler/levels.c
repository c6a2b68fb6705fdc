/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the search tests at each level of a path, and how many values it has to try.
 */
#include "sampler/maker.h"

enum { MAX_TRIES = 1024 };

static uint32_t least_common_multiple(uint32_t a, uint32_t b)
{
    uint64_t v = a / plussi_gcd(a, b) * b;
    return v > MAX_TRIES ? 0 : (uint32_t)v;
}

/* Number of values of the slot after which x repeats: 1: x does not read it, 0: never. */
static uint32_t find_period(const plussi_cexpr *x, uint32_t slot)
{
    if (!(plussi_cexpr_slots(x) >> slot & 1))
        return 1;
    if (x->kind == PLUSSI_CEXPR_AFFINE)
        return 0;
    if (x->kind == PLUSSI_CEXPR_MOD && x->a[0]->kind == PLUSSI_CEXPR_AFFINE)
        return x->k > MAX_TRIES ? 0 : (uint32_t)x->k;
    uint32_t all = 1;
    for (int i = 0; i < 3 && x->a[i]; i++) {
        uint32_t one = find_period(x->a[i], slot);
        all = one && all ? least_common_multiple(all, one) : 0;
    }
    return all;
}

uint32_t plussi_count_tries(const plussi_maker *m, uint32_t l)
{
    const plussi_group *g = m->g;
    const plussi_plan_node *loop = g->level[l].loop;
    uint32_t all = 1, slot = loop->slot;
    for (uint32_t i = 0; i < g->n_dims && all; i++) {
        if (g->constraint[i].k)
            all = g->constraint[i].k[l] ? 0 : all;
        else
            all = least_common_multiple(all, find_period(g->constraint[i].expr, slot));
    }
    for (uint32_t i = l + 1; i < g->n_levels && all; i++) {
        const plussi_plan_node *inner = g->level[i].loop;
        uint32_t lo = find_period(inner->lo, slot), hi = find_period(inner->hi, slot);
        all = lo && hi ? least_common_multiple(all, lo) : 0;
        all = all ? least_common_multiple(all, hi) : 0;
        if (inner->ws && (inner->schedule != PLUSSI_SCHED_STATIC ||
                          (inner->chunk && (plussi_cexpr_slots(inner->chunk) >> slot & 1))))
            all = 0;
    }
    for (const plussi_plan_node *x = g->member[0]->parent; x && all; x = x->parent) {
        if (x->kind == PLUSSI_P_IF) {
            uint32_t p = find_period(x->cond, slot);
            all = p ? least_common_multiple(all, p) : 0;
        }
        if (x->kind == PLUSSI_P_PAR && (x->reads >> slot & 1))
            all = 0;
    }
    if (all && m->e->has_swap && m->e->iteration[loop->order].order > 1)
        all = least_common_multiple(all, m->e->iteration[loop->order].order);
    if (loop->ws_head && (all > 1 || loop != loop->ws_head->ws_last))
        all = 0; /* a thread's values are not consecutive */
    return all;
}

/* If the first value of a cyclic loop moves with this loop, the thread's iterations recur: the
 * search can go straight to an iteration in which the thread has some that meet the constraints. */
void plussi_find_leap(plussi_maker *m, uint32_t l)
{
    plussi_group *g = m->g;
    const plussi_plan_node *outer = g->level[l].loop;
    for (uint32_t w = l + 1; w < g->n_levels && !outer->ws_head; w++) {
        const plussi_plan_node *loop = g->level[w].loop;
        if (!loop->ws)
            continue;
        if (loop->collapse > 1 || loop->schedule != PLUSSI_SCHED_STATIC || !loop->chunk ||
            loop->chunk->kind != PLUSSI_CEXPR_AFFINE || loop->chunk->n || !loop->par ||
            !loop->par->team_fixed || (loop->step != 1 && loop->step != -1) ||
            loop->lo->kind != PLUSSI_CEXPR_AFFINE)
            return;
        int64_t moves = 0;
        for (uint32_t i = 0; i < loop->lo->n; i++) {
            uint32_t slot = loop->lo->slot[i];
            if (slot == outer->slot)
                moves = loop->lo->coef[i];
            else if (slot != 0 && m->level_of[slot] > l)
                return;
        }
        if (plussi_mul_over(moves, outer->step, &moves))
            return;
        g->level[l].leap = moves;
        g->level[l].cyclic = w;
        return;
    }
}

static pluss_status add_check(plussi_maker *m, plussi_plan_node *node, int level)
{
    plussi_group *g = m->g;
    plussi_plan_node ***list = level < 0 ? &g->before : &g->level[level].check;
    uint32_t *n = level < 0 ? &g->n_before : &g->level[level].n_checks;
    if (!*list)
        *list = plussi_arena_alloc(&m->e->arena, PLUSSI_MAX_DEPTH + 2, sizeof **list);
    if (!*list)
        return PLUSS_ENOMEM;
    (*list)[(*n)++] = node;
    return PLUSS_OK;
}

static int known_at(const plussi_maker *m, plussi_slots slots)
{
    int level = -1;
    for (uint32_t s = 1; s < PLUSSI_CURSOR_SLOTS; s++)
        if (slots >> s & 1)
            level = m->level_of[s] > level ? m->level_of[s] : level;
    return level;
}

pluss_status plussi_add_checks(plussi_maker *m)
{
    plussi_group *g = m->g;
    pluss_status status = PLUSS_OK;
    g->swap_level = -2;
    for (plussi_plan_node *x = g->member[0]; x->parent && !status; x = x->parent) {
        plussi_plan_node *p = x->parent;
        if (p->kind == PLUSSI_P_IF) {
            status = add_check(m, x, known_at(m, p->reads));
            if (!status)
                status = plussi_guard_condition(m, p->cond, !x->in_else);
        } else if (p->kind == PLUSSI_P_PAR && !p->team_fixed) {
            status = add_check(m, x, known_at(m, p->reads));
        }
    }
    if (!m->e->has_swap || status)
        return status;
    int level = -1;
    bool moved = false;
    for (plussi_plan_node *x = g->member[0]; x->parent; x = x->parent) {
        moved |= m->e->before[x->order] != NULL;
        if (x->kind == PLUSSI_P_LOOP && m->e->iteration[x->order].order > 1) {
            moved = true;
            level = m->level_of[x->slot] > level ? m->level_of[x->slot] : level;
        }
    }
    g->swap_level = moved ? level : -2;
    return PLUSS_OK;
}
