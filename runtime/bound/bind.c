/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "bound/binder.h"

typedef struct body_list {
    const plussi_bound_node **node;
    size_t n, cap;
} body_list;

static pluss_status bind_body(plussi_binder *b, const plussi_scope *scope,
                              const plussi_bound_node *parent, const plussi_body *body,
                              body_list *list);

/* Moves the list's nodes to the arena; the list is empty afterwards. */
static pluss_status settle_list(plussi_binder *b, body_list *list, const plussi_bound_node ***out,
                                uint32_t *n)
{
    const plussi_bound_node **copy =
        plussi_arena_alloc(&b->bound->arena, list->n + 1, sizeof *copy);
    if (copy) {
        if (list->n)
            memcpy(copy, list->node, list->n * sizeof *copy);
        *out = copy;
        *n = (uint32_t)list->n;
    }
    plussi_free(&b->ctx->mem, list->node);
    *list = (body_list){0};
    return copy ? PLUSS_OK : PLUSS_ENOMEM;
}

pluss_status plussi_bind_children(plussi_binder *b, const plussi_scope *scope,
                                  plussi_bound_node *node, const plussi_body *body,
                                  const plussi_bound_node ***out, uint32_t *n)
{
    body_list list = {0};
    pluss_status status = bind_body(b, scope, node, body, &list);
    if (status) {
        plussi_free(&b->ctx->mem, list.node);
        return status;
    }
    return settle_list(b, &list, out, n);
}

static pluss_status bind_choice(plussi_binder *b, const plussi_scope *scope,
                                plussi_bound_node *node)
{
    const plussi_node *decl = node->decl;
    plussi_scope taken = *scope, other = *scope;
    pluss_status status = PLUSS_OK;
    if (node->kind == PLUSSI_N_IF) {
        status = plussi_bind_expr(b, scope, decl->u.branch.cond, decl, &node->u.branch.cond);
        if (!status)
            status = plussi_scope_assume(&taken, &b->bound->arena, node->u.branch.cond, true);
        if (!status)
            status = plussi_scope_assume(&other, &b->bound->arena, node->u.branch.cond, false);
        plussi_scope_record(&taken, node->u.branch.cond, true);
        plussi_scope_record(&other, node->u.branch.cond, false);
    } else {
        node->u.branch.probability = decl->u.branch.probability;
        node->id = b->bound->n_branches++;
        b->bound->has_branch = true;
    }
    if (!status)
        status = plussi_bind_children(b, &taken, node, &decl->body, &node->body, &node->n_body);
    if (!status)
        status =
            plussi_bind_children(b, &other, node, &decl->orelse, &node->orelse, &node->n_orelse);
    return status;
}

static bool same_size(const plussi_bound_array *a, const plussi_bound_array *b)
{
    if (a->rank != b->rank || a->elem_bytes != b->elem_bytes || a->is_private != b->is_private)
        return false;
    for (uint32_t d = 0; d < a->rank; d++)
        if (a->extent[d] != b->extent[d] && a->extent[d] >= 0 && b->extent[d] >= 0)
            return false;
    return true;
}

static pluss_status bind_swap(plussi_binder *b, const plussi_scope *scope, plussi_bound_node *node)
{
    const plussi_node *decl = node->decl;
    node->u.swap.a = decl->u.swap.a->id;
    node->u.swap.b = decl->u.swap.b->id;
    b->bound->has_swap = true;
    const plussi_bound_array *x = &b->bound->array[node->u.swap.a];
    const plussi_bound_array *y = &b->bound->array[node->u.swap.b];
    if (scope->parallel)
        return plussi_bind_fail(b, NULL, decl, PLUSS_EINVALID, "swap inside a parallel region");
    if (!same_size(x, y))
        return plussi_bind_fail(b, NULL, decl, PLUSS_EINVALID,
                                "swap of arrays that differ in size");
    if (x->over || y->over)
        return plussi_bind_fail(b, NULL, decl, PLUSS_EUNSUPPORTED,
                                "swap of an array that overlays another");
    if (x->values || y->values)
        return plussi_bind_fail(b, NULL, decl, PLUSS_EUNSUPPORTED,
                                "swap of an array with given contents");
    return PLUSS_OK;
}

void plussi_bound_swap(const plussi_bound *bound, const plussi_bound_node *swap, int64_t *base)
{
    uint32_t a = swap->u.swap.a, b = swap->u.swap.b;
    int64_t old = base[a];
    base[a] = base[b];
    base[b] = old;
    for (uint32_t id = 0; bound->has_view && id < bound->n_arrays; id++)
        if (bound->array[id].over)
            base[id] = base[bound->array[id].over->id] + bound->array[id].over_bytes;
}

/* ---- the tree ----------------------------------------------------------------------------------
 */

static pluss_status bind_node(plussi_binder *b, const plussi_scope *scope, plussi_bound_node *node)
{
    const plussi_node *decl = node->decl;
    switch (node->kind) {
    case PLUSSI_N_LOOP:
        return plussi_bind_loop(b, scope, node);
    case PLUSSI_N_PARALLEL:
        return plussi_bind_parallel(b, scope, node);
    case PLUSSI_N_REF:
        return plussi_bind_ref(b, scope, node);
    case PLUSSI_N_IF:
    case PLUSSI_N_BRANCH:
        return bind_choice(b, scope, node);
    case PLUSSI_N_SWAP:
        return bind_swap(b, scope, node);
    case PLUSSI_N_SINGLE:
        node->u.single.nowait = decl->u.single.nowait;
        return plussi_bind_children(b, scope, node, &decl->body, &node->body, &node->n_body);
    case PLUSSI_N_MASTER:
        return plussi_bind_children(b, scope, node, &decl->body, &node->body, &node->n_body);
    case PLUSSI_N_UNKNOWN:
        b->bound->has_unknown = true;
        return PLUSS_OK;
    default:
        return PLUSS_OK;
    }
}

static bool always_taken(const plussi_bound_node *node)
{
    return node->kind == PLUSSI_N_IF && node->n_orelse == 0 &&
           plussi_cexpr_is_const(node->u.branch.cond) && node->u.branch.cond->c != 0;
}

static pluss_status push_node(plussi_binder *b, body_list *list, const plussi_bound_node *node)
{
    pluss_status status =
        plussi_grow(&b->ctx->mem, &list->node, &list->cap, list->n, sizeof *list->node);
    if (!status)
        list->node[list->n++] = node;
    return status;
}

/* Appends to the list, which the caller frees. */
static pluss_status bind_body(plussi_binder *b, const plussi_scope *scope,
                              const plussi_bound_node *parent, const plussi_body *body,
                              body_list *list)
{
    pluss_status status = PLUSS_OK;
    for (const plussi_node *decl = body->first; decl && !status; decl = decl->next) {
        if (decl->kind == PLUSSI_N_OPS)
            continue;
        if (decl->kind == PLUSSI_N_CRITICAL || decl->kind == PLUSSI_N_ORDERED) {
            status = bind_body(b, scope, parent, &decl->body, list);
            continue;
        }
        plussi_bound_node *node = plussi_arena_alloc(&b->bound->arena, 1, sizeof *node);
        if (!node)
            return PLUSS_ENOMEM;
        *node =
            (plussi_bound_node){.kind = decl->kind, .decl = decl, .id = decl->id, .parent = parent};
        node->depth = scope->depth;
        status = bind_node(b, scope, node);
        if (!status && always_taken(node)) {
            for (uint32_t i = 0; i < node->n_body && !status; i++) {
                ((plussi_bound_node *)node->body[i])->parent = parent;
                status = push_node(b, list, node->body[i]);
            }
        } else if (!status) {
            status = push_node(b, list, node);
        }
    }
    return status;
}

static pluss_status bind_region(plussi_binder *b, const plussi_region *decl,
                                plussi_bound_region *region)
{
    b->region = decl;
    *region = (plussi_bound_region){.decl = decl, .repeat = 1};
    pluss_status status = PLUSS_OK;
    if (decl->repeat)
        status = plussi_bind_constant(b, decl->repeat, &decl->text_loc, &region->repeat);
    if (!status && region->repeat < 0)
        return plussi_fail(b->ctx, PLUSS_ERANGE, &decl->text_loc,
                           "region '%s' is repeated a negative number of times", decl->name);
    if (status)
        return status;
    const plussi_cexpr *one;
    plussi_fold fold = {&b->bound->arena, NULL};
    status = plussi_fold_const(&fold, 1, &one);
    if (status)
        return status;
    plussi_scope scope = {.team = one, .dead = region->repeat == 0};
    body_list list = {0};
    status = bind_body(b, &scope, NULL, &decl->body, &list);
    if (status) {
        plussi_free(&b->ctx->mem, list.node);
        return status;
    }
    return settle_list(b, &list, &region->body, &region->n_body);
}

static pluss_status bind_tree(plussi_binder *b)
{
    plussi_bound *bound = b->bound;
    bound->n_regions = b->nest->n_regions;
    bound->n_refs = b->nest->n_refs;
    bound->n_loops = b->nest->n_loops;
    bound->region = plussi_arena_alloc(&bound->arena, bound->n_regions + 1, sizeof *bound->region);
    bound->ref = plussi_arena_alloc(&bound->arena, bound->n_refs + 1, sizeof *bound->ref);
    bound->loop = plussi_arena_alloc(&bound->arena, bound->n_loops + 1, sizeof *bound->loop);
    if (!bound->region || !bound->ref || !bound->loop)
        return PLUSS_ENOMEM;
    uint32_t r = 0;
    for (const plussi_region *decl = b->nest->first_region; decl; decl = decl->next) {
        pluss_status status = bind_region(b, decl, &bound->region[r++]);
        if (status)
            return status;
    }
    b->region = NULL;
    return PLUSS_OK;
}

static pluss_status check_options(plussi_ctx *ctx, const plussi_bind_options *o)
{
    if (o->team < 1 || o->team > PLUSSI_MAX_TEAM)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "the team must have 1 to %d threads, not %u",
                           PLUSSI_MAX_TEAM, o->team);
    if (o->line_bytes < 1 || o->line_bytes > 4096 || (o->line_bytes & (o->line_bytes - 1)))
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "a line must be a power of two of 1 to 4096 bytes, not %u",
                           o->line_bytes);
    if (o->schedule == PLUSSI_SCHED_RUNTIME ||
        (o->force_schedule && o->schedule == PLUSSI_SCHED_NONE))
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "no schedule is given for runtime loops");
    return PLUSS_OK;
}

pluss_status plussi_bind(plussi_ctx *ctx, const plussi_nest *nest,
                         const plussi_bind_options *options, plussi_bound **out)
{
    pluss_status status = check_options(ctx, options);
    if (status)
        return status;
    plussi_bound *bound = plussi_calloc(&ctx->mem, 1, sizeof *bound);
    if (!bound)
        return PLUSS_ENOMEM;
    plussi_arena_init(&bound->arena, &ctx->mem);
    bound->nest = nest;
    bound->team = bound->max_team = options->team;
    bound->line_bytes = options->line_bytes;
    bound->chunk = options->recorded;
    bound->n_chunks = options->n_recorded;
    plussi_binder b = {ctx, nest, options, bound, NULL};
    status = plussi_bind_symbols(&b);
    if (!status)
        status = plussi_bind_arrays(&b);
    if (!status)
        status = bind_tree(&b);
    if (!status)
        status = plussi_bind_place_arrays(&b);
    if (status) {
        plussi_bound_free(bound);
        return status;
    }
    *out = bound;
    return PLUSS_OK;
}

void plussi_bound_free(plussi_bound *bound)
{
    if (!bound)
        return;
    plussi_mem mem = bound->arena.mem;
    plussi_arena_free(&bound->arena);
    plussi_free(&mem, bound);
}
