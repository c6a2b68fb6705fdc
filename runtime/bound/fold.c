/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bound/cexpr.h"

static plussi_cexpr *new_cexpr(plussi_fold *f, plussi_cexpr_kind kind, const plussi_cexpr *a,
                               const plussi_cexpr *b, const plussi_cexpr *c)
{
    plussi_cexpr *x = plussi_arena_alloc(f->arena, 1, sizeof *x);
    if (x) {
        x->kind = kind;
        x->a[0] = a;
        x->a[1] = b;
        x->a[2] = c;
    }
    return x;
}

static pluss_status return_expr(const plussi_cexpr *x, const plussi_cexpr **out)
{
    if (!x)
        return PLUSS_ENOMEM;
    *out = x;
    return PLUSS_OK;
}

/* ---- affine forms, dense while they are put together -------------------------------------------
 */

typedef struct dense {
    int64_t c, coef[PLUSSI_MAX_SLOTS];
} dense;

static dense unpack_affine(const plussi_cexpr *x)
{
    dense d = {.c = x->c};
    for (uint32_t i = 0; i < x->n; i++)
        d.coef[x->slot[i]] = x->coef[i];
    return d;
}

static pluss_status pack_affine(plussi_fold *f, const dense *d, const plussi_cexpr **out)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < PLUSSI_MAX_SLOTS; s++)
        n += d->coef[s] != 0;
    plussi_cexpr *x = new_cexpr(f, PLUSSI_CEXPR_AFFINE, NULL, NULL, NULL);
    if (!x)
        return PLUSS_ENOMEM;
    x->c = d->c;
    if (n > 0) {
        x->slot = plussi_arena_alloc(f->arena, n, sizeof *x->slot);
        x->coef = plussi_arena_alloc(f->arena, n, sizeof *x->coef);
        if (!x->slot || !x->coef)
            return PLUSS_ENOMEM;
    }
    for (uint32_t s = 0; s < PLUSSI_MAX_SLOTS; s++) {
        if (d->coef[s] != 0) {
            x->slot[x->n] = s;
            x->coef[x->n++] = d->coef[s];
        }
    }
    return return_expr(x, out);
}

pluss_status plussi_fold_const(plussi_fold *f, int64_t value, const plussi_cexpr **out)
{
    dense d = {.c = value};
    return pack_affine(f, &d, out);
}

pluss_status plussi_fold_slot(plussi_fold *f, uint32_t slot, const plussi_cexpr **out)
{
    dense d = {.c = 0};
    if (f->scope && f->scope->box[slot].lo == f->scope->box[slot].hi)
        d.c = f->scope->box[slot].lo;
    else
        d.coef[slot] = 1;
    return pack_affine(f, &d, out);
}

static pluss_status add_affine(plussi_fold *f, const plussi_cexpr *a, const plussi_cexpr *b,
                               const plussi_cexpr **out)
{
    dense x = unpack_affine(a), y = unpack_affine(b);
    bool over = plussi_add_over(x.c, y.c, &x.c);
    for (uint32_t s = 0; s < PLUSSI_MAX_SLOTS; s++)
        over |= plussi_add_over(x.coef[s], y.coef[s], &x.coef[s]);
    return over ? PLUSS_ERANGE : pack_affine(f, &x, out);
}

pluss_status plussi_fold_add(plussi_fold *f, const plussi_cexpr *a, const plussi_cexpr *b,
                             const plussi_cexpr **out)
{
    if (a->kind == PLUSSI_CEXPR_AFFINE && b->kind == PLUSSI_CEXPR_AFFINE)
        return add_affine(f, a, b, out);
    if (a->kind == PLUSSI_CEXPR_AFFINE) { /* the affine part goes last */
        const plussi_cexpr *swap = a;
        a = b;
        b = swap;
    }
    if (plussi_cexpr_is_const(b) && b->c == 0)
        return return_expr(a, out);
    bool a_has_affine = a->kind == PLUSSI_CEXPR_ADD && a->a[1]->kind == PLUSSI_CEXPR_AFFINE;
    pluss_status status = PLUSS_OK;
    if (a_has_affine && b->kind == PLUSSI_CEXPR_AFFINE) {
        const plussi_cexpr *sum;
        status = add_affine(f, a->a[1], b, &sum);
        return status ? status : plussi_fold_add(f, a->a[0], sum, out);
    }
    if (a_has_affine) { /* (x + affine) + y = (x + y) + affine */
        const plussi_cexpr *rest;
        status = plussi_fold_add(f, a->a[0], b, &rest);
        return status ? status : plussi_fold_add(f, rest, a->a[1], out);
    }
    if (b->kind == PLUSSI_CEXPR_ADD && b->a[1]->kind == PLUSSI_CEXPR_AFFINE) {
        const plussi_cexpr *rest;
        status = plussi_fold_add(f, a, b->a[0], &rest);
        return status ? status : plussi_fold_add(f, rest, b->a[1], out);
    }
    return return_expr(new_cexpr(f, PLUSSI_CEXPR_ADD, a, b, NULL), out);
}

pluss_status plussi_fold_scale(plussi_fold *f, int64_t k, const plussi_cexpr *a,
                               const plussi_cexpr **out)
{
    if (k == 1)
        return return_expr(a, out);
    if (k == 0)
        return plussi_fold_const(f, 0, out);
    if (a->kind == PLUSSI_CEXPR_AFFINE) {
        dense x = unpack_affine(a);
        bool over = plussi_mul_over(x.c, k, &x.c);
        for (uint32_t s = 0; s < PLUSSI_MAX_SLOTS; s++)
            over |= plussi_mul_over(x.coef[s], k, &x.coef[s]);
        return over ? PLUSS_ERANGE : pack_affine(f, &x, out);
    }
    if (a->kind == PLUSSI_CEXPR_ADD) {
        const plussi_cexpr *x, *y;
        pluss_status status = plussi_fold_scale(f, k, a->a[0], &x);
        if (!status)
            status = plussi_fold_scale(f, k, a->a[1], &y);
        return status ? status : plussi_fold_add(f, x, y, out);
    }
    if (a->kind == PLUSSI_CEXPR_SCALE) {
        if (plussi_mul_over(k, a->k, &k))
            return PLUSS_ERANGE;
        return plussi_fold_scale(f, k, a->a[0], out);
    }
    plussi_cexpr *x = new_cexpr(f, PLUSSI_CEXPR_SCALE, a, NULL, NULL);
    if (x)
        x->k = k;
    return return_expr(x, out);
}

pluss_status plussi_fold_sub(plussi_fold *f, const plussi_cexpr *a, const plussi_cexpr *b,
                             const plussi_cexpr **out)
{
    const plussi_cexpr *minus;
    pluss_status status = plussi_fold_scale(f, -1, b, &minus);
    return status ? status : plussi_fold_add(f, a, minus, out);
}

pluss_status plussi_fold_mul(plussi_fold *f, const plussi_cexpr *a, const plussi_cexpr *b,
                             const plussi_cexpr **out)
{
    if (plussi_cexpr_is_const(a))
        return plussi_fold_scale(f, a->c, b, out);
    if (plussi_cexpr_is_const(b))
        return plussi_fold_scale(f, b->c, a, out);
    return return_expr(new_cexpr(f, PLUSSI_CEXPR_MUL, a, b, NULL), out);
}

/* ---- division ----------------------------------------------------------------------------------
 *
 * A sum whose terms are split into multiples of k and the rest: k A + B with A, B affine, the
 * constant of B in [0, k). Then floor((k A + B) / k) = A + floor(B / k), and (k A + B) mod k = B
 * mod k. */
typedef struct split {
    const plussi_cexpr *multiple; /* A */
    const plussi_cexpr *rest;     /* B */
} split;

static pluss_status split_by(plussi_fold *f, const plussi_cexpr *a, int64_t k, split *out)
{
    dense x = unpack_affine(a), y = {.c = plussi_floormod(x.c, k)};
    x.c = plussi_floordiv(x.c, k);
    for (uint32_t s = 0; s < PLUSSI_MAX_SLOTS; s++) {
        if (x.coef[s] % k == 0) {
            x.coef[s] /= k;
        } else {
            y.coef[s] = x.coef[s];
            x.coef[s] = 0;
        }
    }
    pluss_status status = pack_affine(f, &x, &out->multiple);
    return status ? status : pack_affine(f, &y, &out->rest);
}

/* Bounds of x; false: unknown. */
static bool known_range(const plussi_fold *f, const plussi_cexpr *x, plussi_interval *r)
{
    if (plussi_cexpr_is_const(x)) {
        *r = (plussi_interval){x->c, x->c};
        return true;
    }
    if (!f->scope || !plussi_scope_knows(f->scope, x))
        return false;
    *r = plussi_scope_range(f->scope, x);
    return !plussi_interval_empty(*r);
}

/* Whether all values are in one block of k: *quotient is the same for all of them. */
static bool one_quotient(const plussi_fold *f, const plussi_cexpr *a, int64_t k, int64_t *quotient)
{
    plussi_interval r;
    if (!known_range(f, a, &r))
        return false;
    *quotient = plussi_floordiv(r.lo, k);
    return *quotient == plussi_floordiv(r.hi, k);
}

pluss_status plussi_fold_div(plussi_fold *f, const plussi_cexpr *a, int64_t k,
                             const plussi_cexpr **out)
{
    if (k == 1)
        return return_expr(a, out);
    int64_t quotient;
    if (one_quotient(f, a, k, &quotient))
        return plussi_fold_const(f, quotient, out);
    split s = {NULL, NULL};
    if (a->kind == PLUSSI_CEXPR_AFFINE) {
        pluss_status status = split_by(f, a, k, &s);
        if (status)
            return status;
        if (one_quotient(f, s.rest, k, &quotient)) {
            const plussi_cexpr *q;
            status = plussi_fold_const(f, quotient, &q);
            return status ? status : plussi_fold_add(f, s.multiple, q, out);
        }
        a = s.rest;
    }
    plussi_cexpr *x = new_cexpr(f, PLUSSI_CEXPR_DIV, a, NULL, NULL);
    if (!x)
        return PLUSS_ENOMEM;
    x->k = k;
    return s.multiple ? plussi_fold_add(f, x, s.multiple, out) : return_expr(x, out);
}

pluss_status plussi_fold_mod(plussi_fold *f, const plussi_cexpr *a, int64_t k,
                             const plussi_cexpr **out)
{
    if (k == 1)
        return plussi_fold_const(f, 0, out);
    if (a->kind == PLUSSI_CEXPR_AFFINE) {
        split s;
        pluss_status status = split_by(f, a, k, &s);
        if (status)
            return status;
        a = s.rest;
    }
    int64_t quotient, base;
    if (one_quotient(f, a, k, &quotient) && !plussi_mul_over(quotient, -k, &base)) {
        const plussi_cexpr *c;
        pluss_status status = plussi_fold_const(f, base, &c);
        return status ? status : plussi_fold_add(f, a, c, out);
    }
    plussi_cexpr *x = new_cexpr(f, PLUSSI_CEXPR_MOD, a, NULL, NULL);
    if (x)
        x->k = k;
    return return_expr(x, out);
}

/* ---- choices and conditions --------------------------------------------------------------------
 */

pluss_status plussi_fold_extreme(plussi_fold *f, plussi_cexpr_kind kind, const plussi_cexpr *a,
                                 const plussi_cexpr *b, const plussi_cexpr **out)
{
    plussi_interval r;
    const plussi_cexpr *difference;
    pluss_status status = plussi_fold_sub(f, a, b, &difference);
    if (status == PLUSS_ENOMEM)
        return status;
    if (status == PLUSS_OK && known_range(f, difference, &r)) {
        if (r.lo >= 0) /* a >= b */
            return return_expr(kind == PLUSSI_CEXPR_MIN ? b : a, out);
        if (r.hi <= 0)
            return return_expr(kind == PLUSSI_CEXPR_MIN ? a : b, out);
    }
    return return_expr(new_cexpr(f, kind, a, b, NULL), out);
}

pluss_status plussi_fold_select(plussi_fold *f, const plussi_cexpr *cond, const plussi_cexpr *a,
                                const plussi_cexpr *b, const plussi_cexpr **out)
{
    if (plussi_cexpr_is_const(cond))
        return return_expr(cond->c ? a : b, out);
    return return_expr(new_cexpr(f, PLUSSI_CEXPR_SELECT, cond, a, b), out);
}

pluss_status plussi_fold_test(plussi_fold *f, plussi_cexpr_kind kind, const plussi_cexpr *a,
                              const plussi_cexpr **out)
{
    plussi_interval r;
    if (known_range(f, a, &r)) {
        bool never_0 = r.lo > 0 || r.hi < 0, always_0 = r.lo == 0 && r.hi == 0;
        if (kind == PLUSSI_CEXPR_GE0 ? r.lo >= 0 : kind == PLUSSI_CEXPR_EQ0 ? always_0 : never_0)
            return plussi_fold_const(f, 1, out);
        if (kind == PLUSSI_CEXPR_GE0 ? r.hi < 0 : kind == PLUSSI_CEXPR_EQ0 ? never_0 : always_0)
            return plussi_fold_const(f, 0, out);
    }
    return return_expr(new_cexpr(f, kind, a, NULL, NULL), out);
}

pluss_status plussi_fold_logic(plussi_fold *f, plussi_cexpr_kind kind, const plussi_cexpr *a,
                               const plussi_cexpr *b, const plussi_cexpr **out)
{
    int64_t neutral = kind == PLUSSI_CEXPR_AND;
    if (plussi_cexpr_is_const(a))
        return return_expr(a->c == neutral ? b : a, out);
    if (plussi_cexpr_is_const(b))
        return return_expr(b->c == neutral ? a : b, out);
    return return_expr(new_cexpr(f, kind, a, b, NULL), out);
}

pluss_status plussi_fold_not(plussi_fold *f, const plussi_cexpr *a, const plussi_cexpr **out)
{
    if (plussi_cexpr_is_const(a))
        return plussi_fold_const(f, !a->c, out);
    if (a->kind == PLUSSI_CEXPR_NOT)
        return return_expr(a->a[0], out);
    if (a->kind == PLUSSI_CEXPR_EQ0 || a->kind == PLUSSI_CEXPR_NE0)
        return plussi_fold_test(
            f, a->kind == PLUSSI_CEXPR_EQ0 ? PLUSSI_CEXPR_NE0 : PLUSSI_CEXPR_EQ0, a->a[0], out);
    if (a->kind == PLUSSI_CEXPR_GE0) { /* !(x >= 0) is -x - 1 >= 0 */
        const plussi_cexpr *x, *one;
        pluss_status status = plussi_fold_const(f, -1, &one);
        if (!status)
            status = plussi_fold_sub(f, one, a->a[0], &x);
        if (status == PLUSS_OK)
            return plussi_fold_test(f, PLUSSI_CEXPR_GE0, x, out);
        if (status != PLUSS_ERANGE)
            return status;
    }
    return return_expr(new_cexpr(f, PLUSSI_CEXPR_NOT, a, NULL, NULL), out);
}
