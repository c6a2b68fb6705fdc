/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codegen/source.h"

static plussi_loc place_of(const plussi_node *node)
{
    return node->loc.line ? node->loc : node->text_loc;
}

static bool has_load(const plussi_expr *x)
{
    if (!x)
        return false;
    return x->kind == PLUSSI_E_LOAD || has_load(x->a[0]) || has_load(x->a[1]) || has_load(x->a[2]);
}

static pluss_status refuse_node(plussi_ctx *ctx, const plussi_node *node, const char *what)
{
    plussi_loc loc = place_of(node);
    return plussi_fail(ctx, PLUSS_EUNSUPPORTED, loc.line ? &loc : NULL,
                       "a standalone sampler cannot take %s", what);
}

static const char loads[] = "a subscript, bound or condition that is loaded from an array";

static pluss_status check_node(plussi_ctx *ctx, const plussi_node *node)
{
    switch (node->kind) {
    case PLUSSI_N_LOOP:
        if (has_load(node->u.loop.lo) || has_load(node->u.loop.hi) ||
            has_load(node->u.loop.schedule.chunk))
            return refuse_node(ctx, node, loads);
        if (node->u.loop.schedule.kind == PLUSSI_SCHED_RAYON)
            return refuse_node(ctx, node, "schedule(rayon)");
        if (node->u.loop.schedule.kind == PLUSSI_SCHED_RECORDED)
            return refuse_node(ctx, node, "schedule(recorded)");
        return PLUSS_OK;
    case PLUSSI_N_PARALLEL:
        if (has_load(node->u.parallel.num_threads) || has_load(node->u.parallel.cond))
            return refuse_node(ctx, node, loads);
        return PLUSS_OK;
    case PLUSSI_N_REF:
        for (uint32_t k = 0; k < node->u.ref.n_subs; k++)
            if (has_load(node->u.ref.subs[k]))
                return refuse_node(ctx, node, loads);
        return PLUSS_OK;
    case PLUSSI_N_IF:
        return has_load(node->u.branch.cond) ? refuse_node(ctx, node, loads) : PLUSS_OK;
    case PLUSSI_N_BRANCH:
        return refuse_node(ctx, node, "a branch that depends on data");
    case PLUSSI_N_SWAP:
        if (node->u.swap.a->base_kind != PLUSSI_BASE_FREE ||
            node->u.swap.b->base_kind != PLUSSI_BASE_FREE)
            return refuse_node(ctx, node, "a swap of arrays with a base");
        return PLUSS_OK;
    default:
        return PLUSS_OK;
    }
}

/* Whether the array's memory is swapped somewhere: views would have to follow. */
static pluss_status check_view(plussi_ctx *ctx, const plussi_nest *nest, const plussi_array *over)
{
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *n = plussi_nest_walk(&r->body, NULL); n;
             n = plussi_nest_walk(&r->body, n))
            if (n->kind == PLUSSI_N_SWAP && (n->u.swap.a == over || n->u.swap.b == over))
                return refuse_node(ctx, n, "a swap of an array that another one overlays");
    return PLUSS_OK;
}

static pluss_status check_nest(plussi_ctx *ctx, const plussi_nest *nest)
{
    pluss_status status = PLUSS_OK;
    for (const plussi_region *r = nest->first_region; r && !status; r = r->next)
        for (plussi_node *n = plussi_nest_walk(&r->body, NULL); n && !status;
             n = plussi_nest_walk(&r->body, n))
            status = check_node(ctx, n);
    for (const plussi_array *a = nest->first_array; a && !status; a = a->next)
        if (a->base_kind == PLUSSI_BASE_OVER)
            status = check_view(ctx, nest, a->over);
    return status;
}

pluss_status plussi_codegen(plussi_ctx *ctx, const plussi_nest *nest, plussi_language language,
                            char **out, size_t *length)
{
    pluss_status status = check_nest(ctx, nest);
    if (status)
        return status;
    const plussi_dialect *dialect =
        language == PLUSSI_LANGUAGE_RUST ? &plussi_dialect_rust : &plussi_dialect_c;
    plussi_text text;
    plussi_text_init(&text, ctx);
    plussi_text_puts(&text, dialect->head);
    plussi_emit(&text, "// The nest: ");
    plussi_emit_string(&text, nest->first_region ? nest->first_region->name : "nothing");
    plussi_emit(&text, ", ...\n\n");
    plussi_emit_setup(&text, dialect, nest);
    plussi_text_puts(&text, dialect->middle);
    plussi_emit_walk(&text, dialect, nest);
    plussi_text_puts(&text, dialect->end);
    return plussi_text_finish(&text, out, length);
}
