/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The previous touch where each loop's values are constrained by themselves: bounds are constant,
 * a subscript holds one induction variable, nothing is conditional. The points that touch the line
 * are then a product of sets, one a loop, and the last one before the cursor is the cursor's own
 * values as far in as they can be kept, an earlier value of the next loop, and the last values of
 * those inside. No search.
 */
#include "sampler/search.h"

bool plussi_is_separate(const plussi_group *g)
{
    bool plain = g->affine && g->n_guards == 0 && g->n_before == 0 && g->swap_level == -2;
    for (uint32_t j = 0; j < g->n_dims && plain; j++)
        plain = g->constraint[j].first >= g->constraint[j].last;
    for (uint32_t l = 0; l < g->n_levels && plain; l++) {
        const plussi_plan_node *loop = g->level[l].loop;
        plain = g->level[l].n_checks == 0 && loop->lo->kind == PLUSSI_CEXPR_AFFINE &&
                loop->lo->n == 0 && loop->hi->kind == PLUSSI_CEXPR_AFFINE && loop->hi->n == 0 &&
                (!loop->ws_head || (loop->set_fixed && loop->collapse == 1));
    }
    return plain;
}

/* Iterations of a level that are allowed. */
typedef struct allowed {
    int64_t first, last, top; /* top: the cursor's */
} allowed;

/* The thread's last iteration in [a, b]; false: none. */
static inline bool find_last(const plussi_search *f, const plussi_plan_node *loop, int64_t a,
                             int64_t b, int64_t *out)
{
    uint64_t n;
    if (a > b)
        return false;
    *out = b;
    if (!loop->ws)
        return true;
    if (loop->begin) {
        int64_t from = (int64_t)loop->begin[f->iv[0]], end = (int64_t)loop->begin[f->iv[0] + 1];
        *out = b < end ? b : end - 1;
        return *out >= a && *out >= from;
    }
    plussi_thread_set own = {.set = loop->set};
    own.set.thread = (uint32_t)f->iv[0];
    if (!plussi_own_latest(loop, &own, (uint64_t)a, (uint64_t)b, &n))
        return false;
    *out = (int64_t)n;
    return true;
}

static inline int64_t iteration_of(const plussi_plan_node *loop, int64_t v)
{
    return loop->step == 1 ? v - loop->lo->c : (v - loop->lo->c) / loop->step;
}

/* The values that a dimension leaves to its level. */
static inline plussi_interval values_of(const plussi_constraint *q, plussi_interval of)
{
    const int64_t k = q->k[q->first];
    if (k == 1)
        return (plussi_interval){of.lo - q->c, of.hi - q->c};
    return plussi_multiples(of.lo - q->c, of.hi - q->c, k);
}

/* Narrows the values of each level to those that touch the bytes. */
static plussi_found narrow_levels(const plussi_search *f, int64_t offset, plussi_interval *of)
{
    const plussi_group *g = f->g;
    int64_t a = offset - g->c - g->thread_coef * f->iv[0], b = a + f->span;
    for (uint32_t l = 0; l < g->n_levels; l++)
        of[l] = g->level[l].loop->range;
    if (g->n_dims == 0)
        return a <= 0 && b >= 0 ? PLUSSI_FOUND : PLUSSI_NOT_FOUND;
    for (uint32_t j = 0; j < g->n_dims; j++) {
        const plussi_dim *d = &g->dim[j];
        plussi_interval q = plussi_interval_meet(
            d->range, plussi_divide_interval(a - d->inner.hi, b - d->inner.lo, d));
        if (plussi_interval_empty(q))
            return PLUSSI_NOT_FOUND;
        if (j + 1 < g->n_dims) {
            if (q.lo != q.hi) /* the line covers several rows: a condition on their sum */
                return PLUSSI_UNDECIDED;
            a -= d->stride * q.lo;
            b -= d->stride * q.lo;
        }
        const plussi_constraint *c = &g->constraint[j];
        if (c->first > c->last)
            continue;
        of[c->first] = plussi_interval_meet(of[c->first], values_of(c, q));
        if (plussi_interval_empty(of[c->first]))
            return PLUSSI_NOT_FOUND;
    }
    return PLUSSI_FOUND;
}

static bool find_allowed(const plussi_search *f, const plussi_interval *value, allowed *of)
{
    const plussi_group *g = f->g;
    for (uint32_t l = 0; l < g->n_levels; l++) {
        const plussi_plan_node *loop = g->level[l].loop;
        plussi_interval v = value[l];
        int64_t lo = loop->lo->c;
        if (loop->step == 1) {
            of[l].first = v.lo - lo;
            of[l].last = v.hi - lo;
        } else if (loop->step > 0) {
            of[l].first = plussi_ceildiv(v.lo - lo, loop->step);
            of[l].last = plussi_floordiv(v.hi - lo, loop->step);
        } else {
            of[l].first = plussi_ceildiv(lo - v.hi, -loop->step);
            of[l].last = plussi_floordiv(lo - v.lo, -loop->step);
        }
        if (!find_last(f, loop, of[l].first, of[l].last, &of[l].last))
            return false;
        if (l < f->up.levels)
            of[l].top = iteration_of(loop, f->up.cursor->iv[loop->slot]);
    }
    return true;
}

static inline void set_iteration(plussi_search *f, uint32_t l, int64_t iteration)
{
    const plussi_plan_node *loop = f->g->level[l].loop;
    f->iv[loop->slot] = loop->lo->c + loop->step * iteration;
}

/* Sets the IVs to the last point before the cursor. *tied: it has the cursor's values in all loops
 * around both. */
static bool find_point(plussi_search *f, const allowed *of, bool *tied)
{
    const uint32_t n = f->g->n_levels, common = f->up.levels;
    uint32_t l = 0;
    while (l < common && of[l].first <= of[l].top && of[l].top <= of[l].last) {
        set_iteration(f, l, of[l].top);
        l++;
    }
    *tied = l == common && f->up.equal;
    if (!*tied) {
        bool later = l < common && of[l].last < of[l].top;
        for (int64_t last; !later; l--) { /* an earlier value as far in as there is one */
            if (l == 0)
                return false;
            const plussi_plan_node *loop = f->g->level[l - 1].loop;
            if (find_last(f, loop, of[l - 1].first, of[l - 1].top - 1, &last)) {
                set_iteration(f, l - 1, last);
                break;
            }
        }
    }
    for (; l < n; l++)
        set_iteration(f, l, of[l].last);
    return true;
}

/* Whether the point is after the lower fence; -1, 0, 1: by its values in the common loops. */
static int compare_low(const plussi_search *f)
{
    for (uint32_t l = 0; l < f->low.levels; l++) {
        const plussi_plan_node *loop = f->g->level[l].loop;
        int64_t v = f->iv[loop->slot], w = f->low.cursor->iv[loop->slot];
        if (v != w)
            return (v < w) == (loop->step > 0) ? -1 : 1;
    }
    return 0;
}

plussi_found plussi_search_separate(plussi_search *f, int64_t offset)
{
    const plussi_group *g = f->g;
    plussi_interval value[PLUSSI_MAX_LEVELS];
    allowed of[PLUSSI_MAX_LEVELS];
    bool tied;
    plussi_effort_take(f->e->effort, 2 + g->n_levels);
    plussi_found found = narrow_levels(f, offset, value);
    if (found != PLUSSI_FOUND)
        return found;
    if (!find_allowed(f, value, of) || !find_point(f, of, &tied))
        return PLUSSI_NOT_FOUND;
    uint32_t i = g->n_members;
    while (tied && i > 0 &&
           (g->member[i - 1]->order > f->up.leaf->order ||
            (g->member[i - 1] == f->up.leaf && g->touch >= f->up.cursor->touch)))
        i--;
    if (i == 0)
        return PLUSSI_NOT_FOUND;
    f->found = g->member[i - 1];
    int after = f->low.cursor ? compare_low(f) : 1;
    bool later =
        after > 0 || (after == 0 && (f->found->order > f->low.leaf->order ||
                                     (f->found == f->low.leaf && g->touch > f->low.cursor->touch)));
    return later ? PLUSSI_FOUND : PLUSSI_NOT_FOUND;
}
