/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "failing_mem.h"
#include "report/report.h"
#include "report/writer.h"
#include "suite.h"

static plussi_ctx ctx;
static plussi_result result;

/* What a sink got. */
static char *got;
static size_t n_got;
static size_t refuse_after = SIZE_MAX;

static int collect(void *user, const char *data, size_t length)
{
    (void)user;
    if (n_got + length > refuse_after)
        return 1;
    got = realloc(got, n_got + length + 1);
    memcpy(got + n_got, data, length);
    n_got += length;
    got[n_got] = '\0';
    return 0;
}

static void forget(void)
{
    free(got);
    got = NULL;
    n_got = 0;
}

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    plussi_result_init(&result, &plussi_mem_libc);
    refuse_after = SIZE_MAX;
}

static void teardown(void)
{
    plussi_result_free(&result);
    plussi_ctx_clear(&ctx);
    forget();
}

static char *copy(const char *s)
{
    return plussi_strndup(&plussi_mem_libc, s, strlen(s));
}

static void add_curve(const char *region, uint32_t team, size_t n, const double *size,
                      const double *miss)
{
    const plussi_mem *mem = &plussi_mem_libc;
    plussi_curve curve = {.id.region = copy(region),
                          .id.file = copy("a \"b\".c"),
                          .id.line = 42,
                          .id.team = team,
                          .id.engine = copy("cri"),
                          .id.line_bytes = 64,
                          .id.seed = 7,
                          .id.schedule = copy(""),
                          .id.n_values = 1,
                          .id.values = plussi_calloc(mem, 1, sizeof(plussi_value)),
                          .footprint_lines = (uint64_t)size[n - 1],
                          .footprint_error = 12,
                          .mrc = {.mem = *mem, .n = n, .accesses = 1352400}};
    if (team % 8 == 0 && n > 1) { /* as sampled */
        curve.mean_error = 0.00123;
        curve.n_error = n - 1;
        curve.error_size = plussi_alloc(mem, n, sizeof *size);
        curve.error = plussi_alloc(mem, n, sizeof *size);
        memcpy(curve.error_size, size + 1, (n - 1) * sizeof *size);
        memcpy(curve.error, miss + 1, (n - 1) * sizeof *size);
    }
    curve.id.values[0] = (plussi_value){copy("n"), -60};
    curve.mrc.size = plussi_alloc(mem, n, sizeof *size);
    curve.mrc.miss = plussi_alloc(mem, n, sizeof *miss);
    memcpy(curve.mrc.size, size, n * sizeof *size);
    memcpy(curve.mrc.miss, miss, n * sizeof *miss);
    ck_assert_int_eq(plussi_result_add(&result, &curve), PLUSS_OK);
}

static const double sizes[] = {0, 1, 16, 40.25}, ratios[] = {1, 0.5, 0.25, 0.000123456789};

static const char *const formats[] = {"text", "csv", "json"};

static pluss_status write_with(plussi_ctx *c, const char *format,
                               const plussi_report_caches *caches)
{
    plussi_document document;
    plussi_sink sink;
    forget();
    plussi_sink_init(&sink, collect, NULL);
    plussi_document_init(&document, &c->mem);
    plussi_report_result(c, &result, caches, &document);
    pluss_status status = plussi_document_write(c, &document, format, NULL, &sink);
    plussi_document_free(&document);
    return status;
}

static pluss_status report(plussi_ctx *c, const char *format)
{
    static const plussi_report_cache cache[] = {{1024, "L1d", 0}, {1 << 20, NULL, 0}};
    return write_with(c, format, &(plussi_report_caches){.cache = cache, .n = 2});
}

/* ---- numbers --------------------------------------------------------------------------------- */

START_TEST(numbers)
{
    char text[PLUSSI_NUMBER];
    plussi_text_u64(text, UINT64_MAX);
    ck_assert_str_eq(text, "18446744073709551615");
    ck_assert_uint_eq(plussi_text_u64(text, 0), 1);
    ck_assert_str_eq(text, "0");
    plussi_text_grouped(text, 1352400);
    ck_assert_str_eq(text, "1,352,400");
    plussi_text_grouped(text, 999);
    ck_assert_str_eq(text, "999");
    plussi_text_fixed(text, 0.999999, 2);
    ck_assert_str_eq(text, "1.00");
    plussi_text_fixed(text, -1.005, 1);
    ck_assert_str_eq(text, "-1.0");
    plussi_text_fixed(text, -0.001, 2);
    ck_assert_str_eq(text, "0.00");
    plussi_text_fixed(text, 1.0 / 3, 12);
    ck_assert_str_eq(text, "0.333333333333");
    plussi_text_fixed(text, 12, 0);
    ck_assert_str_eq(text, "12");
}
END_TEST

START_TEST(sizes_in_bytes)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {{1, "1 B"},
                 {64, "64 B"},
                 {1023, "1023 B"},
                 {1024, "1 KiB"},
                 {1536, "1.50 KiB"},
                 {48 << 10, "48 KiB"},
                 {(48 << 10) + 512, "48.5 KiB"},
                 {(100 << 10) + 512, "101 KiB"},
                 {32 << 20, "32 MiB"},
                 {UINT64_MAX, "16.0 EiB"}};
    char text[PLUSSI_NUMBER];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_uint_eq(plussi_text_bytes(text, cases[i].bytes), strlen(cases[i].text));
        ck_assert_str_eq(text, cases[i].text);
    }
}
END_TEST

/* Pieces larger than the buffer, and those that straddle it, arrive whole and in order. */
START_TEST(sink_buffers)
{
    plussi_sink sink;
    plussi_sink_init(&sink, collect, NULL);
    char expected[40000];
    size_t n = 0;
    for (size_t length = 1; n + length < sizeof expected; length = length * 2 + 1) {
        memset(expected + n, (int)('a' + length % 26), length);
        plussi_sink_bytes(&sink, expected + n, length);
        n += length;
    }
    ck_assert_int_eq(plussi_sink_finish(&ctx, &sink), PLUSS_OK);
    ck_assert_uint_eq(n_got, n);
    ck_assert_mem_eq(got, expected, n);
}
END_TEST

START_TEST(refused_bytes_are_an_error)
{
    add_curve("r", 4, 4, sizes, ratios);
    for (int which = 0; which < 3; which++)
        for (refuse_after = 0; refuse_after < 100; refuse_after += 50) {
            ck_assert_int_eq(report(&ctx, formats[which]), PLUSS_EIO);
            ck_assert_uint_eq(ctx.n_diags, 1);
            plussi_ctx_clear(&ctx);
        }
}
END_TEST

/* ---- table, CSV ------------------------------------------------------------------------------ */

START_TEST(table_of_two_teams)
{
    static const double other[] = {1, 0.75, 0.5, 0.25};
    add_curve("kernel", 4, 4, sizes, ratios);
    add_curve("other", 4, 4, sizes, ratios);
    add_curve("kernel", 64, 4, sizes, other);
    ck_assert_int_eq(report(&ctx, "text"), PLUSS_OK);
    ck_assert_str_eq(got, "kernel (a \"b\".c:42): predicted by cri, lines of 64 B\n"
                          "  n=-60: 1,352,400 accesses to 40 +-12 lines (2.50 KiB)\n"
                          "\n"
                          "       cache    T = 4           T = 64\n"
                          "        64 B  50.00 %  75.00 +-75.00 %\n"
                          "       128 B  50.00 %  75.00 +-75.00 %\n"
                          "       256 B  50.00 %  75.00 +-75.00 %\n"
                          "       512 B  50.00 %  75.00 +-75.00 %\n"
                          "       1 KiB  25.00 %  50.00 +-50.00 %  <- L1d\n"
                          "       2 KiB  25.00 %  50.00 +-50.00 %\n"
                          "       4 KiB   0.01 %  25.00  +-0.00 %\n"
                          "       1 MiB   0.01 %  25.00  +-0.00 %\n"
                          "  std. error                  +-0.12 %  mean over all sizes\n"
                          "\n"
                          "other (a \"b\".c:42): predicted by cri, lines of 64 B\n"
                          "  n=-60: 1,352,400 accesses to 40 +-12 lines (2.50 KiB)\n"
                          "\n"
                          "  cache    T = 4\n"
                          "   64 B  50.00 %\n"
                          "  128 B  50.00 %\n"
                          "  256 B  50.00 %\n"
                          "  512 B  50.00 %\n"
                          "  1 KiB  25.00 %  <- L1d\n"
                          "  2 KiB  25.00 %\n"
                          "  4 KiB   0.01 %\n"
                          "  1 MiB   0.01 %\n");
}
END_TEST

START_TEST(table_of_asked_sizes)
{
    static const plussi_report_cache cache[] = {
        {1 << 20, NULL, 0}, {1024, NULL, 0}, {1024, NULL, 0}};
    add_curve("kernel", 4, 4, sizes, ratios);
    result.curve[0].id.unknowns = 2;
    result.curve[0].id.simulated = true;
    free(result.curve[0].id.schedule);
    result.curve[0].id.schedule = copy("static, 4");
    ck_assert_int_eq(
        write_with(&ctx, "text", &(plussi_report_caches){.cache = cache, .n = 3, .only = true}),
        PLUSS_OK);
    ck_assert_str_eq(got, "kernel (a \"b\".c:42): simulated, progress cri, lines of 64 B, "
                          "schedule(static, 4)\n"
                          "  n=-60: 1,352,400 accesses to 40 +-12 lines (2.50 KiB)\n"
                          "  not in these figures: 2 constructs that could not be described\n"
                          "\n"
                          "  cache    T = 4\n"
                          "  1 KiB  25.00 %\n"
                          "  1 KiB  25.00 %\n"
                          "  1 MiB   0.01 %\n");
}
END_TEST

/* Who shares a cache decides which curve a row is from; what there is no curve of stays open. */
START_TEST(table_of_levels)
{
    static const plussi_report_cache cache[] = {{1024, "L1", 1}, {4096, "L2", 2}, {4096, NULL, 0}};
    static const double at[] = {0, 4}, quarter[] = {1, .25}, half[] = {1, .5};
    add_curve("r", 4, 2, at, quarter);
    add_curve("r", 2, 2, at, half); /* of its two threads: all */
    add_curve("r", 4, 2, at, half);
    result.curve[2].id.threads_per_cache = 1;
    ck_assert_int_eq(write_with(&ctx, "text", &(plussi_report_caches){cache, 3, true, false}),
                     PLUSS_OK);
    ck_assert_str_eq(strstr(got, "\n\n"), "\n\n"
                                          "  cache    T = 4    T = 2\n"
                                          "  1 KiB  50.00 %      -    <- L1, each thread's\n"
                                          "  4 KiB      -    50.00 %  <- L2, 2 threads each\n"
                                          "  4 KiB  25.00 %  50.00 %  <- shared\n");
}
END_TEST

/* Runs of one region whose arrays lie elsewhere are another column each, whatever their order. */
START_TEST(table_of_two_addresses)
{
    static const plussi_report_cache cache[] = {{1024, "L1", 1}, {4096, "L2", 0}};
    static const double at[] = {0, 4}, half[] = {1, .5}, most[] = {1, .75};
    for (int i = 0; i < 2; i++) {
        add_curve("r", 4, 2, at, i ? most : half);
        add_curve("other", 4, 2, at, half);
        add_curve("r", 4, 2, at, i ? half : most);
    }
    for (size_t i = 0; i < result.n; i++) {
        result.curve[i].runs = 1 + i / 3;
        result.curve[i].id.threads_per_cache = i % 3 == 2;
        result.curve[i].footprint_lines += i;
    }
    ck_assert_int_eq(write_with(&ctx, "text", &(plussi_report_caches){cache, 2, true, false}),
                     PLUSS_OK);
    const char *table = strstr(got, "r (a \"b\".c:42): predicted");
    ck_assert_ptr_nonnull(table);
    const char *end = strstr(table, "\n\nother");
    ck_assert_ptr_nonnull(end);
    ck_assert_mem_eq(table,
                     "r (a \"b\".c:42): predicted by cri, lines of 64 B\n"
                     "  n=-60: 1,352,400 accesses to 4 +-12 lines (256 B)\n"
                     "  coverage: not counted\n"
                     "  T = 4, 2 runs: n=-60: 1,352,400 accesses to 7 +-12 lines (448 B)\n"
                     "\n"
                     "  cache  T = 4, 1 run  T = 4, 2 runs\n"
                     "  1 KiB       75.00 %        50.00 %  <- L1, each thread's\n"
                     "  4 KiB       50.00 %        75.00 %  <- L2, shared",
                     (size_t)(end - table));
}
END_TEST

/* Of many regions of a run the table alone is shown, the worst first, and the curve of all runs;
 * single regions where they are asked for. */
START_TEST(table_of_many_regions)
{
    static const plussi_report_cache cache[] = {{256, "L1", 0}};
    static const double at[] = {0, 4}, half[] = {1, .5}, most[] = {1, .75};
    static const char *const name[] = {"a", "b", "c", "d"};
    add_curve("all runs", 4, 2, at, half);
    for (int i = 0; i < 4; i++) {
        add_curve(name[i], 4, 2, at, i == 2 ? most : half);
        result.curve[1 + i].runs = 3;
        ck_assert_int_eq(write_with(&ctx, "text", &(plussi_report_caches){cache, 1, true, false}),
                         PLUSS_OK);
        ck_assert(!strstr(got, "a (a \"b\".c:42): predicted") == (i == 3));
        ck_assert(!strstr(got, "--details") == (i < 3));
        ck_assert_ptr_nonnull(strstr(got, "all runs (a \"b\".c:42): predicted"));
    }
    ck_assert_ptr_nonnull(strstr(got, "c (a \"b\".c:42)"));
    ck_assert(strstr(got, "c (a \"b\".c:42)") < strstr(got, "a (a \"b\".c:42)"));
    ck_assert(strstr(got, "a (a \"b\".c:42)") < strstr(got, "d (a \"b\".c:42)"));
    ck_assert_int_eq(write_with(&ctx, "text", &(plussi_report_caches){cache, 1, true, true}),
                     PLUSS_OK);
    ck_assert_ptr_nonnull(strstr(got, "d (a \"b\".c:42): predicted"));
    ck_assert_ptr_null(strstr(got, "--details"));
}
END_TEST

START_TEST(csv)
{
    add_curve("a,\"b\"", 4, 4, sizes, ratios);
    ck_assert_int_eq(report(&ctx, "csv"), PLUSS_OK);
    ck_assert_str_eq(
        got, "region,threads,threads_per_cache,method,engine,line_bytes,size_lines,miss_ratio\n"
             "\"a,\"\"b\"\"\",4,4,prediction,cri,64,0,1\n"
             "\"a,\"\"b\"\"\",4,4,prediction,cri,64,1,0.5\n"
             "\"a,\"\"b\"\"\",4,4,prediction,cri,64,16,0.25\n"
             "\"a,\"\"b\"\"\",4,4,prediction,cri,64,40.25,0.000123456789\n");
}
END_TEST

/* ---- JSON ------------------------------------------------------------------------------------ */

static void expect_same(const plussi_curve *a, const plussi_curve *b)
{
    ck_assert_uint_eq(a->id.threads_per_cache, b->id.threads_per_cache);
    ck_assert_str_eq(a->id.region, b->id.region);
    ck_assert_str_eq(a->id.file, b->id.file);
    ck_assert_str_eq(a->id.engine, b->id.engine);
    ck_assert_str_eq(a->id.schedule, b->id.schedule);
    ck_assert_uint_eq(a->id.line, b->id.line);
    ck_assert_uint_eq(a->id.team, b->id.team);
    ck_assert_uint_eq(a->id.line_bytes, b->id.line_bytes);
    ck_assert_uint_eq(a->id.seed, b->id.seed);
    ck_assert_uint_eq(a->footprint_lines, b->footprint_lines);
    ck_assert_uint_eq(a->footprint_error, b->footprint_error);
    ck_assert_uint_eq(a->id.unknowns, b->id.unknowns);
    ck_assert_int_eq(a->id.simulated, b->id.simulated);
    ck_assert_uint_eq(a->id.n_values, b->id.n_values);
    for (size_t i = 0; i < a->id.n_values; i++) {
        ck_assert_str_eq(a->id.values[i].name, b->id.values[i].name);
        ck_assert_int_eq(a->id.values[i].value, b->id.values[i].value);
    }
    ck_assert_double_eq(a->mean_error, b->mean_error);
    ck_assert_uint_eq(a->n_error, b->n_error);
    for (size_t i = 0; i < a->n_error; i++) {
        ck_assert_double_eq_tol(a->error_size[i], b->error_size[i], 1e-14 * a->error_size[i]);
        ck_assert_double_eq_tol(a->error[i], b->error[i], 1e-15);
        ck_assert(!a->spread == !b->spread);
        if (a->spread)
            ck_assert_double_eq_tol(a->spread[i], b->spread[i], 1e-15);
    }
    ck_assert_double_eq(a->mrc.accesses, b->mrc.accesses);
    ck_assert_uint_eq(a->mrc.n, b->mrc.n);
    for (size_t i = 0; i < a->mrc.n; i++) {
        ck_assert_double_eq_tol(a->mrc.size[i], b->mrc.size[i], 1e-14 * a->mrc.size[i] + 1e-300);
        ck_assert_double_eq_tol(a->mrc.miss[i], b->mrc.miss[i], 1e-15);
    }
}

/* Random curves survive being written and read, and a second round changes no byte. */
START_TEST(json_round_trip)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 1, 0);
    for (int round = 0; round < 50; round++) {
        for (uint64_t c = plussi_rng_below(&rng, 4) + 1; c > 0; c--) {
            double size[200] = {0}, miss[200] = {1};
            size_t n = plussi_rng_below(&rng, 200) + 1;
            for (size_t i = 1; i < n; i++) {
                size[i] = size[i - 1] + (plussi_rng_below(&rng, 2)
                                             ? (double)(plussi_rng_below(&rng, 1000) + 1)
                                             : plussi_rng_unit(&rng) + 1e-3);
                miss[i] = miss[i - 1] * plussi_rng_unit(&rng);
            }
            add_curve("r\303\251gion", (uint32_t)plussi_rng_below(&rng, 100) + 1, n, size, miss);
            uint32_t team = result.curve[result.n - 1].id.team;
            result.curve[result.n - 1].id.threads_per_cache =
                (uint32_t)plussi_rng_below(&rng, team);
        }
        ck_assert_int_eq(report(&ctx, "json"), PLUSS_OK);
        plussi_result back;
        ck_assert_int_eq(plussi_report_json_read(&ctx, got, n_got, "f", &back), PLUSS_OK);
        ck_assert_uint_eq(back.n, result.n);
        for (size_t i = 0; i < back.n; i++)
            expect_same(&result.curve[i], &back.curve[i]);
        char *first = copy(got);
        plussi_result_free(&result);
        result = back;
        ck_assert_int_eq(report(&ctx, "json"), PLUSS_OK);
        ck_assert_str_eq(got, first);
        free(first);
        plussi_result_free(&result);
        plussi_result_init(&result, &plussi_mem_libc);
    }
}
END_TEST

/* Whole once it is read again, in the digits that there are: written so the first time, too. */
START_TEST(json_of_nearly_whole_numbers)
{
    static const double size[] = {0,           4.9999999999999996,
                                  1e6 - 1e-10, 2111111111111111.5,
                                  0x1p53 - 1,  0x1p60},
                        miss[] = {1, 0.5, 0.25, 0.125, 0.1, 1e-30};
    add_curve("r", 1, 6, size, miss);
    ck_assert_int_eq(report(&ctx, "json"), PLUSS_OK);
    ck_assert_msg(strstr(got, "\"size_lines\":[0,5,1000000,2111111111111110,"
                              "9007199254740991,1.15292150460685e+18]") != NULL,
                  "%s", got);
}
END_TEST

START_TEST(json_of_names_that_are_not_utf8)
{
    add_curve("a\377b", 4, 4, sizes, ratios);
    ck_assert_int_eq(report(&ctx, "json"), PLUSS_OK);
    ck_assert_ptr_nonnull(strstr(got, "\"region\":\"a?b\""));
    ck_assert_ptr_nonnull(strstr(got, "\"version\": 2"));
}
END_TEST

#define HEAD "{\"version\": 1, \"curves\": [{"
#define GOOD                                                                                       \
    "\"region\": \"r\", \"engine\": \"cri\", \"method\": \"prediction\", \"threads\": 4, "         \
    "\"line_bytes\": 64, \"footprint_lines\": 3, \"accesses\": 9, "
#define POINTS "\"size_lines\": [0, 1], \"miss_ratio\": [1, 0.5]"
#define ERRORS(object) ", \"standard_error\": " object

START_TEST(json_that_is_wrong)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "not JSON"},
        {"{\"version\": 1,}", "not JSON"},
        {"[1]", "not a report"},
        {"{\"curves\": []}", "not a report"},
        {"{\"version\": 1, \"version\": 1}", "duplicate"},
        {"{\"version\": 3, \"curves\": []}", "version 3"},
        {HEAD "}]}", "curves[0].region: missing"},
        {HEAD GOOD "\"region\": 4}]}", "duplicate"},
        {HEAD GOOD "\"file\": 4, " POINTS "}]}", "curves[0].file: not a string"},
        {HEAD GOOD "\"line\": -1, " POINTS "}]}", "curves[0].line: -1 is not in 0 ... 4294967295"},
        {HEAD GOOD "\"line\": 1.5, " POINTS "}]}", "curves[0].line: not an integer"},
        {HEAD GOOD "\"values\": [], " POINTS "}]}", "curves[0].values: not an object"},
        {HEAD GOOD "\"values\": {\"n\": \"x\"}, " POINTS "}]}",
         "curves[0].values.n: not an integer"},
        {HEAD GOOD "\"size_lines\": [0, 1]}]}", "curves[0].miss_ratio: missing"},
        {HEAD GOOD "\"size_lines\": [], \"miss_ratio\": []}]}", "not an array with elements"},
        {HEAD GOOD "\"size_lines\": [0, 1], \"miss_ratio\": [1]}]}",
         "curves[0].miss_ratio: 2 numbers expected"},
        {HEAD GOOD "\"size_lines\": [0, \"1\"], \"miss_ratio\": [1, 0]}]}",
         "curves[0].size_lines[1]: not a number"},
        {HEAD GOOD "\"size_lines\": [1], \"miss_ratio\": [1]}]}", "starts with"},
        {HEAD GOOD "\"size_lines\": [0], \"miss_ratio\": [0.5]}]}", "starts with"},
        {HEAD GOOD "\"size_lines\": [0, 2, 2], \"miss_ratio\": [1, 0.5, 0.2]}]}", "ascend"},
        {HEAD GOOD "\"size_lines\": [0, 1, 2], \"miss_ratio\": [1, 0.5, 0.6]}]}", "rises"},
        {HEAD GOOD "\"size_lines\": [0, 1], \"miss_ratio\": [1, -0.5]}]}",
         "miss_ratio[1]: -0.5 is not in 0 ... 1"},
        {HEAD "\"region\": \"r\", \"engine\": \"cri\", \"method\": \"guess\", \"threads\": 4, "
              "\"line_bytes\": 64, \"footprint_lines\": 3, \"accesses\": 9, " POINTS "}]}",
         "curves[0].method"},
        {HEAD "\"region\": \"r\", \"engine\": \"cri\", \"method\": \"prediction\", "
              "\"threads\": 0, \"line_bytes\": 64, \"footprint_lines\": 3, \"accesses\": 9, " POINTS
              "}]}",
         "curves[0].threads: 0 is not in 1 ... 4294967295"},
        {HEAD "\"region\": \"r\", \"engine\": \"cri\", \"method\": \"prediction\", "
              "\"threads\": 4, \"line_bytes\": 65, \"footprint_lines\": 3, \"accesses\": 9, " POINTS
              "}]}",
         "power of two"},
        {HEAD "\"region\": \"r\", \"engine\": \"cri\", \"method\": \"prediction\", "
              "\"threads\": 4, \"line_bytes\": 64, \"footprint_lines\": 3, \"accesses\": 0, " POINTS
              "}]}",
         "curves[0].accesses: not above 0"},
        {HEAD GOOD "\"size_lines\": [0, 1e19], \"miss_ratio\": [1, 0.5]}]}",
         "size_lines[1]: 1e+19 is not in 0"},
        {HEAD GOOD POINTS ERRORS("4") "}]}", "curves[0].standard_error: not an object"},
        {HEAD GOOD POINTS ERRORS("{}") "}]}", "curves[0].standard_error.size_lines: missing"},
        {HEAD GOOD POINTS ERRORS("{\"size_lines\": [1]}") "}]}",
         "curves[0].standard_error.miss_ratio: missing"},
        {HEAD GOOD POINTS ERRORS("{\"size_lines\": [1, 2], \"miss_ratio\": [0]}") "}]}",
         "curves[0].standard_error.miss_ratio: 2 numbers expected"},
        {HEAD GOOD POINTS ERRORS("{\"size_lines\": [2, 1], \"miss_ratio\": [0, 0]}") "}]}",
         "ascend"},
        {HEAD GOOD POINTS ERRORS("{\"size_lines\": [0], \"miss_ratio\": [0]}") "}]}", "ascend"},
        {HEAD GOOD POINTS ERRORS("{\"size_lines\": [1], \"miss_ratio\": [1.5]}") "}]}",
         "curves[0].standard_error.miss_ratio[0]: 1.5 is not in 0 ... 1"},
        {HEAD GOOD POINTS ERRORS("{\"size_lines\": [1], \"miss_ratio\": [0]}") "}]}",
         "curves[0].standard_error.mean: missing"},
        {HEAD GOOD POINTS ERRORS("{\"size_lines\": [1], \"miss_ratio\": [0], \"mean\": 2}") "}]}",
         "curves[0].standard_error.mean: 2 is not in 0 ... 1"},
        {HEAD GOOD POINTS ERRORS(
             "{\"size_lines\": [1], \"miss_ratio\": [0], \"mean\": 0}") ", \"spread\": [0, 0]}]}",
         "curves[0].spread: 1 numbers expected"},
        {HEAD GOOD POINTS ERRORS(
             "{\"size_lines\": [1], \"miss_ratio\": [0], \"mean\": 0}") ", \"spread\": [2]}]}",
         "curves[0].spread[0]: 2 is not in 0 ... 1"},
        {HEAD GOOD POINTS ", \"spread\": [0]}]}", "curves[0].spread: 0 numbers expected"},
        {HEAD GOOD POINTS "}, {}]}", "curves[1].region: missing"},
        {HEAD GOOD POINTS "}, 7]}", "curves[1]: not an object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plussi_result none = {0};
        ck_assert_int_eq(
            plussi_report_json_read(&ctx, cases[i].text, strlen(cases[i].text), "f.json", &none),
            PLUSS_EFORMAT);
        ck_assert_ptr_null(none.curve);
        ck_assert_uint_eq(ctx.n_diags, 1);
        ck_assert_str_eq(ctx.diags[0].file, "f.json");
        ck_assert_msg(strstr(ctx.diags[0].text, cases[i].message), "case %zu: '%s' in '%s'", i,
                      cases[i].message, ctx.diags[0].text);
        plussi_ctx_clear(&ctx);
    }
    plussi_result good;
    static const char text[] = HEAD GOOD POINTS "}]}";
    ck_assert_int_eq(plussi_report_json_read(&ctx, text, strlen(text), NULL, &good), PLUSS_OK);
    ck_assert_uint_eq(good.n, 1);
    ck_assert_str_eq(good.curve[0].id.schedule, "");
    plussi_result_free(&good);
}
END_TEST

/* What the key of threads a cache is called depends on the version; all of them is 0. */
START_TEST(json_of_both_versions)
{
#define CURVE(threads_per_cache) "{" GOOD threads_per_cache POINTS "}"
    static const char *const text[] = {
        "{\"version\": 1, \"curves\": [" CURVE("\"sharers\": 2, ") ", " CURVE("") "]}",
        "{\"version\": 2, \"curves\": [" CURVE("\"threads_per_cache\": 2, ") ", " CURVE(
            "\"threads_per_cache\": 4, ") "]}"};
    for (int version = 0; version < 2; version++) {
        plussi_result read;
        ck_assert_int_eq(
            plussi_report_json_read(&ctx, text[version], strlen(text[version]), NULL, &read),
            PLUSS_OK);
        ck_assert_uint_eq(read.n, 2);
        ck_assert_uint_eq(read.curve[0].id.threads_per_cache, 2);
        ck_assert_uint_eq(read.curve[1].id.threads_per_cache, 0);
        plussi_result_free(&read);
    }
}
END_TEST

/* Every prefix of a report is refused, none is a crash. */
START_TEST(json_cut_off)
{
    add_curve("r", 4, 4, sizes, ratios);
    ck_assert_int_eq(report(&ctx, "json"), PLUSS_OK);
    size_t whole = n_got;
    while (whole > 0 && got[whole - 1] == '\n')
        whole--;
    for (size_t length = 0; length < whole; length++) {
        plussi_result none = {0};
        char *cut = malloc(length ? length : 1);
        memcpy(cut, got, length);
        ck_assert_int_eq(plussi_report_json_read(&ctx, cut, length, "f", &none), PLUSS_EFORMAT);
        free(cut);
        plussi_ctx_clear(&ctx);
    }
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

static pluss_status read_back(plussi_ctx *c)
{
    static const char text[] =
        HEAD GOOD "\"file\": \"f\", \"values\": {\"n\": 1, \"m\": 2}, " POINTS ERRORS(
            "{\"size_lines\": [1], \"miss_ratio\": [0], \"mean\": 0}") "}, {" GOOD POINTS "}]}";
    plussi_result back = {0};
    pluss_status status = plussi_report_json_read(c, text, strlen(text), "f", &back);
    if (status == PLUSS_OK)
        plussi_result_free(&back);
    else
        ck_assert_ptr_null(back.curve);
    return status;
}

static pluss_status write_text(plussi_ctx *c)
{
    return report(c, "text");
}

static pluss_status write_csv(plussi_ctx *c)
{
    return report(c, "csv");
}

static pluss_status write_json(plussi_ctx *c)
{
    return report(c, "json");
}

static pluss_status append(plussi_ctx *c)
{
    plussi_result a, b;
    plussi_result_init(&a, &c->mem);
    plussi_result_init(&b, &c->mem);
    pluss_status status = PLUSS_OK;
    for (int i = 0; i < 20 && !status; i++) {
        plussi_curve empty = {0};
        status = plussi_result_add(&b, &empty);
    }
    if (!status)
        status = plussi_result_append(&a, &b);
    if (!status) {
        ck_assert_uint_eq(a.n, 20);
        ck_assert_uint_eq(b.n, 0);
    }
    plussi_result_free(&a);
    plussi_result_free(&b);
    return status;
}

START_TEST(out_of_memory)
{
    static pluss_status (*const calls[])(plussi_ctx *) = {write_text, write_csv, write_json,
                                                          read_back, append};
    add_curve("r", 4, 4, sizes, ratios);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (long budget = 0;; budget++) {
            failing_mem memory;
            failing_mem_init(&memory, budget);
            plussi_ctx failing;
            plussi_ctx_init(&failing, &memory.mem);
            ck_assert_int_eq(calls[i](&failing), memory.failed ? PLUSS_ENOMEM : PLUSS_OK);
            plussi_ctx_clear(&failing);
            ck_assert_int_eq(memory.live, 0);
            if (!memory.failed)
                break;
        }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("report");
    TCase *t = tcase_create("report");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, numbers);
    tcase_add_test(t, sizes_in_bytes);
    tcase_add_test(t, sink_buffers);
    tcase_add_test(t, refused_bytes_are_an_error);
    tcase_add_test(t, table_of_two_teams);
    tcase_add_test(t, table_of_asked_sizes);
    tcase_add_test(t, table_of_levels);
    tcase_add_test(t, table_of_two_addresses);
    tcase_add_test(t, table_of_many_regions);
    tcase_add_test(t, csv);
    tcase_add_test(t, json_round_trip);
    tcase_add_test(t, json_of_nearly_whole_numbers);
    tcase_add_test(t, json_of_names_that_are_not_utf8);
    tcase_add_test(t, json_that_is_wrong);
    tcase_add_test(t, json_of_both_versions);
    tcase_add_test(t, json_cut_off);
    tcase_add_test(t, out_of_memory);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
