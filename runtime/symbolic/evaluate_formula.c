/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arith.h"
#include "symbolic/formula.h"

/* A class with values for its symbols, and for some of its iterations. */
typedef struct evaluation {
    plussi_ctx *ctx;
    const plussi_formula *f;
    const plussi_formula_class *class;
    int64_t *value;             /* of each variable */
    __int128 *count, *distance; /* factors of their terms, with the symbols in them */
    uint32_t *floor_level;      /* iterations that a floor speaks of: none after this many */
    pluss_status status;
    uint64_t points; /* that were enumerated */
    /* what is asked for: the histogram, or misses */
    plussi_formula_take *take;
    void *user;
    uint64_t lines;
    plussi_formula_misses *misses;
} evaluation;

static uint32_t dim_at(const evaluation *e, uint32_t level)
{
    return e->f->n_symbols + level - 1;
}

static uint32_t first_floor(const evaluation *e)
{
    return e->f->n_symbols + e->class->n_dims;
}

/* ---- numbers
 * --------------------------------------------------------------------------------------
 *
 * Coefficients have 32 bits at most, so that rows of a few dozen products fit 128.
 */

static __int128 value_of_row(const evaluation *e, const plussi_formula_row *row, uint32_t n)
{
    __int128 sum = row->constant;
    for (uint32_t v = 0; v < n; v++)
        if (row->coefficient[v])
            sum += (__int128)row->coefficient[v] * e->value[v];
    return sum;
}

static bool does_not_fit(evaluation *e)
{
    e->status = plussi_fail(e->ctx, PLUSS_ERANGE, NULL,
                            "a number of accesses of %s does not fit 64 bits", e->f->region->name);
    return false;
}

static void set_floors(evaluation *e, uint32_t level)
{
    const uint32_t first = first_floor(e);
    for (uint32_t i = 0; i < e->class->n_floors; i++) {
        if (e->floor_level[i] != level)
            continue;
        const plussi_formula_floor *f = &e->class->floors[i];
        const __int128 x = value_of_row(e, &f->row, first + i);
        __int128 q = x / f->over;
        q -= q * f->over > x;
        e->value[first + i] = plussi_saturate(q);
    }
}

/* Multiplies by the term's powers of the variables from `first` to before `end`. */
static bool multiply(const evaluation *e, const plussi_formula_term *t, uint32_t first,
                     uint32_t end, __int128 *product)
{
    for (uint32_t v = first; v < end; v++)
        for (uint8_t i = 0; i < t->power[v]; i++)
            if (plussi_mul_over(*product, (__int128)e->value[v], product))
                return false;
    return true;
}

/* The part of each term that is the same for all iterations. */
static bool set_factors(evaluation *e, const plussi_formula_poly *p, __int128 *factor)
{
    for (uint32_t i = 0; i < p->n; i++) {
        factor[i] = p->term[i].factor;
        if (!multiply(e, &p->term[i], 0, e->f->n_symbols, &factor[i]))
            return does_not_fit(e);
    }
    return true;
}

static bool value_of_poly(evaluation *e, const plussi_formula_poly *p, __int128 *out)
{
    const __int128 *factor = p == &e->class->count ? e->count : e->distance;
    const uint32_t n = first_floor(e) + e->class->n_floors;
    __int128 sum = 0;
    bool fits = true;
    for (uint32_t i = 0; i < p->n && fits; i++) {
        __int128 product = factor[i];
        fits = multiply(e, &p->term[i], e->f->n_symbols, n, &product) &&
               !plussi_add_over(sum, product, &sum);
    }
    *out = sum / p->denominator;
    if (!fits || *out > (__int128)UINT64_MAX || *out < -(__int128)UINT64_MAX)
        return does_not_fit(e);
    if (*out * p->denominator != sum)
        e->status = plussi_fail(e->ctx, PLUSS_EINTERNAL, NULL, "a formula of %s is no integer",
                                e->f->region->name);
    return e->status == PLUSS_OK;
}

static bool add_count(evaluation *e, uint64_t *to, __int128 count)
{
    __int128 sum = *to + count;
    if (sum < 0 || sum > (__int128)UINT64_MAX)
        return does_not_fit(e);
    *to = (uint64_t)sum;
    return true;
}

/* ---- a point
 * --------------------------------------------------------------------------------------
 */

static bool give(evaluation *e, __int128 distance, __int128 count)
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
    const bool cold = distance == 0;
    return add_count(e, &e->misses->accesses, count) &&
           (!cold || add_count(e, &e->misses->cold, count)) &&
           (!(cold || distance > e->lines) || add_count(e, &e->misses->misses, count));
}

enum { MOST_POINTS = 200000000 }; /* some seconds */

static bool at_point(evaluation *e)
{
    if (++e->points > MOST_POINTS) {
        e->status = plussi_fail(e->ctx, PLUSS_ELIMIT, NULL,
                                "distances of %s depend on too many iterations to be evaluated "
                                "for these values",
                                e->f->region->name);
        return false;
    }
    __int128 distance = 0, count;
    if (e->class->distance.n && !value_of_poly(e, &e->class->distance, &distance))
        return false;
    return value_of_poly(e, &e->class->count, &count) && give(e, distance, count);
}

/* ---- iterations
 * -----------------------------------------------------------------------------------
 */

typedef struct interval {
    int64_t low, high;
} interval;

static bool has_floor_of(const evaluation *e, const plussi_formula_row *row, uint32_t level)
{
    const uint32_t first = first_floor(e);
    for (uint32_t i = 0; i < e->class->n_floors; i++)
        if (row->coefficient[first + i] && e->floor_level[i] >= level)
            return true;
    return false;
}

/* A guard that is linear in the iteration of its level narrows it. */
static bool is_bound(const evaluation *e, const plussi_formula_guard *g)
{
    return g->level > 0 && g->row.coefficient[dim_at(e, g->level)] &&
           !has_floor_of(e, &g->row, g->level);
}

static bool holds(const evaluation *e, const plussi_formula_guard *g)
{
    const __int128 x = value_of_row(e, &g->row, first_floor(e) + e->class->n_floors);
    return g->equal ? x == 0 : x >= 0;
}

/* A guard that says `at_0 + slope * x` is at least 0, or is 0, narrows the range
 * of x. */
static void narrow_to(__int128 at_0, __int128 slope, bool equal, interval *range)
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

static void narrow(const evaluation *e, const plussi_formula_guard *g, interval *range)
{
    const uint32_t v = dim_at(e, g->level);
    const int64_t a = g->row.coefficient[v];
    const __int128 all = value_of_row(e, &g->row, first_floor(e) + e->class->n_floors);
    narrow_to(all - (__int128)a * e->value[v], a, g->equal, range);
}

enum {
    MAX_DEGREE = 4, /* of numbers of accesses that are summed without enumeration */
    MAX_PERIOD = 64 /* of the values of an iteration that its floors tell apart */
};

/* Whether the variable changes from value to value of the level's iteration: it is the iteration,
 * or one of its floors. */
static bool follows(const evaluation *e, uint32_t v, uint32_t level)
{
    return v == dim_at(e, level) ||
           (v >= first_floor(e) && e->floor_level[v - first_floor(e)] == level);
}

static uint32_t degree_of(const evaluation *e, const plussi_formula_poly *p, uint32_t level)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t degree = 0;
        for (uint32_t v = dim_at(e, level); v < first_floor(e) + e->class->n_floors; v++)
            degree += follows(e, v, level) ? p->term[i].power[v] : 0;
        most = degree > most ? degree : most;
    }
    return most;
}

/* Every so many values of the level's iteration its floors are linear in it; 0: too many. */
static int64_t period_of(const evaluation *e, uint32_t level)
{
    const plussi_formula_class *c = e->class;
    int64_t period = 1;
    for (uint32_t i = 0; i < c->n_floors; i++) {
        bool nested = false;
        if (e->floor_level[i] != level)
            continue;
        for (uint32_t j = 0; j < i; j++)
            nested |=
                c->floors[i].row.coefficient[first_floor(e) + j] && e->floor_level[j] == level;
        const int64_t over = c->floors[i].over;
        const int64_t gcd = nested ? 1 : (int64_t)plussi_gcd((uint64_t)period, (uint64_t)over);
        if (over > MAX_PERIOD || period > MAX_PERIOD / (over / gcd))
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

static void go_to(evaluation *e, const progression *p, int64_t turn)
{
    e->value[dim_at(e, p->level)] = p->first + p->period * turn;
    set_floors(e, p->level);
}

/* Whether misses of the last iteration's range follow from a few of its values: the distance is
 * linear or quadratic in it, and the number of accesses is a polynomial. */
static bool is_plain(const evaluation *e, uint32_t level, progression *out)
{
    const plussi_formula_class *c = e->class;
    if (e->take || level != c->n_dims)
        return false;
    *out = (progression){.level = level,
                         .count_degree = degree_of(e, &c->count, level),
                         .distance_degree = degree_of(e, &c->distance, level),
                         .period = period_of(e, level)};
    return out->period > 0 && out->distance_degree <= 2 && out->count_degree <= MAX_DEGREE;
}

/* Accesses of a range of turns: Newton's forward differences. Outside of the range a number may be
 * no integer. */
static bool sum_counts(evaluation *e, const progression *p, interval range, __int128 *out)
{
    __int128 difference[MAX_DEGREE + 1], sum = 0, choose = 1;
    const __int128 n = (__int128)range.high - range.low + 1;
    const int degree = n <= p->count_degree ? (int)n - 1 : (int)p->count_degree;
    *out = 0;
    if (n <= 0)
        return true;
    for (int k = 0; k <= degree; k++) {
        go_to(e, p, range.low + k);
        if (!value_of_poly(e, &e->class->count, &difference[k]))
            return false;
    }
    for (int k = 1; k <= degree; k++)
        for (int i = degree; i >= k; i--)
            difference[i] -= difference[i - 1];
    for (int k = 0; k <= degree; k++) { /* C(n, k + 1) times the k-th difference */
        __int128 product;
        if (plussi_mul_over(choose, n - k, &choose))
            return does_not_fit(e);
        choose /= k + 1;
        if (plussi_mul_over(choose, difference[k], &product) || plussi_add_over(sum, product, &sum))
            return does_not_fit(e);
    }
    *out = sum;
    return true;
}

static bool is_far(evaluation *e, const progression *p, int64_t turn, bool *far)
{
    __int128 distance;
    go_to(e, p, turn);
    if (!value_of_poly(e, &e->class->distance, &distance))
        return false;
    *far = distance > e->lines;
    return true;
}

/* Of turns in which the distance rises or falls, those whose accesses miss. */
static bool find_far(evaluation *e, const progression *p, interval range, interval *out)
{
    bool first, last, here;
    *out = (interval){range.low, range.low - 1};
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
    *out = first ? (interval){range.low, like_first} : (interval){like_last, range.high};
    return true;
}

/* The last turn up to which a quadratic distance rises or falls. */
static bool find_bend(evaluation *e, const progression *p, interval range, int64_t *out)
{
    __int128 d[3];
    *out = range.high;
    if (range.high - range.low < 2)
        return true;
    for (int k = 0; k < 3; k++) {
        go_to(e, p, range.low + k);
        if (!value_of_poly(e, &e->class->distance, &d[k]))
            return false;
    }
    const __int128 slope = d[1] - d[0], bend = d[2] - 2 * d[1] + d[0];
    /* slope + k bend is the k-th step: it changes its sign once at most */
    const __int128 steps = bend && (slope < 0) != (bend < 0) ? -slope / bend + 1 : 0;
    if (steps > 0 && steps < (__int128)range.high - range.low)
        *out = range.low + (int64_t)steps;
    return true;
}

static bool add_turns(evaluation *e, const progression *p, interval range)
{
    int64_t bend = range.high;
    interval far;
    __int128 all, missed, more;
    if (p->distance_degree == 2 && !find_bend(e, p, range, &bend))
        return false;
    if (!sum_counts(e, p, range, &all) || !find_far(e, p, (interval){range.low, bend}, &far) ||
        !sum_counts(e, p, far, &missed))
        return false;
    if (bend < range.high &&
        (!find_far(e, p, (interval){bend + 1, range.high}, &far) || !sum_counts(e, p, far, &more)))
        return false;
    return add_count(e, &e->misses->accesses, all) && add_count(e, &e->misses->misses, missed) &&
           (bend == range.high || add_count(e, &e->misses->misses, more));
}

/* Guards that speak of the last iteration's floors. */
static void narrow_by_floors(evaluation *e, const progression *p, interval *turns)
{
    for (uint32_t i = 0; i < e->class->n_guards; i++) {
        const plussi_formula_guard *g = &e->class->guards[i];
        const uint32_t n = first_floor(e) + e->class->n_floors;
        if (g->level != p->level || is_bound(e, g))
            continue;
        go_to(e, p, turns->low);
        const __int128 at_low = value_of_row(e, &g->row, n);
        go_to(e, p, turns->low + 1);
        const __int128 slope = value_of_row(e, &g->row, n) - at_low;
        narrow_to(at_low - slope * turns->low, slope, g->equal, turns);
    }
}

/* The values of the range, those of each remainder by the period for themselves. */
static bool add_range(evaluation *e, progression *p, interval range)
{
    for (int64_t r = 0; r < p->period && r <= range.high - range.low; r++) {
        p->first = range.low + r;
        interval turns = {0, (range.high - p->first) / p->period};
        narrow_by_floors(e, p, &turns);
        if (turns.low <= turns.high && !add_turns(e, p, turns))
            return false;
    }
    return true;
}

static bool for_level(evaluation *e, uint32_t level);

static bool guards_hold(const evaluation *e, uint32_t level)
{
    for (uint32_t i = 0; i < e->class->n_guards; i++) {
        const plussi_formula_guard *g = &e->class->guards[i];
        if (g->level == level && (!is_bound(e, g) || g->equal) && !holds(e, g))
            return false;
    }
    return true;
}

static bool for_values(evaluation *e, uint32_t level, interval range)
{
    const uint32_t v = dim_at(e, level);
    for (int64_t x = range.low; x <= range.high; x++) {
        e->value[v] = x;
        set_floors(e, level);
        if (guards_hold(e, level) && !for_level(e, level + 1))
            return false;
    }
    return true;
}

/* All values of the iterations from this level on. */
static bool for_level(evaluation *e, uint32_t level)
{
    if (level > e->class->n_dims)
        return at_point(e);
    interval range = {INT64_MIN, INT64_MAX};
    e->value[dim_at(e, level)] = 0;
    for (uint32_t i = 0; i < e->class->n_guards; i++)
        if (e->class->guards[i].level == level && is_bound(e, &e->class->guards[i]))
            narrow(e, &e->class->guards[i], &range);
    if (range.low > range.high)
        return true;
    if (range.low == INT64_MIN || range.high == INT64_MAX) {
        e->status = plussi_fail(e->ctx, PLUSS_EINTERNAL, NULL, "a formula of %s has no bounds",
                                e->f->region->name);
        return false;
    }
    progression plain;
    return is_plain(e, level, &plain) ? add_range(e, &plain, range) : for_values(e, level, range);
}

/* ---- all classes
 * ------------------------------------------------------------------------------------
 */

static void find_floor_levels(evaluation *e)
{
    const plussi_formula_class *c = e->class;
    for (uint32_t i = 0; i < c->n_floors; i++) {
        uint32_t level = 0;
        for (uint32_t d = 1; d <= c->n_dims; d++)
            if (c->floors[i].row.coefficient[dim_at(e, d)])
                level = d;
        for (uint32_t j = 0; j < i; j++)
            if (c->floors[i].row.coefficient[first_floor(e) + j] && e->floor_level[j] > level)
                level = e->floor_level[j];
        e->floor_level[i] = level;
    }
}

static bool evaluate_class(evaluation *e, const plussi_formula_class *class)
{
    e->class = class;
    find_floor_levels(e);
    set_floors(e, 0);
    if (!guards_hold(e, 0))
        return true;
    return set_factors(e, &class->count, e->count) &&
           set_factors(e, &class->distance, e->distance) && for_level(e, 1);
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

static pluss_status evaluate(evaluation *e, const int64_t *values)
{
    const plussi_mem *mem = &e->ctx->mem;
    uint32_t floors = 0, vars = 0, terms = 0;
    for (size_t i = 0; i < e->f->classes.n; i++) {
        const plussi_formula_class *c = &e->f->classes.class[i];
        floors = c->n_floors > floors ? c->n_floors : floors;
        vars = c->n_floors + c->n_dims > vars ? c->n_floors + c->n_dims : vars;
        terms = c->count.n > terms ? c->count.n : terms;
        terms = c->distance.n > terms ? c->distance.n : terms;
    }
    e->status = check_values(e->ctx, e->f, values);
    if (e->status)
        return e->status;
    e->value = plussi_calloc(mem, e->f->n_symbols + vars + 1, sizeof *e->value);
    e->floor_level = plussi_calloc(mem, floors + 1, sizeof *e->floor_level);
    e->count = plussi_calloc(mem, terms + 1, sizeof *e->count);
    e->distance = plussi_calloc(mem, terms + 1, sizeof *e->distance);
    if (!e->value || !e->floor_level || !e->count || !e->distance)
        e->status = PLUSS_ENOMEM;
    for (uint32_t i = 0; i < e->f->n_symbols && !e->status; i++)
        e->value[i] = values[i] / e->f->symbol[i].unit;
    for (size_t i = 0; i < e->f->classes.n && !e->status; i++)
        (void)evaluate_class(e, &e->f->classes.class[i]);
    plussi_free(mem, e->value);
    plussi_free(mem, e->floor_level);
    plussi_free(mem, e->count);
    plussi_free(mem, e->distance);
    return e->status;
}

pluss_status plussi_formula_histogram(plussi_ctx *ctx, const plussi_formula *f,
                                      const int64_t *values, plussi_formula_take *take, void *user)
{
    evaluation e = {.ctx = ctx, .f = f, .take = take, .user = user};
    return evaluate(&e, values);
}

pluss_status plussi_formula_count_misses(plussi_ctx *ctx, const plussi_formula *f,
                                         const int64_t *values, uint64_t lines,
                                         plussi_formula_misses *out)
{
    plussi_formula_misses misses = {0};
    evaluation e = {.ctx = ctx, .f = f, .lines = lines, .misses = &misses};
    const pluss_status status = evaluate(&e, values);
    if (!status)
        *out = misses;
    return status;
}
