/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLUSS_WITHOUT_ISL

#include "symbolic/quasi_affine.h"

#include <isl/aff.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

static isl_local_space *local_of(const plussi_affine_scope *s)
{
    return isl_local_space_from_space(isl_space_copy(s->space));
}

static isl_pw_aff *constant(const plussi_affine_scope *s, int64_t value)
{
    isl_val *v = isl_val_int_from_si(s->p->isl, value);
    return isl_pw_aff_from_aff(isl_aff_val_on_domain(local_of(s), v));
}

static isl_pw_aff *symbol_of(const plussi_affine_scope *s, const plussi_symbol *symbol)
{
    if (symbol->value)
        return plussi_affine_of(s, symbol->value);
    for (uint32_t i = 0; i < s->p->n_symbols; i++)
        if (s->p->symbol[i].symbol == symbol)
            return isl_pw_aff_scale_val(isl_pw_aff_var_on_domain(local_of(s), isl_dim_param, i),
                                        isl_val_int_from_si(s->p->isl, s->p->symbol[i].unit));
    return NULL;
}

static isl_pw_aff *iv_of(const plussi_affine_scope *s, const plussi_node *loop)
{
    for (uint32_t i = 0; i < s->n_loops; i++)
        if (s->loop[i] == loop)
            return isl_pw_aff_copy(s->iv[i]);
    return NULL;
}

static isl_pw_aff *apply(plussi_expr_kind kind, isl_pw_aff *a, isl_pw_aff *b)
{
    switch (kind) {
    case PLUSSI_E_ADD:
        return isl_pw_aff_add(a, b);
    case PLUSSI_E_SUB:
        return isl_pw_aff_sub(a, b);
    case PLUSSI_E_MIN:
        return isl_pw_aff_min(a, b);
    case PLUSSI_E_MAX:
        return isl_pw_aff_max(a, b);
    case PLUSSI_E_MUL:
        if (isl_pw_aff_is_cst(a) == isl_bool_true || isl_pw_aff_is_cst(b) == isl_bool_true)
            return isl_pw_aff_mul(a, b);
        break;
    case PLUSSI_E_DIV:
        if (isl_pw_aff_is_cst(b) == isl_bool_true)
            return isl_pw_aff_floor(isl_pw_aff_div(a, b));
        break;
    case PLUSSI_E_MOD:
        if (isl_pw_aff_is_cst(b) == isl_bool_true) {
            isl_pw_aff *whole =
                isl_pw_aff_floor(isl_pw_aff_div(isl_pw_aff_copy(a), isl_pw_aff_copy(b)));
            return isl_pw_aff_sub(a, isl_pw_aff_mul(whole, b));
        }
        break;
    default:
        break;
    }
    isl_pw_aff_free(a);
    isl_pw_aff_free(b);
    return NULL;
}

static isl_pw_aff *select_of(const plussi_affine_scope *s, const plussi_expr *e)
{
    isl_set *when = plussi_affine_condition(s, e->a[0]);
    isl_pw_aff *a = plussi_affine_of(s, e->a[1]), *b = plussi_affine_of(s, e->a[2]);
    if (when && a && b)
        return isl_pw_aff_cond(isl_set_indicator_function(when), a, b);
    isl_set_free(when);
    isl_pw_aff_free(a);
    isl_pw_aff_free(b);
    return NULL;
}

isl_pw_aff *plussi_affine_of(const plussi_affine_scope *s, const plussi_expr *e)
{
    switch (e->kind) {
    case PLUSSI_E_INT:
        return constant(s, e->value);
    case PLUSSI_E_SYMBOL:
        return symbol_of(s, e->symbol);
    case PLUSSI_E_IV:
        return iv_of(s, e->loop);
    case PLUSSI_E_THREAD:
        return constant(s, 0);
    case PLUSSI_E_TEAM:
        return constant(s, 1);
    case PLUSSI_E_NEG:
        return isl_pw_aff_neg(plussi_affine_of(s, e->a[0]));
    case PLUSSI_E_SELECT:
        return select_of(s, e);
    case PLUSSI_E_LOAD:
        return NULL;
    default:
        break;
    }
    if (plussi_expr_arity(e->kind) != 2 || plussi_expr_is_condition(e->kind))
        return NULL;
    isl_pw_aff *a = plussi_affine_of(s, e->a[0]), *b = plussi_affine_of(s, e->a[1]);
    if (!a || !b) {
        isl_pw_aff_free(a);
        isl_pw_aff_free(b);
        return NULL;
    }
    return apply(e->kind, a, b);
}

static isl_set *compare(plussi_expr_kind kind, isl_pw_aff *a, isl_pw_aff *b)
{
    switch (kind) {
    case PLUSSI_E_LT:
        return isl_pw_aff_lt_set(a, b);
    case PLUSSI_E_LE:
        return isl_pw_aff_le_set(a, b);
    case PLUSSI_E_GT:
        return isl_pw_aff_gt_set(a, b);
    case PLUSSI_E_GE:
        return isl_pw_aff_ge_set(a, b);
    case PLUSSI_E_EQ:
        return isl_pw_aff_eq_set(a, b);
    default:
        return isl_pw_aff_ne_set(a, b);
    }
}

isl_set *plussi_affine_condition(const plussi_affine_scope *s, const plussi_expr *e)
{
    if (!plussi_expr_is_condition(e->kind))
        return NULL;
    if (e->kind == PLUSSI_E_NOT) {
        isl_set *not = plussi_affine_condition(s, e->a[0]);
        return isl_set_complement(not );
    }
    if (e->kind == PLUSSI_E_AND || e->kind == PLUSSI_E_OR) {
        isl_set *a = plussi_affine_condition(s, e->a[0]), *b = plussi_affine_condition(s, e->a[1]);
        return e->kind == PLUSSI_E_AND ? isl_set_intersect(a, b) : isl_set_union(a, b);
    }
    isl_pw_aff *a = plussi_affine_of(s, e->a[0]), *b = plussi_affine_of(s, e->a[1]);
    if (!a || !b) {
        isl_pw_aff_free(a);
        isl_pw_aff_free(b);
        return NULL;
    }
    return compare(e->kind, a, b);
}

#endif
