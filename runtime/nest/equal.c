/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names are unique in their scopes and both nests are compared in lockstep, so that two uses of
 * names are equal if name and scope are.
 */
#include "nest/equal.h"

#include <string.h>

#include "nest/effective.h"

typedef struct comparison {
    const plussi_region *a, *b; /* current regions */
    bool with_locations;
} comparison;

static bool equal_exprs(const plussi_expr *a, const plussi_expr *b, uint32_t depth);

static bool same_owner(const plussi_region *a, const plussi_region *b)
{
    return (a == NULL) == (b == NULL);
}

static bool same_symbol(const plussi_symbol *a, const plussi_symbol *b)
{
    return a && b ? same_owner(a->region, b->region) && plussi_same_text(a->name, b->name) : a == b;
}

static bool same_array(const plussi_array *a, const plussi_array *b)
{
    return a && b ? same_owner(a->region, b->region) && plussi_same_text(a->name, b->name) : a == b;
}

/* ---- expressions ------------------------------------------------------------------------------
 */

static bool equal_lists(plussi_expr *const *a, plussi_expr *const *b, uint32_t n, uint32_t depth)
{
    for (uint32_t i = 0; i < n; i++)
        if (!equal_exprs(a[i], b[i], depth))
            return false;
    return true;
}

/* An expression deeper than any valid one is not equal to any. */
static bool equal_exprs(const plussi_expr *a, const plussi_expr *b, uint32_t depth)
{
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind || depth > PLUSSI_MAX_EXPR_DEPTH)
        return false;
    switch (a->kind) {
    case PLUSSI_E_INT:
        return a->value == b->value;
    case PLUSSI_E_SYMBOL:
        return same_symbol(a->symbol, b->symbol);
    case PLUSSI_E_IV:
        return a->loop && b->loop ? plussi_same_text(a->loop->u.loop.iv, b->loop->u.loop.iv)
                                  : a->loop == b->loop;
    case PLUSSI_E_LOAD:
        return same_array(a->array, b->array) && a->n_subs == b->n_subs &&
               equal_lists(a->subs, b->subs, a->n_subs, depth + 1);
    default:
        for (uint32_t i = 0; i < plussi_expr_arity(a->kind); i++)
            if (!equal_exprs(a->a[i], b->a[i], depth + 1))
                return false;
        return true;
    }
}

static bool equal_expr(const plussi_expr *a, const plussi_expr *b)
{
    return equal_exprs(a, b, 1);
}

/* ---- declarations -----------------------------------------------------------------------------
 */

bool plussi_symbol_equal(const plussi_symbol *a, const plussi_symbol *b)
{
    return same_symbol(a, b) && plussi_same_text(a->origin, b->origin) && a->least == b->least &&
           equal_expr(a->value, b->value);
}

static bool equal_lower(const plussi_array *a, const plussi_array *b)
{
    if (!a->lower || !b->lower)
        return a->lower == b->lower;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->lower[i] != b->lower[i])
            return false;
    return true;
}

static bool equal_values(const plussi_array *a, const plussi_array *b)
{
    if (!a->has_values || !b->has_values)
        return a->has_values == b->has_values;
    return a->n_values == b->n_values &&
           (a->n_values == 0 || memcmp(a->values, b->values, a->n_values * sizeof *a->values) == 0);
}

bool plussi_array_equal(const plussi_array *a, const plussi_array *b)
{
    if (!same_array(a, b) || a->elem != b->elem || a->elem_bytes != b->elem_bytes ||
        a->rank != b->rank || a->column_order != b->column_order ||
        a->is_private != b->is_private || a->base_kind != b->base_kind)
        return false;
    bool strides = a->strides && a->rank, other_strides = b->strides && b->rank;
    return strides == other_strides && equal_lists(a->extents, b->extents, a->rank, 1) &&
           (!strides || equal_lists(a->strides, b->strides, a->rank, 1)) &&
           equal_expr(plussi_effective_base(a), plussi_effective_base(b)) &&
           same_array(a->over, b->over) && plussi_same_text(a->alias, b->alias) &&
           equal_lower(a, b) && equal_values(a, b);
}

/* ---- statements -------------------------------------------------------------------------------
 */

static bool equal_loops(const plussi_node *a, const plussi_node *b)
{
    const plussi_schedule *s = &a->u.loop.schedule, *t = &b->u.loop.schedule;
    return plussi_same_text(a->u.loop.iv, b->u.loop.iv) && equal_expr(a->u.loop.lo, b->u.loop.lo) &&
           equal_expr(a->u.loop.hi, b->u.loop.hi) && a->u.loop.step == b->u.loop.step &&
           a->u.loop.workshare == b->u.loop.workshare && s->kind == t->kind &&
           s->modifier == t->modifier && equal_expr(s->chunk, t->chunk) &&
           equal_expr(s->chunk2, t->chunk2) && a->u.loop.collapse == b->u.loop.collapse &&
           a->u.loop.nowait == b->u.loop.nowait && a->u.loop.ordered == b->u.loop.ordered;
}

static bool equal_refs(const plussi_node *a, const plussi_node *b)
{
    return same_array(a->u.ref.array, b->u.ref.array) && a->u.ref.n_subs == b->u.ref.n_subs &&
           equal_lists(a->u.ref.subs, b->u.ref.subs, a->u.ref.n_subs, 1) &&
           a->u.ref.offset == b->u.ref.offset &&
           plussi_effective_width(a) == plussi_effective_width(b) &&
           a->u.ref.write == b->u.ref.write && a->u.ref.atomic == b->u.ref.atomic;
}

static bool equal_ops(const plussi_node *a, const plussi_node *b)
{
    if (a->u.ops.n != b->u.ops.n)
        return false;
    for (uint32_t i = 0; i < a->u.ops.n; i++)
        if (!plussi_same_text(a->u.ops.op[i].group, b->u.ops.op[i].group) ||
            a->u.ops.op[i].count != b->u.ops.op[i].count)
            return false;
    return true;
}

static bool equal_contents(const plussi_node *a, const plussi_node *b)
{
    switch (a->kind) {
    case PLUSSI_N_LOOP:
        return equal_loops(a, b);
    case PLUSSI_N_PARALLEL:
        return equal_expr(a->u.parallel.num_threads, b->u.parallel.num_threads) &&
               equal_expr(a->u.parallel.cond, b->u.parallel.cond);
    case PLUSSI_N_REF:
        return equal_refs(a, b);
    case PLUSSI_N_IF:
        return equal_expr(a->u.branch.cond, b->u.branch.cond);
    case PLUSSI_N_BRANCH:
        return a->u.branch.probability == b->u.branch.probability;
    case PLUSSI_N_SINGLE:
        return a->u.single.nowait == b->u.single.nowait;
    case PLUSSI_N_SWAP:
        return same_array(a->u.swap.a, b->u.swap.a) && same_array(a->u.swap.b, b->u.swap.b);
    case PLUSSI_N_OPS:
        return equal_ops(a, b);
    case PLUSSI_N_UNKNOWN:
        return a->u.unknown.kind == b->u.unknown.kind &&
               same_array(a->u.unknown.array, b->u.unknown.array) &&
               plussi_same_text(a->u.unknown.reason, b->u.unknown.reason);
    default:
        return true;
    }
}

static bool equal_bodies(const comparison *c, const plussi_body *a, const plussi_body *b,
                         uint32_t depth)
{
    const plussi_node *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next)
        if (depth > PLUSSI_MAX_DEPTH || x->kind != y->kind || !equal_contents(x, y) ||
            (c->with_locations && !plussi_same_location(x, c->a, y, c->b)) ||
            !equal_bodies(c, &x->body, &y->body, depth + 1) ||
            !equal_bodies(c, &x->orelse, &y->orelse, depth + 1))
            return false;
    return !x && !y;
}

static bool equal_regions(const plussi_region *a, const plussi_region *b, bool with_locations)
{
    comparison c = {a, b, with_locations};
    if (with_locations && (!plussi_same_text(a->loc.file, b->loc.file) ||
                           a->loc.line != b->loc.line || (a->loc.line && a->loc.col != b->loc.col)))
        return false;
    return plussi_same_text(a->name, b->name) && equal_expr(a->repeat, b->repeat) &&
           equal_bodies(&c, &a->body, &b->body, 1);
}

/* Declarations of one scope are together and scopes in the same order: owners by number. */
static bool same_scope(const plussi_region *a, const plussi_region *b)
{
    return a && b ? a->id == b->id : a == b;
}

bool plussi_nest_equal(const plussi_nest *a, const plussi_nest *b, bool with_locations)
{
    const plussi_symbol *s = a->first_symbol, *t = b->first_symbol;
    for (; s && t; s = s->next, t = t->next)
        if (!same_scope(s->region, t->region) || !plussi_symbol_equal(s, t))
            return false;
    const plussi_array *x = a->first_array, *y = b->first_array;
    for (; x && y; x = x->next, y = y->next)
        if (!same_scope(x->region, y->region) || !plussi_array_equal(x, y))
            return false;
    const plussi_region *q = a->first_region, *r = b->first_region;
    for (; q && r; q = q->next, r = r->next)
        if (!equal_regions(q, r, with_locations))
            return false;
    return !s && !t && !x && !y && !q && !r;
}

/* ---- references -------------------------------------------------------------------------------
 */

bool plussi_same_access(const plussi_node *a, const plussi_node *b)
{
    return a->u.ref.array == b->u.ref.array && a->u.ref.n_subs == b->u.ref.n_subs &&
           a->u.ref.offset == b->u.ref.offset && a->u.ref.width == b->u.ref.width &&
           equal_lists(a->u.ref.subs, b->u.ref.subs, a->u.ref.n_subs, 1);
}

bool plussi_expr_mentions(const plussi_expr *expr, const plussi_node *loop)
{
    if (!expr)
        return false;
    if (expr->loop == loop)
        return true;
    for (uint32_t i = 0; i < expr->n_subs; i++)
        if (plussi_expr_mentions(expr->subs[i], loop))
            return true;
    for (int i = 0; i < 3; i++)
        if (plussi_expr_mentions(expr->a[i], loop))
            return true;
    return false;
}
