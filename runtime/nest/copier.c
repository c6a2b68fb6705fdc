/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nest/copier.h"

#include <string.h>

pluss_status plussi_copier_init(plussi_copier *c, plussi_ctx *ctx, plussi_nest *dst,
                                const plussi_nest *src)
{
    *c = (plussi_copier){.ctx = ctx, .dst = dst, .src = src};
    c->symbols = plussi_calloc(&ctx->mem, src->n_symbols, sizeof *c->symbols);
    c->arrays = plussi_calloc(&ctx->mem, src->n_arrays, sizeof *c->arrays);
    c->loops = plussi_calloc(&ctx->mem, src->n_loops, sizeof *c->loops);
    return c->symbols && c->arrays && c->loops ? PLUSS_OK : PLUSS_ENOMEM;
}

void plussi_copier_free(plussi_copier *c)
{
    plussi_free(&c->ctx->mem, c->symbols);
    plussi_free(&c->ctx->mem, c->arrays);
    plussi_free(&c->ctx->mem, c->loops);
}

/* ---- expressions
 * -----------------------------------------------------------------------------------
 */

plussi_loc plussi_copy_text_loc(plussi_copier *c, plussi_loc loc)
{
    if (loc.file && loc.file != c->file) {
        c->file = loc.file;
        c->kept_file = plussi_nest_string(c->dst, loc.file);
    }
    loc.file = loc.file ? c->kept_file : NULL;
    return loc;
}

static plussi_expr **copy_list(plussi_copier *c, plussi_expr *const *list, uint32_t n)
{
    if (!list)
        return NULL;
    plussi_expr **copy = plussi_expr_vec(c->dst, n);
    for (uint32_t i = 0; copy && i < n; i++)
        copy[i] = plussi_copy_expr(c, list[i]);
    return copy;
}

plussi_expr *plussi_copy_expr(plussi_copier *c, const plussi_expr *expr)
{
    if (!expr)
        return NULL;
    plussi_expr *copy = plussi_expr_int(c->dst, expr->value);
    if (!copy)
        return NULL;
    copy->kind = expr->kind;
    copy->loc = plussi_copy_text_loc(c, expr->loc);
    copy->n_subs = expr->n_subs;
    if (expr->symbol)
        copy->symbol = c->symbols[expr->symbol->id];
    if (expr->loop)
        copy->loop = c->loops[expr->loop->id];
    if (expr->array)
        copy->array = c->arrays[expr->array->id];
    copy->subs = copy_list(c, expr->subs, expr->n_subs);
    for (int i = 0; i < 3; i++)
        copy->a[i] = plussi_copy_expr(c, expr->a[i]);
    return copy;
}

static void *copy_bytes(plussi_copier *c, const void *bytes, size_t n, size_t size)
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

/* NULL if out of memory: the builders then return NULL. */
static const char *name_of(plussi_copier *c, const char *name)
{
    if (!c->prefix)
        return name;
    size_t before = strlen(c->prefix), length = strlen(name);
    char *whole = plussi_arena_alloc(&c->dst->arena, before + length + 1, 1);
    if (!whole) {
        c->dst->out_of_memory = true;
        return NULL;
    }
    memcpy(whole, c->prefix, before);
    memcpy(whole + before, name, length);
    return whole;
}

void plussi_copy_symbol(plussi_copier *c, const plussi_symbol *symbol)
{
    plussi_symbol *copy = plussi_nest_add_symbol(c->dst, c->region, name_of(c, symbol->name),
                                                 plussi_copy_expr(c, symbol->value));
    c->symbols[symbol->id] = copy;
    if (!copy)
        return;
    copy->origin = plussi_nest_string(c->dst, symbol->origin);
    copy->least = symbol->least;
    copy->loc = plussi_copy_text_loc(c, symbol->loc);
}

void plussi_copy_array(plussi_copier *c, const plussi_array *array)
{
    plussi_array *copy = plussi_nest_add_array(c->dst, c->region, name_of(c, array->name),
                                               array->elem, array->elem_bytes, array->rank);
    c->arrays[array->id] = copy;
    if (!copy)
        return;
    copy->extents = copy_list(c, array->extents, array->rank);
    copy->strides = copy_list(c, array->strides, array->rank);
    copy->loc = plussi_copy_text_loc(c, array->loc);
    copy->column_order = array->column_order;
    if (array->lower)
        copy->lower = copy_bytes(c, array->lower, array->rank, sizeof *array->lower);
    copy->is_private = array->is_private;
    copy->base_kind = array->base_kind;
    copy->base = plussi_copy_expr(c, array->base);
    copy->over = array->over ? c->arrays[array->over->id] : NULL;
    copy->alias = plussi_nest_string(c->dst, array->alias);
    copy->has_values = array->has_values;
    copy->n_values = array->n_values;
    if (array->has_values)
        copy->values = copy_bytes(c, array->values, array->n_values, sizeof *array->values);
}

/* ---- statements -------------------------------------------------------------------------------
 */

static void copy_contents(plussi_copier *c, const plussi_node *node, plussi_node *copy)
{
    copy->u = node->u;
    switch (node->kind) {
    case PLUSSI_N_LOOP:
        c->loops[node->id] = copy;
        copy->u.loop.iv = plussi_nest_string(c->dst, node->u.loop.iv);
        copy->u.loop.lo = plussi_copy_expr(c, node->u.loop.lo);
        copy->u.loop.hi = plussi_copy_expr(c, node->u.loop.hi);
        copy->u.loop.schedule.chunk = plussi_copy_expr(c, node->u.loop.schedule.chunk);
        copy->u.loop.schedule.chunk2 = plussi_copy_expr(c, node->u.loop.schedule.chunk2);
        break;
    case PLUSSI_N_PARALLEL:
        copy->u.parallel.num_threads = plussi_copy_expr(c, node->u.parallel.num_threads);
        copy->u.parallel.cond = plussi_copy_expr(c, node->u.parallel.cond);
        break;
    case PLUSSI_N_REF:
        copy->u.ref.array = c->arrays[node->u.ref.array->id];
        copy->u.ref.subs = copy_list(c, node->u.ref.subs, node->u.ref.n_subs);
        break;
    case PLUSSI_N_IF:
        copy->u.branch.cond = plussi_copy_expr(c, node->u.branch.cond);
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

void plussi_copy_body(plussi_copier *c, const plussi_body *from, plussi_body *to,
                      plussi_node *parent)
{
    for (const plussi_node *node = from->first; node && !c->dst->out_of_memory; node = node->next) {
        plussi_node *copy = plussi_nest_add_node(c->dst, to, parent, node->kind, node->loc);
        if (!copy)
            return;
        copy->text_loc = plussi_copy_text_loc(c, node->text_loc);
        copy_contents(c, node, copy);
        plussi_copy_body(c, &node->body, &copy->body, copy);
        plussi_copy_body(c, &node->orelse, &copy->orelse, copy);
    }
}
