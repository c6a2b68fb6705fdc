/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * AET's distances corrected by counts from few draws (runtime/model/clock_calibrate.c): windows
 * whose true number of lines is known, counted as noisily as the model does.
 */
#include "suite.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/variates.h"
#include "failing_mem.h"
#include "model/clock_state.h"

enum { SAMPLES = 4000, KINDS = 4, AET_LINES = 100, DRAWS = 8 };

static plussi_ctx ctx;
static plussi_clock_sample sample[SAMPLES];
static plussi_bound_node ref[KINDS];
static plussi_clock_plan plan;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    for (uint32_t k = 0; k < KINDS; k++)
        ref[k].id = k + 1;
}

static void teardown(void)
{
    plussi_ctx_clear(&ctx);
}

static double truth(const double *ratio, size_t i)
{
    return ratio[i % KINDS] * AET_LINES;
}

/* Windows in one loop, kind after kind, of 900 to 1100 accesses and 100 lines by AET; every other
 * one is counted. */
static void make(const double *ratio, uint32_t draws, uint64_t seed)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, seed, 0);
    memset(sample, 0, sizeof sample);
    for (size_t i = 0; i < SAMPLES; i++) {
        plussi_clock_sample *x = &sample[i];
        x->weight = 1 + (double)(i % 3);
        x->part = (uint32_t)(i * PLUSSI_CLOCK_PROGRESS / SAMPLES);
        x->interval = 900 + plussi_rng_below(&rng, 200);
        x->distance = 1 + AET_LINES;
        x->ref = x->source = &ref[i % KINDS];
        x->draws = i / KINDS % 2 ? draws : 0;
        double p = truth(ratio, i) / (double)(x->interval - 1);
        if (x->draws)
            x->lines = (double)(x->interval - 1) * (double)plussi_draw_binomial(&rng, x->draws, p) /
                       x->draws;
    }
    plan = (plussi_clock_plan){
        .sample = sample, .n = SAMPLES, .n_parts = PLUSSI_CLOCK_PROGRESS, .accesses = SAMPLES};
}

/* Root mean square of what is left, in parts of AET's lines. */
static double left(const double *ratio)
{
    double sum = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        double off = (sample[i].distance - 1 - truth(ratio, i)) / AET_LINES;
        sum += off * off;
    }
    return sqrt(sum / SAMPLES);
}

START_TEST(kinds_of_windows_are_told_apart)
{
    static const double ratio[KINDS] = {.5, .9, 1, 1.6};
    make(ratio, DRAWS, 1);
    ck_assert_int_eq(plussi_clock_calibrate(&ctx, &plan), PLUSS_OK);
    double off = left(ratio);
    ck_assert_msg(off < .08, "%.4f", off); /* one draw is off by 2; AET, by .4 */
}
END_TEST

/* Where AET is right, the noise of the draws must not spoil it. */
START_TEST(noise_is_no_ratio)
{
    static const double ratio[KINDS] = {1, 1, 1, 1};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        make(ratio, DRAWS, seed);
        ck_assert_int_eq(plussi_clock_calibrate(&ctx, &plan), PLUSS_OK);
        double off = left(ratio);
        ck_assert_msg(off < .06, "seed %d: %.4f", (int)seed, off);
    }
}
END_TEST

START_TEST(nothing_counted_nothing_changed)
{
    static const double ratio[KINDS] = {.5, .9, 1, 1.6};
    make(ratio, 0, 1);
    ck_assert_int_eq(plussi_clock_calibrate(&ctx, &plan), PLUSS_OK);
    for (size_t i = 0; i < SAMPLES; i++)
        ck_assert_double_eq(sample[i].distance, 1 + AET_LINES);
    plan.n = 0;
    ck_assert_int_eq(plussi_clock_calibrate(&ctx, &plan), PLUSS_OK);
}
END_TEST

/* Short windows, of which nothing is drawn, are exact, and cold ones have none. */
START_TEST(what_is_known_stays)
{
    static const double ratio[KINDS] = {.5, .5, .5, .5};
    make(ratio, DRAWS, 1);
    for (size_t i = 0; i < SAMPLES; i += 5) {
        *(i % 2 ? &sample[i].cold : &sample[i].exact) = true;
        sample[i].draws = 0;
    }
    ck_assert_int_eq(plussi_clock_calibrate(&ctx, &plan), PLUSS_OK);
    for (size_t i = 0; i < SAMPLES; i++) {
        if (i % 5 == 0)
            ck_assert_double_eq(sample[i].distance, 1 + AET_LINES);
        else
            ck_assert_double_eq_tol(sample[i].distance, 1 + AET_LINES / 2., .1 * AET_LINES);
    }
}
END_TEST

/* Where windows are listed in place of draws, all windows of their kind are placed without noise.
 */
START_TEST(listed_windows_place_their_kind)
{
    static const double ratio[KINDS] = {.5, .9, 1, 1.6};
    make(ratio, DRAWS, 1);
    for (size_t i = 0; i < SAMPLES; i++)
        if (sample[i].draws) {
            sample[i].exact = true;
            sample[i].lines = truth(ratio, i);
        }
    ck_assert_int_eq(plussi_clock_calibrate(&ctx, &plan), PLUSS_OK);
    double off = left(ratio);
    ck_assert_msg(off < .002, "%.4f", off);
}
END_TEST

START_TEST(memory_runs_out)
{
    static const double ratio[KINDS] = {.5, .9, 1, 1.6};
    failing_mem mem;
    failing_mem_init(&mem, 0);
    plussi_ctx poor;
    plussi_ctx_init(&poor, &mem.mem);
    make(ratio, DRAWS, 1);
    ck_assert_int_eq(plussi_clock_calibrate(&poor, &plan), PLUSS_ENOMEM);
    for (size_t i = 0; i < SAMPLES; i++)
        ck_assert_double_eq(sample[i].distance, 1 + AET_LINES);
    plussi_ctx_clear(&poor);
    ck_assert_int_eq(mem.live, 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("clock_ratio");
    TCase *c = tcase_create("clock_ratio");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, kinds_of_windows_are_told_apart);
    tcase_add_test(c, noise_is_no_ratio);
    tcase_add_test(c, nothing_counted_nothing_changed);
    tcase_add_test(c, what_is_known_stays);
    tcase_add_test(c, listed_windows_place_their_kind);
    tcase_add_test(c, memory_runs_out);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
