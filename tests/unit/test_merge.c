/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Merged orders: what is drawn, in which proportions, and that it is reproducible.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing_mem.h"
#include "suite.h"
#include "trace/walk.h"

#define HEAD "pluss-nest 1\n"

typedef struct fixture {
    plussi_ctx ctx;
    plussi_nest *nest;
    plussi_bound *bound;
} fixture;

static void open_nest(fixture *f, const char *text, uint32_t team)
{
    plussi_ctx_init(&f->ctx, NULL);
    if (plussi_nest_parse(&f->ctx, text, strlen(text), "t", &f->nest))
        ck_abort_msg("%s\n%s", f->ctx.diags[0].text, text);
    plussi_bind_options options = {.team = team, .line_bytes = 8};
    ck_assert_int_eq(plussi_bind(&f->ctx, f->nest, &options, &f->bound), PLUSS_OK);
}

static void close_nest(fixture *f)
{
    plussi_bound_free(f->bound);
    plussi_nest_free(f->nest);
    plussi_ctx_clear(&f->ctx);
}

/* The whole order; *n accesses, freed by the caller. */
static plussi_access *merged(fixture *f, plussi_progress_law law, double number, uint64_t seed,
                             size_t batch, size_t *n)
{
    plussi_progress progress = {.law = law, .accesses = number, .sigma = number};
    plussi_walk *walk;
    plussi_merge *merge;
    ck_assert_int_eq(plussi_walk_new(&f->ctx, f->bound, 1, &walk), PLUSS_OK);
    ck_assert_int_eq(plussi_merge_new(&f->ctx, walk, &progress, seed, &merge), PLUSS_OK);
    size_t cap = 1 << 12, got;
    plussi_access *all = malloc((cap + batch) * sizeof *all);
    *n = 0;
    while ((got = plussi_merge_next(merge, all + *n, batch)) > 0) {
        ck_assert_uint_le(got, batch);
        *n += got;
        if (*n >= cap)
            all = realloc(all, ((cap = 2 * *n) + batch) * sizeof *all);
    }
    ck_assert_uint_eq(plussi_merge_next(merge, all, batch), 0);
    ck_assert_uint_eq(plussi_merge_next(merge, all, 0), 0);
    plussi_merge_free(merge);
    plussi_walk_free(walk);
    return all;
}

static const char *const long_loop =
    HEAD "array f64 A[80000] region r parallel for i in 0..80000 { read A[i] }";

START_TEST(sequential_and_in_turn)
{
    fixture f;
    size_t n;
    open_nest(&f, HEAD "array f64 A[9] region r parallel for i in 0..8 { read A[i] } read A[8]", 3);
    static const uint64_t sequence[] = {0, 1, 2, 3, 4, 5, 6, 7, 8}; /* 0-2, 3-5, 6-7 */
    static const uint64_t in_turn[] = {0, 3, 6, 1, 4, 7, 2, 5, 8};
    static const uint64_t by_two[] = {0, 1, 3, 4, 6, 7, 2, 5, 8}; /* slices on one core */
    for (size_t batch = 1; batch < 12; batch++) {
        plussi_access *s = merged(&f, PLUSSI_PROGRESS_SEQUENTIAL, 0, 0, batch, &n);
        ck_assert_uint_eq(n, 9);
        plussi_access *r = merged(&f, PLUSSI_PROGRESS_ROUND_ROBIN, 0, 0, batch, &n);
        ck_assert_uint_eq(n, 9);
        plussi_access *c = merged(&f, PLUSSI_PROGRESS_SLICES, 2, 0, batch, &n);
        ck_assert_uint_eq(n, 9);
        for (size_t i = 0; i < n; i++) {
            ck_assert_uint_eq(c[i].line - PLUSSI_PLACE_START / 8, by_two[i]);
            ck_assert_uint_eq(s[i].line - PLUSSI_PLACE_START / 8, sequence[i]);
            ck_assert_uint_eq(r[i].line - PLUSSI_PLACE_START / 8, in_turn[i]);
        }
        free(s);
        free(r);
        free(c);
    }
    close_nest(&f);
}
END_TEST

/* The order is the seed's, whatever the batches. */
START_TEST(reproducible)
{
    static const plussi_progress_law kinds[] = {PLUSSI_PROGRESS_UNIFORM, PLUSSI_PROGRESS_BURST,
                                                PLUSSI_PROGRESS_RATES};
    fixture f;
    open_nest(&f,
              HEAD "array f64 A[900] region r for t in 0..3 { parallel for i in 0..900\n"
                   "schedule(dynamic, 5) { read A[i] } parallel for i in 0..900 { read A[i] } }",
              5);
    for (int k = 0; k < 3; k++) {
        size_t n, m, o, same = 0;
        plussi_access *a = merged(&f, kinds[k], 3, 7, 1000, &n);
        plussi_access *b = merged(&f, kinds[k], 3, 7, 1, &m);
        plussi_access *c = merged(&f, kinds[k], 3, 8, 1000, &o);
        ck_assert(n == 5400 && m == n && o == n);
        for (size_t i = 0; i < n; i++) {
            ck_assert(a[i].line == b[i].line && a[i].thread == b[i].thread);
            same += a[i].line == c[i].line;
        }
        ck_assert_uint_lt(same, n * 9 / 10);
        free(a);
        free(b);
        free(c);
    }
    close_nest(&f);
}
END_TEST

/* Each next access by one of T threads with probability 1/T, whoever had the one before: pairs in
 * equal numbers. Chi-square with 15 degrees of freedom: below 44.3 with probability 0.9999. */
START_TEST(uniform_draws)
{
    fixture f;
    size_t n;
    open_nest(&f, long_loop, 4);
    plussi_access *a = merged(&f, PLUSSI_PROGRESS_UNIFORM, 0, 3, 999, &n);
    enum { PAIRS = 30000 };
    double count[16] = {0}, chi = 0;
    for (size_t i = 0; i < PAIRS; i++)
        count[4 * a[2 * i].thread + a[2 * i + 1].thread]++;
    for (int k = 0; k < 16; k++)
        chi += (count[k] - PAIRS / 16.) * (count[k] - PAIRS / 16.) / (PAIRS / 16.);
    ck_assert_double_lt(chi, 44.3);
    ck_assert_double_gt(chi, 2);
    free(a);
    close_nest(&f);
}
END_TEST

/* With threads of unequal length: while both have accesses they take turns by coin, then the longer
 * is alone. Thread 0 has 100, thread 1 has 10000: by access 400, thread 0 is through but for a
 * probability of 1e-24, and has not been before access 110 with 1 - 1e-20. */
START_TEST(uniform_until_a_thread_is_through)
{
    fixture f;
    size_t n, last = 0, of_0 = 0;
    open_nest(&f,
              HEAD "array f64 A[9] region r parallel for i in 0..2 { for j in 0..100 + 9900*i {\n"
                   "read A[i] } }",
              2);
    plussi_access *a = merged(&f, PLUSSI_PROGRESS_UNIFORM, 0, 5, 100, &n);
    ck_assert_uint_eq(n, 10100);
    for (size_t i = 0; i < n; i++) {
        if (a[i].thread == 0) {
            last = i;
            of_0++;
        }
    }
    ck_assert_uint_eq(of_0, 100);
    ck_assert_uint_gt(last, 110);
    ck_assert_uint_lt(last, 400);
    free(a);
    close_nest(&f);
}
END_TEST

/* Runs of one thread: bursts of mean q, and the next burst by the same thread with probability 1/T:
 * so geometric with mean q T / (T - 1). */
START_TEST(bursts_have_their_mean)
{
    static const double means[] = {1, 4, 50};
    fixture f;
    open_nest(&f, long_loop, 4);
    for (int k = 0; k < 3; k++) {
        size_t n, runs = 1, half = 40000;
        plussi_access *a = merged(&f, PLUSSI_PROGRESS_BURST, means[k], 11, 777, &n);
        for (size_t i = 1; i < half; i++)
            runs += a[i].thread != a[i - 1].thread;
        double mean = (double)half / (double)runs, expected = means[k] * 4 / 3;
        /* the mean of R geometric runs has a deviation of at most mean / sqrt(R) */
        ck_assert_double_lt(fabs(mean - expected), 5 * expected / sqrt((double)runs));
        free(a);
    }
    close_nest(&f);
}
END_TEST

/* Log-normal rates, new ones for each instance, proportional to the accesses while all run. */
START_TEST(speeds_are_log_normal)
{
    fixture f;
    size_t n, at = 0;
    open_nest(&f,
              HEAD "array f64 A[9] region r for t in 0..300 { parallel for i in 0..2 {\n"
                   "for j in 0..1000 { read A[i] } } }",
              2);
    plussi_access *a = merged(&f, PLUSSI_PROGRESS_RATES, .5, 4, 4096, &n);
    ck_assert_uint_eq(n, 600000);
    /* The logarithm of the ratio of two rates is normal with deviation .5 sqrt(2); counting 1000
       accesses adds a deviation of about .066. */
    double sum = 0, squares = 0;
    for (int t = 0; t < 300; t++, at += 2000) {
        double of_0 = 0;
        for (size_t i = 0; i < 1000; i++)
            of_0 += a[at + i].thread == 0;
        double ratio = log(of_0 / (1000 - of_0));
        sum += ratio;
        squares += ratio * ratio;
    }
    double sigma = sqrt(.5 * .5 * 2 + .066 * .066);
    ck_assert_double_lt(fabs(sum / 300), 5 * sigma / sqrt(300));
    ck_assert_double_lt(fabs(squares / 300 / (sigma * sigma) - 1), 5 * sqrt(2. / 300));
    free(a);
    a = merged(&f, PLUSSI_PROGRESS_RATES, 0, 4, 4096, &n); /* all alike */
    double of_0 = 0;
    for (size_t t = 0; t < 300; t++)
        for (size_t i = 0; i < 1000; i++)
            of_0 += a[2000 * t + i].thread == 0;
    ck_assert_double_lt(fabs(of_0 - 150000), 5 * sqrt(300000 * .25));
    free(a);
    close_nest(&f);
}
END_TEST

/* Under round robin, iterations of equal length make dynamic deal out chunks in turn, as static
 * does. */
START_TEST(dynamic_in_turn_is_static)
{
    for (int chunk = 1; chunk < 5; chunk++) {
        plussi_access *a[2];
        size_t n[2];
        for (int k = 0; k < 2; k++) {
            char text[200];
            fixture f;
            snprintf(text, sizeof text,
                     HEAD "array f64 A[99], B[99] region r parallel for i in 0..99\n"
                          "schedule(%s, %d) { read A[i] write B[i] }",
                     k ? "dynamic" : "static", chunk);
            open_nest(&f, text, 4);
            a[k] = merged(&f, PLUSSI_PROGRESS_ROUND_ROBIN, 0, 0, 10, &n[k]);
            close_nest(&f);
        }
        ck_assert(n[0] == 198 && n[1] == 198);
        for (size_t i = 0; i < n[0]; i++)
            ck_assert(a[0][i].line == a[1][i].line && a[0][i].thread == a[1][i].thread);
        free(a[0]);
        free(a[1]);
    }
}
END_TEST

START_TEST(batches_stay_in_a_phase)
{
    fixture f;
    plussi_access buf[1000];
    plussi_walk *walk;
    plussi_merge *merge;
    open_nest(&f,
              HEAD "array f64 A[9] region r read A[0] parallel for i in 0..9 { read A[i] }\n"
                   "read A[1] read A[2]",
              2);
    static const size_t expected[] = {1, 9, 2};
    for (int law = 0; law <= PLUSSI_PROGRESS_SLICES; law++) {
        plussi_progress progress = {.law = (plussi_progress_law)law, .accesses = 1};
        if (law == PLUSSI_PROGRESS_MIXED) /* no order */
            continue;
        ck_assert_int_eq(plussi_walk_new(&f.ctx, f.bound, 1, &walk), PLUSS_OK);
        ck_assert_int_eq(plussi_merge_new(&f.ctx, walk, &progress, 1, &merge), PLUSS_OK);
        for (uint64_t phase = 0; phase < 3; phase++) {
            size_t sum = 0;
            while (sum < expected[phase]) {
                size_t n = plussi_merge_next(merge, buf, 1000);
                ck_assert(n > 0 && plussi_walk_phase(walk) == phase);
                sum += n;
            }
            ck_assert_uint_eq(sum, expected[phase]);
        }
        ck_assert_uint_eq(plussi_merge_next(merge, buf, 1000), 0);
        plussi_merge_free(merge);
        plussi_walk_free(walk);
    }
    close_nest(&f);
}
END_TEST

START_TEST(parameters_are_checked)
{
    fixture f;
    plussi_walk *walk;
    plussi_merge *merge = NULL;
    open_nest(&f, long_loop, 2);
    ck_assert_int_eq(plussi_walk_new(&f.ctx, f.bound, 1, &walk), PLUSS_OK);
    static const double bad_q[] = {0, .9, -1, NAN, INFINITY}, bad_sigma[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(
            plussi_merge_new(&f.ctx, walk,
                             &(plussi_progress){.law = PLUSSI_PROGRESS_BURST, .accesses = bad_q[i]},
                             1, &merge),
            PLUSS_EINVAL);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(plussi_merge_new(&f.ctx, walk,
                                          &(plussi_progress){.law = PLUSSI_PROGRESS_RATES,
                                                             .sigma = bad_sigma[i]},
                                          1, &merge),
                         PLUSS_EINVAL);
    const plussi_progress bad[] = {{.law = PLUSSI_PROGRESS_SLICES, .accesses = NAN, .cores = 2},
                                   {.law = PLUSSI_PROGRESS_MIXED},
                                   {.law = (plussi_progress_law)99}};
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(plussi_merge_new(&f.ctx, walk, &bad[i], 1, &merge), PLUSS_EINVAL);
    ck_assert_ptr_null(merge);
    ck_assert_uint_eq(f.ctx.n_diags, 11);
    plussi_merge_free(NULL);
    plussi_walk_free(walk);
    close_nest(&f);
}
END_TEST

START_TEST(no_memory)
{
    fixture f;
    open_nest(&f, HEAD "array f64 A[9] region r parallel num_threads(70) { read A[1] }", 2);
    plussi_walk *walk;
    ck_assert_int_eq(plussi_walk_new(&f.ctx, f.bound, 1, &walk), PLUSS_OK);
    long budget = 0;
    for (;; budget++) {
        failing_mem mem;
        failing_mem_init(&mem, budget);
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, &mem.mem);
        plussi_merge *merge = NULL;
        pluss_status status = plussi_merge_new(&ctx, walk, &(plussi_progress){0}, 1, &merge);
        ck_assert(mem.failed ? status == PLUSS_ENOMEM && !merge : status == PLUSS_OK);
        plussi_merge_free(merge);
        plussi_ctx_clear(&ctx);
        ck_assert_int_eq(mem.live, 0);
        if (!mem.failed)
            break;
    }
    ck_assert_int_ge(budget, 3);
    plussi_walk_free(walk);
    close_nest(&f);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("merge");
    TCase *c = tcase_create("merge");
    tcase_set_timeout(c, 30);
    tcase_add_test(c, sequential_and_in_turn);
    tcase_add_test(c, reproducible);
    tcase_add_test(c, uniform_draws);
    tcase_add_test(c, uniform_until_a_thread_is_through);
    tcase_add_test(c, bursts_have_their_mean);
    tcase_add_test(c, speeds_are_log_normal);
    tcase_add_test(c, dynamic_in_turn_is_static);
    tcase_add_test(c, batches_stay_in_a_phase);
    tcase_add_test(c, parameters_are_checked);
    tcase_add_test(c, no_memory);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
