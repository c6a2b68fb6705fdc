/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/arith.h"
#include "symbolic/evaluation.h"

/* ---- numbers ----------------------------------------------------------------------------------
 */

__int128 plussi_formula_row_value(const plussi_evaluation *e, const plussi_formula_row *row,
                                  uint32_t n)
{
    __int128 sum = row->constant;
    for (uint32_t v = 0; v < n; v++)
        if (row->coefficient[v])
            sum += (__int128)row->coefficient[v] * e->value[v];
    return sum;
}

bool plussi_formula_does_not_fit(plussi_evaluation *e)
{
    e->status = plussi_fail(e->ctx, PLUSS_ERANGE, NULL,
                            "a number of accesses of %s does not fit 64 bits", e->f->region->name);
    return false;
}

void plussi_formula_set_floors(plussi_evaluation *e, uint32_t level)
{
    const uint32_t first = plussi_formula_first_floor(e);
    for (uint32_t i = 0; i < e->class->n_floors; i++) {
        if (e->floor_level[i] != level)
            continue;
        const plussi_formula_floor *f = &e->class->floors[i];
        const __int128 x = plussi_formula_row_value(e, &f->row, first + i);
        __int128 q = x / f->over;
        q -= q * f->over > x;
        e->value[first + i] = plussi_saturate(q);
    }
}

/* Multiplies by the term's powers of the variables from `first` to before `end`. */
static bool multiply(const plussi_evaluation *e, const plussi_formula_term *t, uint32_t first,
                     uint32_t end, __int128 *product)
{
    for (uint32_t v = first; v < end; v++)
        for (uint8_t i = 0; i < t->power[v]; i++)
            if (plussi_mul_over(*product, (__int128)e->value[v], product))
                return false;
    return true;
}

/* The part of each term that is the same for all iterations. */
static bool set_factors(plussi_evaluation *e, const plussi_formula_poly *p, __int128 *factor)
{
    for (uint32_t i = 0; i < p->n; i++) {
        factor[i] = p->term[i].factor;
        if (!multiply(e, &p->term[i], 0, e->f->n_symbols, &factor[i]))
            return plussi_formula_does_not_fit(e);
    }
    return true;
}

bool plussi_formula_poly_value(plussi_evaluation *e, const plussi_formula_poly *p, __int128 *out)
{
    const __int128 *factor = p == &e->class->count ? e->count : e->distance;
    const uint32_t n = plussi_formula_variables(e);
    __int128 sum = 0;
    bool fits = true;
    for (uint32_t i = 0; i < p->n && fits; i++) {
        __int128 product = factor[i];
        fits = multiply(e, &p->term[i], e->f->n_symbols, n, &product) &&
               !plussi_add_over(sum, product, &sum);
    }
    *out = sum / p->denominator;
    if (!fits || *out > (__int128)UINT64_MAX || *out < -(__int128)UINT64_MAX)
        return plussi_formula_does_not_fit(e);
    if (*out * p->denominator != sum)
        e->status = plussi_fail(e->ctx, PLUSS_EINTERNAL, NULL, "a formula of %s is no integer",
                                e->f->region->name);
    return e->status == PLUSS_OK;
}

static bool add_count(plussi_evaluation *e, uint64_t *to, __int128 count)
{
    __int128 sum = *to + count;
    if (sum < 0 || sum > (__int128)UINT64_MAX)
        return plussi_formula_does_not_fit(e);
    *to = (uint64_t)sum;
    return true;
}

/* ---- a point
 * --------------------------------------------------------------------------------------
 */

static bool give(plussi_evaluation *e, __int128 distance, __int128 count)
{
    if (count == 0)
        return true;
    if (e->take) {
        if (count < 0 || distance < 0)
            e->status = PLUSS_EINTERNAL;
        else if (!e->take(e->user, (uint64_t)distance, (uint64_t)count))
            e->status = PLUSS_ENOMEM;
        return e->status == PLUSS_OK;
    }
    return distance <= e->lines || add_count(e, &e->misses->misses, count);
}

bool plussi_formula_count_point(plussi_evaluation *e)
{
    if (++e->points <= PLUSSI_FORMULA_POINTS)
        return true;
    e->status = plussi_fail(e->ctx, PLUSS_ELIMIT, NULL,
                            "distances of %s depend on too many iterations to be evaluated for "
                            "these values",
                            e->f->region->name);
    return false;
}

static bool at_point(plussi_evaluation *e)
{
    __int128 distance = 0, count;
    if (!plussi_formula_count_point(e) ||
        (e->class->distance.n && !plussi_formula_poly_value(e, &e->class->distance, &distance)))
        return false;
    return plussi_formula_poly_value(e, &e->class->count, &count) && give(e, distance, count);
}

/* ---- iterations
 * -----------------------------------------------------------------------------------
 */

static bool has_floor_of(const plussi_evaluation *e, const plussi_formula_row *row, uint32_t level)
{
    const uint32_t first = plussi_formula_first_floor(e);
    for (uint32_t i = 0; i < e->class->n_floors; i++)
        if (row->coefficient[first + i] && e->floor_level[i] >= level)
            return true;
    return false;
}

/* A guard that is linear in the iteration of its level narrows it. */
bool plussi_formula_is_bound(const plussi_evaluation *e, const plussi_formula_guard *g)
{
    return g->level > 0 && g->row.coefficient[plussi_formula_dim(e, g->level)] &&
           !has_floor_of(e, &g->row, g->level);
}

static bool holds(const plussi_evaluation *e, const plussi_formula_guard *g)
{
    const __int128 x = plussi_formula_row_value(e, &g->row, plussi_formula_variables(e));
    return g->equal ? x == 0 : x >= 0;
}

/* A guard that says `at_0 + slope * x` is at least 0, or is 0, narrows the range
 * of x. */
void plussi_formula_narrow(__int128 at_0, __int128 slope, bool equal, plussi_int_range *range)
{
    const int64_t rest = plussi_saturate(at_0), a = plussi_saturate(slope);
    if (a == 0) {
        if (rest < 0 || (equal && rest != 0))
            range->high = range->low - 1;
        return;
    }
    if (a > 0 || equal) { /* x >= -rest / a, rounded up */
        const int64_t low = a > 0 ? plussi_ceildiv(-rest, a) : plussi_ceildiv(rest, -a);
        range->low = low > range->low ? low : range->low;
    }
    if (a < 0 || equal) {
        const int64_t high = a < 0 ? plussi_floordiv(rest, -a) : plussi_floordiv(-rest, a);
        range->high = high < range->high ? high : range->high;
    }
}

static void narrow(const plussi_evaluation *e, const plussi_formula_guard *g,
                   plussi_int_range *range)
{
    const uint32_t v = plussi_formula_dim(e, g->level);
    const int64_t a = g->row.coefficient[v];
    const __int128 all = plussi_formula_row_value(e, &g->row, plussi_formula_variables(e));
    plussi_formula_narrow(all - (__int128)a * e->value[v], a, g->equal, range);
}

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

/* Every so many values of the level's iteration its floors are linear in it; 0: too many. */
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

/* Values `first + period * turn` of the last iteration, for the turns of a range: distances,
 * numbers of accesses and guards are polynomials in the turn. */
typedef struct progression {
    uint32_t level, count_degree, distance_degree;
    int64_t first, period;
} progression;

static void go_to(plussi_evaluation *e, const progression *p, int64_t turn)
{
    e->value[plussi_formula_dim(e, p->level)] = p->first + p->period * turn;
    plussi_formula_set_floors(e, p->level);
}

/* Whether misses of the last iteration's range follow from a few of its values: the distance is
 * linear or quadratic in it, and the number of accesses is a polynomial. */
static bool is_plain(const plussi_evaluation *e, uint32_t level, progression *out)
{
    const plussi_formula_class *c = e->class;
    if (e->take || level != c->n_dims)
        return false;
    *out = (progression){.level = level,
                         .count_degree = degree_of(e, &c->count, level),
                         .distance_degree = degree_of(e, &c->distance, level),
                         .period = period_of(e, level)};
    return out->period > 0 && out->distance_degree <= 2 &&
           out->count_degree <= PLUSSI_FORMULA_DEGREE;
}

bool plussi_formula_sum_values(__int128 *value, int degree, __int128 n, __int128 *out)
{
    __int128 sum = 0, choose = 1;
    for (int k = 1; k <= degree; k++)
        for (int i = degree; i >= k; i--)
            value[i] -= value[i - 1];
    for (int k = 0; k <= degree; k++) { /* C(n, k + 1) times the k-th difference */
        __int128 product;
        if (plussi_mul_over(choose, n - k, &choose))
            return false;
        choose /= k + 1;
        if (plussi_mul_over(choose, value[k], &product) || plussi_add_over(sum, product, &sum))
            return false;
    }
    *out = sum;
    return true;
}

/* Accesses of a range of turns. Outside of the range a number may be no integer. */
static bool sum_counts(plussi_evaluation *e, const progression *p, plussi_int_range range,
                       __int128 *out)
{
    __int128 difference[PLUSSI_FORMULA_DEGREE + 1];
    const __int128 n = (__int128)range.high - range.low + 1;
    const int degree = n <= p->count_degree ? (int)n - 1 : (int)p->count_degree;
    *out = 0;
    if (n <= 0)
        return true;
    for (int k = 0; k <= degree; k++) {
        go_to(e, p, range.low + k);
        if (!plussi_formula_poly_value(e, &e->class->count, &difference[k]))
            return false;
    }
    return plussi_formula_sum_values(difference, degree, n, out) ? true
                                                                 : plussi_formula_does_not_fit(e);
}

static bool is_far(plussi_evaluation *e, const progression *p, int64_t turn, bool *far)
{
    __int128 distance;
    go_to(e, p, turn);
    if (!plussi_formula_poly_value(e, &e->class->distance, &distance))
        return false;
    *far = distance > e->lines;
    return true;
}

/* Of turns in which the distance rises or falls, those whose accesses miss. */
static bool find_far(plussi_evaluation *e, const progression *p, plussi_int_range range,
                     plussi_int_range *out)
{
    bool first, last, here;
    *out = (plussi_int_range){range.low, range.low - 1};
    if (range.low > range.high)
        return true;
    if (!is_far(e, p, range.low, &first) || !is_far(e, p, range.high, &last))
        return false;
    if (first == last) {
        *out = first ? range : *out;
        return true;
    }
    int64_t like_first = range.low, like_last = range.high;
    while (like_last - like_first > 1) {
        const int64_t middle = like_first + (like_last - like_first) / 2;
        if (!is_far(e, p, middle, &here))
            return false;
        *(here == first ? &like_first : &like_last) = middle;
    }
    *out = first ? (plussi_int_range){range.low, like_first}
                 : (plussi_int_range){like_last, range.high};
    return true;
}

/* The last turn up to which a quadratic distance rises or falls. */
static bool find_bend(plussi_evaluation *e, const progression *p, plussi_int_range range,
                      int64_t *out)
{
    __int128 d[3];
    *out = range.high;
    if (range.high - range.low < 2)
        return true;
    for (int k = 0; k < 3; k++) {
        go_to(e, p, range.low + k);
        if (!plussi_formula_poly_value(e, &e->class->distance, &d[k]))
            return false;
    }
    const __int128 slope = d[1] - d[0], bend = d[2] - 2 * d[1] + d[0];
    /* slope + k bend is the k-th step: it changes its sign once at most */
    const __int128 steps = bend && (slope < 0) != (bend < 0) ? -slope / bend + 1 : 0;
    if (steps > 0 && steps < (__int128)range.high - range.low)
        *out = range.low + (int64_t)steps;
    return true;
}

static bool add_turns(plussi_evaluation *e, const progression *p, plussi_int_range range)
{
    int64_t bend = range.high;
    plussi_int_range far;
    __int128 missed, more;
    if (p->distance_degree == 2 && !find_bend(e, p, range, &bend))
        return false;
    if (!find_far(e, p, (plussi_int_range){range.low, bend}, &far) ||
        !sum_counts(e, p, far, &missed))
        return false;
    if (bend < range.high && (!find_far(e, p, (plussi_int_range){bend + 1, range.high}, &far) ||
                              !sum_counts(e, p, far, &more)))
        return false;
    return add_count(e, &e->misses->misses, missed) &&
           (bend == range.high || add_count(e, &e->misses->misses, more));
}

/* Guards that speak of the last iteration's floors. */
static void narrow_by_floors(plussi_evaluation *e, const progression *p, plussi_int_range *turns)
{
    for (uint32_t i = 0; i < e->n_guards; i++) {
        const plussi_formula_guard *g = &e->guards[i];
        const uint32_t n = plussi_formula_variables(e);
        if (g->level != p->level || plussi_formula_is_bound(e, g))
            continue;
        go_to(e, p, turns->low);
        const __int128 at_low = plussi_formula_row_value(e, &g->row, n);
        go_to(e, p, turns->low + 1);
        const __int128 slope = plussi_formula_row_value(e, &g->row, n) - at_low;
        plussi_formula_narrow(at_low - slope * turns->low, slope, g->equal, turns);
    }
}

/* The values of the range, those of each remainder by the period for themselves. */
static bool add_range(plussi_evaluation *e, progression *p, plussi_int_range range)
{
    for (int64_t r = 0; r < p->period && r <= range.high - range.low; r++) {
        p->first = range.low + r;
        plussi_int_range turns = {0, (range.high - p->first) / p->period};
        narrow_by_floors(e, p, &turns);
        if (turns.low <= turns.high && !add_turns(e, p, turns))
            return false;
    }
    return true;
}

static bool for_level(plussi_evaluation *e, uint32_t level);

bool plussi_formula_guards_hold(const plussi_evaluation *e, uint32_t level)
{
    for (uint32_t i = 0; i < e->n_guards; i++) {
        const plussi_formula_guard *g = &e->guards[i];
        if (g->level == level && (!plussi_formula_is_bound(e, g) || g->equal) && !holds(e, g))
            return false;
    }
    return true;
}

static bool for_values(plussi_evaluation *e, uint32_t level, plussi_int_range range)
{
    const uint32_t v = plussi_formula_dim(e, level);
    for (int64_t x = range.low; x <= range.high; x++) {
        e->value[v] = x;
        plussi_formula_set_floors(e, level);
        if (plussi_formula_guards_hold(e, level) && !for_level(e, level + 1))
            return false;
    }
    return true;
}

bool plussi_formula_find_range(plussi_evaluation *e, uint32_t level, plussi_int_range *out)
{
    *out = (plussi_int_range){INT64_MIN, INT64_MAX};
    e->value[plussi_formula_dim(e, level)] = 0;
    for (uint32_t i = 0; i < e->n_guards; i++)
        if (e->guards[i].level == level && plussi_formula_is_bound(e, &e->guards[i]))
            narrow(e, &e->guards[i], out);
    if (out->low > out->high || (out->low != INT64_MIN && out->high != INT64_MAX))
        return true;
    e->status = plussi_fail(e->ctx, PLUSS_EINTERNAL, NULL, "a formula of %s has no bounds",
                            e->f->region->name);
    return false;
}

/* All values of the iterations from this level on. */
static bool for_level(plussi_evaluation *e, uint32_t level)
{
    if (level > e->class->n_dims)
        return at_point(e);
    plussi_int_range range;
    if (!plussi_formula_find_range(e, level, &range))
        return false;
    if (range.low > range.high)
        return true;
    progression plain;
    return is_plain(e, level, &plain) ? add_range(e, &plain, range) : for_values(e, level, range);
}

/* ---- all classes
 * ------------------------------------------------------------------------------------
 */

static void find_floor_levels(plussi_evaluation *e)
{
    const plussi_formula_class *c = e->class;
    for (uint32_t i = 0; i < c->n_floors; i++) {
        uint32_t level = 0;
        for (uint32_t d = 1; d <= c->n_dims; d++)
            if (c->floors[i].row.coefficient[plussi_formula_dim(e, d)])
                level = d;
        for (uint32_t j = 0; j < i; j++)
            if (c->floors[i].row.coefficient[plussi_formula_first_floor(e) + j] &&
                e->floor_level[j] > level)
                level = e->floor_level[j];
        e->floor_level[i] = level;
    }
}

/* *holds: there are iterations, as far as the symbols tell. */
static bool begin_class(plussi_evaluation *e, const plussi_formula_class *class, bool *holds)
{
    e->class = class;
    e->guards = class->guards;
    e->n_guards = class->n_guards;
    find_floor_levels(e);
    plussi_formula_set_floors(e, 0);
    *holds = plussi_formula_guards_hold(e, 0);
    return set_factors(e, &class->count, e->count) && set_factors(e, &class->distance, e->distance);
}

static bool enumerate_class(plussi_evaluation *e, const plussi_formula_class *class)
{
    bool holds;
    return begin_class(e, class, &holds) && (!holds || for_level(e, 1));
}

static bool add_accesses(plussi_evaluation *e, const plussi_formula_class *class)
{
    bool holds;
    __int128 sum = 0;
    return begin_class(e, class, &holds) && (!holds || plussi_formula_sum_class(e, &sum)) &&
           add_count(e, &e->misses->accesses, sum);
}

/* Of the iterations at more than that many lines: all, none, those of one more guard, or, where
 * the distance is not linear in them, those that are found one after another. */
static bool add_misses(plussi_evaluation *e, const plussi_formula_class *class)
{
    bool holds;
    __int128 sum = 0;
    plussi_int_range distance;
    if (!begin_class(e, class, &holds))
        return false;
    if (!holds)
        return true;
    if (class->distance.n == 0)
        return plussi_formula_sum_class(e, &sum) && add_count(e, &e->misses->cold, sum) &&
               add_count(e, &e->misses->misses, sum);
    if (!plussi_formula_find_distances(e, &distance))
        return false;
    if (distance.low > distance.high || (uint64_t)plussi_max64(distance.high, 0) <= e->lines)
        return true;
    if (distance.low < 0 || (uint64_t)distance.low <= e->lines) {
        plussi_formula_guard *one_more = &e->narrowed[class->n_guards];
        if (!plussi_formula_guard_distance(e, one_more))
            return for_level(e, 1);
        memcpy(e->narrowed, class->guards, class->n_guards * sizeof *e->narrowed);
        e->guards = e->narrowed;
        e->n_guards++;
        if (one_more->level == 0 && !plussi_formula_guards_hold(e, 0))
            return true;
    }
    return plussi_formula_sum_class(e, &sum) && add_count(e, &e->misses->misses, sum);
}

static pluss_status check_values(plussi_ctx *ctx, const plussi_formula *f, const int64_t *values)
{
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        const plussi_formula_symbol *s = &f->symbol[i];
        if (values[i] < s->least)
            return plussi_fail(
                ctx, PLUSS_ERANGE, NULL, "the formulas of %s hold from %s = %lld on, not for %lld",
                f->region->name, s->symbol->name, (long long)s->least, (long long)values[i]);
        if (values[i] % s->unit)
            return plussi_fail(ctx, PLUSS_ERANGE, NULL,
                               "the formulas of %s hold for multiples of %lld of %s, not for %lld: "
                               "rows of arrays are whole lines",
                               f->region->name, (long long)s->unit, s->symbol->name,
                               (long long)values[i]);
    }
    return PLUSS_OK;
}

/* The most that any class has. */
typedef struct most {
    uint32_t floors, vars, terms, guards;
} most;

static void find_most(const plussi_formula_classes *classes, most *out)
{
    for (size_t i = 0; i < classes->n; i++) {
        const plussi_formula_class *c = &classes->class[i];
        const uint32_t vars = c->n_floors + c->n_dims,
                       terms = c->count.n > c->distance.n ? c->count.n : c->distance.n;
        out->floors = c->n_floors > out->floors ? c->n_floors : out->floors;
        out->vars = vars > out->vars ? vars : out->vars;
        out->terms = terms > out->terms ? terms : out->terms;
        out->guards = c->n_guards > out->guards ? c->n_guards : out->guards;
    }
}

static pluss_status evaluate(plussi_evaluation *e, const int64_t *values)
{
    const plussi_mem *mem = &e->ctx->mem;
    most n = {0};
    find_most(&e->f->classes, &n);
    find_most(&e->f->accesses, &n);
    e->status = check_values(e->ctx, e->f, values);
    if (e->status)
        return e->status;
    e->value = plussi_calloc(mem, e->f->n_symbols + n.vars + 1, sizeof *e->value);
    e->floor_level = plussi_calloc(mem, n.floors + 1, sizeof *e->floor_level);
    e->count = plussi_calloc(mem, n.terms + 1, sizeof *e->count);
    e->distance = plussi_calloc(mem, n.terms + 1, sizeof *e->distance);
    e->narrowed = plussi_calloc(mem, n.guards + 1, sizeof *e->narrowed);
    int64_t *row = plussi_calloc(mem, e->f->n_symbols + n.vars + 1, sizeof *row);
    if (!e->value || !e->floor_level || !e->count || !e->distance || !e->narrowed || !row)
        e->status = PLUSS_ENOMEM;
    for (uint32_t i = 0; i < e->f->n_symbols && !e->status; i++)
        e->value[i] = values[i] / e->f->symbol[i].unit;
    for (size_t i = 0; i < e->f->classes.n && !e->status; i++) {
        const plussi_formula_class *class = &e->f->classes.class[i];
        e->narrowed[class->n_guards].row.coefficient = row;
        (void)(e->misses ? add_misses(e, class) : enumerate_class(e, class));
    }
    for (size_t i = 0; i < e->f->accesses.n && e->misses && !e->status; i++)
        (void)add_accesses(e, &e->f->accesses.class[i]);
    plussi_free(mem, e->value);
    plussi_free(mem, e->floor_level);
    plussi_free(mem, e->count);
    plussi_free(mem, e->distance);
    plussi_free(mem, e->narrowed);
    plussi_free(mem, row);
    return e->status;
}

pluss_status plussi_formula_histogram(plussi_ctx *ctx, const plussi_formula *f,
                                      const int64_t *values, plussi_formula_take *take, void *user)
{
    plussi_evaluation e = {.ctx = ctx, .f = f, .take = take, .user = user};
    return evaluate(&e, values);
}

pluss_status plussi_formula_count_misses(plussi_ctx *ctx, const plussi_formula *f,
                                         const int64_t *values, uint64_t lines,
                                         plussi_formula_misses *out)
{
    plussi_formula_misses misses = {0};
    plussi_evaluation e = {.ctx = ctx, .f = f, .lines = lines, .misses = &misses};
    const pluss_status status = evaluate(&e, values);
    if (!status)
        *out = misses;
    return status;
}
