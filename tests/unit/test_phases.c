/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The walk's interface: phases, teams, what is asked for when, failures.
 */
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
    plussi_walk *walk;
    pluss_status status; /* of plussi_walk_new */
} fixture;

static void open_nest(fixture *f, const char *text, uint32_t team)
{
    *f = (fixture){.status = PLUSS_OK};
    plussi_ctx_init(&f->ctx, NULL);
    if (plussi_nest_parse(&f->ctx, text, strlen(text), "t", &f->nest))
        ck_abort_msg("%s\n%s", f->ctx.diags[0].text, text);
    plussi_bind_options options = {.team = team, .line_bytes = 8};
    if (plussi_bind(&f->ctx, f->nest, &options, &f->bound))
        ck_abort_msg("%s\n%s", f->ctx.diags[0].text, text);
    f->status = plussi_walk_new(&f->ctx, f->bound, 1, &f->walk);
}

static void close_nest(fixture *f)
{
    if (!f->status)
        plussi_walk_free(f->walk);
    plussi_bound_free(f->bound);
    plussi_nest_free(f->nest);
    plussi_ctx_clear(&f->ctx);
}

static size_t drain(plussi_walk *walk, uint32_t thread)
{
    plussi_access buf[5];
    size_t n, sum = 0;
    while ((n = plussi_walk_fill(walk, thread, buf, 5)) > 0)
        sum += n;
    return sum;
}

static const char *const three_phases =
    HEAD "array f64 A[9] region r read A[0] parallel for i in 0..6 { read A[i] } read A[1]";

START_TEST(fill_first)
{
    fixture f;
    open_nest(&f, three_phases, 3);
    ck_assert_int_eq(f.status, PLUSS_OK);
    static const uint32_t team[] = {1, 3, 1};
    static const size_t each[] = {1, 2, 1};
    uint64_t phase = 0;
    do {
        ck_assert_uint_eq(plussi_walk_phase(f.walk), phase);
        ck_assert_uint_eq(plussi_walk_team(f.walk), team[phase]);
        ck_assert_uint_eq(plussi_walk_instance(f.walk), phase > 0);
        for (uint32_t t = 0; t < 5; t++)
            ck_assert_uint_eq(drain(f.walk, t), t < team[phase] ? each[phase] : 0);
        phase++;
    } while (plussi_walk_next_phase(f.walk));
    ck_assert_uint_eq(phase, 3);
    ck_assert(!plussi_walk_next_phase(f.walk));
    ck_assert_uint_eq(drain(f.walk, 0), 0);
    ck_assert_uint_eq(plussi_walk_team(f.walk), 0);
    ck_assert_uint_eq(plussi_walk_phase(f.walk), 2);
    ck_assert_int_eq(plussi_walk_status(f.walk), PLUSS_OK);
    close_nest(&f);
}
END_TEST

START_TEST(next_phase_first)
{
    fixture f;
    open_nest(&f, three_phases, 3);
    size_t sum = 0, phases = 0;
    for (; plussi_walk_next_phase(f.walk); phases++)
        for (uint32_t t = 0; t < plussi_walk_team(f.walk); t++)
            sum += drain(f.walk, t);
    ck_assert_uint_eq(phases, 3);
    ck_assert_uint_eq(sum, 8);
    close_nest(&f);
}
END_TEST

START_TEST(what_is_left_is_passed_over)
{
    fixture f;
    open_nest(&f, three_phases, 3);
    plussi_access a;
    ck_assert(plussi_walk_next_phase(f.walk));
    ck_assert(plussi_walk_next_phase(f.walk)); /* the first access was not asked for */
    ck_assert_uint_eq(plussi_walk_fill(f.walk, 1, &a, 1), 1);
    ck_assert_uint_eq(a.line, PLUSSI_PLACE_START / 8 + 2);
    ck_assert_uint_eq(plussi_walk_fill(f.walk, 1, &a, 0), 0);
    ck_assert(plussi_walk_next_phase(f.walk)); /* nor five of six here */
    ck_assert_uint_eq(plussi_walk_fill(f.walk, 0, &a, 1), 1);
    ck_assert_uint_eq(a.line, PLUSSI_PLACE_START / 8 + 1);
    ck_assert(!plussi_walk_next_phase(f.walk));
    close_nest(&f);
}
END_TEST

START_TEST(nothing_to_walk)
{
    fixture f;
    open_nest(&f,
              HEAD "array f64 A[9] region r parallel for i in 0..9 { } region q repeat 0 read A[1]",
              4);
    plussi_access a;
    ck_assert_uint_eq(plussi_walk_team(f.walk), 0);
    ck_assert_uint_eq(plussi_walk_fill(f.walk, 0, &a, 1), 0);
    ck_assert(!plussi_walk_next_phase(f.walk));
    ck_assert_int_eq(plussi_walk_status(f.walk), PLUSS_OK);
    close_nest(&f);
    plussi_walk_free(NULL);
}
END_TEST

START_TEST(teams_that_have_work)
{
    static const struct {
        const char *loop;
        uint32_t team;
    } cases[] = {
        {"parallel for i in 0..5", 5},
        {"parallel for i in 0..9 schedule(static, 2)", 5},
        {"parallel for i in 0..100", 8},
        {"parallel for i in 0..5 schedule(dynamic)", 8},
        {"parallel num_threads(20) for i in 0..50", 20},
        {"parallel num_threads(20) if (1 > 2) for i in 0..50", 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[200];
        fixture f;
        const char *head = strstr(cases[c].loop, " for ");
        bool clause = strstr(cases[c].loop, "num_threads") != NULL;
        if (clause) /* a block with the loop in it: clauses follow a parallel for's head */
            snprintf(text, sizeof text,
                     HEAD "array f64 A[] region r %.*s { workshare%s { read A[i] } }",
                     (int)(head - cases[c].loop), cases[c].loop, head);
        else
            snprintf(text, sizeof text, HEAD "array f64 A[] region r %s { read A[i] }",
                     cases[c].loop);
        open_nest(&f, text, 8);
        ck_assert_msg(plussi_walk_team(f.walk) == cases[c].team, "%s: %u", text,
                      plussi_walk_team(f.walk));
        close_nest(&f);
    }
}
END_TEST

/* Chunks and singles go to who asks, when it asks. */
START_TEST(work_on_demand)
{
    fixture f;
    plussi_access buf[100];
    open_nest(&f,
              HEAD
              "array f64 A[9] region r parallel { workshare for i in 0..7 schedule(dynamic, 2)\n"
              "nowait { read A[i] } single nowait { read A[8] } }",
              3);
    const uint64_t first = PLUSSI_PLACE_START / 8;
    ck_assert_uint_eq(plussi_walk_fill(f.walk, 2, buf, 100), 2); /* not on to the next chunk */
    ck_assert_uint_eq(buf[1].line, first + 1);
    ck_assert_uint_eq(plussi_walk_fill(f.walk, 0, buf, 1), 1);
    ck_assert_uint_eq(buf[0].line, first + 2);
    ck_assert_uint_eq(plussi_walk_fill(f.walk, 1, buf, 100), 2);
    ck_assert_uint_eq(buf[0].line, first + 4);
    ck_assert_uint_eq(plussi_walk_fill(f.walk, 0, buf, 100), 1); /* its chunk's second */
    ck_assert_uint_eq(buf[0].line, first + 3);
    ck_assert_uint_eq(plussi_walk_fill(f.walk, 2, buf, 100), 1); /* the last one; not the single */
    ck_assert_uint_eq(buf[0].line, first + 6);
    ck_assert_uint_eq(plussi_walk_fill(f.walk, 1, buf, 100), 1);
    ck_assert_uint_eq(buf[0].line, first + 8);
    for (uint32_t t = 0; t < 3; t++)
        ck_assert_uint_eq(plussi_walk_fill(f.walk, t, buf, 100), 0);
    close_nest(&f);
}
END_TEST

START_TEST(unknown_nodes_are_said)
{
    fixture f;
    open_nest(&f,
              HEAD "array f64 A[9] region r \"x.c\":1\nunknown call \"f\" @12\nread A[0]\n"
                   "unknown reference of A \"goes through a pointer\" @13:4",
              2);
    ck_assert_int_eq(f.status, PLUSS_OK);
    ck_assert_uint_eq(f.ctx.n_diags, 2);
    ck_assert_str_eq(f.ctx.diags[1].text,
                     "a reference of A is not described and left out: goes through a pointer");
    ck_assert_str_eq(f.ctx.diags[1].file, "x.c");
    ck_assert_uint_eq(f.ctx.diags[0].line, 12);
    ck_assert_int_eq(f.ctx.diags[0].severity, PLUSSI_WARNING);
    ck_assert_uint_eq(drain(f.walk, 0), 1);
    close_nest(&f);
}
END_TEST

START_TEST(what_cannot_be_walked)
{
    static const char *const texts[] = {
        HEAD "array i64 p[9] array f64 x[9] region r\nfor i in 0..3 {\nread x[p[i]] }",
        HEAD "array i64 p[9] array f64 x[9] region r\n\nfor i in 0..p[0] { read x[i] }",
        HEAD "array i64 p[9] array f64 x[9] region r\n\nif (p[0] > 1) { read x[1] }",
        HEAD "array f64 x[9] region r\n\nparallel for i in 0..3 schedule(recorded) { read x[i] }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fixture f;
        open_nest(&f, texts[i], 2);
        ck_assert_int_eq(f.status, PLUSS_EUNSUPPORTED);
        ck_assert_ptr_null(f.walk);
        ck_assert_uint_eq(f.ctx.n_diags, 1);
        ck_assert_uint_eq(f.ctx.diags[0].line, 4);
        close_nest(&f);
    }
}
END_TEST

static void fails_on_the_way(const char *text, pluss_status status, uint32_t line, size_t before)
{
    fixture f;
    open_nest(&f, text, 2);
    ck_assert_int_eq(f.status, PLUSS_OK);
    size_t sum = 0;
    while (plussi_walk_next_phase(f.walk))
        for (uint32_t t = 0; t < plussi_walk_team(f.walk); t++)
            sum += drain(f.walk, t);
    ck_assert_int_eq(plussi_walk_status(f.walk), status);
    ck_assert_uint_eq(f.ctx.n_diags, 1);
    ck_assert_int_eq(f.ctx.diags[0].status, status);
    ck_assert_uint_eq(f.ctx.diags[0].line, line);
    ck_assert_uint_eq(sum, before);
    ck_assert_uint_eq(drain(f.walk, 0), 0);
    ck_assert(!plussi_walk_next_phase(f.walk));
    close_nest(&f);
}

START_TEST(failures_on_the_way)
{
    fails_on_the_way(HEAD "array i64 p[] values(0, 1, 2) array f64 x[9] region r\nread x[0]\n"
                          "parallel { }\nfor i in 0..4 { read x[p[i]] }",
                     PLUSS_ERANGE, 5, 1);
    fails_on_the_way(HEAD "array i64 p[] values(1, 2) array f64 x[9] region r\n"
                          "for i in 0..3 {\nfor j in 0..p[i] { read x[j] } }",
                     PLUSS_ERANGE, 4, 0);
    fails_on_the_way(HEAD "array i64 p[] values(1, 0) array f64 x[9] region r\n"
                          "for i in 0..3 {\nif (p[i] > 0) { read x[0] } parallel { } }",
                     PLUSS_ERANGE, 4, 1);
    fails_on_the_way(HEAD "array f64 x[9] region r for t in 0..3 {\nread x[t]\n"
                          "parallel for i in 0..5 schedule(dynamic, 2 - t) { read x[i] } }",
                     PLUSS_ERANGE, 4, 3 + 2 * 5);
    fails_on_the_way(HEAD "array f64 x[9] region r for t in 0..3 {\nread x[t]\n"
                          "parallel for i in 0..5 schedule(static, 2 - t) { read x[i] } }",
                     PLUSS_ERANGE, 4, 3 + 2 * 5);
    fails_on_the_way(HEAD "array f64 x[9] region r read x[0] parallel {\n"
                          "if ($thread == 0) { single nowait { read x[1] } } else {\n"
                          "single nowait { read x[2] } } }",
                     PLUSS_EINVALID, 4, 2);
}
END_TEST

/* All of the loop's iterations, each once, whoever executes them; the same for the same seed. */
START_TEST(rayon)
{
    static const char *const texts[] = {
        HEAD "array f64 A[90] region r parallel for i in 0..90 schedule(rayon, 1) { read A[i] }",
        HEAD "array f64 A[90] region r parallel for i in 0..90 schedule(rayon, 3, 10) { read A[i]\n"
             "for j in 0..i { if (i > 5) { write A[j] } } }",
        HEAD "array f64 A[90] region r parallel for i in 0..9 collapse(2) schedule(rayon, 1) {\n"
             "for j in 0..10 { read A[10*i + j] branch 0.5 { write A[0] } } }",
        HEAD "array f64 A[90] region r parallel for i in 0..45 collapse(2) schedule(rayon, 2) {\n"
             "for j in i..i + 2 { read A[i + j] } }",
    };
    for (size_t c = 0; c < sizeof texts / sizeof *texts; c++) {
        for (uint32_t team = 1; team < 9; team += 3) {
            fixture f[2];
            int seen[90] = {0}, busy = 0;
            for (int k = 0; k < 2; k++)
                open_nest(&f[k], texts[c], team);
            for (uint32_t t = 0; t < team; t++) {
                plussi_access a, b;
                int own = 0;
                while (plussi_walk_fill(f[0].walk, t, &a, 1)) {
                    ck_assert_uint_eq(plussi_walk_fill(f[1].walk, t, &b, 1), 1);
                    ck_assert(a.line == b.line && a.ref == b.ref && b.thread == t);
                    seen[a.line - PLUSSI_PLACE_START / 8] += a.ref == 0;
                    own++;
                }
                busy += own > 0;
            }
            for (int i = 0; i < 90; i++)
                ck_assert_int_eq(seen[i], 1);
            ck_assert_int_eq(busy, (int)team);
            for (int k = 0; k < 2; k++)
                close_nest(&f[k]);
        }
    }
}
END_TEST

START_TEST(branches_do_not_depend_on_the_thread)
{
    fixture f;
    open_nest(&f,
              HEAD
              "array f64 A[2] region r repeat 500 parallel { branch 0.25 { read A[0] } else {\n"
              "read A[1] } }",
              3);
    int taken = 0;
    while (plussi_walk_next_phase(f.walk)) {
        plussi_access a[3];
        for (uint32_t t = 0; t < 3; t++)
            ck_assert_uint_eq(plussi_walk_fill(f.walk, t, &a[t], 1), 1);
        ck_assert(a[0].ref == a[1].ref && a[1].ref == a[2].ref);
        taken += a[0].ref == 0;
    }
    ck_assert_int_gt(taken, 125 - 50); /* five standard deviations */
    ck_assert_int_lt(taken, 125 + 50);
    close_nest(&f);
}
END_TEST

/* Loops and teams that do nothing must not cost time: each of these would take minutes. */
START_TEST(nothing_is_quick)
{
    static const char *const texts[] = {
        HEAD "array f64 A[9] region r for t in 0..2000000 { parallel for i in 0..0 { read A[i] } }",
        HEAD "array f64 A[9] region r for t in 0..2000000 { parallel for i in t..t % 2 {\n"
             "read A[i] } }",
        HEAD "array f64 A[9] region r for t in 0..1000000000000 { ops(add 1) for i in 0..9 { } }",
        HEAD "array f64 A[9] region r for t in 0..1000000000000 { for i in t..t { read A[0] } }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fixture f;
        open_nest(&f, texts[i], 4096);
        ck_assert(!plussi_walk_next_phase(f.walk));
        close_nest(&f);
    }
}
END_TEST

START_TEST(no_memory)
{
    const char *text =
        HEAD "array f64 A[99], B[99] region r for t in 1..4 { parallel num_threads(4*t) {\n"
             "workshare for i in 0..9 schedule(dynamic) collapse(2) nowait {\n"
             "for j in 0..i { read A[i] } } single nowait { read A[0] }\n"
             "workshare for i in 0..40 schedule(rayon, 1) { for j in 0..i { read A[j] } }\n"
             "} swap A, B } unknown loop \"x\"";
    fixture f;
    open_nest(&f, text, 2);
    long budget = 0;
    for (;; budget++) {
        failing_mem mem;
        failing_mem_init(&mem, budget);
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, &mem.mem);
        plussi_walk *walk = NULL;
        pluss_status status = plussi_walk_new(&ctx, f.bound, 1, &walk);
        if (status == PLUSS_OK) {
            while (plussi_walk_next_phase(walk))
                for (uint32_t t = 0; t < plussi_walk_team(walk); t++)
                    drain(walk, t);
            status = plussi_walk_status(walk);
            plussi_walk_free(walk);
        }
        ck_assert(status == PLUSS_OK || status == PLUSS_ENOMEM);
        plussi_ctx_clear(&ctx);
        ck_assert_int_eq(mem.live, 0);
        if (!mem.failed)
            break;
    }
    ck_assert_int_gt(budget, 10);
    close_nest(&f);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("phases");
    TCase *c = tcase_create("phases");
    tcase_set_timeout(c, 30);
    tcase_add_test(c, fill_first);
    tcase_add_test(c, next_phase_first);
    tcase_add_test(c, what_is_left_is_passed_over);
    tcase_add_test(c, nothing_to_walk);
    tcase_add_test(c, teams_that_have_work);
    tcase_add_test(c, work_on_demand);
    tcase_add_test(c, unknown_nodes_are_said);
    tcase_add_test(c, what_cannot_be_walked);
    tcase_add_test(c, failures_on_the_way);
    tcase_add_test(c, rayon);
    tcase_add_test(c, branches_do_not_depend_on_the_thread);
    tcase_add_test(c, nothing_is_quick);
    tcase_add_test(c, no_memory);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
