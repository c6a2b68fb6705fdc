/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Expressions: scopes, sorts (number or condition), quasi-affinity.
 */
#include "nest/validate_state.h"

#include <inttypes.h>

typedef struct check {
    plussi_validator *v;
    unsigned may;
    const char *what;
    bool too_deep; /* said so: the rest of the expression is not looked at */
} check;

static bool check_expr(check *c, plussi_expr *expr, bool condition, uint32_t depth);

static void forbid_found(check *c, unsigned needs, const plussi_expr *expr, const char *found)
{
    if (!(c->may & needs))
        plussi_validate_fail(c->v, PLUSS_EINVALID, &expr->loc,
                             "found %s in %s, which it may not depend on", found, c->what);
}

static void check_load(check *c, plussi_expr *expr, uint32_t depth)
{
    forbid_found(c, PLUSSI_MAY_LOAD, expr, "a value loaded from an array");
    plussi_array *array = expr->array;
    if (!array) {
        plussi_validate_fail(c->v, PLUSS_EINVALID, &expr->loc, "found a load without an array");
        return;
    }
    plussi_validate_visible(c->v, array->name, PLUSSI_MEANS_ARRAY, array, &expr->loc);
    if (expr->n_subs != array->rank || (array->rank && !expr->subs)) {
        uint32_t n = expr->subs ? expr->n_subs : 0;
        plussi_validate_fail(c->v, PLUSS_EINVALID, &expr->loc,
                             "found %" PRIu32 " subscript%s of '%.255s', expected %" PRIu32, n,
                             n == 1 ? "" : "s", array->name ? array->name : "", array->rank);
        return;
    }
    for (uint32_t i = 0; i < expr->n_subs; i++)
        check_expr(c, expr->subs[i], false, depth + 1);
}

static void check_divisor(check *c, const plussi_expr *divisor, bool varies)
{
    if (!divisor)
        return;
    if (varies)
        plussi_validate_fail(c->v, PLUSS_EINVALID, &divisor->loc,
                             "found a divisor that varies, expected an integer or symbols");
    else if (divisor->kind == PLUSSI_E_INT && divisor->value <= 0)
        plussi_validate_fail(c->v, PLUSS_EINVALID, &divisor->loc,
                             "found the divisor %" PRId64 ", expected at least 1", divisor->value);
}

static bool check_operator(check *c, plussi_expr *expr, uint32_t depth)
{
    uint32_t arity = plussi_expr_arity(expr->kind);
    bool logical =
        expr->kind == PLUSSI_E_AND || expr->kind == PLUSSI_E_OR || expr->kind == PLUSSI_E_NOT;
    bool varies[3] = {false, false, false};
    for (uint32_t i = 0; i < arity; i++) {
        bool condition = logical || (expr->kind == PLUSSI_E_SELECT && i == 0);
        varies[i] = check_expr(c, expr->a[i], condition, depth + 1);
    }
    plussi_expr *a = expr->a[0];
    switch (expr->kind) {
    case PLUSSI_E_NEG:
        if (a && a->kind == PLUSSI_E_INT && a->value != INT64_MIN) {
            expr->kind = PLUSSI_E_INT;
            expr->value = -a->value;
            expr->a[0] = NULL;
        }
        break;
    case PLUSSI_E_MUL:
        if (varies[0] && varies[1])
            plussi_validate_fail(c->v, PLUSS_EINVALID, &expr->loc,
                                 "found a product of two factors that vary, expected at most one "
                                 "with induction variables, loads or $thread");
        break;
    case PLUSSI_E_DIV:
    case PLUSSI_E_MOD:
        check_divisor(c, expr->a[1], varies[1]);
        break;
    default:
        break;
    }
    return varies[0] || varies[1] || varies[2];
}

/* Returns whether the value can differ between iterations or threads. */
static bool check_expr(check *c, plussi_expr *expr, bool condition, uint32_t depth)
{
    plussi_validator *v = c->v;
    if (!expr) {
        plussi_validate_fail(v, PLUSS_EINVALID, NULL, "found nothing for %s, expected a %s",
                             c->what, condition ? "condition" : "number");
        return false;
    }
    if (c->too_deep || v->exprs_left == 0)
        return false;
    if (depth > PLUSSI_MAX_EXPR_DEPTH) {
        c->too_deep = true;
        plussi_validate_fail(v, PLUSS_ELIMIT, &expr->loc,
                             "found more than %d levels in %s, expected at most "
                             "PLUSSI_MAX_EXPR_DEPTH = %d",
                             PLUSSI_MAX_EXPR_DEPTH, c->what, PLUSSI_MAX_EXPR_DEPTH);
        return false;
    }
    if (--v->exprs_left == 0) {
        plussi_validate_fail(v, PLUSS_ELIMIT, &expr->loc,
                             "found more than %d operands in all expressions", PLUSSI_MAX_TEXT);
        return false;
    }
    if ((unsigned)expr->kind > PLUSSI_E_NOT) {
        plussi_validate_fail(v, PLUSS_EINVALID, &expr->loc, "found an expression of kind %d",
                             (int)expr->kind);
        return false;
    }
    if (plussi_expr_is_condition(expr->kind) != condition)
        plussi_validate_fail(v, PLUSS_EINVALID, &expr->loc,
                             condition ? "found a number in %s, expected a condition"
                                       : "found a condition in %s, expected a number",
                             c->what);
    switch (expr->kind) {
    case PLUSSI_E_INT:
        return false;
    case PLUSSI_E_SYMBOL:
        plussi_validate_visible(v, expr->symbol ? expr->symbol->name : NULL, PLUSSI_MEANS_SYMBOL,
                                expr->symbol, &expr->loc);
        return false;
    case PLUSSI_E_IV:
        forbid_found(c, PLUSSI_MAY_IV, expr, "an induction variable");
        plussi_validate_visible(v, expr->loop ? expr->loop->u.loop.iv : NULL, PLUSSI_MEANS_IV,
                                expr->loop, &expr->loc);
        return true;
    case PLUSSI_E_THREAD:
        forbid_found(c, PLUSSI_MAY_THREAD, expr, "$thread");
        return true;
    case PLUSSI_E_TEAM:
        forbid_found(c, PLUSSI_MAY_TEAM, expr, "$team");
        return false;
    case PLUSSI_E_LOAD:
        check_load(c, expr, depth);
        return true;
    default:
        return check_operator(c, expr, depth);
    }
}

void plussi_validate_number(plussi_validator *v, plussi_expr *expr, unsigned may, const char *what)
{
    check c = {v, may, what, false};
    check_expr(&c, expr, false, 1);
}

void plussi_validate_condition(plussi_validator *v, plussi_expr *expr, unsigned may,
                               const char *what)
{
    check c = {v, may, what, false};
    check_expr(&c, expr, true, 1);
}

void plussi_validate_at_least(plussi_validator *v, plussi_expr *expr, unsigned may, int64_t least,
                              const char *what)
{
    plussi_validate_number(v, expr, may, what);
    if (expr && expr->kind == PLUSSI_E_INT && expr->value < least)
        plussi_validate_fail(v, PLUSS_EINVALID, &expr->loc,
                             "found %" PRId64 " for %s, expected at least %" PRId64, expr->value,
                             what, least);
}
