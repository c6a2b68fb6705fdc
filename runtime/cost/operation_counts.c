/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Operations are counted as accesses are: in a copy of the nest each `ops`, and each iteration of a
 * loop, is a read of a byte that nothing else uses. What counts references then counts all.
 */
#include "cost/operation_counts.h"

#include <string.h>

#include "sampler/engine.h"
#include "trace/walk.h"

/* A read that stands for something else. */
typedef struct mark {
    const plussi_node *read, *of;
    plussi_executed what; /* TEAM and BARRIER; OPERATION: operations, or an iteration */
    uint32_t n;           /* operations of an `ops` node; 0: an iteration */
    const plussi_op *op;
} mark;

typedef struct counter {
    plussi_ctx *ctx;
    plussi_operation_fn visit;
    void *user;
    plussi_nest *nest; /* the copy */
    plussi_array *byte;
    mark *mark;
    size_t n, cap;
    uint64_t *executed; /* by reference of the copy: accesses */
} counter;

static const char too_many[] = "the number of operations does not fit 64 bits";
static const char *const names[] = {
#define X(name, text) [PLUSSI_OP_##name] = text,
    PLUSSI_OPERATIONS(X)
#undef X
};

const char *plussi_operation_name(plussi_operation group)
{
    return names[group];
}

/* Of an iteration's operations, those on the longest dependence on the iteration before. */
static const char chain_prefix[] = "chain_";

static bool is_chain(const char *name)
{
    return strncmp(name, chain_prefix, strlen(chain_prefix)) == 0;
}

static int find_group(const char *name)
{
    int g = 0;
    if (is_chain(name))
        name += strlen(chain_prefix);
    while (g < PLUSSI_N_OPERATIONS && strcmp(names[g], name) != 0)
        g++;
    return g;
}

/* ---- the copy -------------------------------------------------------------------------------- */

/* Is the loop one of a collapsed nest, but not the innermost of it? */
static bool is_outer_collapsed(const plussi_node *loop)
{
    uint32_t inside = 0;
    for (const plussi_node *l = loop; l && l->kind == PLUSSI_N_LOOP; l = l->parent, inside++)
        if (inside + 1 < l->u.loop.collapse)
            return true;
    return false;
}

static pluss_status add_mark(counter *c, mark m)
{
    pluss_status status = plussi_grow(&c->ctx->mem, &c->mark, &c->cap, c->n, sizeof *c->mark);
    if (!status)
        c->mark[c->n++] = m;
    return status;
}

static void make_read(const counter *c, plussi_node *node)
{
    node->kind = PLUSSI_N_REF;
    memset(&node->u, 0, sizeof node->u);
    node->u.ref.array = c->byte;
}

/* A read in the body, and a mark that tells what it stands for. */
static pluss_status add_read(counter *c, plussi_body *body, plussi_node *parent,
                             const plussi_node *of, plussi_executed what)
{
    plussi_node *read = plussi_nest_add_node(c->nest, body, parent, PLUSSI_N_REF, of->loc);
    if (!read)
        return PLUSS_ENOMEM;
    make_read(c, read);
    return add_mark(c, (mark){.read = read, .of = of, .what = what});
}

static bool is_in(const plussi_body *body, const plussi_node *node)
{
    const plussi_node *n = body->first;
    while (n && n != node)
        n = n->next;
    return n != NULL;
}

/* Nothing but operations and added reads comes after it. */
static bool is_last(const counter *c, const plussi_node *node)
{
    const plussi_node *n = node->next;
    while (n && (n->kind == PLUSSI_N_OPS || (n->kind == PLUSSI_N_REF && n->u.ref.array == c->byte)))
        n = n->next;
    return !n;
}

/* The barrier at the end of a parallel construct is the construct's. */
static bool ends_in_barrier(const counter *c, const plussi_node *node)
{
    const bool end = node->parent->kind == PLUSSI_N_PARALLEL && is_last(c, node);
    return node->kind == PLUSSI_N_BARRIER ||
           (!end &&
            ((node->kind == PLUSSI_N_SINGLE && !node->u.single.nowait) ||
             (node->kind == PLUSSI_N_LOOP && node->u.loop.workshare && !node->u.loop.nowait)));
}

static pluss_status mark_team(counter *c, plussi_node *node)
{
    plussi_node *parent = node->parent;
    if (node->kind == PLUSSI_N_PARALLEL)
        return add_read(c, &node->body, node, node, PLUSSI_EXECUTED_TEAM);
    if (!parent || !ends_in_barrier(c, node))
        return PLUSS_OK;
    return add_read(c, is_in(&parent->body, node) ? &parent->body : &parent->orelse, parent, node,
                    PLUSSI_EXECUTED_BARRIER);
}

static pluss_status mark_node(counter *c, plussi_node *node)
{
    if (node->kind == PLUSSI_N_OPS) {
        for (uint32_t i = 0; i < node->u.ops.n; i++)
            if (find_group(node->u.ops.op[i].group) == PLUSSI_N_OPERATIONS)
                return plussi_fail(
                    c->ctx, PLUSS_EUNSUPPORTED, node->text_loc.line ? &node->text_loc : &node->loc,
                    "'%s' is no group of operations that has a meaning", node->u.ops.op[i].group);
        pluss_status status =
            add_mark(c, (mark){.read = node, .of = node, .n = node->u.ops.n, .op = node->u.ops.op});
        if (!status)
            make_read(c, node);
        return status;
    }
    if (node->kind == PLUSSI_N_UNKNOWN) /* engines refuse it; the read stands for nothing */
        make_read(c, node);
    if (node->kind != PLUSSI_N_LOOP || is_outer_collapsed(node))
        return PLUSS_OK;
    return add_read(c, &node->body, node, node, PLUSSI_EXECUTED_OPERATION);
}

static pluss_status copy_and_mark(counter *c, const plussi_nest *nest)
{
    pluss_status status = plussi_nest_new(c->ctx, &c->nest);
    if (!status)
        status = plussi_nest_append(c->ctx, c->nest, nest);
    if (status)
        return status;
    c->byte = plussi_nest_add_array(c->nest, NULL, "operation", PLUSSI_ELEM_BYTES, 1, 0);
    if (!c->byte)
        return PLUSS_ENOMEM;
    for (plussi_region *r = c->nest->first_region; r && !status; r = r->next)
        for (plussi_node *n = plussi_nest_walk(&r->body, NULL); n && !status;
             n = plussi_nest_walk(&r->body, n))
            if (!(status = mark_team(c, n)))
                status = mark_node(c, n);
    plussi_nest_number(c->nest);
    return status;
}

/* ---- how often ------------------------------------------------------------------------------- */

/* *done false: there is no closed form. */
static pluss_status count_in_closed_form(counter *c, plussi_ctx *quiet, const plussi_bound *bound,
                                         bool *done)
{
    plussi_engine *engine;
    pluss_status status = plussi_engine_new(quiet, bound, NULL, &engine);
    *done = false;
    if (status)
        return status == PLUSS_ENOMEM ? status : PLUSS_OK;
    uint64_t sum = 0;
    for (uint32_t leaf = 0; leaf < plussi_engine_leaves(engine); leaf++) {
        const plussi_bound_node *ref = plussi_engine_ref(engine, leaf);
        const uint64_t n = ref ? plussi_engine_leaf_accesses(engine, leaf) : 0;
        if (ref)
            c->executed[ref->id] += n;
        sum += n;
    }
    *done = sum == plussi_engine_accesses(engine); /* else some depend on the thread's number */
    plussi_engine_free(engine);
    return PLUSS_OK;
}

static pluss_status count_by_walk(counter *c, const plussi_bound *bound)
{
    enum { BATCH = 4096 };
    plussi_walk *walk;
    plussi_access *access = plussi_calloc(&c->ctx->mem, BATCH, sizeof *access);
    if (!access)
        return PLUSS_ENOMEM;
    pluss_status status = plussi_walk_new(c->ctx, bound, 0, &walk);
    if (!status) {
        memset(c->executed, 0, bound->n_refs * sizeof *c->executed);
        while (plussi_walk_next_phase(walk))
            for (uint32_t t = 0; t < plussi_walk_team(walk); t++)
                for (size_t n; (n = plussi_walk_fill(walk, t, access, BATCH)) > 0;)
                    for (size_t i = 0; i < n; i++)
                        c->executed[access[i].ref]++;
        status = plussi_walk_status(walk);
        plussi_walk_free(walk);
    }
    plussi_free(&c->ctx->mem, access);
    return status;
}

static plussi_operation group_of_reference(const plussi_bound_node *ref)
{
    const plussi_bound_array *array = ref->u.ref.array;
    const plussi_operation load = array->rank > 1        ? PLUSSI_OP_NDIM_LOAD
                                  : array->rank == 1     ? PLUSSI_OP_ARRAY_LOAD
                                  : ref->u.ref.width > 4 ? PLUSSI_OP_DBL_LOAD
                                                         : PLUSSI_OP_LOAD;
    return ref->u.ref.write ? load + 1 : load;
}

static pluss_status tell(const counter *c, const plussi_node *node, plussi_executed what, int group,
                         uint64_t n, uint64_t times)
{
    uint64_t product;
    if (__builtin_mul_overflow(n, times, &product))
        return plussi_fail(c->ctx, PLUSS_ERANGE, NULL, "%s", too_many);
    return c->visit(c->user, node, what, (plussi_operation)group, product);
}

static pluss_status tell_all(const counter *c, const plussi_bound *bound)
{
    pluss_status status = PLUSS_OK;
    for (uint32_t i = 0; i < bound->n_refs && !status; i++)
        if (bound->ref[i] && bound->ref[i]->u.ref.array->decl != c->byte)
            status = tell(c, bound->ref[i]->decl, PLUSSI_EXECUTED_OPERATION,
                          (int)group_of_reference(bound->ref[i]), 1,
                          c->executed[i] / bound->ref[i]->u.ref.touches);
    for (size_t i = 0; i < c->n && !status; i++) {
        const mark *m = &c->mark[i];
        const uint64_t times = c->executed[m->read->id];
        if (m->n == 0)
            status = tell(c, m->of, m->what, PLUSSI_OP_LOOP, 1, times);
        for (uint32_t k = 0; k < m->n && !status; k++)
            status =
                tell(c, m->read,
                     is_chain(m->op[k].group) ? PLUSSI_EXECUTED_CHAIN : PLUSSI_EXECUTED_OPERATION,
                     find_group(m->op[k].group), m->op[k].count, times);
    }
    return status;
}

static pluss_status bind(plussi_ctx *ctx, const plussi_nest *nest,
                         const plussi_bind_options *options, plussi_bound **out)
{
    plussi_bind_options any = *options; /* who executes an iteration does not matter */
    any.schedule = PLUSSI_SCHED_STATIC;
    any.force_schedule = true;
    any.chunk = 0;
    any.recorded = NULL;
    any.n_recorded = 0;
    return plussi_bind(ctx, nest, &any, out);
}

static pluss_status count_marked(counter *c, plussi_ctx *quiet, const plussi_bind_options *options)
{
    plussi_bound *bound;
    bool done;
    pluss_status status = bind(quiet, c->nest, options, &bound);
    if (status) /* again, for what there is to say */
        status = bind(c->ctx, c->nest, options, &bound);
    if (status)
        return status;
    c->executed = plussi_calloc(&c->ctx->mem, bound->n_refs + 1, sizeof *c->executed);
    status = c->executed ? count_in_closed_form(c, quiet, bound, &done) : PLUSS_ENOMEM;
    if (!status && !done)
        status = count_by_walk(c, bound);
    if (!status)
        status = tell_all(c, bound);
    plussi_free(&c->ctx->mem, c->executed);
    plussi_bound_free(bound);
    return status;
}

pluss_status plussi_visit_operations(plussi_ctx *ctx, const plussi_nest *nest,
                                     const plussi_bind_options *options, plussi_operation_fn visit,
                                     void *user)
{
    counter c = {.ctx = ctx, .visit = visit, .user = user};
    plussi_ctx quiet;
    plussi_ctx_init(&quiet, &ctx->mem);
    pluss_status status = copy_and_mark(&c, nest);
    if (!status)
        status = count_marked(&c, &quiet, options);
    plussi_ctx_clear(&quiet);
    plussi_free(&ctx->mem, c.mark);
    plussi_nest_free(c.nest);
    return status;
}

typedef struct total {
    plussi_ctx *ctx;
    plussi_operations sum;
} total;

static pluss_status add_to_total(void *user, const plussi_node *node, plussi_executed what,
                                 plussi_operation group, uint64_t n)
{
    total *t = user;
    (void)node;
    if (what != PLUSSI_EXECUTED_OPERATION)
        return PLUSS_OK;
    if (__builtin_add_overflow(t->sum.count[group], n, &t->sum.count[group]))
        return plussi_fail(t->ctx, PLUSS_ERANGE, NULL, "%s", too_many);
    return PLUSS_OK;
}

pluss_status plussi_count_operations(plussi_ctx *ctx, const plussi_nest *nest,
                                     const plussi_bind_options *options, plussi_operations *out)
{
    total t = {.ctx = ctx};
    pluss_status status = plussi_visit_operations(ctx, nest, options, add_to_total, &t);
    if (!status)
        *out = t.sum;
    return status;
}

double plussi_operations_instructions(const plussi_operations *operations)
{
    double sum = 0;
    for (int g = 0; g < PLUSSI_N_OPERATIONS; g++)
        sum += (g == PLUSSI_OP_LOOP ? 3.0 : 1.0) * (double)operations->count[g];
    return sum;
}
