/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "failing_mem.h"
#include "histo_tools.h"
#include "model/cri.h"
#include "model/cri_line.h"
#include "model/nbd.h"
#include "model/racetrack.h"
#include "suite.h"

static plussi_ctx ctx;
static plussi_pri pri;
static plussi_histo h, expected, piece;

enum { SHORT_REF, SHARED_REF, SPATIAL_REF, N_REFS };

static void add(uint32_t ref, uint64_t interval, double weight)
{
    ck_assert_int_eq(plussi_histo_add(&pri.ref[ref].histo, interval, weight), PLUSS_OK);
    pri.accesses += weight;
}

/* Collected at T = 4: a private reference, a shared one, one whose lines pairs of threads share. */
static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    ck_assert_int_eq(plussi_pri_init(&ctx, N_REFS, 4, &pri), PLUSS_OK);
    plussi_histo_init(&h, &plussi_mem_libc);
    plussi_histo_init(&expected, &plussi_mem_libc);
    plussi_histo_init(&piece, &plussi_mem_libc);
    pri.ref[SHARED_REF].sharing = PLUSSI_SHARING_FULL;
    pri.ref[SHARED_REF].sharers = 4;
    pri.ref[SPATIAL_REF].sharing = PLUSSI_SHARING_SPATIAL;
    pri.ref[SPATIAL_REF].sharers = 2;
    pri.ref[SPATIAL_REF].chunks_per_line = 2;
}

static void teardown(void)
{
    plussi_pri_free(&pri);
    plussi_histo_free(&h);
    plussi_histo_free(&expected);
    plussi_histo_free(&piece);
    plussi_ctx_clear(&ctx);
}

static void expect_nbd(uint64_t r, uint32_t T, double weight)
{
    ck_assert_int_eq(plussi_nbd_dilate(r, T, 1e-4, 8, &piece), PLUSS_OK);
    ck_assert_int_eq(plussi_histo_merge(&expected, &piece, weight), PLUSS_OK);
}

static void expect_race(uint64_t interval, uint32_t runners, double weight)
{
    ck_assert_int_eq(plussi_racetrack_split(interval, runners, 8, &piece), PLUSS_OK);
    for (size_t i = 0; i < piece.cap; i++)
        if (piece.slot[i].weight != 0)
            ck_assert_int_eq(plussi_histo_add(&expected,
                                              plussi_histo_quantise(piece.slot[i].key, 8),
                                              weight * piece.slot[i].weight),
                             PLUSS_OK);
}

static void expect_mass(uint64_t key, double weight)
{
    ck_assert_int_eq(plussi_histo_add(&expected, key, weight), PLUSS_OK);
}

static void check_cri(uint32_t T)
{
    ck_assert_int_eq(plussi_cri(&ctx, &pri, T, NULL, &h), PLUSS_OK);
    ck_assert(histo_equal(&h, &expected, 1e-12));
}

static void check_cri_line(uint32_t T)
{
    ck_assert_int_eq(plussi_cri_line(&ctx, &pri, T, NULL, &h), PLUSS_OK);
    ck_assert(histo_equal(&h, &expected, 1e-12));
}

static double mean_of(const plussi_histo *x)
{
    double sum = 0;
    for (size_t i = 0; i < x->cap; i++)
        sum += (double)x->slot[i].key * x->slot[i].weight;
    return sum / (plussi_histo_total(x) - x->cold);
}

/* ---- table 1 ------------------------------------------------------------------------------------
 */

/* Laps are taken at the middle of their bin; below 2^9 each length has one of its own. */
START_TEST(table_1)
{
    for (uint32_t T = 2; T <= 64; T *= 2) {
        histo_clear(&expected);
        for (uint32_t ref = 0; ref < N_REFS; ref++)
            histo_clear(&pri.ref[ref].histo);
        add(SHORT_REF, 7, 30);
        expect_nbd(7, T, 30);
        add(SHORT_REF, 5000, 10);
        expect_mass(5000 * (uint64_t)T, 10);
        add(SHARED_REF, 12, 20);
        expect_nbd(12, T, 20);
        add(SHARED_REF, 4100, 40);
        expect_race(plussi_histo_quantise(4100, 8) * T, T, 40);
        add(SPATIAL_REF, 3, 8);
        expect_nbd(3, T, 8);
        add(SPATIAL_REF, 9000, 2);
        expect_mass(9000 * (uint64_t)T, 2);
        pri.ref[SHORT_REF].histo.cold = expected.cold = 5;
        check_cri(T);
    }
}
END_TEST

START_TEST(threshold_is_theorem_3_1)
{
    ck_assert_uint_eq(plussi_cri_default().threshold, 2052);
    add(SHORT_REF, 2052, 1);
    add(SHORT_REF, 2053, 1);
    expect_nbd(2052, 4, 1);
    expect_mass(2053 * 4, 1);
    check_cri(4);
    plussi_cri_params params = plussi_cri_default();
    params.threshold = 2053;
    histo_clear(&expected);
    expect_nbd(2052, 4, 1);
    expect_nbd(2053, 4, 1);
    ck_assert_int_eq(plussi_cri(&ctx, &pri, 4, &params, &h), PLUSS_OK);
    ck_assert(histo_equal(&h, &expected, 1e-12));
}
END_TEST

/* By line: the spatial reference's lines have two runners. */
START_TEST(lines_decide)
{
    add(SHORT_REF, 65, 30);
    expect_mass(65 * 4, 30);
    add(SHARED_REF, 64, 20);
    expect_nbd(64, 4, 20);
    add(SHARED_REF, 256, 20);
    expect_race(256 * 4, 4, 20);
    add(SPATIAL_REF, 20, 5);
    expect_nbd(20, 4, 5);
    add(SPATIAL_REF, 300, 6);
    expect_race(300 * 4, 2, 6);
    check_cri_line(4);
}
END_TEST

/* One boundary line in five is shared: so is one in five of the long intervals. */
START_TEST(few_shared_lines)
{
    pri.ref[SPATIAL_REF].chunks_per_line = 1.2;
    add(SPATIAL_REF, 300, 10);
    expect_mass(300 * 4, 8);
    expect_race(300 * 4, 2, 2);
    check_cri_line(4);
    /* smaller blocks for more threads: twice as many */
    pri.ref[SPATIAL_REF].by_block = true;
    histo_clear(&expected);
    expect_mass(300 * 8, 6);
    expect_race(300 * 8, 2, 4);
    check_cri_line(8);
}
END_TEST

START_TEST(sharers_follow_the_team)
{
    uint32_t sharers = 0;
    double part = 0;
    pri.ref[SPATIAL_REF].chunks_per_line = 8;
    plussi_sharing_at(&pri, SPATIAL_REF, 4, &sharers, &part);
    ck_assert(sharers == 4 && part == 1);
    plussi_sharing_at(&pri, SPATIAL_REF, 64, &sharers, &part);
    ck_assert(sharers == 8 && part == 1);
    plussi_sharing_at(&pri, SPATIAL_REF, 1, &sharers, &part);
    ck_assert(sharers == 1 && part == 0);
    pri.ref[SPATIAL_REF].chunks_per_line = 0;
    pri.ref[SPATIAL_REF].sharers = 3;
    plussi_sharing_at(&pri, SPATIAL_REF, 64, &sharers, &part);
    ck_assert(sharers == 3 && part == 1);
    plussi_sharing_at(&pri, SHARED_REF, 64, &sharers, &part);
    ck_assert(sharers == 64 && part == 1);
    pri.ref[SHARED_REF].own_team = 6;
    plussi_sharing_at(&pri, SHARED_REF, 64, &sharers, &part);
    ck_assert(sharers == 6 && part == 1);
    plussi_sharing_at(&pri, SHORT_REF, 64, &sharers, &part);
    ck_assert(sharers == 1 && part == 0);
}
END_TEST

/* ---- first touches ------------------------------------------------------------------------------
 */

START_TEST(first_touches_run_on_the_reference_s_track)
{
    add(SHARED_REF, 5, 100);
    add(SHARED_REF, 4096, 30);
    add(SHORT_REF, 9, 7);
    pri.ref[SHARED_REF].histo.cold = expected.cold = 10;
    pri.ref[SHARED_REF].histo.thread_first = 30;
    expect_nbd(5, 4, 100);
    expect_nbd(9, 4, 7);
    expect_race(plussi_histo_quantise(4096, 8) * 4, 4, 60);
    check_cri(4);
    ck_assert(h.thread_first == 0);
}
END_TEST

START_TEST(first_touches_without_long_intervals)
{
    add(SHARED_REF, 5, 90);
    add(SHARED_REF, 6, 10);
    pri.ref[SHARED_REF].histo.thread_first = 20;
    expect_nbd(5, 4, 108);
    expect_nbd(6, 4, 12);
    check_cri(4);
}
END_TEST

START_TEST(references_of_first_touches_alone)
{
    pri.ref[SHARED_REF].histo.thread_first = 12;
    add(SHORT_REF, 9, 6);
    expect_nbd(9, 4, 18);
    check_cri(4);
    add(SPATIAL_REF, 10000, 6);
    histo_clear(&expected);
    expect_nbd(9, 4, 6);
    expect_mass(40000, 18);
    check_cri(4);
}
END_TEST

START_TEST(program_of_first_touches_alone)
{
    pri.ref[SHARED_REF].histo.thread_first = 300;
    pri.ref[SHARED_REF].histo.cold = expected.cold = 100;
    pri.accesses = 400;
    expect_race(400, 4, 300);
    check_cri(4);
}
END_TEST

/* ---- symbolic T ---------------------------------------------------------------------------------
 */

static void fill(void)
{
    add(SHORT_REF, 1, 500);
    add(SHORT_REF, 40, 300);
    add(SHORT_REF, 70000, 40);
    add(SHARED_REF, 3, 700);
    add(SHARED_REF, 30000, 90);
    add(SPATIAL_REF, 4, 100);
    add(SPATIAL_REF, 2500, 50);
    pri.ref[SHARED_REF].histo.cold = 25;
    pri.ref[SHARED_REF].histo.thread_first = 75;
    pri.ref[SPATIAL_REF].histo.cold = 10;
    pri.accesses += 110;
}

/* What went in comes out: nothing overwritten, nothing cut. */
START_TEST(no_access_is_lost)
{
    fill();
    for (uint32_t T = 1; T <= 1024; T *= 2) {
        ck_assert_int_eq(plussi_cri(&ctx, &pri, T, NULL, &h), PLUSS_OK);
        ck_assert_double_eq_tol(plussi_histo_total(&h), pri.accesses, 1e-9);
        ck_assert(h.cold == 35 && h.thread_first == 0);
        ck_assert_int_eq(plussi_cri_line(&ctx, &pri, T, NULL, &h), PLUSS_OK);
        ck_assert_double_eq_tol(plussi_histo_total(&h), pri.accesses, 1e-9);
    }
}
END_TEST

START_TEST(histograms_are_not_touched)
{
    fill();
    plussi_histo before;
    plussi_histo_init(&before, &plussi_mem_libc);
    for (uint32_t ref = 0; ref < N_REFS; ref++) {
        histo_clear(&before);
        ck_assert_int_eq(plussi_histo_merge(&before, &pri.ref[ref].histo, 1), PLUSS_OK);
        ck_assert_int_eq(plussi_cri(&ctx, &pri, 16, NULL, &h), PLUSS_OK);
        ck_assert_int_eq(plussi_cri_line(&ctx, &pri, 64, NULL, &h), PLUSS_OK);
        ck_assert(histo_equal(&before, &pri.ref[ref].histo, 0));
    }
    plussi_histo_free(&before);
}
END_TEST

/* T is a value: in one process, each T has its own answer, and T = 4 has the same before and after
 * T = 64. A private program's intervals grow as T; RI 1 stays 1 with probability 1/T. */
START_TEST(team_size_is_a_run_time_value)
{
    add(SHORT_REF, 1, 100);
    add(SHORT_REF, 10000, 100);
    for (uint32_t T = 1; T <= 64; T++) {
        ck_assert_int_eq(plussi_cri(&ctx, &pri, T, NULL, &h), PLUSS_OK);
        ck_assert_double_eq_tol(mean_of(&h), 5000.5 * T, 1e-3 * T);
        ck_assert_double_eq_tol(plussi_histo_get(&h, 1), 100.0 / T, 1e-4 * 100);
        ck_assert(plussi_histo_get(&h, 0) == 0);
    }
    ck_assert_int_eq(plussi_cri(&ctx, &pri, 4, NULL, &expected), PLUSS_OK);
    check_cri(4);
}
END_TEST

/* A lap of the shared data takes T r of all accesses and T runners pass: r on average, for any T.
 */
START_TEST(racetrack_keeps_the_mean)
{
    add(SHARED_REF, 1 << 16, 100);
    for (uint32_t T = 2; T <= 64; T *= 2) {
        ck_assert_int_eq(plussi_cri(&ctx, &pri, T, NULL, &h), PLUSS_OK);
        ck_assert_double_eq_tol(mean_of(&h), 65536, 65536 * 2e-3);
    }
}
END_TEST

START_TEST(one_thread_is_identity)
{
    fill();
    ck_assert_int_eq(plussi_cri(&ctx, &pri, 1, NULL, &h), PLUSS_OK);
    ck_assert(plussi_histo_get(&h, 1) == 500 && plussi_histo_get(&h, 40) == 300);
    ck_assert(plussi_histo_get(&h, 3) == 700 && plussi_histo_get(&h, 4) == 100);
    ck_assert_double_eq_tol(plussi_histo_get(&h, 30000), 90 + 75, 1e-9);
    ck_assert_uint_eq(h.n, 7);
}
END_TEST

/* Serial code is not dilated: nobody else runs. */
START_TEST(serial_code_stays)
{
    pri.ref[SHORT_REF].own_team = 1;
    add(SHORT_REF, 11, 5);
    add(SHORT_REF, 11000, 5);
    expect_mass(11, 5);
    expect_mass(11000, 5);
    check_cri(16);
    check_cri_line(16);
}
END_TEST

/* A reference sampled at one access in ten comes with weight ten, and counts as if it had been
 * sampled whole. */
START_TEST(weights_count)
{
    add(SHORT_REF, 2, 1000);
    add(SHARED_REF, 8192, 100);
    ck_assert_int_eq(plussi_cri(&ctx, &pri, 8, NULL, &expected), PLUSS_OK);
    histo_clear(&pri.ref[SHORT_REF].histo);
    histo_clear(&pri.ref[SHARED_REF].histo);
    for (int i = 0; i < 100; i++)
        add(SHORT_REF, 2, 10);
    for (int i = 0; i < 50; i++)
        add(SHARED_REF, 8192, 2);
    check_cri(8);
    ck_assert_double_eq_tol(plussi_histo_total(&h), 1100, 1e-9);
}
END_TEST

/* ---- errors -------------------------------------------------------------------------------------
 */

START_TEST(errors_leave_out_untouched)
{
    ck_assert_int_eq(plussi_histo_add(&h, 77, 5), PLUSS_OK);
    add(SHORT_REF, UINT64_MAX / 2, 1);
    ck_assert_int_eq(plussi_cri(&ctx, &pri, 3, NULL, &h), PLUSS_ERANGE);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_int_eq(plussi_cri(&ctx, &pri, 0, NULL, &h), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_cri_line(&ctx, &pri, 0, NULL, &h), PLUSS_EINVAL);
    plussi_cri_params params = plussi_cri_default();
    params.bits = 0;
    ck_assert_int_eq(plussi_cri(&ctx, &pri, 2, &params, &h), PLUSS_EINVAL);
    params = plussi_cri_default();
    params.cut = 0.01;
    ck_assert_int_eq(plussi_cri(&ctx, &pri, 2, &params, &h), PLUSS_EINVAL);
    ck_assert_uint_eq(ctx.n_diags, 5);
    ck_assert(plussi_histo_get(&h, 77) == 5 && h.n == 1);
    ck_assert_int_eq(plussi_cri(&ctx, &pri, 2, NULL, &h), PLUSS_OK);
}
END_TEST

START_TEST(survives_lack_of_memory)
{
    fill();
    plussi_cri_params params = plussi_cri_default();
    params.bits = 4;
    for (long budget = 0;; budget++) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_ctx short_ctx;
        plussi_ctx_init(&short_ctx, &m.mem);
        plussi_histo out;
        plussi_histo_init(&out, &m.mem);
        for (uint32_t ref = 0; ref < N_REFS; ref++)
            pri.ref[ref].histo.mem = m.mem; /* sorted bins come from there */
        pluss_status status = plussi_cri(&short_ctx, &pri, 4, &params, &out);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        ck_assert_int_eq(out.n > 0, status == PLUSS_OK);
        plussi_histo_free(&out);
        plussi_ctx_clear(&short_ctx);
        for (uint32_t ref = 0; ref < N_REFS; ref++)
            pri.ref[ref].histo.mem = plussi_mem_libc;
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cri");
    TCase *c = tcase_create("cri");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, table_1);
    tcase_add_test(c, threshold_is_theorem_3_1);
    tcase_add_test(c, first_touches_run_on_the_reference_s_track);
    tcase_add_test(c, first_touches_without_long_intervals);
    tcase_add_test(c, references_of_first_touches_alone);
    tcase_add_test(c, program_of_first_touches_alone);
    tcase_add_test(c, no_access_is_lost);
    tcase_add_test(c, histograms_are_not_touched);
    tcase_add_test(c, team_size_is_a_run_time_value);
    tcase_add_test(c, racetrack_keeps_the_mean);
    tcase_add_test(c, one_thread_is_identity);
    tcase_add_test(c, serial_code_stays);
    tcase_add_test(c, weights_count);
    tcase_add_test(c, errors_leave_out_untouched);
    tcase_add_test(c, survives_lack_of_memory);
    suite_add_tcase(s, c);
    c = tcase_create("cri_line");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, lines_decide);
    tcase_add_test(c, few_shared_lines);
    tcase_add_test(c, sharers_follow_the_team);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
