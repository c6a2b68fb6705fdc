/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The numbers of small profiles as polynomials of the bounds, by Newton's forward differences: in
 * integers, exact. First the degree in each bound is found along its axis, then the differences in
 * all of them together, on the grid of those degrees below the depth of the nest.
 */
#include <inttypes.h>
#include <string.h>

#include "base/arith.h"
#include "model/extrapolate.h"

enum {
    POINTS_MOST = 1500, /* small profiles of one attempt */
    HELD_BACK = 2,
    WALKED_MOST = 1 << 29 /* accesses of all attempts: less than a minute */
};

/* The least bound of each attempt, in periods, and these in those that the nest tells: some nests
 * have their own, as where an array is reversed. apart: the order of the bounds is that of the
 * prediction at all points. The paper's is the first. */
static const struct {
    int64_t least, periods;
    bool apart;
} attempts[] = {{2, 1, false},  {3, 1, false},  {5, 1, false},  {5, 1, true},  {7, 1, false},
                {10, 1, false}, {10, 1, true},  {14, 1, false}, {16, 1, true}, {20, 1, false},
                {30, 1, false}, {10, 2, false}, {20, 2, false}};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

/* A profile that has been made, at base + step * at. */
typedef struct point {
    uint8_t at[PLUSSI_SMALL_BOUNDS];
    plussi_small_profile profile;
} point;

typedef struct attempt {
    plussi_ctx *ctx;
    const plussi_small_nest *nest;
    plussi_effort *effort;
    int (*ask)(void *user, double done, double error);
    void *ask_user;
    plussi_small_fit *fit;
    point *point;
    size_t n, cap;
    double off;  /* share of numbers that the fit has otherwise than the exact profile */
    bool misses; /* that it does not fit is known */
} attempt;

/* ---- exact profiles ----------------------------------------------------------------------------
 */

static void set_bounds(const attempt *a, const uint8_t *at, int64_t *bound)
{
    for (size_t i = 0; i < a->nest->n; i++)
        bound[i] = a->fit->base[i] + at[i] * a->fit->step[i];
}

/* The profile at a point, made once. PLUSS_EUNSUPPORTED: the nest cannot be bound there. */
static pluss_status get_profile(attempt *a, const uint8_t *at, const plussi_small_profile **out)
{
    int64_t bound[PLUSSI_SMALL_BOUNDS] = {0};
    plussi_ctx quiet;
    for (size_t i = 0; i < a->n; i++)
        if (memcmp(a->point[i].at, at, sizeof a->point[i].at) == 0) {
            *out = &a->point[i].profile;
            return PLUSS_OK;
        }
    pluss_status status = plussi_grow(&a->ctx->mem, &a->point, &a->cap, a->n, sizeof *a->point);
    if (status || a->n == POINTS_MOST || a->fit->walked > WALKED_MOST)
        return status ? status : PLUSS_EUNSUPPORTED;
    if (a->ask && a->ask(a->ask_user, -1, -1))
        return PLUSS_ECANCELLED;
    point *p = &a->point[a->n];
    *p = (point){{0}, {0}};
    memcpy(p->at, at, sizeof p->at);
    set_bounds(a, at, bound);
    plussi_ctx_init(&quiet, &a->ctx->mem);
    plussi_bound *small = NULL;
    status = plussi_small_nest_bind(&quiet, a->nest, bound, &small);
    if (!status)
        status = plussi_small_profile_make(&quiet, small, a->effort, &p->profile);
    if (small)
        plussi_bound_free(small);
    plussi_ctx_clear(&quiet);
    if (status && status != PLUSS_ENOMEM && status != PLUSS_ELIMIT)
        return PLUSS_EUNSUPPORTED;
    if (status)
        return status;
    a->fit->walked += p->profile.accesses;
    a->n++;
    *out = &p->profile;
    return PLUSS_OK;
}

static bool has_shape(const plussi_small_profile *a, const plussi_small_profile *b)
{
    return a->n_code == b->n_code && memcmp(a->code, b->code, a->n_code * sizeof *a->code) == 0;
}

/* ---- degrees -----------------------------------------------------------------------------------
 */

/* Whether the differences of order n of all numbers vanish along an axis of n + 1 points, the last
 * of them at point `last`. */
static bool are_polynomials(const plussi_small_profile *const *of, size_t last, size_t n)
{
    for (size_t v = 0; v < of[0]->n_value; v++) {
        int64_t sum = 0, times = 1;
        for (size_t k = 0; k <= n; k++) {
            int64_t term;
            if (plussi_mul_over(times, of[last - k]->value[v], &term) ||
                plussi_add_over(sum, k % 2 ? -term : term, &sum))
                return false;
            times = times * (int64_t)(n - k) / (int64_t)(k + 1);
        }
        if (sum != 0)
            return false;
    }
    return true;
}

/* The degree in one bound: the differences above it vanish, in one point more than they need. */
static pluss_status find_degree(attempt *a, size_t i)
{
    const plussi_small_profile *of[PLUSSI_SMALL_DEGREE + 3];
    for (size_t n = 0; n <= PLUSSI_SMALL_DEGREE + 1; n++) {
        uint8_t at[PLUSSI_SMALL_BOUNDS] = {0};
        at[i] = (uint8_t)n;
        const plussi_small_profile *made;
        pluss_status status = get_profile(a, at, &made);
        if (status)
            return status;
        /* points move when the list of them grows: all are found again */
        for (size_t k = 0; k <= n && !status; k++) {
            at[i] = (uint8_t)k;
            status = get_profile(a, at, &of[k]);
        }
        if (status || !has_shape(of[0], of[n]))
            return status ? status : PLUSS_EUNSUPPORTED;
        if (n >= 2 && are_polynomials(of, n, n)) {
            a->fit->degree[i] = (uint8_t)(n - 1);
            while (a->fit->degree[i] > 1 && are_polynomials(of, n, a->fit->degree[i]) &&
                   are_polynomials(of, n - 1, a->fit->degree[i]))
                a->fit->degree[i]--;
            return PLUSS_OK;
        }
    }
    return PLUSS_EUNSUPPORTED;
}

/* ---- the grid ----------------------------------------------------------------------------------
 */

static size_t sum_of(const uint8_t *at, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += at[i];
    return sum;
}

/* The next point of the grid, in the order of a mixed radix; false: there is none. */
static bool advance(const uint8_t *degree, size_t n, uint8_t *at)
{
    for (size_t i = n; i-- > 0; at[i] = 0)
        if (at[i] < degree[i]) {
            at[i]++;
            return true;
        }
    return false;
}

/* Exponents up to the degrees, of a sum that is at most the depth, or the largest degree. */
static pluss_status list_terms(attempt *a)
{
    plussi_small_fit *fit = a->fit;
    size_t most = a->nest->depth, cap = 0;
    uint8_t at[PLUSSI_SMALL_BOUNDS] = {0};
    for (size_t i = 0; i < a->nest->n; i++)
        most = fit->degree[i] > most ? fit->degree[i] : most;
    do {
        if (sum_of(at, a->nest->n) > most)
            continue;
        if (fit->n_terms == POINTS_MOST)
            return PLUSS_EUNSUPPORTED;
        pluss_status status =
            plussi_grow(&a->ctx->mem, &fit->term, &cap, fit->n_terms, sizeof *fit->term);
        if (status)
            return status;
        memcpy(fit->term[fit->n_terms++], at, sizeof at);
    } while (advance(fit->degree, a->nest->n, at));
    return PLUSS_OK;
}

static int64_t choose(int64_t n, int64_t k)
{
    int64_t c = 1;
    for (int64_t i = 0; i < k; i++)
        c = c * (n - i) / (i + 1);
    return c;
}

/* The forward difference of a term: sum over the points below it, with signs. */
static pluss_status add_differences(attempt *a, size_t k)
{
    plussi_small_fit *fit = a->fit;
    const uint8_t *term = fit->term[k];
    uint8_t at[PLUSSI_SMALL_BOUNDS] = {0};
    int64_t *out = fit->coefficient + k * fit->shape.n_value;
    do {
        const plussi_small_profile *p;
        int64_t times = (sum_of(term, a->nest->n) - sum_of(at, a->nest->n)) % 2 ? -1 : 1;
        pluss_status status = get_profile(a, at, &p);
        if (status || !has_shape(&fit->shape, p))
            return status ? status : PLUSS_EUNSUPPORTED;
        for (size_t i = 0; i < a->nest->n; i++)
            times *= choose(term[i], at[i]);
        for (size_t v = 0; v < fit->shape.n_value; v++) {
            int64_t one;
            if (plussi_mul_over(times, p->value[v], &one) || plussi_add_over(out[v], one, &out[v]))
                return PLUSS_EUNSUPPORTED;
        }
    } while (advance(term, a->nest->n, at));
    return PLUSS_OK;
}

static pluss_status copy_shape(attempt *a)
{
    const uint8_t origin[PLUSSI_SMALL_BOUNDS] = {0};
    const plussi_small_profile *p;
    pluss_status status = get_profile(a, origin, &p);
    if (status)
        return status;
    plussi_small_profile *shape = &a->fit->shape;
    *shape = (plussi_small_profile){
        .code = plussi_alloc(&a->ctx->mem, p->n_code, sizeof *shape->code),
        .value = plussi_alloc(&a->ctx->mem, p->n_value, sizeof *shape->value),
        .n_code = p->n_code,
        .n_value = p->n_value,
        .accesses = p->accesses};
    if (!shape->code || !shape->value)
        return PLUSS_ENOMEM;
    memcpy(shape->code, p->code, p->n_code * sizeof *p->code);
    memcpy(shape->value, p->value, p->n_value * sizeof *p->value);
    return PLUSS_OK;
}

/* ---- evaluation --------------------------------------------------------------------------------
 */

/* The product of binomials of a term; true: it does not fit. */
static bool weigh(const plussi_small_nest *nest, const plussi_small_fit *fit, const uint8_t *term,
                  const int64_t *bound, int64_t *out)
{
    *out = 1;
    for (size_t i = 0; i < nest->n; i++) {
        const int64_t t = (bound[i] - fit->base[i]) / fit->step[i];
        int64_t c = 1;
        for (int64_t k = 0; k < term[i]; k++) {
            if (plussi_mul_over(c, t - k, &c))
                return true;
            c /= k + 1;
        }
        if (plussi_mul_over(*out, c, out))
            return true;
    }
    return false;
}

pluss_status plussi_small_fit_evaluate(plussi_ctx *ctx, const plussi_small_nest *nest,
                                       const plussi_small_fit *fit, const int64_t *bound,
                                       int64_t *value)
{
    const size_t n = fit->shape.n_value;
    memset(value, 0, n * sizeof *value);
    for (size_t k = 0; k < fit->n_terms; k++) {
        int64_t weight, one;
        bool over = weigh(nest, fit, fit->term[k], bound, &weight);
        for (size_t v = 0; v < n && !over; v++)
            over = plussi_mul_over(weight, fit->coefficient[k * n + v], &one) ||
                   plussi_add_over(value[v], one, &value[v]);
        if (over)
            return plussi_fail(ctx, PLUSS_ERANGE, NULL,
                               "a number of the extrapolated profile does not fit 64 bits");
    }
    return PLUSS_OK;
}

/* The share of numbers that differ. */
static double compare(const plussi_small_profile *exact, const int64_t *value)
{
    size_t off = 0;
    for (size_t v = 0; v < exact->n_value; v++)
        off += exact->value[v] != value[v];
    return (double)off / (double)(exact->n_value ? exact->n_value : 1);
}

/* A point beyond the grid in all bounds, and another one that lies outside in some alone. */
static pluss_status check_held_back(attempt *a)
{
    int64_t *value = plussi_alloc(&a->ctx->mem, a->fit->shape.n_value, sizeof *value);
    pluss_status status = value ? PLUSS_OK : PLUSS_ENOMEM;
    for (int round = 0; round < HELD_BACK && !status; round++) {
        uint8_t at[PLUSSI_SMALL_BOUNDS] = {0};
        int64_t bound[PLUSSI_SMALL_BOUNDS];
        const plussi_small_profile *exact;
        for (size_t i = 0; i < a->nest->n; i++)
            at[i] = a->fit->degree[i] ? (uint8_t)(a->fit->degree[i] + (round ? 2 + i % 2 : 1)) : 0;
        status = get_profile(a, at, &exact);
        if (status)
            break;
        set_bounds(a, at, bound);
        a->misses = true;
        a->off = 1;
        if (!has_shape(&a->fit->shape, exact))
            status = PLUSS_EUNSUPPORTED;
        else
            status = plussi_small_fit_evaluate(a->ctx, a->nest, a->fit, bound, value);
        if (!status) {
            a->off = compare(exact, value);
            status = a->off > 0 ? PLUSS_EUNSUPPORTED : PLUSS_OK;
        }
    }
    plussi_free(&a->ctx->mem, value);
    return status;
}

/* ---- attempts ----------------------------------------------------------------------------------
 */

/* Different bounds of the prediction that are smaller. */
static int64_t find_rank(const plussi_small_nest *nest, size_t i)
{
    int64_t rank = 0;
    for (size_t k = 0; k < nest->n; k++) {
        bool first = nest->bound[k].target < nest->bound[i].target;
        for (size_t m = 0; m < k && first; m++)
            first = nest->bound[m].target != nest->bound[k].target;
        rank += first;
    }
    return rank;
}

/* Bounds that are no larger than those of the grid would be stay as they are. */
static void choose_base(attempt *a, size_t number)
{
    enum { APART = 2 * (PLUSSI_SMALL_DEGREE + 1) };
    const plussi_small_nest *nest = a->nest;
    const int64_t least = attempts[number].least;
    for (size_t i = 0; i < nest->n; i++) {
        const int64_t target = nest->bound[i].target;
        const int64_t period = attempts[number].periods * nest->bound[i].period;
        int64_t above = plussi_max64(least * period, nest->least + (least - 2) * period);
        if (attempts[number].apart)
            above += find_rank(nest, i) * APART * period;
        int64_t base = plussi_floormod(target, period);
        if (target > above)
            base += plussi_ceildiv(plussi_max64(0, above - base), period) * period;
        else
            base = target;
        const bool small = target <= base + 2 * period;
        a->fit->base[i] = small ? target : base;
        a->fit->step[i] = period;
        a->fit->degree[i] = !small;
    }
}

static pluss_status try_base(attempt *a, size_t number)
{
    choose_base(a, number);
    pluss_status status = copy_shape(a);
    for (size_t i = 0; i < a->nest->n && !status; i++)
        if (a->fit->degree[i])
            status = find_degree(a, i);
    if (!status)
        status = list_terms(a);
    if (!status) {
        a->fit->coefficient = plussi_calloc(&a->ctx->mem, a->fit->n_terms * a->fit->shape.n_value,
                                            sizeof *a->fit->coefficient);
        status = a->fit->coefficient ? PLUSS_OK : PLUSS_ENOMEM;
    }
    for (size_t k = 0; k < a->fit->n_terms && !status; k++)
        status = add_differences(a, k);
    return status ? status : check_held_back(a);
}

static void forget_points(attempt *a)
{
    for (size_t i = 0; i < a->n; i++)
        plussi_small_profile_free(a->ctx, &a->point[i].profile);
    plussi_free(&a->ctx->mem, a->point);
    a->point = NULL;
    a->n = a->cap = 0;
}

pluss_status plussi_small_fit_make(plussi_ctx *ctx, const plussi_small_nest *nest,
                                   plussi_effort *effort,
                                   int (*ask)(void *user, double done, double error), void *user,
                                   plussi_small_fit *out)
{
    attempt a = {
        .ctx = ctx, .nest = nest, .effort = effort, .ask = ask, .ask_user = user, .fit = out};
    pluss_status status = PLUSS_EUNSUPPORTED;
    *out = (plussi_small_fit){0};
    for (size_t i = 0; i < ATTEMPTS && status == PLUSS_EUNSUPPORTED; i++) {
        const uint64_t walked = out->walked;
        plussi_small_fit_free(ctx, out);
        out->walked = walked;
        status = try_base(&a, i);
        forget_points(&a);
    }
    if (status == PLUSS_ELIMIT)
        return plussi_fail(ctx, status, NULL,
                           "small loop bounds take more accesses (%" PRIu64
                           ") than the effort allows",
                           out->walked);
    if (status != PLUSS_EUNSUPPORTED)
        return status;
    return plussi_fail(
        ctx, status, NULL,
        a.misses ? "its reuse profile is no polynomial of its loop bounds: at bounds that were "
                   "held back %.3g%% of its numbers are off"
                 : "the shape of its reuse profile changes with its loop bounds",
        100 * a.off);
}

void plussi_small_fit_free(plussi_ctx *ctx, plussi_small_fit *fit)
{
    plussi_free(&ctx->mem, fit->term);
    plussi_free(&ctx->mem, fit->coefficient);
    plussi_small_profile_free(ctx, &fit->shape);
    *fit = (plussi_small_fit){0};
}
