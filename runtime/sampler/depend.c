/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds what the counts of every node depend on, and the counts that never change.
 */
#include <math.h>

#include "sampler/plan.h"

static void gather_children(plussi_plan_node *node, plussi_plan_node *const *body, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        node->dep |= body[i]->dep;
        node->team_dep |= body[i]->team_dep;
        node->phase_dep |= body[i]->phase_dep;
        node->sync |= body[i]->sync;
        node->has_ws |= body[i]->has_ws;
        node->mixed |= body[i]->mixed;
        node->has_swap |= body[i]->has_swap;
        node->on_demand |= body[i]->on_demand;
    }
}

/* Dependences of a node, given those of its children. */
static void find_dependences(plussi_plan_node *node)
{
    gather_children(node, node->body, node->n_body);
    gather_children(node, node->orelse, node->n_orelse);
    if (node->kind == PLUSSI_P_LOOP) {
        plussi_slots own = UINT32_C(1) << node->slot;
        node->own_dep = (node->dep & own) != 0;
        node->own_team_dep = (node->team_dep & own) != 0;
        node->own_phases = (node->phase_dep & own) != 0;
        node->dep &= ~own;
        node->team_dep &= ~own;
        node->phase_dep &= ~own;
    }
    node->dep |= node->reads;
    node->team_dep |= node->reads;
    if (node->sync && node->kind != PLUSSI_P_PAR) /* a team's size changes no barrier */
        node->phase_dep |= node->reads;
    if (node->kind == PLUSSI_P_REF && node->par && !node->par->team_fixed && !node->in_ws) {
        node->dep |= node->par->reads;
        node->team_dep |= node->par->reads;
    }
    if (node->kind == PLUSSI_P_PAR) {
        node->has_ws = true; /* threads beyond the team's size execute nothing */
        node->dep &= ~UINT32_C(1);
        node->team_dep &= ~UINT32_C(1);
    }
    if (node->ws) {
        node->has_ws = true;
        node->mixed = node->dep & 1;
        node->on_demand =
            node->schedule != PLUSSI_SCHED_STATIC && node->schedule != PLUSSI_SCHED_RECORDED;
        if (node->chunk)
            node->dep |= plussi_cexpr_slots(node->chunk);
        if (node->par && !node->par->team_fixed)
            node->dep |= node->par->reads;
        if (node->schedule != PLUSSI_SCHED_STATIC) /* instances have different iteration sets */
            for (uint32_t i = 0; i < node->depth; i++)
                node->dep |= UINT32_C(1) << node->loops[i]->slot;
    }
}

static void finish_workshare(plussi_engine *e, plussi_plan_node *head)
{
    plussi_slots inner = 0, reads = 0;
    for (plussi_plan_node *loop = head;; loop = loop->body[0]) {
        reads |= loop->reads & ~inner;
        inner |= UINT32_C(1) << loop->slot;
        if (loop == head->ws_last)
            break;
    }
    plussi_slots dep = 0;
    for (uint32_t i = 0; i < head->ws_last->n_body; i++)
        dep |= head->ws_last->body[i]->dep;
    head->ws_own_dep = (dep & inner) != 0;
    if (head->chunk)
        reads |= plussi_cexpr_slots(head->chunk);
    if (reads || (head->par && !head->par->team_fixed))
        return;
    int64_t iv[PLUSSI_CURSOR_SLOTS] = {0};
    head->ws_n = plussi_ws_before(e, head, iv, plussi_loop_trips(head, iv));
    head->ws_chunk = head->chunk ? plussi_chunk_at(head, iv) : 0;
    head->ws_fixed = true;
    uint32_t team = head->par ? head->par->team : 1;
    if (head->schedule != PLUSSI_SCHED_STATIC && team > 1)
        return;
    head->set_fixed = true;
    head->set = plussi_iterset_static(head->ws_n, team == 1 ? 0 : head->ws_chunk, team, 0);
    if (head->set.kind != PLUSSI_ITERSET_BLOCK)
        return;
    uint64_t *begin = plussi_arena_alloc(&e->arena, (size_t)team + 1, sizeof *begin);
    for (uint32_t t = 0; begin && t <= team; t++)
        begin[t] = head->ws_n / team * t + (t < head->ws_n % team ? t : head->ws_n % team);
    head->begin = begin;
}

/* Sets the counts of a node that never change; checks that no case is open. */
static void finish_node(plussi_engine *e, plussi_plan_node *node)
{
    plussi_plan_lists(e, node);
    plussi_interval box[PLUSSI_CURSOR_SLOTS] = {{0, e->team - 1}};
    node->regular = plussi_shape_regular(e->effort, node, box);
    if (node->depth > 0)
        node->degree = plussi_degree(node, UINT32_C(1) << node->loops[node->depth - 1]->slot);
    if (node->ws)
        finish_workshare(e, node);
    if (node->regular && !node->has_ws && node->dep > 1 && !(node->dep & (node->dep - 1))) {
        node->poly = plussi_arena_alloc(&e->arena, 1, sizeof *node->poly);
        if (node->poly)
            node->poly->slot = (uint32_t)__builtin_ctz(node->dep);
    }
    int64_t iv[PLUSSI_CURSOR_SLOTS] = {0};
    if (!node->phase_dep) {
        node->barriers =
            plussi_count_node(&(plussi_count){e, PLUSSI_M_BARRIERS, iv, NULL, NULL}, node);
        node->phases_fixed = true;
    }
    plussi_count team = {e, PLUSSI_M_TEAM, iv, NULL, NULL};
    if (!node->team_dep) {
        node->team_count = plussi_count_node(&team, node);
        node->team_known = true;
    }
    if (node->kind == PLUSSI_P_LOOP && node->own_team_dep &&
        (!node->team_dep || !plussi_iterations_regular(node)))
        plussi_count_prefix(&team, node, &e->arena, &e->n_prefixes, &node->prefix);
    if (node->dep)
        return;
    for (int64_t t = 0; t < 2; t++) {
        iv[0] = t;
        node->thread_count[t] =
            node->has_ws
                ? 0
                : plussi_count_node(&(plussi_count){e, PLUSSI_M_THREAD, iv, NULL, NULL}, node);
    }
    node->fixed = true;
}

/* Upper bound of hi - lo. If both are affine, common terms cancel. */
static double most_between(const plussi_plan_node *loop, const plussi_cexpr *lo,
                           const plussi_cexpr *hi)
{
    if (hi->kind == PLUSSI_CEXPR_MIN || hi->kind == PLUSSI_CEXPR_MAX) {
        double a = most_between(loop, lo, hi->a[0]), b = most_between(loop, lo, hi->a[1]);
        return hi->kind == PLUSSI_CEXPR_MIN ? fmin(a, b) : fmax(a, b);
    }
    if (lo->kind == PLUSSI_CEXPR_MIN || lo->kind == PLUSSI_CEXPR_MAX) {
        double a = most_between(loop, lo->a[0], hi), b = most_between(loop, lo->a[1], hi);
        return lo->kind == PLUSSI_CEXPR_MAX ? fmin(a, b) : fmax(a, b);
    }
    if (hi->kind != PLUSSI_CEXPR_AFFINE || lo->kind != PLUSSI_CEXPR_AFFINE)
        return INFINITY;
    double k[PLUSSI_CURSOR_SLOTS] = {0}, sum = (double)hi->c - (double)lo->c;
    for (uint32_t i = 0; i < hi->n; i++)
        k[hi->slot[i]] += (double)hi->coef[i];
    for (uint32_t i = 0; i < lo->n; i++)
        k[lo->slot[i]] -= (double)lo->coef[i];
    for (uint32_t i = 0; i < loop->depth; i++) {
        const plussi_plan_node *around = loop->loops[i];
        double v = k[around->slot];
        sum += fmax(v * (double)around->range.lo, v * (double)around->range.hi);
        k[around->slot] = 0;
    }
    for (uint32_t s = 0; s < PLUSSI_CURSOR_SLOTS; s++)
        if (k[s] != 0) /* the thread's number */
            return INFINITY;
    return sum;
}

static double most_trips(const plussi_plan_node *loop)
{
    bool rising = loop->step > 0;
    double range = (double)loop->range.hi - (double)loop->range.lo + 1;
    double span = most_between(loop, rising ? loop->lo : loop->hi, rising ? loop->hi : loop->lo);
    double trips = ceil(fmin(span, range) / fabs((double)loop->step));
    return trips > 0 ? trips : 0;
}

/* An upper bound, so that no count can overflow. */
static double bound_count(const plussi_engine *e, const plussi_plan_node *node)
{
    double sum = 0;
    for (uint32_t i = 0; i < node->n_body; i++)
        sum += bound_count(e, node->body[i]);
    for (uint32_t i = 0; i < node->n_orelse; i++)
        sum += bound_count(e, node->orelse[i]);
    if (node->kind == PLUSSI_P_REF)
        return (double)node->ref->touches * (node->in_ws ? 1 : e->team);
    if (node->kind == PLUSSI_P_BARRIER)
        return 1;
    if (node->kind == PLUSSI_P_LOOP)
        sum *= most_trips(node);
    return sum;
}

static void for_all(plussi_engine *e, plussi_plan_node *node,
                    void (*fn)(plussi_engine *e, plussi_plan_node *node))
{
    for (uint32_t i = 0; i < node->n_body; i++)
        for_all(e, node->body[i], fn);
    for (uint32_t i = 0; i < node->n_orelse; i++)
        for_all(e, node->orelse[i], fn);
    fn(e, node);
}

static void depend_one(plussi_engine *e, plussi_plan_node *node)
{
    (void)e;
    find_dependences(node);
}

static void find_item(plussi_engine *e, plussi_plan_node *node)
{
    plussi_plan_node *x = node;
    while (x->parent && !x->parent->sync)
        x = x->parent;
    node->item = x;
    if (x == node && node->kind != PLUSSI_P_BARRIER && !node->sync)
        node->part = e->n_parts++;
}

pluss_status plussi_plan_depend(plussi_ctx *ctx, plussi_engine *e)
{
    for_all(e, e->root, depend_one);
    for_all(e, e->root, find_item);
    if (bound_count(e, e->root) > 4e18)
        return plussi_fail(ctx, PLUSS_ERANGE, NULL, "the accesses may not fit 64 bits");
    for_all(e, e->root, plussi_plan_product);
    for_all(e, e->root, finish_node);
    for_all(e, e->root, plussi_plan_linear);
    return PLUSS_OK;
}
