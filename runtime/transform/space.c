/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "transform/space.h"

#include "base/arith.h"

pluss_status plussi_space_init(plussi_ctx *ctx, plussi_space *space)
{
    *space = (plussi_space){0};
    return plussi_system_init(ctx, &space->system);
}

void plussi_space_free(plussi_ctx *ctx, plussi_space *space)
{
    plussi_system_free(ctx, &space->system);
}

void plussi_space_clear(plussi_space *space)
{
    space->system.n_vars = space->system.n = 0;
    space->system.lost = false;
    space->image = NULL;
    space->n_outer = 0;
}

/* ---- variables --------------------------------------------------------------------------------
 */

static bool is_outer(const plussi_space *space, uint32_t loop)
{
    for (uint32_t i = 0; i < space->n_outer; i++)
        if (space->outer[i] == loop)
            return true;
    return false;
}

static bool same_expr(const plussi_expr *a, const plussi_expr *b)
{
    if (!a || !b)
        return a == b;
    if (a == b)
        return true;
    if (a->kind != b->kind || a->value != b->value || a->symbol != b->symbol ||
        a->loop != b->loop || a->array != b->array || a->n_subs != b->n_subs)
        return false;
    for (uint32_t i = 0; i < a->n_subs; i++)
        if (!same_expr(a->subs[i], b->subs[i]))
            return false;
    return same_expr(a->a[0], b->a[0]) && same_expr(a->a[1], b->a[1]) &&
           same_expr(a->a[2], b->a[2]);
}

/* Whether it has the same value in both copies: no loads, no threads, only the outer loops. */
static bool is_joint(const plussi_space *space, const plussi_expr *expr)
{
    if (!expr)
        return true;
    if (expr->kind == PLUSSI_E_LOAD || expr->kind == PLUSSI_E_THREAD)
        return false;
    if (expr->kind == PLUSSI_E_IV) {
        const plussi_image *image = space->image ? &space->image[expr->loop->id] : NULL;
        if (image && (image->tile || image->second != image->loop))
            return false;
        return is_outer(space, image ? image->loop : expr->loop->id);
    }
    return is_joint(space, expr->a[0]) && is_joint(space, expr->a[1]) &&
           is_joint(space, expr->a[2]);
}

uint32_t plussi_space_var(plussi_space *space, plussi_var var)
{
    plussi_system *s = &space->system;
    for (uint32_t v = 0; v < s->n_vars; v++) {
        const plussi_var *old = &space->var[v];
        if (old->kind == var.kind && old->id == var.id && old->copy == var.copy &&
            (var.kind != PLUSSI_VAR_OTHER || (var.expr && same_expr(old->expr, var.expr))))
            return v;
    }
    if (s->n_vars == PLUSSI_SYSTEM_VARS)
        return PLUSSI_SYSTEM_VARS;
    space->var[s->n_vars] = var;
    return s->n_vars++;
}

/* Marks a row without room as lost: it must not be put. */
static void lose(plussi_row *row)
{
    row->lost = true;
}

void plussi_space_add_var(plussi_space *space, plussi_var var, int64_t factor, plussi_row *row)
{
    uint32_t v = plussi_space_var(space, var);
    if (v == PLUSSI_SYSTEM_VARS || plussi_add_over(row->c[v], factor, &row->c[v]))
        lose(row);
}

void plussi_space_put(plussi_space *space, const plussi_row *row)
{
    if (row->lost)
        space->system.lost = true;
    else
        plussi_system_add(&space->system, row);
}

/* ---- expressions ------------------------------------------------------------------------------
 */

static plussi_var loop_var(const plussi_space *space, const plussi_node *loop, uint32_t copy)
{
    plussi_var var = {.kind = PLUSSI_VAR_LOOP, .id = loop->id, .copy = copy};
    if (space->image && space->image[loop->id].tile)
        return (plussi_var){.kind = PLUSSI_VAR_TILE, .id = loop->id, .copy = copy};
    if (space->image)
        var.id = space->image[loop->id].loop;
    if (is_outer(space, var.id))
        var.copy = 0;
    return var;
}

static void put_difference(plussi_space *space, plussi_var var, int64_t sign,
                           const plussi_expr *expr, uint32_t copy, int64_t k)
{
    plussi_row row = {.k = k};
    plussi_space_add_var(space, var, sign, &row);
    plussi_space_add_expr(space, expr, copy, -sign, &row);
    plussi_space_put(space, &row);
}

/* floor(a / k) for a literal k, as a variable q: k q <= a < k q + k. */
static plussi_var divide(plussi_space *space, const plussi_expr *expr, plussi_var quotient,
                         uint32_t copy)
{
    int64_t k = expr->a[1]->value;
    for (int side = 0; side < 2; side++) {
        plussi_row row = {.k = side ? k - 1 : 0};
        plussi_space_add_expr(space, expr->a[0], copy, side ? -1 : 1, &row);
        plussi_space_add_var(space, quotient, side ? k : -k, &row);
        plussi_space_put(space, &row);
    }
    return quotient;
}

static bool is_literal(const plussi_expr *expr, int64_t *value)
{
    if (expr->kind == PLUSSI_E_NEG && is_literal(expr->a[0], value) && *value != INT64_MIN) {
        *value = -*value;
        return true;
    }
    *value = expr->value;
    return expr->kind == PLUSSI_E_INT;
}

/* What is known of an expression that is not affine, which becomes a variable. */
static void add_other(plussi_space *space, const plussi_expr *expr, uint32_t copy, int64_t factor,
                      plussi_row *row)
{
    const uint32_t before = space->system.n_vars;
    plussi_var var = {
        .kind = PLUSSI_VAR_OTHER, .copy = is_joint(space, expr) ? 0 : copy, .expr = expr};
    int64_t k;
    if (expr->kind == PLUSSI_E_MOD && is_literal(expr->a[1], &k) && k > 0 && k < 1 << 30 &&
        factor > INT32_MIN && factor < INT32_MAX) {
        if (plussi_space_var(space, var) == before)
            divide(space, expr, var, copy);
        plussi_space_add_expr(space, expr->a[0], copy, factor, row);
        plussi_space_add_var(space, var, -factor * k, row);
        return;
    }
    const bool is_new = plussi_space_var(space, var) == before;
    plussi_space_add_var(space, var, factor, row);
    if (!is_new)
        return;
    if (expr->kind == PLUSSI_E_DIV && is_literal(expr->a[1], &k) && k > 0 && k < 1 << 30)
        divide(space, expr, var, copy);
    const int64_t sign = expr->kind == PLUSSI_E_MAX ? 1 : -1;
    for (int i = 0; i < 2 && (expr->kind == PLUSSI_E_MIN || expr->kind == PLUSSI_E_MAX); i++)
        put_difference(space, var, sign, expr->a[i], copy, 0);
}

void plussi_space_add_expr(plussi_space *space, const plussi_expr *expr, uint32_t copy,
                           int64_t factor, plussi_row *row)
{
    int64_t k, product;
    switch (expr->kind) {
    case PLUSSI_E_INT:
        if (plussi_mul_over(expr->value, factor, &product) ||
            plussi_add_over(row->k, product, &row->k))
            lose(row);
        return;
    case PLUSSI_E_SYMBOL: /* one that follows from others is what it follows from */
        if (expr->symbol->value && expr->symbol->value->kind != PLUSSI_E_INT)
            plussi_space_add_expr(space, expr->symbol->value, copy, factor, row);
        else
            plussi_space_add_var(space,
                                 (plussi_var){.kind = PLUSSI_VAR_SYMBOL, .id = expr->symbol->id},
                                 factor, row);
        return;
    case PLUSSI_E_IV:
        plussi_space_add_var(space, loop_var(space, expr->loop, copy), factor, row);
        return;
    case PLUSSI_E_TEAM:
        plussi_space_add_var(space, (plussi_var){.kind = PLUSSI_VAR_TEAM}, factor, row);
        return;
    case PLUSSI_E_NEG:
        if (factor != INT64_MIN) {
            plussi_space_add_expr(space, expr->a[0], copy, -factor, row);
            return;
        }
        break;
    case PLUSSI_E_ADD:
    case PLUSSI_E_SUB:
        if (factor != INT64_MIN) {
            plussi_space_add_expr(space, expr->a[0], copy, factor, row);
            plussi_space_add_expr(space, expr->a[1], copy,
                                  expr->kind == PLUSSI_E_ADD ? factor : -factor, row);
            return;
        }
        break;
    case PLUSSI_E_MUL:
        for (int i = 0; i < 2; i++)
            if (is_literal(expr->a[i], &k) && !plussi_mul_over(k, factor, &product)) {
                plussi_space_add_expr(space, expr->a[1 - i], copy, product, row);
                return;
            }
        break;
    default:
        break;
    }
    add_other(space, expr, copy, factor, row);
}

/* ---- what is around an access -----------------------------------------------------------------
 */

void plussi_space_add_bounds(plussi_space *space, const plussi_node *loop, uint32_t copy)
{
    const int64_t step = loop->u.loop.step, sign = step > 0 ? 1 : -1;
    const plussi_var iv = loop_var(space, loop, copy);
    put_difference(space, iv, sign, loop->u.loop.lo, copy, 0);
    put_difference(space, iv, -sign, loop->u.loop.hi, copy, -1);
    if (step == 1 || step == -1)
        return;
    plussi_row row = {.equal = true};
    plussi_space_add_var(space, iv, 1, &row);
    plussi_space_add_expr(space, loop->u.loop.lo, copy, -1, &row);
    /* a variable that nothing else has: the first of its expression and id */
    plussi_space_add_var(space,
                         (plussi_var){.kind = PLUSSI_VAR_OTHER, .id = iv.id + 1, .copy = iv.copy},
                         -step, &row);
    plussi_space_put(space, &row);
}

/* The condition holds, or, truth false, it does not. */
static void add_condition(plussi_space *space, const plussi_expr *cond, uint32_t copy, bool truth)
{
    plussi_expr_kind kind = cond->kind;
    if (kind == PLUSSI_E_NOT) {
        add_condition(space, cond->a[0], copy, !truth);
        return;
    }
    if (kind == (truth ? PLUSSI_E_AND : PLUSSI_E_OR)) {
        add_condition(space, cond->a[0], copy, truth);
        add_condition(space, cond->a[1], copy, truth);
        return;
    }
    bool equal = kind == (truth ? PLUSSI_E_EQ : PLUSSI_E_NE);
    if (!equal && (kind < PLUSSI_E_LT || kind > PLUSSI_E_GE))
        return;
    /* a < b: b - a - 1 >= 0 */
    bool less = kind == PLUSSI_E_LT || kind == PLUSSI_E_LE;
    bool strict = kind == PLUSSI_E_LT || kind == PLUSSI_E_GT;
    if (!truth) {
        less = !less;
        strict = !strict;
    }
    plussi_row row = {.equal = equal, .k = strict && !equal ? -1 : 0};
    plussi_space_add_expr(space, cond->a[0], copy, less ? -1 : 1, &row);
    plussi_space_add_expr(space, cond->a[1], copy, less ? 1 : -1, &row);
    plussi_space_put(space, &row);
}

static bool is_within(const plussi_body *body, const plussi_node *node)
{
    for (const plussi_node *child = body->first; child; child = child->next)
        if (child == node)
            return true;
    return false;
}

void plussi_space_add_path(plussi_space *space, const plussi_node *node, uint32_t copy)
{
    for (const plussi_node *up = node->parent; up; node = up, up = up->parent)
        if (up->kind == PLUSSI_N_LOOP)
            plussi_space_add_bounds(space, up, copy);
        else if (up->kind == PLUSSI_N_IF)
            add_condition(space, up->u.branch.cond, copy, is_within(&up->body, node));
}
