/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "nest/bx.h"

typedef struct body_list {
    const plussi_bnode **node;
    size_t n, cap;
} body_list;

static pluss_status bind_body(plussi_binder *b, const plussi_scope *scope,
                              const plussi_bnode *parent, const plussi_body *body, body_list *list);

static pluss_status fail_at(plussi_binder *b, const plussi_expr *e, const plussi_node *node,
                            pluss_status status, const char *text)
{
    plussi_loc loc = plussi_bind_place(b, e, node);
    return plussi_fail(b->ctx, status, &loc, "%s", text);
}

/* The list's nodes move into the arena; the list is empty afterwards. */
static pluss_status settle(plussi_binder *b, body_list *list, const plussi_bnode ***out,
                           uint32_t *n)
{
    const plussi_bnode **copy = plussi_arena_alloc(&b->bound->arena, list->n + 1, sizeof *copy);
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

static pluss_status bind_children(plussi_binder *b, const plussi_scope *scope, plussi_bnode *node,
                                  const plussi_body *body, const plussi_bnode ***out, uint32_t *n)
{
    body_list list = {0};
    pluss_status status = bind_body(b, scope, node, body, &list);
    if (status) {
        plussi_free(&b->ctx->mem, list.node);
        return status;
    }
    return settle(b, &list, out, n);
}

/* ---- schedules ---------------------------------------------------------------------------------
 */

/* A number that must be at least 1 wherever it is known. */
static pluss_status bind_positive(plussi_binder *b, const plussi_scope *scope,
                                  const plussi_expr *expr, const plussi_node *node,
                                  const char *what, const plussi_bx **out)
{
    pluss_status status = plussi_bind_expr(b, scope, expr, node, out);
    if (!status && plussi_scope_knows(scope, *out) && plussi_scope_range(scope, *out).hi < 1)
        return fail_at(b, expr, node, PLUSS_ERANGE, what);
    return status;
}

static pluss_status bind_chunk(plussi_binder *b, const plussi_scope *scope, const plussi_node *node,
                               bool from_options, plussi_bschedule *s)
{
    const plussi_schedule *clause = &node->u.loop.schedule;
    plussi_fold fold = {&b->bound->arena, NULL};
    pluss_status status = PLUSS_OK;
    if (from_options) {
        if (b->options->chunk > 0)
            status = plussi_fold_const(&fold, b->options->chunk, &s->chunk);
    } else if (clause->chunk) {
        status =
            bind_positive(b, scope, clause->chunk, node, "the chunk is less than 1", &s->chunk);
        if (!status && clause->chunk2)
            status = bind_positive(b, scope, clause->chunk2, node,
                                   "the greatest piece has less than 1 iteration", &s->chunk2);
    }
    if (!status && !s->chunk && s->kind != PLUSSI_SCHED_STATIC)
        status = plussi_fold_const(&fold, 1, &s->chunk);
    return status;
}

static pluss_status bind_schedule(plussi_binder *b, const plussi_scope *scope,
                                  const plussi_node *node, plussi_bschedule *s)
{
    plussi_schedule_kind kind = node->u.loop.schedule.kind;
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

/* No outer iteration gives it a trip: the bounds' difference says more than the bounds. */
static pluss_status never_runs(plussi_binder *b, const plussi_scope *scope,
                               const plussi_bloop *loop, bool *out)
{
    plussi_fold fold = {&b->bound->arena, scope->box};
    bool up = loop->step > 0;
    const plussi_bx *length;
    pluss_status status =
        plussi_fold_sub(&fold, up ? loop->hi : loop->lo, up ? loop->lo : loop->hi, &length);
    *out = status == PLUSS_OK && plussi_scope_range(scope, length).hi <= 0;
    return status == PLUSS_ERANGE ? PLUSS_OK : status;
}

/* The values that the IV takes, and how many at most. */
static pluss_status loop_range(plussi_binder *b, const plussi_scope *scope, const plussi_node *node,
                               plussi_bloop *loop, uint64_t *trips)
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
        return fail_at(b, node->u.loop.hi, node, PLUSS_ERANGE,
                       "the loop can have more iterations than 63 bits count");
    *trips = (uint64_t)(length - 1) / (uint64_t)(up ? loop->step : -loop->step) + 1;
    loop->range = up ? (plussi_interval){from, to - 1} : (plussi_interval){from + 1, to};
    if (plussi_bx_is_const(loop->lo)) { /* then the last value is that of the longest run */
        int64_t reach = (int64_t)(*trips - 1) * loop->step;
        if (up)
            loop->range.hi = from + reach;
        else
            loop->range.lo = to + reach;
    }
    return PLUSS_OK;
}

static pluss_status check_collapse(plussi_binder *b, const plussi_bnode *node, uint64_t trips,
                                   uint32_t levels)
{
    for (uint32_t i = 1; i < levels; i++) {
        if (node->n_body != 1 || node->body[0]->kind != PLUSSI_N_LOOP)
            return fail_at(b, NULL, node->decl, PLUSS_EINVALID,
                           "collapse needs loops that are each other's only statement");
        node = node->body[0];
        const plussi_bloop *loop = &node->u.loop;
        uint64_t inner = 0;
        if (!plussi_interval_empty(loop->range) && loop->range.lo != INT64_MIN) {
            uint64_t width = (uint64_t)loop->range.hi - (uint64_t)loop->range.lo;
            inner = width / (uint64_t)(loop->step > 0 ? loop->step : -loop->step) + 1;
        }
        if (plussi_mul_over(trips, inner, &trips) || trips > INT64_MAX)
            return fail_at(b, NULL, node->decl, PLUSS_ERANGE,
                           "the collapsed loops can have more iterations than 63 bits count");
    }
    return PLUSS_OK;
}

static pluss_status bind_loop(plussi_binder *b, const plussi_scope *scope, plussi_bnode *node)
{
    const plussi_node *decl = node->decl;
    plussi_bloop *loop = &node->u.loop;
    loop->slot = scope->depth + 1;
    loop->step = decl->u.loop.step;
    loop->workshare = decl->u.loop.workshare;
    loop->nowait = decl->u.loop.nowait;
    loop->collapse = decl->u.loop.collapse > 1 ? decl->u.loop.collapse : 1;
    b->bound->loop[decl->id] = node;
    if (loop->slot >= PLUSSI_MAX_SLOTS)
        return fail_at(b, NULL, decl, PLUSS_ELIMIT, "too many loops around each other");
    if (loop->step == 0 || loop->step == INT64_MIN)
        return fail_at(b, NULL, decl, PLUSS_ERANGE, "the loop's step is out of range");
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
    status = bind_children(b, &inside, node, &decl->body, &node->body, &node->n_body);
    if (!status && loop->workshare && loop->collapse > 1)
        status = check_collapse(b, node, trips, loop->collapse);
    return status;
}

/* ---- references --------------------------------------------------------------------------------
 */

static pluss_status bind_offset(plussi_binder *b, const plussi_scope *scope,
                                const plussi_node *decl, plussi_bref *ref)
{
    plussi_fold fold = {&b->bound->arena, scope->dead ? NULL : scope->box};
    const plussi_bx *sum, *term;
    pluss_status status = plussi_fold_const(&fold, decl->u.ref.offset, &sum);
    for (uint32_t d = 0; d < ref->array->rank && !status; d++) {
        status = plussi_fold_scale(&fold, ref->array->stride[d], ref->sub[d], &term);
        if (!status)
            status = plussi_fold_add(&fold, sum, term, &sum);
    }
    if (status == PLUSS_ERANGE ||
        (!status && plussi_scope_knows(scope, sum) && !plussi_bx_safe(sum, scope->box)))
        return fail_at(b, NULL, decl, PLUSS_ERANGE, "the byte offset can overflow 64 bits");
    ref->offset = sum;
    return status;
}

/* Widens what the references of the array can touch, and of those that it lies over. */
static pluss_status note_range(plussi_binder *b, const plussi_scope *scope, const plussi_node *decl,
                               const plussi_bref *ref)
{
    if (!plussi_scope_knows(scope, ref->offset))
        return PLUSS_OK;
    plussi_interval r = plussi_scope_range(scope, ref->offset);
    if (plussi_interval_empty(r)) /* guards that exclude each other */
        return PLUSS_OK;
    if (plussi_add_over(r.hi, (int64_t)ref->width, &r.hi))
        return fail_at(b, NULL, decl, PLUSS_ERANGE, "the byte offset can overflow 64 bits");
    plussi_barray *array = &b->bound->array[ref->array->id];
    bool first = array->lo_byte >= array->hi_byte;
    array->lo_byte = first ? r.lo : plussi_min64(array->lo_byte, r.lo);
    array->hi_byte = first ? r.hi : plussi_max64(array->hi_byte, r.hi);
    return PLUSS_OK;
}

static void warn_outside(plussi_binder *b, const plussi_scope *scope, const plussi_node *decl,
                         const plussi_bref *ref)
{
    for (uint32_t d = 0; d < ref->array->rank; d++) {
        int64_t extent = ref->array->extent[d];
        if (extent < 0 || !plussi_scope_knows(scope, ref->sub[d]))
            continue;
        plussi_interval r = plussi_scope_range(scope, ref->sub[d]);
        if (plussi_interval_empty(r) || (r.lo >= 0 && r.hi < extent))
            continue;
        plussi_loc loc = plussi_bind_place(b, NULL, decl);
        plussi_report(b->ctx, PLUSSI_WARNING, PLUSS_OK, &loc,
                      "subscript %u of '%s' can be %lld to %lld, its extent is %lld", d + 1,
                      ref->array->decl->name, (long long)r.lo, (long long)r.hi, (long long)extent);
        return;
    }
}

static pluss_status bind_ref(plussi_binder *b, const plussi_scope *scope, plussi_bnode *node)
{
    const plussi_node *decl = node->decl;
    plussi_bref *ref = &node->u.ref;
    ref->array = &b->bound->array[decl->u.ref.array->id];
    ref->write = decl->u.ref.write;
    ref->atomic = decl->u.ref.atomic;
    ref->width = decl->u.ref.width;
    b->bound->ref[decl->id] = node;
    int64_t offset = decl->u.ref.offset;
    if (ref->width == 0 && offset >= 0 && (uint64_t)offset < ref->array->elem_bytes)
        ref->width = ref->array->elem_bytes - (uint64_t)offset;
    if (offset < 0 || ref->width == 0 || ref->width > INT32_MAX || offset > INT32_MAX)
        return fail_at(b, NULL, decl, PLUSS_ERANGE, "the bytes accessed are out of range");
    ref->sub = plussi_arena_alloc(&b->bound->arena, ref->array->rank + 1, sizeof *ref->sub);
    if (!ref->sub)
        return PLUSS_ENOMEM;
    for (uint32_t d = 0; d < ref->array->rank; d++) {
        pluss_status status = plussi_bind_expr(b, scope, decl->u.ref.subs[d], decl, &ref->sub[d]);
        if (status)
            return status;
    }
    pluss_status status = bind_offset(b, scope, decl, ref);
    if (!status)
        status = note_range(b, scope, decl, ref);
    if (!status)
        warn_outside(b, scope, decl, ref);
    return status;
}

/* ---- parallel regions --------------------------------------------------------------------------
 */

static pluss_status bind_team(plussi_binder *b, const plussi_scope *scope, plussi_bnode *node)
{
    const plussi_node *decl = node->decl;
    const plussi_expr *count = decl->u.parallel.num_threads, *cond = decl->u.parallel.cond;
    pluss_status status = PLUSS_OK;
    if (count)
        status = bind_positive(b, scope, count, decl, "num_threads is less than 1",
                               &node->u.parallel.num_threads);
    if (!status && cond)
        status = plussi_bind_expr(b, scope, cond, decl, &node->u.parallel.cond);
    if (status || !count || node->u.parallel.nested || scope->dead)
        return status;
    if (!plussi_scope_knows(scope, node->u.parallel.num_threads))
        return fail_at(b, count, decl, PLUSS_EUNSUPPORTED, "num_threads cannot be known");
    int64_t most = plussi_scope_range(scope, node->u.parallel.num_threads).hi;
    if (most > PLUSSI_MAX_TEAM)
        return fail_at(b, count, decl, PLUSS_ELIMIT, "the team has more than 65536 threads");
    if (most > b->bound->max_team)
        b->bound->max_team = (uint32_t)most;
    return PLUSS_OK;
}

/* $team inside: cond ? max(num_threads, 1) : 1 */
static pluss_status team_inside(plussi_binder *b, plussi_scope *inside, const plussi_bnode *node)
{
    plussi_fold fold = {&b->bound->arena, inside->dead ? NULL : inside->box};
    const plussi_bx *one, *team;
    pluss_status status = plussi_fold_const(&fold, 1, &one);
    if (!status)
        status = plussi_fold_const(&fold, b->bound->team, &team);
    if (!status && node->u.parallel.num_threads)
        status =
            plussi_fold_extreme(&fold, PLUSSI_BX_MAX, node->u.parallel.num_threads, one, &team);
    if (!status && node->u.parallel.cond)
        status = plussi_fold_select(&fold, node->u.parallel.cond, team, one, &team);
    if (status)
        return status;
    inside->team = node->u.parallel.nested ? one : team;
    int64_t most = 1;
    if (!node->u.parallel.nested) {
        most = plussi_bx_range(inside->team, inside->box).hi;
        most = inside->dead || most > PLUSSI_MAX_TEAM ? PLUSSI_MAX_TEAM : most;
        inside->box[0] = (plussi_interval){0, most - 1};
    }
    return PLUSS_OK;
}

static pluss_status bind_parallel(plussi_binder *b, const plussi_scope *scope, plussi_bnode *node)
{
    node->u.parallel.nested = scope->parallel;
    pluss_status status = bind_team(b, scope, node);
    if (status)
        return status;
    plussi_scope inside = *scope;
    inside.parallel = true;
    inside.nested = scope->parallel;
    status = team_inside(b, &inside, node);
    if (status)
        return status;
    return bind_children(b, &inside, node, &node->decl->body, &node->body, &node->n_body);
}

uint32_t plussi_bparallel_team(const plussi_bound *bound, const plussi_bnode *parallel,
                               const int64_t *iv)
{
    bool fault = false;
    if (parallel->u.parallel.nested ||
        (parallel->u.parallel.cond && !plussi_bx_eval(parallel->u.parallel.cond, iv, &fault)))
        return 1;
    if (!parallel->u.parallel.num_threads)
        return bound->team;
    int64_t team = plussi_bx_eval(parallel->u.parallel.num_threads, iv, &fault);
    return team < 1 ? 1 : team > bound->max_team ? bound->max_team : (uint32_t)team;
}

/* ---- the other nodes ---------------------------------------------------------------------------
 */

static pluss_status bind_choice(plussi_binder *b, const plussi_scope *scope, plussi_bnode *node)
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
    } else {
        node->u.branch.probability = decl->u.branch.probability;
        node->id = b->bound->n_branches++;
        b->bound->has_branch = true;
    }
    if (!status)
        status = bind_children(b, &taken, node, &decl->body, &node->body, &node->n_body);
    if (!status)
        status = bind_children(b, &other, node, &decl->orelse, &node->orelse, &node->n_orelse);
    return status;
}

static bool same_size(const plussi_barray *a, const plussi_barray *b)
{
    if (a->rank != b->rank || a->elem_bytes != b->elem_bytes || a->is_private != b->is_private)
        return false;
    for (uint32_t d = 0; d < a->rank; d++)
        if (a->extent[d] != b->extent[d] && a->extent[d] >= 0 && b->extent[d] >= 0)
            return false;
    return true;
}

static pluss_status bind_swap(plussi_binder *b, const plussi_scope *scope, plussi_bnode *node)
{
    const plussi_node *decl = node->decl;
    node->u.swap.a = decl->u.swap.a->id;
    node->u.swap.b = decl->u.swap.b->id;
    b->bound->has_swap = true;
    const plussi_barray *x = &b->bound->array[node->u.swap.a];
    const plussi_barray *y = &b->bound->array[node->u.swap.b];
    if (scope->parallel)
        return fail_at(b, NULL, decl, PLUSS_EINVALID, "swap inside of a parallel region");
    if (!same_size(x, y))
        return fail_at(b, NULL, decl, PLUSS_EINVALID, "swap of arrays that differ in size");
    if (x->over || y->over)
        return fail_at(b, NULL, decl, PLUSS_EUNSUPPORTED,
                       "swap of an array that lies over another");
    if (x->values || y->values)
        return fail_at(b, NULL, decl, PLUSS_EUNSUPPORTED, "swap of an array with given contents");
    return PLUSS_OK;
}

void plussi_bound_swap(const plussi_bound *bound, const plussi_bnode *swap, int64_t *base)
{
    uint32_t a = swap->u.swap.a, b = swap->u.swap.b;
    int64_t old = base[a];
    base[a] = base[b];
    base[b] = old;
    for (uint32_t id = 0; id < bound->n_arrays; id++)
        if (bound->array[id].over)
            base[id] = base[bound->array[id].over->id] + bound->array[id].over_bytes;
}

/* ---- the tree ----------------------------------------------------------------------------------
 */

static pluss_status bind_node(plussi_binder *b, const plussi_scope *scope, plussi_bnode *node)
{
    const plussi_node *decl = node->decl;
    switch (node->kind) {
    case PLUSSI_N_LOOP:
        return bind_loop(b, scope, node);
    case PLUSSI_N_PARALLEL:
        return bind_parallel(b, scope, node);
    case PLUSSI_N_REF:
        return bind_ref(b, scope, node);
    case PLUSSI_N_IF:
    case PLUSSI_N_BRANCH:
        return bind_choice(b, scope, node);
    case PLUSSI_N_SWAP:
        return bind_swap(b, scope, node);
    case PLUSSI_N_SINGLE:
        node->u.single.nowait = decl->u.single.nowait;
        return bind_children(b, scope, node, &decl->body, &node->body, &node->n_body);
    case PLUSSI_N_MASTER:
        return bind_children(b, scope, node, &decl->body, &node->body, &node->n_body);
    case PLUSSI_N_UNKNOWN:
        b->bound->has_unknown = true;
        return PLUSS_OK;
    default:
        return PLUSS_OK;
    }
}

static bool always_taken(const plussi_bnode *node)
{
    return node->kind == PLUSSI_N_IF && node->n_orelse == 0 &&
           plussi_bx_is_const(node->u.branch.cond) && node->u.branch.cond->c != 0;
}

static pluss_status push(plussi_binder *b, body_list *list, const plussi_bnode *node)
{
    pluss_status status =
        plussi_grow(&b->ctx->mem, &list->node, &list->cap, list->n, sizeof *list->node);
    if (!status)
        list->node[list->n++] = node;
    return status;
}

/* Appends to the list, which the caller frees. */
static pluss_status bind_body(plussi_binder *b, const plussi_scope *scope,
                              const plussi_bnode *parent, const plussi_body *body, body_list *list)
{
    pluss_status status = PLUSS_OK;
    for (const plussi_node *decl = body->first; decl && !status; decl = decl->next) {
        if (decl->kind == PLUSSI_N_OPS)
            continue;
        if (decl->kind == PLUSSI_N_CRITICAL || decl->kind == PLUSSI_N_ORDERED) {
            status = bind_body(b, scope, parent, &decl->body, list);
            continue;
        }
        plussi_bnode *node = plussi_arena_alloc(&b->bound->arena, 1, sizeof *node);
        if (!node)
            return PLUSS_ENOMEM;
        *node = (plussi_bnode){.kind = decl->kind, .decl = decl, .id = decl->id, .parent = parent};
        node->depth = scope->depth;
        status = bind_node(b, scope, node);
        if (!status && always_taken(node)) {
            for (uint32_t i = 0; i < node->n_body && !status; i++) {
                ((plussi_bnode *)node->body[i])->parent = parent;
                status = push(b, list, node->body[i]);
            }
        } else if (!status) {
            status = push(b, list, node);
        }
    }
    return status;
}

static pluss_status bind_region(plussi_binder *b, const plussi_region *decl, plussi_bregion *region)
{
    b->region = decl;
    *region = (plussi_bregion){.decl = decl, .repeat = 1};
    pluss_status status = PLUSS_OK;
    if (decl->repeat)
        status = plussi_bind_constant(b, decl->repeat, &decl->text_loc, &region->repeat);
    if (!status && region->repeat < 0)
        return plussi_fail(b->ctx, PLUSS_ERANGE, &decl->text_loc,
                           "region '%s' is repeated a negative number of times", decl->name);
    if (status)
        return status;
    const plussi_bx *one;
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
    return settle(b, &list, &region->body, &region->n_body);
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
