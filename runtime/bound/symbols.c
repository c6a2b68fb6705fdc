/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "bound/binder.h"
#include "nest/names.h"

/* ---- which symbols are used --------------------------------------------------------------------
 */

static void mark_expr(bool *used, const plussi_expr *e)
{
    if (!e)
        return;
    if (e->kind == PLUSSI_E_SYMBOL)
        used[e->symbol->id] = true;
    for (uint32_t i = 0; i < e->n_subs; i++)
        mark_expr(used, e->subs[i]);
    for (int i = 0; i < 3; i++)
        mark_expr(used, e->a[i]);
}

static void mark_array(bool *used, const plussi_array *array)
{
    mark_expr(used, array->base);
    for (uint32_t d = 0; d < array->rank; d++) {
        mark_expr(used, array->extents[d]);
        if (array->strides)
            mark_expr(used, array->strides[d]);
    }
}

static void mark_node(bool *used, const plussi_node *node)
{
    switch (node->kind) {
    case PLUSSI_N_LOOP:
        mark_expr(used, node->u.loop.lo);
        mark_expr(used, node->u.loop.hi);
        mark_expr(used, node->u.loop.schedule.chunk);
        mark_expr(used, node->u.loop.schedule.chunk2);
        break;
    case PLUSSI_N_PARALLEL:
        mark_expr(used, node->u.parallel.num_threads);
        mark_expr(used, node->u.parallel.cond);
        break;
    case PLUSSI_N_REF:
        for (uint32_t d = 0; d < node->u.ref.n_subs; d++)
            mark_expr(used, node->u.ref.subs[d]);
        break;
    case PLUSSI_N_IF:
        mark_expr(used, node->u.branch.cond);
        break;
    default:
        break;
    }
}

static void mark_body(bool *used, const plussi_body *body)
{
    for (const plussi_node *node = body->first; node; node = node->next) {
        mark_node(used, node);
        mark_body(used, &node->body);
        mark_body(used, &node->orelse);
    }
}

static void mark_nest(bool *used, const plussi_nest *nest)
{
    for (const plussi_array *array = nest->first_array; array; array = array->next)
        mark_array(used, array);
    for (const plussi_region *region = nest->first_region; region; region = region->next) {
        mark_expr(used, region->repeat);
        mark_body(used, &region->body);
    }
}

/* ---- bindings ----------------------------------------------------------------------------------
 */

typedef struct symbol_table {
    const plussi_symbol **symbol;   /* by id */
    const plussi_binding **binding; /* by id; NULL: none */
    bool *used;                     /* by id */
} symbol_table;

static int compare_bindings(const void *a, const void *b)
{
    const plussi_binding *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static pluss_status refuse_twice(plussi_binder *b, const plussi_binding **sorted)
{
    const plussi_bind_options *o = b->options;
    for (size_t i = 0; i < o->n_bindings; i++)
        sorted[i] = &o->binding[i];
    qsort(sorted, o->n_bindings, sizeof(*sorted), compare_bindings);
    pluss_status status = PLUSS_OK;
    for (size_t i = 1; i < o->n_bindings; i++)
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
            status = plussi_fail(b->ctx, PLUSS_EINVALID, NULL, "symbol '%s' is given two values",
                                 sorted[i]->name);
    return status;
}

/* First by name, then by "region.name", which has precedence. */
static pluss_status match_bindings(plussi_binder *b, symbol_table *table)
{
    const plussi_bind_options *o = b->options;
    pluss_status status = PLUSS_OK;
    for (int qualified = 0; qualified < 2; qualified++) {
        for (size_t i = 0; i < o->n_bindings; i++) {
            const char *name = o->binding[i].name;
            bool found = false;
            for (uint32_t id = 0; id < b->nest->n_symbols; id++) {
                const plussi_symbol *symbol = table->symbol[id];
                bool plain = strcmp(name, symbol->name) == 0;
                if (qualified ? !plain && plussi_name_qualified(name, symbol->region, symbol->name)
                              : plain)
                    table->binding[id] = &o->binding[i];
                found = found || plain || plussi_name_qualified(name, symbol->region, symbol->name);
            }
            if (!found && !qualified)
                status =
                    plussi_fail(b->ctx, PLUSS_ENOTFOUND, NULL, "no symbol is called '%s'", name);
        }
    }
    return status;
}

/* ---- values ------------------------------------------------------------------------------------
 */

static bool same_name_before(const symbol_table *table, const bool *missing, uint32_t id)
{
    for (uint32_t i = 0; i < id; i++)
        if (missing[i] && strcmp(table->symbol[i]->name, table->symbol[id]->name) == 0)
            return true;
    return false;
}

static pluss_status report_missing(plussi_binder *b, const symbol_table *table, const bool *missing)
{
    size_t room = 1;
    const plussi_symbol *first = NULL;
    for (uint32_t id = 0; id < b->nest->n_symbols; id++)
        if (missing[id])
            room += strlen(table->symbol[id]->name) + 2;
    char *list = plussi_alloc(&b->ctx->mem, room, 1);
    if (!list)
        return PLUSS_ENOMEM;
    char *end = list;
    for (uint32_t id = 0; id < b->nest->n_symbols; id++) {
        if (!missing[id] || same_name_before(table, missing, id))
            continue;
        if (first)
            end = stpcpy(end, ", ");
        else
            first = table->symbol[id];
        end = stpcpy(end, table->symbol[id]->name);
    }
    pluss_status status =
        plussi_fail(b->ctx, PLUSS_EUNBOUND, &first->loc, "no value is given for %s", list);
    plussi_free(&b->ctx->mem, list);
    return status;
}

/* Symbols from which a used one is derived are used; symbols derive from earlier ones only. */
static pluss_status find_missing(plussi_binder *b, symbol_table *table)
{
    uint32_t n = b->nest->n_symbols;
    bool *missing = plussi_arena_alloc(&b->bound->arena, n + 1, sizeof *missing);
    if (!missing)
        return PLUSS_ENOMEM;
    bool any = false;
    for (uint32_t id = n; id-- > 0;) {
        if (!table->used[id] || table->binding[id])
            continue;
        mark_expr(table->used, table->symbol[id]->value);
        missing[id] = !table->symbol[id]->value;
        any = any || missing[id];
    }
    return any ? report_missing(b, table, missing) : PLUSS_OK;
}

static pluss_status refuse_value(plussi_binder *b, const plussi_symbol *symbol, int64_t value)
{
    const char *origin = symbol->origin ? symbol->origin : "";
    if (plussi_symbol_is_condition(symbol))
        return plussi_fail(b->ctx, PLUSS_ERANGE, &symbol->loc,
                           "the nest is known to hold where %s >= %lld%s%s%s, which is %lld",
                           symbol->name, (long long)symbol->least, *origin ? " (" : "", origin,
                           *origin ? ")" : "", (long long)value);
    return plussi_fail(b->ctx, PLUSS_ERANGE, &symbol->loc,
                       "the nest is known to hold from %s = %lld on, not for %lld", symbol->name,
                       (long long)symbol->least, (long long)value);
}

static pluss_status evaluate_symbols(plussi_binder *b, const symbol_table *table)
{
    for (uint32_t id = 0; id < b->nest->n_symbols; id++) {
        const plussi_symbol *symbol = table->symbol[id];
        pluss_status status = PLUSS_OK;
        if (table->binding[id])
            b->bound->symbol[id] = table->binding[id]->value;
        else if (table->used[id])
            status = plussi_bind_constant(b, symbol->value, &symbol->loc, &b->bound->symbol[id]);
        if (!status && table->used[id] && b->bound->symbol[id] < symbol->least)
            status = refuse_value(b, symbol, b->bound->symbol[id]);
        if (status)
            return status;
    }
    return PLUSS_OK;
}

pluss_status plussi_bind_symbols(plussi_binder *b)
{
    plussi_arena *arena = &b->bound->arena;
    uint32_t n = b->nest->n_symbols;
    symbol_table table = {
        .symbol = plussi_arena_alloc(arena, n + 1, sizeof *table.symbol),
        .binding = plussi_arena_alloc(arena, n + 1, sizeof *table.binding),
        .used = plussi_arena_alloc(arena, n + 1, sizeof *table.used),
    };
    const plussi_binding **sorted =
        plussi_arena_alloc(arena, b->options->n_bindings + 1, sizeof *sorted);
    b->bound->symbol = plussi_arena_alloc(arena, n + 1, sizeof *b->bound->symbol);
    if (!table.symbol || !table.binding || !table.used || !sorted || !b->bound->symbol)
        return PLUSS_ENOMEM;
    for (const plussi_symbol *s = b->nest->first_symbol; s; s = s->next)
        table.symbol[s->id] = s;
    pluss_status status = refuse_twice(b, sorted);
    if (!status)
        status = match_bindings(b, &table);
    if (status)
        return status;
    mark_nest(table.used, b->nest);
    for (uint32_t id = 0; id < n; id++)
        table.used[id] = table.used[id] || plussi_symbol_is_condition(table.symbol[id]);
    status = find_missing(b, &table);
    return status ? status : evaluate_symbols(b, &table);
}
