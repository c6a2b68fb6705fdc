/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Classes of accesses against lists of all accesses: they part the program, their sizes are exact,
 * and few accesses of pure ones are of another kind; where there are no boxes there are none.
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
    {"quotients",
     "array f64 A[40][8]\n"
     "parallel for i in 0..36 { for j in i/3..i/2+3 { read A[j][i%5] write A[(i+j)/3][(2*i+j)%8]"
     " } for j in 0..i%4 { read A[i][j] } }",
     false},
    {"dynamic",
     "array f64 A[60][8]\n"
     "parallel for i in 0..60 schedule(dynamic) { for j in 0..8 { read A[i][j] } }",
     false},
};
enum { N_HAND = sizeof hand / sizeof *hand };

/* The nest has to live as long as what is bound. */
static plussi_bound *bind(int i, uint32_t team, plussi_nest **out)
{
    plussi_nest *nest;
    plussi_bound *bound;
    plussi_bind_options options = {.team = team, .line_bytes = 64, .schedule = PLUSSI_SCHED_STATIC};
    char text[1000];
    const int length = snprintf(text, sizeof text, "pluss-nest 1\nregion test\n%s", hand[i].text);
    pluss_status status = plussi_nest_parse(&ctx, text, (size_t)length, "test", &nest);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "no memory");
    status = plussi_bind(&ctx, nest, &options, &bound);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "no memory");
    *out = nest;
    return bound;
}

typedef struct tally {
    uint64_t pure, other; /* accesses of pure classes; those of another kind */
} tally;

/* Every access is in one class; counts by class. */
static void tally_access(plussi_workspace *workspace, const plussi_box_space *space,
                         const plussi_clock_classes *classes, const plussi_cursor *cursor,
                         uint64_t *count, tally *t)
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
        count[i]++;
        t->pure += c->pure;
        t->other += c->pure && (source != c->source || length < c->least || length > c->most);
    }
    ck_assert_uint_eq(holders, 1);
}

static void check_nest(int i, uint32_t team)
{
    tally t = {0};
    plussi_nest *nest;
    plussi_bound *bound = bind(i, team, &nest);
    plussi_clock_options options = plussi_clock_defaults();
    plussi_clock_classes classes;
    plussi_engine *engine;
    plussi_workspace *workspace;
    ck_assert_int_eq(plussi_clock_find_classes(&ctx, bound, &options, &classes), PLUSS_OK);
    ck_assert_msg((classes.n > 0) == hand[i].classes, "%s: %zu classes", hand[i].name, classes.n);
    if (classes.n) {
        ck_assert_int_eq(plussi_engine_new(&ctx, bound, NULL, &engine), PLUSS_OK);
        ck_assert_int_eq(plussi_workspace_new(&ctx, engine, &workspace), PLUSS_OK);
        const uint64_t n = plussi_engine_accesses(engine);
        plussi_box_space *space = calloc(plussi_engine_leaves(engine), sizeof *space);
        uint64_t *count = calloc(classes.n, sizeof *count);
        for (uint32_t leaf = 0; leaf < plussi_engine_leaves(engine); leaf++)
            (void)plussi_box_space_of(engine, leaf, &space[leaf]);
        for (uint64_t k = 0; k < n; k++) {
            plussi_cursor cursor = {0};
            plussi_engine_nth(workspace, k, &cursor);
            tally_access(workspace, space, &classes, &cursor, count, &t);
        }
        for (size_t k = 0; k < classes.n; k++)
            ck_assert_uint_eq(count[k], classes.class[k].accesses);
        printf("# %s, %" PRIu32 " threads: %zu classes, %" PRIu32 " probes, pure %.3f, of another"
               " kind %.4f\n",
               hand[i].name, team, classes.n, classes.probes, (double)t.pure / (double)n,
               (double)t.other / (double)t.pure);
        ck_assert_double_gt((double)t.pure, 0.5 * (double)n);
        ck_assert_double_lt((double)t.other, 0.1 * (double)t.pure);
        free(count);
        free(space);
        plussi_workspace_free(workspace);
        plussi_engine_free(engine);
    }
    free(classes.class);
    plussi_bound_free(bound);
    plussi_nest_free(nest);
}

START_TEST(hand_written)
{
    static const uint32_t teams[] = {1, 2, 4, 7};
    for (uint32_t k = 0; k < 4; k++)
        check_nest(_i, teams[k]);
}
END_TEST

static Suite *classes_suite(void)
{
    Suite *s = suite_create("classes");
    TCase *c = tcase_create("classes");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 300);
    tcase_add_loop_test(c, hand_written, 0, N_HAND);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(classes_suite())
