/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every kind of advice: it is given where it cures something, each item costs less by exact
 * simulation, too, and none is given where nothing is to be gained.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/nest_text.h"
#include "../unit/suite.h"
#include "study/advise.h"
#include "transform/transform.h"

static plussi_ctx ctx;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
}

static void teardown(void)
{
    plussi_ctx_clear(&ctx);
}

static const char small[] = "L1=2K:ways=4,L2=16K:ways=8:shared";
static const char large[] = "L1=32K:ways=8,L2=256K:ways=8:shared";

static void prepare(plussi_request *request, const char *team, const char *caches)
{
    plussi_request_init(request, &ctx.mem);
    ck_assert_int_eq(plussi_request_set(&ctx, request, "threads", team), PLUSS_OK);
    ck_assert_int_eq(plussi_request_set(&ctx, request, "cache", caches), PLUSS_OK);
}

/* The exact cost of the busiest thread. */
static double simulate(const plussi_nest *nest, const plussi_request *request, uint32_t team)
{
    static const double weights[] = {10, 150};
    plussi_request own = *request;
    plussi_result result;
    plussi_result_init(&result, &ctx.mem);
    own.team = &team;
    own.n_teams = 1;
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &own, &result), PLUSS_OK);
    double cost = result.level[0].accesses;
    for (size_t i = 0; i < result.n_levels; i++)
        cost += weights[i] * result.level[i].misses.all;
    double most = 0; /* accesses of the busiest thread; the nests have a phase each, or even ones */
    for (size_t t = 0; t < result.level[0].n_threads; t++)
        most = fmax(most, result.level[0].thread[t].requests);
    cost *= most / result.level[0].accesses;
    plussi_result_free(&result);
    return cost;
}

static plussi_nest *apply(const plussi_nest *nest, const char *steps)
{
    const char *step[8];
    size_t n = 0;
    char *text = strdup(steps);
    for (char *s = strtok(text, " "); s; s = strtok(NULL, " "))
        step[n++] = s;
    plussi_nest *made = NULL;
    ck_assert_int_eq(plussi_transform(&ctx, nest, step, n, &made), PLUSS_OK);
    free(text);
    return made;
}

static const struct {
    plussi_advice_kind kind;
    const char *team, *caches, *text;
} cures[] = {
    {PLUSSI_ADVICE_INTERCHANGE, "2", small,
     "region r array f64 A[120][120], B[120][120] parallel for j in 0..120 { for i in 1..119 { "
     "read A[i - 1][j] read A[i + 1][j] write B[i][j] } }"},
    {PLUSSI_ADVICE_TILE, "1", "L1=2K:ways=4,L2=64K:ways=8",
     "region r array f64 A[150][150], B[150][150] for i in 0..150 { for j in 0..150 { read A[i][j] "
     "write B[j][i] } }"},
    {PLUSSI_ADVICE_FUSE, "2", small,
     "region r array f64 A[9000], B[9000], C[9000] parallel for i in 0..9000 { read A[i] write "
     "B[i] } parallel for i in 0..9000 { read A[i] read B[i] write C[i] }"},
    {PLUSSI_ADVICE_SCHEDULE, "4", large,
     "region r array f64 A[2000] parallel for i in 0..2000 schedule(static, 1) { for k in 0..16 { "
     "read A[i] write A[i] } }"},
    {PLUSSI_ADVICE_PAD, "1", large,
     "region r array f64 A[200][512] for t in 0..2 { for j in 0..200 { for i in 1..200 { read "
     "A[i - 1][j + 1] read A[i][j] write A[i][j] } } }"},
    {PLUSSI_ADVICE_SPREAD, "4", large,
     "region r array i64 count[8] array i64 data[9000] parallel for t in 0..4 schedule(static, 1) "
     "{ for i in 0..9000 { read data[i] read count[t] write count[t] } }"},
    {PLUSSI_ADVICE_SPREAD, "4", large, /* a structure, which becomes longer */
     "region r array b24 stat[8] array i64 data[9000] parallel for t in 0..4 schedule(static, 1) "
     "{ for i in 0..9000 { read data[i] read stat[t] bytes 0..8 write stat[t] bytes 0..8 write "
     "stat[t] bytes 16..24 } }"},
    {PLUSSI_ADVICE_THREADS, "8", "L1=2K:ways=4,L2=64K:ways=8:shared",
     "region r array f64 A[8][2048] parallel for t in 0..8 { for n in 0..8 { for i in 0..2048 { "
     "read A[t][i] } } }"},
};

START_TEST(cure_is_found_and_exact)
{
    plussi_request request;
    prepare(&request, cures[_i].team, cures[_i].caches);
    plussi_nest *nest = nest_of(&ctx, cures[_i].text);
    plussi_advice_list list = {.mem = ctx.mem};
    ck_assert_int_eq(plussi_advise(&ctx, nest, &request, &list), PLUSS_OK);
    double now = simulate(nest, &request, request.team[0]);
    bool found = false;
    for (size_t i = 0; i < list.n; i++) {
        const plussi_advice *a = &list.at[i];
        plussi_nest *made = apply(nest, a->steps);
        double then = simulate(made, &request, a->team[1]);
        found = found || a->kind == cures[_i].kind;
        ck_assert_msg(then < now, "%s: %.0f, %.0f before", a->text, then, now);
        /* as much as was predicted, in 3 standard errors and 3 points */
        ck_assert_msg(fabs(1 - then / now - a->gain) < 3 * a->gain_error + 0.03,
                      "%s: gain %.3f, predicted %.3f +-%.3f", a->text, 1 - then / now, a->gain,
                      a->gain_error);
        plussi_nest_free(made);
    }
    ck_assert_msg(found, "no advice %s among %zu", plussi_advice_name(cures[_i].kind), list.n);
    plussi_advice_list_free(&list);
    plussi_nest_free(nest);
    plussi_request_free(&request);
}
END_TEST

START_TEST(nothing_to_gain)
{
    static const char *const fine[] = {
        "region r array f64 A[100][100] parallel for i in 0..100 { for j in 0..100 { read A[i][j] "
        "write A[i][j] } }",
        "region r array f64 A[64] parallel for i in 0..64 { for j in 0..100 { read A[i] } }",
        "region r array f64 A[100][100] for i in 1..100 { for j in 1..100 { read A[i - 1][j] "
        "read A[i][j - 1] write A[i][j] } }",
    };
    plussi_request request;
    prepare(&request, "2", small);
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        plussi_nest *nest = nest_of(&ctx, fine[i]);
        plussi_advice_list list = {.mem = ctx.mem};
        ck_assert_int_eq(plussi_advise(&ctx, nest, &request, &list), PLUSS_OK);
        for (size_t k = 0; k < list.n; k++)
            ck_assert_msg(list.at[k].kind == PLUSSI_ADVICE_THREADS, "%zu: %s", i, list.at[k].text);
        plussi_advice_list_free(&list);
        plussi_nest_free(nest);
    }
    plussi_request_free(&request);
}
END_TEST

static Suite *advise_suite(void)
{
    Suite *suite = suite_create("advise");
    TCase *tcase = tcase_create("advise");
    tcase_set_timeout(tcase, 300);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, cure_is_found_and_exact, 0, sizeof cures / sizeof *cures);
    tcase_add_test(tcase, nothing_to_gain);
    suite_add_tcase(suite, tcase);
    return suite;
}

SUITE_MAIN(advise_suite())
