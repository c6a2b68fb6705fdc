/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Binds loops: schedules, ranges of induction variables, collapse. trace/rows.c and
 * sampler/thread_set.c number the iterations of collapsed loops.
 */
#include "bound/binder.h"

/* ---- schedules ---------------------------------------------------------------------------------
 */

static pluss_status bind_chunk(plussi_binder *b, const plussi_scope *scope, const plussi_node *node,
                               bool from_options, plussi_bound_schedule *s)
{
    const plussi_schedule *clause = &node->u.loop.schedule;
    plussi_fold fold = {&b->bound->arena, NULL};
    pluss_status status = PLUSS_OK;
    if (from_options) {
        if (b->options->chunk > 0)
            status = plussi_fold_const(&fold, b->options->chunk, &s->chunk);
    } else if (clause->chunk) {
        status = plussi_bind_positive(b, scope, clause->chunk, node, "the chunk is less than 1",
                                      &s->chunk);
        if (!status && clause->chunk2)
            status =
                plussi_bind_positive(b, scope, clause->chunk2, node,
                                     "the largest chunk has less than 1 iteration", &s->chunk2);
    }
    if (!status && !s->chunk && s->kind != PLUSSI_SCHED_STATIC)
        status = plussi_fold_const(&fold, 1, &s->chunk);
    return status;
}

static bool is_recorded(const plussi_binder *b, const plussi_node *node)
{
    const plussi_bind_options *o = b->options;
    for (size_t i = 0; i < o->n_recorded; i++)
        if (o->recorded[i].loop == node->id)
            return true;
    return false;
}

static pluss_status bind_schedule(plussi_binder *b, const plussi_scope *scope,
                                  const plussi_node *node, plussi_bound_schedule *s)
{
    plussi_schedule_kind kind = node->u.loop.schedule.kind;
    if (is_recorded(b, node)) {
        s->kind = PLUSSI_SCHED_RECORDED;
        plussi_fold fold = {&b->bound->arena, NULL};
        return plussi_fold_const(&fold, 1, &s->chunk);
    }
    bool from_options = b->options->force_schedule || kind == PLUSSI_SCHED_RUNTIME;
    if (from_options) {
        kind = b->options->schedule;
        if (kind == PLUSSI_SCHED_NONE) { /* libgomp's default for schedule(runtime) */
            s->kind = PLUSSI_SCHED_DYNAMIC;
            plussi_fold fold = {&b->bound->arena, NULL};
            return plussi_fold_const(&fold, 1, &s->chunk);
        }
    }
    s->kind = kind == PLUSSI_SCHED_NONE || kind == PLUSSI_SCHED_AUTO ? PLUSSI_SCHED_STATIC : kind;
    return bind_chunk(b, scope, node, from_options, s);
}

/* ---- loops -------------------------------------------------------------------------------------
 */

static const plussi_interval no_values = {1, 0}, all_values = {INT64_MIN, INT64_MAX};

/* If no outer iteration gives it a trip: the difference of the bounds shows more than the bounds.
 */
static pluss_status never_runs(plussi_binder *b, const plussi_scope *scope,
                               const plussi_bound_loop *loop, bool *out)
{
    plussi_fold fold = {&b->bound->arena, scope};
    bool up = loop->step > 0;
    const plussi_cexpr *length;
    pluss_status status =
        plussi_fold_sub(&fold, up ? loop->hi : loop->lo, up ? loop->lo : loop->hi, &length);
    *out = status == PLUSS_OK && plussi_scope_range(scope, length).hi <= 0;
    return status == PLUSS_ERANGE ? PLUSS_OK : status;
}

/* The values of the IV, and their largest number. */
static pluss_status loop_range(plussi_binder *b, const plussi_scope *scope, const plussi_node *node,
                               plussi_bound_loop *loop, uint64_t *trips)
{
    *trips = 0;
    loop->range = no_values;
    if (scope->dead)
        return PLUSS_OK;
    loop->range = all_values;
    if (!plussi_scope_knows(scope, loop->lo) || !plussi_scope_knows(scope, loop->hi))
        return PLUSS_OK;
    plussi_interval lo = plussi_scope_range(scope, loop->lo);
    plussi_interval hi = plussi_scope_range(scope, loop->hi);
    bool up = loop->step > 0;
    int64_t from = up ? lo.lo : hi.lo, to = up ? hi.hi : lo.hi, length;
    loop->range = no_values;
    bool never;
    pluss_status status = never_runs(b, scope, loop, &never);
    if (status || never || from >= to)
        return status;
    if (plussi_sub_over(to, from, &length))
        return plussi_bind_fail(b, node->u.loop.hi, node, PLUSS_ERANGE,
                                "the loop can have more iterations than 63 bits count");
    *trips = (uint64_t)(length - 1) / (uint64_t)(up ? loop->step : -loop->step) + 1;
    loop->range = up ? (plussi_interval){from, to - 1} : (plussi_interval){from + 1, to};
    if (plussi_cexpr_is_const(loop->lo)) { /* then the last value is that of the longest run */
        int64_t reach = (int64_t)(*trips - 1) * loop->step;
        if (up)
            loop->range.hi = from + reach;
        else
            loop->range.lo = to + reach;
    }
    return PLUSS_OK;
}

static pluss_status check_collapse(plussi_binder *b, const plussi_bound_node *node, uint64_t trips,
                                   uint32_t levels)
{
    for (uint32_t i = 1; i < levels; i++) {
        if (node->n_body != 1 || node->body[0]->kind != PLUSSI_N_LOOP)
            return plussi_bind_fail(b, NULL, node->decl, PLUSS_EINVALID,
                                    "collapse needs loops that are each other's only statement");
        node = node->body[0];
        const plussi_bound_loop *loop = &node->u.loop;
        uint64_t inner = 0;
        if (!plussi_interval_empty(loop->range) && loop->range.lo != INT64_MIN) {
            uint64_t width = (uint64_t)loop->range.hi - (uint64_t)loop->range.lo;
            inner = width / (uint64_t)(loop->step > 0 ? loop->step : -loop->step) + 1;
        }
        if (plussi_mul_over(trips, inner, &trips) || trips > INT64_MAX)
            return plussi_bind_fail(
                b, NULL, node->decl, PLUSS_ERANGE,
                "the collapsed loops can have more iterations than 63 bits count");
    }
    return PLUSS_OK;
}

pluss_status plussi_bind_loop(plussi_binder *b, const plussi_scope *scope, plussi_bound_node *node)
{
    const plussi_node *decl = node->decl;
    plussi_bound_loop *loop = &node->u.loop;
    loop->slot = scope->depth + 1;
    loop->step = decl->u.loop.step;
    loop->workshare = decl->u.loop.workshare;
    loop->nowait = decl->u.loop.nowait;
    loop->collapse = decl->u.loop.collapse > 1 ? decl->u.loop.collapse : 1;
    b->bound->loop[decl->id] = node;
    if (loop->slot >= PLUSSI_MAX_SLOTS)
        return plussi_bind_fail(b, NULL, decl, PLUSS_ELIMIT, "too many loops around each other");
    if (loop->step == 0 || loop->step == INT64_MIN)
        return plussi_bind_fail(b, NULL, decl, PLUSS_ERANGE, "the loop's step is out of range");
    pluss_status status = plussi_bind_expr(b, scope, decl->u.loop.lo, decl, &loop->lo);
    if (!status)
        status = plussi_bind_expr(b, scope, decl->u.loop.hi, decl, &loop->hi);
    uint64_t trips;
    if (!status)
        status = loop_range(b, scope, decl, loop, &trips);
    if (!status && loop->workshare)
        status = bind_schedule(b, scope, decl, &loop->schedule);
    if (status)
        return status;
    plussi_scope inside = *scope;
    inside.depth++;
    inside.loop[loop->slot] = loop;
    inside.box[loop->slot] = loop->range;
    inside.dead = scope->dead || plussi_interval_empty(loop->range);
    if (loop->range.lo == INT64_MIN)
        inside.opaque |= UINT32_C(1) << loop->slot;
    status = plussi_bind_children(b, &inside, node, &decl->body, &node->body, &node->n_body);
    if (!status && loop->workshare && loop->collapse > 1)
        status = check_collapse(b, node, trips, loop->collapse);
    return status;
}
