/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The length of iterations in accesses, which decides the stealing. Loops whose bodies do not
 * depend on their IV are multiplied, the others summed.
 */
#include "bound/cexpr.h"
#include "trace/state.h"

/* ---- which slots the number of accesses depends on ---------------------------------------------
 */

static uint32_t body_slots(uint32_t *by_loop, const plussi_bound_node *const *body, uint32_t n)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < n; i++) {
        const plussi_bound_node *node = body[i];
        if (node->kind == PLUSSI_N_IF)
            slots |= plussi_cexpr_slots(node->u.branch.cond);
        if (node->kind == PLUSSI_N_LOOP) {
            uint32_t inside = body_slots(by_loop, node->body, node->n_body);
            by_loop[node->id] = inside;
            slots |= (inside & ~(UINT32_C(1) << node->u.loop.slot)) |
                     plussi_cexpr_slots(node->u.loop.lo) | plussi_cexpr_slots(node->u.loop.hi);
        } else {
            slots |= body_slots(by_loop, node->body, node->n_body);
        }
        slots |= body_slots(by_loop, node->orelse, node->n_orelse);
    }
    return slots;
}

pluss_status plussi_work_prepare(plussi_walk *w)
{
    const plussi_bound *bound = w->bound;
    bool needed = w->watch != NULL;
    for (uint32_t id = 0; id < bound->n_loops; id++)
        if (bound->loop[id])
            needed = needed || bound->loop[id]->u.loop.schedule.kind == PLUSSI_SCHED_RAYON;
    if (!needed)
        return PLUSS_OK;
    w->count_slots = plussi_calloc(&w->ctx->mem, bound->n_loops, sizeof *w->count_slots);
    if (!w->count_slots)
        return PLUSS_ENOMEM;
    for (uint32_t r = 0; r < bound->n_regions; r++)
        body_slots(w->count_slots, bound->region[r].body, bound->region[r].n_body);
    return PLUSS_OK;
}

/* ---- counting ----------------------------------------------------------------------------------
 */

static double count_body(plussi_walk *w, int64_t *iv, const plussi_bound_node *const *body,
                         uint32_t n);

static double count_loop(plussi_walk *w, int64_t *iv, const plussi_bound_node *node)
{
    uint32_t slot = node->u.loop.slot;
    int64_t lo;
    uint64_t trips;
    if (!plussi_walk_trips(w, node, iv, &lo, &trips) || trips == 0)
        return 0;
    iv[slot] = lo;
    if (!(w->count_slots[node->id] >> slot & 1))
        return (double)trips * count_body(w, iv, node->body, node->n_body);
    double sum = 0;
    for (uint64_t i = 0; i < trips && !w->status && plussi_walk_pay(w, 4); i++) {
        sum += count_body(w, iv, node->body, node->n_body);
        if (i + 1 < trips)
            iv[slot] += node->u.loop.step;
    }
    return sum;
}

static double count_node(plussi_walk *w, int64_t *iv, const plussi_bound_node *node)
{
    bool fault = false;
    switch (node->kind) {
    case PLUSSI_N_REF:
        return node->u.ref.touches;
    case PLUSSI_N_LOOP:
        return count_loop(w, iv, node);
    case PLUSSI_N_IF:
        if (plussi_cexpr_eval(node->u.branch.cond, iv, &fault))
            return count_body(w, iv, node->body, node->n_body);
        if (fault)
            plussi_walk_fault(w, node, node->u.branch.cond, iv);
        return count_body(w, iv, node->orelse, node->n_orelse);
    case PLUSSI_N_BRANCH: {
        double p = node->u.branch.probability;
        return p * count_body(w, iv, node->body, node->n_body) +
               (1 - p) * count_body(w, iv, node->orelse, node->n_orelse);
    }
    default:
        return count_body(w, iv, node->body, node->n_body);
    }
}

static double count_body(plussi_walk *w, int64_t *iv, const plussi_bound_node *const *body,
                         uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += count_node(w, iv, body[i]);
    return sum;
}

/* The slots of the collapsed loops. */
static uint32_t collapsed_slots(const step *s)
{
    uint32_t collapsed = 0;
    for (const plussi_bound_node *node = s->node;; node = node->body[0]) {
        collapsed |= UINT32_C(1) << node->u.loop.slot;
        if (node == s->inner)
            return collapsed;
    }
}

double plussi_walk_each(plussi_walk *w, walk_thread *t, const step *s, uint64_t lo)
{
    if (w->count_slots[s->inner->id] & collapsed_slots(s))
        return -1;
    return plussi_rows_seek(w, t, s, lo) ? count_body(w, t->iv, s->inner->body, s->inner->n_body)
                                         : 0;
}

double plussi_walk_work(plussi_walk *w, walk_thread *t, const step *s, uint64_t lo, uint64_t hi)
{
    const plussi_bound_node *inner = s->inner;
    double each = plussi_walk_each(w, t, s, lo), sum = 0;
    if (each >= 0)
        return (double)(hi - lo) * each;
    for (uint64_t i = lo; i < hi && !w->status && plussi_walk_pay(w, 4); i++)
        if (plussi_rows_seek(w, t, s, i))
            sum += count_body(w, t->iv, inner->body, inner->n_body);
    return sum;
}
