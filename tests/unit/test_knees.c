/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Knees of curves of known shape, and what predictions say of them: programs whose reuses are known
 * on paper.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "failing_mem.h"
#include "model/clock_state.h"
#include "pipeline_fixture.h"
#include "report/report.h"
#include "report/writer.h"
#include "suite.h"

/* ---- shapes -------------------------------------------------------------------------------------
 */

typedef struct step {
    uint64_t lines; /* accesses that hit from this size on */
    double share;
} step;

static size_t knees_of(const step *s, size_t n, uint64_t footprint, plussi_mrc_knee **out)
{
    plussi_histo rd;
    plussi_mrc mrc;
    size_t count;
    double cold = 1;
    plussi_histo_init(&rd, &plussi_mem_libc);
    for (size_t i = 0; i < n; i++) {
        ck_assert_int_eq(plussi_histo_add(&rd, s[i].lines - 1, s[i].share), PLUSS_OK);
        cold -= s[i].share;
    }
    rd.cold = cold > 0 ? cold : 0;
    ck_assert_int_eq(plussi_mrc_from_rd(&ctx, &rd, &mrc), PLUSS_OK);
    ck_assert_int_eq(plussi_mrc_knees(&ctx, &mrc, footprint, out, &count), PLUSS_OK);
    plussi_mrc_free(&mrc);
    plussi_histo_free(&rd);
    return count;
}

START_TEST(steps)
{
    static const step s[] = {{1, .2}, {100, .3}, {103, .2}, {2000, .1}, {300, .004}};
    plussi_mrc_knee *k;
    ck_assert_uint_eq(knees_of(s, 5, 4096, &k), 3);
    ck_assert_uint_eq(k[0].below, 0);
    ck_assert_uint_eq(k[0].last, 1);
    ck_assert_uint_eq(k[0].at, 1);
    ck_assert_double_eq(k[0].before, 1);
    ck_assert_double_eq_tol(k[0].after, .8, 1e-12);
    /* 100 and 103 lie between 99 and 108, two sizes of the grid */
    ck_assert_uint_eq(k[1].below, 99);
    ck_assert_uint_eq(k[1].from, 99);
    ck_assert_uint_eq(k[1].at, 108);
    ck_assert_uint_eq(k[1].to, 108);
    ck_assert_uint_eq(k[1].last, 108);
    ck_assert_double_eq_tol(k[1].before - k[1].after, .5, 1e-12);
    ck_assert_double_eq_tol(k[2].before, .296, 1e-12); /* .004 is too little to be one */
    ck_assert_double_eq_tol(k[2].after, .196, 1e-12);
    ck_assert_uint_le(k[2].below, 1999);
    ck_assert_uint_ge(k[2].last, 2000);
    plussi_free(&ctx.mem, k);
}
END_TEST

/* One slope over three octaves is one knee, rough or not. Two hills are two where the valley is at
 * most half as steep as the lower one. */
START_TEST(slopes)
{
    static const struct {
        double deep; /* of the valley, of a hill's 1 */
        double rough;
        size_t knees;
    } shape[] = {{1, 0, 1}, {1, .25, 1}, {.7, 0, 1}, {.3, 0, 2}, {.3, .1, 2}, {0, 0, 2}};
    step s[40];
    double sum = 0;
    size_t n = 0;
    for (int i = 0; i < 33; i++) {
        double height = i >= 14 && i < 19 ? shape[_i].deep : 1;
        if (i % 2)
            height *= 1 - shape[_i].rough;
        if (height > 0)
            s[n++] = (step){(uint64_t)round(exp2(6 + i / 8.)), height / 40};
        sum += height / 40;
    }
    plussi_mrc_knee *k;
    ck_assert_uint_eq(knees_of(s, n, 1 << 14, &k), shape[_i].knees);
    double all = 0;
    for (size_t i = 0; i < shape[_i].knees; i++)
        all += k[i].before - k[i].after;
    ck_assert_double_eq_tol(all, sum, 1e-9);
    ck_assert(k[0].from < k[0].at && k[0].at < k[0].to && k[0].to <= k[0].last);
    plussi_free(&ctx.mem, k);
}
END_TEST

START_TEST(no_knees)
{
    static const step little[] = {{7, .009}, {1000, .0099}};
    plussi_mrc_knee *k;
    ck_assert_uint_eq(knees_of(little, 2, 4096, &k), 0);
    plussi_free(&ctx.mem, k);
    ck_assert_uint_eq(knees_of(NULL, 0, 1, &k), 0);
    plussi_free(&ctx.mem, k);
    double size = 0, miss = 1;
    const plussi_mrc mrc = {.n = 1, .size = &size, .miss = &miss, .accesses = 1};
    size_t n;
    ck_assert_int_eq(plussi_mrc_knees(&ctx, &mrc, 0, &k, &n), PLUSS_EINVAL);
}
END_TEST

/* ---- predictions --------------------------------------------------------------------------------
 */

static pluss_status explain(plussi_ctx *c, uint32_t team, plussi_schedule_kind kind, int64_t chunk,
                            plussi_result *out)
{
    const plussi_request request = {.team = &team,
                                    .n_teams = 1,
                                    .line_bytes = 64,
                                    .seed = 1,
                                    .schedule = kind,
                                    .chunk = chunk,
                                    .explain = true};
    return plussi_pipeline_predict(c, nest, &request, out);
}

static const plussi_curve *explained(const char *text, uint32_t team, plussi_schedule_kind kind,
                                     int64_t chunk)
{
    char all[2048];
    snprintf(all, sizeof all, "pluss-nest 1 region r%s%s", strchr(text, '@') ? " \"s.c\":1 " : " ",
             text);
    parse(all);
    ck_assert_int_eq(explain(&ctx, team, kind, chunk, &result), PLUSS_OK);
    ck_assert_uint_eq(result.n, 1);
    const plussi_curve *c = &result.curve[0];
    ck_assert_uint_ge(c->n_knees, 1);
    /* what is said adds up to the curve */
    for (size_t i = 0; i < c->n_knees; i++) {
        const plussi_knee *k = &c->knee[i];
        double sum = 0;
        for (size_t j = 0; j < k->n; j++) {
            ck_assert(j == 0 || k->reuse[j].share <= k->reuse[j - 1].share);
            ck_assert((k->reuse[j].by == PLUSSI_BY_NOTHING) == (k->size == 0));
            ck_assert((k->reuse[j].by == PLUSSI_BY_LOOP) == (k->reuse[j].loop != NULL));
            sum += k->reuse[j].share;
        }
        ck_assert_double_eq_tol(sum, k->size ? k->before - k->after : k->after, 1e-6);
        ck_assert((k->size == 0) == (i == c->n_knees - 1));
    }
    return c;
}

/* Share of the reuses that are as described, over all knees with sizes in [from, to] lines. */
static double share(const plussi_curve *c, uint64_t from, uint64_t to, const char *access,
                    plussi_carried by, const char *loop, bool other_thread)
{
    double sum = 0;
    for (size_t i = 0; i < c->n_knees; i++)
        for (size_t j = 0; j < c->knee[i].n; j++) {
            const plussi_reuse *r = &c->knee[i].reuse[j];
            if (c->knee[i].size >= from && c->knee[i].size <= to &&
                strcmp(r->access.text, access) == 0 && r->by == by &&
                (!loop || strcmp(r->loop, loop) == 0) && r->other_thread == other_thread)
                sum += r->share;
        }
    return sum;
}

#define GEMM                                                                                       \
    "array f64 A[96][96], B[96][96], C[96][96] parallel for i in 0..96 @2 { for j in 0..96 @3 { "  \
    "for k in 0..96 @4 { read A[i][k] @5 read B[k][j] @5 read C[i][j] @5 write C[i][j] @5 } } }"

/* A line of B holds the elements of eight columns: the next turn of j finds it again where the 96
 * lines of a column (and A's row) are held; the last of the eight waits for the next turn of i, for
 * all of B. In a team, the others are at the same k and j: they bring B's lines one another, but
 * for the one that comes first. */
START_TEST(gemm)
{
    const plussi_curve *c = explained(GEMM, 1, PLUSSI_SCHED_STATIC, 0);
    ck_assert_double_eq_tol(share(c, 1, 1, "C[i][j]", PLUSSI_BY_ITERATION, NULL, false), .25, .005);
    double by_j = share(c, 96, 130, "B[k][j]", PLUSSI_BY_LOOP, "j", false);
    double by_i = share(c, 1000, 1500, "B[k][j]", PLUSSI_BY_LOOP, "i", false);
    ck_assert_double_eq_tol(by_j, .25 * 7 / 8, .01);
    ck_assert_double_eq_tol(by_i, .25 / 8, .01);
    const plussi_knee *k = &c->knee[c->n_knees - 2];
    ck_assert_str_eq(k->reuse[0].array, "B");
    ck_assert_str_eq(k->reuse[0].access.text, "B[k][j]");
    ck_assert_str_eq(k->reuse[0].access.file, "s.c");
    ck_assert_uint_eq(k->reuse[0].access.line, 5);
    ck_assert_str_eq(k->reuse[0].loop_file, "s.c");
    ck_assert_uint_eq(k->reuse[0].loop_line, 2);
    ck_assert(!k->reuse[0].access.write && !k->reuse[0].access.atomic);
    teardown();
    setup();
    c = explained(GEMM, 4, PLUSSI_SCHED_STATIC, 0);
    ck_assert_double_gt(share(c, 1, 500, "B[k][j]", PLUSSI_BY_LOOP, "i", true), .15);
    ck_assert_double_lt(share(c, 500, 5000, "B[k][j]", PLUSSI_BY_LOOP, "i", false), .02);
    ck_assert_double_lt(share(c, 1, 5000, "A[i][k]", PLUSSI_BY_LOOP, NULL, true), .005);
}
END_TEST

#define JACOBI                                                                                     \
    "array f64 A[96][96], B[96][96] for t in 0..20 @2 { parallel for i in 1..95 @3 { for j in "    \
    "1..95 @4 { read A[i][j] @5 read A[i][j-1] @5 read A[i+1][j] @5 write B[i][j] @5 } } "         \
    "parallel for i in 1..95 @7 { for j in 1..95 @8 { read B[i][j] @9 write A[i][j] @9 } } }"

/* The row below is read again in the next turn of i: two rows. Both arrays are 2304 lines: B comes
 * back in the second loop of the same turn of t, A in the next turn of t. */
START_TEST(jacobi)
{
    const plussi_curve *c = explained(JACOBI, 1, PLUSSI_SCHED_STATIC, 0);
    double line = 1 / 6. / 8; /* one of six accesses, one of eight elements */
    ck_assert_double_eq_tol(share(c, 12, 80, "A[i][j]", PLUSSI_BY_LOOP, "i", false), line, .004);
    ck_assert_double_eq_tol(share(c, 2000, 3000, "A[i + 1][j]", PLUSSI_BY_LOOP, "t", false), line,
                            .004);
    ck_assert_double_eq_tol(share(c, 1000, 3000, "B[i][j]", PLUSSI_BY_NEST, NULL, false), line,
                            .004);
    ck_assert_double_eq_tol(share(c, 1000, 3000, "B[i][j]", PLUSSI_BY_LOOP, "t", false), line,
                            .004);
    /* which of the touches a reuse between loops follows is told */
    bool told = false;
    for (size_t i = 0; i < c->n_knees; i++)
        for (size_t j = 0; j < c->knee[i].n; j++) {
            const plussi_reuse *r = &c->knee[i].reuse[j];
            if (r->by != PLUSSI_BY_NEST || r->access.write || strcmp(r->array, "B") != 0)
                continue;
            ck_assert_str_eq(r->source.text, "B[i][j]");
            ck_assert(r->source.write);
            ck_assert_uint_eq(r->source.line, 5);
            told = true;
        }
    ck_assert(told);
    teardown();
    setup();
    /* blocks: all but the rows between two threads' blocks stay with the thread */
    c = explained(JACOBI, 4, PLUSSI_SCHED_STATIC, 0);
    ck_assert_double_lt(share(c, 1, 5000, "B[i][j]", PLUSSI_BY_NEST, NULL, true), .002);
    ck_assert_double_gt(share(c, 1, 5000, "B[i][j]", PLUSSI_BY_NEST, NULL, false), .8 * line);
}
END_TEST

#define MVT                                                                                        \
    "array f64 A[96][96], x[96], y[96] parallel for i in 0..96 { for j in 0..96 { read A[i][j] "   \
    "read y[j] write x[i] } } parallel for i in 0..96 { for j in 0..96 { read A[j][i] read y[j] "  \
    "write x[i] } }"

/* By rows A's line lasts through eight turns of j; by columns through eight turns of i, which are
 * one thread's in blocks and eight threads' one by one. y is everybody's. */
START_TEST(mvt)
{
    static const struct {
        uint32_t team;
        int64_t chunk;
        bool other;
    } of[] = {{1, 0, false}, {4, 0, false}, {8, 1, true}};
    const plussi_curve *c = explained(MVT, of[_i].team, PLUSSI_SCHED_STATIC, of[_i].chunk);
    double sixth = 1 / 6.;
    ck_assert_double_eq_tol(share(c, 1, 5000, "A[i][j]", PLUSSI_BY_LOOP, "j", false), sixth * 7 / 8,
                            .004);
    ck_assert_double_eq_tol(share(c, 1, 5000, "A[j][i]", PLUSSI_BY_LOOP, "i", of[_i].other),
                            sixth * 7 / 8, .012);
    ck_assert_double_lt(share(c, 1, 5000, "A[j][i]", PLUSSI_BY_LOOP, "i", !of[_i].other), .012);
    if (of[_i].chunk) /* where the eighth is held is spread out over too many sizes for a knee */
        return;
    /* the eighth comes from the first loop */
    double nest_own = share(c, 1, 5000, "A[j][i]", PLUSSI_BY_NEST, NULL, false);
    double nest_other = share(c, 1, 5000, "A[j][i]", PLUSSI_BY_NEST, NULL, true);
    ck_assert_double_eq_tol(nest_own + nest_other, sixth / 8, .004);
    ck_assert_double_eq_tol(nest_own, sixth / 8 / of[_i].team, .004);
    if (of[_i].team > 1)
        ck_assert_double_gt(share(c, 1, 5000, "y[j]", PLUSSI_BY_LOOP, "i", true), .01);
}
END_TEST

/* A copy that turns: what is read along the columns is held from 128 lines (and as many of the
 * other array's eighth) on, seven of eight. */
START_TEST(transposed)
{
    const plussi_curve *c = explained("array f64 A[128][128], B[128][128] parallel for i in 0..128 "
                                      "{ for j in 0..128 { read A[j][i] write B[i][j] } }",
                                      1, PLUSSI_SCHED_STATIC, 0);
    ck_assert_uint_eq(c->n_knees, 3);
    ck_assert_uint_le(c->knee[0].to, 3);
    ck_assert_str_eq(c->knee[0].reuse[0].access.text, "B[i][j]");
    ck_assert_str_eq(c->knee[0].reuse[0].loop, "j");
    ck_assert_uint_ge(c->knee[1].size, 128);
    ck_assert_uint_le(c->knee[1].size, 160);
    ck_assert_uint_eq(c->knee[1].n, 1);
    ck_assert_str_eq(c->knee[1].reuse[0].access.text, "A[j][i]");
    ck_assert_str_eq(c->knee[1].reuse[0].loop, "i");
    ck_assert_double_eq_tol(c->knee[1].reuse[0].share, 7 / 16., .005);
    ck_assert_uint_eq(c->knee[2].n, 2);
    ck_assert_double_eq_tol(c->knee[2].after, 1 / 8., .005);
}
END_TEST

/* Every thread reads all of A, the others' turns are its own; a region that runs again. */
START_TEST(other_carriers)
{
    const plussi_curve *c =
        explained("repeat 3 array f64 A[800] parallel { for j in 0..100 { read A[8*j] } }", 4,
                  PLUSSI_SCHED_NONE, 0);
    ck_assert_double_eq_tol(share(c, 1, 100, "A[8 * j]", PLUSSI_BY_ITERATION, NULL, true), .75,
                            .01);
    double again = share(c, 1, 100, "A[8 * j]", PLUSSI_BY_REPEAT, NULL, true) +
                   share(c, 1, 100, "A[8 * j]", PLUSSI_BY_REPEAT, NULL, false);
    ck_assert_double_eq_tol(again, 2 / 12., .01);
    ck_assert_double_eq_tol(c->knee[c->n_knees - 1].after, 1 / 12., 1e-6);
}
END_TEST

START_TEST(others_do_not_tell)
{
    static const char text[] =
        "pluss-nest 1 region r array f64 A[90] array i64 P[4] values(1, 2, 3, 4)"
        " for t in 0..2 { for i in 0..4 { read A[P[i]] } }";
    static const uint32_t teams[] = {1, 2};
    parse(text);
    plussi_request request = {
        .team = teams, .n_teams = 2, .line_bytes = 64, .explain = true, .model = "cri"};
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_EINVAL);
    ck_assert_ptr_nonnull(strstr(ctx.diags[0].text, "the model cri does not tell why"));
    plussi_ctx_clear(&ctx);
    request.model = NULL; /* walked, as the subscript is out of memory; said once */
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_str_eq(result.curve[1].id.engine, "ri-random");
    ck_assert_uint_eq(result.curve[1].n_knees, 0);
    ck_assert_uint_eq(ctx.n_diags, 2);
    ck_assert_int_eq(ctx.diags[1].severity, PLUSSI_WARNING);
    ck_assert_ptr_nonnull(strstr(ctx.diags[1].text, "the model ri-random does not tell why"));
}
END_TEST

/* What is alike is added up to the last bit the same, in whatever order the samples come: a sort
 * keeps that order or does not, by the memory that it gets. */
START_TEST(sums_do_not_depend_on_the_order)
{
    static const double weight[] = {0.1, 1e-17, 0.3, 1, 0.7, 1e-17, 1e16, 0.2};
    enum { N = sizeof weight / sizeof *weight };
    plussi_bound_node ref = {.id = 3};
    double sum[N];
    for (size_t first = 0; first < N; first++) {
        plussi_clock_sample sample[N];
        plussi_clock_plan plan = {.sample = sample, .n = N};
        plussi_clock_result causes = {.estimate.footprint = 10};
        for (size_t i = 0; i < N; i++)
            sample[i] = (plussi_clock_sample){
                .ref = &ref, .distance = 5, .weight = weight[(first + i) % N]};
        ck_assert_int_eq(plussi_clock_attribute(&ctx, &plan, &causes), PLUSS_OK);
        ck_assert_uint_eq(causes.estimate.n_attributions, 1);
        sum[first] = causes.estimate.attribution[0].weight;
        plussi_free(&ctx.mem, causes.estimate.attribution);
        ck_assert_mem_eq(&sum[first], &sum[0], sizeof *sum);
    }
}
END_TEST

START_TEST(memory_runs_out)
{
    explained("array f64 A[64] for t in 0..2 { parallel for i in 0..64 { read A[i] } }", 2,
              PLUSSI_SCHED_STATIC, 0);
    for (long budget = 0;; budget += budget < 300 ? 7 : 1) {
        failing_mem memory;
        failing_mem_init(&memory, budget);
        plussi_ctx failing;
        plussi_ctx_init(&failing, &memory.mem);
        plussi_result out;
        plussi_result_init(&out, &memory.mem);
        pluss_status status = explain(&failing, 2, PLUSSI_SCHED_STATIC, 0, &out);
        ck_assert_int_eq(status, memory.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_result_free(&out);
        plussi_ctx_clear(&failing);
        ck_assert_int_eq(memory.live, 0);
        if (!memory.failed)
            break;
    }
}
END_TEST

/* ---- reports ------------------------------------------------------------------------------------
 */

static int append(void *user, const char *data, size_t length)
{
    char *to = user;
    size_t n = strlen(to);
    ck_assert_uint_lt(n + length, 1 << 16);
    memcpy(to + n, data, length);
    to[n + length] = '\0';
    return 0;
}

static void expect(const char *all, const char *part)
{
    ck_assert_msg(strstr(all, part), "'%s' in\n%s", part, all);
}

static void write_text(char *text)
{
    plussi_document document;
    plussi_sink sink;
    *text = '\0';
    plussi_sink_init(&sink, append, text);
    plussi_document_init(&document, &ctx.mem);
    plussi_report_result(&ctx, &result, &(plussi_report_caches){0}, &document);
    ck_assert_int_eq(plussi_document_write(&ctx, &document, "text", NULL, &sink), PLUSS_OK);
    plussi_document_free(&document);
}

START_TEST(in_words)
{
    static char text[1 << 16];
    explained(GEMM, 1, PLUSSI_SCHED_STATIC, 0);
    write_text(text);
    expect(text, "\n  why, T = 1: ");
    expect(text, "\n    at 64 B, 25.");
    expect(text, " points (100.0 % -> 7");
    expect(text, " reads of B[k][j] (s.c:5) carried by loop j (s.c:3), own thread\n");
    expect(text,
           "  writes of C[i][j] (s.c:5) after the read of C[i][j] (s.c:5) in the same iteration, "
           "own thread\n");
    expect(text, "\n    at no size, ");
    expect(text, "  reads of A[i][k] (s.c:5), first touches\n");
    teardown();
    setup();
    explained("repeat 2 array f64 A[64] array f64 B[64] parallel for i in 0..64 { read A[i] } "
              "parallel for i in 0..64 { atomic write A[i] }",
              2, PLUSSI_SCHED_STATIC, 1);
    write_text(text);
    expect(text, " reads of A[i] carried by the region's repetition, ");
    expect(text, "  atomic writes of A[i] carried by loop i, across threads");
    expect(text, "  atomic writes of A[i] after the read of A[i] in another "
                 "loop, ");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("knees");
    TCase *c = tcase_create("knees");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 60);
    tcase_add_test(c, steps);
    tcase_add_loop_test(c, slopes, 0, 6);
    tcase_add_test(c, no_knees);
    tcase_add_test(c, gemm);
    tcase_add_test(c, jacobi);
    tcase_add_loop_test(c, mvt, 0, 3);
    tcase_add_test(c, transposed);
    tcase_add_test(c, other_carriers);
    tcase_add_test(c, others_do_not_tell);
    tcase_add_test(c, sums_do_not_depend_on_the_order);
    tcase_add_test(c, memory_runs_out);
    tcase_add_test(c, in_words);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
