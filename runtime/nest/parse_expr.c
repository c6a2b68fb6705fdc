/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Expressions and conditions by precedence climbing. Both have the same grammar, with C's
 * precedences; the kinds of operands are checked when operators are applied.
 */
#include "nest/parse_state.h"

#include <string.h>

/* Nesting of parentheses, unary operators, subscripts and arms of '?'. A canonical text needs less
 * than three a level of the tree. */
enum { MAX_NESTING = 4 * PLUSSI_MAX_EXPR_DEPTH };

typedef struct tree {
    plussi_expr *expr; /* NULL: reported */
    uint32_t depth;
} tree;

static const tree no_tree = {NULL, 0};

static tree parse_select(plussi_parser *p);

static tree finish_tree(plussi_parser *p, plussi_expr *expr, plussi_loc loc, uint32_t depth)
{
    if (!expr) {
        plussi_parse_no_memory(p);
        return no_tree;
    }
    expr->loc = loc;
    if (depth > PLUSSI_MAX_EXPR_DEPTH) {
        p->tok.loc = loc;
        plussi_parse_over_limit(p, "levels of an expression", "PLUSSI_MAX_EXPR_DEPTH",
                                PLUSSI_MAX_EXPR_DEPTH);
        return no_tree;
    }
    return (tree){expr, depth};
}

static bool enter_depth(plussi_parser *p)
{
    if (p->expr_nesting < MAX_NESTING) {
        p->expr_nesting++;
        return true;
    }
    return plussi_parse_over_limit(p, "levels of an expression", "PLUSSI_MAX_EXPR_DEPTH",
                                   PLUSSI_MAX_EXPR_DEPTH);
}

/* Checks that the operand is a condition, or a number, as required. */
static bool check_sort(plussi_parser *p, const plussi_expr *expr, bool condition)
{
    if (plussi_expr_is_condition(expr->kind) == condition)
        return true;
    return plussi_parse_fail(p, PLUSS_EPARSE, &expr->loc,
                             condition ? "found a number, expected a condition"
                                       : "found a condition, expected a number");
}

static uint32_t max_depth(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static tree make_binary(plussi_parser *p, plussi_expr_kind kind, plussi_loc loc, tree a, tree b)
{
    bool logical = kind == PLUSSI_E_AND || kind == PLUSSI_E_OR;
    if (!check_sort(p, a.expr, logical) || !check_sort(p, b.expr, logical))
        return no_tree;
    return finish_tree(p, plussi_expr_op(p->nest, kind, a.expr, b.expr, NULL), loc,
                       1 + max_depth(a.depth, b.depth));
}

/* ---- primaries --------------------------------------------------------------------------------
 */

static bool parse_subs(plussi_parser *p, uint32_t *n, plussi_expr ***subs, uint32_t *depth)
{
    plussi_expr *sub[PLUSSI_MAX_RANK];
    *n = *depth = 0;
    while (plussi_parse_accept(p, '[')) {
        if (*n == PLUSSI_MAX_RANK)
            return plussi_parse_over_limit(p, "subscripts", "PLUSSI_MAX_RANK", PLUSSI_MAX_RANK);
        tree t = parse_select(p);
        if (!t.expr || !check_sort(p, t.expr, false) || !plussi_parse_expect(p, ']', "']'"))
            return false;
        sub[(*n)++] = t.expr;
        *depth = max_depth(*depth, t.depth);
    }
    *subs = plussi_expr_vec(p->nest, *n);
    if (!*subs)
        return plussi_parse_no_memory(p);
    if (*n)
        memcpy(*subs, sub, *n * sizeof *sub);
    return true;
}

bool plussi_parse_subscripts(plussi_parser *p, uint32_t *n, plussi_expr ***subs)
{
    uint32_t depth;
    return parse_subs(p, n, subs, &depth);
}

/* An undeclared name becomes 0, so that a missing declaration is one error. */
static tree parse_named(plussi_parser *p)
{
    plussi_token at = p->tok;
    plussi_name *name = plussi_parse_name(p, "a number");
    if (!name)
        return no_tree;
    const plussi_meaning *meaning = name->meaning;
    if (meaning && meaning->kind == PLUSSI_MEANS_SYMBOL)
        return finish_tree(p, plussi_expr_symbol(p->nest, meaning->u.symbol), at.loc, 1);
    if (meaning && meaning->kind == PLUSSI_MEANS_IV)
        return finish_tree(p, plussi_expr_iv(p->nest, meaning->u.loop), at.loc, 1);
    uint32_t n, depth;
    plussi_expr **subs;
    if (!parse_subs(p, &n, &subs, &depth))
        return no_tree;
    if (meaning) {
        plussi_expr *load = plussi_expr_load(p->nest, meaning->u.array, n);
        if (load)
            load->subs = subs;
        return finish_tree(p, load, at.loc, depth + 1);
    }
    plussi_parse_unknown_name(p, name, &at,
                              n ? "the name of a declared array"
                                : "a symbol or induction variable in scope");
    return finish_tree(p, plussi_expr_int(p->nest, 0), at.loc, depth + 1);
}

static tree parse_literal(plussi_parser *p)
{
    plussi_loc loc = p->tok.loc;
    int64_t value = 0;
    /* a larger one has been reported, and becomes 0 */
    (void)plussi_parse_integer(p, "a number", &value);
    return finish_tree(p, plussi_expr_int(p->nest, value), loc, 1);
}

static tree parse_parenthesised(plussi_parser *p)
{
    plussi_parse_next(p);
    tree inner = parse_select(p);
    if (!inner.expr || !plussi_parse_expect(p, ')', "')'"))
        return no_tree;
    return inner;
}

/* min(a, b, c) is min(min(a, b), c). */
static tree parse_extreme(plussi_parser *p, plussi_expr_kind kind)
{
    plussi_loc loc = p->tok.loc;
    plussi_parse_next(p);
    if (!plussi_parse_expect(p, '(', "'('"))
        return no_tree;
    tree all = parse_select(p);
    if (!all.expr || !check_sort(p, all.expr, false) || !plussi_parse_expect(p, ',', "','"))
        return no_tree;
    do {
        tree next = parse_select(p);
        if (!next.expr)
            return no_tree;
        all = make_binary(p, kind, loc, all, next);
        if (!all.expr)
            return no_tree;
    } while (plussi_parse_accept(p, ','));
    return plussi_parse_expect(p, ')', "',' or ')'") ? all : no_tree;
}

static tree parse_plain(plussi_parser *p)
{
    plussi_loc loc = p->tok.loc;
    switch (p->tok.kind) {
    case PLUSSI_TOK_INT:
        return parse_literal(p);
    case '(':
        return parse_parenthesised(p);
    case PLUSSI_TOK_THREAD:
    case PLUSSI_TOK_TEAM: {
        plussi_expr_kind kind = p->tok.kind == PLUSSI_TOK_THREAD ? PLUSSI_E_THREAD : PLUSSI_E_TEAM;
        plussi_parse_next(p);
        return finish_tree(p, plussi_expr_op(p->nest, kind, NULL, NULL, NULL), loc, 1);
    }
    case PLUSSI_TOK_NAME:
        if (p->tok.keyword == PLUSSI_KW_MIN)
            return parse_extreme(p, PLUSSI_E_MIN);
        if (p->tok.keyword == PLUSSI_KW_MAX)
            return parse_extreme(p, PLUSSI_E_MAX);
        return parse_named(p);
    default:
        plussi_parse_expected(p, "a number");
        return no_tree;
    }
}

/* ---- operators --------------------------------------------------------------------------------
 */

static tree parse_unary(plussi_parser *p)
{
    plussi_loc loc = p->tok.loc;
    bool negate = p->tok.kind == '-';
    if (!negate && p->tok.kind != '!')
        return parse_plain(p);
    if (!enter_depth(p))
        return no_tree;
    plussi_parse_next(p);
    tree of;
    if (negate && p->tok.kind == PLUSSI_TOK_INT && p->tok.value == (uint64_t)1 << 63) {
        plussi_parse_next(p);
        of = finish_tree(p, plussi_expr_int(p->nest, INT64_MIN), loc, 1);
    } else {
        of = parse_unary(p);
        if (of.expr && check_sort(p, of.expr, !negate)) {
            bool folds = negate && of.expr->kind == PLUSSI_E_INT && of.expr->value != INT64_MIN;
            plussi_expr_kind kind = negate ? PLUSSI_E_NEG : PLUSSI_E_NOT;
            of = finish_tree(p, plussi_expr_op(p->nest, kind, of.expr, NULL, NULL), loc,
                             of.depth + !folds);
        } else {
            of = no_tree;
        }
    }
    p->expr_nesting--;
    return of;
}

static const struct operator
{
    int token;
    plussi_expr_kind kind;
    int precedence; /* 1: loosest */
}
operators[] = {
    {PLUSSI_TOK_OR, PLUSSI_E_OR, 1}, {PLUSSI_TOK_AND, PLUSSI_E_AND, 2},
    {'<', PLUSSI_E_LT, 3},           {PLUSSI_TOK_LE, PLUSSI_E_LE, 3},
    {'>', PLUSSI_E_GT, 3},           {PLUSSI_TOK_GE, PLUSSI_E_GE, 3},
    {PLUSSI_TOK_EQ, PLUSSI_E_EQ, 3}, {PLUSSI_TOK_NE, PLUSSI_E_NE, 3},
    {'+', PLUSSI_E_ADD, 4},          {'-', PLUSSI_E_SUB, 4},
    {'*', PLUSSI_E_MUL, 5},          {'/', PLUSSI_E_DIV, 5},
    {'%', PLUSSI_E_MOD, 5},
};

static const struct operator* operator_of(int token)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].token == token)
            return &operators[i];
    return NULL;
}

static tree parse_binary(plussi_parser *p, int loosest)
{
    tree left = parse_unary(p);
    const struct operator* op;
    while (left.expr && (op = operator_of(p->tok.kind)) && op->precedence >= loosest) {
        plussi_loc loc = p->tok.loc;
        plussi_parse_next(p);
        tree right = parse_binary(p, op->precedence + 1);
        if (!right.expr)
            return no_tree;
        left = make_binary(p, op->kind, loc, left, right);
    }
    return left;
}

static tree parse_arms(plussi_parser *p, tree cond)
{
    plussi_loc loc = p->tok.loc;
    plussi_parse_next(p);
    if (!check_sort(p, cond.expr, true))
        return no_tree;
    tree yes = parse_select(p);
    if (!yes.expr || !check_sort(p, yes.expr, false) || !plussi_parse_expect(p, ':', "':'"))
        return no_tree;
    tree no = parse_select(p);
    if (!no.expr || !check_sort(p, no.expr, false))
        return no_tree;
    return finish_tree(p, plussi_expr_op(p->nest, PLUSSI_E_SELECT, cond.expr, yes.expr, no.expr),
                       loc, 1 + max_depth(cond.depth, max_depth(yes.depth, no.depth)));
}

static tree parse_select(plussi_parser *p)
{
    if (!enter_depth(p))
        return no_tree;
    tree t = parse_binary(p, 1);
    if (t.expr && p->tok.kind == '?')
        t = parse_arms(p, t);
    p->expr_nesting--;
    return t;
}

static plussi_expr *parse_sort(plussi_parser *p, bool condition)
{
    tree t = parse_select(p);
    return t.expr && check_sort(p, t.expr, condition) ? t.expr : NULL;
}

plussi_expr *plussi_parse_expr(plussi_parser *p)
{
    return parse_sort(p, false);
}

plussi_expr *plussi_parse_condition(plussi_parser *p)
{
    return parse_sort(p, true);
}

plussi_expr *plussi_parse_guard(plussi_parser *p)
{
    if (!plussi_parse_expect(p, '(', "'('"))
        return NULL;
    plussi_expr *condition = plussi_parse_condition(p);
    return condition && plussi_parse_expect(p, ')', "')'") ? condition : NULL;
}
