/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model clock on random nests of dynamic and guided loops against exact curves: short bodies,
 * loops behind each other by nowait, static ones and replicated code between, teams that are larger
 * than loops. PLUSS_LONG=1, as in tier full: 300 of them.
 */
#include <stdarg.h>
#include <stdio.h>

#include "../unit/suite.h"
#include "base/rng.h"
#include "exact_curve.h"
#include "model/clock.h"

enum { ROOM = 4096 };

typedef struct text {
    plussi_rng rng;
    char arrays[ROOM], code[ROOM]; /* what is declared and what is executed */
    unsigned n_arrays;
    unsigned turns; /* of the loops */
} text;

static unsigned draw(text *x, unsigned n)
{
    return (unsigned)plussi_rng_below(&x->rng, n);
}

/* Every text has room for ROOM. */
__attribute__((format(printf, 2, 3))) static void add(char *to, const char *format, ...)
{
    size_t n = strlen(to);
    va_list args;
    va_start(args, format);
    ck_assert_uint_lt(n + (size_t)vsnprintf(to + n, ROOM - n, format, args), ROOM);
    va_end(args);
}

static unsigned new_array(text *x, unsigned rows, unsigned columns)
{
    add(x->arrays, "array f64 A%u[%u][%u]\n", x->n_arrays, rows, columns);
    return x->n_arrays++;
}

static const char *schedule(text *x)
{
    static const char *const kind[] = {"dynamic, 1", "dynamic, 4", "dynamic, 1",
                                       "dynamic, 4", "guided, 1",  "guided, 4"};
    return kind[draw(x, 6)];
}

/* Of a loop over i: 2 to some 100 accesses; streams of 8 elements a line, rows of one's own, rows
 * and a vector that all share, triangles, one turn in ten that is long. */
static void body(text *x, char *out)
{
    unsigned n = x->turns, b = 1 + draw(x, 48), a = 0, v = 0;
    switch (draw(x, 6)) {
    case 0:
        b = 1 + draw(x, 4);
        for (unsigned k = 0; k < b; k++) {
            a = new_array(x, n, 1);
            add(out, "read A%u[i][0] ", a);
        }
        add(out, "write A%u[i][0]", a);
        break;
    case 1:
        a = new_array(x, n + 2, 1), v = new_array(x, n, 1);
        add(out, "read A%u[i][0] read A%u[i+1][0] read A%u[i+2][0] write A%u[i][0]", a, a, a, v);
        break;
    case 2:
        a = new_array(x, n, b);
        add(out, "for j in 0..%u { read A%u[i][j] write A%u[i][j] }", b, a, a);
        break;
    case 3:
        a = new_array(x, n, b), v = new_array(x, 1, b);
        add(out, "for j in 0..%u { read A%u[i][j] read A%u[0][j] }", b, a, v);
        break;
    case 4:
        a = new_array(x, n, 1 + n / 8);
        add(out, "for j in 0..1+i/8 { read A%u[i][j] }", a);
        break;
    default:
        a = new_array(x, n, 8 * b), v = new_array(x, 1, 8 * b);
        add(out, "for j in 0..(i%%10 == 0 ? %u : %u) { read A%u[i][j] read A%u[0][j] }", 8 * b, b,
            a, v);
    }
}

static void loop(text *x, const char *inside, bool dynamic, bool nowait)
{
    add(x->code, " workshare for i in 0..%u", x->turns);
    if (dynamic)
        add(x->code, " schedule(%s)", schedule(x));
    add(x->code, "%s { %s }", nowait ? " nowait" : "", inside);
}

/* One loop, some in a row over the same or over other arrays, with replicated code or static loops
 * between, or in a time loop inside or outside of the region. */
static void compose(text *x)
{
    static const unsigned turns[] = {20, 100, 300, 1000};
    unsigned b;
    char inside[ROOM] = "", other[ROOM] = "";
    x->turns = turns[draw(x, 4)];
    body(x, inside);
    switch (draw(x, 7)) {
    case 0:
        add(x->code, "parallel {");
        loop(x, inside, true, false);
        break;
    case 1: /* the same arrays again */
        add(x->code, "parallel {");
        for (unsigned n = 2 + draw(x, 2); n > 0; n--)
            loop(x, inside, true, true);
        break;
    case 2:
        add(x->code, "parallel {");
        loop(x, inside, true, true);
        body(x, other);
        loop(x, other, true, false);
        break;
    case 3: /* who is done with his block goes on */
        add(x->code, "parallel {");
        body(x, other);
        loop(x, other, false, true);
        loop(x, inside, true, true);
        loop(x, other, false, false);
        break;
    case 4:
        add(x->code, "parallel { for j in 0..%u { read A%u[0][0] }", 1 + draw(x, 200), 0);
        loop(x, inside, true, false);
        break;
    case 5: /* one thread, whoever comes first, is held up */
        b = 1 + draw(x, 600);
        add(x->code,
            "parallel { for t in 0..3 { single nowait { for j in 0..%u { read A%u[j][0] } }", b,
            new_array(x, b, 1));
        loop(x, inside, draw(x, 2), draw(x, 2));
        add(x->code, " }");
        break;
    default:
        add(x->code, draw(x, 2) ? "parallel { for t in 0..3 {" : "for t in 0..3 { parallel {");
        loop(x, inside, true, draw(x, 2));
        add(x->code, " }");
    }
    add(x->code, " }");
}

static void load(uint64_t seed)
{
    static const uint32_t team[] = {2, 3, 4, 8, 16, 32, 64, 128, 256};
    static text x;
    static char all[2 * ROOM + 100];
    memset(&x, 0, sizeof x);
    plussi_rng_seed(&x.rng, seed, 0);
    compose(&x);
    snprintf(all, sizeof all, "pluss-nest 1\nregion r\n%s%s\n", x.arrays, x.code);
    pluss_status status = plussi_nest_parse(&ctx, all, strlen(all), "test", &nest);
    ck_assert_msg(status == PLUSS_OK, "%s\n%s", ctx.n_diags ? ctx.diags[0].text : "?", all);
    plussi_bind_options options = {.team = team[draw(&x, 9)], .line_bytes = 64};
    ck_assert_int_eq(plussi_bind(&ctx, nest, &options, &bound), PLUSS_OK);
}

/* Mean absolute error, miss ratio. */
static double off(uint64_t seed)
{
    static truth t;
    load(seed);
    merged_uniformly(&t, 6);
    plussi_clock_options options = plussi_clock_defaults();
    plussi_clock_result r;
    pluss_status status = plussi_clock(&ctx, bound, &options, &r);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "?");
    double d = difference(&t, &r.estimate.mrc);
    plussi_estimate_free(&r.estimate);
    return d;
}

/* A prediction's error, the truth's own, and a mean that holds a case in ten that is twice as far
 * off. */
START_TEST(random_phases)
{
    static const double most_mean = .005, most = .02;
    const char *all = getenv("PLUSS_LONG");
    int nests = all && *all ? 300 : 14, n = suite_turns(nests);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        uint64_t seed = (uint64_t)suite_turn(i, nests);
        double d = off(seed);
        ck_assert_msg(d < most, "nest %u, T = %u: off by %.2f points", (unsigned)seed, bound->team,
                      100 * d);
        sum += d;
        teardown();
        setup();
    }
    ck_assert_msg(sum / n < most_mean, "off by %.2f points on average", 100 * sum / n);
}
END_TEST

/* Loops of more chunks than are simulated one by one, by teams of 2 to 256; of the largest team's,
 * which are the slowest, one unless all are tested. */
START_TEST(long_loops)
{
    const char *all_teams = getenv("PLUSS_LONG");
    static const char *const code[] = {
        "array f64 A[60000] array f64 B[64]\n"
        "parallel for i in 0..60000 schedule(dynamic, 1) { read A[i] read B[i%64] write A[i] }",
        "array f64 A[40000] array f64 B[2000]\n"
        "parallel for i in 0..40000 schedule(dynamic, 1)"
        " { for j in 0..30 { read B[j*64] } write A[i] }",
        "array f64 A[150][400]\n"
        "parallel for i in 0..150 collapse(2) schedule(dynamic, 1)"
        " { for j in 0..400 { read A[i][j] write A[j%150][i] } }",
        "array f64 A[200000]\n"
        "parallel for i in 0..200000 schedule(dynamic, 4) { read A[i] write A[(7*i)%200000] }"};
    static const uint32_t team[] = {2, 16, 256};
    static truth t;
    const int turn = suite_turn(_i, 12);
    if (team[turn % 3] == 256 && turn / 3 != 1 && !(all_teams && *all_teams))
        return;
    char all[1024];
    snprintf(all, sizeof all, "pluss-nest 1\nregion r\n%s\n", code[turn / 3]);
    ck_assert_int_eq(plussi_nest_parse(&ctx, all, strlen(all), "test", &nest), PLUSS_OK);
    plussi_bind_options how = {.team = team[turn % 3], .line_bytes = 64};
    ck_assert_int_eq(plussi_bind(&ctx, nest, &how, &bound), PLUSS_OK);
    merged_uniformly(&t, 1);
    plussi_clock_options options = plussi_clock_defaults();
    plussi_clock_result r;
    ck_assert_int_eq(plussi_clock(&ctx, bound, &options, &r), PLUSS_OK);
    double d = difference(&t, &r.estimate.mrc);
    ck_assert_msg(d < .01, "loop %d, T = %u: off by %.2f points", turn / 3, how.team, 100 * d);
    plussi_estimate_free(&r.estimate);
}
END_TEST

/* A single is executed by whoever comes first: were it always thread 0, this would be .5 points
 * off, whatever the sampling; so the mean of some predictions is what is compared. */
START_TEST(single_nowait)
{
    static const char code[] =
        "pluss-nest 1\nregion r\narray f64 A[500]\narray f64 B[500]\n"
        "parallel { for t in 0..10 { single nowait { for j in 0..500 { write B[j] } }"
        " workshare for i in 0..500 { read B[i] write A[i] } } }";
    enum { PREDICTIONS = 8 };
    static truth t;
    ck_assert_int_eq(plussi_nest_parse(&ctx, code, strlen(code), "test", &nest), PLUSS_OK);
    plussi_bind_options how = {.team = _i ? 16 : 4, .line_bytes = 64};
    ck_assert_int_eq(plussi_bind(&ctx, nest, &how, &bound), PLUSS_OK);
    merged_uniformly(&t, 30);
    plussi_mrc all[PREDICTIONS];
    for (int i = 0; i < PREDICTIONS; i++) {
        plussi_clock_options options = plussi_clock_defaults();
        plussi_clock_result r;
        options.seed = (uint64_t)i;
        ck_assert_int_eq(plussi_clock(&ctx, bound, &options, &r), PLUSS_OK);
        all[i] = r.estimate.mrc;
        r.estimate.mrc = (plussi_mrc){0};
        plussi_estimate_free(&r.estimate);
    }
    double d = difference_of_mean(&t, all, PREDICTIONS);
    ck_assert_msg(d < .0035, "T = %u: off by %.2f points", how.team, 100 * d);
    for (int i = 0; i < PREDICTIONS; i++)
        plussi_mrc_free(&all[i]);
}
END_TEST

static Suite *dispatch_suite(void)
{
    Suite *s = suite_create("dispatch");
    TCase *c = tcase_create("random phases");
    tcase_set_timeout(c, 3600);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, random_phases);
    tcase_add_loop_test(c, long_loops, 0, suite_turns(12));
    tcase_add_loop_test(c, single_nowait, 0, 2);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(dispatch_suite())
