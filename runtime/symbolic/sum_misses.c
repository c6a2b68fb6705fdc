/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Misses of a class in a cache. What its guards allow is a box of iterations, cut until the bounds
 * of its distances say that all or none of its accesses miss: an iteration by the remainder of its
 * values, of which all floors are linear, these by halves, then value by value. Distances that are
 * linear or quadratic in the last iteration are not cut: they cross the cache's size at most twice.
 */
#include <string.h>

#include "base/arith.h"
#include "symbolic/evaluation.h"

enum { MOST_DIMS = 32, FEW_TURNS = 6 /* that are not bounded together */ };

typedef struct level_shape {
    uint32_t count_degree, distance_degree;
    int64_t period; /* of the iteration's values, so that its floors are linear; 0: too long */
} level_shape;

typedef struct search {
    plussi_evaluation *e;
    plussi_class_sums *sums;
    plussi_distances *distances;
    level_shape shape[MOST_DIMS + 1];
    /* the distance's terms: variables of term i from start[i] to before start[i + 1] */
    uint32_t *start, *variable;
} search;

/* ---- what iterations are in the formulas --------------------------------------------------------
 */

/* Whether the variable changes from value to value of the level's iteration: it is the iteration,
 * or one of its floors. */
static bool follows(const plussi_evaluation *e, uint32_t v, uint32_t level)
{
    return v == plussi_formula_dim(e, level) ||
           (v >= plussi_formula_first_floor(e) &&
            e->floor_level[v - plussi_formula_first_floor(e)] == level);
}

static uint32_t degree_of(const plussi_evaluation *e, const plussi_formula_poly *p, uint32_t level)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t degree = 0;
        for (uint32_t v = plussi_formula_dim(e, level); v < plussi_formula_variables(e); v++)
            degree += follows(e, v, level) ? p->term[i].power[v] : 0;
        most = degree > most ? degree : most;
    }
    return most;
}

static int64_t period_of(const plussi_evaluation *e, uint32_t level)
{
    const plussi_formula_class *c = e->class;
    int64_t period = 1;
    for (uint32_t i = 0; i < c->n_floors; i++) {
        bool nested = false;
        if (e->floor_level[i] != level)
            continue;
        for (uint32_t j = 0; j < i; j++)
            nested |= c->floors[i].row.coefficient[plussi_formula_first_floor(e) + j] &&
                      e->floor_level[j] == level;
        const int64_t over = c->floors[i].over;
        const int64_t gcd = nested ? 1 : (int64_t)plussi_gcd((uint64_t)period, (uint64_t)over);
        if (over > PLUSSI_FORMULA_PERIOD || period > PLUSSI_FORMULA_PERIOD / (over / gcd))
            return 0;
        period *= over / gcd;
    }
    return period;
}

static void find_shapes(search *s)
{
    plussi_evaluation *e = s->e;
    for (uint32_t l = 1; l <= e->class->n_dims; l++) {
        const int64_t closed = plussi_class_sums_period(s->sums, l);
        s->shape[l] = (level_shape){.count_degree = degree_of(e, &e->class->count, l),
                                    .distance_degree = degree_of(e, &e->class->distance, l),
                                    .period = closed ? closed : period_of(e, l)};
    }
}

/* ---- distances ----------------------------------------------------------------------------------
 */

static bool list_variables(search *s)
{
    plussi_evaluation *e = s->e;
    const plussi_formula_poly *p = &e->class->distance;
    const uint32_t first = e->f->n_symbols, n = plussi_formula_variables(e);
    size_t all = 0;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t v = first; v < n; v++)
            all += p->term[i].power[v];
    s->start = plussi_calloc(&e->ctx->mem, (size_t)p->n + 1, sizeof *s->start);
    s->variable = plussi_calloc(&e->ctx->mem, all + 1, sizeof *s->variable);
    if (!s->start || !s->variable) {
        e->status = PLUSS_ENOMEM;
        return false;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        for (uint32_t v = first; v < n; v++)
            for (uint8_t k = 0; k < p->term[i].power[v]; k++)
                s->variable[at++] = v;
        s->start[i + 1] = at;
    }
    return true;
}

/* plussi_formula_poly_value of the distance, in fewer steps where its products are small. */
static bool find_distance(search *s, __int128 *out)
{
    plussi_evaluation *e = s->e;
    const plussi_formula_poly *p = &e->class->distance;
    int64_t sum = 0;
    bool fits = true;
    for (uint32_t i = 0; i < p->n && fits; i++) {
        int64_t product = (int64_t)e->distance[i];
        fits = product == e->distance[i];
        for (uint32_t k = s->start[i]; k < s->start[i + 1] && fits; k++)
            fits = !__builtin_mul_overflow(product, e->value[s->variable[k]], &product);
        fits = fits && !__builtin_add_overflow(sum, product, &sum);
    }
    *out = sum / p->denominator;
    return (fits && sum % p->denominator == 0) || plussi_formula_poly_value(e, p, out);
}

/* ---- the last iteration -------------------------------------------------------------------------
 */

static void go_to(plussi_evaluation *e, const plussi_formula_box *box, int64_t turn)
{
    e->value[plussi_formula_dim(e, box->level)] = box->first + box->period * turn;
    plussi_formula_set_floors(e, box->level);
}

/* Accesses of a range of turns. Outside of the range a number may be no integer. */
static bool sum_counts(search *s, const plussi_formula_box *box, plussi_int_range range,
                       __int128 *out)
{
    plussi_evaluation *e = s->e;
    __int128 value[PLUSSI_FORMULA_DEGREE + 1];
    const int most = (int)s->shape[box->level].count_degree;
    const __int128 n = (__int128)range.high - range.low + 1;
    const int degree = n <= most ? (int)n - 1 : most;
    *out = 0;
    if (n <= 0)
        return true;
    for (int k = 0; k <= degree; k++) {
        go_to(e, box, range.low + k);
        if (!plussi_formula_poly_value(e, &e->class->count, &value[k]))
            return false;
    }
    return plussi_formula_sum_values(value, degree, n, out) ? true : plussi_formula_does_not_fit(e);
}

/* A distance that is quadratic in the number of turns since the first. */
typedef struct parabola {
    __int128 at_0, step, bend;
} parabola;

static bool is_far(const search *s, const parabola *d, int64_t turns)
{
    const __int128 n = turns;
    return d->at_0 + n * d->step + n * (n - 1) / 2 * d->bend > (__int128)s->e->lines;
}

static bool find_parabola(search *s, const plussi_formula_box *box, parabola *out)
{
    __int128 d[3] = {0};
    const int64_t more = box->turns.high - box->turns.low;
    for (int k = 0; k <= 2 && k <= more; k++) {
        go_to(s->e, box, box->turns.low + k);
        if (!find_distance(s, &d[k]))
            return false;
    }
    *out = (parabola){d[0], more >= 1 ? d[1] - d[0] : 0, more >= 2 ? d[2] - 2 * d[1] + d[0] : 0};
    return true;
}

/* Adds what misses in turns n.low to n.high after the first, in which the distance rises or falls.
 */
static bool add_slope(search *s, const plussi_formula_box *box, const parabola *d,
                      plussi_int_range n)
{
    __int128 missed;
    if (n.low > n.high)
        return true;
    const bool first = is_far(s, d, n.low), last = is_far(s, d, n.high);
    if (first != last) {
        int64_t like_first = n.low, like_last = n.high;
        while (like_last - like_first > 1) {
            const int64_t middle = like_first + (like_last - like_first) / 2;
            *(is_far(s, d, middle) == first ? &like_first : &like_last) = middle;
        }
        n = first ? (plussi_int_range){n.low, like_first} : (plussi_int_range){like_last, n.high};
    } else if (!first) {
        return true;
    }
    n.low += box->turns.low;
    n.high += box->turns.low;
    return sum_counts(s, box, n, &missed) &&
           plussi_formula_add_count(s->e, &s->e->misses->misses, missed);
}

static bool add_last(search *s, const plussi_formula_box *box)
{
    const int64_t more = box->turns.high - box->turns.low;
    int64_t bend = more;
    parabola d;
    if (!find_parabola(s, box, &d))
        return false;
    /* step + k bend is the k-th step: it changes its sign once at most */
    const __int128 steps = d.bend && (d.step < 0) != (d.bend < 0) ? -d.step / d.bend + 1 : 0;
    if (steps > 0 && steps < more)
        bend = (int64_t)steps;
    return add_slope(s, box, &d, (plussi_int_range){0, bend}) &&
           add_slope(s, box, &d, (plussi_int_range){bend + 1, more});
}

/* ---- boxes --------------------------------------------------------------------------------------
 */

static bool add_level(search *s, uint32_t level);

static bool add_point(search *s)
{
    plussi_evaluation *e = s->e;
    __int128 distance, count;
    return find_distance(s, &distance) &&
           (distance <= (__int128)e->lines ||
            (plussi_formula_poly_value(e, &e->class->count, &count) &&
             plussi_formula_add_count(e, &e->misses->misses, count)));
}

static bool add_turns(search *s, const plussi_formula_box *box)
{
    plussi_evaluation *e = s->e;
    for (int64_t t = box->turns.low; t <= box->turns.high; t++) {
        go_to(e, box, t);
        if (!plussi_formula_guards_hold(e, box->level))
            continue;
        if (box->level == e->class->n_dims ? !add_point(s) : !add_level(s, box->level + 1))
            return false;
    }
    return true;
}

static bool add_box(search *s, const plussi_formula_box *box)
{
    plussi_evaluation *e = s->e;
    const level_shape *shape = &s->shape[box->level];
    __int128 sum;
    if (box->turns.low > box->turns.high)
        return true;
    const plussi_int_range d = plussi_distances_of(s->distances, box);
    if (d.low > d.high || (uint64_t)plussi_max64(d.high, 0) <= e->lines)
        return true;
    if (d.low >= 0 && (uint64_t)d.low > e->lines)
        return plussi_class_sums_box(s->sums, box, &sum) &&
               plussi_formula_add_count(e, &e->misses->misses, sum);
    if (!plussi_formula_count_point(e))
        return false;
    if (box->level == e->class->n_dims && shape->period > 0 && shape->distance_degree <= 2 &&
        shape->count_degree <= PLUSSI_FORMULA_DEGREE)
        return add_last(s, box);
    if (box->turns.high - box->turns.low < FEW_TURNS)
        return add_turns(s, box);
    plussi_formula_box low = *box, high = *box;
    low.turns.high = box->turns.low + (box->turns.high - box->turns.low) / 2;
    high.turns.low = low.turns.high + 1;
    return add_box(s, &low) && add_box(s, &high);
}

/* Guards that speak of the iteration's floors. */
static void narrow_by_floors(plussi_evaluation *e, plussi_formula_box *box)
{
    const uint32_t n = plussi_formula_variables(e);
    for (uint32_t i = 0; i < e->n_guards; i++) {
        const plussi_formula_guard *g = &e->guards[i];
        if (g->level != box->level || plussi_formula_is_bound(e, g))
            continue;
        go_to(e, box, box->turns.low);
        const __int128 at_low = plussi_formula_row_value(e, &g->row, n);
        go_to(e, box, box->turns.low + 1);
        const __int128 slope = plussi_formula_row_value(e, &g->row, n) - at_low;
        plussi_formula_narrow(at_low - slope * box->turns.low, slope, g->equal, &box->turns);
    }
}

/* Sums what the box (NULL: all) has with one more guard, e->narrowed's last one, where that has a
 * closed form; *done: it has. */
static bool add_with_guard(plussi_evaluation *e, const plussi_formula_box *box, bool *done)
{
    const plussi_formula_guard *one_more = &e->narrowed[e->class->n_guards];
    __int128 sum = 0;
    *done = one_more->level == 0 &&
            plussi_formula_row_value(e, &one_more->row, plussi_formula_variables(e)) < 0;
    if (*done)
        return true;
    memcpy(e->narrowed, e->class->guards, e->class->n_guards * sizeof *e->narrowed);
    plussi_formula_set_guards(e, e->narrowed, e->class->n_guards + 1);
    plussi_class_sums *sums = plussi_class_sums_new(e);
    *done = sums && plussi_class_sums_period(sums, box ? box->level : 1) > 0;
    const bool fit = sums && (!*done || ((box ? plussi_class_sums_box(sums, box, &sum)
                                              : plussi_class_sums_all(sums, &sum)) &&
                                         plussi_formula_add_count(e, &e->misses->misses, sum)));
    plussi_class_sums_free(e, sums);
    plussi_formula_set_guards(e, e->class->guards, e->class->n_guards);
    return fit;
}

/* A remainder of the first iteration: distances may be linear in all others then. */
static bool add_first(search *s, const plussi_formula_box *box)
{
    plussi_evaluation *e = s->e;
    bool done = false;
    if (box->turns.low > box->turns.high)
        return true;
    const plussi_int_range d = plussi_distances_of(s->distances, box);
    const bool crosses = d.low <= d.high && (d.low < 0 || (uint64_t)d.low <= e->lines) &&
                         d.high > 0 && (uint64_t)d.high > e->lines;
    if (crosses && plussi_distances_guard(s->distances, box, &e->narrowed[e->class->n_guards]) &&
        !add_with_guard(e, box, &done))
        return false;
    return done || add_box(s, box);
}

/* All values of the iterations from this level on, those of each remainder for themselves. */
static bool add_level(search *s, uint32_t level)
{
    plussi_evaluation *e = s->e;
    plussi_int_range range;
    if (!plussi_formula_find_range(e, level, &range))
        return false;
    const int64_t period = s->shape[level].period;
    for (int64_t r = 0; (period == 0 || r < period) && r <= range.high - range.low; r++) {
        plussi_formula_box box = {.level = level,
                                  .first = range.low + r,
                                  .period = period ? period : 1,
                                  .turns = {0, period ? (range.high - range.low - r) / period : 0}};
        if (period)
            narrow_by_floors(e, &box);
        if (!(level == 1 && e->class->n_dims > 1 ? add_first(s, &box) : add_box(s, &box)))
            return false;
    }
    return true;
}

/* ---- classes ------------------------------------------------------------------------------------
 */

static bool add_by_boxes(plussi_evaluation *e)
{
    search s = {.e = e};
    bool fit = false;
    s.sums = plussi_class_sums_new(e);
    s.distances = s.sums ? plussi_distances_new(e) : NULL;
    if (s.distances && list_variables(&s)) {
        find_shapes(&s);
        fit = add_level(&s, 1);
    }
    plussi_class_sums_free(e, s.sums);
    plussi_distances_free(e, s.distances);
    plussi_free(&e->ctx->mem, s.start);
    plussi_free(&e->ctx->mem, s.variable);
    return fit;
}

static bool add_by_guard(plussi_evaluation *e, bool *done)
{
    *done = plussi_formula_guard_distance(e, &e->narrowed[e->class->n_guards]);
    return !*done || add_with_guard(e, NULL, done);
}

bool plussi_formula_add_misses(plussi_evaluation *e, const plussi_formula_class *class)
{
    bool holds, done;
    __int128 sum = 0;
    plussi_int_range distance;
    if (!plussi_formula_begin_class(e, class, &holds))
        return false;
    if (!holds)
        return true;
    if (class->distance.n == 0)
        return plussi_formula_sum_class(e, &sum) &&
               plussi_formula_add_count(e, &e->misses->cold, sum) &&
               plussi_formula_add_count(e, &e->misses->misses, sum);
    if (!plussi_formula_find_distances(e, &distance))
        return false;
    if (distance.low > distance.high || (uint64_t)plussi_max64(distance.high, 0) <= e->lines)
        return true;
    if (distance.low >= 0 && (uint64_t)distance.low > e->lines)
        return plussi_formula_sum_class(e, &sum) &&
               plussi_formula_add_count(e, &e->misses->misses, sum);
    return add_by_guard(e, &done) && (done || add_by_boxes(e));
}
