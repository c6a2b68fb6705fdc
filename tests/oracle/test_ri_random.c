/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The walked random interleaving against the formulas that describe it: where threads share
 * nothing its intervals follow the negative binomial, where they circle on shared data long enough
 * the racetrack.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../unit/failing_mem.h"
#include "../unit/histo_tools.h"
#include "../unit/suite.h"
#include "model/cri.h"
#include "model/nbd.h"
#include "model/racetrack.h"
#include "model/ri_random.h"

static plussi_ctx ctx;
static plussi_nest *nest;
static plussi_bound *bound;
static plussi_histo h, other;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    plussi_histo_init(&h, &plussi_mem_libc);
    plussi_histo_init(&other, &plussi_mem_libc);
}

static void release(void)
{
    plussi_bound_free(bound);
    plussi_nest_free(nest);
    bound = NULL;
    nest = NULL;
}

static void teardown(void)
{
    release();
    plussi_histo_free(&h);
    plussi_histo_free(&other);
    plussi_ctx_clear(&ctx);
}

static void load(uint32_t team, const char *text)
{
    release();
    pluss_status status = plussi_nest_parse(&ctx, text, strlen(text), "test", &nest);
    plussi_bind_options options = {.team = team, .line_bytes = 64};
    if (status == PLUSS_OK)
        status = plussi_bind(&ctx, nest, &options, &bound);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "?");
}

/* P(interval <= key) */
static double below(const plussi_histo *x, uint64_t key)
{
    double sum = 0;
    for (size_t i = 0; i < x->cap; i++)
        if (x->slot[i].weight != 0 && x->slot[i].key <= key)
            sum += x->slot[i].weight;
    return sum / (plussi_histo_total(x) - x->cold - x->thread_first);
}

static const char gemm[] = "pluss-nest 1\nregion gemm\narray f64 A[24][20], B[20][28], C[24][28]\n"
                           "parallel for i in 0..24 schedule(static, 1) { for j in 0..28 {"
                           " read C[i][j] write C[i][j] for k in 0..20 { read A[i][k] read B[k][j]"
                           " read C[i][j] write C[i][j] } } }";

START_TEST(counts)
{
    load(4, gemm);
    ck_assert_int_eq(plussi_ri_random(&ctx, bound, 1, NULL, &h), PLUSS_OK);
    ck_assert(plussi_histo_total(&h) == 24 * 28 * (2 + 4 * 20));
    ck_assert(h.cold == (24 * 20 + 20 * 28 + 24 * 28) / 8);
    ck_assert(h.thread_first == 0);
    ck_assert_int_eq(plussi_ri_random(&ctx, bound, 1, NULL, &other), PLUSS_OK);
    ck_assert(histo_equal(&h, &other, 0));
    ck_assert_int_eq(plussi_ri_random(&ctx, bound, 2, NULL, &other), PLUSS_OK);
    ck_assert(!histo_equal(&h, &other, 1e-9));
    ck_assert(plussi_histo_total(&h) == plussi_histo_total(&other));
}
END_TEST

/* Alone, a thread's concurrent intervals are its private ones, and cri's too. */
START_TEST(one_thread)
{
    load(1, gemm);
    plussi_pri pri;
    ck_assert_int_eq(plussi_ri_random(&ctx, bound, 9, NULL, &h), PLUSS_OK);
    ck_assert_int_eq(plussi_pri_walk(&ctx, bound, 9, NULL, &pri), PLUSS_OK);
    for (uint32_t r = 0; r < pri.n_refs; r++)
        ck_assert_int_eq(plussi_histo_merge(&other, &pri.ref[r].histo, 1), PLUSS_OK);
    ck_assert(histo_equal(&h, &other, 0));
    ck_assert_int_eq(plussi_cri(&ctx, &pri, 1, NULL, &other), PLUSS_OK);
    ck_assert(histo_equal(&h, &other, 1e-12));
    plussi_pri_free(&pri);
}
END_TEST

static const char long_laps[] =
    "pluss-nest 1\nregion gemm\narray f64 A[24][20], B[20][64], C[24][64]\n"
    "parallel for i in 0..24 schedule(static, 1) { for j in 0..64 { read C[i][j] write C[i][j]"
    " for k in 0..20 { read A[i][k] read B[k][j] read C[i][j] write C[i][j] } } }";

/* Cold accesses, short intervals and the racetrack's share of gemm do not hang on the team at which
 * the private intervals were collected, though T0 - 1 first touches a line and thread are not in
 * any interval. */
START_TEST(any_collection_serves)
{
    static const uint64_t key[] = {1, 10, 100, 300, 1000, 5000, 10000, 20000, 40000};
    plussi_histo cri[3];
    for (int i = 0; i < 3; i++) {
        plussi_pri pri;
        plussi_histo_init(&cri[i], &plussi_mem_libc);
        load((uint32_t)2 << i, long_laps);
        ck_assert_int_eq(plussi_pri_walk(&ctx, bound, 9, NULL, &pri), PLUSS_OK);
        ck_assert_int_eq(plussi_cri(&ctx, &pri, 16, NULL, &cri[i]), PLUSS_OK);
        ck_assert_double_eq_tol(cri[i].cold, cri[0].cold, 1e-9);
        ck_assert_double_eq_tol(plussi_histo_total(&cri[i]), pri.accesses, 1e-6);
        for (size_t k = 0; k < sizeof key / sizeof *key; k++)
            ck_assert_double_eq_tol(below(&cri[i], key[k]), below(&cri[0], key[k]), 1e-3);
        plussi_pri_free(&pri);
    }
    for (int i = 0; i < 3; i++)
        plussi_histo_free(&cri[i]);
}
END_TEST

/* Each thread circles over r lines of its own. Counts of 30,000 nearly independent intervals:
 * within five standard deviations of the distribution function. */
START_TEST(private_data_follow_the_negative_binomial)
{
    for (uint32_t T = 2; T <= 8; T *= 2)
        for (uint64_t r = 1; r <= 25; r *= 5) {
            char text[512];
            uint64_t laps = 30000 / r;
            snprintf(text, sizeof text,
                     "pluss-nest 1\nregion r\narray f64 x[8][200]\nparallel { for lap in 0..%d {"
                     " for k in 0..%d { read x[$thread][8*k] } } }",
                     (int)laps, (int)r);
            load(T, text);
            ck_assert_int_eq(plussi_ri_random(&ctx, bound, T + r, NULL, &h), PLUSS_OK);
            ck_assert_int_eq(plussi_nbd_dilate(r, T, 1e-9, 12, &other), PLUSS_OK);
            double n = plussi_histo_total(&h) - h.cold;
            ck_assert(n == (double)(T * r * (laps - 1)));
            for (double z = -2; z <= 2; z += 0.5) {
                double sd = sqrt((double)r * T * (T - 1.0));
                uint64_t key = (uint64_t)fmax((double)r, round((double)r * T + z * sd));
                double model = below(&other, key), spread = sqrt(model * (1 - model) / n);
                /* intervals of neighbouring lines overlap: r of them hold the news of about one */
                ck_assert_double_eq_tol(below(&h, key), model, 5 * spread * sqrt((double)r) + 1e-6);
            }
        }
}
END_TEST

/* T threads circle over the same 64 lines; 64^2 accesses mix the gaps, they make 40 times that.
 * What is left: the track is 64 slabs, not a line, and the gaps of one run are few. */
START_TEST(shared_data_follow_the_racetrack)
{
    for (uint32_t T = 2; T <= 8; T *= 2) {
        load(T, "pluss-nest 1\nregion r\narray f64 x[512]\nparallel { for lap in 0..2560 {"
                " for k in 0..64 { read x[8*k] } } }");
        ck_assert_int_eq(plussi_ri_random(&ctx, bound, 3, NULL, &h), PLUSS_OK);
        ck_assert_int_eq(plussi_racetrack_split(64 * T, T, 10, &other), PLUSS_OK);
        for (uint64_t key = 8; key < 64 * T; key *= 2)
            ck_assert_double_eq_tol(below(&h, key), below(&other, key), 0.08);
    }
}
END_TEST

START_TEST(survives_lack_of_memory)
{
    load(3, "pluss-nest 1\nregion r\narray f64 x[512]\nparallel for i in 0..40 { for k in 0..4 {"
            " read x[8*k+i] } }");
    for (long budget = 0;; budget++) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_ctx short_ctx;
        plussi_ctx_init(&short_ctx, &m.mem);
        plussi_histo out;
        plussi_histo_init(&out, &m.mem);
        pluss_status status = plussi_ri_random(&short_ctx, bound, 1, NULL, &out);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        ck_assert_int_eq(out.n > 0, status == PLUSS_OK);
        plussi_histo_free(&out);
        plussi_ctx_clear(&short_ctx);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
    for (long budget = 0;; budget++) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_ctx short_ctx;
        plussi_ctx_init(&short_ctx, &m.mem);
        plussi_pri pri = {0};
        pluss_status status = plussi_pri_walk(&short_ctx, bound, 1, NULL, &pri);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        ck_assert_int_eq(pri.ref != NULL, status == PLUSS_OK);
        plussi_pri_free(&pri);
        plussi_ctx_clear(&short_ctx);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

START_TEST(what_cannot_be_walked)
{
    load(2, "pluss-nest 1\nregion r\narray i32 col[8]\narray f64 x[512]\n"
            "parallel for i in 0..8 { read x[col[i]] }");
    plussi_pri pri = {0};
    ck_assert_int_eq(plussi_histo_add(&h, 5, 7), PLUSS_OK);
    ck_assert_int_eq(plussi_ri_random(&ctx, bound, 1, NULL, &h), PLUSS_EUNSUPPORTED);
    ck_assert(plussi_histo_get(&h, 5) == 7);
    ck_assert_int_eq(plussi_pri_walk(&ctx, bound, 1, NULL, &pri), PLUSS_EUNSUPPORTED);
    ck_assert(pri.ref == NULL);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("ri-random");
    TCase *c = tcase_create("walked");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, counts);
    tcase_add_test(c, one_thread);
    tcase_add_test(c, any_collection_serves);
    tcase_add_test(c, private_data_follow_the_negative_binomial);
    tcase_add_test(c, shared_data_follow_the_racetrack);
    tcase_add_test(c, survives_lack_of_memory);
    tcase_add_test(c, what_cannot_be_walked);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
