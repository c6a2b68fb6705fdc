/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which distances a class can have, by interval arithmetic over its iterations, and the guard that
 * leaves those of its iterations whose accesses miss.
 */
#include <stdlib.h>

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
    const __int128 most = (__int128)1 << 49;
    __int128 product;
    if (a <= most && a >= -most && b <= most && b >= -most)
        return a * b;
    if (plussi_mul_over(a, b, &product))
        return (a < 0) == (b < 0) ? MOST : -MOST;
    return clamp(product);
}

static bool is_small(wide a)
{
    const __int128 most = (__int128)1 << 60;
    return a.low >= -most && a.high <= most;
}

static wide multiply(wide a, wide b)
{
    if (a.low == a.high && b.low == b.high && is_small(a) && is_small(b))
        return (wide){a.low * b.low, a.low * b.low};
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

/* The iteration in the box's turns, and its floors, which are linear in them. Leaves the floors'
 * values at the first of these turns. */
static void set_ranges_of_turns(plussi_evaluation *e, const plussi_formula_box *box, wide *of)
{
    const uint32_t first_floor = plussi_formula_first_floor(e),
                   v = plussi_formula_dim(e, box->level);
    for (int end = 1; end >= 0; end--) {
        e->value[v] = box->first + box->period * (end ? box->turns.high : box->turns.low);
        plussi_formula_set_floors(e, box->level);
        for (uint32_t x = v; x < plussi_formula_variables(e); x++) {
            if (x != v && (x < first_floor || e->floor_level[x - first_floor] != box->level))
                continue;
            const __int128 at = e->value[x];
            of[x].low = end || at < of[x].low ? at : of[x].low;
            of[x].high = end || at > of[x].high ? at : of[x].high;
        }
    }
}

/* The ranges of all variables, those of the iterations before the box's have their values. false:
 * the box has no iterations. */
static bool set_ranges(plussi_evaluation *e, const plussi_formula_box *box, wide *of)
{
    const uint32_t first_floor = plussi_formula_first_floor(e);
    for (uint32_t v = 0; v < plussi_formula_dim(e, box->level); v++)
        of[v] = (wide){e->value[v], e->value[v]};
    for (uint32_t i = 0; i < e->class->n_floors; i++)
        if (e->floor_level[i] < box->level)
            of[first_floor + i] = (wide){e->value[first_floor + i], e->value[first_floor + i]};
    for (uint32_t l = box->level; l <= e->class->n_dims; l++) {
        wide *own = &of[plussi_formula_dim(e, l)];
        if (l == box->level && box->period) {
            set_ranges_of_turns(e, box, of);
            continue;
        }
        *own = (wide){-MOST, MOST};
        for (uint32_t i = 0; i < e->n_guards; i++)
            if (e->guards[i].level == l && plussi_formula_is_bound(e, &e->guards[i]))
                narrow_by(e, &e->guards[i], of);
        if (own->low > own->high)
            return false;
        set_ranges_of_floors(e, l, of);
    }
    return true;
}

static plussi_int_range rounded(wide sum, int64_t denominator)
{
    return (plussi_int_range){plussi_saturate(floor_of(sum.low, denominator)),
                              plussi_saturate(floor_of(sum.high, denominator))};
}

bool plussi_formula_find_distances(plussi_evaluation *e, plussi_int_range *out)
{
    const plussi_formula_box all = {.level = 1};
    const plussi_formula_poly *p = &e->class->distance;
    const uint32_t n = plussi_formula_variables(e);
    wide *of = plussi_calloc(&e->ctx->mem, n + 1, sizeof *of), sum = {0};
    *out = (plussi_int_range){1, 0};
    if (!of) {
        e->status = PLUSS_ENOMEM;
        return false;
    }
    if (set_ranges(e, &all, of)) {
        for (uint32_t i = 0; i < p->n; i++) {
            wide product = {e->distance[i], e->distance[i]};
            for (uint32_t v = e->f->n_symbols; v < n; v++)
                for (uint8_t k = 0; k < p->term[i].power[v]; k++)
                    product = multiply(product, of[v]);
            sum = add(sum, product);
        }
        *out = rounded(sum, p->denominator);
    }
    plussi_free(&e->ctx->mem, of);
    return true;
}

/* ---- boxes --------------------------------------------------------------------------------------
 *
 * Floors that differ by a constant before they are rounded, (i + 3) / 8 and i / 8, differ by one of
 * two numbers: where each is sign * base + rest, terms that differ in such floors alone are added
 * before they are bounded. With x = y + r, y = sign * base, a product of several is
 *
 *     x1 x2 ... = y1 y2 ... + r1 y2 ... + x1 r2 y3 ... + ...
 */

enum { MOST_FACTORS = 6 };

typedef struct product { /* factor * product of variables, and of the rest of one of them */
    __int128 factor;
    uint32_t n, rest; /* rest: number of the variable whose rest it is; n: none */
    uint32_t x[MOST_FACTORS];
} product;

struct plussi_distances {
    plussi_evaluation *e;
    product *product;
    size_t n;
    wide *of;       /* of each variable */
    uint32_t *base; /* of each variable: itself, or a floor before it */
    int *sign;
};

/* Of two floors: x is sign * base's row + a constant. */
static bool is_alike(const plussi_formula_floor *x, const plussi_formula_floor *base, int sign,
                     uint32_t n)
{
    bool is = x->over == base->over;
    for (uint32_t v = 0; v < n && is; v++)
        is = x->row.coefficient[v] == sign * base->row.coefficient[v];
    return is;
}

static void find_bases(plussi_distances *d)
{
    const plussi_formula_class *c = d->e->class;
    const uint32_t first = plussi_formula_first_floor(d->e);
    for (uint32_t v = 0; v < plussi_formula_variables(d->e); v++) {
        d->base[v] = v;
        d->sign[v] = 1;
        for (uint32_t b = first; b < v && v >= first && d->base[v] == v; b++)
            for (int sign = -1; sign <= 1 && d->base[b] == b; sign += 2)
                if (is_alike(&c->floors[v - first], &c->floors[b - first], sign, v)) {
                    d->base[v] = b;
                    d->sign[v] = sign;
                }
    }
}

/* What a floor is more than sign * base. */
static wide rest_of(const plussi_distances *d, const plussi_formula_box *box, uint32_t v)
{
    const plussi_evaluation *e = d->e;
    const uint32_t first = plussi_formula_first_floor(e), base = d->base[v];
    const plussi_formula_floor *x = &e->class->floors[v - first],
                               *y = &e->class->floors[base - first];
    const uint32_t level = e->floor_level[v - first];
    if (level < box->level || (level == box->level && box->period)) {
        const __int128 rest = (__int128)e->value[v] - d->sign[v] * (__int128)e->value[base];
        return (wide){rest, rest};
    }
    /* floor((a + c) / over) - floor(a / over) is c / over, rounded either way; for -a, floor(-a /
     * over) is -floor((a + over - 1) / over) */
    const __int128 c = d->sign[v] > 0
                           ? (__int128)x->row.constant - y->row.constant
                           : -((__int128)x->row.constant + y->row.constant) + x->over - 1;
    const wide rest = {floor_of(c, x->over), -floor_of(-c, x->over)};
    return d->sign[v] > 0 ? rest : (wide){-rest.high, -rest.low};
}

static int compare_variables(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Products of the same variables become one. */
static void add_product(plussi_distances *d, product *p)
{
    if (p->rest == p->n)
        qsort(p->x, p->n, sizeof *p->x, compare_variables);
    for (size_t i = 0; i < d->n; i++) {
        product *q = &d->product[i];
        bool same = q->n == p->n && q->rest == p->rest;
        for (uint32_t k = 0; k < p->n && same; k++)
            same = q->x[k] == p->x[k];
        if (same) {
            q->factor += p->factor;
            return;
        }
    }
    d->product[d->n++] = *p;
}

static void add_term(plussi_distances *d, uint32_t number)
{
    const plussi_evaluation *e = d->e;
    const plussi_formula_term *t = &e->class->distance.term[number];
    product p = {.factor = clamp(e->distance[number])};
    for (uint32_t v = e->f->n_symbols; v < plussi_formula_variables(e); v++)
        for (uint8_t k = 0; k < t->power[v] && p.n < MOST_FACTORS; k++)
            p.x[p.n++] = v;
    p.rest = p.n;
    for (uint32_t k = p.n; k-- > 0;) {
        const uint32_t v = p.x[k];
        if (d->base[v] == v)
            continue;
        product with_rest = p;
        with_rest.rest = k;
        add_product(d, &with_rest);
        p.x[k] = d->base[v];
        p.factor *= d->sign[v];
    }
    add_product(d, &p);
}

static bool has_few_factors(const plussi_evaluation *e)
{
    const plussi_formula_poly *p = &e->class->distance;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t n = 0;
        for (uint32_t v = e->f->n_symbols; v < plussi_formula_variables(e); v++)
            n += p->term[i].power[v];
        if (n > MOST_FACTORS)
            return false;
    }
    return true;
}

plussi_distances *plussi_distances_new(plussi_evaluation *e)
{
    const plussi_mem *mem = &e->ctx->mem;
    const uint32_t n = plussi_formula_variables(e);
    plussi_distances *d = plussi_calloc(mem, 1, sizeof *d);
    if (d) {
        d->e = e;
        d->product = plussi_calloc(mem, (size_t)e->class->distance.n * (MOST_FACTORS + 1) + 1,
                                   sizeof *d->product);
        d->of = plussi_calloc(mem, n + 1, sizeof *d->of);
        d->base = plussi_calloc(mem, n + 1, sizeof *d->base);
        d->sign = plussi_calloc(mem, n + 1, sizeof *d->sign);
    }
    if (!d || !d->product || !d->of || !d->base || !d->sign) {
        plussi_distances_free(e, d);
        e->status = PLUSS_ENOMEM;
        return NULL;
    }
    find_bases(d);
    for (uint32_t i = 0; i < e->class->distance.n && has_few_factors(e); i++)
        add_term(d, i);
    return d;
}

void plussi_distances_free(plussi_evaluation *e, plussi_distances *d)
{
    if (!d)
        return;
    plussi_free(&e->ctx->mem, d->product);
    plussi_free(&e->ctx->mem, d->of);
    plussi_free(&e->ctx->mem, d->base);
    plussi_free(&e->ctx->mem, d->sign);
    plussi_free(&e->ctx->mem, d);
}

plussi_int_range plussi_distances_of(plussi_distances *d, const plussi_formula_box *box)
{
    const int64_t denominator = d->e->class->distance.denominator;
    wide sum = {0};
    if (!set_ranges(d->e, box, d->of))
        return (plussi_int_range){1, 0};
    if (d->n == 0)
        return (plussi_int_range){0, INT64_MAX};
    for (size_t i = 0; i < d->n; i++) {
        const product *p = &d->product[i];
        wide range = {p->factor, p->factor};
        for (uint32_t k = 0; k < p->n && p->factor; k++)
            range = multiply(range, k == p->rest ? rest_of(d, box, p->x[k]) : d->of[p->x[k]]);
        sum = add(sum, range);
    }
    return rounded(sum, denominator);
}

/* ---- guards -------------------------------------------------------------------------------------
 */

enum { LARGE = 1 << 30 };

static void begin_guard(const plussi_evaluation *e, plussi_formula_guard *out)
{
    out->equal = out->implied = false;
    out->level = 0;
    for (uint32_t v = 0; v < plussi_formula_variables(e); v++)
        out->row.coefficient[v] = 0;
}

/* Adds factor * v. false: the coefficient is too large. */
static bool add_variable(const plussi_evaluation *e, plussi_formula_guard *out, uint32_t v,
                         __int128 factor)
{
    const uint32_t first = plussi_formula_first_floor(e);
    const uint32_t level = v < first ? v - e->f->n_symbols + 1 : e->floor_level[v - first];
    const __int128 sum = out->row.coefficient[v] + clamp(factor);
    if (sum > LARGE || sum < -LARGE)
        return false;
    out->row.coefficient[v] = (int64_t)sum;
    out->level = level > out->level ? level : out->level;
    return true;
}

/* Whether the rest is a number in the box, and which. */
static bool find_rest(const plussi_distances *d, const plussi_formula_box *box, const product *p,
                      __int128 *out)
{
    wide rest = {1, 1};
    if (p->rest < p->n)
        rest = rest_of(d, box, p->x[p->rest]);
    *out = rest.low;
    return rest.low == rest.high;
}

bool plussi_distances_guard(plussi_distances *d, const plussi_formula_box *box,
                            plussi_formula_guard *out)
{
    const plussi_evaluation *e = d->e;
    __int128 constant = -product_of((__int128)e->lines + 1, e->class->distance.denominator);
    begin_guard(e, out);
    for (size_t i = 0; i < d->n; i++) {
        const product *p = &d->product[i];
        __int128 factor;
        uint32_t variables = 0, v = 0;
        if (!find_rest(d, box, p, &factor))
            return false;
        factor = product_of(factor, p->factor);
        for (uint32_t k = 0; k < p->n; k++)
            if (k != p->rest) {
                v = p->x[k];
                variables++;
            }
        if (!factor)
            continue;
        if (variables > 1 || (variables == 1 && !add_variable(e, out, v, factor)))
            return false;
        constant = clamp(constant + (variables ? 0 : factor));
    }
    out->row.constant = plussi_saturate(constant);
    return d->n > 0 && constant == out->row.constant;
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
    const plussi_formula_poly *p = &e->class->distance;
    __int128 constant = -product_of((__int128)e->lines + 1, p->denominator);
    begin_guard(e, out);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t v;
        if (!find_variable(e, &p->term[i], &v))
            return false;
        if (v == UINT32_MAX)
            constant = clamp(constant + clamp(e->distance[i]));
        else if (!add_variable(e, out, v, e->distance[i]))
            return false;
    }
    out->row.constant = plussi_saturate(constant);
    return constant == out->row.constant;
}
