/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cost/execution_counts.h"

#include <string.h>

#include "base/arith.h"

typedef struct counting {
    plussi_executions *to;
    const plussi_execution_watch *watch; /* NULL: none */
    plussi_effort *effort;
    uint32_t *depends; /* by loop: slots that bounds and conditions in it depend on */
    int64_t iv[PLUSSI_MAX_SLOTS];
    const plussi_bound_node *faulty; /* its expression loads what there is not */
    bool too_long, no_memory;
} counting;

static bool is_watched(const counting *c, const plussi_bound_node *node)
{
    return c->watch && node->kind == PLUSSI_N_REF && c->watch->refs[node->id];
}

static uint32_t slots_within(counting *c, const plussi_bound_node *const *body, uint32_t n)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < n; i++) {
        const plussi_bound_node *node = body[i];
        const uint32_t inside = slots_within(c, node->body, node->n_body) |
                                slots_within(c, node->orelse, node->n_orelse);
        if (node->kind == PLUSSI_N_LOOP) {
            c->depends[node->id] = inside;
            slots |= plussi_cexpr_slots(node->u.loop.lo) | plussi_cexpr_slots(node->u.loop.hi);
        } else if (node->kind == PLUSSI_N_IF) {
            slots |= plussi_cexpr_slots(node->u.branch.cond);
        } else if (is_watched(c, node)) {
            slots |= (UINT32_C(2) << node->depth) - 2; /* of all loops around it */
        }
        slots |= inside;
    }
    return slots;
}

static void count_body(counting *c, const plussi_bound_node *const *body, uint32_t n, double times);

static int64_t value(counting *c, const plussi_bound_node *node, const plussi_cexpr *x)
{
    bool fault = false;
    const int64_t v = plussi_cexpr_eval(x, c->iv, &fault);
    if (fault)
        c->faulty = node;
    return v;
}

static bool has_ended(const counting *c)
{
    return c->faulty || c->too_long || c->no_memory;
}

static void count_loop(counting *c, const plussi_bound_node *node, double times)
{
    const plussi_bound_loop *loop = &node->u.loop;
    const int64_t lo = value(c, node, loop->lo), hi = value(c, node, loop->hi);
    const bool up = loop->step > 0;
    c->to->loop[node->id] += times;
    if (c->faulty || (up ? lo >= hi : lo <= hi))
        return;
    if (!(c->depends[node->id] >> loop->slot & 1)) {
        const __int128 span = up ? (__int128)hi - lo : (__int128)lo - hi;
        const int64_t step = up ? loop->step : -loop->step;
        c->iv[loop->slot] = lo;
        count_body(c, node->body, node->n_body, times * (double)((span + step - 1) / step));
        return;
    }
    for (__int128 i = lo; up ? i < hi : i > hi; i += loop->step) {
        if (!plussi_effort_pay(c->effort, 1)) {
            c->too_long = true;
            return;
        }
        c->iv[loop->slot] = (int64_t)i;
        count_body(c, node->body, node->n_body, times);
        if (has_ended(c))
            return;
    }
}

static void count_ref(counting *c, const plussi_bound_node *node, double times)
{
    c->to->ref[node->id] += times;
    if (is_watched(c, node))
        c->no_memory = !c->watch->touch(c->watch->user, node, c->iv, times);
}

static void count_node(counting *c, const plussi_bound_node *node, double times)
{
    double taken = 1, other = 0;
    if (node->kind == PLUSSI_N_LOOP) {
        count_loop(c, node, times);
        return;
    }
    if (node->kind == PLUSSI_N_REF)
        count_ref(c, node, times);
    if (node->kind == PLUSSI_N_IF) {
        taken = value(c, node, node->u.branch.cond) != 0;
        other = 1 - taken;
    } else if (node->kind == PLUSSI_N_BRANCH) {
        taken = node->u.branch.probability;
        other = 1 - taken;
    }
    if (taken > 0)
        count_body(c, node->body, node->n_body, times * taken);
    if (other > 0)
        count_body(c, node->orelse, node->n_orelse, times * other);
}

static void count_body(counting *c, const plussi_bound_node *const *body, uint32_t n, double times)
{
    for (uint32_t i = 0; i < n && !has_ended(c); i++)
        count_node(c, body[i], times);
}

static pluss_status visit(plussi_ctx *ctx, const plussi_bound *bound, plussi_effort *effort,
                          const plussi_execution_watch *watch, plussi_executions *out)
{
    counting c = {.to = out, .watch = watch, .effort = effort};
    out->loop = plussi_calloc(&ctx->mem, bound->n_loops + 1, sizeof *out->loop);
    out->ref = plussi_calloc(&ctx->mem, bound->n_refs + 1, sizeof *out->ref);
    c.depends = plussi_calloc(&ctx->mem, bound->n_loops + 1, sizeof *c.depends);
    c.no_memory = !out->loop || !out->ref || !c.depends;
    for (uint32_t i = 0; i < bound->n_regions && !has_ended(&c); i++) {
        const plussi_bound_region *r = &bound->region[i];
        (void)slots_within(&c, r->body, r->n_body);
        if (r->repeat > 0)
            count_body(&c, r->body, r->n_body, (double)r->repeat);
    }
    plussi_free(&ctx->mem, c.depends);
    if (has_ended(&c))
        plussi_executions_free(ctx, out);
    return c.faulty      ? plussi_fail(ctx, PLUSS_EINVAL, &c.faulty->decl->text_loc,
                                       "an index array is read where it has no contents")
           : c.too_long  ? PLUSS_ELIMIT
           : c.no_memory ? PLUSS_ENOMEM
                         : PLUSS_OK;
}

pluss_status plussi_count_executions(plussi_ctx *ctx, const plussi_bound *bound,
                                     plussi_effort *effort, plussi_executions *out)
{
    const pluss_status status = visit(ctx, bound, effort, NULL, out);
    return status == PLUSS_ELIMIT
               ? plussi_fail(ctx, status, NULL,
                             "counting how often loops are executed takes more than the effort")
               : status;
}

pluss_status plussi_visit_executions(plussi_ctx *ctx, const plussi_bound *bound,
                                     plussi_effort *effort, const plussi_execution_watch *watch)
{
    plussi_executions executed;
    const pluss_status status = visit(ctx, bound, effort, watch, &executed);
    if (!status)
        plussi_executions_free(ctx, &executed);
    return status;
}

void plussi_executions_free(plussi_ctx *ctx, plussi_executions *executions)
{
    plussi_free(&ctx->mem, executions->loop);
    plussi_free(&ctx->mem, executions->ref);
    *executions = (plussi_executions){0};
}
