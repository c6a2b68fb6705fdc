/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The C interface, through pluss.h alone.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "option_text.h"
#include "suite.h"

static pluss_context *ctx;
static pluss_nest *nest;
static pluss_options *made;

static void setup(void)
{
    ck_assert_int_eq(pluss_context_new(NULL, &ctx), PLUSS_OK);
    nest = NULL;
}

static void teardown(void)
{
    pluss_options_free(made);
    made = NULL;
    pluss_nest_free(nest);
    pluss_context_free(ctx);
}

static const char GEMM[] = "pluss-nest 1\n"
                           "region gemm \"gemm.c\":42\n"
                           "symbol ni, nj = 5, nk is \"p->nk\", d = ni*2\n"
                           "array f64 A[ni][nk], B[nk][nj], C[ni][nj]\n"
                           "parallel for i in 0..ni schedule(static, 4) @44:9 {\n"
                           "  for j in 0..nj @45 {\n"
                           "    read C[i][j] @46\n"
                           "    write C[i][j] @46\n"
                           "    for k in nk-1..-1 step -1 {\n"
                           "      read A[i][k]\n"
                           "      read B[k][j]\n"
                           "    }\n"
                           "  }\n"
                           "  unknown call of A \"memset\" @\"other.h\":7:3\n"
                           "}\n";

static void parse(const char *text)
{
    pluss_nest_free(nest);
    nest = NULL;
    ck_assert_int_eq(pluss_nest_parse(ctx, text, strlen(text), "g.nest", &nest), PLUSS_OK);
}

#define VALUES "threads=1,4 define=ni=16 define=nk=6"
static const uint32_t teams[] = {1, 4};

/* Freed by the teardown. */
static pluss_options *options_of(const char *words)
{
    pluss_options_free(made);
    made = NULL;
    ck_assert_int_eq(make_options(ctx, words, &made), PLUSS_OK);
    return made;
}

/* The last diagnostic. */
static pluss_diagnostic last(void)
{
    pluss_diagnostic d = {.size = sizeof d};
    ck_assert_uint_ge(pluss_context_diagnostic_count(ctx), 1);
    ck_assert_int_eq(pluss_context_diagnostic(ctx, pluss_context_diagnostic_count(ctx) - 1, &d),
                     PLUSS_OK);
    return d;
}

/* ---- status, version, features --------------------------------------------------------------- */

START_TEST(versions)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", PLUSS_VERSION_MAJOR, PLUSS_VERSION_MINOR,
             PLUSS_VERSION_PATCH);
    ck_assert_str_eq(text, PLUSS_VERSION);
    ck_assert_str_eq(pluss_version(), PLUSS_VERSION);
    ck_assert_str_eq(pluss_status_text(PLUSS_ENOMEM), "out of memory");
    ck_assert_str_eq(pluss_status_name(PLUSS_EUNBOUND), "EUNBOUND");
    ck_assert_str_eq(pluss_status_name((pluss_status)99), "?");
    ck_assert_str_eq(pluss_status_text((pluss_status)99), "unknown status");
}
END_TEST

/* Every law is found again by what it writes of itself, and its default numbers are good ones. */
START_TEST(progress_as_text)
{
    static const struct {
        const char *text, *law;
        double accesses, sigma, skew, spread;
        uint32_t cores;
        int by_default;
    } good[] = {{"uniform", "uniform", 0, 0, 0, 0, 0, 0},
                {"rates", "rates", 0, .03, 500, 1, 0, 1},
                {"rates:0.125", "rates", 0, .125, 500, 1, 0, 0},
                {"rates:0:0", "rates", 0, 0, 0, 1, 0, 0},
                {"rates::7", "rates", 0, .03, 7, 1, 0, 1},
                {"rates:.5:1e3:2.5e-1", "rates", 0, .5, 1000, .25, 0, 0},
                {"burst:8", "burst", 8, 0, 0, 0, 0, 0},
                {"slices", "slices", 4e6, 0, 0, 0, 0, 1},
                {"slices::3", "slices", 4e6, 0, 0, 0, 3, 1},
                {"slices:50:2", "slices", 50, 0, 0, 0, 2, 0},
                {"recorded", "recorded", 0, 0, 0, 0, 0, 0}};
    static const char *const bad[] = {"",
                                      "Uniform",
                                      "uniform:",
                                      "uniform:1",
                                      "rates:",
                                      "rates:x",
                                      "rates:-1",
                                      "rates:11",
                                      "rates:1:2:",
                                      "rates:1:1:1:",
                                      "rates:1:1:1:1",
                                      "burst",
                                      "burst:",
                                      "burst:0.5",
                                      "burst:1e99",
                                      "burst:1e999999999999",
                                      "burst:8 ",
                                      "slices:1:0",
                                      "slices:1:1.5",
                                      "slices:1:5000000000",
                                      "round robin",
                                      "rr",
                                      "rates:1e",
                                      "rates:.",
                                      "rates:1.2.3"};
    pluss_progress p = {.size = sizeof p};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(pluss_progress_parse(ctx, good[i].text, &p) == PLUSS_OK, "%s", good[i].text);
        ck_assert_str_eq(p.law, good[i].law);
        ck_assert_double_eq(p.accesses, good[i].accesses);
        ck_assert_double_eq(p.sigma, good[i].sigma);
        ck_assert_double_eq(p.skew, good[i].skew);
        ck_assert_double_eq(p.skew_spread, good[i].spread);
        ck_assert_uint_eq(p.cores, good[i].cores);
        ck_assert_int_eq(p.by_default, good[i].by_default);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pluss_context_clear(ctx);
        ck_assert_msg(pluss_progress_parse(ctx, bad[i], &p) == PLUSS_EINVAL, "'%s'", bad[i]);
        ck_assert_uint_eq(pluss_context_diagnostic_count(ctx), 1);
    }
    ck_assert_str_eq(p.law, "recorded"); /* untouched */
    pluss_progress_info info = {.size = sizeof info};
    size_t n = 0;
    for (; pluss_progress_get(n, &info) == PLUSS_OK; n++) {
        char feature[64];
        snprintf(feature, sizeof feature, "progress.%s", info.name);
        ck_assert(pluss_has_feature(feature) && strlen(info.summary) > 9);
        ck_assert(strncmp(info.syntax, info.name, strlen(info.name)) == 0);
        ck_assert(info.predicted || info.simulated);
    }
    ck_assert_uint_ge(n, 8);
    ck_assert_int_eq(pluss_progress_get(n, &info), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_progress_parse(ctx, NULL, &p), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_progress_parse(NULL, "uniform", &p), PLUSS_EINVAL);
}
END_TEST

START_TEST(features)
{
    static const char *const there[] = {"read.elf",  "read.archive",     "report.csv",
                                        "model.cri", "progress.uniform", "progress.sequential"};
    static const char *const absent[] = {"", "read", "model.", "model.oracle", "progress.rr", "x"};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        ck_assert_msg(pluss_has_feature(there[i]), "%s", there[i]);
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        ck_assert_msg(!pluss_has_feature(absent[i]), "%s", absent[i]);
    ck_assert(!pluss_has_feature(NULL));
    pluss_model_info model = {.size = sizeof model};
    size_t n = 0;
    for (; pluss_model_get(n, &model) == PLUSS_OK; n++) {
        char name[64];
        snprintf(name, sizeof name, "model.%s", model.name);
        ck_assert(pluss_has_feature(name));
    }
    ck_assert_uint_ge(n, 3);
    ck_assert_int_eq(pluss_model_get(n, &model), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_model_get(0, NULL), PLUSS_EINVAL);
}
END_TEST

/* ---- context --------------------------------------------------------------------------------- */

typedef struct seen {
    unsigned logged;
    char text[200];
    long live;
    unsigned asked, stop_at;
} seen;

static void log_it(void *user, const pluss_diagnostic *d)
{
    seen *s = user;
    ck_assert_uint_eq(d->size, sizeof *d);
    snprintf(s->text, sizeof s->text, "%s:%u:%u: %s", d->file ? d->file : "-", d->line, d->col,
             d->text);
    s->logged++;
}

static void *resize(void *user, void *ptr, size_t bytes)
{
    seen *s = user;
    if (bytes == 0) {
        s->live -= ptr != NULL;
        free(ptr);
        return NULL;
    }
    s->live += ptr == NULL;
    return realloc(ptr, bytes);
}

static int ask(void *user, const char *stage, double done, uint64_t steps)
{
    seen *s = user;
    (void)stage;
    (void)done;
    (void)steps;
    return ++s->asked == s->stop_at;
}

START_TEST(callbacks)
{
    seen s = {0};
    pluss_context_options options = {.size = sizeof options,
                                     .resize = resize,
                                     .resize_user = &s,
                                     .log = log_it,
                                     .log_user = &s,
                                     .ask = ask,
                                     .ask_user = &s};
    pluss_context *own = NULL;
    pluss_nest *n = NULL;
    pluss_result *result = NULL;
    ck_assert_int_eq(pluss_context_new(&options, &own), PLUSS_OK);
    ck_assert_int_gt(s.live, 0);
    ck_assert_int_ne(pluss_nest_parse(own, "pluss-nest 1 nonsense", 21, "f", &n), PLUSS_OK);
    ck_assert_ptr_null(n);
    ck_assert_uint_ge(s.logged, 1);
    ck_assert_uint_eq(s.logged, pluss_context_diagnostic_count(own));
    ck_assert_int_eq(strncmp(s.text, "f:1:14: ", 8), 0);
    pluss_context_clear(own);
    ck_assert_uint_eq(pluss_context_diagnostic_count(own), 0);
    ck_assert_int_eq(pluss_nest_parse(own, GEMM, strlen(GEMM), NULL, &n), PLUSS_OK);
    const pluss_options *o = options_of(VALUES);
    s.stop_at = 2;
    ck_assert_int_eq(pluss_predict(own, n, o, &result), PLUSS_ECANCELLED);
    ck_assert_ptr_null(result);
    ck_assert_uint_eq(s.asked, 2);
    /* a status without a text of its own is told all the same */
    ck_assert_ptr_nonnull(strstr(s.text, "cancelled"));
    s.stop_at = 0;
    ck_assert_int_eq(pluss_predict(own, n, o, &result), PLUSS_OK);
    pluss_result_free(result);
    pluss_nest_free(n);
    pluss_context_free(own);
    ck_assert_int_eq(s.live, 0);
}
END_TEST

START_TEST(structs_of_other_versions)
{
    struct {
        pluss_context_options options;
        long later;
    } newer = {.options = {.size = sizeof newer}, .later = 0};
    pluss_context *own = NULL;
    ck_assert_int_eq(pluss_context_new(&newer.options, &own), PLUSS_OK);
    pluss_context_free(own);
    own = NULL;
    newer.later = 1; /* asks for what this version does not have */
    ck_assert_int_eq(pluss_context_new(&newer.options, &own), PLUSS_EINVAL);
    ck_assert_ptr_null(own);
    pluss_context_options none = {0};
    ck_assert_int_eq(pluss_context_new(&none, &own), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_context_new(NULL, NULL), PLUSS_EINVAL);

    /* an older caller: its struct ends after kind and name */
    parse(GEMM);
    pluss_symbol_info symbol = {.size = offsetof(pluss_symbol_info, origin), .region = 77};
    ck_assert_int_eq(pluss_nest_get_symbol(nest, 0, &symbol), PLUSS_OK);
    ck_assert_str_eq(symbol.name, "ni");
    ck_assert_int_eq(symbol.region, 77);
    ck_assert_uint_eq(symbol.size, offsetof(pluss_symbol_info, origin));
    symbol.size = 0;
    ck_assert_int_eq(pluss_nest_get_symbol(nest, 0, &symbol), PLUSS_EINVAL);
}
END_TEST

START_TEST(null_arguments)
{
    pluss_result *result = NULL;
    pluss_report *report = NULL;
    pluss_nests *nests = NULL;
    pluss_pri *pri = NULL;
    pluss_nest *other = NULL;
    pluss_region_info region = {.size = sizeof region};
    pluss_curve_info curve = {.size = sizeof curve};
    pluss_diagnostic diagnostic = {.size = sizeof diagnostic};
    pluss_difference difference = {.size = sizeof difference};
    ck_assert_int_eq(pluss_nest_parse(NULL, "", 0, NULL, &nest), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_nest_parse(ctx, NULL, 0, NULL, &nest), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_nest_parse(ctx, "", 0, NULL, NULL), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_nests_read(ctx, NULL, &nests), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_nests_read(NULL, "f", &nests), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_nest_write(ctx, NULL, NULL, NULL), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_nest_extract(ctx, NULL, 0, &other), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_nest_join(ctx, NULL, 1, &other), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_predict(ctx, NULL, NULL, &result), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_simulate(NULL, NULL, NULL, &result), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_pri_collect(ctx, NULL, NULL, &pri), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_pri_get(NULL, 0, NULL), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_result_report(ctx, NULL, NULL, &report), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_result_read(ctx, NULL, 0, NULL, &result), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_result_append(ctx, NULL, NULL), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_curve_compare(ctx, NULL, NULL, PLUSS_GRID_STRICT, &difference),
                     PLUSS_EINVAL);
    ck_assert_int_eq(pluss_curve_get_info(NULL, &curve), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_nest_get_region(NULL, 0, &region), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_context_diagnostic(NULL, 0, &diagnostic), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_context_diagnostic(ctx, 999, &diagnostic), PLUSS_ENOTFOUND);
    ck_assert_uint_eq(pluss_nests_count(NULL), 0);
    ck_assert_uint_eq(pluss_result_count(NULL), 0);
    ck_assert_ptr_null(pluss_nests_get(NULL, 0));
    ck_assert_ptr_null(pluss_result_get(NULL, 0));
    ck_assert_uint_eq(pluss_context_dropped_count(ctx), 0);
    ck_assert_double_eq(pluss_curve_at(NULL, 64), 1);
    pluss_context_free(NULL);
    pluss_context_clear(NULL);
    pluss_nest_free(NULL);
    pluss_nests_free(NULL);
    pluss_result_free(NULL);
    pluss_pri_free(NULL);
}
END_TEST

/* ---- nests ----------------------------------------------------------------------------------- */

START_TEST(what_is_in_a_nest)
{
    parse(GEMM);
    pluss_nest_info info = {.size = sizeof info};
    ck_assert_int_eq(pluss_nest_get_info(nest, &info), PLUSS_OK);
    ck_assert_str_eq(info.origin, "g.nest");
    ck_assert_uint_eq(info.regions, 1);
    ck_assert_uint_eq(info.symbols, 4);
    ck_assert_uint_eq(info.loops, 3);
    ck_assert_uint_eq(info.refs, 4);
    ck_assert_uint_eq(info.unknowns, 1);

    pluss_region_info region = {.size = sizeof region};
    ck_assert_int_eq(pluss_nest_get_region(nest, 0, &region), PLUSS_OK);
    ck_assert_str_eq(region.name, "gemm");
    ck_assert_str_eq(region.file, "gemm.c");
    ck_assert_uint_eq(region.line, 42);
    ck_assert_int_eq(pluss_nest_get_region(nest, 1, &region), PLUSS_ENOTFOUND);

    pluss_symbol_info s = {.size = sizeof s};
    ck_assert_int_eq(pluss_nest_get_symbol(nest, 1, &s), PLUSS_OK);
    ck_assert_int_eq(s.kind, PLUSS_SYMBOL_BOUND);
    ck_assert_str_eq(s.value, "5");
    ck_assert_int_eq(s.region, 0);
    ck_assert_int_eq(pluss_nest_get_symbol(nest, 2, &s), PLUSS_OK);
    ck_assert_int_eq(s.kind, PLUSS_SYMBOL_UNBOUND);
    ck_assert_str_eq(s.origin, "p->nk");
    ck_assert_ptr_null(s.value);
    ck_assert_int_eq(pluss_nest_get_symbol(nest, 3, &s), PLUSS_OK);
    ck_assert_int_eq(s.kind, PLUSS_SYMBOL_DERIVED);
    ck_assert_int_eq(pluss_nest_get_symbol(nest, 4, &s), PLUSS_ENOTFOUND);

    pluss_loop_info l = {.size = sizeof l};
    ck_assert_int_eq(pluss_nest_get_loop(nest, 0, &l), PLUSS_OK);
    ck_assert_str_eq(l.iv, "i");
    ck_assert_str_eq(l.lo, "0");
    ck_assert_str_eq(l.hi, "ni");
    ck_assert_str_eq(l.schedule, "static, 4");
    ck_assert_uint_eq(l.line, 44);
    ck_assert_uint_eq(l.col, 9);
    ck_assert_uint_eq(l.depth, 0);
    ck_assert(l.parallel && l.collapse == 1 && !l.nowait);
    ck_assert_int_eq(pluss_nest_get_loop(nest, 2, &l), PLUSS_OK);
    ck_assert_uint_eq(l.depth, 2);
    ck_assert_int_eq(l.step, -1);
    ck_assert(!l.parallel);
    ck_assert_ptr_null(l.schedule);

    pluss_ref_info r = {.size = sizeof r};
    static const struct {
        const char *text;
        int write;
        int64_t loop;
        pluss_sharing sharing;
    } refs[] = {{"C[i][j]", 0, 1, PLUSS_SHARING_SPLIT},
                {"C[i][j]", 1, 1, PLUSS_SHARING_SPLIT},
                {"A[i][k]", 0, 2, PLUSS_SHARING_SPLIT},
                {"B[k][j]", 0, 2, PLUSS_SHARING_FULL}};
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_int_eq(pluss_nest_get_ref(nest, i, &r), PLUSS_OK);
        ck_assert_str_eq(r.text, refs[i].text);
        ck_assert_int_eq(r.write, refs[i].write);
        ck_assert_int_eq(r.loop, refs[i].loop);
        ck_assert_int_eq(r.sharing, refs[i].sharing);
        ck_assert_str_eq(r.file, "gemm.c");
        ck_assert(r.parallel && !r.atomic);
    }
    ck_assert_int_eq(pluss_nest_get_ref(nest, 4, &r), PLUSS_ENOTFOUND);

    pluss_unknown_info u = {.size = sizeof u};
    ck_assert_int_eq(pluss_nest_get_unknown(nest, 0, &u), PLUSS_OK);
    ck_assert_str_eq(u.kind, "call");
    ck_assert_str_eq(u.array, "A");
    ck_assert_str_eq(u.reason, "memset");
    ck_assert_str_eq(u.file, "other.h");
    ck_assert_uint_eq(u.line, 7);
    ck_assert_uint_eq(u.col, 3);
}
END_TEST

static pluss_sharing sharing_of(const char *body)
{
    char text[512];
    pluss_ref_info r = {.size = sizeof r};
    snprintf(text, sizeof text,
             "pluss-nest 1 symbol n = 4 array f64 A[n][n] array f64 P[n][n] private "
             "array i32 x[n] region r %s",
             body);
    parse(text);
    ck_assert_int_eq(pluss_nest_get_ref(nest, 0, &r), PLUSS_OK);
    return r.sharing;
}

START_TEST(sharing_by_subscripts)
{
    static const struct {
        const char *body;
        pluss_sharing sharing;
    } cases[] = {
        {"for i in 0..n { read A[i][0] }", PLUSS_SHARING_NONE},
        {"parallel { for i in 0..n { read A[i][0] } }", PLUSS_SHARING_FULL},
        {"parallel { for i in 0..n { read A[i][$thread] } }", PLUSS_SHARING_SPLIT},
        {"parallel for i in 0..n { read P[0][0] }", PLUSS_SHARING_NONE},
        {"parallel for i in 0..n { read A[0][0] }", PLUSS_SHARING_FULL},
        {"parallel for i in 0..n { read A[0][i / 2] }", PLUSS_SHARING_SPLIT},
        {"parallel for i in 0..n { for j in 0..n { read A[j][0] } }", PLUSS_SHARING_FULL},
        {"parallel for i in 0..n collapse(2) { for j in 0..n { read A[j][0] } }",
         PLUSS_SHARING_SPLIT},
        {"parallel for i in 0..n { read A[x[i]][0] }", PLUSS_SHARING_FULL},
        {"parallel for i in 0..n { for j in i..n { for k in 0..j { read A[k][0] } } }",
         PLUSS_SHARING_FULL},
        {"parallel for i in 0..n { for j in 4*i..4*i+4 { read A[j][0] } }", PLUSS_SHARING_SPLIT},
        {"parallel for i in 0..n { for j in 0..n { for k in 0..j { read A[k][0] } } }",
         PLUSS_SHARING_FULL},
        {"for t in 0..n { parallel for i in 0..n { read A[t][0] } }", PLUSS_SHARING_FULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(sharing_of(cases[i].body) == cases[i].sharing, "%s", cases[i].body);
}
END_TEST

/* Where the collected classes are decided, the subscripts alone must not have said otherwise. */
START_TEST(sharing_agrees_with_the_collected_one)
{
    parse(GEMM);
    const pluss_options *o = options_of("threads=4 define=ni=16 define=nk=6");
    pluss_pri *pri = NULL;
    ck_assert_int_eq(pluss_pri_collect(ctx, nest, o, &pri), PLUSS_OK);
    pluss_ref_info r = {.size = sizeof r};
    pluss_pri_info p = {.size = sizeof p};
    double total = 0;
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_int_eq(pluss_nest_get_ref(nest, i, &r), PLUSS_OK);
        ck_assert_int_eq(pluss_pri_get(pri, i, &p), PLUSS_OK);
        if (r.sharing == PLUSS_SHARING_SPLIT)
            ck_assert_int_ne(p.sharing, PLUSS_SHARING_FULL);
        else
            ck_assert_int_eq(p.sharing, r.sharing);
        total += p.cold + p.thread_first;
        for (size_t b = 0; b < p.n_bins; b++) {
            ck_assert(b == 0 || p.interval[b] > p.interval[b - 1]);
            total += p.weight[b];
        }
    }
    ck_assert_double_eq_tol(total, 16 * 5 * (2 + 2 * 6), 1e-6);
    ck_assert_int_eq(pluss_pri_get(pri, 4, &p), PLUSS_ENOTFOUND);
    pluss_pri_free(pri);
}
END_TEST

static char written[4096];
static size_t n_written;

static int write_it(void *user, const char *data, size_t length)
{
    (void)user;
    ck_assert_uint_lt(n_written + length, sizeof written);
    memcpy(written + n_written, data, length);
    n_written += length;
    written[n_written] = '\0';
    return 0;
}

static int write_nothing(void *user, const char *data, size_t length)
{
    (void)user;
    (void)data;
    (void)length;
    return 1;
}

START_TEST(writing_and_parsing_again)
{
    parse(GEMM);
    n_written = 0;
    ck_assert_int_eq(pluss_nest_write(ctx, nest, write_it, NULL), PLUSS_OK);
    char first[sizeof written];
    strcpy(first, written);
    parse(first);
    n_written = 0;
    ck_assert_int_eq(pluss_nest_write(ctx, nest, write_it, NULL), PLUSS_OK);
    ck_assert_str_eq(first, written);
    ck_assert_int_eq(pluss_nest_write(ctx, nest, write_nothing, NULL), PLUSS_EIO);
    ck_assert_int_eq(last().status, PLUSS_EIO);
}
END_TEST

#define TWO                                                                                        \
    "pluss-nest 1 symbol n array b64 A[n] "                                                        \
    "region a for i in 0..n { read A[i] } region b for i in 0..n { read A[i] }"

START_TEST(parts_and_wholes)
{
    parse(TWO);
    pluss_nest *a = NULL, *b = NULL, *whole = NULL, *none = NULL;
    ck_assert_int_eq(pluss_nest_extract(ctx, nest, 0, &a), PLUSS_OK);
    ck_assert_int_eq(pluss_nest_extract(ctx, nest, 1, &b), PLUSS_OK);
    ck_assert_int_eq(pluss_nest_extract(ctx, nest, 2, &none), PLUSS_ENOTFOUND);
    const pluss_nest *parts[] = {a, b};
    ck_assert_int_eq(pluss_nest_join(ctx, parts, 2, &whole), PLUSS_OK);
    pluss_nest_info info = {.size = sizeof info};
    ck_assert_int_eq(pluss_nest_get_info(whole, &info), PLUSS_OK);
    ck_assert_uint_eq(info.regions, 2);
    ck_assert_uint_eq(info.refs, 2);

    /* apart both are cold; together the second hits what the first left */
    const pluss_options *o = options_of("define=n=10");
    pluss_result *apart = NULL, *together = NULL;
    ck_assert_int_eq(pluss_simulate(ctx, b, o, &apart), PLUSS_OK);
    ck_assert_int_eq(pluss_simulate(ctx, whole, o, &together), PLUSS_OK);
    ck_assert_double_eq(pluss_curve_at(pluss_result_get(apart, 0), 640), 1);
    ck_assert_double_eq(pluss_curve_at(pluss_result_get(together, 0), 640), 0.5);
    ck_assert_double_eq(pluss_curve_at(pluss_result_get(together, 0), 639), 1);

    ck_assert_int_eq(pluss_result_append(ctx, apart, together), PLUSS_OK);
    ck_assert_uint_eq(pluss_result_count(apart), 2);
    ck_assert_uint_eq(pluss_result_count(together), 0);
    ck_assert_int_eq(pluss_result_append(ctx, apart, apart), PLUSS_EINVAL);
    pluss_curve_info c = {.size = sizeof c};
    ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(apart, 1), &c), PLUSS_OK);
    ck_assert_str_eq(c.region, "a+b");
    ck_assert_double_eq(c.accesses, 20);
    ck_assert_uint_eq(c.n_bindings, 1);
    ck_assert_str_eq(c.bindings[0].name, "n");
    ck_assert_int_eq(c.bindings[0].value, 10);
    ck_assert_ptr_null(pluss_result_get(apart, 2));
    pluss_result_free(apart);
    pluss_result_free(together);
    pluss_nest_free(a);
    pluss_nest_free(b);
    pluss_nest_free(whole);
}
END_TEST

START_TEST(joins_that_do_not_fit)
{
    pluss_nest *a = NULL, *b = NULL, *whole = NULL;
    static const char x[] = "pluss-nest 1 array f64 A[3] region a read A[0]",
                      y[] = "pluss-nest 1 array f64 A[4] region b read A[0]";
    ck_assert_int_eq(pluss_nest_parse(ctx, x, strlen(x), NULL, &a), PLUSS_OK);
    ck_assert_int_eq(pluss_nest_parse(ctx, y, strlen(y), NULL, &b), PLUSS_OK);
    const pluss_nest *parts[] = {a, b}, *holes[] = {a, NULL};
    ck_assert_int_eq(pluss_nest_join(ctx, parts, 2, &whole), PLUSS_EINVALID);
    ck_assert_int_eq(pluss_nest_join(ctx, holes, 2, &whole), PLUSS_EINVAL);
    ck_assert_ptr_null(whole);
    ck_assert_int_eq(pluss_nest_join(ctx, NULL, 0, &whole), PLUSS_OK);
    pluss_nest_free(whole);
    pluss_nest_free(a);
    pluss_nest_free(b);
}
END_TEST

#define INDIRECT                                                                                   \
    "pluss-nest 1 symbol n array f64 x[] array i32 col[n] region r "                               \
    "for i in 0..n { read col[i] read x[col[i]] }"

START_TEST(contents_of_index_arrays)
{
    parse(INDIRECT);
    const pluss_options *o = options_of("define=n=4");
    pluss_result *result = NULL;
    ck_assert_int_ne(pluss_simulate(ctx, nest, o, &result), PLUSS_OK);

    static const int64_t here[] = {0, 100, 0, 100}, wide[] = {0, 0, 0, INT64_C(1) << 40};
    pluss_contents c[] = {{"col", here, 4}};
    pluss_nest *filled = NULL;
    ck_assert_int_eq(pluss_nest_with_contents(ctx, nest, c, 1, &filled), PLUSS_OK);
    pluss_array_info array = {.size = sizeof array};
    ck_assert_int_eq(pluss_nest_get_array(nest, 1, &array), PLUSS_OK);
    ck_assert_str_eq(array.name, "col");
    ck_assert_str_eq(array.element, "i32");
    ck_assert_uint_eq(array.rank, 1);
    ck_assert_int_eq(array.region, -1);
    ck_assert_int_eq(array.has_contents, 0);
    ck_assert_int_eq(pluss_nest_get_array(filled, 1, &array), PLUSS_OK);
    ck_assert_int_eq(array.has_contents, 1);
    ck_assert_int_eq(pluss_nest_get_array(filled, 2, &array), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_simulate(ctx, filled, o, &result), PLUSS_OK);
    pluss_curve_info info = {.size = sizeof info};
    ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(result, 0), &info), PLUSS_OK);
    ck_assert_double_eq(info.accesses, 8);
    ck_assert_uint_eq(info.footprint_lines, 3);
    pluss_result_free(result);

    /* in place of what is there; REGION.NAME is for arrays of a region */
    static const int64_t all_one_place[] = {5, 5, 5, 5};
    pluss_nest *again = NULL;
    c[0].values = all_one_place;
    ck_assert_int_eq(pluss_nest_with_contents(ctx, filled, c, 1, &again), PLUSS_OK);
    ck_assert_int_eq(pluss_simulate(ctx, again, o, &result), PLUSS_OK);
    ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(result, 0), &info), PLUSS_OK);
    ck_assert_uint_eq(info.footprint_lines, 2);
    pluss_result_free(result);
    pluss_nest_free(again);

    pluss_nest *none = NULL;
    c[0].values = wide;
    ck_assert_int_eq(pluss_nest_with_contents(ctx, nest, c, 1, &none), PLUSS_EINVALID);
    c[0] = (pluss_contents){"x", here, 4};
    ck_assert_int_eq(pluss_nest_with_contents(ctx, nest, c, 1, &none), PLUSS_EINVALID);
    c[0].array = "y";
    ck_assert_int_eq(pluss_nest_with_contents(ctx, nest, c, 1, &none), PLUSS_ENOTFOUND);
    c[0] = (pluss_contents){"col", NULL, 4};
    ck_assert_int_eq(pluss_nest_with_contents(ctx, nest, c, 1, &none), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_nest_with_contents(ctx, nest, NULL, 1, &none), PLUSS_EINVAL);
    ck_assert_ptr_null(none);
    pluss_nest_free(filled);
}
END_TEST

/* Its name is put into path, which ends in XXXXXX. */
static void make_file(char *path, const char *text)
{
    int fd = mkstemp(path);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

START_TEST(nests_of_a_file)
{
    char path[] = "/tmp/test_ffi_XXXXXX";
    make_file(path, TWO);
    pluss_nests *nests = NULL;
    ck_assert_int_eq(pluss_nests_read(ctx, path, &nests), PLUSS_OK);
    ck_assert_uint_eq(pluss_nests_count(nests), 1);
    pluss_nest_info info = {.size = sizeof info};
    ck_assert_int_eq(pluss_nest_get_info(pluss_nests_get(nests, 0), &info), PLUSS_OK);
    ck_assert_str_eq(info.origin, path);
    ck_assert_ptr_null(pluss_nests_get(nests, 1));
    pluss_nests_free(nests);
    nests = NULL;
    unlink(path);
    ck_assert_int_eq(pluss_nests_read(ctx, path, &nests), PLUSS_EIO);
    ck_assert_ptr_null(nests);
    ck_assert_str_eq(last().file, path);
}
END_TEST

/* ---- engines --------------------------------------------------------------------------------- */

/* What is wrong is told when it is set, with the option and the place. */
START_TEST(options_that_are_wrong)
{
    static const struct {
        const char *name, *text, *told;
    } cases[] = {
        {"threads", "0", "threads '0': a team has at least one thread"},
        {"threads", "1,,2", "threads '1,,2', character 3: a number is expected"},
        {"threads", "2,8..1", "threads '2,8..1', character 3: the range runs backwards"},
        {"threads", "1 2", "threads '1 2', character 2: a list is numbers and ranges"},
        {"define", "n", "define 'n': it is NAME=VALUE"},
        {"define", "=1", "define '=1': it is NAME=VALUE"},
        {"define", "n=1x", "define 'n=1x', character 4: there is something after the number"},
        {"define", "n=0x", "define 'n=0x', character 5: hexadecimal digits are expected"},
        {"seed", "9223372036854775808", "seed '9223372036854775808': a seed is below 2^63"},
        {"seed", "-1", "seed '-1': a number is expected"},
        {"schedule", "fair", "schedule 'fair': a schedule is static, dynamic or guided"},
        {"schedule", "static,-4", "schedule 'static,-4', character 10: a chunk has at least one"},
        {"schedule", "recorded,4", "schedule 'recorded,4', character 9: a schedule is"},
        {"error", "2", "error '2': an error is a miss ratio above 0 and below 1"},
        {"error", "nan", "error 'nan': a number is expected"},
        {"progress", "lockstep", "progress 'lockstep': it is one of uniform, "},
        {"progress", "rates:-1", "progress 'rates:-1': a number is expected"},
        {"line", "63", "line '63': a line has a power of two of bytes"},
        {"line", "", "line '': a number is expected"},
        {"model", "oracle", "model 'oracle': there is no such model"},
        {"cache", "1K,L1=2K,L1=4K", "cache '1K,L1=2K,L1=4K', character 10: two caches have the"},
        {"cache", "1K:some", "cache '1K:some', character 4: after a cache's size comes"},
        {"cache", "1K:shared=0", "cache '1K:shared=0', character 11: a cache is shared"},
        {"cache", "1K,1K", "cache '1K,1K', character 4: the same cache is given twice"},
        {"cache", "=1K", "cache '=1K': the name of a cache has 1 to 15 characters"},
        {"explain", "2", "explain '2': a flag is 0 or 1"},
        {"lap", "0", "lap '0': a lap is more than nothing"},
        {"lap", "inf", "lap 'inf': a number is expected"},
        {"drop", "100%", "drop '100%': a share is 0, or as 10% or 0.1, below 1"},
        {"bins", "1", "bins '1': there are 2 to 1024 bins"},
        {"bins", "1025", "bins '1025': there are 2 to 1024 bins"},
        {"loop", "-1", "loop '-1': a number is expected"},
        {"interval", "5", "interval '5', character 2: an interval is a number of ns, us, ms or s"},
        {"interval", "11s", "interval '11s': an interval is a number of ns, us, ms or s, up to"},
        {"interval", "1us2", "interval '1us2', character 4: there is something after"},
        {"stops", "world", "stops 'world': stops are made by the timer, or afterwards"},
        {"threads", NULL, "threads: LIST is missing"},
    };
    pluss_options *o = options_of("");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pluss_context_clear(ctx);
        ck_assert_msg(pluss_options_set(ctx, o, cases[i].name, cases[i].text) == PLUSS_EINVAL, "%s",
                      cases[i].told);
        ck_assert_uint_eq(pluss_context_diagnostic_count(ctx), 1);
        ck_assert_msg(strncmp(last().text, cases[i].told, strlen(cases[i].told)) == 0, "%s, not %s",
                      last().text, cases[i].told);
        ck_assert_int_eq(last().status, PLUSS_EINVAL);
    }
    ck_assert_int_eq(pluss_options_set(ctx, o, "oracle", "1"), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_options_set_real(ctx, o, "lap", 0), PLUSS_ERANGE);
    ck_assert_int_eq(pluss_options_set_real(ctx, o, "lap", (double)INFINITY), PLUSS_ERANGE);
    ck_assert_int_eq(pluss_options_set_real(ctx, o, "drop", (double)NAN), PLUSS_ERANGE);
    ck_assert_int_eq(pluss_options_set_real(ctx, o, "interval", 0.5), PLUSS_ERANGE);
    ck_assert_int_eq(pluss_options_set_real(ctx, o, "bins", 3), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_options_set_integer(ctx, o, "bins", 1), PLUSS_ERANGE);
    parse(GEMM);
    pluss_result *result = NULL; /* the options are as they were */
    ck_assert_int_eq(pluss_predict(ctx, nest, o, &result), PLUSS_EUNBOUND);
}
END_TEST

#define TRIANGLE                                                                                   \
    "pluss-nest 1 region r symbol n array f64 A[n][n], B[n][n] parallel for i in 0..n "            \
    "{ for j in 0..i { read A[j][i] } write B[i][0] }"

/* The curves of a request; they and all that is told of them, as bytes. */
static void report_of(const pluss_options *o, char *out, size_t room)
{
    pluss_result *result = NULL;
    pluss_report *report = NULL;
    size_t length = 0;
    ck_assert_msg(pluss_predict(ctx, nest, o, &result) == PLUSS_OK, "%s", last().text);
    ck_assert_int_eq(pluss_result_report(ctx, result, NULL, &report), PLUSS_OK);
    ck_assert_int_eq(pluss_report_print(ctx, report, "json", NULL, out, room, &length), PLUSS_OK);
    ck_assert_uint_lt(length, room);
    pluss_report_free(report);
    pluss_result_free(result);
}

/* Every option by text gives the curves that it gives by its typed setter, and other curves than it
 * has by default. */
START_TEST(texts_and_typed_setters)
{
    static char by_text[1 << 20], typed[1 << 20], plain[1 << 20];
    static const pluss_cache caches[] = {{1024, "L1", 1}, {4096, NULL, 2}};
    static const pluss_progress burst = {.size = sizeof burst, .law = "burst", .accesses = 8};
    pluss_option_info info = {.size = sizeof info};
    size_t n = 0;
    for (; pluss_option_get(n, &info) == PLUSS_OK; n++) {
        const char *name = info.name, *text;
        pluss_status set = PLUSS_OK;
        if (strstr("region together contents record machine simulate rates", name) || !info.predict)
            if (strcmp(name, "profiles") != 0)
                continue; /* of several nests, and of files: a_file_by_options; of gaps, of co-runs
                           */
        parse(TRIANGLE);
        pluss_options *o = NULL, *words = NULL;
        const char *base = "define=n=24 threads=4";
        ck_assert_int_eq(make_options(ctx, base, &o), PLUSS_OK);
        ck_assert_int_eq(make_options(ctx, base, &words), PLUSS_OK);
        report_of(o, plain, sizeof plain);
        if (strcmp(name, text = "threads") == 0)
            text = "1..4x2", set = pluss_options_set_threads(ctx, o, (uint32_t[]){1, 2, 4}, 3);
        else if (strcmp(name, "define") == 0)
            text = "n=0x20", set = pluss_options_set_binding(ctx, o, "n", 32);
        else if (strcmp(name, "model") == 0)
            text = "cri", set = pluss_options_set(ctx, o, "model", "cri");
        else if (strcmp(name, "collect") == 0) {
            ck_assert_int_eq(set_options(ctx, o, "model=cri"), PLUSS_OK);
            ck_assert_int_eq(set_options(ctx, words, "model=cri"), PLUSS_OK);
            text = "2", set = pluss_options_set_integer(ctx, o, name, 2);
        } else if (strcmp(name, "error") == 0)
            text = "0.5%", set = pluss_options_set_real(ctx, o, name, 0.005);
        else if (strcmp(name, "effort") == 0)
            text = "90000000", set = pluss_options_set_integer(ctx, o, name, 90000000);
        else if (strcmp(name, "workers") == 0)
            text = "2", set = pluss_options_set_integer(ctx, o, name, 2);
        else if (strcmp(name, "progress") == 0)
            text = "burst:8", set = pluss_options_set_progress(ctx, o, &burst);
        else if (strcmp(name, "schedule") == 0)
            text = "dynamic,2", set = pluss_options_set_schedule(ctx, o, PLUSS_SCHEDULE_DYNAMIC, 2);
        else if (strcmp(name, "cache") == 0)
            text = "L1=1K,4K:shared=2", set = pluss_options_set_caches(ctx, o, caches, 2);
        else if (strcmp(name, "line") == 0)
            text = "128", set = pluss_options_set_integer(ctx, o, name, 128);
        else if (strcmp(name, "seed") == 0)
            text = "7", set = pluss_options_set_integer(ctx, o, name, 7);
        else if (strcmp(name, "hit-rate") == 0)
            text = "1K:4", set = pluss_options_set(ctx, o, name, text);
        else if (strcmp(name, "formulas") == 0) { /* one thread's, by a model of its own */
            for (pluss_options *each = o; each; each = each == o ? words : NULL) {
                ck_assert_int_eq(set_options(ctx, each, "model=extrapolate"), PLUSS_OK);
                ck_assert_int_eq(pluss_options_set_threads(ctx, each, (uint32_t[]){1}, 1),
                                 PLUSS_OK);
            }
            text = NULL, set = pluss_options_set_integer(ctx, o, name, 1);
        } else /* flags */
            text = NULL, set = pluss_options_set_integer(ctx, o, name, 1);
        ck_assert_msg(set == PLUSS_OK, "%s: %s", name, last().text);
        ck_assert_msg(pluss_options_set(ctx, words, name, text) == PLUSS_OK, "%s", last().text);
        report_of(o, typed, sizeof typed);
        report_of(words, by_text, sizeof by_text);
        ck_assert_msg(strcmp(typed, by_text) == 0, "%s", name);
        bool shown = strcmp(name, "effort") != 0 && strcmp(name, "workers") != 0 &&
                     strcmp(name, "profiles") != 0 && strcmp(name, "error") != 0 &&
                     strcmp(name, "skip-bad-lines") != 0;
        ck_assert_msg(!shown || strcmp(plain, by_text) != 0, "%s has no effect", name);
        pluss_options *copy = NULL;
        ck_assert_int_eq(pluss_options_copy(ctx, words, &copy), PLUSS_OK);
        pluss_options_free(words);
        report_of(copy, typed, sizeof typed);
        ck_assert_msg(strcmp(typed, by_text) == 0, "a copy of %s", name);
        pluss_options_free(copy);
        pluss_options_free(o);
    }
    ck_assert_uint_ge(n, 14);
    size_t count = 0;
    const pluss_options *o = options_of("threads=3,5 cache=L2=1M:shared,8K");
    ck_assert_uint_eq(pluss_options_get_threads(o, &count)[1], 5);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(pluss_options_get_caches(o, &count)[0].label, "L2");
    ck_assert_uint_eq(pluss_options_get_caches(o, NULL)[1].bytes, 8192);
    ck_assert_ptr_null(pluss_options_get_threads(NULL, &count));
    ck_assert_uint_eq(count, 0);
}
END_TEST

/* A file of two regions, with an index array, by options alone: as by calls, one after another. */
START_TEST(a_file_by_options)
{
    char path[] = "/tmp/test_ffi_XXXXXX", file[] = "/tmp/test_ffi_XXXXXX", contents[64];
    static const char text[] = "pluss-nest 1 symbol n array i32 col[4] region a array f64 x[9] "
                               "for i in 0..4 { read x[col[i]] } region b symbol m array f64 y[m] "
                               "for i in 0..m { read y[i] }";
    static const int64_t values[] = {8, 0, 8, 0};
    make_file(path, text);
    make_file(file, "8 0\n8 0\n");
    snprintf(contents, sizeof contents, "col=%s", file);
    pluss_nests *nests = NULL;
    pluss_result *result = NULL;
    pluss_curve_info c = {.size = sizeof c};
    ck_assert_int_eq(pluss_nests_read(ctx, path, &nests), PLUSS_OK);
    pluss_options *o = options_of("define=m=16 region=b region=a");
    ck_assert_int_eq(pluss_options_set_contents(ctx, o, &(pluss_contents){"x", values, 4}),
                     PLUSS_OK);
    ck_assert_int_eq(pluss_options_set(ctx, o, "contents", contents), PLUSS_OK);
    ck_assert_int_eq(pluss_nests_simulate(ctx, nests, o, &result), PLUSS_EINVALID); /* of x */
    o = options_of("define=m=16 region=b region=a");
    ck_assert_int_eq(pluss_options_set_contents(ctx, o, &(pluss_contents){"col", values, 1}),
                     PLUSS_OK);
    ck_assert_int_eq(pluss_options_set(ctx, o, "contents", contents), PLUSS_OK); /* instead */
    ck_assert_int_eq(pluss_nests_simulate(ctx, nests, o, &result), PLUSS_OK);
    ck_assert_uint_eq(pluss_result_count(result), 2);
    ck_assert_int_eq(pluss_result_get_missing(result), PLUSS_OK);
    ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(result, 0), &c), PLUSS_OK);
    ck_assert_str_eq(c.region, "a");
    ck_assert_double_eq(c.accesses, 4);
    ck_assert_uint_eq(c.footprint_lines, 2);
    pluss_result_free(result);
    ck_assert_int_eq(pluss_options_set(ctx, o, "together", NULL), PLUSS_OK);
    ck_assert_int_eq(pluss_nests_simulate(ctx, nests, o, &result), PLUSS_OK);
    ck_assert_uint_eq(pluss_result_count(result), 1);
    pluss_result_free(result);
    /* one region fails, the other has its curve */
    ck_assert_int_eq(pluss_nests_simulate(ctx, nests, options_of("define=m=16"), &result),
                     PLUSS_OK);
    ck_assert_uint_eq(pluss_result_count(result), 1);
    ck_assert_int_ne(pluss_result_get_missing(result), PLUSS_OK);
    pluss_result_free(result);
    result = NULL;
    ck_assert_int_eq(pluss_nests_predict(ctx, nests, options_of("region=c"), &result),
                     PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_nests_predict(ctx, nests, options_of("define=k=1"), &result),
                     PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_nests_predict(ctx, nests, options_of("region=b"), &result),
                     PLUSS_EUNBOUND);
    ck_assert_ptr_null(result);
    pluss_nests_free(nests);
    unlink(path);
    unlink(file);
}
END_TEST

/* What was computed before is given, and that it is not all is told. */
START_TEST(cancelled_between_regions)
{
    char path[] = "/tmp/test_ffi_XXXXXX";
    seen s = {0};
    pluss_context_options options = {.size = sizeof options,
                                     .resize = resize,
                                     .resize_user = &s,
                                     .log = log_it,
                                     .log_user = &s,
                                     .ask = ask,
                                     .ask_user = &s};
    pluss_context *own = NULL;
    pluss_nests *nests = NULL;
    bool parts = false, all = false;
    make_file(path, TWO);
    ck_assert_int_eq(pluss_context_new(&options, &own), PLUSS_OK);
    ck_assert_int_eq(pluss_nests_read(own, path, &nests), PLUSS_OK);
    const pluss_options *o = options_of("define=n=64 threads=2");
    for (int stop_at = 1; !all; stop_at++) {
        pluss_result *result = NULL;
        s.asked = 0;
        s.stop_at = stop_at;
        pluss_status status = pluss_nests_simulate(own, nests, o, &result);
        size_t n = pluss_result_count(result);
        all = n == 2;
        parts = parts || n == 1;
        ck_assert_int_eq(status, n ? PLUSS_OK : PLUSS_ECANCELLED);
        if (n)
            ck_assert_int_eq(pluss_result_get_missing(result), all ? PLUSS_OK : PLUSS_ECANCELLED);
        pluss_result_free(result);
    }
    ck_assert(parts);
    pluss_nests_free(nests);
    pluss_context_free(own);
    unlink(path);
}
END_TEST

/* What a call over many regions has told, in order; it is stopped when it asks for the n-th time.
 */
typedef struct told {
    char text[8192];
    size_t length;
    int asked, stop_at; /* 0: never */
    double done;
} told;

static void tell(void *user, const pluss_diagnostic *d)
{
    told *t = user;
    int n = snprintf(t->text + t->length, sizeof t->text - t->length, "%d %s\n", (int)d->severity,
                     d->text);
    t->length += n > 0 ? (size_t)n : 0;
    ck_assert_uint_lt(t->length, sizeof t->text);
}

static int stop_or_go(void *user, const char *stage, double done, uint64_t steps)
{
    told *t = user;
    ck_assert_ptr_nonnull(stage);
    (void)steps;
    ck_assert(done >= t->done && done <= 1); /* one of many regions never takes back */
    t->done = done;
    return ++t->asked == t->stop_at;
}

/* Regions of different sizes; each fifth lacks a value, each seventh is warned of. */
static void write_regions(char *path, int n)
{
    char text[16384] = "pluss-nest 1\n";
    size_t length = strlen(text);
    for (int i = 0; i < n; i++)
        length += (size_t)snprintf(
            text + length, sizeof text - length,
            "region r%d %s array f64 A%d[%d] for t in 0..3 { parallel for i in 0..%s { for j in "
            "0..%d { read A%d[%sj] } } }\n",
            i, i % 5 == 4 ? "symbol m" : "", i, 40 + i, i % 5 == 4 ? "m" : "20", 30 + i, i,
            i % 7 == 6 ? "30+" : "");
    ck_assert_uint_lt(length, sizeof text);
    make_file(path, text);
}

static void check_same_curves(const pluss_result *a, const pluss_result *b, size_t n)
{
    ck_assert_uint_ge(pluss_result_count(a), n);
    for (size_t i = 0; i < n; i++) {
        pluss_curve_info c = {.size = sizeof c}, d = {.size = sizeof d};
        ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(a, i), &c), PLUSS_OK);
        ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(b, i), &d), PLUSS_OK);
        ck_assert_str_eq(c.region, d.region);
        for (uint64_t size = 64; size < 64 * 200; size += 64)
            ck_assert_double_eq(pluss_curve_at(pluss_result_get(a, i), size),
                                pluss_curve_at(pluss_result_get(b, i), size));
    }
}

/* Curves, messages and what is missing do not depend on how many threads predict many regions; a
 * call that is stopped has the curves of the first of them. */
START_TEST(regions_by_workers)
{
    enum { REGIONS = 31, WITH_VALUES = 25 };
    static const int64_t workers[] = {1, 2, 3, 8};
    char path[] = "/tmp/test_ffi_XXXXXX", *expected = NULL;
    told t = {0};
    pluss_context_options options = {
        .size = sizeof options, .log = tell, .log_user = &t, .ask = stop_or_go, .ask_user = &t};
    pluss_context *own = NULL;
    pluss_nests *nests = NULL;
    pluss_result *first = NULL;
    bool parts = false;
    write_regions(path, REGIONS);
    ck_assert_int_eq(pluss_context_new(&options, &own), PLUSS_OK);
    ck_assert_int_eq(pluss_nests_read(own, path, &nests), PLUSS_OK);
    for (size_t w = 0; w < sizeof workers / sizeof *workers; w++) {
        pluss_options *o = options_of("threads=2");
        ck_assert_int_eq(pluss_options_set_integer(ctx, o, "workers", workers[w]), PLUSS_OK);
        pluss_result *result = NULL;
        t = (told){.done = 0};
        ck_assert_int_eq(pluss_nests_predict(own, nests, o, &result), PLUSS_OK);
        ck_assert_int_eq(pluss_result_get_missing(result), PLUSS_EUNBOUND);
        ck_assert_uint_eq(pluss_result_count(result), WITH_VALUES);
        if (!first) {
            first = result;
            expected = strdup(t.text);
            ck_assert_ptr_nonnull(strstr(expected, "can be"));
            continue;
        }
        ck_assert_str_eq(t.text, expected);
        check_same_curves(result, first, WITH_VALUES);
        pluss_result_free(result);
        for (int at = 1, asked = t.asked; at <= asked; at += 1 + asked / 8) {
            t = (told){.stop_at = at};
            result = NULL;
            pluss_status status = pluss_nests_predict(own, nests, o, &result);
            size_t n = result ? pluss_result_count(result) : 0;
            ck_assert_int_eq(status, n ? PLUSS_OK : PLUSS_ECANCELLED);
            parts = parts || (n > 0 && n < WITH_VALUES);
            check_same_curves(first, result, n);
            pluss_result_free(result);
        }
    }
    ck_assert(parts);
    free(expected);
    pluss_result_free(first);
    pluss_nests_free(nests);
    pluss_context_free(own);
    unlink(path);
}
END_TEST

/* What reading a file warns of is told by the option that names it. */
START_TEST(warnings_of_an_option)
{
    char path[] = "/tmp/test_ffi_XXXXXX", option[64];
    static const char left_out[] = "pluss-record 3\nline 64\n"
                                   "left-out \"r\" \"a.c\":7 team 2 runs 5 accesses 9 by bind\n";
    make_file(path, left_out);
    snprintf(option, sizeof option, "record=%s", path);
    (void)options_of(option);
    ck_assert_uint_eq(pluss_context_diagnostic_count(ctx), 1);
    ck_assert_int_eq(last().severity, PLUSS_WARNING);
    ck_assert_ptr_nonnull(strstr(last().text, "5 runs of 'r'"));
    /* then something is wrong, too */
    char wrong[sizeof left_out + 16];
    snprintf(wrong, sizeof wrong, "%sline x\n", left_out);
    unlink(path);
    char again[] = "/tmp/test_ffi_XXXXXX";
    make_file(again, wrong);
    ck_assert_int_eq(pluss_options_set(ctx, made, "record", again), PLUSS_EFORMAT);
    ck_assert_uint_eq(pluss_context_diagnostic_count(ctx), 3);
    ck_assert_int_eq(last().severity, PLUSS_ERROR);
    ck_assert_uint_eq(last().line, 4);
    unlink(again);
}
END_TEST

/* A list of requests, each computed alone, gives the curves that one request for all gives. */
START_TEST(a_sweep_in_parts)
{
    static const char *const settings[] = {"",
                                           "model=cri",
                                           "model=ri-random",
                                           "cache=L1=1K,2K",
                                           "progress=rates:0.1:50:1",
                                           "schedule=dynamic,2"};
    static const uint32_t all[] = {1, 2, 3, 8};
    enum { N = sizeof all / sizeof *all };
    parse(TRIANGLE);
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        for (int walked = 0; walked < 2; walked++) {
            pluss_options *o = options_of("define=n=24");
            pluss_result *whole = NULL;
            size_t at = 0;
            ck_assert_int_eq(set_options(ctx, o, settings[s]), PLUSS_OK);
            ck_assert_int_eq(pluss_options_set_threads(ctx, o, all, N), PLUSS_OK);
            ck_assert_msg((walked ? pluss_simulate : pluss_predict)(ctx, nest, o, &whole) ==
                              PLUSS_OK,
                          "'%s': %s", settings[s], last().text);
            for (size_t i = 0; i < N; i++) {
                pluss_options *one = NULL;
                pluss_result *part = NULL;
                ck_assert_int_eq(pluss_options_copy(ctx, o, &one), PLUSS_OK);
                ck_assert_int_eq(pluss_options_set_threads(ctx, one, &all[i], 1), PLUSS_OK);
                ck_assert_int_eq((walked ? pluss_simulate : pluss_predict)(ctx, nest, one, &part),
                                 PLUSS_OK);
                for (size_t k = 0; k < pluss_result_count(part); k++, at++) {
                    pluss_curve_info a = {.size = sizeof a}, b = {.size = sizeof b};
                    const pluss_curve *there = pluss_result_get(whole, at);
                    ck_assert_ptr_nonnull(there);
                    ck_assert_int_eq(pluss_curve_get_info(there, &a), PLUSS_OK);
                    ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(part, k), &b), PLUSS_OK);
                    ck_assert(a.team == b.team && a.threads_per_cache == b.threads_per_cache);
                    ck_assert(a.n_points == b.n_points && a.mean_error == b.mean_error);
                    ck_assert_msg(memcmp(a.miss, b.miss, a.n_points * sizeof *a.miss) == 0,
                                  "'%s', team %u", settings[s], a.team);
                }
                pluss_result_free(part);
                pluss_options_free(one);
            }
            ck_assert_uint_eq(at, pluss_result_count(whole));
            pluss_result_free(whole);
        }
    }
}
END_TEST

START_TEST(curves)
{
    parse(GEMM);
    pluss_options *o = options_of(VALUES " schedule=static,2 seed=3");
    pluss_result *predicted = NULL, *simulated = NULL;
    ck_assert_int_eq(pluss_predict(ctx, nest, o, &predicted), PLUSS_OK);
    ck_assert_int_eq(pluss_simulate(ctx, nest, o, &simulated), PLUSS_OK);
    ck_assert_uint_eq(pluss_result_count(predicted), 2);
    pluss_curve_info p = {.size = sizeof p}, s = {.size = sizeof s};
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(predicted, i), &p), PLUSS_OK);
        ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(simulated, i), &s), PLUSS_OK);
        ck_assert_uint_eq(p.team, teams[i]);
        ck_assert_str_eq(p.schedule, "static, 2");
        ck_assert_uint_eq(p.seed, 3);
        ck_assert_uint_eq(p.unknowns, 1);
        ck_assert(!p.simulated && s.simulated);
        ck_assert_uint_eq(s.n_error_points, 0);
        ck_assert_double_eq(p.accesses, s.accesses);
        ck_assert_uint_eq(p.footprint_lines, s.footprint_lines);
        ck_assert_double_eq(p.size_lines[0], 0);
        ck_assert_double_eq(p.miss[0], 1);
        for (size_t k = 1; k < p.n_points; k++)
            ck_assert(p.size_lines[k] > p.size_lines[k - 1] && p.miss[k] <= p.miss[k - 1]);
    }
    pluss_difference d = {.size = sizeof d};
    const pluss_curve *a = pluss_result_get(predicted, 1), *b = pluss_result_get(simulated, 1);
    ck_assert_int_eq(pluss_curve_compare(ctx, a, b, PLUSS_GRID_STRICT, &d), PLUSS_OK);
    ck_assert_uint_eq(d.first_lines, 1);
    ck_assert_uint_eq(d.last_lines, s.footprint_lines);
    ck_assert(d.mean_abs <= d.max_abs && d.mean_abs >= d.mean_signed && d.n > 8);
    ck_assert_int_eq(pluss_curve_compare(ctx, b, b, PLUSS_GRID_PAPER, &d), PLUSS_OK);
    ck_assert_double_eq(d.max_abs, 0);
    ck_assert_uint_eq(d.last_lines, 32 << 20 >> 6);
    ck_assert_int_eq(pluss_curve_compare(ctx, a, b, (pluss_grid)9, &d), PLUSS_EINVAL);

    pluss_result *wide = NULL;
    ck_assert_int_eq(pluss_options_set_integer(ctx, o, "line", 128), PLUSS_OK);
    ck_assert_int_eq(pluss_simulate(ctx, nest, o, &wide), PLUSS_OK);
    ck_assert_int_eq(pluss_curve_compare(ctx, a, pluss_result_get(wide, 1), PLUSS_GRID_STRICT, &d),
                     PLUSS_EINVAL);
    ck_assert_ptr_nonnull(strstr(last().text, "128"));
    pluss_result_free(wide);
    pluss_result_free(predicted);
    pluss_result_free(simulated);
}
END_TEST

/* The same question has the same answer, to the last bit; another seed another one. */
START_TEST(seeds)
{
    parse(GEMM);
    pluss_options *o = options_of(VALUES);
    pluss_result *r[3];
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(pluss_options_set_integer(ctx, o, "seed", i == 2), PLUSS_OK);
        ck_assert_int_eq(pluss_simulate(ctx, nest, o, &r[i]), PLUSS_OK);
    }
    int differ = 0;
    for (uint64_t size = 64; size < 64 * 100; size += 64) {
        double miss = pluss_curve_at(pluss_result_get(r[0], 1), size);
        ck_assert_double_eq(miss, pluss_curve_at(pluss_result_get(r[1], 1), size));
        differ += miss != pluss_curve_at(pluss_result_get(r[2], 1), size);
    }
    ck_assert_int_gt(differ, 0);
    for (int i = 0; i < 3; i++)
        pluss_result_free(r[i]);
}
END_TEST

/* Results do not depend on how many threads the library works with; two million accesses. */
START_TEST(workers)
{
    static const int64_t n[] = {1, 2, 5};
    parse(GEMM);
    pluss_options *o = options_of("threads=4 define=ni=100 define=nj=100 define=nk=100");
    pluss_result *simulated[3], *predicted[3];
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(pluss_options_set_integer(ctx, o, "workers", n[i]), PLUSS_OK);
        ck_assert_int_eq(pluss_simulate(ctx, nest, o, &simulated[i]), PLUSS_OK);
        ck_assert_int_eq(pluss_predict(ctx, nest, o, &predicted[i]), PLUSS_OK);
        for (uint64_t size = 64; size < 64 * 5000; size += 64) {
            ck_assert_double_eq(pluss_curve_at(pluss_result_get(simulated[0], 0), size),
                                pluss_curve_at(pluss_result_get(simulated[i], 0), size));
            ck_assert_double_eq(pluss_curve_at(pluss_result_get(predicted[0], 0), size),
                                pluss_curve_at(pluss_result_get(predicted[i], 0), size));
        }
    }
    ck_assert_int_eq(pluss_options_set_integer(ctx, o, "workers", 0), PLUSS_ERANGE);
    for (int i = 0; i < 3; i++) {
        pluss_result_free(simulated[i]);
        pluss_result_free(predicted[i]);
    }
}
END_TEST

/* ---- why curves fall --------------------------------------------------------------------------
 */

START_TEST(knees)
{
    parse("pluss-nest 1 array b64 A[40] region r \"k.c\":1 "
          "for t in 0..2 @3 { parallel for i in 0..40 @4 { atomic write A[i] @5 } }");
    const pluss_options *o = options_of("explain");
    pluss_result *result = NULL;
    ck_assert_int_eq(pluss_predict(ctx, nest, o, &result), PLUSS_OK);
    const pluss_curve *curve = pluss_result_get(result, 0);
    pluss_knee_info knee = {.size = sizeof knee};
    pluss_reuse_info reuse = {.size = sizeof reuse};
    ck_assert_int_eq(pluss_curve_get_knee(curve, 0, &knee), PLUSS_OK);
    ck_assert_uint_eq(knee.at_lines, 40);
    ck_assert(knee.from_lines < 40 && knee.to_lines == 40);
    ck_assert_double_eq_tol(knee.before, 1, 1e-9);
    ck_assert_double_eq_tol(knee.after, .5, 1e-9);
    ck_assert_uint_eq(knee.n_reuses, 1);
    ck_assert_int_eq(pluss_curve_get_reuse(curve, 0, 0, &reuse), PLUSS_OK);
    ck_assert_double_eq_tol(reuse.share, .5, 1e-9);
    ck_assert_str_eq(reuse.array, "A");
    ck_assert_str_eq(reuse.reference, "A[i]");
    ck_assert(reuse.write && reuse.atomic && !reuse.other_thread);
    ck_assert_str_eq(reuse.file, "k.c");
    ck_assert_uint_eq(reuse.line, 5);
    ck_assert_int_eq(reuse.carried, PLUSS_CARRIED_BY_LOOP);
    ck_assert_str_eq(reuse.loop, "t");
    ck_assert_str_eq(reuse.loop_file, "k.c");
    ck_assert_uint_eq(reuse.loop_line, 3);
    ck_assert_str_eq(reuse.source, "A[i]");
    ck_assert(reuse.source_write && reuse.source_atomic);
    ck_assert_str_eq(reuse.source_file, "k.c");
    ck_assert_uint_eq(reuse.source_line, 5);
    ck_assert_int_eq(pluss_curve_get_knee(curve, 1, &knee), PLUSS_OK);
    ck_assert_uint_eq(knee.at_lines, 0);
    ck_assert_int_eq(pluss_curve_get_reuse(curve, 1, 0, &reuse), PLUSS_OK);
    ck_assert_int_eq(reuse.carried, PLUSS_CARRIED_BY_NOTHING);
    ck_assert_ptr_null(reuse.source);
    ck_assert_ptr_null(reuse.loop);
    ck_assert_int_eq(pluss_curve_get_reuse(curve, 1, 1, &reuse), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_curve_get_reuse(curve, 2, 0, &reuse), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_curve_get_knee(curve, 2, &knee), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_curve_get_knee(NULL, 0, &knee), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_curve_get_knee(curve, 0, NULL), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_curve_get_reuse(NULL, 0, 0, &reuse), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_curve_get_reuse(curve, 0, 0, NULL), PLUSS_EINVAL);
    pluss_result_free(result);
    result = NULL;
    o = options_of("explain model=cri");
    ck_assert_int_eq(pluss_predict(ctx, nest, o, &result), PLUSS_EINVAL);
    o = options_of("model=cri");
    ck_assert_int_eq(pluss_predict(ctx, nest, o, &result), PLUSS_OK);
    ck_assert_int_eq(pluss_curve_get_knee(pluss_result_get(result, 0), 0, &knee), PLUSS_ENOTFOUND);
    pluss_result_free(result);
}
END_TEST

/* ---- reports --------------------------------------------------------------------------------- */

START_TEST(reports)
{
    parse("pluss-nest 1 array b64 A[4] region r for t in 0..2 { for i in 0..4 { read A[i] } }");
    pluss_result *result = NULL, *back = NULL;
    ck_assert_int_eq(pluss_simulate(ctx, nest, NULL, &result), PLUSS_OK);
    static const pluss_cache cache = {128, "L1", 0};
    pluss_report_options o = {.size = sizeof o, .caches = &cache, .n_caches = 1};
    n_written = 0;
    pluss_report *report = NULL;
    ck_assert_int_eq(pluss_result_report(ctx, result, &o, &report), PLUSS_OK);
    ck_assert_int_eq(pluss_report_write(ctx, report, "text", NULL, write_it, NULL), PLUSS_OK);
    static const char text[] = "r: simulated, progress uniform, lines of 64 B\n"
                               "  8 accesses to 4 lines (256 B)\n"
                               "\n"
                               "  cache     T = 1\n"
                               "   64 B  100.00 %\n"
                               "  128 B  100.00 %  <- L1\n"
                               "  256 B   50.00 %\n";
    ck_assert_str_eq(written, text);
    /* as snprintf: what fits, and the length of all */
    for (size_t room = 0; room < sizeof text + 2; room++) {
        char out[sizeof text + 2];
        size_t length = 0, fits = room < sizeof text ? room : sizeof text;
        memset(out, '!', sizeof out);
        ck_assert_int_eq(pluss_report_print(ctx, report, "text", NULL, out, room, &length),
                         PLUSS_OK);
        ck_assert_uint_eq(length, sizeof text - 1);
        ck_assert(room == 0 || (memcmp(out, text, fits - 1) == 0 && out[fits - 1] == '\0'));
        ck_assert_int_eq(out[fits], '!');
    }
    size_t length = 0;
    ck_assert_int_eq(pluss_report_print(ctx, report, "csv", NULL, NULL, 0, &length), PLUSS_OK);
    ck_assert_uint_gt(length, 0);
    n_written = 0;
    ck_assert_int_eq(pluss_report_write(ctx, report, "json", NULL, write_it, NULL), PLUSS_OK);
    ck_assert_int_eq(pluss_result_read(ctx, written, n_written, "w", &back), PLUSS_OK);
    ck_assert_double_eq(pluss_curve_at(pluss_result_get(back, 0), 256), 0.5);
    pluss_comparison *comparison = NULL;
    pluss_comparison_info info = {.size = sizeof info};
    pluss_difference d = {.size = sizeof d};
    ck_assert_int_eq(pluss_result_compare(ctx, result, back, NULL, &comparison), PLUSS_OK);
    pluss_result_free(back);
    back = NULL;
    ck_assert_int_eq(pluss_comparison_get_info(comparison, &info), PLUSS_OK);
    ck_assert(info.n == 1 && info.mean_abs == 0 && info.greatest_mean_abs == 0);
    ck_assert_int_eq(pluss_comparison_get(comparison, 0, &d), PLUSS_OK);
    ck_assert(d.a == 0 && d.b == 0 && d.max_abs == 0 && d.last_lines == 4);
    ck_assert_int_eq(pluss_comparison_get(comparison, 1, &d), PLUSS_ENOTFOUND);
    pluss_report *difference = NULL;
    ck_assert_int_eq(pluss_comparison_report(ctx, comparison, &difference), PLUSS_OK);
    pluss_comparison_free(comparison);
    n_written = 0;
    ck_assert_int_eq(pluss_report_write(ctx, difference, "csv", NULL, write_it, NULL), PLUSS_OK);
    ck_assert_str_eq(written,
                     "region,threads,threads_per_cache,mae_points,profile_accuracy,"
                     "performance_accuracy,mean_points,largest_points,largest_at_lines,sizes,"
                     "first_lines,last_lines\nr,1,1,0,1,1,0,0,1,4,1,4\n");
    pluss_report_free(difference);
    n_written = 0;
    ck_assert_int_eq(pluss_report_write(ctx, report, "json", NULL, write_it, NULL), PLUSS_OK);
    ck_assert_int_eq(pluss_result_read(ctx, written, n_written / 2, "w", &back), PLUSS_EFORMAT);
    ck_assert_ptr_null(back);
    ck_assert_str_eq(last().file, "w");
    const pluss_write_options other = {.size = sizeof other, .table = "others"};
    ck_assert_int_eq(pluss_report_write(ctx, report, "csv", &other, write_it, NULL),
                     PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_report_write(ctx, report, "csv", NULL, write_nothing, NULL), PLUSS_EIO);
    ck_assert_int_eq(pluss_report_write(ctx, report, "xml", NULL, write_it, NULL), PLUSS_ENOTFOUND);
    pluss_report_free(report);
    o.caches = NULL;
    ck_assert_int_eq(pluss_result_report(ctx, result, &o, &report), PLUSS_EINVAL);
    pluss_result_free(result);
}
END_TEST

static void check_law(const pluss_result *result, const char *law, const char *from,
                      const char *source, const char *number, double value)
{
    pluss_curve_info c = {.size = sizeof c};
    bool found = number == NULL;
    ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(result, 0), &c), PLUSS_OK);
    ck_assert_str_eq(c.progress, law);
    ck_assert_str_eq(c.progress_from, from);
    ck_assert_pstr_eq(c.progress_source, source);
    ck_assert(number || c.n_progress_numbers == 0);
    for (size_t i = 0; i < c.n_progress_numbers && !found; i++)
        found = strcmp(c.progress_numbers[i].name, number) == 0 &&
                fabs(c.progress_numbers[i].value - value) < 1e-9;
    ck_assert_msg(found, "%s of %s", number, law);
}

/* A curve tells its law of thread progress, and so does the document that is read back. */
START_TEST(laws_of_curves)
{
    static const double rates[] = {1.5, 0.5};
    static const pluss_progress fitted = {.size = sizeof fitted,
                                          .law = "rates",
                                          .sigma = .02,
                                          .skew = 400,
                                          .rates = rates,
                                          .n_rates = 2,
                                          .stall_rate = 1e-3,
                                          .stall = 10,
                                          .origin = "here, 2 threads"};
    static const struct {
        const char *words, *law, *from, *source, *number;
        double value;
    } cases[] = {{"", "uniform", "default", NULL, NULL, 0},
                 {"progress=uniform", "uniform", "option", NULL, NULL, 0},
                 {"progress=burst:8", "burst", "option", NULL, "mean", 8},
                 {"progress=slices:100:2", "slices", "option", NULL, "cores", 2},
                 {"progress=rates", "rates", "option", NULL, "skew", 500},
                 {"fitted", "rates", "machine file", "here, 2 threads", "stall_accesses", 10}};
    parse("pluss-nest 1 region r array f64 A[64] parallel for i in 0..64 { read A[i] }");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_fitted = strcmp(cases[i].words, "fitted") == 0;
        pluss_result *result = NULL, *back = NULL;
        pluss_report *report = NULL;
        pluss_options *o = options_of(is_fitted ? "" : cases[i].words);
        ck_assert_int_eq(set_options(ctx, o, "threads=2 profiles"), PLUSS_OK);
        if (is_fitted)
            ck_assert_int_eq(pluss_options_set_progress(ctx, o, &fitted), PLUSS_OK);
        for (int walked = 0; walked < 2; walked++)
            for (int profiles = 0; profiles < 2; profiles++) {
                ck_assert_int_eq((walked ? pluss_simulate : pluss_predict)(ctx, nest, o, &result),
                                 PLUSS_OK);
                check_law(result, cases[i].law, cases[i].from, cases[i].source, cases[i].number,
                          cases[i].value);
                ck_assert_int_eq(profiles ? pluss_profile_report(ctx, result, &report)
                                          : pluss_result_report(ctx, result, NULL, &report),
                                 PLUSS_OK);
                n_written = 0;
                ck_assert_int_eq(pluss_report_write(ctx, report, "json", NULL, write_it, NULL),
                                 PLUSS_OK);
                ck_assert_int_eq(pluss_result_read(ctx, written, n_written, "w", &back), PLUSS_OK);
                check_law(back, cases[i].law, cases[i].from, cases[i].source, cases[i].number,
                          cases[i].value);
                pluss_report_free(report);
                pluss_result_free(back);
                pluss_result_free(result);
            }
    }
    static const char *const wrong[][2] = {
        {"5", "curves[0].progress: not an object"},
        {"{\"from\": \"option\"}", "curves[0].progress.law: missing"},
        {"{\"law\": 7}", "curves[0].progress.law: not a string"},
        {"{\"law\": \"rates\"}", "curves[0].progress.from: missing"},
        {"{\"law\": \"a\", \"from\": \"b\", \"source\": []}",
         "curves[0].progress.source: not a string"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        static const char form[] =
            "{\"version\": 2, \"curves\": [{\"region\": \"r\", \"engine\": \"clock\", \"threads\": "
            "1, "
            "\"line_bytes\": 64, \"method\": \"prediction\", \"accesses\": 1, \"progress\": %s, "
            "\"footprint_lines\": 1, \"size_lines\": [0], \"miss_ratio\": [1]}]}";
        char json[sizeof form + 100];
        pluss_result *back = NULL;
        int length = snprintf(json, sizeof json, form, wrong[i][0]);
        ck_assert_int_eq(pluss_result_read(ctx, json, (size_t)length, "w", &back), PLUSS_EFORMAT);
        ck_assert_str_eq(last().text, wrong[i][1]);
    }
}
END_TEST

START_TEST(formats)
{
    static const char *const names[] = {"text", "json",     "json.gz", "csv",
                                        "html", "markdown", "sarif",   "terminal"};
    enum { N = sizeof names / sizeof *names };
    pluss_format_info format = {.size = sizeof format};
    for (size_t i = 0; i < N; i++) {
        ck_assert_int_eq(pluss_report_format_get(i, &format), PLUSS_OK);
        ck_assert_str_eq(format.name, names[i]);
        ck_assert_uint_gt(strlen(format.summary), 0);
    }
    ck_assert_int_eq(pluss_report_format_get(N, &format), PLUSS_ENOTFOUND);
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct budget {
    long left, live;
    int failed;
} budget;

static void *limited(void *user, void *ptr, size_t bytes)
{
    budget *b = user;
    if (bytes == 0) {
        __atomic_sub_fetch(&b->live, ptr != NULL, __ATOMIC_RELAXED);
        free(ptr);
        return NULL;
    }
    if (__atomic_fetch_sub(&b->left, 1, __ATOMIC_RELAXED) <= 0) {
        __atomic_store_n(&b->failed, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    void *p = realloc(ptr, bytes);
    __atomic_add_fetch(&b->live, p && !ptr, __ATOMIC_RELAXED);
    return p;
}

static int write_none(void *user, const char *data, size_t length)
{
    (void)user;
    (void)data;
    (void)length;
    return 0;
}

/* Small, for there are many rounds; nothing to warn of, since a warning that finds no memory is
 * only counted. */
static const char SMALL[] = "pluss-nest 1 symbol n, m = 2 region r \"f.c\":1 array f64 A[n] "
                            "parallel for i in 0..n { read A[i] write A[m] }";

static const double even[] = {1, 1}, costs[2 * PLUSS_RATES_PIECES];
static const pluss_progress with_loops = {.size = sizeof with_loops,
                                          .law = "rates",
                                          .rates = even,
                                          .n_rates = 2,
                                          .loops = &(pluss_loop_rates){0, even, costs},
                                          .n_loops = 1,
                                          .origin = "a test"};

/* All that a caller would do, in order; the first failure ends it. */
static pluss_status session(pluss_context *c)
{
    pluss_nest *n = NULL, *alone = NULL, *whole = NULL;
    pluss_result *result = NULL;
    pluss_report *report = NULL;
    pluss_pri *pri = NULL;
    pluss_options *o = NULL, *copy = NULL;
    pluss_status status = pluss_nest_parse(c, SMALL, strlen(SMALL), "g", &n);
    if (!status)
        status = make_options(c,
                              "threads=1,4 define=n=3 cache=L1=1K,2K schedule=static,1 "
                              "progress=rates:0.1",
                              &o);
    if (!status)
        status = pluss_options_set_progress(c, o, &with_loops);
    if (!status)
        status = pluss_options_set_chunks(c, o, &(pluss_chunk){.hi = 1}, 1);
    if (!status)
        status = pluss_options_copy(c, o, &copy);
    if (!status)
        status = set_options(c, copy, "progress=uniform schedule=static");
    if (!status)
        status = pluss_options_set_caches(c, copy, NULL, 0);
    if (!status)
        status = pluss_nest_extract(c, n, 0, &alone);
    if (!status)
        status = pluss_nest_join(c, (const pluss_nest *const *)&alone, 1, &whole);
    if (!status)
        status = pluss_predict(c, whole, copy, &result);
    if (!status)
        status = pluss_pri_collect(c, whole, copy, &pri);
    if (!status)
        status = pluss_result_report(c, result, NULL, &report);
    if (!status)
        status = pluss_report_write(c, report, "text", NULL, write_none, NULL);
    pluss_options_free(copy);
    pluss_options_free(o);
    pluss_report_free(report);
    pluss_pri_free(pri);
    pluss_result_free(result);
    pluss_nest_free(whole);
    pluss_nest_free(alone);
    pluss_nest_free(n);
    return status;
}

START_TEST(out_of_memory)
{
    for (long left = 0;; left += suite_step()) {
        budget b = {.left = left};
        pluss_context_options options = {
            .size = sizeof options, .resize = limited, .resize_user = &b};
        pluss_context *c = NULL;
        pluss_status status = pluss_context_new(&options, &c);
        if (!status)
            status = session(c);
        pluss_context_free(c);
        ck_assert_int_eq(b.live, 0);
        ck_assert_int_eq(status, b.failed ? PLUSS_ENOMEM : PLUSS_OK);
        if (!b.failed)
            break;
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("ffi");
    TCase *t = tcase_create("ffi");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, versions);
    tcase_add_test(t, features);
    tcase_add_test(t, progress_as_text);
    tcase_add_test(t, callbacks);
    tcase_add_test(t, structs_of_other_versions);
    tcase_add_test(t, null_arguments);
    tcase_add_test(t, what_is_in_a_nest);
    tcase_add_test(t, sharing_by_subscripts);
    tcase_add_test(t, sharing_agrees_with_the_collected_one);
    tcase_add_test(t, writing_and_parsing_again);
    tcase_add_test(t, parts_and_wholes);
    tcase_add_test(t, joins_that_do_not_fit);
    tcase_add_test(t, contents_of_index_arrays);
    tcase_add_test(t, nests_of_a_file);
    tcase_add_test(t, options_that_are_wrong);
    tcase_add_test(t, texts_and_typed_setters);
    tcase_add_test(t, a_file_by_options);
    tcase_add_test(t, cancelled_between_regions);
    tcase_add_test(t, regions_by_workers);
    tcase_add_test(t, warnings_of_an_option);
    tcase_add_test(t, a_sweep_in_parts);
    tcase_add_test(t, curves);
    tcase_add_test(t, seeds);
    tcase_add_test(t, workers);
    tcase_add_test(t, knees);
    tcase_add_test(t, reports);
    tcase_add_test(t, laws_of_curves);
    tcase_add_test(t, formats);
    tcase_add_test(t, out_of_memory);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
