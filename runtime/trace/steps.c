/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/steps.h"

#include "bound/cexpr.h"

/* Which threads execute the code that is being translated. */
typedef enum executors {
    CREW_SERIAL, /* thread 0, outside of parallel regions */
    CREW_TEAM,   /* every thread of a team */
    CREW_ALONE   /* a team of one, in a nested region */
} executors;

typedef struct builder {
    plussi_ctx *ctx;
    const plussi_bound *bound;
    const plussi_region *region;
    step_program *p;
} builder;

static pluss_status build_body(builder *b, executors who, const plussi_bound_node *const *body,
                               uint32_t n);

static pluss_status refuse_node(builder *b, const plussi_bound_node *node, const char *what)
{
    plussi_loc loc = plussi_node_place(node->decl, b->region);
    return plussi_fail(b->ctx, PLUSS_EUNSUPPORTED, &loc, "cannot be walked: %s", what);
}

static pluss_status need_contents(builder *b, const plussi_bound_node *node, const plussi_cexpr *x)
{
    return x && plussi_cexpr_opaque(x)
               ? refuse_node(b, node, "it depends on an array whose contents are not given")
               : PLUSS_OK;
}

static pluss_status add_step(builder *b, step_kind kind, const plussi_bound_node *node,
                             uint32_t *at)
{
    step_program *p = b->p;
    pluss_status status =
        plussi_grow(&p->mem, &p->step, &p->cap_steps, p->n_steps, sizeof *p->step);
    if (status)
        return status;
    if (p->n_steps >= UINT32_MAX)
        return PLUSS_ELIMIT;
    p->step[p->n_steps] = (step){.kind = kind, .node = node, .inner = node, .levels = 1};
    *at = (uint32_t)p->n_steps++;
    return PLUSS_OK;
}

static uint32_t current_step(const builder *b)
{
    return (uint32_t)b->p->n_steps;
}

/* ---- references --------------------------------------------------------------------------------
 */

static int64_t find_coefficient(const plussi_cexpr *x, uint32_t slot)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (x->slot[i] == slot)
            return x->coef[i];
    return 0;
}

/* Adds the entries of one reference; loop: the flat loop around it, or NULL. */
static pluss_status add_entries(builder *b, const plussi_bound_node *node,
                                const plussi_bound_loop *loop)
{
    step_program *p = b->p;
    const plussi_bound_ref *ref = &node->u.ref;
    for (uint32_t i = 0; i < ref->touches; i++) {
        pluss_status status =
            plussi_grow(&p->mem, &p->entry, &p->cap_entries, p->n_entries, sizeof *p->entry);
        if (status)
            return status;
        if (p->n_entries >= UINT32_MAX)
            return PLUSS_ELIMIT;
        bool last = i > 0 && i + 1 == ref->touches;
        p->entry[p->n_entries++] = (step_entry){
            .offset = ref->offset,
            .delta = last ? (int64_t)ref->width - 1 : (int64_t)i * b->bound->line_bytes,
            .copy = ref->array->copy_bytes,
            .increment = loop ? find_coefficient(ref->offset, loop->slot) * loop->step : 0,
            .array = ref->array->id,
            .ref = node->id,
        };
    }
    return PLUSS_OK;
}

/* Makes a run of references the entries of one step. */
static pluss_status build_refs(builder *b, step_kind kind, const plussi_bound_node *node,
                               const plussi_bound_node *const *ref, uint32_t n,
                               const plussi_bound_loop *loop)
{
    uint32_t at;
    pluss_status status = add_step(b, kind, node, &at);
    if (status)
        return status;
    b->p->step[at].first = (uint32_t)b->p->n_entries;
    for (uint32_t i = 0; i < n && !status; i++) {
        status = need_contents(b, ref[i], ref[i]->u.ref.offset);
        if (!status)
            status = add_entries(b, ref[i], loop);
    }
    if (status)
        return status;
    uint32_t entries = (uint32_t)b->p->n_entries - b->p->step[at].first;
    b->p->step[at].n = entries;
    if (loop && entries > b->p->most_flat)
        b->p->most_flat = entries;
    return PLUSS_OK;
}

static bool is_flat(const plussi_bound_node *loop)
{
    for (uint32_t i = 0; i < loop->n_body; i++)
        if (loop->body[i]->kind != PLUSSI_N_REF ||
            loop->body[i]->u.ref.offset->kind != PLUSSI_CEXPR_AFFINE)
            return false;
    return loop->n_body > 0;
}

/* ---- loops -------------------------------------------------------------------------------------
 */

static pluss_status build_plain_loop(builder *b, executors who, const plussi_bound_node *node)
{
    const plussi_bound_loop *loop = &node->u.loop;
    if (plussi_interval_empty(loop->range))
        return PLUSS_OK;
    pluss_status status = need_contents(b, node, loop->lo);
    if (!status)
        status = need_contents(b, node, loop->hi);
    if (status)
        return status;
    if (is_flat(node))
        return build_refs(b, STEP_FLAT, node, node->body, node->n_body, loop);
    uint32_t begin, end;
    status = add_step(b, STEP_LOOP, node, &begin);
    if (!status)
        status = build_body(b, who, node->body, node->n_body);
    if (status)
        return status;
    if (current_step(b) == begin + 1) { /* the body is empty */
        b->p->n_steps = begin;
        return PLUSS_OK;
    }
    status = add_step(b, STEP_LOOP_NEXT, node, &end);
    if (status)
        return status;
    b->p->step[end].target = begin + 1;
    b->p->step[begin].target = end + 1;
    return PLUSS_OK;
}

static pluss_status build_barrier(builder *b)
{
    uint32_t at;
    return add_step(b, STEP_BARRIER, NULL, &at);
}

/* ITERSET, ROW, body, ROW_NEXT. */
static pluss_status build_shared(builder *b, const plussi_bound_node *node)
{
    const plussi_bound_node *inner = node;
    uint32_t levels = node->u.loop.collapse, outer_slots = 0, set, row, end;
    bool rectangular = true;
    pluss_status status = need_contents(b, node, node->u.loop.schedule.chunk);
    if (!status)
        status = need_contents(b, node, node->u.loop.schedule.chunk2);
    if (node->u.loop.schedule.kind == PLUSSI_SCHED_RECORDED && b->bound->n_chunks == 0)
        status = refuse_node(b, node, "schedule(recorded) without a record");
    for (uint32_t i = 0; i < levels && !status; i++) {
        inner = i ? inner->body[0] : node;
        const plussi_bound_loop *loop = &inner->u.loop;
        if ((plussi_cexpr_slots(loop->lo) | plussi_cexpr_slots(loop->hi)) & outer_slots)
            rectangular = false;
        outer_slots |= UINT32_C(1) << loop->slot;
        status = need_contents(b, inner, loop->lo);
        if (!status)
            status = need_contents(b, inner, loop->hi);
    }
    if (!status)
        status = add_step(b, STEP_ITERSET, node, &set);
    if (!status)
        status = add_step(b, STEP_ROW, node, &row);
    if (status)
        return status;
    bool flat = is_flat(inner);
    if (flat)
        status = build_refs(b, STEP_ROW_FLAT, node, inner->body, inner->n_body, &inner->u.loop);
    else
        status = build_body(b, CREW_TEAM, inner->body, inner->n_body);
    if (status)
        return status;
    if (current_step(b) == row + 1) {
        b->p->n_steps = set;
        return PLUSS_OK;
    }
    if (flat)
        end = row + 1;
    else if ((status = add_step(b, STEP_ROW_NEXT, node, &end)))
        return status;
    b->p->step[end].target = row;
    b->p->step[row].target = end + 1;
    for (uint32_t at = set; at <= end; at++) {
        if (at > row && at < end)
            continue;
        b->p->step[at].inner = inner;
        b->p->step[at].levels = levels;
        b->p->step[at].rectangular = rectangular;
    }
    if (levels > b->p->most_levels)
        b->p->most_levels = levels;
    return PLUSS_OK;
}

static pluss_status build_loop(builder *b, executors who, const plussi_bound_node *node)
{
    if (!node->u.loop.workshare || who != CREW_TEAM)
        return build_plain_loop(b, who, node);
    pluss_status status = PLUSS_OK;
    if (!plussi_interval_empty(node->u.loop.range))
        status = build_shared(b, node);
    if (!status && !node->u.loop.nowait)
        status = build_barrier(b);
    return status;
}

/* ---- parallel regions --------------------------------------------------------------------------
 */

/* Whether the region is a single worksharing loop that is the same for all threads. */
static bool is_plain(const builder *b, uint32_t fork, const plussi_bound_node *node)
{
    if (node->n_body != 1 || node->body[0]->kind != PLUSSI_N_LOOP || current_step(b) == fork + 1)
        return false;
    const step *set = &b->p->step[fork + 1];
    if (set->kind != STEP_ITERSET || !set->rectangular)
        return false;
    const plussi_bound_node *loop = node->body[0];
    uint32_t slots = 0;
    for (uint32_t i = 0; i < set->levels; i++, loop = loop->body[0])
        slots |= plussi_cexpr_slots(loop->u.loop.lo) | plussi_cexpr_slots(loop->u.loop.hi);
    const plussi_cexpr *chunk = node->body[0]->u.loop.schedule.chunk;
    return !((slots | (chunk ? plussi_cexpr_slots(chunk) : 0)) & 1);
}

static pluss_status build_parallel(builder *b, executors who, const plussi_bound_node *node)
{
    if (who != CREW_SERIAL)
        return build_body(b, CREW_ALONE, node->body, node->n_body);
    uint32_t fork, join;
    pluss_status status = need_contents(b, node, node->u.parallel.num_threads);
    if (!status)
        status = need_contents(b, node, node->u.parallel.cond);
    if (!status)
        status = add_step(b, STEP_FORK, node, &fork);
    if (!status)
        status = build_body(b, CREW_TEAM, node->body, node->n_body);
    if (status)
        return status;
    step_program *p = b->p;
    /* The join is itself a barrier: it replaces one just before it, and takes its jumps. */
    if (node->n_body > 0 && plussi_ends_in_barrier(node->body[node->n_body - 1]))
        p->n_steps--;
    status = add_step(b, STEP_JOIN, node, &join);
    if (status)
        return status;
    p->step[fork].target = join + 1;
    p->step[fork].first = is_plain(b, fork, node) ? fork + 1 : 0;
    return PLUSS_OK;
}

/* ---- the other nodes ---------------------------------------------------------------------------
 */

/* Makes a step that skips the body; nothing if the body is empty. */
static pluss_status build_skip(builder *b, executors who, step_kind kind,
                               const plussi_bound_node *node)
{
    uint32_t at;
    pluss_status status = add_step(b, kind, node, &at);
    if (!status)
        status = build_body(b, who, node->body, node->n_body);
    if (!status && current_step(b) == at + 1) {
        b->p->n_steps = at;
        return PLUSS_OK;
    }
    if (!status)
        b->p->step[at].target = current_step(b);
    return status;
}

static pluss_status build_choice(builder *b, executors who, const plussi_bound_node *node)
{
    bool guard = node->kind == PLUSSI_N_IF;
    if (guard && plussi_cexpr_is_const(node->u.branch.cond))
        return node->u.branch.cond->c ? build_body(b, who, node->body, node->n_body)
                                      : build_body(b, who, node->orelse, node->n_orelse);
    uint32_t at, over;
    pluss_status status = guard ? need_contents(b, node, node->u.branch.cond) : PLUSS_OK;
    if (!status)
        status = add_step(b, guard ? STEP_IF : STEP_BRANCH, node, &at);
    if (!status)
        status = build_body(b, who, node->body, node->n_body);
    if (!status)
        status = add_step(b, STEP_JUMP, NULL, &over);
    if (status)
        return status;
    b->p->step[at].target = current_step(b);
    status = build_body(b, who, node->orelse, node->n_orelse);
    if (status)
        return status;
    if (current_step(b) == over + 1) { /* no else */
        b->p->n_steps = over;
        b->p->step[at].target = over;
        if (over == at + 1)
            b->p->n_steps = at;
        return PLUSS_OK;
    }
    b->p->step[over].target = current_step(b);
    return PLUSS_OK;
}

static void warn_unknown(builder *b, const plussi_bound_node *node)
{
    static const char *const what[] = {"a loop", "a reference", "a call", "control flow",
                                       "a construct"};
    plussi_loc loc = plussi_node_place(node->decl, b->region);
    const plussi_array *array = node->decl->u.unknown.array;
    plussi_report(b->ctx, PLUSSI_WARNING, PLUSS_OK, &loc,
                  "%s%s%s is not described and left out: %s", what[node->decl->u.unknown.kind],
                  array ? " of " : "", array ? array->name : "",
                  node->decl->u.unknown.reason ? node->decl->u.unknown.reason : "no reason given");
}

static pluss_status build_single(builder *b, executors who, const plussi_bound_node *node)
{
    if (who != CREW_TEAM)
        return build_body(b, who, node->body, node->n_body);
    pluss_status status = build_skip(b, who, STEP_SINGLE, node);
    if (!status && !node->u.single.nowait)
        status = build_barrier(b);
    return status;
}

static pluss_status build_node(builder *b, executors who, const plussi_bound_node *node)
{
    uint32_t at;
    switch (node->kind) {
    case PLUSSI_N_LOOP:
        return build_loop(b, who, node);
    case PLUSSI_N_PARALLEL:
        return build_parallel(b, who, node);
    case PLUSSI_N_IF:
    case PLUSSI_N_BRANCH:
        return build_choice(b, who, node);
    case PLUSSI_N_BARRIER:
        return who == CREW_TEAM ? build_barrier(b) : PLUSS_OK;
    case PLUSSI_N_SINGLE:
        return build_single(b, who, node);
    case PLUSSI_N_MASTER:
        return who == CREW_TEAM ? build_skip(b, who, STEP_MASTER, node)
                                : build_body(b, who, node->body, node->n_body);
    case PLUSSI_N_SWAP:
        return add_step(b, STEP_SWAP, node, &at);
    case PLUSSI_N_UNKNOWN:
        warn_unknown(b, node);
        return PLUSS_OK;
    default:
        return PLUSS_OK;
    }
}

static pluss_status build_body(builder *b, executors who, const plussi_bound_node *const *body,
                               uint32_t n)
{
    pluss_status status = PLUSS_OK;
    for (uint32_t i = 0; i < n && !status;) {
        uint32_t refs = 0;
        while (i + refs < n && body[i + refs]->kind == PLUSSI_N_REF)
            refs++;
        if (refs)
            status = build_refs(b, STEP_REFS, body[i], body + i, refs, NULL);
        else
            status = build_node(b, who, body[i]);
        i += refs ? refs : 1;
    }
    return status;
}

/* The cost of an affine expression is part of the step's. */
static uint32_t extra_cost(const plussi_cexpr *x)
{
    return plussi_cexpr_weight(x) - 1;
}

static uint32_t cost_of(const step_program *p, const step *s)
{
    uint32_t cost = 4;
    if (s->kind == STEP_IF)
        cost += extra_cost(s->node->u.branch.cond);
    if (s->kind == STEP_LOOP || s->kind == STEP_FLAT || s->kind == STEP_ITERSET)
        cost += extra_cost(s->node->u.loop.lo) + extra_cost(s->node->u.loop.hi);
    for (uint32_t i = 0; s->kind == STEP_REFS && i < s->n; i++)
        cost += extra_cost(p->entry[s->first + i].offset);
    return cost;
}

pluss_status plussi_program_build(plussi_ctx *ctx, const plussi_bound *bound, step_program *out)
{
    *out = (step_program){.mem = ctx->mem, .most_levels = 1};
    builder b = {ctx, bound, NULL, out};
    uint32_t at;
    pluss_status status = PLUSS_OK;
    for (uint32_t r = 0; r < bound->n_regions && !status; r++) {
        const plussi_bound_region *region = &bound->region[r];
        b.region = region->decl;
        uint32_t begin, end;
        if (region->repeat == 0)
            continue;
        status = add_step(&b, STEP_REGION, NULL, &begin);
        if (!status)
            status = build_body(&b, CREW_SERIAL, region->body, region->n_body);
        if (!status && current_step(&b) == begin + 1) {
            out->n_steps = begin;
            continue;
        }
        if (!status)
            status = add_step(&b, STEP_REGION_END, NULL, &end);
        if (!status) {
            out->step[end].target = begin + 1;
            out->step[begin].target = end + 1;
            out->step[begin].repeat = out->step[end].repeat = region->repeat;
        }
    }
    if (!status)
        status = add_step(&b, STEP_END, NULL, &at);
    for (size_t i = 0; i < out->n_steps && !status; i++)
        out->step[i].cost = cost_of(out, &out->step[i]);
    return status;
}

void plussi_program_free(step_program *program)
{
    plussi_free(&program->mem, program->step);
    plussi_free(&program->mem, program->entry);
    *program = (step_program){.mem = program->mem};
}
