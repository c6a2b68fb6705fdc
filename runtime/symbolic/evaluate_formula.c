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
        const int64_t x = plussi_saturate(plussi_formula_row_value(e, &f->row, first + i));
        e->value[first + i] = (f->over & (f->over - 1)) == 0
                                  ? x >> __builtin_ctzll((uint64_t)f->over)
                                  : plussi_floordiv(x, f->over);
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

bool plussi_formula_add_count(plussi_evaluation *e, uint64_t *to, __int128 count)
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
    if (count < 0 || distance < 0)
        e->status = PLUSS_EINTERNAL;
    else if (!e->take(e->user, (uint64_t)distance, (uint64_t)count))
        e->status = PLUSS_ENOMEM;
    return e->status == PLUSS_OK;
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

void plussi_formula_set_guards(plussi_evaluation *e, const plussi_formula_guard *guards, uint32_t n)
{
    e->guards = guards;
    e->n_guards = n;
    for (uint32_t i = 0; i < n; i++)
        e->is_bound[i] = guards[i].level > 0 &&
                         guards[i].row.coefficient[plussi_formula_dim(e, guards[i].level)] &&
                         !has_floor_of(e, &guards[i].row, guards[i].level);
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
    return for_values(e, level, range);
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

bool plussi_formula_begin_class(plussi_evaluation *e, const plussi_formula_class *class,
                                bool *holds)
{
    e->class = class;
    find_floor_levels(e);
    plussi_formula_set_guards(e, class->guards, class->n_guards);
    plussi_formula_set_floors(e, 0);
    *holds = plussi_formula_guards_hold(e, 0);
    return set_factors(e, &class->count, e->count) && set_factors(e, &class->distance, e->distance);
}

static bool enumerate_class(plussi_evaluation *e, const plussi_formula_class *class)
{
    bool holds;
    return plussi_formula_begin_class(e, class, &holds) && (!holds || for_level(e, 1));
}

static bool add_accesses(plussi_evaluation *e, const plussi_formula_class *class)
{
    bool holds;
    __int128 sum = 0;
    return plussi_formula_begin_class(e, class, &holds) &&
           (!holds || plussi_formula_sum_class(e, &sum)) &&
           plussi_formula_add_count(e, &e->misses->accesses, sum);
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
    e->is_bound = plussi_calloc(mem, n.guards + 1, sizeof *e->is_bound);
    int64_t *row = plussi_calloc(mem, e->f->n_symbols + n.vars + 1, sizeof *row);
    if (!e->value || !e->floor_level || !e->count || !e->distance || !e->narrowed || !e->is_bound ||
        !row)
        e->status = PLUSS_ENOMEM;
    for (uint32_t i = 0; i < e->f->n_symbols && !e->status; i++)
        e->value[i] = values[i] / e->f->symbol[i].unit;
    for (size_t i = 0; i < e->f->classes.n && !e->status; i++) {
        const plussi_formula_class *class = &e->f->classes.class[i];
        e->narrowed[class->n_guards].row.coefficient = row;
        (void)(e->misses ? plussi_formula_add_misses(e, class) : enumerate_class(e, class));
    }
    for (size_t i = 0; i < e->f->accesses.n && e->misses && !e->status; i++)
        (void)add_accesses(e, &e->f->accesses.class[i]);
    plussi_free(mem, e->value);
    plussi_free(mem, e->floor_level);
    plussi_free(mem, e->count);
    plussi_free(mem, e->distance);
    plussi_free(mem, e->narrowed);
    plussi_free(mem, e->is_bound);
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
