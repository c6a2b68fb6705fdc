/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Small nests that ask for much: deep triangles, huge trip counts and strides, quotients and
 * remainders of one another, many references, every schedule, teams up to 1024. Each prediction
 * ends, answered or refused, in the time that its effort stands for. PLUSS_LONG=1: many nests with
 * the default effort, each in 5 s and a gigabyte; all are told.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/rng.h"
#include "nest_text.h"
#include "pipeline_fixture.h"
#include "suite.h"

enum {
    NESTS = 8,
    NESTS_LONG = 300,
    EFFORT = 60000000,   /* of the few */
    NS_A_STEP = 60,      /* ten, they say; tests run on busy machines with small caches, */
    QUIET_NS_A_STEP = 8, /* long ones on quiet ones: 600 million steps in 5 s */
    FIXED_NS = 200000000,
    MOST_KB = 1 << 20,
    SLOWER = 1 + 19 * SUITE_SANITIZED,
    MOST_BYTES = 4096,
    MAX_LOOPS = 6
};

typedef struct text {
    char at[MOST_BYTES];
    size_t n;
    plussi_rng rng;
    uint32_t loops;
} text;

static void append(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at + t->n, sizeof t->at - t->n, format, args);
    va_end(args);
    ck_assert_int_lt(n, sizeof t->at - t->n);
    t->n += (size_t)n;
}

static uint64_t below(text *t, uint64_t n)
{
    return plussi_rng_below(&t->rng, n);
}

/* 1 to 10^digits, all magnitudes alike. */
static uint64_t magnitude(text *t, uint32_t digits)
{
    uint64_t top = 10;
    for (uint64_t d = below(t, digits); d > 0; d--)
        top *= 10;
    return 1 + below(t, top);
}

/* A number out of the induction variables in scope. */
static void write_number(text *t)
{
    uint32_t iv = (uint32_t)below(t, t->loops), other = (uint32_t)below(t, t->loops);
    switch (below(t, 7)) {
    case 0:
        append(t, "i%" PRIu32 " / %" PRIu64, iv, 1 + magnitude(t, 4));
        break;
    case 1:
        append(t, "i%" PRIu32 " %% %" PRIu64, iv, 1 + magnitude(t, 4));
        break;
    case 2:
        append(t, "(i%" PRIu32 " * %" PRIu64 " + i%" PRIu32 ") %% %" PRIu64, iv, magnitude(t, 3),
               other, 1 + magnitude(t, 4));
        break;
    case 3:
        append(t, "(i%" PRIu32 " %% %" PRIu64 " + i%" PRIu32 ") / %" PRIu64, iv,
               1 + magnitude(t, 3), other, 1 + magnitude(t, 2));
        break;
    case 4:
        append(t, "max(i%" PRIu32 " - %" PRIu64 ", i%" PRIu32 ")", iv, magnitude(t, 4), other);
        break;
    default:
        append(t, "i%" PRIu32, iv);
    }
}

static void write_subscript(text *t)
{
    for (uint64_t n = 1 + below(t, 3); n > 0; n--) {
        append(t, "(");
        write_number(t);
        append(t, ") * %" PRIu64 " + ", magnitude(t, 6));
    }
    append(t, "%" PRIu64, magnitude(t, 6));
}

static void write_condition(text *t)
{
    write_number(t);
    append(t, " < ");
    write_number(t);
    for (uint64_t n = below(t, 3); n > 0; n--) {
        append(t, below(t, 2) ? " && " : " || ");
        write_number(t);
        append(t, " < %" PRIu64, magnitude(t, 4));
    }
}

static void write_references(text *t)
{
    static const uint32_t most[] = {1, 3, 8, 30};
    bool guarded = below(t, 2);
    if (guarded) {
        append(t, "if (");
        write_condition(t);
        append(t, ") { ");
    }
    for (uint64_t n = 1 + below(t, most[below(t, 4)]); n > 0 && t->n < MOST_BYTES - 1000; n--) {
        append(t, "%s %c[", below(t, 3) ? "read" : "write", below(t, 3) ? 'A' : 'B');
        write_subscript(t);
        append(t, "] ");
    }
    append(t, guarded ? "} " : "");
}

static void write_schedule(text *t)
{
    static const char *const kind[] = {"static", "dynamic", "guided"};
    append(t, "schedule(%s", kind[below(t, 3)]);
    if (below(t, 2))
        append(t, ", %" PRIu64, magnitude(t, 3));
    append(t, ") ");
}

/* A range: constant, or from or to another induction variable. */
static void write_range(text *t)
{
    uint64_t kind = t->loops ? below(t, 5) : 0;
    uint64_t trips = magnitude(t, 6);
    if (kind < 2) {
        append(t, "0..%" PRIu64 " ", trips);
    } else if (kind == 2) {
        append(t, "0..i%" PRIu64 " + 1 ", below(t, t->loops));
    } else if (kind == 3) {
        append(t, "i%" PRIu64 "..%" PRIu64 " ", below(t, t->loops), trips);
    } else {
        append(t, "0..min(");
        write_number(t);
        append(t, ", %" PRIu64 ") ", trips);
    }
    if (below(t, 4) == 0)
        append(t, "step %" PRIu64 " ", magnitude(t, 2));
}

static void write_nest(text *t, uint64_t seed)
{
    *t = (text){.n = 0};
    plussi_rng_seed(&t->rng, 77, seed);
    uint32_t loops = 1 + (uint32_t)below(t, MAX_LOOPS);
    uint32_t parallel = loops > 1 ? (uint32_t)below(t, 3) % 2 : 0;
    append(t, "region r array f64 A[] array f64 B[] ");
    for (uint32_t i = 0; i < loops; i++) {
        append(t, "%sfor i%" PRIu32 " in ", i == parallel ? "parallel " : "", i);
        write_range(t);
        t->loops = i + 1;
        if (i == parallel)
            write_schedule(t);
        append(t, "{ ");
        if (below(t, 4) == 0)
            write_references(t);
    }
    write_references(t);
    for (uint32_t i = 0; i < loops; i++)
        append(t, "} ");
}

static uint32_t team_of(uint64_t seed)
{
    static const uint32_t team[] = {1, 3, 4, 64, 256, 1024};
    return team[seed % 6];
}

static double processor_time(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Refused is answered, too. */
static bool is_answer(pluss_status status)
{
    return status == PLUSS_OK || status == PLUSS_ELIMIT || status == PLUSS_EUNSUPPORTED ||
           status == PLUSS_EEMPTY || status == PLUSS_ERANGE || status == PLUSS_EINVAL;
}

static void predict_in_time(uint64_t seed, uint64_t effort, bool is_long)
{
    text t;
    uint32_t team = team_of(seed);
    const plussi_request request = {
        .team = &team, .n_teams = 1, .line_bytes = 64, .seed = 1, .effort = effort};
    write_nest(&t, seed);
    nest = nest_of(&ctx, t.at);
    double before = processor_time();
    pluss_status status = plussi_pipeline_predict(&ctx, nest, &request, &result);
    double took = processor_time() - before;
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    if (is_long)
        fprintf(stderr,
                "# %" PRIu64 ": T = %" PRIu32 ", status %d, %.2f s, %ld MB at most so far\n", seed,
                team, (int)status, took, u.ru_maxrss / 1024);
    ck_assert_msg(is_answer(status), "nest %" PRIu64 ", T = %" PRIu32 ": status %d\n%s", seed, team,
                  (int)status, t.at);
    double each = is_long ? QUIET_NS_A_STEP : NS_A_STEP;
    double most = SLOWER * 1e-9 * ((double)effort * each + FIXED_NS);
    ck_assert_msg(SUITE_SANITIZED || u.ru_maxrss < MOST_KB, "nest %" PRIu64 ": %ld KB", seed,
                  u.ru_maxrss);
    ck_assert_msg(took <= most,
                  "nest %" PRIu64 ", T = %" PRIu32 ": %.1f s for %" PRIu64 " steps\n%s", seed, team,
                  took, effort, t.at);
}

START_TEST(ends_in_time)
{
    const char *all = getenv("PLUSS_LONG");
    bool is_long = all && *all;
    for (int i = 0; i < (is_long ? NESTS_LONG : NESTS); i++) {
        teardown();
        setup();
        predict_in_time((uint64_t)i, is_long ? PLUSSI_DEFAULT_EFFORT : EFFORT, is_long);
    }
}
END_TEST

/* A branch that is never taken, in 10^12 iterations: the walk that stands in looks for its first
 * access in vain. */
START_TEST(empty_walks_end)
{
    static const uint32_t team = 3;
    const plussi_request request = {
        .team = &team, .n_teams = 1, .line_bytes = 64, .seed = 1, .effort = EFFORT};
    nest = nest_of(&ctx, "region r array f64 A[] parallel for i in 0..2 { for j in 0..750123 { "
                         "for k in 0..788772 { branch 0 { read A[j % 505 + k] } } } }");
    double before = processor_time();
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_ELIMIT);
    ck_assert_double_lt(processor_time() - before,
                        SLOWER * 1e-9 * ((double)EFFORT * NS_A_STEP + FIXED_NS));
}
END_TEST

/* 10^12 accesses, which the closed form counts, and as many that it cannot: whatever walks refuses
 * the first at once and gives up the second, the caches of single threads too. */
START_TEST(long_walks_are_refused)
{
    static const char *const model[] = {"cri", "cri-line", "ri-random", NULL, NULL};
    static const uint32_t team = 4;
    static const plussi_report_cache alone = {.threads = 1};
    bool simulates = _i / 2 == 4, counted = _i % 2 && _i / 2 != 3;
    plussi_request request = {
        .team = &team, .n_teams = 1, .line_bytes = 64, .seed = 1, .effort = EFFORT};
    char source[300];
    snprintf(source, sizeof source,
             "region r array f64 A[1000] parallel for i in 0..1000000 { for j in 0..1000000 { %s "
             "read A[j %% 1000] } }%s",
             counted ? "" : "branch 0.5 {", counted ? "" : "}");
    nest = nest_of(&ctx, source);
    request.model = model[_i / 2];
    request.cache = &alone;
    request.n_caches = _i / 2 == 3;
    double before = processor_time();
    pluss_status status = simulates ? plussi_pipeline_simulate(&ctx, nest, &request, &result)
                                    : plussi_pipeline_predict(&ctx, nest, &request, &result);
    ck_assert_int_eq(status, PLUSS_ELIMIT);
    ck_assert_uint_ge(ctx.n_diags, 1);
    ck_assert_double_lt(processor_time() - before,
                        counted ? 1 : SLOWER * 1e-9 * ((double)EFFORT * NS_A_STEP + FIXED_NS));
}
END_TEST

/* Of l only the first iteration matters to where the reference goes, and for k = 7 it has none: the
 * count of those is no polynomial where that of all iterations is. */
START_TEST(first_iterations_are_counted)
{
    static const uint32_t team = 3;
    const plussi_request request = {
        .team = &team, .n_teams = 1, .line_bytes = 64, .seed = 1, .effort = 4 * EFFORT};
    nest =
        nest_of(&ctx, "region r array f64 A[] parallel for i in 0..29588 schedule(dynamic) { for "
                      "k in 0..200883 { for j in 0..5 step 14 { for m in i..430181 { for l in "
                      "k..7 { read A[i * 26 + (k % 37) * 92589 + 10] } } } } }");
    pluss_status status = plussi_pipeline_predict(&ctx, nest, &request, &result);
    ck_assert_msg(is_answer(status), "status %d", (int)status);
}
END_TEST

/* Few accesses by many threads: as many draws of the chunks as the effort has room for. */
START_TEST(short_programs_share_the_effort)
{
    static const uint32_t team = 1024;
    const plussi_request request = {
        .team = &team, .n_teams = 1, .line_bytes = 64, .seed = 1, .effort = 4 * EFFORT};
    nest = nest_of(&ctx, "region r array f64 A[] parallel for i in 0..308817 step 55 "
                         "schedule(dynamic, 9) { if (i / 9730 < max(i - 69, i) && i < 2980) { "
                         "read A[i / 3450 + (i / 97) * 7774 + i * 20 + 1] } }");
    double before = processor_time();
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_double_lt(processor_time() - before,
                        SLOWER * 1e-9 * (4.0 * EFFORT * NS_A_STEP / 2 + FIXED_NS));
}
END_TEST

/* Thousands of a kind in one nest: references that are groups each, loops one after the other,
 * conditions, phases; and deep quotients. */
static void write_many(char *out, const char *begin, uint32_t n, const char *each, const char *end)
{
    out += sprintf(out, "region r array f64 A[100000] %s", begin);
    for (uint32_t i = 0; i < n; i++, out += strlen(out))
        sprintf(out, each, i % 97, i % 4999 + 1);
    strcpy(out, end);
}

START_TEST(many_of_a_kind_end_in_time)
{
    static const struct {
        const char *begin, *each, *end;
        uint32_t n;
    } of[] = {
        {"parallel for i in 0..1000 { for j in 0..100 { ", "read A[i * %u + j * 7 + %u] ", "} }",
         3000},
        {"parallel for i in 0..1000 { ", "for j in 0..10 { read A[i + j + %u * %u] } ", "}", 3000},
        {"parallel for i in 0..1000 { for j in 0..1000 { ", "if (i + j > %u) { read A[i + %u] } ",
         "} }", 2500},
        {"", "parallel for i in 0..1000 schedule(dynamic) { read A[i + %u * %u] } ", "", 1500},
        {"parallel for i in 0..1000 { for j in 0..1000 { ",
         "if (((((((i + j * 5) / 2 + i) %% 1009 + j * 3) / 3 + i) %% 1013 + j) / 5 + %u) %% %u < "
         "17) { read A[i] } ",
         "} }", 400}};
    static const uint32_t team = 4;
    const plussi_request request = {
        .team = &team, .n_teams = 1, .line_bytes = 64, .seed = 1, .effort = EFFORT};
    char *at = malloc(1 << 20);
    write_many(at, of[_i].begin, of[_i].n, of[_i].each, of[_i].end);
    double before = processor_time();
    nest = nest_of(&ctx, at);
    pluss_status status = plussi_pipeline_predict(&ctx, nest, &request, &result);
    double took = processor_time() - before;
    free(at);
    ck_assert_msg(is_answer(status), "status %d", (int)status);
    ck_assert_double_lt(took, SLOWER * 1e-9 * ((double)EFFORT * NS_A_STEP / 2 + FIXED_NS));
}
END_TEST

/* A skewed loop with a chunk an iteration, as seidel-2d has it: long, and not hostile. */
START_TEST(skewed_loops_are_answered)
{
    static const uint32_t team = 4;
    const plussi_request request = {.team = &team,
                                    .n_teams = 1,
                                    .line_bytes = 64,
                                    .seed = 1,
                                    .schedule = PLUSSI_SCHED_DYNAMIC,
                                    .chunk = 1};
    nest = nest_of(
        &ctx,
        "region r array f64 A[2000][2000] for t in 0..500 { for w in 3..5995 { parallel for i in "
        "max(1, (w + 2003) / 2 - 2000)..min(1998, (w - 1) / 2) + 1 { read A[i - 1][w - 2 * i - 1] "
        "read A[i - 1][w - 2 * i] read A[i - 1][w - 2 * i + 1] read A[i][w - 2 * i - 1] read "
        "A[i][w - 2 * i] read A[i][w - 2 * i + 1] read A[i + 1][w - 2 * i - 1] read A[i + 1][w - 2 "
        "* "
        "i] read A[i + 1][w - 2 * i + 1] write A[i][w - 2 * i] } } }");
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_uint_eq(result.n, 1);
}
END_TEST

static Suite *hostile_suite(void)
{
    Suite *s = suite_create("hostile");
    TCase *c = tcase_create("effort");
    tcase_set_timeout(c, 7200);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, ends_in_time);
    tcase_add_test(c, empty_walks_end);
    tcase_add_loop_test(c, long_walks_are_refused, 0, 10);
    tcase_add_test(c, first_iterations_are_counted);
    tcase_add_test(c, short_programs_share_the_effort);
    tcase_add_loop_test(c, many_of_a_kind_end_in_time, 0, 5);
    tcase_add_test(c, skewed_loops_are_answered);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(hostile_suite())
