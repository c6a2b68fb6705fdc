/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold_fit.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"

enum { MOST_TRIED = 4, OFFSETS = 2, MANY_SIZES = 5 };

/* ---- monomials ----------------------------------------------------------------------------------
 */

static int64_t evaluate_quantity(const plussi_fold_quantity *q, int64_t size)
{
    return q->up ? plussi_ceildiv(size, q->divisor) : plussi_floordiv(size, q->divisor);
}

/* Monomials with this degree of quantities [0, n); those of sizes alone, or the others. */
static void add_monomials(plussi_fold_fitter *f, uint32_t degree, bool plain)
{
    uint8_t at[PLUSSI_FOLD_FACTORS] = {0};
    uint32_t n = plain ? f->n_sizes : f->n_quantities;
    if (n == 0 && degree > 0)
        return;
    for (;;) {
        if (plain || (degree > 0 && at[degree - 1] >= f->n_sizes)) {
            plussi_fold_summand *m = &f->monomial[f->n_monomials];
            *m = (plussi_fold_summand){.factor = 1, .degree = degree};
            memcpy(m->quantity, at, sizeof at);
            bool fits = true;
            for (uint32_t r = 0; r < f->n_runs; r++) {
                int64_t v = 1;
                for (uint32_t i = 0; i < degree; i++)
                    fits = fits && !plussi_mul_over(v, f->value[at[i]][r], &v);
                f->column[f->n_monomials][r] = v;
            }
            f->n_monomials += fits;
        }
        uint32_t i = degree;
        while (i > 0 && at[i - 1] == n - 1)
            i--;
        if (i == 0)
            return;
        uint8_t next = (uint8_t)(at[i - 1] + 1);
        for (uint32_t k = i - 1; k < degree; k++)
            at[k] = next; /* ascending, so that each product comes once */
    }
}

pluss_status plussi_fold_fitter_init(const plussi_mem *mem, plussi_fold_fitter *f,
                                     const int64_t *size, uint32_t n_runs, uint32_t n_sizes,
                                     int64_t tile, uint64_t *left)
{
    memset(f, 0, sizeof *f);
    if (n_runs == 0 || n_runs > PLUSSI_FOLD_RUNS || n_sizes > PLUSSI_FOLD_SIZES)
        return PLUSS_EINVAL;
    f->n_runs = n_runs;
    f->n_sizes = n_sizes;
    f->left = left;
    for (uint32_t kind = 0; kind < 3; kind++)
        for (uint32_t i = 0; i < n_sizes && (kind < 2 || tile > 1); i++) {
            plussi_fold_quantity q = {i, kind == 0 ? 1 : kind == 1 ? 2 : tile, kind == 2};
            for (uint32_t r = 0; r < n_runs; r++)
                f->value[f->n_quantities][r] = evaluate_quantity(&q, size[r * n_sizes + i]);
            f->quantity[f->n_quantities++] = q;
        }
    size_t n = f->n_quantities, most = 1 + n + n * n + (n < 3 * MANY_SIZES ? n * n * n : n * n);
    f->monomial = plussi_alloc(mem, most, sizeof *f->monomial);
    f->column = plussi_alloc(mem, most, sizeof *f->column);
    if (!f->monomial || !f->column) {
        plussi_fold_fitter_clear(mem, f);
        return PLUSS_ENOMEM;
    }
    for (uint32_t degree = 0; degree <= 3; degree++) {
        add_monomials(f, degree, true);
        if (degree < 3 || n_sizes < MANY_SIZES)
            f->n_short = f->n_monomials;
    }
    f->n_plain = f->n_monomials;
    for (uint32_t degree = 1; degree <= 3; degree++) {
        f->n_low = degree == 3 ? f->n_monomials : f->n_low;
        if (degree < 3 || n_sizes < MANY_SIZES)
            add_monomials(f, degree, false);
    }
    return PLUSS_OK;
}

void plussi_fold_fitter_clear(const plussi_mem *mem, plussi_fold_fitter *f)
{
    plussi_free(mem, f->monomial);
    plussi_free(mem, f->column);
    f->monomial = NULL;
    f->column = NULL;
}

/* ---- sums ---------------------------------------------------------------------------------------
 */

/* Whether the sum gives every value; all in integers. */
static bool is_exact(const plussi_fold_fitter *f, const uint32_t *m, uint32_t n,
                     const int64_t *factor, int64_t divisor, const int64_t *value)
{
    for (uint32_t r = 0; r < f->n_runs; r++) {
        __int128 sum = 0;
        for (uint32_t i = 0; i < n; i++)
            sum += (__int128)factor[i] * f->column[m[i]][r];
        if (sum != (__int128)divisor * value[r])
            return false;
    }
    return true;
}

/* Solves for the factors by the first n runs, in floating point: what comes out is rounded, and
 * then holds in all runs or not. */
static bool solve(const plussi_fold_fitter *f, const uint32_t *m, uint32_t n, const int64_t *value,
                  int64_t *factor, int64_t *divisor)
{
    long double a[MOST_TRIED][MOST_TRIED + 1];
    for (uint32_t r = 0; r < n; r++) {
        for (uint32_t i = 0; i < n; i++)
            a[r][i] = (long double)f->column[m[i]][r];
        a[r][n] = (long double)value[r];
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t pivot = i;
        for (uint32_t r = i + 1; r < n; r++)
            if (fabsl(a[r][i]) > fabsl(a[pivot][i]))
                pivot = r;
        if (fabsl(a[pivot][i]) < 1e-9L)
            return false;
        for (uint32_t k = 0; k <= n; k++) {
            long double swapped = a[i][k];
            a[i][k] = a[pivot][k];
            a[pivot][k] = swapped;
        }
        for (uint32_t r = 0; r < n; r++) {
            long double by = r == i ? 0 : a[r][i] / a[i][i];
            for (uint32_t k = i; k <= n && by != 0; k++)
                a[r][k] -= by * a[i][k];
        }
    }
    for (*divisor = 1; *divisor <= 2; ++*divisor) {
        bool fits = true;
        for (uint32_t i = 0; i < n && fits; i++) {
            long double x = a[i][n] / a[i][i] * (long double)*divisor;
            fits = fabsl(x) < 1e15L && roundl(x) != 0;
            factor[i] = fits ? (int64_t)roundl(x) : 0;
        }
        if (fits && is_exact(f, m, n, factor, *divisor, value))
            return true;
    }
    return false;
}

static uint32_t cost_sum(const plussi_fold_fitter *f, const uint32_t *m, uint32_t n,
                         const int64_t *factor, int64_t divisor)
{
    uint32_t cost = divisor > 1 ? 16 : 0;
    for (uint32_t i = 0; i < n; i++)
        cost += 8 * f->monomial[m[i]].degree + 64 -
                (uint32_t)__builtin_clzll(plussi_magnitude(factor[i]) | 1);
    return cost;
}

/* The cheapest sum of n of the first n_monomials. */
static bool fit_sum(const plussi_fold_fitter *f, const int64_t *value, uint32_t n,
                    uint32_t n_monomials, plussi_fold_poly *out)
{
    uint32_t m[MOST_TRIED], least = UINT32_MAX;
    /* with a run to spare that many sums of products would give anything */
    if (n > 1 && n + 2 > f->n_runs)
        n_monomials = 1 + f->n_sizes;
    if (n > n_monomials || n >= f->n_runs)
        return false;
    for (uint32_t i = 0; i < n; i++)
        m[i] = i;
    for (;;) {
        int64_t factor[MOST_TRIED], divisor;
        if (*f->left == 0)
            return false;
        --*f->left;
        if (solve(f, m, n, value, factor, &divisor)) {
            uint32_t cost = cost_sum(f, m, n, factor, divisor);
            if (cost < least) {
                least = cost;
                *out = (plussi_fold_poly){.n = n, .divisor = divisor};
                for (uint32_t i = 0; i < n; i++) {
                    out->summand[i] = f->monomial[m[i]];
                    out->summand[i].factor = factor[i];
                }
            }
        }
        uint32_t i = n;
        while (i > 0 && m[i - 1] == n_monomials - n + i - 1)
            i--;
        if (i == 0)
            return least < UINT32_MAX;
        m[i - 1]++;
        for (; i < n; i++)
            m[i] = m[i - 1] + 1;
    }
}

/* ---- products -----------------------------------------------------------------------------------
 */

static void sort_factors(plussi_fold_summand *s)
{
    for (uint32_t i = 1; i < s->degree; i++)
        for (uint32_t k = i; k > 0 && s->quantity[k - 1] > s->quantity[k]; k--) {
            uint8_t swapped = s->quantity[k];
            s->quantity[k] = s->quantity[k - 1];
            s->quantity[k - 1] = swapped;
        }
}

/* Adds a summand, joined with one of the same quantities. */
static bool add_summand(plussi_fold_poly *p, plussi_fold_summand s)
{
    sort_factors(&s);
    for (uint32_t i = 0; i < p->n; i++)
        if (p->summand[i].degree == s.degree &&
            memcmp(p->summand[i].quantity, s.quantity, s.degree) == 0) {
            if (plussi_add_over(p->summand[i].factor, s.factor, &p->summand[i].factor))
                return false;
            if (p->summand[i].factor == 0)
                p->summand[i] = p->summand[--p->n];
            return true;
        }
    if (p->n == PLUSSI_FOLD_SUMMANDS)
        return false;
    p->summand[p->n++] = s;
    return true;
}

static bool multiply(plussi_fold_poly *p, const plussi_fold_poly *by)
{
    plussi_fold_poly product = {.divisor = p->divisor};
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < by->n; k++) {
            plussi_fold_summand s = p->summand[i];
            const plussi_fold_summand *t = &by->summand[k];
            if (s.degree + t->degree > PLUSSI_FOLD_FACTORS ||
                plussi_mul_over(s.factor, t->factor, &s.factor))
                return false;
            memcpy(&s.quantity[s.degree], t->quantity, t->degree);
            s.degree += t->degree;
            if (!add_summand(&product, s))
                return false;
        }
    *p = product;
    return true;
}

/* Size a (+ or - size b) + offset; b = n_sizes: none. */
static void make_factor(uint32_t n_sizes, uint32_t a, uint32_t b, int sign, int64_t offset,
                        plussi_fold_poly *out)
{
    *out = (plussi_fold_poly){.divisor = 1};
    out->summand[out->n++] =
        (plussi_fold_summand){.factor = 1, .degree = 1, .quantity = {(uint8_t)a}};
    if (b < n_sizes)
        out->summand[out->n++] =
            (plussi_fold_summand){.factor = sign, .degree = 1, .quantity = {(uint8_t)b}};
    if (offset)
        out->summand[out->n++] = (plussi_fold_summand){.factor = offset};
}

/* value = such a factor, other than a size alone, times a sum of one or two summands, or another
 * such product. */
static bool fit_product(const plussi_fold_fitter *f, const int64_t *value, int deep,
                        plussi_fold_poly *out)
{
    for (uint32_t a = 0; a < f->n_sizes; a++)
        for (uint32_t b = a + 1; b <= f->n_sizes; b++)
            for (int sign = 1; sign >= (b < f->n_sizes ? -1 : 1); sign -= 2)
                for (int64_t offset = -OFFSETS; offset <= OFFSETS; offset++) {
                    int64_t rest[PLUSSI_FOLD_RUNS];
                    bool divides = b < f->n_sizes || offset != 0;
                    for (uint32_t r = 0; r < f->n_runs && divides; r++) {
                        int64_t by =
                            f->value[a][r] + offset + (b < f->n_sizes ? sign * f->value[b][r] : 0);
                        divides = by != 0 && by != -1 && value[r] % by == 0;
                        rest[r] = divides ? value[r] / by : 0;
                    }
                    if (!divides)
                        continue;
                    plussi_fold_poly factor;
                    make_factor(f->n_sizes, a, b, sign, offset, &factor);
                    bool found = fit_sum(f, rest, 1, f->n_plain, out) ||
                                 fit_sum(f, rest, 2, f->n_plain, out) ||
                                 (deep > 0 && fit_product(f, rest, deep - 1, out));
                    if (found && multiply(out, &factor))
                        return true;
                }
    return false;
}

bool plussi_fold_fit(const plussi_fold_fitter *f, const int64_t *value, plussi_fold_poly *out)
{
    bool constant = true;
    for (uint32_t r = 1; r < f->n_runs; r++)
        constant = constant && value[r] == value[0];
    *out = (plussi_fold_poly){.divisor = 1};
    if (constant) {
        out->n = value[0] != 0;
        out->summand[0] = (plussi_fold_summand){.factor = value[0]};
        return true;
    }
    /* halves first: n / 2, rather than (n - 1) / 2 of what is odd in every run */
    return fit_sum(f, value, 1, f->n_plain, out) || fit_sum(f, value, 1, f->n_monomials, out) ||
           fit_sum(f, value, 2, f->n_plain, out) || fit_product(f, value, 1, out) ||
           fit_sum(f, value, 2, f->n_low, out) || fit_sum(f, value, 3, f->n_plain, out) ||
           fit_sum(f, value, 4, f->n_short, out) || fit_sum(f, value, 3, f->n_low, out);
}
