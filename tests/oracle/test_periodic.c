/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random nests of the kinds whose closed forms are the most intricate, against exhaustive walks:
 * guards that repeat (quotients and remainders of one or several induction variables), chains of
 * triangular loops, strides that have little in common with a line. PLUSS_LONG=1 in the environment
 * takes twenty times as many.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/suite.h"
#include "base/rng.h"
#include "sampler_check.h"
#include "trace/walk.h"

static plussi_ctx ctx;
static plussi_rng rng;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
}
static void teardown(void)
{
    plussi_ctx_clear(&ctx);
}

typedef struct text {
    char at[8192];
    size_t n;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->at + t->n, sizeof t->at - t->n, format, args);
    va_end(args);
    ck_assert_uint_lt(t->n, sizeof t->at);
}

static int below(int n)
{
    return (int)plussi_rng_below(&rng, (uint64_t)n);
}

static const char *const ivs[] = {"a", "b", "c", "d", "e", "f", "g"};

/* ---- texts --------------------------------------------------------------------------------------
 */

static void put_sum(text *t, int n)
{
    put(t, "(%s", ivs[below(n)]);
    for (int i = below(3); i > 0; i--)
        put(t, "%+d*%s", below(7) - 3, ivs[below(n)]);
    put(t, "%+d)", below(9) - 4);
}

/* A quotient, a remainder, one of the other, or a sum. */
static void put_term(text *t, int n)
{
    int kind = below(6);
    if (kind == 4)
        put(t, "(");
    put_sum(t, n);
    if (kind >= 1 && kind <= 4)
        put(t, "%s%d", kind == 1 || kind == 4 ? "/" : "%", 2 + below(kind == 3 ? 40 : 9));
    if (kind == 4)
        put(t, ")%%%d", 2 + below(4));
}

static void put_guard(text *t, int n, int depth)
{
    static const char *const relation[] = {"<", "<=", ">", ">=", "==", "!="};
    if (depth > 0 && below(2)) {
        put(t, "(");
        put_guard(t, n, depth - 1);
        put(t, below(2) ? " && " : " || ");
        put_guard(t, n, depth - 1);
        put(t, ")");
        return;
    }
    put_term(t, n);
    put(t, " %s ", relation[below(6)]);
    if (below(2))
        put(t, "%d", below(6) - 1);
    else
        put_term(t, n);
}

static void put_refs(text *t, int n)
{
    put(t, "read A[%s][%s] ", ivs[below(n)], ivs[below(n)]);
    if (below(2))
        put(t, "write B[%s/2+%s%%3] ", ivs[below(n)], ivs[below(n)]);
}

static void put_guarded(text *t, int trips)
{
    int n = 2 + below(2);
    put(t, "pluss-nest 1\nregion r\narray f64 A[%d][%d]\narray f64 B[%d]\n", trips, trips, trips);
    if (below(2))
        put(t, "for t in 0..2 { ");
    else
        put(t, "parallel { for t in 0..1 { ");
    bool open = strstr(t->at, "parallel") != NULL;
    for (int i = 0; i < n; i++) {
        int most = n == 3 && i > 0 ? trips / 3 + 1 : trips;
        put(t, "%sfor %s in ", i ? "" : open ? "workshare " : "parallel ", ivs[i]);
        if (i && below(3) == 0)
            put(t, "%s/%d..%d", ivs[i - 1], 2 + below(3), most);
        else if (i && below(3) == 0)
            put(t, "0..min(%s+1,%d)", ivs[i - 1], most);
        else
            put(t, "0..%d step %d", most, 1 + below(3) / 2);
        put(t, " { ");
        if (i + 1 < n && below(3) == 0) {
            put(t, "if (");
            put_guard(t, i + 1, 1);
            put(t, ") { ");
            put_refs(t, i + 1);
            put(t, "} ");
        }
    }
    put(t, "if (");
    put_guard(t, n, 2);
    put(t, ") { ");
    put_refs(t, n);
    put(t, "} ");
    if (below(2)) {
        put(t, "else { ");
        put_refs(t, n);
        put(t, "} ");
    }
    for (int i = 0; i < n; i++)
        put(t, "} ");
    put(t, open ? "} }\n" : "}\n");
}

/* Every loop's bounds hold the IV of one loop around it. */
static void put_chain(text *t)
{
    int n = 3 + below(5), most = n > 5 ? 6 : n > 3 ? 8 : 20;
    put(t, "pluss-nest 1\nregion r\narray f64 A[%d][%d]\narray f64 B[%d]\n", 2 * most, 2 * most,
        2 * most);
    for (int i = 0; i < n; i++) {
        put(t, "%sfor %s in ", i == 0 && below(2) ? "parallel " : "", ivs[i]);
        int of = i ? below(i) : 0;
        switch (i ? below(4) : 3) {
        case 0:
            put(t, "0..%s+1", ivs[of]);
            break;
        case 1:
            put(t, "%s..%d", ivs[of], most);
            break;
        case 2:
            put(t, "%d..%s-1 step -1", most - 1, ivs[of]);
            break;
        default:
            put(t, "0..%d", i ? 2 : most);
        }
        put(t, " { ");
        if (below(4) == 0)
            put_refs(t, i + 1);
    }
    put_refs(t, n);
    for (int i = 0; i < n; i++)
        put(t, "} ");
}

static void put_strides(text *t)
{
    int n = 2 + below(2);
    put(t, "pluss-nest 1\nregion r\narray f64 A[]");
    for (int i = 1; i < n; i++)
        put(t, "[100]");
    put(t, " stride(%d", 1 + below(400));
    for (int i = 1; i < n; i++)
        put(t, ", %d", 1 + below(400));
    put(t, ")\nfor t in 0..2 { ");
    for (int i = 0; i < n; i++)
        put(t, "%sfor %s in %s..%d%s { ", i ? "" : "parallel ", ivs[i],
            i && below(2) ? ivs[i - 1] : "0", n == 2 ? 40 : 12, below(3) ? "" : " step 2");
    put(t, "%s A", below(2) ? "read" : "write");
    for (int i = 0; i < n; i++)
        put(t, "[%s]", ivs[i]);
    for (int i = 0; i <= n; i++)
        put(t, " }");
}

/* ---- checks -------------------------------------------------------------------------------------
 */

static plussi_bound *bind(const char *at, uint32_t team, int64_t chunk, plussi_nest **nest)
{
    plussi_bound *bound;
    plussi_bind_options options = {.team = team, .line_bytes = 64, .chunk = chunk};
    options.schedule = PLUSSI_SCHED_STATIC;
    options.force_schedule = true;
    ck_assert_msg(plussi_nest_parse(&ctx, at, strlen(at), "test", nest) == PLUSS_OK, "%s\n%s",
                  ctx.n_diags ? ctx.diags[0].text : "no memory", at);
    ck_assert_msg(plussi_bind(&ctx, *nest, &options, &bound) == PLUSS_OK, "%s\n%s",
                  ctx.n_diags ? ctx.diags[0].text : "no memory", at);
    return bound;
}

static void check(const char *at, uint64_t k)
{
    static const uint32_t teams[] = {1, 2, 3, 7, 16};
    plussi_nest *nest;
    plussi_bound *bound = bind(at, teams[k % 5], (int64_t)(k / 5 % 3), &nest);
    sampler_report report;
    ck_assert_int_eq(sampler_check(&ctx, bound, &report), PLUSS_OK);
    ck_assert_msg(report.mismatches == 0, "%" PRIu64 " mismatches; %s\n%s", report.mismatches,
                  report.first, at);
    plussi_bound_free(bound);
    plussi_nest_free(nest);
    plussi_ctx_clear(&ctx);
}

static uint64_t count_by_walking(const plussi_bound *bound)
{
    plussi_walk *walk;
    plussi_access some[256];
    uint64_t sum = 0;
    ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &walk), PLUSS_OK);
    while (plussi_walk_next_phase(walk))
        for (uint32_t k = 0; k < plussi_walk_team(walk); k++)
            for (size_t n; (n = plussi_walk_fill(walk, k, some, 256)) > 0;)
                sum += n;
    plussi_walk_free(walk);
    return sum;
}

static uint64_t rounds(uint64_t n)
{
    const char *more = getenv("PLUSS_LONG");
    return more && *more ? 20 * n : n / (uint64_t)suite_step();
}

START_TEST(guards)
{
    for (uint64_t k = 0; k < rounds(50); k++) {
        text t = {.n = 0};
        plussi_rng_seed(&rng, 31, k);
        put_guarded(&t, 16);
        check(t.at, k);
    }
}
END_TEST

/* Trips enough for classes to be summed, and for what the guards leave to be counted in pieces. */
START_TEST(many_turns)
{
    for (uint64_t k = 0; k < rounds(50); k++) {
        text t = {.n = 0};
        plussi_rng_seed(&rng, 32, k);
        put_guarded(&t, 60 + below(400));
        plussi_nest *nest;
        plussi_engine *engine;
        plussi_bound *bound = bind(t.at, 1 + (uint32_t)below(4), below(9), &nest);
        ck_assert_int_eq(plussi_engine_new(&ctx, bound, NULL, &engine), PLUSS_OK);
        ck_assert_msg(plussi_engine_accesses(engine) == count_by_walking(bound),
                      "%" PRIu64 ", walked %" PRIu64 "\n%s", plussi_engine_accesses(engine),
                      count_by_walking(bound), t.at);
        plussi_engine_free(engine);
        plussi_bound_free(bound);
        plussi_nest_free(nest);
        plussi_ctx_clear(&ctx);
    }
}
END_TEST

START_TEST(chains)
{
    for (uint64_t k = 0; k < rounds(40); k++) {
        text t = {.n = 0};
        plussi_rng_seed(&rng, 33, k);
        put_chain(&t);
        check(t.at, k);
    }
}
END_TEST

START_TEST(strides)
{
    for (uint64_t k = 0; k < rounds(40); k++) {
        text t = {.n = 0};
        plussi_rng_seed(&rng, 34, k);
        put_strides(&t);
        check(t.at, k);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("periodic");
    TCase *c = tcase_create("against walks");
    tcase_set_timeout(c, 3600);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, guards);
    tcase_add_test(c, many_turns);
    tcase_add_test(c, chains);
    tcase_add_test(c, strides);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
