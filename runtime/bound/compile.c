/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bound/binder.h"

plussi_loc plussi_bind_place(const plussi_binder *b, const plussi_expr *expr,
                             const plussi_node *node)
{
    if (expr && expr->loc.line)
        return expr->loc;
    if (!node)
        return expr ? expr->loc : (plussi_loc){0};
    return plussi_node_place(node, b->region);
}

pluss_status plussi_bind_fail(plussi_binder *b, const plussi_expr *e, const plussi_node *node,
                              pluss_status status, const char *text)
{
    plussi_loc loc = plussi_bind_place(b, e, node);
    return plussi_fail(b->ctx, status, &loc, "%s", text);
}

typedef struct compiler {
    plussi_binder *b;
    const plussi_scope *scope;
    const plussi_node *node;
    plussi_fold fold;
} compiler;

static pluss_status fail_at(compiler *c, const plussi_expr *e, pluss_status status,
                            const char *text)
{
    return plussi_bind_fail(c->b, e, c->node, status, text);
}

static uint32_t slot_of(const plussi_node *loop)
{
    uint32_t slot = 1;
    for (const plussi_node *n = loop->parent; n; n = n->parent)
        slot += n->kind == PLUSSI_N_LOOP;
    return slot;
}

static pluss_status compile_expr(compiler *c, const plussi_expr *e, const plussi_cexpr **out);

static pluss_status compile_division(compiler *c, const plussi_expr *e, const plussi_cexpr *a,
                                     const plussi_cexpr *divisor, const plussi_cexpr **out)
{
    if (c->scope->dead && (!plussi_cexpr_is_const(divisor) || divisor->c < 1))
        return plussi_fold_const(&c->fold, 0, out);
    if (!plussi_cexpr_is_const(divisor))
        return fail_at(c, e->a[1], PLUSS_EUNSUPPORTED,
                       "division by an expression that is not constant");
    if (divisor->c < 1)
        return fail_at(c, e->a[1], PLUSS_ERANGE, "the divisor is not positive");
    return e->kind == PLUSSI_E_DIV ? plussi_fold_div(&c->fold, a, divisor->c, out)
                                   : plussi_fold_mod(&c->fold, a, divisor->c, out);
}

/* a < b is b - a - 1 >= 0 */
static pluss_status compile_relation(compiler *c, plussi_expr_kind kind, const plussi_cexpr *a,
                                     const plussi_cexpr *b, const plussi_cexpr **out)
{
    bool swapped = kind == PLUSSI_E_LT || kind == PLUSSI_E_LE;
    const plussi_cexpr *difference;
    pluss_status status = plussi_fold_sub(&c->fold, swapped ? b : a, swapped ? a : b, &difference);
    if (!status && (kind == PLUSSI_E_LT || kind == PLUSSI_E_GT)) {
        const plussi_cexpr *one;
        status = plussi_fold_const(&c->fold, -1, &one);
        if (!status)
            status = plussi_fold_add(&c->fold, difference, one, &difference);
    }
    if (status)
        return status;
    plussi_cexpr_kind test = kind == PLUSSI_E_EQ   ? PLUSSI_CEXPR_EQ0
                             : kind == PLUSSI_E_NE ? PLUSSI_CEXPR_NE0
                                                   : PLUSSI_CEXPR_GE0;
    return plussi_fold_test(&c->fold, test, difference, out);
}

static pluss_status compile_load(compiler *c, const plussi_expr *e, const plussi_cexpr **out)
{
    const plussi_bound_array *array = &c->b->bound->array[e->array->id];
    plussi_cexpr *x = plussi_arena_alloc(c->fold.arena, 1, sizeof *x);
    const plussi_cexpr **sub = plussi_arena_alloc(c->fold.arena, array->rank + 1, sizeof *sub);
    if (!x || !sub)
        return PLUSS_ENOMEM;
    for (uint32_t d = 0; d < array->rank; d++) {
        pluss_status status = compile_expr(c, e->subs[d], &sub[d]);
        if (status)
            return status;
    }
    *x = (plussi_cexpr){.kind = PLUSSI_CEXPR_LOAD, .array = array, .sub = sub};
    c->b->bound->has_load = true;
    *out = x;
    return PLUSS_OK;
}

/* A choice that is settled has one way: what the other divides by, say, need not be positive. */
static pluss_status compile_select(compiler *c, const plussi_expr *e, const plussi_cexpr **out)
{
    const plussi_cexpr *cond, *yes, *no;
    pluss_status status = compile_expr(c, e->a[0], &cond);
    if (status)
        return status;
    if (plussi_cexpr_is_const(cond))
        return compile_expr(c, e->a[cond->c ? 1 : 2], out);
    status = compile_expr(c, e->a[1], &yes);
    if (!status)
        status = compile_expr(c, e->a[2], &no);
    return status ? status : plussi_fold_select(&c->fold, cond, yes, no, out);
}

/* Does not report PLUSS_ENOMEM nor the overflow of constants (PLUSS_ERANGE from fold). */
static pluss_status compile_operator(compiler *c, const plussi_expr *e, const plussi_cexpr **out)
{
    const plussi_cexpr *x[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3 && e->a[i]; i++) {
        pluss_status status = compile_expr(c, e->a[i], &x[i]);
        if (status)
            return status;
    }
    switch (e->kind) {
    case PLUSSI_E_NEG:
        return plussi_fold_scale(&c->fold, -1, x[0], out);
    case PLUSSI_E_ADD:
        return plussi_fold_add(&c->fold, x[0], x[1], out);
    case PLUSSI_E_SUB:
        return plussi_fold_sub(&c->fold, x[0], x[1], out);
    case PLUSSI_E_MUL:
        return plussi_fold_mul(&c->fold, x[0], x[1], out);
    case PLUSSI_E_MIN:
        return plussi_fold_extreme(&c->fold, PLUSSI_CEXPR_MIN, x[0], x[1], out);
    case PLUSSI_E_MAX:
        return plussi_fold_extreme(&c->fold, PLUSSI_CEXPR_MAX, x[0], x[1], out);
    case PLUSSI_E_AND:
        return plussi_fold_logic(&c->fold, PLUSSI_CEXPR_AND, x[0], x[1], out);
    case PLUSSI_E_OR:
        return plussi_fold_logic(&c->fold, PLUSSI_CEXPR_OR, x[0], x[1], out);
    case PLUSSI_E_NOT:
        return plussi_fold_not(&c->fold, x[0], out);
    default:
        return compile_relation(c, e->kind, x[0], x[1], out);
    }
}

static pluss_status compile_expr(compiler *c, const plussi_expr *e, const plussi_cexpr **out)
{
    pluss_status status;
    switch (e->kind) {
    case PLUSSI_E_INT:
        return plussi_fold_const(&c->fold, e->value, out);
    case PLUSSI_E_SYMBOL:
        return plussi_fold_const(&c->fold, c->b->bound->symbol[e->symbol->id], out);
    case PLUSSI_E_IV:
        return plussi_fold_slot(&c->fold, slot_of(e->loop), out);
    case PLUSSI_E_THREAD:
        if (!c->scope->parallel || c->scope->nested)
            return plussi_fold_const(&c->fold, 0, out);
        return plussi_fold_slot(&c->fold, 0, out);
    case PLUSSI_E_TEAM:
        *out = c->scope->team;
        return PLUSS_OK;
    case PLUSSI_E_LOAD:
        return compile_load(c, e, out);
    case PLUSSI_E_SELECT:
        return compile_select(c, e, out);
    case PLUSSI_E_DIV:
    case PLUSSI_E_MOD: {
        const plussi_cexpr *a, *divisor;
        status = compile_expr(c, e->a[0], &a);
        if (!status)
            status = compile_expr(c, e->a[1], &divisor);
        if (!status)
            status = compile_division(c, e, a, divisor, out);
        return status;
    }
    default:
        return compile_operator(c, e, out);
    }
}

pluss_status plussi_bind_expr(plussi_binder *b, const plussi_scope *scope, const plussi_expr *expr,
                              const plussi_node *node, const plussi_cexpr **out)
{
    compiler c = {b, scope, node, {&b->bound->arena, scope->dead ? NULL : scope}};
    size_t reported = b->ctx->n_diags + b->ctx->n_dropped;
    const plussi_cexpr *x;
    pluss_status status = compile_expr(&c, expr, &x);
    if (status == PLUSS_ERANGE && b->ctx->n_diags + b->ctx->n_dropped == reported)
        return fail_at(&c, expr, PLUSS_ERANGE, "a constant in this expression overflows 64 bits");
    if (status)
        return status;
    if (plussi_scope_knows(scope, x) && !plussi_cexpr_safe(x, scope->box))
        return fail_at(&c, expr, PLUSS_ERANGE, "the value of this expression can overflow 64 bits");
    *out = x;
    return PLUSS_OK;
}

/* An expression that must be at least 1 if its value is known. */
pluss_status plussi_bind_positive(plussi_binder *b, const plussi_scope *scope,
                                  const plussi_expr *expr, const plussi_node *node,
                                  const char *what, const plussi_cexpr **out)
{
    pluss_status status = plussi_bind_expr(b, scope, expr, node, out);
    if (!status && plussi_scope_knows(scope, *out) && plussi_scope_range(scope, *out).hi < 1)
        return plussi_bind_fail(b, expr, node, PLUSS_ERANGE, what);
    return status;
}

pluss_status plussi_bind_constant(plussi_binder *b, const plussi_expr *expr, const plussi_loc *loc,
                                  int64_t *out)
{
    const plussi_cexpr *x, *one = &(plussi_cexpr){.kind = PLUSSI_CEXPR_AFFINE, .c = 1};
    plussi_scope scope = {.team = one};
    pluss_status status = plussi_bind_expr(b, &scope, expr, NULL, &x);
    if (status)
        return status;
    if (!plussi_cexpr_is_const(x))
        return plussi_fail(b->ctx, PLUSS_EUNSUPPORTED, expr->loc.line ? &expr->loc : loc,
                           "this expression must be constant");
    *out = x->c;
    return PLUSS_OK;
}
