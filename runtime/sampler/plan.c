/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes the plan from the bound tree: one tree for the whole program, with barriers as leaves. For
 * every node it says what its counts depend on.
 */
#include "sampler/plan.h"

#include <string.h>

#include "sampler/group.h"

typedef struct place {
    plussi_plan_node *parent, *par, *in_ws;
    bool zero;  /* executed by thread 0 only */
    bool alone; /* a team of one: worksharing and barriers have no effect */
    bool in_else;
} place;

typedef struct list {
    plussi_plan_node **node;
    size_t n, cap;
} list;

typedef struct builder {
    plussi_ctx *ctx;
    plussi_engine *e;
    plussi_plan_node *path[PLUSSI_MAX_LOOPS + 2]; /* loops around */
    uint32_t depth, order, n_singles;
    bool together; /* threads come here together, from a barrier */
    list leaves;
} builder;

static pluss_status build_list(builder *b, const place *at, const plussi_bound_node *const *body,
                               uint32_t n, list *out);

static pluss_status refuse_node(builder *b, const plussi_bound_node *node, const char *what)
{
    plussi_loc loc = plussi_bound_node_loc(b->e->bound, node);
    return plussi_fail(b->ctx, PLUSS_EUNSUPPORTED, &loc, "closed-form sampling cannot take %s",
                       what);
}

/* ---- nodes --------------------------------------------------------------------------------------
 */

static plussi_plan_node *new_node(builder *b, const place *at, plussi_pkind kind,
                                  const plussi_bound_node *decl, list *out)
{
    plussi_plan_node *node = plussi_arena_alloc(&b->e->arena, 1, sizeof *node);
    if (!node || (out && plussi_grow(&b->ctx->mem, &out->node, &out->cap, out->n, sizeof node)))
        return NULL;
    node->kind = kind;
    node->decl = decl;
    node->order = b->order++;
    node->parent = at->parent;
    node->par = at->par;
    node->in_ws = at->in_ws;
    node->zero = at->zero;
    node->in_else = at->in_else;
    node->depth = b->depth;
    node->loops = plussi_arena_alloc(&b->e->arena, b->depth + 1, sizeof *node->loops);
    if (!node->loops)
        return NULL;
    memcpy(node->loops, b->path, b->depth * sizeof *node->loops);
    if (out) {
        node->child = (uint32_t)out->n;
        out->node[out->n++] = node;
    }
    return node;
}

/* The list's nodes move into the arena; the list is freed. */
static pluss_status settle_list(builder *b, list *l, plussi_plan_node ***out, uint32_t *n)
{
    plussi_plan_node **copy = plussi_arena_alloc(&b->e->arena, l->n + 1, sizeof *copy);
    if (copy) {
        if (l->n)
            memcpy(copy, l->node, l->n * sizeof *copy);
        *out = copy;
        *n = (uint32_t)l->n;
    }
    plussi_free(&b->ctx->mem, l->node);
    *l = (list){0};
    return copy ? PLUSS_OK : PLUSS_ENOMEM;
}

static pluss_status build_children(builder *b, const place *at,
                                   const plussi_bound_node *const *body, uint32_t n,
                                   plussi_plan_node ***out, uint32_t *n_out)
{
    list l = {0};
    pluss_status status = build_list(b, at, body, n, &l);
    if (status) {
        plussi_free(&b->ctx->mem, l.node);
        return status;
    }
    return settle_list(b, &l, out, n_out);
}

static pluss_status add_leaf(builder *b, plussi_plan_node *node)
{
    pluss_status status =
        plussi_grow(&b->ctx->mem, &b->leaves.node, &b->leaves.cap, b->leaves.n, sizeof node);
    if (status)
        return status;
    node->leaf = (uint32_t)b->leaves.n;
    b->leaves.node[b->leaves.n++] = node;
    return PLUSS_OK;
}

static pluss_status add_barrier(builder *b, const place *at, list *out)
{
    plussi_plan_node *node = new_node(b, at, PLUSSI_P_BARRIER, NULL, out);
    if (!node)
        return PLUSS_ENOMEM;
    node->zero = false;
    node->sync = true;
    node->order_end = b->order;
    node->barriers = 1;
    b->together = true;
    return add_leaf(b, node);
}

static bool has_load(const plussi_cexpr *x)
{
    if (x->kind == PLUSSI_CEXPR_LOAD)
        return true;
    for (int i = 0; i < 3 && x->kind != PLUSSI_CEXPR_AFFINE && x->a[i]; i++)
        if (has_load(x->a[i]))
            return true;
    return false;
}

static pluss_status check_expr(builder *b, const plussi_bound_node *node, const plussi_cexpr *x)
{
    return x && has_load(x) ? refuse_node(b, node,
                                          "a value loaded from memory (indirect subscript or "
                                          "bound)")
                            : PLUSS_OK;
}

/* ---- loops --------------------------------------------------------------------------------------
 */

static pluss_status mark_workshare(builder *b, const place *at, plussi_plan_node *node)
{
    const plussi_bound_loop *loop = &node->decl->u.loop;
    pluss_status status = check_expr(b, node->decl, loop->schedule.chunk);
    if (status)
        return status;
    node->schedule = loop->schedule.kind;
    node->chunk = loop->schedule.chunk;
    node->collapse = loop->collapse;
    node->ws = true;
    node->ws_head = node;
    if (node->schedule != PLUSSI_SCHED_STATIC && !b->e->source)
        return refuse_node(b, node->decl,
                           "a schedule that is not static, without its iteration sets");
    b->e->asks |= node->schedule != PLUSSI_SCHED_STATIC;
    if (at->in_ws)
        return refuse_node(b, node->decl, "a worksharing loop inside another");
    return PLUSS_OK;
}

static pluss_status build_loop_body(builder *b, const place *at, plussi_plan_node *node,
                                    const plussi_bound_node *const *body, uint32_t n)
{
    place inside = *at;
    inside.parent = node;
    inside.in_else = false;
    if (node->ws)
        inside.in_ws = node;
    bool before = b->together; /* there may be no iteration */
    b->together &= n > 0 && plussi_ends_in_barrier(body[n - 1]);
    b->path[b->depth++] = node;
    pluss_status status = build_children(b, &inside, body, n, &node->body, &node->n_body);
    b->depth--;
    b->together &= before;
    node->order_end = b->order;
    return status;
}

/* Joins the loops of a collapse clause; if a body was dropped the iteration space is empty. */
static bool join_collapsed(plussi_plan_node *head)
{
    plussi_plan_node *loop = head;
    for (uint32_t i = 1; i < head->collapse; i++) {
        if (loop->n_body != 1 || loop->body[0]->kind != PLUSSI_P_LOOP)
            return false;
        loop = loop->body[0];
        loop->ws_head = head;
        loop->ws_level = i;
    }
    head->ws_last = loop;
    return true;
}

static pluss_status build_loop(builder *b, const place *at, const plussi_bound_node *bound_node,
                               list *out)
{
    const plussi_bound_loop *loop = &bound_node->u.loop;
    if (plussi_interval_empty(loop->range) && !(loop->workshare && !at->alone))
        return PLUSS_OK;
    pluss_status status = check_expr(b, bound_node, loop->lo);
    if (!status)
        status = check_expr(b, bound_node, loop->hi);
    if (status)
        return status;
    bool empty = plussi_interval_empty(loop->range);
    if (!empty) {
        plussi_plan_node *node = new_node(b, at, PLUSSI_P_LOOP, bound_node, out);
        if (!node)
            return PLUSS_ENOMEM;
        b->e->loop[bound_node->id] = node;
        node->slot = loop->slot;
        node->lo = loop->lo;
        node->hi = loop->hi;
        node->step = loop->step;
        node->range = loop->range;
        node->reads = plussi_cexpr_slots(loop->lo) | plussi_cexpr_slots(loop->hi);
        node->weight = plussi_cexpr_weight(loop->lo) + plussi_cexpr_weight(loop->hi);
        if (loop->workshare && !at->alone)
            status = mark_workshare(b, at, node);
        if (!status)
            status = build_loop_body(b, at, node, bound_node->body, bound_node->n_body);
        if (status)
            return status;
        if (node->ws && !join_collapsed(node)) { /* never executed */
            out->n--;
        } else if (node->ws && node->collapse > 1 &&
                   (node->schedule == PLUSSI_SCHED_RAYON ||
                    node->schedule == PLUSSI_SCHED_RECORDED)) {
            return refuse_node(b, bound_node,
                               "collapsed loops with iteration sets that need not ascend");
        }
    }
    if (loop->workshare && !at->alone && !loop->nowait)
        return add_barrier(b, at, out);
    return PLUSS_OK;
}

static pluss_status build_repeat(builder *b, const place *at, const plussi_bound_region *region,
                                 list *out)
{
    static const plussi_cexpr zero = {.kind = PLUSSI_CEXPR_AFFINE};
    plussi_cexpr *count = plussi_arena_alloc(&b->e->arena, 1, sizeof *count);
    plussi_plan_node *node = new_node(b, at, PLUSSI_P_LOOP, NULL, out);
    if (!node || !count)
        return PLUSS_ENOMEM;
    *count = (plussi_cexpr){.kind = PLUSSI_CEXPR_AFFINE, .c = region->repeat};
    node->slot = PLUSSI_CURSOR_REPEAT;
    node->lo = &zero;
    node->hi = count;
    node->step = 1;
    node->range = (plussi_interval){0, region->repeat - 1};
    return build_loop_body(b, at, node, region->body, region->n_body);
}

/* ---- the other nodes ----------------------------------------------------------------------------
 */

static pluss_status build_parallel(builder *b, const place *at, const plussi_bound_node *bound_node,
                                   list *out)
{
    if (bound_node->u.parallel.nested ||
        b->e->serial) { /* one after the other, like its siblings */
        place inside = *at;
        inside.alone = true;
        return build_list(b, &inside, bound_node->body, bound_node->n_body, out);
    }
    const plussi_cexpr *count = bound_node->u.parallel.num_threads,
                       *cond = bound_node->u.parallel.cond;
    pluss_status status = check_expr(b, bound_node, count);
    if (!status)
        status = check_expr(b, bound_node, cond);
    if (status)
        return status;
    plussi_plan_node *node = new_node(b, at, PLUSSI_P_PAR, bound_node, out);
    if (!node)
        return PLUSS_ENOMEM;
    node->reads = (count ? plussi_cexpr_slots(count) : 0) | (cond ? plussi_cexpr_slots(cond) : 0);
    node->team_fixed = !node->reads;
    if (node->team_fixed) {
        static const int64_t none[PLUSSI_CURSOR_SLOTS];
        node->team = plussi_bparallel_team(b->e->bound, bound_node, none);
    }
    node->zero = false;
    list l = {0};
    place inside = {.parent = node, .par = node};
    status = add_barrier(b, &inside, &l);
    if (!status)
        status = build_list(b, &inside, bound_node->body, bound_node->n_body, &l);
    if (!status)
        status = add_barrier(b, &inside, &l);
    if (status) {
        plussi_free(&b->ctx->mem, l.node);
        return status;
    }
    node->order_end = b->order;
    return settle_list(b, &l, &node->body, &node->n_body);
}

static pluss_status build_if(builder *b, const place *at, const plussi_bound_node *bound_node,
                             list *out)
{
    pluss_status status = check_expr(b, bound_node, bound_node->u.branch.cond);
    if (status)
        return status;
    plussi_plan_node *node = new_node(b, at, PLUSSI_P_IF, bound_node, out);
    if (!node)
        return PLUSS_ENOMEM;
    node->cond = bound_node->u.branch.cond;
    node->reads = plussi_cexpr_slots(node->cond);
    node->weight = plussi_cexpr_weight(node->cond);
    place inside = *at;
    inside.parent = node;
    inside.in_else = false;
    bool before = b->together;
    status = build_children(b, &inside, bound_node->body, bound_node->n_body, &node->body,
                            &node->n_body);
    inside.in_else = true;
    bool then = b->together;
    b->together = before;
    if (!status)
        status = build_children(b, &inside, bound_node->orelse, bound_node->n_orelse, &node->orelse,
                                &node->n_orelse);
    node->order_end = b->order;
    b->together &= then;
    return status;
}

static pluss_status build_ref(builder *b, const place *at, const plussi_bound_node *bound_node,
                              list *out)
{
    pluss_status status = check_expr(b, bound_node, bound_node->u.ref.offset);
    if (status)
        return status;
    plussi_plan_node *node = new_node(b, at, PLUSSI_P_REF, bound_node, out);
    if (!node)
        return PLUSS_ENOMEM;
    node->ref = &bound_node->u.ref;
    node->order_end = b->order;
    b->together = false;
    return add_leaf(b, node);
}

static pluss_status build_swap(builder *b, const place *at, const plussi_bound_node *bound_node,
                               list *out)
{
    plussi_plan_node *node = new_node(b, at, PLUSSI_P_SWAP, bound_node, out);
    if (!node)
        return PLUSS_ENOMEM;
    node->has_swap = true;
    node->order_end = b->order;
    return PLUSS_OK;
}

/* A single that the first thread to reach it executes: a dynamic loop of one iteration. */
static pluss_status build_single_loop(builder *b, const place *at,
                                      const plussi_bound_node *bound_node, list *out)
{
    static const plussi_cexpr zero = {.kind = PLUSSI_CEXPR_AFFINE},
                              one = {.kind = PLUSSI_CEXPR_AFFINE, .c = 1};
    plussi_bound_node *loop = plussi_arena_alloc(&b->e->arena, 1, sizeof *loop);
    if (!loop)
        return PLUSS_ENOMEM;
    *loop = *bound_node;
    loop->kind = PLUSSI_N_LOOP;
    loop->id = b->e->bound->n_loops + b->n_singles++;
    loop->u.loop = (plussi_bound_loop){.slot = PLUSSI_CURSOR_SINGLE,
                                       .lo = &zero,
                                       .hi = &one,
                                       .step = 1,
                                       .workshare = true,
                                       .nowait = bound_node->u.single.nowait,
                                       .collapse = 1,
                                       .schedule = {.kind = PLUSSI_SCHED_DYNAMIC, .chunk = &one}};
    return build_loop(b, at, loop, out);
}

/* Number of nodes of a kind in the list. */
static uint32_t count_kind(const plussi_bound_node *const *body, uint32_t n, plussi_node_kind kind)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += (body[i]->kind == kind) + count_kind(body[i]->body, body[i]->n_body, kind) +
               count_kind(body[i]->orelse, body[i]->n_orelse, kind);
    return sum;
}

/* Whether it matters which thread executes a single: other threads do not wait for it. */
static bool is_single_loop(const builder *b, const place *at, const plussi_bound_node *bound_node)
{
    return bound_node->kind == PLUSSI_N_SINGLE && b->e->source && b->e->source->singles &&
           !at->alone && !at->zero && !at->in_ws && (bound_node->u.single.nowait || !b->together) &&
           count_kind(bound_node->body, bound_node->n_body, PLUSSI_N_REF) > 0 &&
           count_kind(bound_node->body, bound_node->n_body, PLUSSI_N_SWAP) == 0;
}

static pluss_status build_node(builder *b, const place *at, const plussi_bound_node *bound_node,
                               list *out)
{
    place inside = *at;
    pluss_status status;
    switch (bound_node->kind) {
    case PLUSSI_N_LOOP:
        return build_loop(b, at, bound_node, out);
    case PLUSSI_N_PARALLEL:
        return build_parallel(b, at, bound_node, out);
    case PLUSSI_N_REF:
        return build_ref(b, at, bound_node, out);
    case PLUSSI_N_IF:
        return build_if(b, at, bound_node, out);
    case PLUSSI_N_SWAP:
        return build_swap(b, at, bound_node, out);
    case PLUSSI_N_BARRIER:
        return at->alone ? PLUSS_OK : add_barrier(b, at, out);
    case PLUSSI_N_SINGLE:
    case PLUSSI_N_MASTER:
        if (is_single_loop(b, at, bound_node))
            return build_single_loop(b, at, bound_node, out);
        inside.zero = inside.zero || !at->alone;
        status = build_list(b, &inside, bound_node->body, bound_node->n_body, out);
        if (!status && bound_node->kind == PLUSSI_N_SINGLE && !bound_node->u.single.nowait &&
            !at->alone)
            status = add_barrier(b, at, out);
        return status;
    case PLUSSI_N_BRANCH:
        return refuse_node(b, bound_node, "a branch that depends on data");
    case PLUSSI_N_UNKNOWN:
        return refuse_node(b, bound_node, "a part that is not described ('unknown')");
    case PLUSSI_N_CRITICAL:
    case PLUSSI_N_ORDERED:
    case PLUSSI_N_OPS:
        return build_list(b, at, bound_node->body, bound_node->n_body, out);
    }
    return PLUSS_OK;
}

static pluss_status build_list(builder *b, const place *at, const plussi_bound_node *const *body,
                               uint32_t n, list *out)
{
    pluss_status status = PLUSS_OK;
    for (uint32_t i = 0; i < n && !status; i++)
        status = build_node(b, at, body[i], out);
    return status;
}

static pluss_status build_program(builder *b)
{
    const plussi_bound *bound = b->e->bound;
    place top = {.zero = true, .alone = true};
    plussi_plan_node *root = new_node(b, &top, PLUSSI_P_ROOT, NULL, NULL);
    if (!root)
        return PLUSS_ENOMEM;
    b->e->root = top.parent = root;
    list l = {0};
    pluss_status status = add_barrier(b, &top, &l);
    for (uint32_t r = 0; r < bound->n_regions && !status; r++) {
        const plussi_bound_region *region = &bound->region[r];
        if (region->repeat == 1)
            status = build_list(b, &top, region->body, region->n_body, &l);
        else if (region->repeat > 1)
            status = build_repeat(b, &top, region, &l);
    }
    if (!status)
        status = add_barrier(b, &top, &l);
    if (status) {
        plussi_free(&b->ctx->mem, l.node);
        return status;
    }
    root->order_end = b->order;
    return settle_list(b, &l, &root->body, &root->n_body);
}

/* ---- life ---------------------------------------------------------------------------------------
 */

static pluss_status build_engine(plussi_ctx *ctx, plussi_engine *e)
{
    builder b = {.ctx = ctx, .e = e};
    size_t n_loops = e->bound->n_loops;
    for (uint32_t r = 0; r < e->bound->n_regions; r++)
        n_loops +=
            count_kind(e->bound->region[r].body, e->bound->region[r].n_body, PLUSSI_N_SINGLE);
    e->loop = plussi_arena_alloc(&e->arena, n_loops + 1, sizeof *e->loop);
    if (!e->loop)
        return PLUSS_ENOMEM;
    pluss_status status = build_program(&b);
    if (!status) {
        e->n_nodes = b.order;
        status = settle_list(&b, &b.leaves, &e->leaf, &e->n_leaves);
    }
    plussi_free(&ctx->mem, b.leaves.node);
    if (status)
        return status;
    status = plussi_plan_depend(ctx, e);
    if (!status)
        status = plussi_plan_swaps(ctx, e);
    if (!status)
        status = plussi_plan_groups(ctx, e);
    return status;
}

static pluss_status make_engine(plussi_ctx *ctx, const plussi_bound *bound,
                                const plussi_iterset_source *source, bool serial,
                                plussi_engine **out)
{
    plussi_engine *e = plussi_calloc(&ctx->mem, 1, sizeof *e);
    if (!e)
        return PLUSS_ENOMEM;
    e->mem = ctx->mem;
    plussi_arena_init(&e->arena, &ctx->mem);
    e->bound = bound;
    e->source = source;
    e->effort = plussi_effort_of(ctx);
    e->serial = serial;
    e->team = serial ? 1 : bound->max_team > bound->team ? bound->max_team : bound->team;
    while (UINT32_C(1) << e->line_shift < bound->line_bytes)
        e->line_shift++;
    pluss_status status = build_engine(ctx, e);
    if (status) {
        plussi_engine_free(e);
        return status;
    }
    e->planned = true;
    *out = e;
    return PLUSS_OK;
}

pluss_status plussi_engine_new(plussi_ctx *ctx, const plussi_bound *bound,
                               const plussi_iterset_source *source, plussi_engine **out)
{
    return make_engine(ctx, bound, source, false, out);
}

pluss_status plussi_engine_new_serial(plussi_ctx *ctx, const plussi_bound *bound,
                                      plussi_engine **out)
{
    return make_engine(ctx, bound, NULL, true, out);
}

pluss_status plussi_engine_share(plussi_ctx *ctx, const plussi_engine *engine, plussi_engine **out)
{
    plussi_engine *e = plussi_alloc(&ctx->mem, 1, sizeof *e);
    if (!e)
        return PLUSS_ENOMEM;
    *e = *engine;
    e->mem = ctx->mem;
    plussi_arena_init(&e->arena, &ctx->mem);
    e->source = NULL;
    e->effort = plussi_effort_of(ctx);
    *out = e;
    return PLUSS_OK;
}

void plussi_engine_free(plussi_engine *engine)
{
    if (!engine)
        return;
    plussi_arena_free(&engine->arena);
    plussi_free(&engine->mem, engine);
}

bool plussi_engine_is_alike(const plussi_engine *engine)
{
    for (uint32_t i = 0; i < engine->n_leaves; i++) {
        const plussi_plan_node *leaf = engine->leaf[i];
        if (leaf->ref &&
            (leaf->ref->array->is_private || (plussi_cexpr_slots(leaf->ref->offset) & 1)))
            return false;
        for (const plussi_plan_node *x = leaf; x; x = x->parent)
            if (x->reads & 1)
                return false;
    }
    return true;
}

bool plussi_engine_uses_source(const plussi_engine *engine)
{
    return engine->asks;
}

uint32_t plussi_engine_team(const plussi_engine *engine)
{
    return engine->team;
}

uint64_t plussi_engine_accesses(const plussi_engine *engine)
{
    return engine->root->team_count;
}

uint64_t plussi_engine_phases(const plussi_engine *engine)
{
    return engine->root->barriers - 1;
}

const plussi_bound_node *plussi_engine_ref(const plussi_engine *engine, uint32_t leaf)
{
    const plussi_plan_node *node = engine->leaf[leaf];
    return node->kind == PLUSSI_P_REF ? node->decl : NULL;
}

uint32_t plussi_engine_leaves(const plussi_engine *engine)
{
    return engine->n_leaves;
}

uint32_t plussi_engine_depth(const plussi_engine *engine, uint32_t leaf)
{
    return engine->leaf[leaf]->depth;
}

const plussi_bound_node *plussi_engine_loop(const plussi_engine *engine, uint32_t leaf,
                                            uint32_t level)
{
    return engine->leaf[leaf]->loops[level]->decl;
}
