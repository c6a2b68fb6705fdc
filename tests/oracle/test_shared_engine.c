/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Replications that share one engine, the team's or that of one thread, draw, find and count what
 * they do with engines of their own: every field of every sample is the same. The windows of a
 * thread alone are those of a walk.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../unit/suite.h"
#include "model/clock_state.h"
#include "trace/walk.h"

static plussi_ctx ctx;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
}

static void teardown(void)
{
    plussi_ctx_clear(&ctx);
}

static const struct {
    const char *name, *text;
    uint32_t team, chunk; /* chunk 0: blocks */
    bool serial;          /* the engine that is shared is that of one thread */
} nests[] = {
    {"product",
     "array f64 A[40][44]\narray f64 B[44][41]\narray f64 C[40][41]\n"
     "parallel for i in 0..40 { for j in 0..41 { read C[i][j] for k in 0..44 {"
     " read A[i][k] read B[k][j] write C[i][j] } } }",
     5, 0, false},
    {"triangle",
     "array f64 A[47][47]\n"
     "for k in 0..47 { parallel for i in k+1..47 { read A[k][k] write A[i][k]"
     " for j in k+1..47 { read A[i][k] read A[k][j] write A[i][j] } } }",
     4, 0, false},
    {"chunks",
     "array f64 A[60][60]\narray f64 B[60][60]\n"
     "for t in 0..6 { parallel for i in 1..59 { for j in 1..59 { read A[i][j]"
     " read A[i-1][j] read A[i+1][j] write B[i][j] } } swap A, B }",
     7, 3, false},
    {"a condition, serial work and a single",
     "array f64 A[50][50]\narray f64 x[50]\n"
     "for i in 0..50 { write x[i] } parallel { single { for i in 0..50 { read x[i] } }"
     " workshare for i in 0..50 { for j in 0..50 { if (i < j) { read A[j][i] } else"
     " { read A[i][j] } read x[j] } } }",
     6, 0, false},
    {"one thread",
     "array f64 A[64][64]\n"
     "parallel for i in 0..64 { for j in 0..64 { read A[j][i] write A[i][j] } }",
     1, 0, false},
    {"a dynamic product",
     "array f64 A[40][44]\narray f64 B[44][41]\narray f64 C[40][41]\n"
     "parallel for i in 0..40 schedule(dynamic, 3) { for j in 0..41 { read C[i][j]"
     " for k in 0..44 { read A[i][k] read B[k][j] write C[i][j] } } }",
     5, 0, true},
    {"a dynamic triangle",
     "array f64 A[47][47]\n"
     "for k in 0..47 { parallel for i in k+1..47 schedule(dynamic) { read A[k][k] write A[i][k]"
     " for j in k+1..47 { read A[i][k] read A[k][j] write A[i][j] } } }",
     4, 0, true},
};
enum { N_NESTS = sizeof nests / sizeof *nests };

static plussi_bound *bind(const char *text, uint32_t team, uint32_t chunk, plussi_nest **out)
{
    char whole[1000];
    plussi_bound *bound;
    const plussi_bind_options options = {
        .team = team, .line_bytes = 64, .schedule = PLUSSI_SCHED_STATIC, .chunk = chunk};
    const int length = snprintf(whole, sizeof whole, "pluss-nest 1\nregion test\n%s", text);
    pluss_status status = plussi_nest_parse(&ctx, whole, (size_t)length, "test", out);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "no memory");
    status = plussi_bind(&ctx, *out, &options, &bound);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "no memory");
    return bound;
}

/* One that has been prepared for a dynamic nest, which cannot share: whoever asks it gets none. */
static plussi_clock_engine *refusing_engine(const plussi_clock_options *options)
{
    plussi_clock_engine *engine;
    plussi_nest *nest;
    plussi_bound *bound = bind("array f64 A[60][8]\nparallel for i in 0..60 schedule(dynamic)"
                               " { for j in 0..8 { read A[i][j] } }",
                               2, 0, &nest);
    ck_assert_int_eq(plussi_clock_engine_new(&ctx.mem, &engine), PLUSS_OK);
    plussi_clock_engine_prepare(engine, bound, options, &(plussi_clock_classes){0});
    plussi_bound_free(bound);
    plussi_nest_free(nest);
    return engine;
}

static void run(plussi_clock_engine *engine, const plussi_bound *bound,
                const plussi_clock_options *options, const plussi_clock_classes *classes,
                uint32_t replication, plussi_clock_plan *out)
{
    static const plussi_clock_draws some = {8, 2, 2, 0, NULL};
    plussi_clock_watch watch = {.options = options, .engine = engine, .caller = pthread_self()};
    *out = (plussi_clock_plan){0};
    pluss_status status =
        plussi_clock_replica(&ctx, bound, options, classes, replication, &some, &watch, out);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "no memory");
}

/* Doubles bit by bit. */
static bool is_same(const plussi_clock_sample *a, const plussi_clock_sample *b)
{
    const double x[] = {a->pilot, a->drawn, a->weight, a->lines, a->variance},
                 y[] = {b->pilot, b->drawn, b->weight, b->lines, b->variance};
    return memcmp(x, y, sizeof x) == 0 && a->number == b->number && a->stratum == b->stratum &&
           a->group == b->group && a->part == b->part && a->place == b->place &&
           a->phase == b->phase && a->pos == b->pos && a->cold == b->cold && a->cross == b->cross &&
           a->exact == b->exact && a->draws == b->draws && a->interval == b->interval &&
           a->other_thread == b->other_thread && a->carrier == b->carrier && a->ref == b->ref &&
           a->source == b->source && a->loop == b->loop;
}

START_TEST(same)
{
    plussi_clock_options options = plussi_clock_defaults();
    plussi_clock_classes classes = {0};
    plussi_clock_engine *shared, *refusing = refusing_engine(&options);
    plussi_nest *nest;
    plussi_bound *bound = bind(nests[_i].text, nests[_i].team, nests[_i].chunk, &nest);
    ck_assert_int_eq(plussi_clock_engine_new(&ctx.mem, &shared), PLUSS_OK);
    ck_assert_int_eq(plussi_clock_find_classes(&ctx, bound, &options, &classes), PLUSS_OK);
    ck_assert_int_eq(classes.n && classes.class[0].serial, nests[_i].serial);
    for (uint32_t r = 0; r < 3; r++) {
        plussi_clock_plan a, b;
        run(shared, bound, &options, &classes, r, &a);
        run(refusing, bound, &options, &classes, r, &b);
        ck_assert_uint_gt(a.n, 100);
        ck_assert_uint_eq(a.n, b.n);
        ck_assert_uint_eq(a.pilot, b.pilot);
        ck_assert_uint_eq(a.n_parts, b.n_parts);
        for (size_t i = 0; i < a.n; i++)
            ck_assert_msg(is_same(&a.sample[i], &b.sample[i]), "%s: replication %u, sample %zu",
                          nests[_i].name, r, i);
        plussi_free(&ctx.mem, a.sample);
        plussi_free(&ctx.mem, b.sample);
    }
    plussi_engine *engine = NULL;
    ck_assert_int_eq(plussi_clock_engine_share(shared, &ctx, nests[_i].serial, &engine), PLUSS_OK);
    ck_assert_msg(engine, "%s: the engine is not shared", nests[_i].name);
    plussi_engine_free(engine);
    ck_assert_int_eq(plussi_clock_engine_share(shared, &ctx, !nests[_i].serial, &engine), PLUSS_OK);
    ck_assert_ptr_null(engine);
    ck_assert_int_eq(plussi_clock_engine_share(refusing, &ctx, nests[_i].serial, &engine),
                     PLUSS_OK);
    ck_assert_ptr_null(engine);
    plussi_clock_engine_free(shared);
    plussi_clock_engine_free(refusing);
    plussi_free(&ctx.mem, classes.class);
    plussi_bound_free(bound);
    plussi_nest_free(nest);
}
END_TEST

enum { MOST_ACCESSES = 400000, MOST_LINES = 4096 };

/* A walk by one thread. */
typedef struct walked {
    uint64_t interval[MOST_ACCESSES]; /* since the previous touch of the line; 0: there is none */
    size_t n, cross;                  /* accesses; those touched last in an earlier phase */
} walked;

static void walk_alone(const plussi_bound *bound, walked *w)
{
    static uint64_t last[MOST_LINES];
    plussi_access buf[256];
    plussi_walk *walk;
    memset(w, 0, sizeof *w);
    memset(last, 0, sizeof last);
    ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &walk), PLUSS_OK);
    while (plussi_walk_next_phase(walk)) {
        const size_t before = w->n;
        for (size_t n; (n = plussi_walk_fill(walk, 0, buf, 256)) > 0;)
            for (size_t i = 0; i < n; i++) {
                ck_assert_uint_lt(buf[i].line, MOST_LINES);
                ck_assert_uint_lt(w->n, MOST_ACCESSES);
                uint64_t *touch = &last[buf[i].line];
                w->interval[w->n] = *touch ? w->n + 1 - *touch : 0;
                w->cross += *touch && *touch <= before;
                *touch = ++w->n;
            }
    }
    plussi_walk_free(walk);
}

START_TEST(alone)
{
    static walked w;
    plussi_clock_options options = plussi_clock_defaults();
    plussi_clock_classes classes = {0};
    plussi_clock_itersets *sets;
    plussi_clock_engine *shared;
    plussi_clock_plan plan;
    plussi_engine *engine;
    plussi_workspace *workspace;
    plussi_nest *nest;
    size_t cross = 0;
    plussi_bound *bound = bind(nests[_i].text, 1, nests[_i].chunk, &nest);
    walk_alone(bound, &w);
    ck_assert_int_eq(plussi_clock_itersets_new(&ctx, bound, &options.progress, 1, true, &sets),
                     PLUSS_OK);
    ck_assert_int_eq(plussi_engine_new(&ctx, bound, plussi_clock_itersets_source(sets), &engine),
                     PLUSS_OK);
    ck_assert_int_eq(plussi_clock_itersets_engine(sets, engine), PLUSS_OK);
    ck_assert_int_eq(plussi_workspace_new(&ctx, engine, &workspace), PLUSS_OK);
    ck_assert_int_eq(plussi_clock_engine_new(&ctx.mem, &shared), PLUSS_OK);
    ck_assert_int_eq(plussi_clock_find_classes(&ctx, bound, &options, &classes), PLUSS_OK);
    run(shared, bound, &options, &classes, 0, &plan);
    ck_assert_double_eq(plan.accesses, (double)w.n);
    for (size_t i = 0; i < plan.n; i++) {
        const plussi_clock_sample *x = &plan.sample[i];
        const size_t at = plussi_engine_before(workspace, x->phase) + x->pos;
        ck_assert_uint_lt(at, w.n);
        ck_assert_msg((x->cold ? 0 : x->interval) == w.interval[at],
                      "%s, sample %zu: %" PRIu64 " for %" PRIu64, nests[_i].name, i, x->interval,
                      w.interval[at]);
        cross += !x->cold && x->cross;
    }
    ck_assert_int_eq(cross > 0, w.cross > 0);
    plussi_free(&ctx.mem, plan.sample);
    plussi_workspace_free(workspace);
    plussi_engine_free(engine);
    plussi_clock_itersets_free(sets);
    plussi_clock_engine_free(shared);
    plussi_free(&ctx.mem, classes.class);
    plussi_bound_free(bound);
    plussi_nest_free(nest);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("shared engine");
    TCase *c = tcase_create("samples");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, same, 0, N_NESTS);
    tcase_add_loop_test(c, alone, 0, N_NESTS);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
