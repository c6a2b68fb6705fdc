/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loop bounds of a nest that a profile is extrapolated in: the symbols that bounds of loops
 * depend on, and numbers in their place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/extrapolate.h"

enum {
    LEAST = 17,        /* a number that may become a symbol */
    NEAR = 4,          /* numbers that differ by no more are of one symbol: 0..300 and 1..299 */
    PERIOD_MOST = 4096 /* of a step or a divisor; larger ones are taken as beyond all bounds */
};

/* ---- numbers in the place of bounds ------------------------------------------------------------
 */

/* Numbers that are near each other, and the symbol that the largest of them becomes. */
typedef struct cluster {
    int64_t least, most;
    plussi_symbol *symbol;
} cluster;

typedef struct literals {
    plussi_nest *nest;
    cluster *of;
    size_t n, cap;
} literals;

static pluss_status add_literal(plussi_ctx *ctx, literals *l, const plussi_expr *e)
{
    if (e->kind != PLUSSI_E_INT || e->value < LEAST)
        return PLUSS_OK;
    pluss_status status = plussi_grow(&ctx->mem, &l->of, &l->cap, l->n, sizeof *l->of);
    if (!status)
        l->of[l->n++] = (cluster){.least = e->value, .most = e->value};
    return status;
}

static int by_value(const void *a, const void *b)
{
    const cluster *x = a, *y = b;
    return (x->least > y->least) - (x->least < y->least);
}

static void join_clusters(literals *l)
{
    size_t used = 0;
    if (l->n)
        qsort(l->of, l->n, sizeof *l->of, by_value);
    for (size_t i = 0; i < l->n; i++)
        if (used && l->of[i].least - l->of[used - 1].most <= NEAR)
            l->of[used - 1].most = l->of[i].most;
        else
            l->of[used++] = l->of[i];
    l->n = used;
}

/* Named after the first loop that has it: of k, "nk". */
static plussi_symbol *name_cluster(plussi_nest *nest, const char *iv)
{
    char name[PLUSSI_MAX_NAME + 1];
    int length = snprintf(name, sizeof name - 12, "n%.200s", iv);
    for (unsigned i = 2; plussi_nest_declares(nest, name); i++)
        snprintf(name + length, sizeof name - (size_t)length, "%u", i);
    return plussi_nest_add_symbol(nest, NULL, name, NULL);
}

static cluster *find_cluster(literals *l, int64_t value)
{
    for (size_t i = 0; i < l->n; i++)
        if (value >= l->of[i].least - NEAR && value <= l->of[i].most + NEAR)
            return &l->of[i];
    return NULL;
}

static void replace(literals *l, plussi_expr **at)
{
    plussi_expr *e = *at;
    if (!e)
        return;
    cluster *c =
        e->kind == PLUSSI_E_INT && e->value >= LEAST - NEAR ? find_cluster(l, e->value) : NULL;
    if (c) {
        plussi_expr *symbol = plussi_expr_symbol(l->nest, c->symbol);
        const int64_t more = e->value - c->most;
        *at = more ? plussi_expr_op(l->nest, PLUSSI_E_ADD, symbol, plussi_expr_int(l->nest, more),
                                    NULL)
                   : symbol;
        return;
    }
    for (uint32_t i = 0; i < e->n_subs; i++)
        replace(l, &e->subs[i]);
    for (int i = 0; i < 3; i++)
        replace(l, &e->a[i]);
}

static void replace_in_node(literals *l, plussi_node *node)
{
    if (node->kind == PLUSSI_N_LOOP) {
        replace(l, &node->u.loop.lo);
        replace(l, &node->u.loop.hi);
    } else if (node->kind == PLUSSI_N_IF) {
        replace(l, &node->u.branch.cond);
    } else if (node->kind == PLUSSI_N_REF) {
        for (uint32_t i = 0; i < node->u.ref.n_subs; i++)
            replace(l, &node->u.ref.subs[i]);
    }
}

static void replace_all(literals *l)
{
    for (plussi_array *a = l->nest->first_array; a; a = a->next)
        for (uint32_t d = 0; d < a->rank; d++) {
            replace(l, &a->extents[d]);
            if (a->strides)
                replace(l, &a->strides[d]);
        }
    for (plussi_region *r = l->nest->first_region; r; r = r->next)
        for (plussi_node *node = plussi_nest_walk(&r->body, NULL); node;
             node = plussi_nest_walk(&r->body, node))
            replace_in_node(l, node);
}

static bool has_number(const plussi_node *loop, const cluster *c)
{
    const plussi_expr *e = loop->u.loop.step > 0 ? loop->u.loop.hi : loop->u.loop.lo;
    return e->kind == PLUSSI_E_INT && e->value >= c->least && e->value <= c->most;
}

/* Loops from a number to a number have symbols. */
static pluss_status name_numbers(plussi_ctx *ctx, plussi_nest *nest)
{
    literals l = {.nest = nest};
    pluss_status status = PLUSS_OK;
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (const plussi_node *node = plussi_nest_walk(&r->body, NULL); node && !status;
             node = plussi_nest_walk(&r->body, (plussi_node *)node))
            if (node->kind == PLUSSI_N_LOOP)
                status =
                    add_literal(ctx, &l, node->u.loop.step > 0 ? node->u.loop.hi : node->u.loop.lo);
    join_clusters(&l);
    for (size_t i = 0; i < l.n && !status; i++) {
        for (const plussi_region *r = nest->first_region; r && !l.of[i].symbol; r = r->next)
            for (plussi_node *node = plussi_nest_walk(&r->body, NULL); node && !l.of[i].symbol;
                 node = plussi_nest_walk(&r->body, node))
                if (node->kind == PLUSSI_N_LOOP && has_number(node, &l.of[i]))
                    l.of[i].symbol = name_cluster(nest, node->u.loop.iv);
        status = l.of[i].symbol ? PLUSS_OK : PLUSS_ENOMEM;
    }
    if (!status)
        replace_all(&l);
    /* the value of the prediction, until the symbols are bound with others */
    for (size_t i = 0; i < l.n && !status; i++)
        l.of[i].symbol->value = plussi_expr_int(nest, l.of[i].most);
    plussi_nest_number(nest);
    plussi_free(&ctx->mem, l.of);
    return status ? status : nest->out_of_memory ? PLUSS_ENOMEM : PLUSS_OK;
}

/* ---- symbols -----------------------------------------------------------------------------------
 */

static void mark(bool *used, const plussi_expr *e)
{
    if (!e)
        return;
    if (e->kind == PLUSSI_E_SYMBOL)
        used[e->symbol->id] = true;
    for (uint32_t i = 0; i < e->n_subs; i++)
        mark(used, e->subs[i]);
    for (int i = 0; i < 3; i++)
        mark(used, e->a[i]);
}

static bool is_derived(const plussi_symbol *s)
{
    return s->value && s->value->kind != PLUSSI_E_INT;
}

/* Remainders by this number matter, too. */
static void multiply_period(int64_t *period, int64_t by)
{
    if (by > 0 && by <= PERIOD_MOST)
        *period = *period / (int64_t)plussi_gcd((uint64_t)*period, (uint64_t)by) * by;
}

/* What is told of a nest by its expressions. */
typedef struct traits {
    const plussi_small_nest *nest;
    bool *used;   /* by symbol: bounds of loops depend on it */
    bool *places; /* by symbol: more than how often something is repeated depends on it */
    bool *loops;  /* by loop: expressions have its induction variable */
    int64_t period;
    int64_t least; /* numbers that bounds are compared with */
} traits;

/* The value of a number or of a symbol that does not vary; 0: it varies. */
static int64_t get_fixed(const traits *t, const plussi_expr *e)
{
    const bool symbol = e->kind == PLUSSI_E_SYMBOL && !t->used[e->symbol->id];
    return e->kind == PLUSSI_E_INT ? e->value : symbol ? t->nest->value[e->symbol->id] : 0;
}

/* Divisors, such as the sizes of tiles, and numbers. */
static void look_at_numbers(traits *t, const plussi_expr *e)
{
    if (!e)
        return;
    const int64_t value = get_fixed(t, e);
    if (value > t->least || value < -t->least)
        t->least = value == INT64_MIN ? INT64_MAX : value < 0 ? -value : value;
    if (e->kind == PLUSSI_E_DIV || e->kind == PLUSSI_E_MOD)
        multiply_period(&t->period, get_fixed(t, e->a[1]));
    for (uint32_t i = 0; i < e->n_subs; i++)
        look_at_numbers(t, e->subs[i]);
    for (int i = 0; i < 3; i++)
        look_at_numbers(t, e->a[i]);
}

/* Marks the loops whose induction variables the expression has. */
static void mark_loops(bool *used, const plussi_expr *e)
{
    if (!e)
        return;
    if (e->kind == PLUSSI_E_IV)
        used[e->loop->id] = true;
    for (uint32_t i = 0; i < e->n_subs; i++)
        mark_loops(used, e->subs[i]);
    for (int i = 0; i < 3; i++)
        mark_loops(used, e->a[i]);
}

typedef void (*look_fn)(traits *t, const plussi_expr *e);

static void mark_used(traits *t, const plussi_expr *e)
{
    mark(t->used, e);
}

static void mark_used_loops(traits *t, const plussi_expr *e)
{
    mark_loops(t->loops, e);
}

static void mark_places(traits *t, const plussi_expr *e)
{
    mark(t->places, e);
}

/* Looks at the bounds of loops (all: or those whose variables expressions have), and at other
 * expressions of statements. */
static void look_at_nodes(traits *t, look_fn bounds, bool all, look_fn others)
{
    for (const plussi_region *r = t->nest->nest->first_region; r; r = r->next)
        for (const plussi_node *node = plussi_nest_walk(&r->body, NULL); node;
             node = plussi_nest_walk(&r->body, (plussi_node *)node)) {
            if (node->kind == PLUSSI_N_LOOP && bounds && (all || t->loops[node->id])) {
                bounds(t, node->u.loop.lo);
                bounds(t, node->u.loop.hi);
            } else if (node->kind == PLUSSI_N_IF && others) {
                others(t, node->u.branch.cond);
            } else if (node->kind == PLUSSI_N_REF && others) {
                for (uint32_t i = 0; i < node->u.ref.n_subs; i++)
                    others(t, node->u.ref.subs[i]);
            }
        }
}

static void look_at_extents(traits *t)
{
    for (const plussi_array *a = t->nest->nest->first_array; a; a = a->next)
        for (uint32_t d = 0; d < a->rank; d++) {
            mark(t->places, a->extents[d]);
            if (a->strides)
                mark(t->places, a->strides[d]);
        }
}

/* Symbols from which a marked one is derived are marked. */
static void mark_origins(const plussi_nest *nest, bool *marks)
{
    for (uint32_t id = nest->n_symbols; id-- > 0;)
        for (const plussi_symbol *s = nest->first_symbol; s; s = s->next)
            if (s->id == id && marks[id] && is_derived(s))
                mark(marks, s->value);
}

static size_t find_depth(const plussi_body *body)
{
    size_t deepest = 0;
    for (const plussi_node *node = body->first; node; node = node->next) {
        const size_t a = find_depth(&node->body), b = find_depth(&node->orelse);
        const size_t depth = (a > b ? a : b) + (node->kind == PLUSSI_N_LOOP);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

static void look_at_steps(traits *t, size_t *depth)
{
    for (const plussi_region *r = t->nest->nest->first_region; r; r = r->next) {
        const size_t deep = find_depth(&r->body) + (r->repeat != NULL);
        *depth = deep > *depth ? deep : *depth;
        mark(t->used, r->repeat);
        for (const plussi_node *node = plussi_nest_walk(&r->body, NULL); node;
             node = plussi_nest_walk(&r->body, (plussi_node *)node))
            if (node->kind == PLUSSI_N_LOOP)
                multiply_period(&t->period, (int64_t)plussi_magnitude(node->u.loop.step));
    }
}

static char *binding_name(plussi_ctx *ctx, const plussi_symbol *s)
{
    const char *region = s->region ? s->region->name : "";
    const size_t length = strlen(region) + strlen(s->name) + 2;
    char *name = plussi_alloc(&ctx->mem, length, 1);
    if (name)
        snprintf(name, length, s->region ? "%s.%s" : "%s%s", region, s->name);
    return name;
}

/* Elements of a line: neighbours in it share its distances. */
static int64_t find_period(const plussi_bound *bound)
{
    uint64_t g = bound->line_bytes;
    for (uint32_t i = 0; i < bound->n_arrays; i++)
        if (bound->array[i].rank)
            g = plussi_gcd(g, bound->array[i].elem_bytes);
    return (int64_t)(bound->line_bytes / g);
}

static pluss_status choose_bounds(plussi_ctx *ctx, traits *t, plussi_small_nest *out)
{
    look_at_steps(t, &out->depth);
    look_at_nodes(t, mark_used, true, NULL);
    mark_origins(out->nest, t->used);
    look_at_nodes(t, look_at_numbers, true, look_at_numbers);
    look_at_nodes(t, mark_used_loops, true, mark_used_loops);
    look_at_nodes(t, mark_places, false, mark_places);
    look_at_extents(t);
    mark_origins(out->nest, t->places);
    out->least = t->least;
    for (const plussi_symbol *s = out->nest->first_symbol; s; s = s->next) {
        if (!t->used[s->id] || is_derived(s))
            continue;
        if (out->n == PLUSSI_SMALL_BOUNDS)
            return plussi_fail(ctx, PLUSS_EUNSUPPORTED, NULL,
                               "loop bounds depend on more than %d symbols", PLUSSI_SMALL_BOUNDS);
        out->bound[out->n++] =
            (plussi_small_bound){s, out->value[s->id], t->places[s->id] ? t->period : 1};
    }
    return PLUSS_OK;
}

static bool has_fixed_places(const plussi_nest *nest)
{
    for (const plussi_array *a = nest->first_array; a; a = a->next)
        if (a->base_kind == PLUSSI_BASE_ADDRESS || a->base_kind == PLUSSI_BASE_OVER)
            return true;
    return false;
}

static pluss_status refuse_constructs(plussi_ctx *ctx, const plussi_bound *bound)
{
    const char *what = bound->max_team > 1 ? "more than one thread"
                       : bound->has_load   ? "values loaded from memory"
                       : has_fixed_places(bound->nest)
                           ? "arrays at places that do not depend on loop bounds"
                           : NULL;
    return what ? plussi_fail(ctx, PLUSS_EUNSUPPORTED, NULL,
                              "%s cannot be extrapolated from small loop bounds", what)
                : PLUSS_OK;
}

/* The path of highest probability, as the paper takes it: each branch goes the way that it goes
 * more often. */
static pluss_status take_likelier_ways(plussi_ctx *ctx, plussi_nest *nest)
{
    bool told = false;
    for (plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = plussi_nest_walk(&r->body, NULL); node;
             node = plussi_nest_walk(&r->body, node)) {
            if (node->kind != PLUSSI_N_BRANCH)
                continue;
            const double p = node->u.branch.probability;
            plussi_expr *zero = plussi_expr_int(nest, 0), *way = plussi_expr_int(nest, p >= 0.5);
            node->kind = PLUSSI_N_IF;
            node->u.branch.cond = plussi_expr_op(nest, PLUSSI_E_NE, way, zero, NULL);
            if (!node->u.branch.cond)
                return PLUSS_ENOMEM;
            if (!told)
                plussi_report(ctx, PLUSSI_WARNING, PLUSS_OK, &node->text_loc,
                              "branches go the likelier way, this one with a probability of %.3g: "
                              "the profile is that of the most probable path",
                              p >= 0.5 ? p : 1 - p);
            told = true;
        }
    return PLUSS_OK;
}

static pluss_status take_values(plussi_ctx *ctx, const plussi_bound *bound, plussi_small_nest *out)
{
    const uint32_t n = out->nest->n_symbols;
    out->value = plussi_calloc(&ctx->mem, n, sizeof *out->value);
    out->name = plussi_calloc(&ctx->mem, n, sizeof *out->name);
    if (!out->value || !out->name)
        return PLUSS_ENOMEM;
    const plussi_symbol *from = bound->nest->first_symbol;
    for (const plussi_symbol *s = out->nest->first_symbol; s; s = s->next) {
        /* the nest's own symbols are in the same order; those of numbers are between them */
        if (from && strcmp(from->name, s->name) == 0) {
            out->value[s->id] = bound->symbol[from->id];
            from = from->next;
        } else {
            out->value[s->id] = s->value->value;
        }
        if (!(out->name[s->id] = binding_name(ctx, s)))
            return PLUSS_ENOMEM;
    }
    return PLUSS_OK;
}

pluss_status plussi_small_nest_make(plussi_ctx *ctx, const plussi_bound *bound,
                                    plussi_small_nest *out)
{
    *out = (plussi_small_nest){.line_bytes = bound->line_bytes};
    pluss_status status = refuse_constructs(ctx, bound);
    if (!status)
        status = plussi_nest_new(ctx, &out->nest);
    if (!status)
        status = plussi_nest_append(ctx, out->nest, bound->nest);
    if (!status)
        status = take_likelier_ways(ctx, out->nest);
    if (!status)
        status = name_numbers(ctx, out->nest);
    if (!status)
        status = take_values(ctx, bound, out);
    const size_t n = status ? 0 : out->nest->n_symbols;
    bool *marks = plussi_calloc(&ctx->mem, 2 * n + bound->n_loops, sizeof *marks);
    traits t = {out, marks, marks + n, marks + 2 * n, find_period(bound), 0};
    if (!status)
        status = marks ? choose_bounds(ctx, &t, out) : PLUSS_ENOMEM;
    plussi_free(&ctx->mem, marks);
    return status;
}

pluss_status plussi_small_nest_bind(plussi_ctx *ctx, const plussi_small_nest *nest,
                                    const int64_t *value, plussi_bound **out)
{
    const uint32_t n = nest->nest->n_symbols;
    plussi_binding *binding = plussi_alloc(&ctx->mem, n, sizeof *binding);
    size_t used = 0;
    if (!binding)
        return PLUSS_ENOMEM;
    for (const plussi_symbol *s = nest->nest->first_symbol; s; s = s->next)
        if (!s->value || s->value->kind == PLUSSI_E_INT)
            binding[used++] = (plussi_binding){nest->name[s->id], nest->value[s->id]};
    for (size_t i = 0; i < nest->n; i++)
        for (size_t k = 0; k < used; k++)
            if (binding[k].name == nest->name[nest->bound[i].symbol->id])
                binding[k].value = value[i];
    const plussi_bind_options options = {
        .team = 1, .line_bytes = nest->line_bytes, .binding = binding, .n_bindings = used};
    pluss_status status = plussi_bind(ctx, nest->nest, &options, out);
    plussi_free(&ctx->mem, binding);
    return status;
}

void plussi_small_nest_free(plussi_ctx *ctx, plussi_small_nest *nest)
{
    for (uint32_t i = 0; nest->name && i < nest->nest->n_symbols; i++)
        plussi_free(&ctx->mem, nest->name[i]);
    plussi_free(&ctx->mem, nest->name);
    plussi_free(&ctx->mem, nest->value);
    plussi_nest_free(nest->nest);
    *nest = (plussi_small_nest){0};
}
