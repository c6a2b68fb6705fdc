/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Expressions with the fewest parentheses that keep the tree.
 */
#include <inttypes.h>

#include "nest/text.h"

/* Loosest to tightest, as in parse_expr.c. */
enum {
    PREC_SELECT,
    PREC_OR,
    PREC_AND,
    PREC_RELATION,
    PREC_SUM,
    PREC_TERM,
    PREC_UNARY,
    PREC_PRIMARY
};

static const struct operator
{
    const char *text; /* NULL: not an infix operator */
    int precedence;
}
operators[] = {
    [PLUSSI_E_ADD] = {" + ", PREC_SUM},      [PLUSSI_E_SUB] = {" - ", PREC_SUM},
    [PLUSSI_E_MUL] = {" * ", PREC_TERM},     [PLUSSI_E_DIV] = {" / ", PREC_TERM},
    [PLUSSI_E_MOD] = {" % ", PREC_TERM},     [PLUSSI_E_LT] = {" < ", PREC_RELATION},
    [PLUSSI_E_LE] = {" <= ", PREC_RELATION}, [PLUSSI_E_GT] = {" > ", PREC_RELATION},
    [PLUSSI_E_GE] = {" >= ", PREC_RELATION}, [PLUSSI_E_EQ] = {" == ", PREC_RELATION},
    [PLUSSI_E_NE] = {" != ", PREC_RELATION}, [PLUSSI_E_AND] = {" && ", PREC_AND},
    [PLUSSI_E_OR] = {" || ", PREC_OR},       [PLUSSI_E_NOT] = {NULL, 0},
};

static int precedence_of(const plussi_expr *expr)
{
    switch (expr->kind) {
    case PLUSSI_E_SELECT:
        return PREC_SELECT;
    case PLUSSI_E_NEG:
    case PLUSSI_E_NOT:
        return PREC_UNARY;
    case PLUSSI_E_INT:
        return expr->value < 0 ? PREC_UNARY : PREC_PRIMARY;
    default:
        if ((size_t)expr->kind < sizeof operators / sizeof *operators && operators[expr->kind].text)
            return operators[expr->kind].precedence;
        return PREC_PRIMARY;
    }
}

static void put_expr(plussi_text *text, const plussi_expr *expr, int tightest, uint32_t depth);

/* ---- as Fortran's sources write them ------------------------------------------------------- */

enum { MAX_TERMS = 32 };

typedef struct sum {
    const plussi_expr *term[MAX_TERMS]; /* no sums, no numbers */
    bool minus[MAX_TERMS];
    uint32_t n;
    int64_t constant;
} sum;

/* Adds an expression, or takes it away. False: the sum is too long, deep or large. */
static bool add_to_sum(sum *s, const plussi_expr *expr, bool minus, uint32_t depth)
{
    if (!expr || depth >= PLUSSI_MAX_EXPR_DEPTH)
        return false;
    switch (expr->kind) {
    case PLUSSI_E_ADD:
    case PLUSSI_E_SUB:
        return add_to_sum(s, expr->a[0], minus, depth + 1) &&
               add_to_sum(s, expr->a[1], minus != (expr->kind == PLUSSI_E_SUB), depth + 1);
    case PLUSSI_E_NEG:
        return add_to_sum(s, expr->a[0], !minus, depth + 1);
    case PLUSSI_E_INT:
        return minus ? !__builtin_sub_overflow(s->constant, expr->value, &s->constant)
                     : !__builtin_add_overflow(s->constant, expr->value, &s->constant);
    default:
        if (s->n == MAX_TERMS)
            return false;
        s->term[s->n] = expr;
        s->minus[s->n++] = minus;
        return true;
    }
}

/* A subscript of a nest, which counts from 0, as one that counts from `lower`. */
static void put_shifted(plussi_text *text, const plussi_expr *sub, int64_t lower, uint32_t depth)
{
    sum s = {.constant = lower};
    if (lower == 0) {
        put_expr(text, sub, PREC_SELECT, depth);
        return;
    }
    if (!add_to_sum(&s, sub, false, depth) || s.constant == INT64_MIN) {
        put_expr(text, sub, PREC_SUM, depth);
        plussi_text_format(text, lower < 0 ? " - %" PRIu64 : " + %" PRIu64,
                           lower < 0 ? -(uint64_t)lower : (uint64_t)lower);
        return;
    }
    const bool first = s.n == 0 || (s.minus[0] && s.constant > 0); /* 3 - i */
    if (first)
        plussi_text_format(text, "%" PRId64, s.constant);
    for (uint32_t i = 0; i < s.n; i++) {
        const bool leads = i == 0 && !first;
        plussi_text_puts(text, s.minus[i] ? (leads ? "-" : " - ") : leads ? "" : " + ");
        put_expr(text, s.term[i], leads && s.minus[i] ? PREC_UNARY : PREC_TERM, depth);
    }
    if (!first && s.constant)
        plussi_text_format(text, s.constant < 0 ? " - %" PRId64 : " + %" PRId64,
                           s.constant < 0 ? -s.constant : s.constant);
}

/* a(i, j) */
static void put_fortran_subscripts(plussi_text *text, const int64_t *lower, uint32_t n,
                                   plussi_expr *const *subs, uint32_t depth)
{
    for (uint32_t i = 0; i < n; i++) {
        plussi_text_puts(text, i ? ", " : "(");
        put_shifted(text, subs[i], lower[i], depth);
    }
    plussi_text_puts(text, ")");
}

static void put_subscripts(plussi_text *text, const plussi_array *array, uint32_t n,
                           plussi_expr *const *subs, uint32_t depth)
{
    if (text->for_people && array && array->lower && n && n == array->rank) {
        put_fortran_subscripts(text, array->lower, n, subs, depth);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        plussi_text_puts(text, "[");
        put_expr(text, subs[i], PREC_SELECT, depth);
        plussi_text_puts(text, "]");
    }
}

/* The left nest min(min(a, b), c) is written min(a, b, c). */
static void put_extreme(plussi_text *text, const plussi_expr *expr, uint32_t depth)
{
    plussi_text_puts(text, expr->kind == PLUSSI_E_MIN ? "min(" : "max(");
    const plussi_expr *chain[PLUSSI_MAX_EXPR_DEPTH];
    uint32_t n = 0;
    const plussi_expr *left = expr;
    while (left && left->kind == expr->kind && depth + n < PLUSSI_MAX_EXPR_DEPTH) {
        chain[n++] = left;
        left = left->a[0];
    }
    put_expr(text, left, PREC_SELECT, depth + n);
    while (n-- > 0) {
        plussi_text_puts(text, ", ");
        put_expr(text, chain[n]->a[1], PREC_SELECT, depth + n + 1);
    }
    plussi_text_puts(text, ")");
}

static void put_bare(plussi_text *text, const plussi_expr *expr, uint32_t depth)
{
    switch (expr->kind) {
    case PLUSSI_E_INT:
        plussi_text_format(text, "%" PRId64, expr->value);
        break;
    case PLUSSI_E_SYMBOL:
        plussi_text_name(text, expr->symbol ? expr->symbol->name : NULL);
        break;
    case PLUSSI_E_IV:
        plussi_text_name(text, expr->loop ? expr->loop->u.loop.iv : NULL);
        break;
    case PLUSSI_E_THREAD:
        plussi_text_puts(text, "$thread");
        break;
    case PLUSSI_E_TEAM:
        plussi_text_puts(text, "$team");
        break;
    case PLUSSI_E_LOAD:
        plussi_text_name(text, expr->array ? expr->array->name : NULL);
        put_subscripts(text, expr->array, expr->n_subs, expr->subs, depth + 1);
        break;
    case PLUSSI_E_NEG:
    case PLUSSI_E_NOT:
        plussi_text_puts(text, expr->kind == PLUSSI_E_NEG ? "-" : "!");
        put_expr(text, expr->a[0], PREC_UNARY, depth + 1);
        break;
    case PLUSSI_E_MIN:
    case PLUSSI_E_MAX:
        put_extreme(text, expr, depth);
        break;
    case PLUSSI_E_SELECT:
        plussi_text_puts(text, "(");
        put_expr(text, expr->a[0], PREC_SELECT, depth + 1);
        plussi_text_puts(text, ") ? ");
        put_expr(text, expr->a[1], PREC_SELECT, depth + 1);
        plussi_text_puts(text, " : ");
        put_expr(text, expr->a[2], PREC_SELECT, depth + 1);
        break;
    default: {
        int precedence = precedence_of(expr);
        if (precedence == PREC_PRIMARY) {
            plussi_text_puts(text, "?");
            break;
        }
        /* a comparison's operands are sums; the other operators associate to the left */
        bool relation = precedence == PREC_RELATION;
        put_expr(text, expr->a[0], precedence + relation, depth + 1);
        plussi_text_puts(text, operators[expr->kind].text);
        put_expr(text, expr->a[1], precedence + 1, depth + 1);
    }
    }
}

/* In parentheses if it binds looser than its place requires. */
static void put_expr(plussi_text *text, const plussi_expr *expr, int tightest, uint32_t depth)
{
    if (text->status != PLUSS_OK)
        return;
    if (depth >= PLUSSI_MAX_EXPR_DEPTH) {
        text->status = plussi_fail(text->ctx, PLUSS_ELIMIT, NULL,
                                   "an expression has more than PLUSSI_MAX_EXPR_DEPTH = %d levels",
                                   PLUSSI_MAX_EXPR_DEPTH);
        return;
    }
    if (!expr) { /* never in a valid nest */
        plussi_text_puts(text, "?");
        return;
    }
    bool parentheses = precedence_of(expr) < tightest;
    if (parentheses)
        plussi_text_puts(text, "(");
    put_bare(text, expr, depth);
    if (parentheses)
        plussi_text_puts(text, ")");
}

void plussi_text_expr(plussi_text *text, const plussi_expr *expr)
{
    put_expr(text, expr, PREC_SELECT, 0);
}

void plussi_text_subscripted(plussi_text *text, const plussi_array *array, uint32_t n_subs,
                             plussi_expr *const *subs)
{
    plussi_text_name(text, array ? array->name : NULL);
    put_subscripts(text, array, n_subs, subs, 0);
}

pluss_status plussi_expr_print(plussi_ctx *ctx, const plussi_expr *expr, char **out)
{
    plussi_text text;
    plussi_text_init(&text, ctx);
    text.for_people = true;
    plussi_text_expr(&text, expr);
    return plussi_text_finish(&text, out, NULL);
}

pluss_status plussi_ref_print(plussi_ctx *ctx, const plussi_node *ref, char **out)
{
    plussi_text text;
    plussi_text_init(&text, ctx);
    text.for_people = true;
    plussi_text_subscripted(&text, ref->u.ref.array, ref->u.ref.n_subs, ref->u.ref.subs);
    return plussi_text_finish(&text, out, NULL);
}
