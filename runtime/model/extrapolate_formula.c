/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Distances and accesses as polynomials of loop bounds, written out: from the fit's values at
 * bounds of a grid, by forward differences, which become powers of the bounds with rational
 * coefficients.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "model/extrapolate.h"

enum { TERMS = 512, POWERS = PLUSSI_SMALL_DEGREE + 1, ROOM = 1024 };

typedef __int128 wide;

typedef struct fraction {
    wide num, den; /* den > 0 */
} fraction;

/* The grid: exponents, and points, of a sum up to the degree, in the bounds that vary. */
typedef struct grid {
    plussi_ctx *ctx;
    const plussi_small_nest *nest;
    const plussi_small_fit *fit;
    size_t degree, n;
    uint8_t term[TERMS][PLUSSI_SMALL_BOUNDS];
    plussi_small_leaf *leaf; /* by point, the last one is held back, and code */
} grid;

/* ---- polynomials -------------------------------------------------------------------------------
 */

static wide divisor_of(wide a, wide b)
{
    a = a < 0 ? -a : a;
    while (b) {
        const wide rest = a % b;
        a = b;
        b = rest;
    }
    return a ? a : 1;
}

/* true: it does not fit. */
static bool add_fraction(fraction *to, wide num, wide den)
{
    wide a, b;
    const wide common = divisor_of(to->den, den);
    if (__builtin_mul_overflow(to->num, den / common, &a) ||
        __builtin_mul_overflow(num, to->den / common, &b) || __builtin_add_overflow(a, b, &a) ||
        __builtin_mul_overflow(to->den / common, den, &b))
        return true;
    const wide by = divisor_of(a, b);
    *to = (fraction){a / by, b / by};
    return false;
}

/* The powers of binomial((x - base) / step, k), times *den; true: one does not fit. */
static bool expand_binomial(int64_t base, int64_t step, size_t k, wide power[POWERS + 1], wide *den)
{
    memset(power, 0, (POWERS + 1) * sizeof *power);
    power[0] = 1;
    *den = 1;
    for (size_t m = 0; m < k; m++) { /* times (x - base - m step) */
        const wide less = (wide)base + (wide)m * step;
        for (size_t e = m + 2; e-- > 0;) {
            wide lower = e ? power[e - 1] : 0, one;
            if (__builtin_mul_overflow(power[e], less, &one) ||
                __builtin_sub_overflow(lower, one, &power[e]))
                return true;
        }
        if (__builtin_mul_overflow(*den, (wide)step * (wide)(m + 1), den))
            return true;
    }
    return false;
}

static size_t find_term(const grid *g, const uint8_t *term)
{
    size_t i = 0;
    while (memcmp(g->term[i], term, sizeof g->term[i]) != 0)
        i++;
    return i;
}

/* Adds the coefficient times the product of binomials of term k, one bound after another. */
static bool add_product(const grid *g, size_t k, size_t bound, wide num, wide den, uint8_t *powers,
                        fraction *out)
{
    if (num == 0)
        return false;
    if (bound == g->nest->n)
        return add_fraction(&out[find_term(g, powers)], num, den);
    wide power[POWERS + 1], below;
    bool over = expand_binomial(g->fit->base[bound], g->fit->step[bound], g->term[k][bound], power,
                                &below) ||
                __builtin_mul_overflow(den, below, &den);
    for (size_t e = 0; e <= g->term[k][bound] && !over; e++) {
        wide one;
        powers[bound] = (uint8_t)e;
        over = __builtin_mul_overflow(num, power[e], &one) ||
               add_product(g, k, bound + 1, one, den, powers, out);
    }
    powers[bound] = 0;
    return over;
}

/* value: at the points. Forward differences, then powers. */
static bool make_polynomial(const grid *g, const double *value, fraction *out)
{
    bool over = false;
    for (size_t k = 0; k < g->n; k++)
        out[k] = (fraction){0, 1};
    for (size_t k = 0; k < g->n && !over; k++) {
        wide sum = 0;
        for (size_t p = 0; p < g->n; p++) { /* points below the term */
            wide times = 1;
            for (size_t i = 0; i < g->nest->n && times; i++) {
                const int top = g->term[k][i], at = g->term[p][i];
                times = at > top ? 0 : times;
                for (int m = 0; m < at && times; m++)
                    times = times * (top - m) / (m + 1);
                times = (top - at) % 2 ? -times : times;
            }
            sum += times * (wide)value[p];
        }
        uint8_t powers[PLUSSI_SMALL_BOUNDS] = {0};
        over = add_product(g, k, 0, sum, 1, powers, out);
    }
    return over;
}

/* ---- text --------------------------------------------------------------------------------------
 */

typedef struct text {
    char at[ROOM];
    size_t n;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(t->at + t->n, sizeof t->at - t->n, format, arguments);
    va_end(arguments);
    t->n = n >= 0 && (size_t)n < sizeof t->at - t->n ? t->n + (size_t)n : sizeof t->at - 1;
}

static void put_term(const grid *g, size_t k, wide factor, bool first, text *out)
{
    const wide magnitude = factor < 0 ? -factor : factor;
    bool any = false;
    put(out, "%s", first ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ");
    for (size_t i = 0; i < g->nest->n; i++)
        any = any || g->term[k][i];
    if (!any || magnitude != 1)
        put(out, "%lld%s", (long long)magnitude, any ? "*" : "");
    for (size_t i = 0, n = 0; i < g->nest->n; i++) {
        if (!g->term[k][i])
            continue;
        put(out, "%s%s", n++ ? "*" : "", g->nest->bound[i].symbol->name);
        if (g->term[k][i] > 1)
            put(out, "^%u", g->term[k][i]);
    }
}

static size_t sum_of(const uint8_t *term)
{
    size_t sum = 0;
    for (size_t i = 0; i < PLUSSI_SMALL_BOUNDS; i++)
        sum += term[i];
    return sum;
}

/* "(n^2 - n)/2"; the highest degree first. true: it does not fit. */
static bool print_polynomial(const grid *g, const fraction *of, text *out)
{
    wide den = 1;
    bool first = true;
    for (size_t k = 0; k < g->n; k++)
        if (__builtin_mul_overflow(den, of[k].den / divisor_of(den, of[k].den), &den))
            return true;
    if (den > INT64_MAX)
        return true;
    put(out, "%s", den > 1 ? "(" : "");
    for (size_t degree = g->degree + 1; degree-- > 0;)
        for (size_t k = g->n; k-- > 0;) {
            wide factor;
            if (sum_of(g->term[k]) != degree || of[k].num == 0)
                continue;
            if (__builtin_mul_overflow(of[k].num, den / of[k].den, &factor) || factor > INT64_MAX ||
                factor < -INT64_MAX)
                return true;
            put_term(g, k, factor, first, out);
            first = false;
        }
    put(out, "%s", first ? "0" : "");
    if (den > 1)
        put(out, ")/%lld", (long long)den);
    return out->n + 1 >= sizeof out->at;
}

/* ---- leaves ------------------------------------------------------------------------------------
 */

typedef enum figure { ACCESSES, LEAST, GREATEST } figure;

static double get_figure(const plussi_small_leaf *leaf, figure which)
{
    return which == ACCESSES ? leaf->accesses
           : which == LEAST  ? (double)leaf->least
                             : (double)leaf->greatest;
}

/* The value of a polynomial at the point that was held back is as it should be. */
static bool holds(const grid *g, const fraction *of, double expected)
{
    long double sum = 0;
    for (size_t k = 0; k < g->n; k++) {
        long double one = (long double)of[k].num / (long double)of[k].den;
        for (size_t i = 0; i < g->nest->n; i++)
            for (unsigned e = 0; e < g->term[k][i]; e++)
                one *= (long double)(g->fit->base[i] + (int64_t)(g->degree + 1) * g->fit->step[i] *
                                                           (g->fit->degree[i] > 0));
        sum += one;
    }
    const long double off = sum - (long double)expected;
    return off < 0.25L && off > -0.25L;
}

/* A figure of a code, or the sum of it over codes, as a polynomial; false: it is none. */
static bool fit_figure(const grid *g, const size_t *code, size_t n, figure which, fraction *out)
{
    double value[TERMS + 1] = {0};
    for (size_t p = 0; p <= g->n; p++)
        for (size_t i = 0; i < n; i++)
            value[p] += get_figure(&g->leaf[p * g->fit->shape.n_code + code[i]], which);
    return !make_polynomial(g, value, out) && holds(g, out, value[g->n]);
}

/* The distance of a code as text; false: it is no polynomial. */
static bool print_distance(const grid *g, size_t code, text *out)
{
    fraction least[TERMS], greatest[TERMS];
    if (g->fit->shape.code[code] == PLUSSI_SMALL_COLD) {
        put(out, "cold");
        return true;
    }
    if (!fit_figure(g, &code, 1, LEAST, least) || !fit_figure(g, &code, 1, GREATEST, greatest) ||
        print_polynomial(g, least, out))
        return false;
    if (memcmp(least, greatest, g->n * sizeof *least) == 0)
        return true;
    put(out, " to ");
    return !print_polynomial(g, greatest, out);
}

/* ---- the table ---------------------------------------------------------------------------------
 */

static bool next_term(const grid *g, uint8_t *at)
{
    for (size_t i = g->nest->n; i-- > 0; at[i] = 0)
        if (g->fit->degree[i] && sum_of(at) < g->degree) {
            at[i]++;
            return true;
        }
    return false;
}

static pluss_status evaluate_point(const grid *g, const uint8_t *at, plussi_small_leaf *leaf)
{
    int64_t bound[PLUSSI_SMALL_BOUNDS];
    int64_t *value = plussi_alloc(&g->ctx->mem, g->fit->shape.n_value, sizeof *value);
    for (size_t i = 0; i < g->nest->n; i++)
        bound[i] = at ? g->fit->base[i] + at[i] * g->fit->step[i] : g->nest->bound[i].target;
    pluss_status status =
        value ? plussi_small_fit_evaluate(g->ctx, g->nest, g->fit, bound, value) : PLUSS_ENOMEM;
    if (!status)
        status = plussi_small_leaves(g->ctx, &g->fit->shape, value, leaf);
    plussi_free(&g->ctx->mem, value);
    return status;
}

/* All points of the grid, one that is held back, and the prediction itself. */
static pluss_status fill_grid(grid *g)
{
    uint8_t at[PLUSSI_SMALL_BOUNDS] = {0}, last[PLUSSI_SMALL_BOUNDS] = {0};
    pluss_status status = PLUSS_OK;
    do {
        if (g->n == TERMS)
            return plussi_fail(g->ctx, PLUSS_EUNSUPPORTED, NULL,
                               "formulas of that many loop bounds are too long");
        memcpy(g->term[g->n++], at, sizeof at);
    } while (next_term(g, at));
    const size_t n = g->fit->shape.n_code;
    g->leaf = plussi_alloc(&g->ctx->mem, (g->n + 2) * n, sizeof *g->leaf);
    if (!g->leaf)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < g->nest->n; i++)
        last[i] = g->fit->degree[i] ? (uint8_t)(g->degree + 1) : 0;
    for (size_t p = 0; p < g->n && !status; p++)
        status = evaluate_point(g, g->term[p], g->leaf + p * n);
    if (!status)
        status = evaluate_point(g, last, g->leaf + g->n * n);
    return status ? status : evaluate_point(g, NULL, g->leaf + (g->n + 1) * n);
}

/* Codes with the same distance. */
typedef struct group {
    char *distance;
    size_t *code, n, cap;
} group;

typedef struct groups {
    group *of;
    size_t n, cap;
} groups;

static pluss_status add_code(const grid *g, groups *all, const char *distance, size_t code)
{
    const plussi_mem *mem = &g->ctx->mem;
    size_t at = 0;
    while (at < all->n && strcmp(all->of[at].distance, distance) != 0)
        at++;
    if (at == all->n) {
        pluss_status status = plussi_grow(mem, &all->of, &all->cap, all->n, sizeof *all->of);
        if (status)
            return status;
        all->of[at] = (group){0};
        status = plussi_copy_text(mem, distance, &all->of[at].distance);
        if (status)
            return status;
        all->n++;
    }
    group *to = &all->of[at];
    pluss_status status = plussi_grow(mem, &to->code, &to->cap, to->n, sizeof *to->code);
    if (!status)
        to->code[to->n++] = code;
    return status;
}

static pluss_status group_codes(const grid *g, groups *all)
{
    const plussi_small_profile *shape = &g->fit->shape;
    pluss_status status = PLUSS_OK;
    for (size_t at = 0; at < shape->n_code && !status; at++) {
        if (g->leaf[at].accesses <= 0) /* at the first point; a run's codes have none */
            continue;
        text distance = {.n = 0};
        status = add_code(g, all, print_distance(g, at, &distance) ? distance.at : "other", at);
    }
    return status;
}

static pluss_status write_row(const grid *g, const group *from, plussi_profile_formula *out)
{
    fraction accesses[TERMS];
    text words = {.n = 0};
    const plussi_small_leaf *now = g->leaf + (g->n + 1) * g->fit->shape.n_code;
    for (size_t i = 0; i < from->n; i++)
        out->now += now[from->code[i]].accesses;
    const bool known = fit_figure(g, from->code, from->n, ACCESSES, accesses) &&
                       !print_polynomial(g, accesses, &words);
    pluss_status status = plussi_copy_text(&g->ctx->mem, from->distance, &out->distance);
    return status ? status
                  : plussi_copy_text(&g->ctx->mem, known ? words.at : "other", &out->accesses);
}

static int by_accesses(const void *a, const void *b)
{
    const plussi_profile_formula *x = a, *y = b;
    if (x->now != y->now)
        return x->now > y->now ? -1 : 1;
    return strcmp(x->distance, y->distance);
}

pluss_status plussi_small_formulas(plussi_ctx *ctx, const plussi_small_nest *nest,
                                   const plussi_small_fit *fit, plussi_profile_formula **out,
                                   size_t *n)
{
    grid *g = plussi_calloc(&ctx->mem, 1, sizeof *g);
    groups all = {0};
    plussi_profile_formula *made = NULL;
    if (!g)
        return PLUSS_ENOMEM;
    g->ctx = ctx;
    g->nest = nest;
    g->fit = fit;
    g->degree = nest->depth < PLUSSI_SMALL_DEGREE ? nest->depth : PLUSSI_SMALL_DEGREE;
    pluss_status status = fill_grid(g);
    if (!status)
        status = group_codes(g, &all);
    if (!status && !(made = plussi_calloc(&ctx->mem, all.n, sizeof *made)))
        status = PLUSS_ENOMEM;
    for (size_t i = 0; i < all.n && !status; i++)
        status = write_row(g, &all.of[i], &made[i]);
    if (status) {
        plussi_profile_formulas_free(&ctx->mem, made, made ? all.n : 0);
    } else {
        if (all.n)
            qsort(made, all.n, sizeof *made, by_accesses);
        *out = made;
        *n = all.n;
    }
    for (size_t i = 0; i < all.n; i++) {
        plussi_free(&ctx->mem, all.of[i].distance);
        plussi_free(&ctx->mem, all.of[i].code);
    }
    plussi_free(&ctx->mem, all.of);
    plussi_free(&ctx->mem, g->leaf);
    plussi_free(&ctx->mem, g);
    return status;
}
