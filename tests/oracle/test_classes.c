/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Classes of accesses against lists of all accesses: they part the program, their sizes are exact,
 * and what each pure one hides of another kind is a small part of the program; where there are no
 * boxes there are none. With dynamic loops they are those of one thread's program, whose accesses
 * have the numbers that they have in the team's.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/suite.h"
#include "model/clock_state.h"

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
    bool classes; /* some are pure */
} hand[] = {
    {"gemm",
     "array f64 A[20][24]\narray f64 B[24][21]\narray f64 C[20][21]\n"
     "parallel for i in 0..20 { for j in 0..21 { read C[i][j] write C[i][j] for k in 0..24 {"
     " read A[i][k] read B[k][j] read C[i][j] write C[i][j] } } }",
     true},
    {"lu",
     "array f64 A[27][27]\n"
     "for k in 0..27 { parallel for i in k+1..27 { read A[k][k] write A[i][k]"
     " for j in k+1..27 { read A[i][k] read A[k][j] write A[i][j] } } }",
     true},
    {"jacobi",
     "array f64 A[30][30]\narray f64 B[30][30]\n"
     "for t in 0..5 { parallel for i in 1..29 { for j in 1..29 { read A[i][j]"
     " read A[i][j-1] read A[i][j+1] read A[i-1][j] read A[i+1][j] write B[i][j] } }"
     " parallel for i in 1..29 { for j in 1..29 { read B[i][j] write A[i][j] } } }",
     true},
    {"columns, triangular",
     "array f64 D[30][22]\narray f64 C[22][22]\n"
     "parallel for i in 0..22 { for j in i..22 { write C[i][j] for k in 0..30 { read D[k][i]"
     " read D[k][j] read C[i][j] write C[i][j] } write C[j][i] } }",
     true},
    {"columns read once in eight",
     "array f64 A[96][96]\narray f64 x[96]\narray f64 y[96]\n"
     "parallel for i in 0..96 { for j in 0..96 { read A[i][j] read y[j] write x[i] } }"
     " parallel for i in 0..96 { for j in 0..96 { read A[j][i] read y[j] write x[i] } }",
     true},
    {"one copy in eight swapped",
     "array f64 A[64][64]\narray f64 B[64][64]\n"
     "for t in 0..6 { parallel for i in 0..64 { for j in 0..64 { read A[i][j] write B[j][i] } }"
     " parallel for i in 0..64 { for j in 0..8 { read B[i][8*j] write A[8*j][i] } } }",
     true},
    {"swapped",
     "array f64 A[30][30]\narray f64 B[30][30]\n"
     "for t in 0..8 { parallel for i in 1..29 { for j in 1..29 { read A[i][j]"
     " read A[i][j-1] read A[i][j+1] read A[i-1][j] read A[i+1][j] write B[i][j] } } swap A, B }",
     true},
    {"quotients",
     "array f64 A[40][8]\n"
     "parallel for i in 0..36 { for j in i/3..i/2+3 { read A[j][i%5] write A[(i+j)/3][(2*i+j)%8]"
     " } for j in 0..i%4 { read A[i][j] } }",
     false},
    {"few accesses",
     "array f64 A[60][8]\n"
     "parallel for i in 0..60 schedule(dynamic) { for j in 0..8 { read A[i][j] } }",
     false},
    {"dynamic, triangular",
     "array f64 A[200][200]\narray f64 x[200]\n"
     "parallel for i in 0..200 schedule(dynamic, 3) { for j in 0..i+1 { read A[i][j] read x[j]"
     " write x[i] } } parallel for i in 0..200 { read x[i] }",
     true},
    {"guided, twice",
     "array f64 A[90][90]\narray f64 B[90][90]\n"
     "for t in 0..2 { parallel for i in 1..89 schedule(guided) { for j in 1..89 { read A[i][j]"
     " read A[i-1][j] write B[i][j] } } for k in 0..90 { write A[0][k] } }",
     true},
    {"executed by several threads",
     "array f64 A[90][90]\narray f64 y[90]\n"
     "parallel { for j in 0..90 { read y[j] } workshare for i in 0..90 schedule(dynamic) {"
     " for j in 0..90 { read A[i][j] write A[i][j] read y[j] } } }",
     false},
};
enum { N_HAND = sizeof hand / sizeof *hand };

/* The nest has to live as long as what is bound. */
static plussi_bound *bind(const char *program, uint32_t team, plussi_nest **out)
{
    plussi_nest *nest;
    plussi_bound *bound;
    plussi_bind_options options = {.team = team, .line_bytes = 64, .schedule = PLUSSI_SCHED_STATIC};
    char text[1000];
    const int length = snprintf(text, sizeof text, "pluss-nest 1\nregion test\n%s", program);
    pluss_status status = plussi_nest_parse(&ctx, text, (size_t)length, "test", &nest);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "no memory");
    status = plussi_bind(&ctx, nest, &options, &bound);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "no memory");
    *out = nest;
    return bound;
}

typedef struct tally {
    uint64_t accesses, other; /* of a class; those of another kind than its own */
} tally;

/* Every access is in one class. t: by class. */
static void tally_access(plussi_workspace *workspace, const plussi_box_space *space,
                         const plussi_clock_classes *classes, const plussi_cursor *cursor, tally *t)
{
    plussi_clock_known known;
    plussi_cursor prev;
    uint64_t source, coordinate[PLUSSI_BOX_AXES];
    uint8_t length;
    uint32_t holders = 0;
    plussi_clock_look(workspace, cursor, &known, &prev);
    plussi_clock_tell_reuse(cursor, &known, &prev, &source, &length);
    for (size_t i = 0; i < classes->n; i++) {
        const plussi_clock_class *c = &classes->class[i];
        if (c->leaf != cursor->leaf)
            continue;
        if (c->boxed)
            plussi_box_locate(&space[c->leaf], cursor, coordinate);
        if (c->boxed && !plussi_box_holds(&c->box, coordinate))
            continue;
        holders++;
        t[i].accesses++;
        t[i].other += source != c->source || length < c->least || length > c->most;
    }
    ck_assert_uint_eq(holders, 1);
}

/* The n-th access of one thread's program is the n-th of the team's: the same reference in the same
 * iterations. */
static void check_numbers(plussi_bound *bound, const plussi_engine *serial)
{
    enum { STEP = 211 };
    plussi_progress progress = {.law = PLUSSI_PROGRESS_UNIFORM};
    plussi_clock_itersets *sets;
    plussi_engine *team;
    plussi_workspace *one, *many;
    ck_assert_int_eq(plussi_clock_itersets_new(&ctx, bound, &progress, 1, true, &sets), PLUSS_OK);
    ck_assert_int_eq(plussi_engine_new(&ctx, bound, plussi_clock_itersets_source(sets), &team),
                     PLUSS_OK);
    ck_assert_int_eq(plussi_clock_itersets_engine(sets, team), PLUSS_OK);
    ck_assert_int_eq(plussi_workspace_new(&ctx, serial, &one), PLUSS_OK);
    ck_assert_int_eq(plussi_workspace_new(&ctx, team, &many), PLUSS_OK);
    ck_assert_uint_eq(plussi_engine_accesses(serial), plussi_engine_accesses(team));
    for (uint64_t n = 0; n < plussi_engine_accesses(serial); n += STEP) {
        plussi_cursor a = {0}, b = {0};
        uint64_t number = UINT64_MAX;
        plussi_engine_nth(one, n, &a);
        plussi_engine_nth(many, n, &b);
        ck_assert(plussi_engine_number(one, &a, &number) && number == n);
        ck_assert_ptr_eq(plussi_engine_ref(serial, a.leaf), plussi_engine_ref(team, b.leaf));
        ck_assert_uint_eq(plussi_engine_line(one, &a), plussi_engine_line(many, &b));
        for (int slot = 1; slot < PLUSSI_CURSOR_SLOTS; slot++)
            ck_assert_int_eq(a.iv[slot], b.iv[slot]);
    }
    plussi_workspace_free(one);
    plussi_workspace_free(many);
    plussi_engine_free(team);
    plussi_clock_itersets_free(sets);
}

/* What sure classes hide. One that hides 0.4 % of the program passes once in twenty times, one that
 * hides 1 % once in 1,800. */
static const double most_hidden = 0.01, most_hidden_in_all = 0.03;

static void check_classes(const char *name, plussi_bound *bound, uint32_t team, uint64_t seed,
                          const plussi_clock_classes *classes)
{
    plussi_engine *engine;
    plussi_workspace *workspace;
    if (classes->class[0].serial) {
        ck_assert_int_eq(plussi_engine_new_serial(&ctx, bound, &engine), PLUSS_OK);
        check_numbers(bound, engine);
    } else {
        ck_assert_int_eq(plussi_engine_new(&ctx, bound, NULL, &engine), PLUSS_OK);
    }
    ck_assert_int_eq(plussi_workspace_new(&ctx, engine, &workspace), PLUSS_OK);
    const uint64_t n = plussi_engine_accesses(engine);
    plussi_box_space *space = calloc(plussi_engine_leaves(engine), sizeof *space);
    tally *t = calloc(classes->n, sizeof *t);
    uint64_t pure = 0, sure = 0, other = 0, most = 0;
    for (uint32_t leaf = 0; leaf < plussi_engine_leaves(engine); leaf++)
        (void)plussi_box_space_of(engine, leaf, &space[leaf]);
    for (uint64_t k = 0; k < n; k++) {
        plussi_cursor cursor = {0};
        plussi_engine_nth(workspace, k, &cursor);
        tally_access(workspace, space, classes, &cursor, t);
    }
    for (size_t k = 0; k < classes->n; k++) {
        ck_assert_uint_eq(t[k].accesses, classes->class[k].accesses);
        if (!classes->class[k].pure)
            continue;
        pure += t[k].accesses;
        ck_assert(classes->class[k].pure || !classes->class[k].sure);
        if (!classes->class[k].sure)
            continue;
        sure += t[k].accesses;
        other += t[k].other;
        most = t[k].other > most ? t[k].other : most;
    }
    printf("# %s, %" PRIu32 " threads, seed %" PRIu64 ": %zu classes, %" PRIu32
           " probes, pure %.3f,"
           " sure %.3f, of another kind %.4f, of one class %.4f\n",
           name, team, seed, classes->n, classes->probes, (double)pure / (double)n,
           (double)sure / (double)n, (double)other / (double)n, (double)most / (double)n);
    ck_assert_double_gt((double)pure, 0.5 * (double)n);
    ck_assert_double_lt((double)other, most_hidden_in_all * (double)n);
    ck_assert_double_lt((double)most, most_hidden * (double)n);
    free(t);
    free(space);
    plussi_workspace_free(workspace);
    plussi_engine_free(engine);
}

static void check_nest(int i, uint32_t team, uint64_t seed)
{
    plussi_nest *nest;
    plussi_bound *bound = bind(hand[i].text, team, &nest);
    plussi_clock_options options = plussi_clock_defaults();
    plussi_clock_classes classes;
    options.seed = seed;
    ck_assert_int_eq(plussi_clock_find_classes(&ctx, bound, &options, &classes), PLUSS_OK);
    /* a team of one makes no more accesses than one thread does */
    const bool some = hand[i].classes || (team == 1 && strstr(hand[i].text, "workshare"));
    ck_assert_msg((classes.n > 0) == some, "%s: %zu classes", hand[i].name, classes.n);
    if (classes.n)
        check_classes(hand[i].name, bound, team, seed, &classes);
    free(classes.class);
    plussi_bound_free(bound);
    plussi_nest_free(nest);
}

START_TEST(hand_written)
{
    static const uint32_t teams[] = {1, 2, 4, 7};
    /* one thread's classes are the same for all teams */
    const uint64_t seeds = strstr(hand[_i].text, "schedule") ? 1 : 3;
    for (uint32_t k = 0; k < 4; k++)
        for (uint64_t seed = 1; seed <= seeds; seed++)
            check_nest(_i, teams[k], seed);
}
END_TEST

/* Programs of which each access is one thread's, whatever the team: with loops without a barrier
 * after them, several loops that are one, singles, and conditions. */
static const char *const numbered[] = {
    "array f64 A[60][60]\narray f64 x[60]\n"
    "parallel { workshare for i in 0..60 schedule(dynamic, 4) nowait { for j in 0..i { read "
    "A[i][j] } }"
    " workshare for i in 0..60 schedule(guided) { read x[i] write x[i] } }",
    "array f64 A[40][50]\narray f64 B[50][40]\n"
    "for t in 0..2 { parallel for i in 0..40 schedule(dynamic, 7) collapse(2) { for j in 0..50 {"
    " read A[i][j] write B[j][i] } } }",
    "array f64 A[80][30]\narray f64 x[30]\n"
    "parallel { workshare for i in 0..80 schedule(dynamic) { for j in 0..30 { read A[i][j] } }"
    " single { for j in 0..30 { write x[j] } } workshare for k in 0..30 schedule(dynamic, 2) {"
    " read x[k] } }",
    "array f64 A[90][40]\narray f64 x[90]\n"
    "parallel for i in 0..90 schedule(guided, 2) { read x[i] if (i > 30) { for j in 0..40 {"
    " if (j < i - 50) { read A[i][j] } else { write A[i][j] } } } }",
};
enum { N_NUMBERED = sizeof numbered / sizeof *numbered };

START_TEST(numbers_of_large_teams)
{
    static const uint32_t teams[] = {1, 7, 17, 40, 63, 1025};
    for (size_t k = 0; k < sizeof teams / sizeof *teams; k++) {
        plussi_nest *nest;
        plussi_engine *serial;
        plussi_bound *bound = bind(numbered[_i], teams[k], &nest);
        ck_assert_int_eq(plussi_engine_new_serial(&ctx, bound, &serial), PLUSS_OK);
        check_numbers(bound, serial);
        plussi_engine_free(serial);
        plussi_bound_free(bound);
        plussi_nest_free(nest);
    }
}
END_TEST

static Suite *classes_suite(void)
{
    Suite *s = suite_create("classes");
    TCase *c = tcase_create("classes");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 300);
    tcase_add_loop_test(c, hand_written, 0, N_HAND);
    tcase_add_loop_test(c, numbers_of_large_teams, 0, N_NUMBERED);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(classes_suite())
