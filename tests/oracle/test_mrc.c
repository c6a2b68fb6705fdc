/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Miss ratio curves against simulated caches, against AET's sum taken term by term, and against
 * traces whose curve is known.
 */
#include "profile/mrc.h"

#include <math.h>

#include "../unit/failing_mem.h"
#include "../unit/suite.h"
#include "base/rng.h"
#include "exact/lru.h"

static plussi_ctx ctx;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
}
static void teardown(void)
{
    plussi_ctx_clear(&ctx);
}
static void must(pluss_status status)
{
    ck_assert_int_eq(status, PLUSS_OK);
}

/* What every curve has to be. */
static void check_curve(const plussi_mrc *c, const plussi_histo *from)
{
    ck_assert_uint_ge(c->n, 1);
    ck_assert_uint_le(c->n, from->n + 1);
    ck_assert(c->size[0] == 0 && c->miss[0] == 1);
    for (size_t i = 1; i < c->n; i++) {
        ck_assert(c->size[i] > c->size[i - 1]);
        ck_assert(c->miss[i] < c->miss[i - 1] && c->miss[i] >= 0);
    }
    double total = plussi_histo_total(from);
    ck_assert(fabs(c->accesses - total) <= 1e-12 * total);
}

/* Any histogram: random keys from 1 with random weights. */
static void random_histo(plussi_rng *rng, plussi_histo *h)
{
    plussi_histo_init(h, &plussi_mem_libc);
    uint64_t adds = plussi_rng_below(rng, 30), range = 1 + plussi_rng_below(rng, 60);
    for (uint64_t i = 0; i < adds; i++)
        must(plussi_histo_add(h, 1 + plussi_rng_below(rng, range), plussi_rng_unit(rng)));
    if (plussi_rng_below(rng, 2))
        h->cold = 3 * plussi_rng_unit(rng);
    if (plussi_rng_below(rng, 2))
        h->thread_first = 3 * plussi_rng_unit(rng);
    if (plussi_histo_total(h) == 0)
        h->cold = 1;
}

/* ---- from reuse distances ----------------------------------------------------------------------
 */

/* Misses of a cache of c lines: an LRU list, searched from the top. */
static uint64_t simulate(const uint32_t *trace, size_t n, size_t c)
{
    uint32_t held[64];
    size_t full = 0;
    uint64_t misses = 0;
    for (size_t k = 0; k < n; k++) {
        size_t at = 0;
        while (at < full && held[at] != trace[k])
            at++;
        misses += at == full;
        if (at == full && full < c)
            full++;
        if (at == full)
            at--;
        if (c == 0)
            continue;
        for (; at > 0; at--)
            held[at] = held[at - 1];
        held[0] = trace[k];
    }
    return misses;
}

START_TEST(rd_as_simulated)
{
    enum { N = 3000, LINES = 50 };
    static uint32_t trace[N];
    plussi_rng rng;
    plussi_rng_seed(&rng, 30, (uint64_t)_i);
    plussi_lru *lru;
    must(plussi_lru_new(&ctx, &lru));
    plussi_histo rd;
    plussi_histo_init(&rd, &plussi_mem_libc);
    for (size_t k = 0; k < N; k++) {
        trace[k] =
            (uint32_t)(_i == 0   ? plussi_rng_below(&rng, LINES)
                       : _i == 1 ? k % LINES
                                 : plussi_rng_below(&rng, 1 + plussi_rng_below(&rng, LINES)));
        uint64_t distance = plussi_lru_touch(lru, trace[k]);
        if (distance != PLUSSI_LRU_COLD)
            must(plussi_histo_add(&rd, distance, 1));
        else if (plussi_rng_below(&rng, 2))
            rd.cold++;
        else
            rd.thread_first++; /* misses at every size all the same */
    }
    plussi_mrc curve;
    must(plussi_mrc_from_rd(&ctx, &rd, &curve));
    check_curve(&curve, &rd);
    for (size_t c = 1; c <= LINES + 2; c++) {
        double expected = (double)simulate(trace, N, c) / N;
        ck_assert(fabs(plussi_mrc_at(&curve, (double)c) - expected) < 1e-12);
        ck_assert(plussi_mrc_at(&curve, (double)c + .75) == plussi_mrc_at(&curve, (double)c));
    }
    plussi_mrc_free(&curve);
    plussi_histo_free(&rd);
    plussi_lru_free(lru);
}
END_TEST

/* ---- from reuse intervals ----------------------------------------------------------------------
 */

/* P(RI > t) by adding up. */
static double above(const plussi_histo *h, uint64_t t)
{
    double sum = h->cold + h->thread_first;
    for (size_t i = 0; i < h->cap; i++)
        if (h->slot[i].weight != 0 && h->slot[i].key > t)
            sum += h->slot[i].weight;
    return sum / plussi_histo_total(h);
}

/* F(r) = sum over t < r of P(> t), one term after the other; the miss ratio at a size between F(r)
 * and F(r + 1) is P(> r). */
START_TEST(ri_term_by_term)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 31, (uint64_t)_i);
    for (int round = 0; round < 100; round++) {
        plussi_histo ri;
        random_histo(&rng, &ri);
        plussi_mrc curve;
        must(plussi_mrc_from_ri(&ctx, &ri, &curve));
        check_curve(&curve, &ri);
        double f = 0;
        for (uint64_t r = 0; r < 64; r++) {
            double p = above(&ri, r);
            if (p > 1e-9) { /* f is not exact: stay clear of the ends */
                ck_assert(fabs(plussi_mrc_at(&curve, f + .001 * p) - p) < 1e-9);
                ck_assert(fabs(plussi_mrc_at(&curve, f + .999 * p) - p) < 1e-9);
            } else {
                ck_assert(plussi_mrc_at(&curve, f + 1e-6) < 1e-9);
            }
            f += p;
        }
        plussi_mrc_free(&curve);
        plussi_histo_free(&ri);
    }
}
END_TEST

/* m lines in turn: all miss below m lines, none but the cold ones from m on. */
START_TEST(ri_of_a_cycle)
{
    for (uint64_t m = 1; m <= 1000000007; m = m * 7 + 3) {
        plussi_histo ri;
        plussi_histo_init(&ri, &plussi_mem_libc);
        must(plussi_histo_add(&ri, m, 30));
        ri.cold = _i ? 10 : 0;
        plussi_mrc curve;
        must(plussi_mrc_from_ri(&ctx, &ri, &curve));
        check_curve(&curve, &ri);
        ck_assert_uint_eq(curve.n, 2);
        ck_assert(plussi_mrc_at(&curve, (double)m - .001) == 1);
        ck_assert(plussi_mrc_at(&curve, (double)m) == (_i ? .25 : 0));
        ck_assert(plussi_mrc_at(&curve, 1e300) == (_i ? .25 : 0));
        plussi_mrc_free(&curve);
        plussi_histo_free(&ri);
    }
}
END_TEST

/* Independent uniform touches of m lines: AET is exact in the limit, the curve is 1 - c / m. Of
 * 400000 touches the sampling error is about 1 / sqrt(400000) = .0016. */
START_TEST(ri_of_independent_touches)
{
    enum { N = 400000, LINES = 300 };
    plussi_rng rng;
    plussi_rng_seed(&rng, 32, 0);
    plussi_lru *lru;
    must(plussi_lru_new(&ctx, &lru));
    plussi_histo rd, ri;
    plussi_histo_init(&rd, &plussi_mem_libc);
    plussi_histo_init(&ri, &plussi_mem_libc);
    size_t last[LINES];
    for (size_t k = 0; k < N; k++) {
        uint64_t line = plussi_rng_below(&rng, LINES), distance = plussi_lru_touch(lru, line);
        if (distance == PLUSSI_LRU_COLD) {
            ri.cold++;
            rd.cold++;
        } else {
            must(plussi_histo_add(&ri, k - last[line], 1));
            must(plussi_histo_add(&rd, distance, 1));
        }
        last[line] = k;
    }
    plussi_mrc by_ri, by_rd;
    must(plussi_mrc_from_ri(&ctx, &ri, &by_ri));
    must(plussi_mrc_from_rd(&ctx, &rd, &by_rd));
    check_curve(&by_ri, &ri);
    for (size_t c = 1; c < LINES; c++) {
        double expected = 1 - (double)c / LINES;
        ck_assert(fabs(plussi_mrc_at(&by_ri, (double)c) - expected) < .007);
        ck_assert(fabs(plussi_mrc_at(&by_rd, (double)c) - expected) < .007);
    }
    plussi_mrc_free(&by_ri);
    plussi_mrc_free(&by_rd);
    plussi_histo_free(&ri);
    plussi_histo_free(&rd);
    plussi_lru_free(lru);
}
END_TEST

START_TEST(weights_count_relatively)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 33, 0);
    for (int round = 0; round < 100; round++) {
        plussi_histo h, scaled;
        random_histo(&rng, &h);
        plussi_histo_init(&scaled, &plussi_mem_libc);
        must(plussi_histo_merge(&scaled, &h, 1024)); /* a power of two: not even rounding differs */
        plussi_mrc a, b;
        must(plussi_mrc_from_ri(&ctx, &h, &a));
        must(plussi_mrc_from_ri(&ctx, &scaled, &b));
        ck_assert_uint_eq(a.n, b.n);
        for (size_t i = 0; i < a.n; i++)
            ck_assert(a.size[i] == b.size[i] && a.miss[i] == b.miss[i]);
        plussi_mrc_free(&a);
        plussi_mrc_free(&b);
        plussi_histo_free(&h);
        plussi_histo_free(&scaled);
    }
}
END_TEST

/* Keys and weights at the ends of their ranges. */
START_TEST(extreme_histograms)
{
    plussi_histo h;
    plussi_histo_init(&h, &plussi_mem_libc);
    const uint64_t keys[] = {
        1, 2, ((uint64_t)1 << 53) + 1, ((uint64_t)1 << 53) + 2, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < 6; i++)
        must(plussi_histo_add(&h, keys[i], i % 2 ? 1e-300 : 1e9));
    plussi_mrc a, b;
    must(plussi_mrc_from_ri(&ctx, &h, &a));
    must(plussi_mrc_from_rd(&ctx, &h, &b));
    check_curve(&a, &h);
    check_curve(&b, &h);
    ck_assert(plussi_mrc_at(&a, 1e300) == 0 && plussi_mrc_at(&b, 1e300) == 0);
    plussi_mrc_free(&a);
    plussi_mrc_free(&b);
    plussi_histo_free(&h);
}
END_TEST

START_TEST(no_curve)
{
    plussi_histo h;
    plussi_histo_init(&h, &plussi_mem_libc);
    plussi_mrc curve = {.n = 99};
    ck_assert_int_eq(plussi_mrc_from_rd(&ctx, &h, &curve), PLUSS_EEMPTY);
    ck_assert_int_eq(plussi_mrc_from_ri(&ctx, &h, &curve), PLUSS_EEMPTY);
    must(plussi_histo_add(&h, 0, 1));
    ck_assert_int_eq(plussi_mrc_from_ri(&ctx, &h, &curve), PLUSS_EINVALID);
    ck_assert_uint_eq(ctx.n_diags, 3);
    ck_assert_uint_eq(curve.n, 99);
    must(plussi_mrc_from_rd(&ctx, &h, &curve)); /* distance 0 is a distance */
    ck_assert(plussi_mrc_at(&curve, .99) == 1 && plussi_mrc_at(&curve, 1) == 0);
    ck_assert(plussi_mrc_at(&curve, 0) == 1 && plussi_mrc_at(&curve, -5) == 1);
    plussi_mrc_free(&curve);
    plussi_histo_free(&h);
}
END_TEST

/* ---- grids and errors --------------------------------------------------------------------------
 */

START_TEST(strict_grid)
{
    const uint64_t small[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 19, 20};
    uint64_t *size;
    size_t n;
    must(plussi_grid_sizes(&ctx, PLUSSI_GRID_STRICT, 20, 64, &size, &n));
    ck_assert_uint_eq(n, sizeof small / sizeof *small);
    for (size_t i = 0; i < n; i++)
        ck_assert_uint_eq(size[i], small[i]);
    plussi_free(&ctx.mem, size);
    for (uint64_t footprint = 1; footprint < (uint64_t)1 << 62; footprint = footprint * 3 + 1) {
        must(plussi_grid_sizes(&ctx, PLUSSI_GRID_STRICT, footprint, 0, &size, &n));
        ck_assert_uint_eq(size[0], 1);
        ck_assert_uint_eq(size[n - 1], footprint);
        for (size_t i = 1; i < n; i++) {
            ck_assert_uint_gt(size[i], size[i - 1]);
            ck_assert(size[i] == size[i - 1] + 1 ||
                      (double)size[i] <= ((double)size[i - 1] + .5) * exp2(.125) + .5);
        }
        plussi_free(&ctx.mem, size);
    }
    must(plussi_grid_sizes(&ctx, PLUSSI_GRID_STRICT, UINT64_MAX, 64, &size, &n));
    ck_assert_uint_eq(size[n - 1], UINT64_MAX);
    ck_assert_uint_eq(size[n - 9], (uint64_t)1 << 63);
    plussi_free(&ctx.mem, size);
    ck_assert_int_eq(plussi_grid_sizes(&ctx, PLUSSI_GRID_STRICT, 0, 64, &size, &n), PLUSS_EINVAL);
}
END_TEST

START_TEST(paper_grid)
{
    uint64_t *size;
    size_t n;
    must(plussi_grid_sizes(&ctx, PLUSSI_GRID_PAPER, 0, 64, &size, &n));
    ck_assert(size[0] == 1 && size[n - 1] == 524288 && size[n - 5] == 262144);
    ck_assert_uint_eq(n, 77 - 5); /* 1 1 1 2 2 2 3 3 4 5 6 7 8 ... */
    plussi_free(&ctx.mem, size);
    ck_assert_int_eq(plussi_grid_sizes(&ctx, PLUSSI_GRID_PAPER, 9, 0, &size, &n), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_grid_sizes(&ctx, PLUSSI_GRID_PAPER, 9, UINT32_MAX, &size, &n),
                     PLUSS_EINVAL);
}
END_TEST

START_TEST(errors_by_hand)
{
    double at[] = {0, 2, 5}, high[] = {1, .8, .5}, low[] = {1, .5, .75};
    plussi_mrc a = {.n = 3, .size = at, .miss = high}, b = {.n = 3, .size = at, .miss = low};
    uint64_t sizes[] = {1, 3, 4, 9};
    plussi_mrc_error e;
    must(plussi_mrc_compare(&ctx, &a, &b, sizes, 4, &e));
    ck_assert(fabs(e.mean_abs - (.3 + .3 + .25) / 4) < 1e-15);
    ck_assert(fabs(e.mean_signed - (.3 + .3 - .25) / 4) < 1e-15);
    ck_assert(fabs(e.max_abs - .3) < 1e-15);
    ck_assert(e.max_at == 3 && e.n == 4);
    must(plussi_mrc_compare(&ctx, &a, &a, sizes, 4, &e));
    ck_assert(e.mean_abs == 0 && e.max_abs == 0 && e.mean_signed == 0);
    ck_assert_int_eq(plussi_mrc_compare(&ctx, &a, &b, sizes, 0, &e), PLUSS_EINVAL);
}
END_TEST

/* ---- lack of memory ----------------------------------------------------------------------------
 */

START_TEST(short_of_memory)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 35, 0);
    plussi_histo h;
    random_histo(&rng, &h);
    for (uint64_t k = 1; k < 200; k++) /* enough bins for the sort to want memory */
        must(plussi_histo_add(&h, k, 1));
    for (long budget = 0;; budget++) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_ctx short_ctx;
        plussi_ctx_init(&short_ctx, &m.mem);
        plussi_histo copy;
        plussi_histo_init(&copy, &m.mem);
        pluss_status status = plussi_histo_merge(&copy, &h, 1);
        plussi_mrc part[2] = {{.mem = m.mem}, {.mem = m.mem}};
        uint64_t *size = NULL;
        size_t n;
        if (status == PLUSS_OK)
            status = plussi_mrc_from_ri(&short_ctx, &copy, &part[0]);
        if (status == PLUSS_OK)
            status = plussi_mrc_from_rd(&short_ctx, &copy, &part[1]);
        if (status == PLUSS_OK)
            status = plussi_grid_sizes(&short_ctx, PLUSSI_GRID_STRICT, 99, 64, &size, &n);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_free(&m.mem, size);
        plussi_mrc_free(&part[0]);
        plussi_mrc_free(&part[1]);
        plussi_histo_free(&copy);
        plussi_ctx_clear(&short_ctx);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
    plussi_histo_free(&h);
}
END_TEST

static Suite *mrc_suite(void)
{
    Suite *suite = suite_create("mrc");
    TCase *tc = tcase_create("mrc");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, rd_as_simulated, 0, 3);
    tcase_add_loop_test(tc, ri_term_by_term, 0, 3);
    tcase_add_loop_test(tc, ri_of_a_cycle, 0, 2);
    tcase_add_test(tc, ri_of_independent_touches);
    tcase_add_test(tc, weights_count_relatively);
    tcase_add_test(tc, extreme_histograms);
    tcase_add_test(tc, no_curve);
    tcase_add_test(tc, strict_grid);
    tcase_add_test(tc, paper_grid);
    tcase_add_test(tc, errors_by_hand);
    tcase_add_test(tc, short_of_memory);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(mrc_suite())
