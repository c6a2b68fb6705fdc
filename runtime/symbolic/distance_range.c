/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which distances a class can have, by interval arithmetic over its iterations, and the guard that
 * leaves those of its iterations whose accesses miss.
 */
#include "base/arith.h"
#include "symbolic/evaluation.h"

/* What is beyond these is not bounded. */
#define MOST ((__int128)1 << 100)

typedef struct wide { /* low > high: empty */
    __int128 low, high;
} wide;

static __int128 clamp(__int128 x)
{
    return x > MOST ? MOST : x < -MOST ? -MOST : x;
}

static __int128 product_of(__int128 a, __int128 b)
{
    __int128 product;
    if (plussi_mul_over(a, b, &product))
        return (a < 0) == (b < 0) ? MOST : -MOST;
    return clamp(product);
}

static wide multiply(wide a, wide b)
{
    const __int128 p[] = {product_of(a.low, b.low), product_of(a.low, b.high),
                          product_of(a.high, b.low), product_of(a.high, b.high)};
    wide out = {p[0], p[0]};
    for (int i = 1; i < 4; i++) {
        out.low = p[i] < out.low ? p[i] : out.low;
        out.high = p[i] > out.high ? p[i] : out.high;
    }
    return out;
}

static wide add(wide a, wide b)
{
    return (wide){clamp(a.low + b.low), clamp(a.high + b.high)};
}

/* MOST stands for no bound, which no division makes one. */
static __int128 floor_of(__int128 x, int64_t over)
{
    const __int128 q = x / over;
    return x >= MOST || x <= -MOST ? x : q - (q * over > x);
}

static wide range_of_row(const plussi_formula_row *row, const wide *of, uint32_t n,
                         uint32_t without)
{
    wide sum = {row->constant, row->constant};
    for (uint32_t v = 0; v < n; v++)
        if (row->coefficient[v] && v != without)
            sum = add(sum, multiply((wide){row->coefficient[v], row->coefficient[v]}, of[v]));
    return sum;
}

static void narrow_by(const plussi_evaluation *e, const plussi_formula_guard *g, wide *of)
{
    const uint32_t v = plussi_formula_dim(e, g->level);
    const int64_t a = g->row.coefficient[v], size = a < 0 ? -a : a;
    const wide rest = range_of_row(&g->row, of, plussi_formula_variables(e), v);
    if (a > 0 || g->equal) { /* x >= -rest / a for one of the rests */
        const __int128 low = -floor_of(a > 0 ? rest.high : -rest.low, size);
        of[v].low = low > of[v].low ? low : of[v].low;
    }
    if (a < 0 || g->equal) {
        const __int128 high = floor_of(a < 0 ? rest.high : -rest.low, size);
        of[v].high = high < of[v].high ? high : of[v].high;
    }
}

static void set_ranges_of_floors(const plussi_evaluation *e, uint32_t level, wide *of)
{
    const uint32_t first = plussi_formula_first_floor(e);
    for (uint32_t i = 0; i < e->class->n_floors; i++) {
        const plussi_formula_floor *f = &e->class->floors[i];
        if (e->floor_level[i] != level)
            continue;
        const wide row = range_of_row(&f->row, of, first + i, UINT32_MAX);
        of[first + i] = (wide){floor_of(row.low, f->over), floor_of(row.high, f->over)};
    }
}

bool plussi_formula_find_distances(plussi_evaluation *e, plussi_int_range *out)
{
    const plussi_formula_poly *p = &e->class->distance;
    const uint32_t n = plussi_formula_variables(e);
    wide *of = plussi_calloc(&e->ctx->mem, n + 1, sizeof *of), sum = {0};
    if (!of) {
        e->status = PLUSS_ENOMEM;
        return false;
    }
    bool empty = false;
    for (uint32_t v = 0; v < e->f->n_symbols; v++)
        of[v] = (wide){e->value[v], e->value[v]};
    set_ranges_of_floors(e, 0, of);
    for (uint32_t l = 1; l <= e->class->n_dims && !empty; l++) {
        wide *own = &of[plussi_formula_dim(e, l)];
        *own = (wide){-MOST, MOST};
        for (uint32_t i = 0; i < e->n_guards; i++)
            if (e->guards[i].level == l && plussi_formula_is_bound(e, &e->guards[i]))
                narrow_by(e, &e->guards[i], of);
        empty = own->low > own->high;
        set_ranges_of_floors(e, l, of);
    }
    for (uint32_t i = 0; i < p->n && !empty; i++) {
        wide product = {e->distance[i], e->distance[i]};
        for (uint32_t v = e->f->n_symbols; v < n; v++)
            for (uint8_t k = 0; k < p->term[i].power[v]; k++)
                product = multiply(product, of[v]);
        sum = add(sum, product);
    }
    plussi_free(&e->ctx->mem, of);
    *out = empty ? (plussi_int_range){1, 0}
                 : (plussi_int_range){plussi_saturate(floor_of(sum.low, p->denominator)),
                                      plussi_saturate(floor_of(sum.high, p->denominator))};
    return true;
}

/* The only variable of a term, of power 1; UINT32_MAX: it has none. false: it has several. */
static bool find_variable(const plussi_evaluation *e, const plussi_formula_term *t, uint32_t *out)
{
    *out = UINT32_MAX;
    for (uint32_t v = e->f->n_symbols; v < plussi_formula_variables(e); v++) {
        if (!t->power[v])
            continue;
        if (t->power[v] > 1 || *out != UINT32_MAX)
            return false;
        *out = v;
    }
    return true;
}

bool plussi_formula_guard_distance(const plussi_evaluation *e, plussi_formula_guard *out)
{
    enum { LARGE = 1 << 30 };
    const plussi_formula_poly *p = &e->class->distance;
    __int128 constant = -product_of((__int128)e->lines + 1, p->denominator);
    out->equal = out->implied = false;
    out->level = 0;
    for (uint32_t v = 0; v < plussi_formula_variables(e); v++)
        out->row.coefficient[v] = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t v;
        if (!find_variable(e, &p->term[i], &v))
            return false;
        if (v == UINT32_MAX) {
            constant = clamp(constant + clamp(e->distance[i]));
            continue;
        }
        const uint32_t first = plussi_formula_first_floor(e);
        const uint32_t level = v < first ? v - e->f->n_symbols + 1 : e->floor_level[v - first];
        const __int128 sum = out->row.coefficient[v] + clamp(e->distance[i]);
        if (sum > LARGE || sum < -LARGE)
            return false;
        out->row.coefficient[v] = (int64_t)sum;
        out->level = level > out->level ? level : out->level;
    }
    out->row.constant = plussi_saturate(constant);
    return constant == out->row.constant;
}
