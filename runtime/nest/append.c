/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Copies are made in the destination's arena and linked behind what is there: the nest-wide ones
 * behind its nest-wide declarations, the regions' at the end. Whatever fails, the links are put
 * back as they were; only arena memory is then lost until the nest is freed.
 */
#include <string.h>

#include "nest/equal.h"
#include "nest/names.h"

typedef struct copier {
    plussi_ctx *ctx;
    plussi_nest *dst;
    const plussi_nest *src;
    plussi_symbol **symbols; /* by the source's ids: what each became */
    plussi_array **arrays;
    plussi_node **loops;
    plussi_region *region;        /* being filled */
    const char *file, *kept_file; /* of text locations: the source's last and its copy */
} copier;

/* ---- pieces -----------------------------------------------------------------------------------
 */

static plussi_expr *copy_expr(copier *c, const plussi_expr *expr);

static plussi_loc copy_text_loc(copier *c, plussi_loc loc)
{
    if (loc.file && loc.file != c->file) {
        c->file = loc.file;
        c->kept_file = plussi_nest_string(c->dst, loc.file);
    }
    loc.file = loc.file ? c->kept_file : NULL;
    return loc;
}

static plussi_expr **copy_list(copier *c, plussi_expr *const *list, uint32_t n)
{
    if (!list)
        return NULL;
    plussi_expr **copy = plussi_expr_vec(c->dst, n);
    for (uint32_t i = 0; copy && i < n; i++)
        copy[i] = copy_expr(c, list[i]);
    return copy;
}

/* NULL for NULL; where memory is short the nest remembers it. Depth: the source is valid. */
static plussi_expr *copy_expr(copier *c, const plussi_expr *expr)
{
    if (!expr)
        return NULL;
    plussi_expr *copy = plussi_expr_int(c->dst, expr->value);
    if (!copy)
        return NULL;
    copy->kind = expr->kind;
    copy->loc = copy_text_loc(c, expr->loc);
    copy->n_subs = expr->n_subs;
    if (expr->symbol)
        copy->symbol = c->symbols[expr->symbol->id];
    if (expr->loop)
        copy->loop = c->loops[expr->loop->id];
    if (expr->array)
        copy->array = c->arrays[expr->array->id];
    copy->subs = copy_list(c, expr->subs, expr->n_subs);
    for (int i = 0; i < 3; i++)
        copy->a[i] = copy_expr(c, expr->a[i]);
    return copy;
}

static void *copy_bytes(copier *c, const void *bytes, size_t n, size_t size)
{
    void *copy = plussi_arena_alloc(&c->dst->arena, n, size);
    if (!copy)
        c->dst->out_of_memory = true;
    else if (n)
        memcpy(copy, bytes, n * size);
    return copy;
}

/* ---- declarations -----------------------------------------------------------------------------
 */

static void copy_symbol(copier *c, const plussi_symbol *symbol)
{
    plussi_symbol *copy =
        plussi_nest_add_symbol(c->dst, c->region, symbol->name, copy_expr(c, symbol->value));
    c->symbols[symbol->id] = copy;
    if (!copy)
        return;
    copy->origin = plussi_nest_string(c->dst, symbol->origin);
    copy->loc = copy_text_loc(c, symbol->loc);
}

static void copy_array(copier *c, const plussi_array *array)
{
    plussi_array *copy = plussi_nest_add_array(c->dst, c->region, array->name, array->elem,
                                               array->elem_bytes, array->rank);
    c->arrays[array->id] = copy;
    if (!copy)
        return;
    copy->extents = copy_list(c, array->extents, array->rank);
    copy->strides = copy_list(c, array->strides, array->rank);
    copy->loc = copy_text_loc(c, array->loc);
    copy->column_order = array->column_order;
    copy->is_private = array->is_private;
    copy->base_kind = array->base_kind;
    copy->base = copy_expr(c, array->base);
    copy->over = array->over ? c->arrays[array->over->id] : NULL;
    copy->alias = plussi_nest_string(c->dst, array->alias);
    copy->has_values = array->has_values;
    copy->n_values = array->n_values;
    if (array->has_values)
        copy->values = copy_bytes(c, array->values, array->n_values, sizeof *array->values);
}

/* ---- statements -------------------------------------------------------------------------------
 */

static void copy_contents(copier *c, const plussi_node *node, plussi_node *copy)
{
    copy->u = node->u;
    switch (node->kind) {
    case PLUSSI_N_LOOP:
        c->loops[node->id] = copy;
        copy->u.loop.iv = plussi_nest_string(c->dst, node->u.loop.iv);
        copy->u.loop.lo = copy_expr(c, node->u.loop.lo);
        copy->u.loop.hi = copy_expr(c, node->u.loop.hi);
        copy->u.loop.schedule.chunk = copy_expr(c, node->u.loop.schedule.chunk);
        copy->u.loop.schedule.chunk2 = copy_expr(c, node->u.loop.schedule.chunk2);
        break;
    case PLUSSI_N_PARALLEL:
        copy->u.parallel.num_threads = copy_expr(c, node->u.parallel.num_threads);
        copy->u.parallel.cond = copy_expr(c, node->u.parallel.cond);
        break;
    case PLUSSI_N_REF:
        copy->u.ref.array = c->arrays[node->u.ref.array->id];
        copy->u.ref.subs = copy_list(c, node->u.ref.subs, node->u.ref.n_subs);
        break;
    case PLUSSI_N_IF:
        copy->u.branch.cond = copy_expr(c, node->u.branch.cond);
        break;
    case PLUSSI_N_SWAP:
        copy->u.swap.a = c->arrays[node->u.swap.a->id];
        copy->u.swap.b = c->arrays[node->u.swap.b->id];
        break;
    case PLUSSI_N_OPS:
        copy->u.ops.op = copy_bytes(c, node->u.ops.op, node->u.ops.n, sizeof *node->u.ops.op);
        for (uint32_t i = 0; copy->u.ops.op && i < node->u.ops.n; i++)
            copy->u.ops.op[i].group = plussi_nest_string(c->dst, node->u.ops.op[i].group);
        break;
    case PLUSSI_N_UNKNOWN:
        if (node->u.unknown.array)
            copy->u.unknown.array = c->arrays[node->u.unknown.array->id];
        copy->u.unknown.reason = plussi_nest_string(c->dst, node->u.unknown.reason);
        break;
    default:
        break;
    }
}

static void copy_body(copier *c, const plussi_body *from, plussi_body *to, plussi_node *parent)
{
    for (const plussi_node *node = from->first; node && !c->dst->out_of_memory; node = node->next) {
        plussi_node *copy = plussi_nest_add_node(c->dst, to, parent, node->kind, node->loc);
        if (!copy)
            return;
        copy->text_loc = copy_text_loc(c, node->text_loc);
        copy_contents(c, node, copy);
        copy_body(c, &node->body, &copy->body, copy);
        copy_body(c, &node->orelse, &copy->orelse, copy);
    }
}

/* ---- the whole --------------------------------------------------------------------------------
 */

/* What the name of a nest-wide declaration means in dst, in *meaning; NULL: nothing. */
static bool look_up(plussi_names *names, const char *text, const plussi_meaning **meaning)
{
    plussi_name *name = plussi_names_intern(names, text, strlen(text), NULL);
    *meaning = name ? name->meaning : NULL;
    return name != NULL;
}

static bool push(plussi_names *names, const char *text, plussi_meaning_kind kind, void *object)
{
    plussi_name *name = plussi_names_intern(names, text, strlen(text), NULL);
    return name && plussi_names_push(names, name, kind, 0, object);
}

static bool push_globals(plussi_names *names, const plussi_nest *nest)
{
    bool ok = true;
    for (plussi_symbol *s = nest->first_symbol; ok && s && !s->region; s = s->next)
        ok = push(names, s->name, PLUSSI_MEANS_SYMBOL, s);
    for (plussi_array *a = nest->first_array; ok && a && !a->region; a = a->next)
        ok = push(names, a->name, PLUSSI_MEANS_ARRAY, a);
    return ok;
}

/* Finds the nest-wide declarations that dst has already. Reports every conflict. */
static pluss_status match_globals(copier *c, plussi_names *names)
{
    pluss_status status = PLUSS_OK;
    const plussi_meaning *meaning;
    for (const plussi_symbol *s = c->src->first_symbol; s && !s->region; s = s->next) {
        if (!look_up(names, s->name, &meaning))
            return PLUSS_ENOMEM;
        if (!meaning)
            continue;
        if (meaning->kind == PLUSSI_MEANS_SYMBOL && plussi_symbol_equal(meaning->u.symbol, s))
            c->symbols[s->id] = meaning->u.symbol;
        else
            status = plussi_fail(c->ctx, PLUSS_EINVALID, &s->loc,
                                 "found symbol '%s' again with another meaning", s->name);
    }
    for (const plussi_array *a = c->src->first_array; a && !a->region; a = a->next) {
        if (!look_up(names, a->name, &meaning))
            return PLUSS_ENOMEM;
        if (!meaning)
            continue;
        if (meaning->kind == PLUSSI_MEANS_ARRAY && plussi_array_equal(meaning->u.array, a))
            c->arrays[a->id] = meaning->u.array;
        else
            status = plussi_fail(c->ctx, PLUSS_EINVALID, &a->loc,
                                 "found array '%s' again with another meaning", a->name);
    }
    return status;
}

static void copy_all(copier *c)
{
    plussi_nest *dst = c->dst;
    const plussi_symbol *s = c->src->first_symbol;
    const plussi_array *a = c->src->first_array;
    for (; s && !s->region; s = s->next)
        if (!c->symbols[s->id])
            copy_symbol(c, s);
    for (; a && !a->region; a = a->next)
        if (!c->arrays[a->id])
            copy_array(c, a);
    for (const plussi_region *r = c->src->first_region; r && !dst->out_of_memory; r = r->next) {
        plussi_region *copy = plussi_nest_add_region(dst, r->name, r->loc);
        if (!copy)
            return;
        copy->text_loc = copy_text_loc(c, r->text_loc);
        copy->repeat = copy_expr(c, r->repeat);
        c->region = copy;
        for (; s && s->region == r; s = s->next)
            copy_symbol(c, s);
        for (; a && a->region == r; a = a->next)
            copy_array(c, a);
        copy_body(c, &r->body, &copy->body, NULL);
    }
}

/* The lists as they were, to be put back. In them the nest-wide declarations come first, so that
 * new ones have their place in the middle. */
typedef struct links {
    plussi_nest nest;
    plussi_symbol *global_symbol, *after_symbol;
    plussi_array *global_array, *after_array;
} links;

static links remember(const plussi_nest *nest)
{
    links l = {.nest = *nest};
    l.after_symbol = nest->first_symbol;
    for (; l.after_symbol && !l.after_symbol->region; l.after_symbol = l.after_symbol->next)
        l.global_symbol = l.after_symbol;
    l.after_array = nest->first_array;
    for (; l.after_array && !l.after_array->region; l.after_array = l.after_array->next)
        l.global_array = l.after_array;
    return l;
}

static void put_back(plussi_nest *nest, const links *l)
{
    plussi_arena arena = nest->arena;
    *nest = l->nest;
    nest->arena = arena;
    if (l->global_symbol)
        l->global_symbol->next = l->after_symbol;
    if (nest->last_symbol)
        nest->last_symbol->next = NULL;
    if (l->global_array)
        l->global_array->next = l->after_array;
    if (nest->last_array)
        nest->last_array->next = NULL;
    if (nest->last_region)
        nest->last_region->next = NULL;
    plussi_nest_number(nest);
}

static pluss_status append(copier *c)
{
    plussi_names names;
    plussi_names_init(&names, &c->ctx->mem);
    pluss_status status = push_globals(&names, c->dst) ? match_globals(c, &names) : PLUSS_ENOMEM;
    plussi_names_free(&names);
    if (status != PLUSS_OK)
        return status;
    links before = remember(c->dst);
    copy_all(c);
    status = plussi_nest_validate(c->ctx, c->dst);
    if (status != PLUSS_OK)
        put_back(c->dst, &before);
    return status;
}

pluss_status plussi_nest_append(plussi_ctx *ctx, plussi_nest *dst, const plussi_nest *src)
{
    if (dst == src)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a nest cannot be appended to itself");
    if (dst->out_of_memory || src->out_of_memory)
        return PLUSS_ENOMEM;
    plussi_nest_number(dst);
    copier c = {.ctx = ctx, .dst = dst, .src = src};
    c.symbols = plussi_calloc(&ctx->mem, src->n_symbols, sizeof *c.symbols);
    c.arrays = plussi_calloc(&ctx->mem, src->n_arrays, sizeof *c.arrays);
    c.loops = plussi_calloc(&ctx->mem, src->n_loops, sizeof *c.loops);
    pluss_status status = c.symbols && c.arrays && c.loops ? append(&c) : PLUSS_ENOMEM;
    plussi_free(&ctx->mem, c.symbols);
    plussi_free(&ctx->mem, c.arrays);
    plussi_free(&ctx->mem, c.loops);
    return status;
}
