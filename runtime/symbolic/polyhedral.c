/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLUSS_WITHOUT_ISL

#include "symbolic/polyhedral.h"

#include <inttypes.h>
#include <isl/aff.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdio.h>

#include "symbolic/quasi_affine.h"

/* The place that the region's tree is at. */
typedef struct maker {
    plussi_ctx *ctx;
    const plussi_region *region;
    uint64_t line;
    plussi_polyhedral *p;
    plussi_affine_scope scope;
    const plussi_node *loops[PLUSSI_MAX_LOOPS + 1]; /* those around the place */
    int64_t
        before[PLUSSI_MAX_LOOPS + 2]; /* position in the body of each of them, and of the region */
    isl_pw_aff *turn[PLUSSI_MAX_LOOPS + 1]; /* their iterations, in order */
    uint32_t depth, most; /* loops around the place, and around the deepest one at most */
} maker;

static pluss_status refuse(maker *m, const plussi_node *node, const char *what)
{
    const plussi_loc *at = node->loc.line ? &node->loc : &node->text_loc;
    plussi_loc loc = *at;
    if (!loc.file)
        loc.file = m->region->loc.file;
    return plussi_fail(m->ctx, PLUSS_EUNSUPPORTED, &loc, "%s", what);
}

/* ---- symbols ----------------------------------------------------------------------------------
 */

static uint64_t lcm_of_powers(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The dimension along which elements are neighbours. */
static uint32_t contiguous(const plussi_array *array)
{
    return array->column_order ? 0 : array->rank - 1;
}

static void find_units(maker *m, const plussi_nest *nest)
{
    for (const plussi_array *a = nest->first_array; a; a = a->next) {
        if (a->rank < 2 || a->elem_bytes >= m->line)
            continue;
        const plussi_expr *extent = a->extents[contiguous(a)];
        for (uint32_t i = 0; extent && i < m->p->n_symbols; i++)
            if (extent->kind == PLUSSI_E_SYMBOL && extent->symbol == m->p->symbol[i].symbol)
                m->p->symbol[i].unit =
                    (int64_t)lcm_of_powers((uint64_t)m->p->symbol[i].unit, m->line / a->elem_bytes);
    }
}

static isl_set *context_of(const plussi_polyhedral *p, isl_set *all)
{
    for (uint32_t i = 0; i < p->n_symbols; i++)
        all = isl_set_lower_bound_si(all, isl_dim_param, i,
                                     (int)plussi_least_parameter(p->symbol[i].unit));
    return all;
}

/* Symbols are parameters, iterations of the loops around a place are dimensions. */
static pluss_status set_space(maker *m, const plussi_nest *nest)
{
    plussi_polyhedral *p = m->p;
    p->symbol = plussi_arena_alloc(&p->arena, nest->n_symbols + 1, sizeof *p->symbol);
    if (!p->symbol)
        return PLUSS_ENOMEM;
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next)
        if (!s->value && (!s->region || s->region == m->region))
            p->symbol[p->n_symbols++] = (plussi_poly_symbol){s, 1};
    find_units(m, nest);
    isl_space *space = isl_space_set_alloc(p->isl, p->n_symbols, m->most);
    for (uint32_t i = 0; i < p->n_symbols; i++) {
        char name[24];
        snprintf(name, sizeof name, "p%" PRIu32, i);
        space = isl_space_set_dim_name(space, isl_dim_param, i, name);
    }
    m->scope.p = p;
    m->scope.space = space;
    m->scope.domain = isl_set_universe(isl_space_copy(space));
    p->context = context_of(p, isl_set_universe(isl_space_params(isl_space_copy(space))));
    return p->context ? PLUSS_OK : PLUSS_ENOMEM;
}

/* ---- references ---------------------------------------------------------------------------------
 */

/* The number of an array among those whose lines are told apart. */
static uint32_t number_of(plussi_polyhedral *p, const plussi_array *array)
{
    for (uint32_t i = 0; i < p->n_arrays; i++)
        if (p->arrays[i] == array)
            return i;
    p->arrays[p->n_arrays] = array;
    return p->n_arrays++;
}

static const char *fault_of_array(const maker *m, const plussi_array *array)
{
    if (array->over || array->alias)
        return "the array may share memory with others";
    if (array->strides)
        return "the array has strides of its own";
    if (array->base_kind != PLUSSI_BASE_FREE)
        return "the array has an address";
    if (m->line % array->elem_bytes != 0)
        return "an element is no power of two, or larger than a line";
    return NULL;
}

/* Whether a subscript stays in its dimension; where it does not, it means the next row. */
static bool is_in_range(const maker *m, isl_pw_aff *sub, isl_pw_aff *extent)
{
    isl_set *first = isl_pw_aff_nonneg_set(isl_pw_aff_copy(sub));
    isl_set *inside = extent ? isl_pw_aff_lt_set(isl_pw_aff_copy(sub), isl_pw_aff_copy(extent))
                             : isl_set_universe(isl_space_copy(m->scope.space));
    isl_set *executed =
        isl_set_intersect_params(isl_set_copy(m->scope.domain), isl_set_copy(m->p->context));
    inside = isl_set_intersect(first, inside);
    const isl_bool is = isl_set_is_subset(executed, inside);
    isl_set_free(inside);
    isl_set_free(executed);
    return is == isl_bool_true;
}

/* Rows are whole lines: so says the context from now on. false: no values of the symbols are left
 * that this holds for. */
static bool align_rows(maker *m, isl_pw_aff *extent, int64_t elements)
{
    isl_val *e = isl_val_int_from_si(m->p->isl, elements);
    isl_pw_aff *rest = isl_pw_aff_mod_val(isl_pw_aff_copy(extent), e);
    isl_set *whole = isl_set_params(isl_pw_aff_zero_set(rest));
    m->p->context = isl_set_coalesce(isl_set_intersect(m->p->context, whole));
    return isl_set_is_empty(m->p->context) != isl_bool_true;
}

/* Iterations to lines, over all dimensions of the scope. */
static pluss_status find_lines(maker *m, const plussi_node *ref, isl_map **out)
{
    const plussi_array *array = ref->u.ref.array;
    const int64_t each = (int64_t)(m->line / array->elem_bytes);
    isl_map *lines = isl_map_from_domain(isl_set_copy(m->scope.domain));
    pluss_status status = PLUSS_OK;
    for (uint32_t i = 0; i < array->rank && !status; i++) {
        isl_pw_aff *extent = NULL;
        isl_pw_aff *sub = plussi_affine_of(&m->scope, ref->u.ref.subs[i]);
        const uint32_t slowest = array->column_order ? array->rank - 1 : 0;
        if (i != slowest && array->extents[i])
            extent = plussi_affine_of(&m->scope, array->extents[i]);
        if (!sub || (i != slowest && !extent))
            status = refuse(m, ref, "a subscript or an extent is not quasi-affine");
        else if (array->rank > 1 && !is_in_range(m, sub, extent))
            status = refuse(m, ref, "a subscript may leave its dimension");
        if (!status && i == contiguous(array) && each > 1) {
            if (extent && !align_rows(m, extent, each))
                status = refuse(m, ref, "a row of the array is no whole number of lines");
            sub = isl_pw_aff_floor(
                isl_pw_aff_scale_down_val(sub, isl_val_int_from_si(m->p->isl, each)));
        }
        isl_pw_aff_free(extent);
        if (status)
            isl_pw_aff_free(sub);
        else
            lines = isl_map_flat_range_product(lines, isl_map_from_pw_aff(sub));
    }
    if (status) {
        isl_map_free(lines);
        return status;
    }
    char name[24];
    snprintf(name, sizeof name, "A%" PRIu32, number_of(m->p, array));
    *out = isl_map_set_tuple_name(lines, isl_dim_out, name);
    return PLUSS_OK;
}

/* The place in time of each iteration. */
static isl_map *find_order(const maker *m)
{
    isl_map *order = isl_map_from_domain(isl_set_copy(m->scope.domain));
    for (uint32_t i = 0; i <= m->most; i++) {
        isl_local_space *local = isl_local_space_from_space(isl_space_copy(m->scope.space));
        isl_val *at = isl_val_int_from_si(m->p->isl, i <= m->depth ? m->before[i] : 0);
        isl_pw_aff *position = isl_pw_aff_from_aff(isl_aff_val_on_domain(local, at));
        order = isl_map_flat_range_product(order, isl_map_from_pw_aff(position));
        if (i == m->most)
            break;
        isl_pw_aff *turn;
        if (i < m->depth) {
            turn = isl_pw_aff_copy(m->turn[i]);
        } else {
            local = isl_local_space_from_space(isl_space_copy(m->scope.space));
            turn = isl_pw_aff_from_aff(isl_aff_zero_on_domain(local));
        }
        order = isl_map_flat_range_product(order, isl_map_from_pw_aff(turn));
    }
    return order;
}

static uint32_t deepest(const plussi_region *region)
{
    uint32_t most = 0;
    for (plussi_node *n = plussi_nest_walk(&region->body, NULL); n;
         n = plussi_nest_walk(&region->body, n)) {
        uint32_t depth = 0;
        for (const plussi_node *up = n; up; up = up->parent)
            depth += up->kind == PLUSSI_N_LOOP;
        most = depth > most ? depth : most;
    }
    return most + 1; /* the region's repeat */
}

static pluss_status add_ref(maker *m, const plussi_node *node)
{
    const char *fault = fault_of_array(m, node->u.ref.array);
    if (fault)
        return refuse(m, node, fault);
    plussi_poly_ref *ref = &m->p->ref[m->p->n_refs];
    *ref = (plussi_poly_ref){.node = node, .depth = m->depth};
    ref->loops = plussi_arena_alloc(&m->p->arena, m->depth + 1, sizeof *ref->loops);
    if (!ref->loops)
        return PLUSS_ENOMEM;
    ref->position = plussi_arena_alloc(&m->p->arena, m->depth + 1, sizeof *ref->position);
    if (!ref->position)
        return PLUSS_ENOMEM;
    for (uint32_t i = 0; i < m->depth; i++)
        ref->loops[i] = m->loops[i];
    for (uint32_t i = 0; i <= m->depth; i++)
        ref->position[i] = m->before[i];
    isl_map *lines = NULL;
    const pluss_status status = find_lines(m, node, &lines);
    if (status)
        return status;
    char name[24];
    snprintf(name, sizeof name, "R%" PRIu32, m->p->n_refs++);
    const unsigned more = m->most - m->depth;
    lines = isl_map_project_out(lines, isl_dim_in, m->depth, more);
    ref->access = isl_map_set_tuple_name(
        isl_map_intersect_params(lines, isl_set_copy(m->p->context)), isl_dim_in, name);
    ref->access = isl_map_coalesce(ref->access);
    isl_map *order = find_order(m);
    order = isl_map_project_out(order, isl_dim_in, m->depth, more);
    ref->order = isl_map_set_tuple_name(order, isl_dim_in, name);
    return ref->access && ref->order ? PLUSS_OK : PLUSS_ENOMEM;
}

/* ---- the tree -----------------------------------------------------------------------------------
 */

static pluss_status add_body(maker *m, const plussi_body *body);

/* Goes into a loop of which the iterations, in order, are dimension m->depth. Takes all. */
static pluss_status in_loop(maker *m, const plussi_node *loop, isl_pw_aff *turn,
                            isl_set *iterations, const plussi_body *body)
{
    isl_set *outside = m->scope.domain;
    m->scope.domain = isl_set_intersect(isl_set_copy(outside), iterations);
    m->turn[m->depth] = turn;
    m->loops[m->depth++] = loop;
    m->before[m->depth] = 0;
    const pluss_status status = add_body(m, body);
    m->depth--;
    isl_pw_aff_free(turn);
    isl_set_free(m->scope.domain);
    m->scope.domain = outside;
    return status;
}

static isl_pw_aff *dimension(const maker *m)
{
    isl_local_space *local = isl_local_space_from_space(isl_space_copy(m->scope.space));
    return isl_pw_aff_var_on_domain(local, isl_dim_set, m->depth);
}

/* The dimension is the induction variable where the step is 1 or -1, else the number of the
 * iteration from 0 on. */
static pluss_status add_loop(maker *m, const plussi_node *node)
{
    const int64_t step = node->u.loop.step;
    isl_pw_aff *lo = plussi_affine_of(&m->scope, node->u.loop.lo);
    isl_pw_aff *hi = plussi_affine_of(&m->scope, node->u.loop.hi);
    if (!lo || !hi) {
        isl_pw_aff_free(lo);
        isl_pw_aff_free(hi);
        return refuse(m, node, "a loop's bounds are not quasi-affine");
    }
    isl_pw_aff *iv = dimension(m), *turn = dimension(m);
    isl_set *first;
    if (step == 1 || step == -1) {
        first = step > 0 ? isl_pw_aff_ge_set(isl_pw_aff_copy(iv), lo)
                         : isl_pw_aff_le_set(isl_pw_aff_copy(iv), lo);
        if (step < 0)
            turn = isl_pw_aff_neg(turn);
    } else {
        first = isl_pw_aff_nonneg_set(isl_pw_aff_copy(iv));
        iv = isl_pw_aff_add(lo, isl_pw_aff_scale_val(iv, isl_val_int_from_si(m->p->isl, step)));
    }
    isl_set *last = step > 0 ? isl_pw_aff_lt_set(isl_pw_aff_copy(iv), hi)
                             : isl_pw_aff_gt_set(isl_pw_aff_copy(iv), hi);
    m->scope.loop[m->scope.n_loops] = node;
    m->scope.iv[m->scope.n_loops++] = iv;
    const pluss_status status = in_loop(m, node, turn, isl_set_intersect(first, last), &node->body);
    isl_pw_aff_free(m->scope.iv[--m->scope.n_loops]);
    return status;
}

static pluss_status add_choice(maker *m, const plussi_node *node)
{
    isl_set *when = plussi_affine_condition(&m->scope, node->u.branch.cond);
    if (!when)
        return refuse(m, node, "a condition is not quasi-affine");
    isl_set *outside = m->scope.domain;
    m->scope.domain = isl_set_intersect(isl_set_copy(outside), isl_set_copy(when));
    pluss_status status = add_body(m, &node->body);
    isl_set_free(m->scope.domain);
    m->scope.domain = isl_set_subtract(isl_set_copy(outside), when);
    if (!status)
        status = add_body(m, &node->orelse);
    isl_set_free(m->scope.domain);
    m->scope.domain = outside;
    return status;
}

static pluss_status add_node(maker *m, const plussi_node *node)
{
    switch (node->kind) {
    case PLUSSI_N_LOOP:
        return add_loop(m, node);
    case PLUSSI_N_REF:
        return add_ref(m, node);
    case PLUSSI_N_IF:
        return add_choice(m, node);
    case PLUSSI_N_PARALLEL:
    case PLUSSI_N_SINGLE:
    case PLUSSI_N_MASTER:
    case PLUSSI_N_CRITICAL:
    case PLUSSI_N_ORDERED:
        return add_body(m, &node->body);
    case PLUSSI_N_BARRIER:
    case PLUSSI_N_OPS:
        return PLUSS_OK;
    case PLUSSI_N_BRANCH:
        return refuse(m, node, "only a run tells which way a branch goes");
    case PLUSSI_N_SWAP:
        return refuse(m, node, "two arrays exchange their memory");
    case PLUSSI_N_UNKNOWN:
        break;
    }
    return refuse(m, node, "the code at this place is not described");
}

static pluss_status add_body(maker *m, const plussi_body *body)
{
    pluss_status status = PLUSS_OK;
    for (const plussi_node *node = body->first; node && !status; node = node->next) {
        status = add_node(m, node);
        m->before[m->depth]++;
    }
    return status;
}

static pluss_status add_region(maker *m)
{
    if (!m->region->repeat)
        return add_body(m, &m->region->body);
    isl_pw_aff *times = plussi_affine_of(&m->scope, m->region->repeat);
    if (!times)
        return plussi_fail(m->ctx, PLUSS_EUNSUPPORTED, &m->region->text_loc,
                           "how often the region is repeated is not affine");
    isl_set *iterations = isl_set_intersect(isl_pw_aff_nonneg_set(dimension(m)),
                                            isl_pw_aff_lt_set(dimension(m), times));
    m->scope.loop[m->scope.n_loops] = NULL;
    m->scope.iv[m->scope.n_loops++] = dimension(m);
    const pluss_status status = in_loop(m, NULL, dimension(m), iterations, &m->region->body);
    isl_pw_aff_free(m->scope.iv[--m->scope.n_loops]);
    return status;
}

pluss_status plussi_polyhedral_new(plussi_ctx *ctx, const plussi_nest *nest,
                                   const plussi_region *region, uint64_t line,
                                   plussi_polyhedral **out)
{
    plussi_polyhedral *p = plussi_calloc(&ctx->mem, 1, sizeof *p);
    if (!p)
        return PLUSS_ENOMEM;
    plussi_arena_init(&p->arena, &ctx->mem);
    maker m = {.ctx = ctx, .region = region, .line = line, .p = p, .most = deepest(region)};
    pluss_status status = PLUSS_ENOMEM;
    p->isl = isl_ctx_alloc();
    p->ref = plussi_arena_alloc(&p->arena, nest->n_refs + 1, sizeof *p->ref);
    p->arrays = plussi_arena_alloc(&p->arena, nest->n_arrays + 1, sizeof *p->arrays);
    if (p->isl && p->ref && p->arrays) {
        isl_options_set_on_error(p->isl, ISL_ON_ERROR_CONTINUE);
        status = set_space(&m, nest);
        if (!status)
            status = add_region(&m);
        isl_set_free(m.scope.domain);
        isl_space_free(m.scope.space);
    }
    if (status)
        plussi_polyhedral_free(p);
    else
        *out = p;
    return status;
}

void plussi_polyhedral_free(plussi_polyhedral *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->n_refs; i++) {
        isl_map_free(p->ref[i].access);
        isl_map_free(p->ref[i].order);
    }
    isl_set_free(p->context);
    if (p->isl)
        isl_ctx_free(p->isl);
    const plussi_mem mem = p->arena.mem;
    plussi_arena_free(&p->arena);
    plussi_free(&mem, p);
}

#endif
