/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The generator grows a tree from the root, with a falling chance for further statements; then
 * nest_gen_fit executes it. A nest with too many accesses, or none, is thrown away and another one
 * is grown with shorter loops.
 */
#include "nest_gen_state.h"

/* ---- references -------------------------------------------------------------------------------
 */

static void make_ref(grower *g, plussi_body *body, plussi_node *parent)
{
    plussi_node *ref = nest_gen_add(g, body, parent, PLUSSI_N_REF);
    plussi_array *array = g->array[nest_gen_below(g, g->n_arrays)];
    if (!ref)
        return;
    g->refs++;
    ref->u.ref.array = array;
    ref->u.ref.n_subs = array->rank;
    ref->u.ref.subs = plussi_expr_vec(g->nest, array->rank);
    for (uint32_t i = 0; ref->u.ref.subs && i < array->rank; i++)
        ref->u.ref.subs[i] = nest_gen_subscript(g);
    ref->u.ref.write = nest_gen_chance(g, 40);
    ref->u.ref.atomic = nest_gen_want(g, NEST_GEN_ATOMIC, 10);
    if (array->elem_bytes > 1 && nest_gen_want(g, NEST_GEN_FIELDS, 30)) {
        uint32_t bytes = (uint32_t)array->elem_bytes;
        ref->u.ref.offset = nest_gen_below(g, bytes);
        if (nest_gen_chance(g, 70))
            ref->u.ref.width = 1 + nest_gen_below(g, bytes - (uint32_t)ref->u.ref.offset);
    }
}

static void make_refs(grower *g, plussi_body *body, plussi_node *parent)
{
    for (uint32_t n = 1 + nest_gen_below(g, 4); n > 0; n--)
        make_ref(g, body, parent);
}

/* ---- loops ------------------------------------------------------------------------------------
 */

/* A bound near `value`, which may follow an outer induction variable. */
static plussi_expr *bound(grower *g, int64_t value, bool straight)
{
    plussi_expr *e = nest_gen_constant(g, value);
    if (straight || !g->n_ivs)
        return e;
    if (nest_gen_want(g, NEST_GEN_TRIANGULAR, 35)) {
        e = nest_gen_some_iv(g);
        if (nest_gen_want(g, NEST_GEN_DIVMOD, 15))
            e = nest_gen_op(g, nest_gen_chance(g, 60) ? PLUSSI_E_DIV : PLUSSI_E_MOD, e,
                            nest_gen_num(g, nest_gen_between(g, 2, 4)));
        int64_t shift = nest_gen_between(g, -2, 2);
        if (shift)
            e = nest_gen_op(g, PLUSSI_E_ADD, e, nest_gen_num(g, shift));
    }
    if (nest_gen_want(g, NEST_GEN_MINMAX, 20))
        e = nest_gen_op(g, nest_gen_chance(g, 50) ? PLUSSI_E_MIN : PLUSSI_E_MAX, e,
                        nest_gen_constant(g, value));
    return e;
}

static plussi_node *make_head(grower *g, plussi_body *body, plussi_node *parent, bool straight)
{
    plussi_node *loop = nest_gen_add(g, body, parent, PLUSSI_N_LOOP);
    if (!loop)
        return NULL;
    char room[64];
    loop->u.loop.iv = plussi_nest_string(g->nest, nest_gen_name(g, "i", room));
    int64_t lo = nest_gen_chance(g, 60) ? 0 : nest_gen_between(g, -2, 4);
    int64_t hi = lo + nest_gen_between(g, nest_gen_chance(g, 90), g->max_trips);
    int64_t step = nest_gen_want(g, NEST_GEN_STEP, 25) ? nest_gen_between(g, 2, 4) : 1;
    if (nest_gen_want(g, NEST_GEN_DESCENDING, 25)) {
        loop->u.loop.lo = bound(g, hi, straight);
        loop->u.loop.hi = bound(g, lo, straight);
        step = -step;
    } else {
        loop->u.loop.lo = bound(g, lo, straight || nest_gen_chance(g, 60));
        loop->u.loop.hi = bound(g, hi, straight);
    }
    loop->u.loop.step = step;
    return loop;
}

static void make_code(grower *g, plussi_body *body, plussi_node *parent);

/* Statements of a loop's body; the loop's variable is known in them. */
static void fill_loop(grower *g, plussi_node *loop)
{
    g->iv[g->n_ivs++] = loop;
    make_code(g, &loop->body, loop);
    g->n_ivs--;
}

static void make_loop(grower *g, plussi_body *body, plussi_node *parent)
{
    plussi_node *loop = make_head(g, body, parent, false);
    if (!loop)
        return;
    if (g->in_parallel && !g->in_share && nest_gen_want(g, NEST_GEN_THREAD_ID, 20))
        loop->u.loop.lo = plussi_expr_op(g->nest, PLUSSI_E_THREAD, NULL, NULL, NULL);
    fill_loop(g, loop);
}

static void make_guard(grower *g, plussi_body *body, plussi_node *parent)
{
    bool branch = nest_gen_want(g, NEST_GEN_BRANCH, 40) || !nest_gen_may(g, NEST_GEN_GUARD);
    plussi_node *node = nest_gen_add(g, body, parent, branch ? PLUSSI_N_BRANCH : PLUSSI_N_IF);
    if (!node)
        return;
    if (branch)
        node->u.branch.probability =
            nest_gen_chance(g, 50) ? nest_gen_below(g, 11) / 10.0 : plussi_rng_unit(g->rng);
    else
        node->u.branch.cond = nest_gen_condition(g);
    make_refs(g, &node->body, node);
    if (nest_gen_chance(g, 40))
        make_refs(g, &node->orelse, node);
}

static void make_note(grower *g, plussi_body *body, plussi_node *parent)
{
    if (nest_gen_want(g, NEST_GEN_UNKNOWN, 50)) {
        plussi_node *node = nest_gen_add(g, body, parent, PLUSSI_N_UNKNOWN);
        if (!node)
            return;
        node->u.unknown.kind = (plussi_unknown_kind)nest_gen_below(g, 5);
        node->u.unknown.array =
            nest_gen_chance(g, 40) ? g->array[nest_gen_below(g, g->n_arrays)] : NULL;
        node->u.unknown.reason = "u *= 2: \"not\" an induction";
    } else if (nest_gen_may(g, NEST_GEN_NOTES)) {
        plussi_node *node = nest_gen_add(g, body, parent, PLUSSI_N_OPS);
        plussi_op *ops = plussi_arena_alloc(&g->nest->arena, 2, sizeof *ops);
        if (!node || !ops)
            return;
        ops[0] = (plussi_op){"fmul", nest_gen_below(g, 9)};
        ops[1] = (plussi_op){"int", plussi_rng_next(g->rng) >> 1};
        node->u.ops.n = 1 + nest_gen_below(g, 2);
        node->u.ops.op = ops;
    }
}

/* Code without constructs of OpenMP: loops, references, guards. */
static void make_code(grower *g, plussi_body *body, plussi_node *parent)
{
    bool deeper = g->n_ivs < g->o->max_loops && nest_gen_chance(g, 65);
    bool imperfect = nest_gen_may(g, NEST_GEN_IMPERFECT);
    if (!deeper || (imperfect && nest_gen_chance(g, 35)))
        make_refs(g, body, parent);
    if (deeper) {
        make_loop(g, body, parent);
        if (imperfect && nest_gen_chance(g, 30))
            make_loop(g, body, parent);
        if (imperfect && nest_gen_chance(g, 30))
            make_refs(g, body, parent);
    }
    if (nest_gen_may(g, NEST_GEN_GUARD | NEST_GEN_BRANCH) && nest_gen_chance(g, 20))
        make_guard(g, body, parent);
    if (nest_gen_chance(g, 10))
        make_note(g, body, parent);
}

/* ---- parallel regions -------------------------------------------------------------------------
 */

static void set_schedule(grower *g, plussi_node *loop)
{
    plussi_schedule *s = &loop->u.loop.schedule;
    plussi_schedule_kind kinds[8];
    uint32_t n = 0;
    kinds[n++] = PLUSSI_SCHED_NONE;
    kinds[n++] = PLUSSI_SCHED_STATIC;
    if (nest_gen_may(g, NEST_GEN_DYNAMIC))
        kinds[n++] = PLUSSI_SCHED_DYNAMIC;
    if (nest_gen_may(g, NEST_GEN_GUIDED))
        kinds[n++] = PLUSSI_SCHED_GUIDED;
    if (nest_gen_may(g, NEST_GEN_OTHER_SCHEDULES)) {
        kinds[n++] = PLUSSI_SCHED_AUTO;
        kinds[n++] = PLUSSI_SCHED_RUNTIME;
        kinds[n++] = PLUSSI_SCHED_RAYON;
        kinds[n++] = PLUSSI_SCHED_RECORDED;
    }
    s->kind = kinds[nest_gen_below(g, n)];
    if (s->kind == PLUSSI_SCHED_NONE)
        return;
    if (nest_gen_may(g, NEST_GEN_NOTES) && nest_gen_chance(g, 20)) /* a modifier changes no share */
        s->modifier = nest_gen_chance(g, 50) ? PLUSSI_SCHED_MONOTONIC : PLUSSI_SCHED_NONMONOTONIC;
    bool takes = s->kind <= PLUSSI_SCHED_GUIDED || s->kind == PLUSSI_SCHED_RAYON;
    if (takes && nest_gen_chance(g, 60) &&
        (s->kind != PLUSSI_SCHED_STATIC || nest_gen_may(g, NEST_GEN_CHUNK)))
        s->chunk = nest_gen_constant(g, nest_gen_between(g, 1, 4));
    if (s->kind == PLUSSI_SCHED_RAYON && s->chunk && nest_gen_chance(g, 50))
        s->chunk2 = nest_gen_constant(g, nest_gen_between(g, 4, 8));
}

/* The loops that a collapse clause joins to `loop`, n with it, now in scope but for the innermost,
 * which is returned. Their bounds follow each other only if that is allowed. */
static plussi_node *make_collapsed(grower *g, plussi_node *loop, uint32_t n)
{
    uint32_t around = g->n_ivs;
    plussi_node *joined[3] = {loop};
    for (uint32_t i = 1; i < n && joined[i - 1]; i++) {
        if (nest_gen_want(g, NEST_GEN_SKEWED, 50))
            for (uint32_t k = 0; k < i; k++)
                g->iv[g->n_ivs++] = joined[k];
        joined[i] = make_head(g, &joined[i - 1]->body, joined[i - 1], false);
        g->n_ivs = around;
    }
    loop->u.loop.collapse = n;
    for (uint32_t i = 0; i + 1 < n; i++)
        g->iv[g->n_ivs++] = joined[i];
    return joined[n - 1];
}

static void make_workshare(grower *g, plussi_body *body, plussi_node *parent)
{
    bool combined = parent->loc.line && nest_gen_chance(g, 70);
    plussi_node *loop = make_head(g, body, parent, false);
    if (!loop)
        return;
    if (combined) /* one location: the short form */
        loop->loc = parent->loc;
    loop->u.loop.workshare = true;
    set_schedule(g, loop);
    loop->u.loop.nowait = nest_gen_want(g, NEST_GEN_NOWAIT, 40);
    loop->u.loop.ordered = nest_gen_want(g, NEST_GEN_CRITICAL, 10);
    bool was = g->in_share;
    uint32_t around = g->n_ivs, room = g->o->max_loops - g->n_ivs;
    g->in_share = true;
    if (room > 1 && nest_gen_want(g, NEST_GEN_COLLAPSE, 30))
        loop = make_collapsed(g, loop, room > 2 && nest_gen_chance(g, 30) ? 3 : 2);
    if (loop)
        fill_loop(g, loop);
    g->n_ivs = around;
    g->in_share = was;
}

static void make_parallel(grower *g, plussi_body *body, plussi_node *parent);

/* A construct whose body is plain code: single, master, critical, ordered. */
static void make_wrapped(grower *g, plussi_body *body, plussi_node *parent, plussi_node_kind kind)
{
    plussi_node *node = nest_gen_add(g, body, parent, kind);
    if (!node)
        return;
    if (kind == PLUSSI_N_SINGLE)
        node->u.single.nowait = nest_gen_want(g, NEST_GEN_NOWAIT, 40);
    bool was = g->in_share;
    g->in_share = true;
    make_code(g, &node->body, node);
    g->in_share = was;
}

/* One statement of a parallel block. */
static void make_member(grower *g, plussi_body *body, plussi_node *parent)
{
    switch (nest_gen_below(g, 9)) {
    case 0:
        if (nest_gen_want(g, NEST_GEN_BARRIER, 90))
            nest_gen_add(g, body, parent, PLUSSI_N_BARRIER);
        return;
    case 1:
        if (nest_gen_want(g, NEST_GEN_MASTER, 90))
            make_wrapped(g, body, parent, PLUSSI_N_MASTER);
        return;
    case 2:
        if (nest_gen_want(g, NEST_GEN_SINGLE, 90))
            make_wrapped(g, body, parent, PLUSSI_N_SINGLE);
        return;
    case 3:
        if (nest_gen_want(g, NEST_GEN_CRITICAL, 90))
            make_wrapped(g, body, parent,
                         nest_gen_chance(g, 50) ? PLUSSI_N_CRITICAL : PLUSSI_N_ORDERED);
        return;
    case 4:
        if (nest_gen_want(g, NEST_GEN_REPLICATED, 90))
            make_code(g, body, parent);
        return;
    case 5:
        if (g->n_ivs + 1 < g->o->max_loops && nest_gen_want(g, NEST_GEN_REPLICATED, 60)) {
            plussi_node *loop = make_head(g, body, parent, true); /* around worksharing */
            if (!loop)
                return;
            g->iv[g->n_ivs++] = loop;
            make_workshare(g, &loop->body, loop);
            g->n_ivs--;
        }
        return;
    case 6:
        if (g->n_ivs + 1 < g->o->max_loops && nest_gen_want(g, NEST_GEN_NESTED, 30))
            make_parallel(g, body, parent);
        return;
    default:
        make_workshare(g, body, parent);
    }
}

static void make_parallel(grower *g, plussi_body *body, plussi_node *parent)
{
    plussi_node *node = nest_gen_add(g, body, parent, PLUSSI_N_PARALLEL);
    if (!node)
        return;
    if (nest_gen_want(g, NEST_GEN_NUM_THREADS, 15))
        node->u.parallel.num_threads = nest_gen_constant(g, nest_gen_between(g, 1, g->o->max_team));
    if (nest_gen_want(g, NEST_GEN_IF_CLAUSE, 15)) {
        bool was = g->in_parallel;
        g->in_parallel = false; /* no $thread in the clause */
        node->u.parallel.cond = nest_gen_condition(g);
        g->in_parallel = was;
    }
    bool was = g->in_parallel, shared = g->in_share;
    g->in_parallel = true;
    g->in_share = false;
    if (nest_gen_want(g, NEST_GEN_BLOCK, 40))
        for (uint32_t n = 1 + nest_gen_below(g, 5); n > 0; n--)
            make_member(g, &node->body, node);
    if (!node->body.first)
        make_workshare(g, &node->body, node);
    g->in_parallel = was;
    g->in_share = shared;
}

/* ---- programs ---------------------------------------------------------------------------------
 */

static void make_steps(grower *g, plussi_body *body, plussi_node *parent)
{
    if (nest_gen_want(g, NEST_GEN_SERIAL, 25))
        make_code(g, body, parent);
    make_parallel(g, body, parent);
    if (nest_gen_chance(g, 25))
        make_parallel(g, body, parent);
    if (nest_gen_want(g, NEST_GEN_SERIAL, 15))
        make_code(g, body, parent);
}

static void make_region(grower *g)
{
    char room[64];
    plussi_loc loc = nest_gen_place(g);
    uint32_t arrays = g->n_arrays;
    g->region = plussi_nest_add_region(g->nest, nest_gen_name(g, "r", room), loc);
    if (!g->region)
        return;
    if (nest_gen_want(g, NEST_GEN_REPEAT, 25))
        g->region->repeat = nest_gen_constant(g, nest_gen_between(g, 1, 3));
    if (nest_gen_chance(g, 40)) /* arrays of its own */
        nest_gen_array(g);
    plussi_body *body = &g->region->body;
    if (g->o->max_loops > 1 && nest_gen_want(g, NEST_GEN_TIME_LOOP, 40)) {
        plussi_node *loop = make_head(g, body, NULL, true);
        if (loop) {
            g->iv[g->n_ivs++] = loop;
            make_steps(g, &loop->body, loop);
            if (g->twin[0] && nest_gen_want(g, NEST_GEN_SWAP, 70)) {
                plussi_node *swap = nest_gen_add(g, &loop->body, loop, PLUSSI_N_SWAP);
                if (swap) {
                    swap->u.swap.a = g->twin[0];
                    swap->u.swap.b = g->twin[1];
                }
            }
            g->n_ivs--;
        }
    } else {
        make_steps(g, body, NULL);
    }
    g->region = NULL;
    if (g->n_arrays > arrays) { /* not known to the next region */
        if (g->twin[0] && g->twin[0]->region)
            g->twin[0] = g->twin[1] = NULL;
        g->n_arrays = arrays;
    }
}

static void make_nest(grower *g)
{
    for (uint32_t n = nest_gen_want(g, NEST_GEN_LOAD, 80) ? 1 + nest_gen_below(g, 2) : 0; n > 0;
         n--)
        nest_gen_index(g);
    for (uint32_t n = 1 + nest_gen_below(g, g->o->max_arrays); n > 0 && !g->nest->out_of_memory;
         n--)
        nest_gen_array(g);
    uint32_t regions = nest_gen_want(g, NEST_GEN_REGIONS, 40) ? 2 + nest_gen_below(g, 2) : 1;
    for (uint32_t n = 0; n < regions && !g->nest->out_of_memory; n++)
        make_region(g);
}

nest_gen_options nest_gen_defaults(unsigned long long allow)
{
    return (nest_gen_options){.allow = allow,
                              .max_loops = 4,
                              .max_trips = 8,
                              .max_arrays = 4,
                              .max_team = 8,
                              .max_accesses = 20000};
}

/* One try; *accesses 0 or UINT64_MAX: it does not serve. */
static pluss_status attempt(plussi_ctx *ctx, grower *g, uint64_t *accesses)
{
    pluss_status status = plussi_nest_new(ctx, &g->nest);
    if (status != PLUSS_OK)
        return status;
    g->out->n_bindings = 0;
    make_nest(g);
    if (g->nest->out_of_memory)
        return PLUSS_ENOMEM;
    nest_gen_fit_input in = {g->nest, g->symbol_value, g->o->max_team, g->o->max_accesses};
    *accesses = nest_gen_fit(&in);
    if (*accesses == 0 || *accesses == UINT64_MAX)
        return PLUSS_OK;
    for (plussi_array *a = g->nest->first_array; a; a = a->next)
        nest_gen_dress(g, a);
    status = plussi_nest_validate(ctx, g->nest);
    return status == PLUSS_OK || status == PLUSS_ENOMEM ? status : PLUSS_EINTERNAL;
}

pluss_status nest_gen_make(plussi_ctx *ctx, plussi_rng *rng, const nest_gen_options *options,
                           nest_gen *out)
{
    for (uint32_t tries = 0;; tries++) {
        grower g = {.rng = rng, .o = options, .out = out};
        uint32_t shorter = tries / 4 < options->max_trips ? tries / 4 : options->max_trips - 1;
        g.max_trips = options->max_trips - shorter;
        pluss_status status = attempt(ctx, &g, &out->accesses);
        if (status == PLUSS_OK && out->accesses > 0 && out->accesses != UINT64_MAX) {
            out->nest = g.nest;
            return PLUSS_OK;
        }
        if (status != PLUSS_OK || tries == 200) {
            plussi_nest_free(g.nest);
            return status != PLUSS_OK ? status : PLUSS_EINTERNAL;
        }
        plussi_nest_free(g.nest);
    }
}

void nest_gen_free(nest_gen *gen)
{
    plussi_nest_free(gen->nest);
    gen->nest = NULL;
}
