/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLUSS_WITHOUT_ISL

#include "symbolic/reuse.h"

#include <isl/flow.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_set.h>
#include <stdlib.h>

#include "symbolic/integer_points.h"

typedef struct search {
    const plussi_polyhedral *p;
    plussi_reuse_take *take;
    void *user;
    uint32_t sink, source;
    double done, pair; /* of all pairs of references: share of those before; of one */
} search;

/* The number in the name of a space of iterations or lines. */
static uint32_t number_in(const char *name)
{
    return name ? (uint32_t)strtoul(name + 1, NULL, 10) : UINT32_MAX;
}

/* ---- windows
 * --------------------------------------------------------------------------------------
 */

/* The executions of a reference between the previous touch and the access. Those of another
 * reference in the same body are the same iterations where it is at the same side of both. */
typedef struct window {
    const plussi_poly_ref *ref;
    int from_source, from_sink; /* -1: before it in the body, 1: after it; 0: the same place */
    isl_map *map;
} window;

/* What is between the previous touch and the access. */
typedef struct sections {
    uint32_t n;
    isl_map **of; /* n: lines, by array; NULL: none */
    window *window;
    uint32_t n_windows;
} sections;

static int64_t position_at(const plussi_poly_ref *ref, uint32_t level)
{
    return level <= ref->depth ? ref->position[level] : 0;
}

/* The parts of a place in time that do not decide which of three references' executions is first:
 * positions that are the same, loops that none of them is in, and the `common` outermost loops, of
 * which the iteration is the same. By bits. */
static uint64_t find_same(const plussi_poly_ref *const of[3], uint32_t common, uint32_t n)
{
    uint64_t same = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t level = i / 2;
        const bool none = level >= of[0]->depth && level >= of[1]->depth && level >= of[2]->depth;
        const bool alike = position_at(of[0], level) == position_at(of[1], level) &&
                           position_at(of[1], level) == position_at(of[2], level);
        if (i % 2 ? none || level < common : alike)
            same |= (uint64_t)1 << i;
    }
    return same;
}

/* The places in time without these parts. */
static isl_map *drop_parts(isl_map *order, uint64_t parts)
{
    for (isl_size i = isl_map_dim(order, isl_dim_out); i-- > 0;)
        if (parts >> i & 1)
            order = isl_map_project_out(order, isl_dim_out, (unsigned)i, 1);
    return order;
}

/* The reference's executions after the previous touches and before the accesses, by the access's
 * iteration. common: as in find_same. */
static isl_map *find_window(const search *s, const isl_map *touch, uint32_t common, uint32_t number)
{
    const plussi_poly_ref *source = &s->p->ref[s->source], *sink = &s->p->ref[s->sink];
    const plussi_poly_ref *ref = &s->p->ref[number];
    const uint32_t n = (uint32_t)isl_map_dim(ref->order, isl_dim_out);
    const uint64_t same = find_same((const plussi_poly_ref *[]){source, sink, ref}, common, n);
    isl_map *previous = isl_map_apply_range(isl_map_copy((isl_map *)touch),
                                            drop_parts(isl_map_copy(source->order), same));
    isl_map *access = isl_map_intersect_domain(drop_parts(isl_map_copy(sink->order), same),
                                               isl_map_domain(isl_map_copy((isl_map *)touch)));
    isl_map *order = isl_map_intersect_domain(drop_parts(isl_map_copy(ref->order), same),
                                              isl_map_domain(isl_map_copy(ref->access)));
    isl_map *after = isl_map_lex_lt_map(previous, isl_map_copy(order));
    for (uint32_t i = 0; i < common; i++)
        after = isl_map_equate(after, isl_dim_in, (int)i, isl_dim_out, (int)i);
    return isl_map_intersect(after, isl_map_lex_gt_map(access, order));
}

static int side_of(const plussi_poly_ref *ref, const plussi_poly_ref *of)
{
    const int64_t own = ref->position[ref->depth], other = position_at(of, ref->depth);
    return (own > other) - (own < other);
}

/* Of a condition, the body where it does not hold. */
static bool is_otherwise(const plussi_node *node)
{
    const plussi_node *n = node->parent ? node->parent->orelse.first : NULL;
    while (n && n != node)
        n = n->next;
    return n != NULL;
}

static bool are_in_one_body(const plussi_poly_ref *a, const plussi_poly_ref *b)
{
    bool are = a->node->parent == b->node->parent && a->depth == b->depth &&
               is_otherwise(a->node) == is_otherwise(b->node);
    for (uint32_t i = 0; i < a->depth && are; i++)
        are = a->loops[i] == b->loops[i] && a->position[i] == b->position[i];
    return are;
}

/* find_window, once for the references of a body that have the same. */
static isl_map *give_window(const search *s, const isl_map *touch, uint32_t common, uint32_t number,
                            sections *to)
{
    const plussi_poly_ref *ref = &s->p->ref[number];
    const window own = {.ref = ref,
                        .from_source = side_of(ref, &s->p->ref[s->source]),
                        .from_sink = side_of(ref, &s->p->ref[s->sink])};
    for (uint32_t i = 0; i < to->n_windows; i++) {
        const window *w = &to->window[i];
        if (w->from_source == own.from_source && w->from_sink == own.from_sink &&
            are_in_one_body(w->ref, ref))
            return isl_map_set_tuple_id(isl_map_copy(w->map), isl_dim_out,
                                        isl_map_get_tuple_id(ref->access, isl_dim_in));
    }
    window *w = &to->window[to->n_windows++];
    *w = own;
    w->map = find_window(s, touch, common, number);
    return isl_map_copy(w->map);
}

/* Adds the lines that a reference touches after the previous touches and before the accesses. */
static void add_section(const search *s, const isl_map *touch, uint32_t common, uint32_t ref,
                        sections *to)
{
    const plussi_polyhedral *p = s->p;
    isl_map *between = give_window(s, touch, common, ref, to);
    if (isl_map_is_empty(between) == isl_bool_true) {
        isl_map_free(between);
        return;
    }
    const uint32_t array = number_in(isl_map_get_tuple_name(p->ref[ref].access, isl_dim_out));
    isl_map *lines = isl_map_apply_range(between, isl_map_copy(p->ref[ref].access));
    lines = isl_map_coalesce(isl_map_compute_divs(lines));
    isl_map *before = to->of[array];
    to->of[array] = before ? isl_map_union(before, lines) : lines;
}

/* All previous touches are in the same iteration of loop number `loop` as their accesses are. */
static bool is_same_iteration(const isl_map *touch, uint32_t loop)
{
    isl_map *same = isl_map_universe(isl_map_get_space((isl_map *)touch));
    same = isl_map_equate(same, isl_dim_in, (int)loop, isl_dim_out, (int)loop);
    const bool is = isl_map_is_subset((isl_map *)touch, same) == isl_bool_true;
    isl_map_free(same);
    return is;
}

/* Levels of the tree down to which touches and accesses are in the same iterations of the same
 * loops: what is between them is in these, too. */
static uint32_t count_common(const search *s, const isl_map *touch)
{
    const plussi_poly_ref *source = &s->p->ref[s->source], *sink = &s->p->ref[s->sink];
    uint32_t n = 0;
    while (n < source->depth && n < sink->depth && source->position[n] == sink->position[n] &&
           is_same_iteration(touch, n))
        n++;
    return n;
}

/* Whether a reference's place in the tree is between those of the two, of which `common` levels are
 * the same. */
static bool is_between(const search *s, uint32_t common, const plussi_poly_ref *ref)
{
    const plussi_poly_ref *source = &s->p->ref[s->source], *sink = &s->p->ref[s->sink];
    for (uint32_t i = 0; i < common; i++)
        if (ref->depth < i || ref->position[i] != sink->position[i])
            return false;
    return ref->depth >= common && ref->position[common] >= source->position[common] &&
           ref->position[common] <= sink->position[common];
}

/* Distinct lines, by the access's iteration. Takes the map. */
static isl_pw_qpolynomial *count_lines(isl_map *lines)
{
    const unsigned keep = (unsigned)isl_map_dim(lines, isl_dim_in);
    isl_set *both = isl_set_flatten(isl_map_wrap(lines));
    return plussi_count_points(both, keep);
}

/* The distance of the accesses of these iterations, whose previous touches are given. Takes none.
 */
static isl_pw_qpolynomial *distance_of(const search *s, const isl_map *touch, sections *lines)
{
    const plussi_polyhedral *p = s->p;
    const uint32_t common = count_common(s, touch);
    for (uint32_t i = 0; i < p->n_refs; i++)
        if (is_between(s, common, &p->ref[i]))
            add_section(s, touch, common, i, lines);
    isl_space *space = isl_space_domain(isl_map_get_space((isl_map *)touch));
    space = isl_space_reset_tuple_id(space, isl_dim_set);
    isl_set *all = isl_set_reset_tuple_id(isl_map_domain(isl_map_copy((isl_map *)touch)));
    isl_pw_qpolynomial *sum = isl_pw_qpolynomial_alloc(all, isl_qpolynomial_one_on_domain(space));
    for (uint32_t i = 0; i < lines->n; i++) {
        if (!lines->of[i])
            continue;
        sum = isl_pw_qpolynomial_add(sum, count_lines(lines->of[i]));
        lines->of[i] = NULL;
    }
    return isl_pw_qpolynomial_coalesce(sum);
}

/* ---- classes
 * --------------------------------------------------------------------------------------
 */

static isl_stat give_piece(isl_set *on, isl_qpolynomial *distance, void *user)
{
    search *s = user;
    plussi_reuse_class class = {s->sink, s->source, on, distance, s->done};
    return s->take(&class, s->user);
}

static isl_stat add_touches(isl_basic_map *basic, void *user)
{
    search *s = user;
    isl_map *touch = isl_map_from_basic_map(basic);
    sections lines = {.n = s->p->n_arrays,
                      .of = calloc(s->p->n_arrays + 1, sizeof *lines.of),
                      .window = calloc(s->p->n_refs + 1, sizeof *lines.window)};
    isl_stat status = isl_stat_error;
    if (lines.of && lines.window) {
        isl_pw_qpolynomial *distance = distance_of(s, touch, &lines);
        status = isl_pw_qpolynomial_foreach_piece(distance, give_piece, s);
        isl_pw_qpolynomial_free(distance);
    }
    for (uint32_t i = 0; i < lines.n_windows; i++)
        isl_map_free(lines.window[i].map);
    free(lines.of);
    free(lines.window);
    isl_map_free(touch);
    return status;
}

/* Of one sink and one source. */
static isl_stat add_pair(isl_map *dependence, void *user)
{
    search *s = user;
    isl_map *touch = isl_map_reverse(dependence);
    s->sink = number_in(isl_map_get_tuple_name(touch, isl_dim_in));
    s->source = number_in(isl_map_get_tuple_name(touch, isl_dim_out));
    touch = isl_map_make_disjoint(isl_map_compute_divs(isl_map_coalesce(touch)));
    const isl_stat status = isl_map_foreach_basic_map(touch, add_touches, s);
    s->done += s->pair;
    isl_map_free(touch);
    return status;
}

static isl_stat add_cold(isl_map *access, void *user)
{
    search *s = user;
    plussi_reuse_class class = {.sink = number_in(isl_map_get_tuple_name(access, isl_dim_in)),
                                .source = UINT32_MAX,
                                .done = s->done};
    class.iterations = isl_set_reset_tuple_id(isl_map_domain(access));
    s->done += s->pair;
    return s->take(&class, s->user);
}

static isl_union_flow *flow_of(const plussi_polyhedral *p)
{
    isl_union_map *access = isl_union_map_empty(isl_set_get_space(p->context));
    isl_union_map *order = isl_union_map_copy(access);
    for (uint32_t i = 0; i < p->n_refs; i++) {
        access = isl_union_map_add_map(access, isl_map_copy(p->ref[i].access));
        order = isl_union_map_add_map(order, isl_map_copy(p->ref[i].order));
    }
    order = isl_union_map_intersect_domain(order, isl_union_map_domain(isl_union_map_copy(access)));
    isl_union_access_info *info = isl_union_access_info_from_sink(isl_union_map_copy(access));
    info = isl_union_access_info_set_must_source(info, access);
    info = isl_union_access_info_set_schedule_map(info, order);
    return isl_union_access_info_compute_flow(info);
}

isl_stat plussi_reuse_find(const plussi_polyhedral *p, plussi_reuse_take *take, void *user)
{
    search s = {.p = p, .take = take, .user = user};
    isl_union_flow *flow = flow_of(p);
    isl_union_map *cold = isl_union_flow_get_must_no_source(flow);
    isl_union_map *touches = isl_union_flow_get_must_dependence(flow);
    isl_union_flow_free(flow);
    s.pair = 1.0 / (1 + isl_union_map_n_map(cold) + isl_union_map_n_map(touches));
    isl_stat status = isl_union_map_foreach_map(cold, add_cold, &s);
    if (status == isl_stat_ok)
        status = isl_union_map_foreach_map(touches, add_pair, &s);
    isl_union_map_free(cold);
    isl_union_map_free(touches);
    return status;
}

#endif
