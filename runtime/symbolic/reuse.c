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

/* The lines of one array between the previous touch and the access. */
typedef struct sections {
    uint32_t n;
    isl_map **of; /* n: by array; NULL: none */
} sections;

/* Adds the lines that a reference touches after the previous touches and before the accesses, both
 * places in time by the access's iteration. */
static void add_section(sections *s, const plussi_polyhedral *p, uint32_t ref,
                        const isl_map *previous, const isl_map *access)
{
    isl_set *executed = isl_map_domain(isl_map_copy(p->ref[ref].access));
    isl_map *order = isl_map_intersect_domain(isl_map_copy(p->ref[ref].order), executed);
    isl_map *window = isl_map_lex_lt_map(isl_map_copy((isl_map *)previous), isl_map_copy(order));
    isl_map *before = isl_map_lex_gt_map(isl_map_copy((isl_map *)access), order);
    window = isl_map_coalesce(isl_map_intersect(window, before));
    if (isl_map_is_empty(window) == isl_bool_true) {
        isl_map_free(window);
        return;
    }
    const uint32_t array = number_in(isl_map_get_tuple_name(p->ref[ref].access, isl_dim_out));
    isl_map *lines = isl_map_apply_range(window, isl_map_copy(p->ref[ref].access));
    lines = isl_map_coalesce(isl_map_compute_divs(lines));
    s->of[array] = s->of[array] ? isl_map_coalesce(isl_map_union(s->of[array], lines)) : lines;
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
    isl_map *previous =
        isl_map_apply_range(isl_map_copy((isl_map *)touch), isl_map_copy(p->ref[s->source].order));
    isl_map *access = isl_map_intersect_domain(isl_map_copy(p->ref[s->sink].order),
                                               isl_map_domain(isl_map_copy((isl_map *)touch)));
    for (uint32_t i = 0; i < p->n_refs; i++)
        add_section(lines, p, i, previous, access);
    isl_map_free(previous);
    isl_map_free(access);
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
    sections lines = {.n = s->p->n_arrays, .of = calloc(s->p->n_arrays + 1, sizeof *lines.of)};
    isl_stat status = isl_stat_error;
    if (lines.of) {
        isl_pw_qpolynomial *distance = distance_of(s, touch, &lines);
        status = isl_pw_qpolynomial_foreach_piece(distance, give_piece, s);
        isl_pw_qpolynomial_free(distance);
    }
    free(lines.of);
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
