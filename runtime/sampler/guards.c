/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Affine loop bounds and guards, which cut the search for a touch short.
 */
#include <math.h>

#include "sampler/maker.h"

typedef struct linear {
    int64_t c, k[PLUSSI_CURSOR_SLOTS];
} linear;

/* a * s + x * t; false: x is not affine, or an overflow. */
static bool combine_linear(linear *a, int64_t s, const plussi_cexpr *x, int64_t t)
{
    if (plussi_mul_over(a->c, s, &a->c))
        return false;
    for (int i = 0; i < PLUSSI_CURSOR_SLOTS; i++)
        if (plussi_mul_over(a->k[i], s, &a->k[i]))
            return false;
    if (!x)
        return !plussi_add_over(a->c, t, &a->c);
    int64_t p;
    if (x->kind != PLUSSI_CEXPR_AFFINE || plussi_mul_over(x->c, t, &p) ||
        plussi_add_over(a->c, p, &a->c))
        return false;
    for (uint32_t i = 0; i < x->n; i++) {
        int64_t *k = &a->k[x->slot[i]];
        if (plussi_mul_over(x->coef[i], t, &p) || plussi_add_over(*k, p, k))
            return false;
    }
    return true;
}

/* The guards leave points that the loops and conditions do not. */
static pluss_status leave_out(plussi_maker *m)
{
    m->exact = false;
    return PLUSS_OK;
}

/* Adds f >= 0, which holds at every point that is searched. */
static pluss_status add_guard(plussi_maker *m, const linear *f)
{
    plussi_group *g = m->g;
    uint32_t levels = 0;
    double size = fabs((double)f->c);
    plussi_constraint q = {.c = f->c, .first = g->n_levels};
    for (uint32_t s = 1; s < PLUSSI_CURSOR_SLOTS; s++) {
        if (!f->k[s])
            continue;
        uint32_t l = m->level_of[s];
        levels++;
        plussi_interval v = g->level[l].loop->range;
        size += fabs((double)f->k[s]) * fmax(fabs((double)v.lo), fabs((double)v.hi));
        q.first = l < q.first ? l : q.first;
        q.last = l > q.last ? l : q.last;
    }
    if (levels == 0 || f->k[0] || size > 1e18) /* no restriction, or not safe */
        return levels == 0 && !f->k[0] && f->c >= 0 ? PLUSS_OK : leave_out(m);
    q.k = plussi_maker_levels(m);
    if (!q.k || plussi_grow(&m->ctx->mem, &g->guard, &m->guards_cap, g->n_guards, sizeof *g->guard))
        return PLUSS_ENOMEM;
    for (uint32_t s = 1; s < PLUSSI_CURSOR_SLOTS; s++)
        if (f->k[s])
            q.k[m->level_of[s]] = f->k[s];
    g->guard[g->n_guards++] = q;
    return PLUSS_OK;
}

/* sign 1: f >= x; sign -1: x >= f. Parts without an affine form are skipped. */
static pluss_status guard_bound(plussi_maker *m, const linear *f, const plussi_cexpr *x, int sign)
{
    linear h = *f;
    pluss_status status = PLUSS_OK;
    switch (x->kind) {
    case PLUSSI_CEXPR_AFFINE:
        return combine_linear(&h, sign, x, -sign) ? add_guard(m, &h) : leave_out(m);
    case PLUSSI_CEXPR_MIN:
    case PLUSSI_CEXPR_MAX:
        if ((x->kind == PLUSSI_CEXPR_MAX) != (sign > 0))
            return leave_out(m);
        status = guard_bound(m, f, x->a[0], sign);
        return status ? status : guard_bound(m, f, x->a[1], sign);
    case PLUSSI_CEXPR_ADD:
        for (int i = 0; i < 2; i++)
            if (combine_linear(&h, 1, x->a[i], -1))
                return guard_bound(m, &h, x->a[1 - i], sign);
            else
                h = *f;
        return leave_out(m);
    case PLUSSI_CEXPR_DIV: /* f >= floor(y/k): k f + k - 1 >= y;  floor(y/k) >= f: y >= k f */
        if (!combine_linear(&h, x->k, NULL, sign > 0 ? x->k - 1 : 0))
            return leave_out(m);
        return guard_bound(m, &h, x->a[0], sign);
    default:
        return leave_out(m);
    }
}

pluss_status plussi_guard_condition(plussi_maker *m, const plussi_cexpr *cond, bool truth)
{
    linear zero = {0}, minus = {.c = -1};
    pluss_status status = PLUSS_OK;
    switch (cond->kind) {
    case PLUSSI_CEXPR_GE0:
        return truth ? guard_bound(m, &zero, cond->a[0], -1)
                     : guard_bound(m, &minus, cond->a[0], 1);
    case PLUSSI_CEXPR_EQ0:
    case PLUSSI_CEXPR_NE0:
        if (truth != (cond->kind == PLUSSI_CEXPR_EQ0))
            return leave_out(m);
        status = guard_bound(m, &zero, cond->a[0], 1);
        return status ? status : guard_bound(m, &zero, cond->a[0], -1);
    case PLUSSI_CEXPR_AND:
    case PLUSSI_CEXPR_OR:
        if (truth != (cond->kind == PLUSSI_CEXPR_AND))
            return leave_out(m);
        status = plussi_guard_condition(m, cond->a[0], truth);
        return status ? status : plussi_guard_condition(m, cond->a[1], truth);
    case PLUSSI_CEXPR_NOT:
        return plussi_guard_condition(m, cond->a[0], !truth);
    default:
        return leave_out(m);
    }
}

pluss_status plussi_give_loop_bounds(plussi_maker *m, const plussi_plan_node *loop)
{
    const plussi_cexpr *low = loop->step > 0 ? loop->lo : loop->hi;
    const plussi_cexpr *high = loop->step > 0 ? loop->hi : loop->lo;
    int64_t out = loop->step > 0 ? 0 : -1; /* v + out >= low, high >= v + 1 + out */
    linear f = {.c = out};
    f.k[loop->slot] = 1;
    pluss_status status = PLUSS_OK;
    if (plussi_cexpr_slots(low) & ~UINT32_C(1))
        status = guard_bound(m, &f, low, 1);
    f.c = out + 1;
    if (!status && (plussi_cexpr_slots(high) & ~UINT32_C(1)))
        status = guard_bound(m, &f, high, -1);
    return status;
}
