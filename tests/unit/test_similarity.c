/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Similarity of profiles and the sizes at which caches begin to differ, against sums over every
 * size.
 */
#include "profile/similarity.h"

#include <math.h>

#include "base/rng.h"
#include "failing_mem.h"
#include "suite.h"

enum { DEEPEST = 9000, LINE = 64, LINEAR = 2048 /* lines in 128 KB */ };

static plussi_ctx ctx;
static plussi_histo a, b;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    plussi_histo_init(&a, &ctx.mem);
    plussi_histo_init(&b, &ctx.mem);
}

static void teardown(void)
{
    plussi_histo_free(&a);
    plussi_histo_free(&b);
    plussi_ctx_clear(&ctx);
}

static void fill(plussi_histo *h, uint64_t seed, int n, uint64_t deepest)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, seed, 0);
    for (int i = 0; i < n; i++) {
        const uint64_t most = 1 + plussi_rng_below(&rng, deepest);
        ck_assert(!plussi_histo_add(h, plussi_rng_below(&rng, most), 1 + (double)(i % 5)));
    }
    ck_assert(!plussi_histo_add(h, deepest - 1, 3));
    h->cold = 70 + (double)seed;
    h->thread_first = 11;
    h->coherence = 5 * (double)seed;
}

/* The first depth of bin i, from 0. */
static double edge(plussi_binning binning, int i)
{
    if (binning == PLUSSI_BINNING_OCTAVES)
        return ceil(exp2(i / 8.0) - 1e-9);
    return i == 0 ? 1 : i <= 11 ? exp2(i - 1) + 1 : (i - 10) * LINEAR - LINEAR + 1;
}

static double sum(const plussi_histo *h, double from, double to)
{
    double weight = 0;
    for (size_t i = 0; i < h->cap; i++) {
        const double depth = (double)h->slot[i].key + 1;
        weight += depth >= from && depth < to ? h->slot[i].weight : 0;
    }
    return weight;
}

START_TEST(bins_by_size)
{
    const plussi_binning binning = (plussi_binning)(_i % 2);
    plussi_similarity s;
    fill(&a, 1 + (uint64_t)_i, 3000, DEEPEST / 3 * 2);
    fill(&b, 2 + (uint64_t)_i / 3, 2000, DEEPEST);
    double off = 0, errors = 0, n = 0;
    int bins = 0;
    while (edge(binning, bins) <= DEEPEST)
        bins++;
    for (int i = 0; i < bins; i++) {
        const double from = edge(binning, i), to = edge(binning, i + 1);
        off += fabs(sum(&a, from, to) - sum(&b, from, to));
        const bool in = binning == PLUSSI_BINNING_PAPER ? i <= bins / 2 : from <= DEEPEST / 2;
        const double p = sum(&a, from, INFINITY) + a.coherence;
        const double m = sum(&b, from, INFINITY) + b.coherence;
        errors += in ? fabs(p - m) / m : 0;
        n += in;
    }
    ck_assert(!plussi_compare_profiles(&a, &b, binning, LINE, &s));
    ck_assert_double_eq_tol(s.profile, 1 - off / 2 / sum(&b, 0, INFINITY), 1e-12);
    ck_assert_double_eq_tol(s.performance, 1 - errors / n, 1e-12);
    ck_assert(s.profile > 0.2 && s.profile < 0.99);
    ck_assert(!plussi_compare_profiles(&a, &a, binning, LINE, &s));
    ck_assert(s.profile == 1 && s.performance == 1);
}
END_TEST

START_TEST(without_distances)
{
    plussi_similarity s;
    a.cold = b.cold = 3;
    ck_assert(!plussi_compare_profiles(&a, &b, PLUSSI_BINNING_PAPER, LINE, &s));
    ck_assert(s.profile == 1 && s.performance == 1);
    ck_assert(!plussi_histo_add(&a, 5, 1));
    ck_assert(!plussi_compare_profiles(&a, &b, PLUSSI_BINNING_PAPER, LINE, &s));
    ck_assert(s.profile == 0);
}
END_TEST

/* The one-thread curve falls before the other; both meet at their cold misses. */
START_TEST(sizes)
{
    plussi_mrc one, many, own;
    plussi_histo private_;
    const uint32_t team = 4;
    plussi_histo_init(&private_, &ctx.mem);
    fill(&a, 1, 3000, 500 + 100 * (uint64_t)_i);
    fill(&b, 2, 3000, 2000);
    ck_assert(!plussi_histo_add(&a, 7000, 50) && !plussi_histo_add(&b, 7000, 50));
    fill(&private_, 3, 3000, 700 + 50 * (uint64_t)_i);
    private_.coherence = 40;
    a.coherence = b.coherence = 0;
    ck_assert(!plussi_mrc_from_rd(&ctx, &a, &one) && !plussi_mrc_from_rd(&ctx, &b, &many) &&
              !plussi_mrc_from_rd(&ctx, &private_, &own));
    double core = 0, share = 0, half = 7001 / 2.0;
#define MISSES(curve, size) ((curve).accesses * plussi_mrc_at(&(curve), size))
    const double merged = MISSES(many, half) / MISSES(one, half);
    for (int c = 3500; c > 0 && core == 0; c--)
        if (MISSES(many, c) >= 1.5 * merged * MISSES(one, c))
            core = c + 1;
    for (int c = (int)team; c < 9000 && share == 0; c++)
        if (MISSES(many, c) <= 0.9 * MISSES(own, (double)c / team))
            share = c;
    const plussi_latencies latencies[] = {{4, 10, 200}, {10, 10, 50}, {1, 150, 200}};
    for (int l = 0; l < 3; l++) {
        double cost = 0;
        for (int c = (int)team; c < 9000 && cost == 0; c++)
            if (latencies[l].shared + latencies[l].memory * plussi_mrc_at(&many, c) <
                latencies[l].own + latencies[l].memory * plussi_mrc_at(&own, (double)c / team))
                cost = c;
        ck_assert_double_eq(plussi_find_c_cost(&many, &own, team, &latencies[l]), cost);
    }
    ck_assert_double_eq(plussi_find_c_core(&one, &many), core);
    ck_assert_double_eq(plussi_find_c_share(&many, &own, team), share);
    ck_assert(core > 100 && (share > 0 || _i > 0));
    ck_assert_double_eq(plussi_find_c_core(&many, &many), 0);
    double mean = 0, greatest = 0, sum = 0, most = 0;
    for (int c = 10; c < core; c++) {
        sum += MISSES(many, c) / MISSES(one, c);
        most = fmax(most, MISSES(many, c) / MISSES(one, c));
    }
    ck_assert(plussi_find_growth(&one, &many, 10, core, &mean, &greatest));
    ck_assert(fabs(mean - sum / (core - 10)) < 1e-9 && fabs(greatest - most) < 1e-9);
    ck_assert(!plussi_find_growth(&one, &many, core, core, &mean, &greatest));
    plussi_mrc_free(&one), plussi_mrc_free(&many), plussi_mrc_free(&own);
    plussi_histo_free(&private_);
}
END_TEST

START_TEST(short_of_memory)
{
    plussi_similarity s = {2, 2};
    fill(&b, 2, 20, 90);
    for (long budget = 0; budget < 3; budget++) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_histo few = b;
        few.mem = m.mem;
        ck_assert_int_eq(plussi_compare_profiles(&few, &few, PLUSSI_BINNING_OCTAVES, LINE, &s),
                         m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        ck_assert_int_eq(m.live, 0);
        ck_assert(m.failed == (budget < 2));
    }
}
END_TEST

static Suite *similarity_suite(void)
{
    Suite *suite = suite_create("similarity");
    TCase *tc = tcase_create("similarity");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, bins_by_size, 0, 6);
    tcase_add_test(tc, without_distances);
    tcase_add_loop_test(tc, sizes, 0, 6);
    tcase_add_test(tc, short_of_memory);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(similarity_suite())
