/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The range of an affine expression over the loops around it. Interval arithmetic over a box loses
 * the relation of inner IVs to outer ones (j - i with j < i). Here the IVs are eliminated from the
 * innermost out, each replaced by the bound that is worst for the expression, so that relations
 * cancel: exact for nests with affine bounds and steps of 1 that are nowhere empty, an enclosure
 * for all. A bound floor(y / k) is between (y - k + 1) / k and y / k.
 */
#include "bound/cexpr.h"

#include <string.h>

typedef __int128 wide;

typedef struct form {
    wide c, coef[PLUSSI_MAX_SLOTS];
} form;

/* Gives up above these magnitudes: sums and products of smaller ones fit 128 bits. */
static const wide coef_cap = (wide)1 << 58, c_cap = (wide)1 << 100;

static const wide unbounded = (wide)1 << 126;

/* f + k x, for affine x; false: the numbers are too large. */
static bool add_scaled(form *f, wide k, const plussi_cexpr *x)
{
    f->c += k * x->c;
    for (uint32_t i = 0; i < x->n; i++)
        f->coef[x->slot[i]] += k * x->coef[i];
    bool small = f->c < c_cap && f->c > -c_cap;
    for (uint32_t i = 0; i < PLUSSI_MAX_SLOTS; i++)
        small = small && f->coef[i] < coef_cap && f->coef[i] > -coef_cap;
    return small;
}

static form form_of(const plussi_cexpr *x, int sign)
{
    form f = {0};
    (void)add_scaled(&f, sign, x); /* its caller knows whether they are too large */
    return f;
}

/* f times k >= 1; false: the numbers are too large. */
static bool scale_form(form *f, int64_t k)
{
    if (k >= coef_cap)
        return false;
    bool small = f->c < c_cap / k && f->c > -c_cap / k;
    f->c = small ? f->c * k : 0;
    for (uint32_t i = 0; i < PLUSSI_MAX_SLOTS; i++) {
        small = small && f->coef[i] < coef_cap / k && f->coef[i] > -coef_cap / k;
        f->coef[i] = small ? f->coef[i] * k : 0;
    }
    return small;
}

static wide box_most(const plussi_scope *scope, const form *f)
{
    wide most = f->c;
    for (uint32_t s = 0; s < PLUSSI_MAX_SLOTS; s++)
        if (f->coef[s] != 0)
            most += f->coef[s] * (f->coef[s] > 0 ? scope->box[s].hi : scope->box[s].lo);
    return most;
}

static wide floor_of(wide x, int64_t k)
{
    return x / k - (x % k < 0);
}

static wide most_of(const plussi_scope *scope, const form *f, int *budget);

/* The least of best and upper bounds of f + k x, where x bounds an IV inner to all of f, k > 0 from
 * above, k < 0 from below. */
static wide most_with(const plussi_scope *scope, const form *f, wide k, const plussi_cexpr *x,
                      wide best, int *budget)
{
    form next = *f;
    wide v;
    switch (x->kind) {
    case PLUSSI_CEXPR_AFFINE:
        if (!add_scaled(&next, k, x))
            return best;
        v = most_of(scope, &next, budget);
        return v < best ? v : best;
    case PLUSSI_CEXPR_ADD: { /* min(...) + 1 */
        bool first = x->a[0]->kind == PLUSSI_CEXPR_AFFINE;
        if ((!first && x->a[1]->kind != PLUSSI_CEXPR_AFFINE) || !add_scaled(&next, k, x->a[!first]))
            return best;
        return most_with(scope, &next, k, x->a[first], best, budget);
    }
    case PLUSSI_CEXPR_MIN:
    case PLUSSI_CEXPR_MAX: /* each of the tighter extreme's parts bounds the IV */
        if ((x->kind == PLUSSI_CEXPR_MIN) != (k > 0))
            return best;
        best = most_with(scope, f, k, x->a[0], best, budget);
        return most_with(scope, f, k, x->a[1], best, budget);
    case PLUSSI_CEXPR_DIV: /* y - (x->k - 1) <= x->k floor(y / x->k) <= y */
        if (!scale_form(&next, x->k))
            return best;
        if (k < 0)
            next.c -= k * (x->k - 1);
        v = most_with(scope, &next, k, x->a[0], unbounded, budget);
        v = v == unbounded ? v : floor_of(v, x->k);
        return v < best ? v : best;
    default:
        return best;
    }
}

/* An upper bound of f. budget: calls left; each IV is eliminated by each part of its bound, and by
 * its range. */
static wide most_of(const plussi_scope *scope, const form *f, int *budget)
{
    wide best = box_most(scope, f);
    uint32_t s = PLUSSI_MAX_SLOTS - 1;
    while (s > 0 && f->coef[s] == 0)
        s--;
    if (s == 0 || --*budget < 0)
        return best;
    const plussi_bound_loop *loop = scope->loop[s];
    bool up = loop->step > 0, high = f->coef[s] > 0;
    wide k = f->coef[s];
    form rest = *f;
    rest.coef[s] = 0;
    /* The greatest value is below hi (ascending) or is lo (descending); the least likewise. */
    form next = rest;
    if (high == up)
        next.c += k * (up ? -1 : 1);
    const plussi_cexpr *bound = high == up ? loop->hi : loop->lo;
    if (!plussi_cexpr_is_const(bound)) /* a constant adds nothing to the box */
        best = most_with(scope, &next, k, bound, best, budget);
    rest.c += k * (high ? scope->box[s].hi : scope->box[s].lo);
    if (rest.c < c_cap && rest.c > -c_cap) {
        wide v = most_of(scope, &rest, budget);
        best = v < best ? v : best;
    }
    return best;
}

static int64_t affine_most(const plussi_scope *scope, const plussi_cexpr *x, int sign)
{
    enum { BUDGET = 64, GUARDS = 8 };
    int budget = BUDGET;
    form f = form_of(x, sign);
    wide best = most_of(scope, &f, &budget);
    /* f <= f + guard, as guard >= 0; the innermost guards matter most */
    for (uint32_t g = 0; g < scope->n_guards && g < GUARDS; g++) {
        const plussi_cexpr *guard = scope->guard[scope->n_guards - 1 - g];
        form sum = f;
        (void)add_scaled(&sum, 1, guard);
        budget = BUDGET;
        wide v = most_of(scope, &sum, &budget);
        best = v < best ? v : best;
    }
    return best > INT64_MAX ? INT64_MAX : best < -INT64_MAX ? -INT64_MAX : (int64_t)best;
}

plussi_interval plussi_scope_range(const plussi_scope *scope, const plussi_cexpr *x)
{
    plussi_interval r = plussi_cexpr_range(x, scope->box);
    if (x->kind == PLUSSI_CEXPR_AFFINE && x->n > 0 && plussi_cexpr_safe(x, scope->box)) {
        plussi_interval tight = {-affine_most(scope, x, -1), affine_most(scope, x, 1)};
        r = plussi_interval_meet(r, tight);
    } else if (x->kind == PLUSSI_CEXPR_ADD || x->kind == PLUSSI_CEXPR_MIN ||
               x->kind == PLUSSI_CEXPR_MAX) {
        plussi_interval a = plussi_scope_range(scope, x->a[0]);
        plussi_interval b = plussi_scope_range(scope, x->a[1]), c = r;
        if (x->kind == PLUSSI_CEXPR_ADD) {
            if (plussi_add_over(a.lo, b.lo, &c.lo) || plussi_add_over(a.hi, b.hi, &c.hi))
                return r;
        } else if (x->kind == PLUSSI_CEXPR_MIN) {
            c = (plussi_interval){plussi_min64(a.lo, b.lo), plussi_min64(a.hi, b.hi)};
        } else {
            c = (plussi_interval){plussi_max64(a.lo, b.lo), plussi_max64(a.hi, b.hi)};
        }
        r = plussi_interval_meet(r, c);
    }
    return r;
}

bool plussi_scope_knows(const plussi_scope *scope, const plussi_cexpr *x)
{
    return !scope->dead && !(plussi_cexpr_slots(x) & scope->opaque) && !plussi_cexpr_opaque(x);
}

/* ---- guards ------------------------------------------------------------------------------------
 */

static bool clip_slot(plussi_scope *scope, uint32_t slot, plussi_interval to)
{
    scope->box[slot] = plussi_interval_meet(scope->box[slot], to);
    if (plussi_interval_empty(scope->box[slot]))
        scope->dead = true;
    return !scope->dead;
}

/* x >= 0, affine: for each of its IVs, k v >= -(the maximum of the rest). */
static void clip_ge0(plussi_scope *scope, const plussi_cexpr *x)
{
    for (uint32_t i = 0; i < x->n && !scope->dead; i++) {
        uint32_t s = x->slot[i];
        form rest = form_of(x, 1);
        rest.coef[s] = 0;
        wide need = -box_most(scope, &rest);
        if (need > INT64_MAX || need < -INT64_MAX)
            continue;
        plussi_interval to = {INT64_MIN, INT64_MAX};
        if (x->coef[i] > 0)
            to.lo = plussi_ceildiv((int64_t)need, x->coef[i]);
        else if (x->coef[i] > INT64_MIN)
            to.hi = plussi_floordiv(-(int64_t)need, -x->coef[i]);
        if (!(scope->opaque >> s & 1))
            clip_slot(scope, s, to);
    }
}

static void assume_ge0(plussi_scope *scope, const plussi_cexpr *x)
{
    if (x->kind != PLUSSI_CEXPR_AFFINE || !plussi_scope_knows(scope, x) ||
        !plussi_cexpr_safe(x, scope->box))
        return;
    clip_ge0(scope, x);
    if (scope->n_guards < PLUSSI_MAX_GUARDS)
        scope->guard[scope->n_guards++] = x;
}

static void assume_ne0(plussi_scope *scope, const plussi_cexpr *x)
{
    if (x->kind != PLUSSI_CEXPR_AFFINE || x->n != 1 || (scope->opaque >> x->slot[0] & 1) ||
        x->c == INT64_MIN || x->coef[0] == -1 * INT64_MAX - 1 || -x->c % x->coef[0] != 0)
        return;
    int64_t hole = -x->c / x->coef[0];
    plussi_interval v = scope->box[x->slot[0]];
    if (v.lo == hole && hole < INT64_MAX)
        clip_slot(scope, x->slot[0], (plussi_interval){hole + 1, INT64_MAX});
    else if (v.hi == hole && hole > INT64_MIN)
        clip_slot(scope, x->slot[0], (plussi_interval){INT64_MIN, hole - 1});
}

/* -x + c, for affine x; *out is NULL if that overflows. */
static pluss_status negate_affine(plussi_arena *arena, const plussi_cexpr *x, int64_t c,
                                  const plussi_cexpr **out)
{
    plussi_fold f = {arena, NULL};
    const plussi_cexpr *constant;
    pluss_status status = plussi_fold_const(&f, c, &constant);
    if (!status)
        status = plussi_fold_sub(&f, constant, x, out);
    if (status == PLUSS_ERANGE)
        *out = NULL;
    return status == PLUSS_ERANGE ? PLUSS_OK : status;
}

pluss_status plussi_scope_assume(plussi_scope *scope, plussi_arena *arena, const plussi_cexpr *cond,
                                 bool truth)
{
    const plussi_cexpr *x = cond->a[0], *minus = NULL;
    pluss_status status = PLUSS_OK;
    switch (cond->kind) {
    case PLUSSI_CEXPR_AFFINE:
        if (cond->n == 0 && (cond->c != 0) != truth)
            scope->dead = true;
        return PLUSS_OK;
    case PLUSSI_CEXPR_NOT:
        return plussi_scope_assume(scope, arena, x, !truth);
    case PLUSSI_CEXPR_AND:
    case PLUSSI_CEXPR_OR:
        if ((cond->kind == PLUSSI_CEXPR_AND) != truth)
            return PLUSS_OK; /* one of two, unknown which */
        status = plussi_scope_assume(scope, arena, x, truth);
        return status ? status : plussi_scope_assume(scope, arena, cond->a[1], truth);
    case PLUSSI_CEXPR_GE0:
        if (truth) {
            assume_ge0(scope, x);
            return PLUSS_OK;
        }
        status = negate_affine(arena, x, -1, &minus);
        if (!status && minus)
            assume_ge0(scope, minus);
        return status;
    case PLUSSI_CEXPR_EQ0:
    case PLUSSI_CEXPR_NE0:
        if ((cond->kind == PLUSSI_CEXPR_EQ0) != truth) {
            assume_ne0(scope, x);
            return PLUSS_OK;
        }
        assume_ge0(scope, x);
        status = negate_affine(arena, x, 0, &minus);
        if (!status && minus)
            assume_ge0(scope, minus);
        return status;
    default:
        return PLUSS_OK;
    }
}
