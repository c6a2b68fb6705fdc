/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Turns 'does this group touch line L?' into constraints on the induction variables, and narrows
 * their ranges by interval arithmetic.
 */
#include "sampler/search.h"

/* Applies the conditions on single levels. */
static bool cut_box(plussi_search *f)
{
    for (uint32_t i = 0; i < f->n_constraints; i++) {
        const plussi_constraint *q = f->constraint[i];
        plussi_interval *v = &f->box[f->g->level[q->first].loop->slot];
        *v = plussi_interval_meet(
            *v, plussi_multiples(f->target[i].lo - q->c, f->target[i].hi - q->c, q->k[q->first]));
        if (plussi_interval_empty(*v))
            return false;
    }
    return true;
}

/* Narrows the levels from `from` on by one affine condition; false: no solution in the box. *met:
 * the whole box meets it. */
static bool narrow_by(plussi_search *f, const plussi_constraint *q, plussi_interval target,
                      uint32_t from, bool *changed, bool *met)
{
    int64_t lo = q->c, hi = q->c;
    for (uint32_t j = 0; j < q->n_terms; j++) {
        plussi_interval r = plussi_interval_scale(f->box[q->term[j].slot], q->term[j].k);
        lo += r.lo;
        hi += r.hi;
    }
    *met = lo >= target.lo && hi <= target.hi;
    for (uint32_t j = 0; j < q->n_terms && q->term[j].level >= from && !*met; j++) {
        plussi_interval *v = &f->box[q->term[j].slot], old = *v;
        int64_t k = q->term[j].k;
        plussi_interval r = plussi_interval_scale(old, k);
        lo -= r.lo;
        hi -= r.hi;
        *v = plussi_interval_meet(old, plussi_multiples(target.lo - hi, target.hi - lo, k));
        if (plussi_interval_empty(*v))
            return false;
        *changed |= v->lo != old.lo || v->hi != old.hi;
        r = plussi_interval_scale(*v, k);
        lo += r.lo;
        hi += r.hi;
        *met = lo >= target.lo && hi <= target.hi;
    }
    return lo <= target.hi && hi >= target.lo;
}

static bool narrow_by_tree(plussi_search *f, const plussi_constraint *q, plussi_interval target)
{
    plussi_effort_take(f->e->effort, 2 * q->weight + plussi_deep_steps(q->weight));
    return plussi_cexpr_narrow(q->expr, target, f->box);
}

/* met[i]: the whole box meets condition i, and so do smaller boxes. */
static bool propagate_constraints(plussi_search *f, uint32_t from, bool *met)
{
    for (uint32_t i = 0; i < f->n_constraints; i++)
        met[i] = false;
    for (int pass = 0; pass < 2; pass++) {
        bool changed = false;
        for (uint32_t i = 0; i < f->n_constraints; i++)
            if (!f->constraint[i]->k && !narrow_by_tree(f, f->constraint[i], f->target[i]))
                return false;
        for (uint32_t i = 0; i < f->n_constraints; i++)
            if (f->constraint[i]->k && !met[i] &&
                !narrow_by(f, f->constraint[i], f->target[i], from, &changed, &met[i]))
                return false;
        if (!changed)
            break;
    }
    return true;
}

bool plussi_search_propagate(plussi_search *f, uint32_t from)
{
    bool met[PLUSSI_MAX_CONSTRAINTS];
    return propagate_constraints(f, from, met);
}

/* Drops the conditions that the whole box meets. */
static void drop_met(plussi_search *f, const bool *met)
{
    uint32_t n = 0;
    f->coupled = false;
    for (uint32_t i = 0; i < f->n_constraints; i++) {
        const plussi_constraint *q = f->constraint[i];
        if (met[i])
            continue;
        f->coupled |= !q->k || q->first != q->last;
        f->constraint[n] = q;
        f->target[n++] = f->target[i];
    }
    f->n_constraints = n;
}

/* The trip count may vary in the box: the block begins no earlier than with the least, and ends no
 * later than with the greatest. */
bool plussi_search_block(plussi_search *f, uint32_t from)
{
    const plussi_group *g = f->g;
    for (uint32_t l = from; l < g->n_levels; l++) {
        const plussi_plan_node *loop = g->level[l].loop;
        if (!loop->ws || !plussi_is_block(loop))
            continue;
        plussi_interval lo = plussi_cexpr_range(loop->lo, f->box);
        plussi_interval hi = plussi_cexpr_range(loop->hi, f->box);
        bool rising = loop->step > 0;
        uint64_t least = rising ? plussi_trips(lo.hi, hi.lo, loop->step)
                                : plussi_trips(lo.lo, hi.hi, loop->step);
        uint64_t most = rising ? plussi_trips(lo.lo, hi.hi, loop->step)
                               : plussi_trips(lo.hi, hi.lo, loop->step);
        uint64_t t = (uint64_t)f->iv[0], team = loop->par->team;
        uint64_t begin = least / team * t + (t < least % team ? t : least % team);
        uint64_t end = most / team * (t + 1) + (t + 1 < most % team ? t + 1 : most % team);
        if (begin >= end)
            return false;
        int64_t a = loop->step * (int64_t)begin, b = loop->step * (int64_t)(end - 1);
        plussi_interval v = rising ? (plussi_interval){lo.lo + a, lo.hi + b}
                                   : (plussi_interval){lo.lo + b, lo.hi + a};
        plussi_interval *box = &f->box[loop->slot];
        *box = plussi_interval_meet(*box, v);
        if (plussi_interval_empty(*box))
            return false;
    }
    return true;
}

static void add_constraint(plussi_search *f, const plussi_constraint *q, plussi_interval target)
{
    f->constraint[f->n_constraints] = q;
    f->target[f->n_constraints++] = target;
    f->coupled |= !q->k || q->first != q->last;
}

/* Bytes [a, b], from where C + sum S_j Q_j is 0 at C; false: the group cannot touch
 * them. */
static bool constrain_bytes(plussi_search *f, int64_t a, int64_t b)
{
    const plussi_group *g = f->g;
    int64_t whole_a = a, whole_b = b;
    bool several = false;
    if (g->n_dims == 0)
        return a <= 0 && b >= 0;
    for (uint32_t j = 0; j < g->n_dims; j++) {
        const plussi_dim *d = &g->dim[j];
        plussi_interval q = d->range;
        if (!several) {
            q = plussi_interval_meet(q,
                                     plussi_divide_interval(a - d->inner.hi, b - d->inner.lo, d));
            if (plussi_interval_empty(q))
                return false;
            if (q.lo == q.hi) {
                a -= d->stride * q.lo;
                b -= d->stride * q.lo;
            } else if (j + 1 < g->n_dims) {
                several = true;
            }
        }
        if (g->constraint[j].expr || g->constraint[j].first <= g->constraint[j].last)
            add_constraint(f, &g->constraint[j], q);
    }
    if (several) {
        if (!g->affine) { /* of the whole offset */
            whole_a += g->c + g->thread_coef * f->iv[0];
            whole_b += g->c + g->thread_coef * f->iv[0];
        }
        add_constraint(f, &g->constraint[g->n_dims], (plussi_interval){whole_a, whole_b});
    }
    return true;
}

bool plussi_search_constrain(plussi_search *f, int64_t offset)
{
    const plussi_group *g = f->g;
    int64_t a = offset - g->c - g->thread_coef * f->iv[0];
    f->n_constraints = 0;
    f->coupled = false;
    bool can = constrain_bytes(f, a, a + f->span);
    plussi_effort_take(f->e->effort, 2 + f->n_constraints);
    if (!can)
        return false;
    f->box[0] = (plussi_interval){f->iv[0], f->iv[0]};
    for (uint32_t l = 0; l < g->n_levels; l++)
        f->box[g->level[l].loop->slot] = g->level[l].loop->range;
    return true;
}

bool plussi_search_solve(plussi_search *f)
{
    const plussi_group *g = f->g;
    f->coupled |= g->n_guards > 0;
    if (!f->coupled)
        return cut_box(f);
    for (uint32_t i = 0; i < g->n_guards; i++)
        add_constraint(f, &g->guard[i], (plussi_interval){0, INT64_C(1) << 62});
    bool met[PLUSSI_MAX_CONSTRAINTS];
    plussi_effort_take(f->e->effort, 2 * f->n_constraints);
    if (!propagate_constraints(f, 0, met))
        return false;
    drop_met(f, met);
    return true;
}
