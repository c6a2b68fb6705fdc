/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "failing_mem.h"
#include "pipeline_fixture.h"
#include "suite.h"

static const uint32_t one = 1, four = 4;

static plussi_request request_of(const uint32_t *teams, size_t n_teams)
{
    return (plussi_request){.team = teams, .n_teams = n_teams, .line_bytes = 64, .seed = 1};
}

static void expect_error(pluss_status got, pluss_status want, const char *text)
{
    ck_assert_int_eq(got, want);
    ck_assert_uint_ge(ctx.n_diags, 1);
    ck_assert_msg(strstr(ctx.diags[ctx.n_diags - 1].text, text), "'%s' in '%s'", text,
                  ctx.diags[ctx.n_diags - 1].text);
    ck_assert_uint_eq(result.n, 0);
    plussi_ctx_clear(&ctx);
}

/* Twice over 10 lines: cold at every size, the second time a hit from 10 lines on. */
#define TWICE                                                                                      \
    "pluss-nest 1 array b64 A[10] region r \"s.c\":7 "                                             \
    "for t in 0..2 { for i in 0..10 { read A[i] } }"

START_TEST(exact_curve)
{
    parse(TWICE);
    plussi_request request = request_of(&one, 1);
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_uint_eq(result.n, 1);
    const plussi_curve *c = &result.curve[0];
    ck_assert_str_eq(c->id.region, "r");
    ck_assert_str_eq(c->id.file, "s.c");
    ck_assert_uint_eq(c->id.line, 7);
    ck_assert_str_eq(c->id.engine, "uniform");
    ck_assert(c->id.simulated);
    ck_assert_uint_eq(c->footprint_lines, 10);
    ck_assert_double_eq(c->mrc.accesses, 20);
    ck_assert_double_eq(plussi_mrc_at(&c->mrc, 1), 1);
    ck_assert_double_eq(plussi_mrc_at(&c->mrc, 9), 1);
    ck_assert_double_eq(plussi_mrc_at(&c->mrc, 10), 0.5);
    ck_assert_double_eq(plussi_mrc_at(&c->mrc, 1e9), 0.5);
}
END_TEST

/* Four threads, each twice over 5 lines of its own. In turn each sees 20 lines between its touches,
 * one after the other 5. */
START_TEST(interleavings_differ_as_they_must)
{
    parse("pluss-nest 1 array b64 A[20] region r parallel for i in 0..4 { "
          "for t in 0..2 { for j in 0..5 { read A[5*i+j] } } }");
    plussi_request request = request_of(&four, 1);
    request.progress.law = PLUSSI_PROGRESS_ROUND_ROBIN;
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_OK);
    request.progress.law = PLUSSI_PROGRESS_SEQUENTIAL;
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_OK);
    request.progress.law = PLUSSI_PROGRESS_BURST;
    request.progress.accesses = 2.5;
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_uint_eq(result.n, 3);
    const plussi_curve *c = result.curve;
    ck_assert_double_eq(plussi_mrc_at(&c[0].mrc, 19), 1);
    ck_assert_double_eq(plussi_mrc_at(&c[0].mrc, 20), 0.5);
    ck_assert_double_eq(plussi_mrc_at(&c[1].mrc, 4), 1);
    ck_assert_double_eq(plussi_mrc_at(&c[1].mrc, 5), 0.5);
    ck_assert_str_eq(c[0].id.engine, "round-robin");
    ck_assert_str_eq(c[1].id.engine, "sequential");
    ck_assert_str_eq(c[2].id.engine, "burst:2.5");
}
END_TEST

/* One thread leaves nothing to predict: every model gives the intervals themselves, clock those of
 * its samples: a step may lie one line beside its place. */
START_TEST(models_agree_on_one_thread)
{
    parse("pluss-nest 1 symbol n = 12 array f64 A[n][n], B[n] region r "
          "parallel for i in 0..n { for j in 0..n { read A[i][j] write B[j] } }");
    plussi_request request = request_of(&one, 1);
    size_t models = 0;
    for (const plussi_model *model; (model = plussi_model_at(models)); models++) {
        request.model = model->name;
        ck_assert_uint_gt(strlen(model->summary), 0);
        pluss_status status = plussi_pipeline_predict(&ctx, nest, &request, &result);
        if (strcmp(request.model, "lines") == 0) { /* the last one, of records alone */
            ck_assert_int_eq(status, PLUSS_EUNSUPPORTED);
            break;
        }
        ck_assert_int_eq(status, PLUSS_OK);
        ck_assert_str_eq(result.curve[models].id.engine, request.model);
        ck_assert(!result.curve[models].id.simulated);
        ck_assert_uint_eq(result.curve[models].footprint_lines, 20);
    }
    ck_assert_uint_ge(models, 3);
    for (size_t m = 0; m < models; m++) {
        const plussi_mrc *mrc = &result.curve[m].mrc, *walked = &result.curve[models - 1].mrc;
        double sampled = strncmp(result.curve[m].id.engine, "clock", 5) == 0;
        for (int size = 1; size < 40; size++) {
            double least = plussi_mrc_at(walked, size + sampled);
            double most = plussi_mrc_at(walked, size - sampled);
            double off = sampled > 0 ? 1e-3 : 1e-9;
            ck_assert_double_ge(plussi_mrc_at(mrc, size), least - off);
            ck_assert_double_le(plussi_mrc_at(mrc, size), most + off);
        }
    }
}
END_TEST

/* What clock cannot take is walked, and said so: once, at its place, as a warning. */
START_TEST(clock_gives_way)
{
    static const uint32_t teams[] = {1, 4};
    parse("pluss-nest 1 array f64 A[64] region r \"s.c\":1 parallel for i in 0..64 @3 { "
          "branch 0.5 @5:7 { read A[i] } write A[i] }");
    plussi_request request = request_of(teams, 2);
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    request.model = "ri-random";
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_uint_eq(result.n, 4);
    for (size_t i = 0; i < 2; i++) {
        const plussi_curve *c = &result.curve[i], *walked = &result.curve[i + 2];
        ck_assert_str_eq(c->id.engine, "ri-random");
        ck_assert_uint_eq(c->mrc.n, walked->mrc.n);
        for (size_t k = 0; k < c->mrc.n; k++)
            ck_assert(c->mrc.size[k] == walked->mrc.size[k] &&
                      c->mrc.miss[k] == walked->mrc.miss[k]);
    }
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_int_eq(ctx.diags[0].severity, PLUSSI_WARNING);
    ck_assert_int_eq(ctx.diags[0].status, PLUSS_EUNSUPPORTED);
    ck_assert_str_eq(ctx.diags[0].file, "s.c");
    ck_assert_uint_eq(ctx.diags[0].line, 5);
    ck_assert_uint_eq(ctx.diags[0].col, 7);
    ck_assert_ptr_nonnull(strstr(ctx.diags[0].text, "a branch that depends on data"));
    ck_assert_ptr_nonnull(strstr(ctx.diags[0].text, "predicted by ri-random instead"));
}
END_TEST

/* Four threads, each twice over 5 lines of its own, all in step: 20 lines between two touches. */
START_TEST(progress_of_threads)
{
    parse("pluss-nest 1 array b64 A[20] region r parallel for i in 0..4 { "
          "for t in 0..2 { for j in 0..5 { read A[5*i+j] } } }");
    plussi_request request = request_of(&four, 1);
    static const char *const engine[] = {"clock", "clock, rates:0.5:0", "clock, burst:2.5",
                                         "clock, round-robin", "clock, mixed"};
    for (int law = PLUSSI_PROGRESS_UNIFORM; law <= PLUSSI_PROGRESS_MIXED; law++) {
        request.progress.law = (plussi_progress_law)law;
        request.progress.sigma = 0.5;
        request.progress.accesses = 2.5;
        ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
        ck_assert_str_eq(result.curve[law].id.engine, engine[law]);
        ck_assert_uint_gt(result.curve[law].n_error, 0);
    }
    ck_assert_uint_eq(result.n, 5);
    const plussi_mrc *in_turn = &result.curve[3].mrc, *uniform = &result.curve[0].mrc;
    ck_assert_double_ge(plussi_mrc_at(in_turn, 15), 0.99);
    ck_assert_double_le(plussi_mrc_at(uniform, 15), 0.95);
    plussi_result_free(&result);
    plussi_result_init(&result, &plussi_mem_libc);
    request.model = "cri";
    expect_error(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_EINVAL,
                 "the model cri has no thread progress but uniform");
    request.model = NULL;
    parse("pluss-nest 1 array f64 A[64] region r parallel for i in 0..64 { branch 0.5 { "
          "read A[i] } }");
    expect_error(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_EUNSUPPORTED,
                 "a branch that depends on data");
}
END_TEST

/* Neither can: an error, and none that is a warning only. */
START_TEST(neither_clock_nor_a_walk)
{
    parse("pluss-nest 1 array i32 idx[4] array f64 A[4] region r "
          "for i in 0..4 { read A[idx[i]] }");
    plussi_request request = request_of(&one, 1);
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_EUNSUPPORTED);
    ck_assert_uint_eq(result.n, 0);
    ck_assert_uint_eq(ctx.n_diags, 2);
    ck_assert_int_eq(ctx.diags[0].severity, PLUSSI_WARNING);
    ck_assert_int_eq(ctx.diags[1].severity, PLUSSI_ERROR);
    ck_assert_ptr_nonnull(strstr(ctx.diags[1].text, "cannot be walked"));
}
END_TEST

/* Asked for half the standard error of sampling once, clock tells one below that. */
START_TEST(sampling_until_the_error)
{
    parse("pluss-nest 1 symbol n = 200 array f64 A[n][n], B[n][n] region r "
          "parallel for i in 0..n { for j in 0..n { read A[i][j] write B[j][i] } }");
    plussi_request request = request_of(&four, 1);
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    double once = result.curve[0].mean_error;
    ck_assert_double_gt(once, 0);
    request.error_target = once / 2;
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    request.model = "cri";
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    const plussi_curve *c = &result.curve[1];
    ck_assert_double_gt(c->mean_error, 0);
    ck_assert_double_le(c->mean_error, once / 2);
    ck_assert_uint_gt(c->n_error, 8);
    double mean = 0;
    for (size_t i = 0; i < c->n_error; i++)
        mean += c->error[i] / (double)c->n_error;
    ck_assert_double_gt(mean, c->mean_error); /* what no sampling takes away is in there too */
    ck_assert_double_lt(mean, .02);
    ck_assert_double_eq(c->error_size[0], 1);
    ck_assert_double_eq(c->error_size[c->n_error - 1], (double)c->footprint_lines);
    ck_assert_uint_eq(result.curve[2].n_error, 0);
    ck_assert_double_eq(result.curve[2].mean_error, 0);
}
END_TEST

START_TEST(curves_in_order_of_the_teams)
{
    static const uint32_t teams[] = {3, 1, 8};
    parse(TWICE);
    plussi_request request = request_of(teams, 3);
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_uint_eq(result.n, 6);
    for (size_t i = 0; i < 6; i++)
        ck_assert_uint_eq(result.curve[i].id.team, teams[i % 3]);
}
END_TEST

/* Private intervals of another team make another prediction; of the same team the same. */
START_TEST(collecting_at_another_team)
{
    parse("pluss-nest 1 symbol n = 24 array f64 A[n][n] region r parallel { "
          "workshare for i in 0..n { for j in 0..n { read A[i][j] } } "
          "workshare for i in 0..n { for j in 0..n { read A[j][i] } } }");
    plussi_request request = request_of(&four, 1);
    request.model = "cri";
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    request.collect_team = 4;
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    request.collect_team = 2;
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    double same = 0, other = 0;
    for (int size = 1; size < 80; size++) {
        double own = plussi_mrc_at(&result.curve[0].mrc, size);
        same += fabs(own - plussi_mrc_at(&result.curve[1].mrc, size));
        other += fabs(own - plussi_mrc_at(&result.curve[2].mrc, size));
    }
    ck_assert_double_eq(same, 0);
    ck_assert_double_gt(other, 0);
}
END_TEST

/* How often a model has said that what was asked for has no effect, at two teams. */
static size_t ignored(const char *model, uint32_t collect_team, double error)
{
    static const uint32_t teams[] = {1, 2};
    plussi_request request = request_of(teams, 2);
    request.model = model;
    request.collect_team = collect_team;
    request.error_target = error;
    size_t told = 0, before = ctx.n_diags;
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    for (size_t i = before; i < ctx.n_diags; i++)
        told += strstr(ctx.diags[i].text, "has no effect") != NULL &&
                ctx.diags[i].severity == PLUSSI_WARNING;
    return told;
}

START_TEST(what_has_no_effect_is_told)
{
    parse("pluss-nest 1 array f64 A[64] region r parallel for i in 0..64 { read A[i] }");
    ck_assert_uint_eq(ignored("clock", 0, 0.1), 0);
    ck_assert_uint_eq(ignored("clock", 2, 0.1), 1);
    ck_assert_uint_eq(ignored("cri", 2, 0), 0);
    ck_assert_uint_eq(ignored("cri-line", 2, 0.1), 1);
    ck_assert_uint_eq(ignored("ri-random", 2, 0.1), 2);
}
END_TEST

START_TEST(what_a_curve_says_of_itself)
{
    parse("pluss-nest 1 symbol n, k = 5 region a symbol m = -2, d = n*k array f64 A[n] "
          "for i in 0..n { read A[i] } region b symbol m array f64 A[m] "
          "parallel for i in 0..m schedule(dynamic) { read A[i] "
          "unknown reference \"no idea\" }");
    static const plussi_binding bindings[] = {{"n", 100}, {"b.m", 7}};
    plussi_request request = request_of(&four, 1);
    request.binding = bindings;
    request.n_bindings = 2;
    request.schedule = PLUSSI_SCHED_STATIC;
    request.chunk = 4;
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    const plussi_curve *c = &result.curve[0];
    static const struct {
        const char *name;
        int64_t value;
    } values[] = {{"n", 100}, {"k", 5}, {"a.m", -2}, {"b.m", 7}};
    ck_assert_str_eq(c->id.region, "a+b");
    ck_assert_str_eq(c->id.schedule, "static, 4");
    ck_assert_uint_eq(c->id.unknowns, 1);
    ck_assert_uint_eq(c->id.seed, 1);
    ck_assert_uint_eq(c->id.n_values, 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_str_eq(c->id.values[i].name, values[i].name);
        ck_assert_int_eq(c->id.values[i].value, values[i].value);
    }
}
END_TEST

START_TEST(many_regions_have_a_short_name)
{
    parse("pluss-nest 1 array f64 A[9] region a read A[0] region b read A[1] region c read A[2] "
          "region d read A[3] region e read A[4] region f read A[5]");
    plussi_request request = request_of(&one, 1);
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_str_eq(result.curve[0].id.region, "a+b+c+d+2 more");
}
END_TEST

START_TEST(errors)
{
    plussi_request request = request_of(&one, 1);
    parse("pluss-nest 1 symbol n array f64 A[n] region r for i in 0..n { read A[i] }");
    expect_error(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_EUNBOUND, "n");
    expect_error(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_EUNBOUND, "n");
    static const plussi_binding zero = {"n", 0}, other = {"m", 1};
    request.binding = &zero;
    request.n_bindings = 1;
    expect_error(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_EEMPTY, "no access");
    expect_error(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_EEMPTY,
                 "no accesses");
    request.model = "ri-random";
    expect_error(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_EEMPTY,
                 "no accesses");
    request.model = "oracle";
    expect_error(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_ENOTFOUND, "oracle");
    request.model = NULL;
    request.binding = &other;
    expect_error(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_ENOTFOUND, "m");
    request.n_bindings = 0;
    request.line_bytes = 48;
    expect_error(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_EINVAL, "");
    parse("pluss-nest 1 array i32 idx[4] array f64 A[4] region r "
          "for i in 0..4 { read A[idx[i]] }");
    request.line_bytes = 64;
    expect_error(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_EUNSUPPORTED, "");
}
END_TEST

/* ---- progress -------------------------------------------------------------------------------- */

static int calls_left;

static int stop_after(void *user, const char *stage, double done, uint64_t steps)
{
    ck_assert_ptr_eq(user, &calls_left);
    ck_assert_uint_gt(strlen(stage), 0);
    ck_assert_double_le(done, 1);
    (void)steps;
    return calls_left-- == 0;
}

typedef struct watcher {
    int calls, stop_at;
    bool error_told;
    double most;
} watcher;

static int watch_it(void *user, const char *stage, double done, uint64_t steps)
{
    watcher *w = user;
    (void)steps;
    ck_assert(done >= 0 && done <= 1);
    w->error_told = w->error_told || strstr(stage, "predict, T = 2, standard error ") == stage;
    w->most = done > w->most ? done : w->most;
    return ++w->calls == w->stop_at;
}

/* One team is asked about many times, and can be given up at each of them. */
START_TEST(progress_within_a_team)
{
    static const uint32_t two = 2;
    watcher w = {0};
    parse("pluss-nest 1 array f64 A[90][90] region r parallel for i in 0..90 { for j in 0..90 { "
          "read A[i][j] read A[j][i] } }");
    plussi_request request = request_of(&two, 1);
    request.ask = (plussi_ask){watch_it, &w};
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_int_gt(w.calls, 8);
    ck_assert(!w.error_told);
    plussi_result_free(&result);
    for (int at = 1; at <= w.calls; at += w.calls / 4) {
        watcher stop = {.stop_at = at};
        request.ask.user = &stop;
        ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_ECANCELLED);
        ck_assert_int_eq(stop.calls, at);
        ck_assert_uint_eq(result.n, 0);
    }
    watcher error = {0};
    request.ask.user = &error;
    request.error_target = .0005;
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert(error.error_told);
    ck_assert_double_gt(error.most, .3);
}
END_TEST

START_TEST(progress_can_cancel)
{
    static const uint32_t teams[] = {1, 2, 3};
    parse("pluss-nest 1 array f64 A[4000000] region r for i in 0..3000000 { read A[i] }");
    plussi_request request = request_of(teams, 3);
    request.ask = (plussi_ask){stop_after, &calls_left};
    for (int n = 0; n < 3; n++) {
        calls_left = n;
        ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_ECANCELLED);
        ck_assert_uint_eq(result.n, 0);
    }
    calls_left = 1;
    parse(TWICE);
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_ECANCELLED);
    calls_left = 1000;
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_uint_eq(result.n, 3);
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

START_TEST(reading_files)
{
    char path[] = "/tmp/test_pipeline_XXXXXX";
    close(mkstemp(path));
    plussi_found *found = NULL;
    size_t n = 0;
    write_file(path, TWICE);
    ck_assert_int_eq(plussi_pipeline_read(&ctx, path, &found, &n), PLUSS_OK);
    ck_assert_uint_eq(n, 1);
    ck_assert_str_eq(found[0].origin, path);
    ck_assert_uint_eq(found[0].nest->n_refs, 1);
    plussi_found_free(&ctx.mem, found, n);
    found = NULL;
    write_file(path, "pluss-nest 1\nregion r\n  read A\n");
    pluss_status status = plussi_pipeline_read(&ctx, path, &found, &n);
    ck_assert(status == PLUSS_EPARSE || status == PLUSS_EINVALID);
    ck_assert_ptr_null(found);
    ck_assert_str_eq(ctx.diags[0].file, path);
    ck_assert_uint_eq(ctx.diags[0].line, 3);
    unlink(path);
    expect_error(plussi_pipeline_read(&ctx, path, &found, &n), PLUSS_EIO, "cannot be opened");
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

typedef pluss_status (*engine)(plussi_ctx *ctx, const plussi_nest *nest,
                               const plussi_request *request, plussi_result *out);

START_TEST(out_of_memory)
{
    static const uint32_t teams[] = {2, 3};
    static const struct {
        engine run;
        const char *model;
    } cases[] = {{plussi_pipeline_simulate, NULL},
                 {plussi_pipeline_predict, "clock"},
                 {plussi_pipeline_predict, "cri"},
                 {plussi_pipeline_predict, "cri-line"},
                 {plussi_pipeline_predict, "ri-random"}};
    parse("pluss-nest 1 symbol n = 9 array f64 A[n] region r \"f.c\" "
          "parallel for i in 0..n { read A[i] write A[0] }");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (long budget = 0;; budget += suite_step()) {
            failing_mem memory;
            failing_mem_init(&memory, budget);
            plussi_ctx failing;
            plussi_ctx_init(&failing, &memory.mem);
            plussi_result out;
            plussi_result_init(&out, &memory.mem);
            plussi_request request = request_of(teams, 2);
            request.model = cases[i].model;
            pluss_status status = cases[i].run(&failing, nest, &request, &out);
            ck_assert_int_eq(status, memory.failed ? PLUSS_ENOMEM : PLUSS_OK);
            ck_assert_uint_eq(out.n, status ? 0 : 2);
            plussi_result_free(&out);
            plussi_ctx_clear(&failing);
            ck_assert_int_eq(memory.live, 0);
            if (!memory.failed)
                break;
        }
}
END_TEST

/* Each of four threads goes twice over five lines of its own and over one that is everybody's. */
#define OWN_AND_COMMON                                                                             \
    "pluss-nest 1 array b64 A[20], B[1] region r parallel for i in 0..4 { for t in 0..2 { read "   \
    "B[0] for j in 0..5 { read A[5*i+j] } } }"

START_TEST(caches_of_some_threads)
{
    static const plussi_report_cache caches[] = {{.threads = 1}, {.threads = 2}, {.threads = 4},
                                                 {.threads = 9}, {.threads = 0}, {.threads = 1}};
    static const struct {
        const char *model; /* NULL: simulated */
        size_t n;
    } of[] = {{NULL, 3}, {"clock", 3}, {"cri", 2}};
    parse(OWN_AND_COMMON);
    plussi_request request = request_of(&four, 1);
    request.cache = caches;
    request.n_caches = 6;
    request.model = of[_i].model;
    if (_i == 2) { /* no other but its own */
        expect_error(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_EINVAL,
                     "the model cri does not predict caches that 2 of the threads share");
        request.cache = caches + 4;
        request.n_caches = 2;
    }
    ck_assert_int_eq(of[_i].model ? plussi_pipeline_predict(&ctx, nest, &request, &result)
                                  : plussi_pipeline_simulate(&ctx, nest, &request, &result),
                     PLUSS_OK);
    ck_assert_uint_eq(result.n, of[_i].n);
    for (size_t i = 0; i < result.n; i++) {
        const plussi_curve *c = &result.curve[i];
        ck_assert_uint_eq(c->footprint_lines, 21);
        ck_assert_double_eq(c->mrc.accesses, 48);
        if (c->id.threads_per_cache == 0)
            continue;
        ck_assert_uint_eq(c->id.threads_per_cache, _i == 2 ? 1 : i + 1);
        /* six lines are enough for one thread; each of the caches misses them once */
        double n_caches = 4 / c->id.threads_per_cache,
               at6 = plussi_mrc_at(&c->mrc, 6 * c->id.threads_per_cache);
        ck_assert_double_eq_tol(at6, (20 + n_caches) / 48, 1e-9);
        if (c->id.threads_per_cache == 1)
            ck_assert_double_eq_tol(plussi_mrc_at(&c->mrc, 5), 1, 1e-9);
    }
    /* the team itself, or more: all */
    ck_assert_uint_eq(result.curve[_i == 2 ? 0 : 2].id.threads_per_cache, 0);
    plussi_result_free(&result);
    request.cache = caches; /* these alone */
    request.n_caches = 1;
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_uint_eq(result.n, 1);
    ck_assert_uint_eq(result.curve[0].id.threads_per_cache, 1);
    ck_assert_uint_eq(result.curve[0].footprint_lines, 21);
}
END_TEST

START_TEST(private_intervals)
{
    parse(TWICE);
    plussi_request request = request_of(&one, 1);
    plussi_pri pri;
    ck_assert_int_eq(plussi_pipeline_pri(&ctx, nest, &request, &pri), PLUSS_OK);
    ck_assert_uint_eq(pri.n_refs, 1);
    ck_assert_double_eq(pri.ref[0].histo.cold, 10);
    ck_assert_double_eq(plussi_histo_get(&pri.ref[0].histo, 10), 10);
    plussi_pri_free(&pri);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("pipeline");
    TCase *t = tcase_create("pipeline");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, exact_curve);
    tcase_add_test(t, interleavings_differ_as_they_must);
    tcase_add_test(t, models_agree_on_one_thread);
    tcase_add_test(t, clock_gives_way);
    tcase_add_test(t, progress_of_threads);
    tcase_add_test(t, neither_clock_nor_a_walk);
    tcase_add_test(t, sampling_until_the_error);
    tcase_add_test(t, curves_in_order_of_the_teams);
    tcase_add_test(t, collecting_at_another_team);
    tcase_add_test(t, what_has_no_effect_is_told);
    tcase_add_test(t, what_a_curve_says_of_itself);
    tcase_add_test(t, many_regions_have_a_short_name);
    tcase_add_test(t, errors);
    tcase_add_test(t, progress_can_cancel);
    tcase_add_test(t, progress_within_a_team);
    tcase_add_test(t, reading_files);
    tcase_add_test(t, out_of_memory);
    tcase_add_loop_test(t, caches_of_some_threads, 0, 3);
    tcase_add_test(t, private_intervals);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
