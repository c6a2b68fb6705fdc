/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the declarations that a region needs: those that its statements name, conditions, and those
 * that these declarations name in turn.
 */
#include "nest/print.h"

typedef struct uses {
    bool *symbols, *arrays; /* by id */
} uses;

static void use_array(const uses *u, const plussi_array *array)
{
    if (array)
        u->arrays[array->id] = true;
}

static void use_expr(const uses *u, const plussi_expr *expr)
{
    if (!expr)
        return;
    if (expr->symbol)
        u->symbols[expr->symbol->id] = true;
    use_array(u, expr->array);
    for (uint32_t i = 0; i < expr->n_subs; i++)
        use_expr(u, expr->subs[i]);
    for (int i = 0; i < 3; i++)
        use_expr(u, expr->a[i]);
}

static void use_node(const uses *u, const plussi_node *node)
{
    switch (node->kind) {
    case PLUSSI_N_LOOP:
        use_expr(u, node->u.loop.lo);
        use_expr(u, node->u.loop.hi);
        use_expr(u, node->u.loop.schedule.chunk);
        use_expr(u, node->u.loop.schedule.chunk2);
        break;
    case PLUSSI_N_PARALLEL:
        use_expr(u, node->u.parallel.num_threads);
        use_expr(u, node->u.parallel.cond);
        break;
    case PLUSSI_N_REF:
        use_array(u, node->u.ref.array);
        for (uint32_t i = 0; i < node->u.ref.n_subs; i++)
            use_expr(u, node->u.ref.subs[i]);
        break;
    case PLUSSI_N_IF:
        use_expr(u, node->u.branch.cond);
        break;
    case PLUSSI_N_SWAP:
        use_array(u, node->u.swap.a);
        use_array(u, node->u.swap.b);
        break;
    case PLUSSI_N_UNKNOWN:
        use_array(u, node->u.unknown.array);
        break;
    default:
        break;
    }
}

static void use_declared(const uses *u, const plussi_array *array)
{
    for (uint32_t i = 0; i < array->rank; i++) {
        use_expr(u, array->extents[i]);
        if (array->strides)
            use_expr(u, array->strides[i]);
    }
    use_expr(u, array->base);
    use_array(u, array->over);
}

/* Declarations name only earlier ones (arrays also symbols), so that one pass over each kind from
 * last to first finds all. */
static void close_uses(const uses *u, const plussi_array **arrays, uint32_t n_arrays,
                       const plussi_symbol **symbols, uint32_t n_symbols)
{
    for (uint32_t i = n_arrays; i-- > 0;)
        if (u->arrays[i])
            use_declared(u, arrays[i]);
    for (uint32_t i = n_symbols; i-- > 0;)
        if (u->symbols[i])
            use_expr(u, symbols[i]->value);
}

pluss_status plussi_nest_print_region(plussi_ctx *ctx, const plussi_nest *nest,
                                      const plussi_region *region, char **out, size_t *length)
{
    if (nest->out_of_memory)
        return PLUSS_ENOMEM;
    const plussi_mem *mem = &ctx->mem;
    uses u = {plussi_calloc(mem, nest->n_symbols, sizeof(bool)),
              plussi_calloc(mem, nest->n_arrays, sizeof(bool))};
    const plussi_array **arrays = plussi_calloc(mem, nest->n_arrays, sizeof(plussi_array *));
    const plussi_symbol **symbols = plussi_calloc(mem, nest->n_symbols, sizeof(plussi_symbol *));
    pluss_status status = PLUSS_ENOMEM;
    if (u.symbols && u.arrays && arrays && symbols) {
        for (const plussi_array *a = nest->first_array; a; a = a->next)
            arrays[a->id] = a;
        for (const plussi_symbol *s = nest->first_symbol; s; s = s->next)
            symbols[s->id] = s;
        for (const plussi_symbol *s = nest->first_symbol; s; s = s->next)
            u.symbols[s->id] = plussi_symbol_is_condition(s) && (!s->region || s->region == region);
        use_expr(&u, region->repeat);
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&region->body, node));)
            use_node(&u, node);
        close_uses(&u, arrays, nest->n_arrays, symbols, nest->n_symbols);
        status = plussi_print_used(ctx, nest, region, u.symbols, u.arrays, out, length);
    }
    plussi_free(mem, u.symbols);
    plussi_free(mem, u.arrays);
    plussi_free(mem, arrays);
    plussi_free(mem, symbols);
    return status;
}
