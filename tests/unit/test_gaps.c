/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gaps between threads: the test of uniformity on made-up series, and gaps of made-up runs.
 */
#include "pluss.h"

#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "failing_mem.h"
#include "option_text.h"
#include "study/gaps.h"
#include "trace_file.h"

static plussi_ctx ctx;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
}

static void teardown(void)
{
    plussi_ctx_clear(&ctx);
}

/* ---- uniformity --------------------------------------------------------------------------------
 */

enum { BINS = 20, SAMPLES = 600, MOST = 4, REPEATS = 400 };

/* What is drawn: walks on the circle with steps of this size, independent where it is 0. */
typedef struct verdicts {
    uint64_t rejected, corrected; /* at 5 % */
    double deviation, excess; /* Kolmogorov's, of the p-values from even ones; of corrected ones:
                                 how much too often they are low */
    double effective;
} verdicts;

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double kolmogorov(double *p, bool low_alone)
{
    double most = 0;
    qsort(p, REPEATS, sizeof *p, ascending);
    for (int i = 0; i < REPEATS; i++) {
        most = fmax(most, (double)(i + 1) / REPEATS - p[i]);
        most = fmax(most, low_alone ? 0 : p[i] - (double)i / REPEATS);
    }
    return most;
}

static double normal(plussi_rng *rng)
{
    return sqrt(-2 * log(1 - plussi_rng_unit(rng))) * cos(2 * M_PI * plussi_rng_unit(rng));
}

static verdicts draw(double step, size_t n_series, uint64_t seed)
{
    static double place[MOST * SAMPLES], p[REPEATS], corrected[REPEATS];
    plussi_gap_series series[MOST];
    verdicts v = {0};
    plussi_rng rng;
    plussi_rng_seed(&rng, seed, 0);
    for (int r = 0; r < REPEATS; r++) {
        for (size_t i = 0; i < n_series; i++) {
            double at = plussi_rng_unit(&rng);
            series[i] = (plussi_gap_series){place + i * SAMPLES, SAMPLES};
            for (size_t t = 0; t < SAMPLES; t++) {
                at = step > 0 ? at + step * normal(&rng) : plussi_rng_unit(&rng);
                at -= floor(at);
                place[i * SAMPLES + t] = at < 1 ? at : 0;
            }
        }
        uint64_t count[BINS];
        plussi_uniformity e;
        ck_assert_int_eq(plussi_test_uniformity(&ctx, series, n_series, BINS, count, &e), PLUSS_OK);
        ck_assert_uint_eq(e.samples, n_series * SAMPLES);
        ck_assert_double_le(e.effective, (double)e.samples * (1 + 1e-12));
        v.rejected += e.p < 0.05;
        v.corrected += e.p_corrected < 0.05;
        v.effective += e.effective / (double)e.samples / REPEATS;
        p[r] = e.p;
        corrected[r] = e.p_corrected;
    }
    v.deviation = kolmogorov(p, false);
    v.excess = kolmogorov(corrected, true);
    return v;
}

/* 1.95 / sqrt(REPEATS): one in a thousand is above it. Of 400 draws at 5 %, 20 with deviation 4.4.
 * The correction never takes samples for more than independent, so it may err on the high side. */
static const double one_in_thousand = 0.0975;

START_TEST(independent_samples_give_even_p)
{
    verdicts v = draw(0, 1, 1);
    ck_assert_double_lt(v.deviation, one_in_thousand);
    ck_assert_double_lt(v.excess, one_in_thousand);
    ck_assert_uint_le(v.rejected, 34);
    ck_assert_uint_ge(v.rejected, 6);
    ck_assert_double_gt(v.effective, 0.9);
    v = draw(0, 3, 2);
    ck_assert_double_lt(v.deviation, one_in_thousand);
    ck_assert_uint_le(v.corrected, 34);
}
END_TEST

START_TEST(correlated_samples_are_rejected_unless_corrected)
{
    verdicts v = draw(0.08, 1, 3);
    ck_assert_uint_gt(v.rejected, REPEATS / 2);
    ck_assert_uint_le(v.corrected, 34);
    ck_assert_double_lt(v.effective, 0.5);
    ck_assert_double_lt(v.excess, one_in_thousand);
    v = draw(0.05, 4, 4);
    ck_assert_uint_gt(v.rejected, REPEATS * 9 / 10);
    ck_assert_uint_le(v.corrected, 34);
    ck_assert_double_lt(v.effective, 0.25);
}
END_TEST

/* What is not even is found, correlated or not. */
START_TEST(places_that_are_preferred_are_found)
{
    static double place[MOST * SAMPLES];
    plussi_rng rng;
    plussi_rng_seed(&rng, 5, 0);
    double at = 0;
    for (size_t t = 0; t < MOST * SAMPLES; t++) { /* two of three samples in the first half */
        if (t % 3 == 0)
            at = plussi_rng_unit(&rng) < 0.6667 ? 0 : 0.5;
        place[t] = at + plussi_rng_unit(&rng) / 2;
    }
    plussi_gap_series series = {place, MOST * SAMPLES};
    uint64_t count[BINS];
    plussi_uniformity e;
    ck_assert_int_eq(plussi_test_uniformity(&ctx, &series, 1, BINS, count, &e), PLUSS_OK);
    ck_assert_double_lt(e.p_corrected, 1e-3);
    ck_assert_double_lt(e.p, e.p_corrected);
    ck_assert_double_gt(e.lag1, 0.1);
}
END_TEST

/* By hand: 4 bins, counts 3 1 0 0; the cosine of steps at mode 1: 1, 1, 0. */
START_TEST(small_numbers_by_hand)
{
    static const double place[] = {0.1, 0.2, 0.05, 0.3};
    plussi_gap_series series[] = {{place, 4}, {place, 0}};
    uint64_t count[4];
    plussi_uniformity e;
    ck_assert_int_eq(plussi_test_uniformity(&ctx, series, 2, 4, count, &e), PLUSS_OK);
    ck_assert_uint_eq(count[0], 3);
    ck_assert_uint_eq(count[1], 1);
    ck_assert_double_eq_tol(e.chi2, 6, 1e-12);
    ck_assert_double_eq_tol(e.p, 0.1116102, 1e-6); /* chi-square table, 3 degrees */
    ck_assert_double_eq_tol(e.lag1, 2. / 3, 1e-12);
    /* mode 1: 1 + 2 (2 + 1 + 0) / 4; mode 2: signs + + + -: products 1 1 -1, 1 -1, -1 */
    ck_assert_double_eq_tol(e.correlation, 2.5, 1e-12);
    ck_assert_double_eq_tol(e.effective, 4 * 3 / (2.5 + 2.5 + 1), 1e-12);
}
END_TEST

START_TEST(tests_that_cannot_be)
{
    static const double place[] = {0.5};
    plussi_gap_series series = {place, 1}, none = {place, 0};
    uint64_t count[4] = {7};
    plussi_uniformity e = {.p = 3};
    ck_assert_int_eq(plussi_test_uniformity(&ctx, &series, 1, 1, count, &e), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_test_uniformity(&ctx, &series, 1, 1025, count, &e), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_test_uniformity(&ctx, &none, 1, 4, count, &e), PLUSS_ENOTFOUND);
    ck_assert_uint_eq(count[0], 7);
    ck_assert_double_eq(e.p, 3);
    /* one sample: nothing to correlate */
    ck_assert_int_eq(plussi_test_uniformity(&ctx, &series, 1, 4, count, &e), PLUSS_OK);
    ck_assert_double_eq(e.lag1, 0);
    ck_assert_double_eq(e.effective, 1);
}
END_TEST

/* ---- gaps of runs ----------------------------------------------------------------------------
 */

#define RECORD                                                                                     \
    "pluss-record 3\nline 64\nregion \"k\" \"k.c\":4 team 3 runs 1 lost 0 by bind\nend\n"          \
    "region \"m\" \"k.c\":9 team 2 runs 1 lost 0 by bind\nend\n"

enum { TICKS = 1000, ITERATIONS = 100 };

/* One thread's share: ITERATIONS iterations of TICKS, from `from` on, every second one stamped; and
 * the same again. */
static void put_thread(FILE *out, uint32_t run, uint32_t thread, uint64_t from, uint32_t loop)
{
    plussi_stamp_entry item[2 * (ITERATIONS / 2 + 2) + 2];
    uint32_t n = 0;
    item[n++] = (plussi_stamp_entry){from, 0, AT(BEGIN, NONE), 0};
    for (uint32_t time = 0; time < 2; time++) {
        item[n++] = (plussi_stamp_entry){from, 0, AT(LOOP, loop), time};
        for (uint64_t i = 0; i < ITERATIONS; i += 2)
            item[n++] = (plussi_stamp_entry){from + i * TICKS, i + 1, AT(ITER, loop), time};
        from += ITERATIONS * TICKS;
        item[n++] = (plussi_stamp_entry){from, ITERATIONS, AT(DONE, loop), time};
    }
    item[n++] = (plussi_stamp_entry){from, 0, AT(END, NONE), 0};
    put_stamps(out, run, thread, item, n);
}

/* Threads 1 and 2 are 0.23 and 1.62 iterations behind thread 0. Stops of 700 ticks. Counters
 * are the right ones, but for one. A second run, of another region, has one stop. */
static void put_file(const char *record, uint32_t block)
{
    static const uint64_t behind[] = {0, 230, 1620};
    enum { STOPS = 2 * ITERATIONS * TICKS / 700 + 3 };
    struct {
        uint64_t time;
        plussi_stop_place place[3];
    } row[STOPS];
    FILE *out = begin_trace(trace_of(record));
    for (uint32_t k = 0; k < 3; k++)
        put_thread(out, 0, k, 1000 + behind[k], 5);
    for (uint64_t i = 0; i < STOPS; i++) {
        row[i].time = 900 + 700 * i;
        for (uint32_t k = 0; k < 3; k++) {
            uint64_t since = row[i].time - 1000 - behind[k], span = ITERATIONS * TICKS;
            bool in = row[i].time >= 1000 + behind[k] && since < 2 * span;
            row[i].place[k] = (plussi_stop_place){0, PLUSSI_NO_LOOP, 0};
            if (in)
                row[i].place[k] =
                    (plussi_stop_place){since % span / TICKS + 1 + (i == 77 && k == 0 ? 9 : 0), 5,
                                        (uint32_t)(since / span)};
        }
    }
    put_section(out,
                (plussi_trace_section){PLUSSI_SECTION_STOPS, sizeof *row, STOPS, 0, 0, 900,
                                       900 + 700 * STOPS},
                row);
    put_run(out, 0, 3, 900, 900 + 700 * STOPS, (plussi_run_entry){block, 1});
    for (uint32_t k = 0; k < 2; k++)
        put_thread(out, 1, k, 500000, 1);
    static const struct {
        uint64_t time;
        plussi_stop_place place[2];
    } nowhere = {520000, {{0, PLUSSI_NO_LOOP, 0}, {0, PLUSSI_NO_LOOP, 0}}};
    put_section(
        out, (plussi_trace_section){PLUSSI_SECTION_STOPS, sizeof nowhere, 1, 1, 0, 520000, 520000},
        &nowhere);
    put_run(out, 1, 2, 490000, 900000, (plussi_run_entry){1, 1});
    put_clock(out, 1, 1000001, 1000000);
    fclose(out);
}

static void put_record(const char *path)
{
    FILE *out = fopen(path, "w");
    ck_assert(out && fputs(RECORD, out) >= 0 && fclose(out) == 0);
}

typedef struct made {
    char path[40];
    pluss_context *ctx;
    pluss_record *record;
    pluss_gaps *gaps;
} made;

static made make(const char *words)
{
    pluss_options *options = NULL;
    made m = {.path = "/tmp/pluss-test-gaps-XXXXXX"};
    close(mkstemp(m.path));
    put_record(m.path);
    put_file(m.path, 0);
    ck_assert_int_eq(pluss_context_new(NULL, &m.ctx), PLUSS_OK);
    ck_assert_int_eq(pluss_record_read(m.ctx, m.path, &m.record), PLUSS_OK);
    ck_assert_int_eq(make_options(m.ctx, words, &options), PLUSS_OK);
    ck_assert_int_eq(pluss_gaps_new(m.ctx, options, &m.gaps), PLUSS_OK);
    pluss_options_free(options);
    return m;
}

static void drop(made *m)
{
    pluss_gaps_free(m->gaps);
    pluss_record_free(m->record);
    pluss_context_free(m->ctx);
    unlink(m->path);
    unlink(trace_of(m->path));
}

START_TEST(gaps_are_those_of_the_places)
{
    pluss_gaps_info info = {.size = sizeof info};
    pluss_gaps_test run = {.size = sizeof run}, all = {.size = sizeof all};
    made m = make("stops=timer drop=0");
    ck_assert_int_eq(pluss_gaps_add(m.gaps, m.record), PLUSS_OK);
    ck_assert_int_eq(pluss_gaps_add(m.gaps, m.record), PLUSS_OK);
    ck_assert_int_eq(pluss_gaps_get_info(m.gaps, &info), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_gaps_finish(m.gaps), PLUSS_OK);
    ck_assert_int_eq(pluss_gaps_finish(m.gaps), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_gaps_add(m.gaps, m.record), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_gaps_get_info(m.gaps, &info), PLUSS_OK);
    ck_assert_str_eq(info.region, "k");
    ck_assert_str_eq(info.file, "k.c");
    ck_assert_uint_eq(info.line, 4);
    ck_assert_uint_eq(info.loop, 5);
    ck_assert_uint_eq(info.team, 3);
    ck_assert_uint_eq(info.bins, 20);
    ck_assert_uint_eq(info.runs, 2);
    ck_assert_double_eq(info.lap, 1);
    ck_assert_int_eq(pluss_gaps_get_test(m.gaps, 1, &run), PLUSS_OK);
    ck_assert_int_eq(pluss_gaps_get_test(m.gaps, SIZE_MAX, &all), PLUSS_OK);
    ck_assert_int_eq(pluss_gaps_get_test(m.gaps, 2, &all), PLUSS_ENOTFOUND);
    /* thread 1: -0.23, thread 2: -1.62 laps */
    ck_assert_uint_eq(run.n_counts, 20);
    ck_assert_uint_eq(run.counts[15] + run.counts[7], run.samples);
    ck_assert_uint_gt(run.counts[15], run.counts[7]);
    /* of each execution's 100,000 ticks the stops at which both are in it */
    ck_assert_double_eq_tol((double)run.samples, 2 * (99770. + 98380) / 700, 4);
    ck_assert_uint_eq(all.samples, 2 * run.samples);
    ck_assert_uint_eq(all.counts[15], 2 * run.counts[15]);
    ck_assert_uint_eq(run.wrong, 1);
    ck_assert_uint_eq(run.stops, 2 * ITERATIONS * TICKS / 700 + 3 + 1);
    ck_assert_uint_le(run.outside, 6);
    ck_assert_double_lt(run.p, 1e-9);
    ck_assert_double_eq_tol(run.lag1, 1, 1e-9);
    drop(&m);
}
END_TEST

START_TEST(laps_and_choices)
{
    pluss_gaps_test all = {.size = sizeof all};
    made m = make("stops=timer lap=4 bins=5 region=none region=k loop=5");
    ck_assert_int_eq(pluss_gaps_add(m.gaps, m.record), PLUSS_OK);
    ck_assert_int_eq(pluss_gaps_finish(m.gaps), PLUSS_OK);
    ck_assert_int_eq(pluss_gaps_get_test(m.gaps, SIZE_MAX, &all), PLUSS_OK);
    /* 1 - 0.0575 and 1 - 0.405 laps; a tenth of the stops is dropped */
    ck_assert_uint_eq(all.counts[4] + all.counts[2], all.samples);
    ck_assert_double_eq_tol((double)all.samples, 0.9 * 2 * (99770. + 98380) / 700, 6);
    drop(&m);
    m = make("stops=timer lap=4 bins=5 region=m loop=1");
    ck_assert_int_eq(pluss_gaps_add(m.gaps, m.record), PLUSS_OK);
    ck_assert_int_eq(pluss_gaps_finish(m.gaps), PLUSS_OK);
    ck_assert_int_eq(pluss_gaps_get_test(m.gaps, SIZE_MAX, &all), PLUSS_OK);
    ck_assert_uint_eq(all.samples, 1);
    ck_assert_uint_eq(all.counts[0], 1);
    drop(&m);
    m = make("stops=timer lap=4 bins=5 region=m loop=2");
    ck_assert_int_eq(pluss_gaps_add(m.gaps, m.record), PLUSS_OK);
    ck_assert_int_eq(pluss_gaps_finish(m.gaps), PLUSS_ENOTFOUND);
    drop(&m);
}
END_TEST

/* Moments that nobody stopped at: the same gaps, as many as there is time for. */
START_TEST(stops_made_afterwards)
{
    pluss_gaps_test all = {.size = sizeof all};
    made m = make("drop=0% interval=0.1us");
    ck_assert_int_eq(pluss_gaps_add(m.gaps, m.record), PLUSS_OK);
    ck_assert_int_eq(pluss_gaps_finish(m.gaps), PLUSS_OK);
    ck_assert_int_eq(pluss_gaps_get_test(m.gaps, SIZE_MAX, &all), PLUSS_OK);
    ck_assert_uint_eq(all.counts[15] + all.counts[7], all.samples);
    ck_assert_double_eq_tol((double)all.samples, 2 * (99770. + 98380) / 100, 4);
    ck_assert_uint_eq(all.wrong, 0);
    drop(&m);
}
END_TEST

START_TEST(what_is_refused)
{
    made m = make("");
    pluss_gaps *none = NULL;
    ck_assert_int_eq(pluss_gaps_new(NULL, NULL, &none), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_gaps_new(m.ctx, NULL, NULL), PLUSS_EINVAL);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(pluss_gaps_add(NULL, m.record), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_gaps_add(m.gaps, NULL), PLUSS_EINVAL);
    unlink(trace_of(m.path));
    ck_assert_int_eq(pluss_gaps_add(m.gaps, m.record), PLUSS_EIO);
    ck_assert_int_eq(pluss_gaps_finish(NULL), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_gaps_get_info(NULL, NULL), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_gaps_get_test(m.gaps, 0, NULL), PLUSS_EINVAL);
    put_file(m.path, 1); /* a block of two threads */
    ck_assert_int_eq(pluss_gaps_add(m.gaps, m.record), PLUSS_EFORMAT);
    pluss_gaps_free(NULL);
    drop(&m);
}
END_TEST

START_TEST(memory_that_is_not_there)
{
    char path[] = "/tmp/pluss-test-gaps-XXXXXX";
    close(mkstemp(path));
    put_record(path);
    put_file(path, 0);
    plussi_record *record;
    ck_assert_int_eq(plussi_record_read(&ctx, path, &record), PLUSS_OK);
    for (long budget = 0;; budget++) {
        failing_mem m;
        plussi_ctx own;
        plussi_gaps *gaps = NULL;
        plussi_trace_reader *trace = NULL;
        const char *region = "k";
        plussi_gaps_options options = {&region, 1, -1, 1, 0, true, 0.1, 20};
        failing_mem_init(&m, budget);
        plussi_ctx_init(&own, &m.mem);
        pluss_status status = plussi_gaps_new(&own, &options, &gaps);
        if (!status)
            status = plussi_record_trace(&own, record, &trace);
        if (!status)
            status = plussi_gaps_add(gaps, record, trace);
        if (!status)
            status = plussi_gaps_finish(gaps);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_trace_close(trace);
        plussi_gaps_free(gaps);
        plussi_ctx_clear(&own);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
    plussi_record_free(record);
    unlink(path);
    unlink(trace_of(path));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("gaps");
    TCase *t = tcase_create("uniformity");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, independent_samples_give_even_p);
    tcase_add_test(t, correlated_samples_are_rejected_unless_corrected);
    tcase_add_test(t, places_that_are_preferred_are_found);
    tcase_add_test(t, small_numbers_by_hand);
    tcase_add_test(t, tests_that_cannot_be);
    suite_add_tcase(s, t);
    t = tcase_create("runs");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, gaps_are_those_of_the_places);
    tcase_add_test(t, laps_and_choices);
    tcase_add_test(t, stops_made_afterwards);
    tcase_add_test(t, what_is_refused);
    tcase_add_test(t, memory_that_is_not_there);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
