/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "profile/pri.h"
#include "suite.h"

static plussi_ctx ctx;
static plussi_nest *nest;
static plussi_bound *bound;
static plussi_pri pri;

static void release(void)
{
    plussi_pri_free(&pri);
    plussi_bound_free(bound);
    plussi_nest_free(nest);
    nest = NULL;
    bound = NULL;
    plussi_ctx_clear(&ctx);
}

/* Classifies the references of one region; arrays of doubles start on lines of their own. */
static void classify(uint32_t team, const char *body)
{
    char text[2048];
    release();
    plussi_ctx_init(&ctx, NULL);
    int n = snprintf(text, sizeof text,
                     "pluss-nest 1\nregion r\n"
                     "array f64 A[1024][1024], B[1024][1024], C[64][4], x[4096], y[4096]\n"
                     "array f64 off[4096] offset(8)\n"
                     "array f64 mine[4096] private\n"
                     "array i32 col[4] values(3, 1, 2, 0)\n"
                     "array b48 P[4096]\n"
                     "array f32 partial[512]\n%s",
                     body);
    ck_assert_int_lt(n, (int)sizeof text);
    pluss_status status = plussi_nest_parse(&ctx, text, (size_t)n, "test", &nest);
    plussi_bind_options options = {.team = team, .line_bytes = 64};
    if (status == PLUSS_OK)
        status = plussi_bind(&ctx, nest, &options, &bound);
    if (status == PLUSS_OK)
        status = plussi_pri_init(&ctx, bound->n_refs, team, &pri);
    if (status == PLUSS_OK)
        status = plussi_sharing_classify(&ctx, bound, &pri);
    ck_assert_msg(status == PLUSS_OK, "%s: %s", body, ctx.n_diags ? ctx.diags[0].text : "?");
}

static void expect(uint32_t ref, plussi_sharing sharing, uint32_t sharers)
{
    ck_assert_uint_lt(ref, pri.n_refs);
    ck_assert_msg(pri.ref[ref].sharing == sharing && pri.ref[ref].sharers == sharers,
                  "reference %u is class %d of %u, not %d of %u", ref, pri.ref[ref].sharing,
                  pri.ref[ref].sharers, sharing, sharers);
}

#define NONE PLUSSI_SHARING_NONE
#define SPATIAL PLUSSI_SHARING_SPATIAL
#define FULL PLUSSI_SHARING_FULL

START_TEST(gemm)
{
    classify(4, "parallel for i in 0..100 schedule(static, 1) { for j in 0..100 { for k in 0..100 {"
                " read A[i][k] read B[k][j] write C[0][0] read x[0] } } }");
    expect(0, NONE, 1);
    expect(1, FULL, 4);
    expect(2, FULL, 4);
    expect(3, FULL, 4);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_uint_eq(pri.ref[i].own_team, 0);
}
END_TEST

static void column(uint32_t team, const char *schedule, const char *ref, plussi_sharing sharing,
                   uint32_t sharers, double chunks)
{
    char text[256];
    snprintf(text, sizeof text,
             "parallel for i in 0..1024 schedule(%s) { for j in 0..100 { read %s } }", schedule,
             ref);
    classify(team, text);
    expect(0, sharing, sharers);
    ck_assert_double_eq_tol(pri.ref[0].chunks_per_line, chunks, 1e-12);
}

/* A column of a row-major array: eight iterations a line. */
START_TEST(columns_by_chunk)
{
    column(16, "static, 1", "A[j][i]", SPATIAL, 8, 8);
    column(4, "static, 1", "A[j][i]", SPATIAL, 4, 8);
    column(2, "static, 1", "A[j][i]", SPATIAL, 2, 8);
    column(16, "static, 2", "A[j][i]", SPATIAL, 4, 4);
    column(16, "static, 4", "A[j][i]", SPATIAL, 2, 2);
    column(16, "static, 8", "A[j][i]", NONE, 1, 0);
    column(16, "static, 24", "A[j][i]", NONE, 1, 0);
    column(16, "dynamic, 8", "A[j][i]", NONE, 1, 0);
    column(16, "dynamic, 1", "A[j][i]", SPATIAL, 8, 8);
    column(4, "static", "A[j][i]", NONE, 1, 0);
    /* a column two elements wide, shared by seven or eight and one */
    column(16, "static, 1", "A[j][2*i]", SPATIAL, 4, 4);
    column(16, "static, 1", "A[j][8*i]", NONE, 1, 0);
    column(16, "static, 1", "A[i][j]", NONE, 1, 0);
    column(16, "static, 1", "x[i]", SPATIAL, 8, 8);
}
END_TEST

/* Twelve doubles are a line and a half: of three lines one is met by two chunks. By hand: chunks
 * begin at bytes 0 and 32 of a line and touch 2 lines each; 2 chunks of 96 bytes make 3 lines. */
START_TEST(chunks_that_are_not_whole_lines)
{
    column(4, "static, 12", "x[i]", SPATIAL, 2, 4.0 / 3);
    /* an array that does not start on a line: all chunks of 8 lie across two */
    column(4, "static, 8", "off[i]", SPATIAL, 2, 2);
    column(4, "static, 8", "off[i+7]", NONE, 1, 0);
    column(4, "static, 8", "x[i+1]", SPATIAL, 2, 2);
    column(4, "static, 8", "x[i+8]", NONE, 1, 0);
    /* windows of three overlap at both ends */
    classify(4, "parallel for i in 0..1024 schedule(static, 8) { for k in 0..3 { read x[i+k] } }");
    expect(0, SPATIAL, 2);
    ck_assert_double_eq_tol(pri.ref[0].chunks_per_line, 2, 1e-12);
    /* three rows a line and a third: short rows lie in common lines */
    classify(4, "parallel for i in 0..64 schedule(static, 1) { for k in 0..4 { read C[i][k] } }");
    expect(0, SPATIAL, 2);
    ck_assert_double_eq_tol(pri.ref[0].chunks_per_line, 2, 1e-12);
    classify(4, "parallel for i in 0..64 schedule(static, 2) { for k in 0..4 { read C[i][k] } }");
    expect(0, NONE, 1);
    /* structs of 48 bytes: lines of 64 hold four thirds of one */
    classify(8, "parallel for i in 0..64 schedule(static, 1) { read P[i] bytes 0..48 }");
    expect(0, SPATIAL, 2);
    ck_assert_double_eq_tol(pri.ref[0].chunks_per_line, 2, 1e-12);
}
END_TEST

START_TEST(blocks)
{
    classify(4, "parallel for i in 0..1020 { for j in 0..9 { read A[j][i] } }");
    /* 255 doubles: 31.875 lines; the eight places in a line touch 32, 32, 33, ... lines */
    expect(0, SPATIAL, 2);
    ck_assert(pri.ref[0].by_block);
    ck_assert_double_gt(pri.ref[0].chunks_per_line, 1.02);
    ck_assert_double_lt(pri.ref[0].chunks_per_line, 1.04);
    uint32_t sharers;
    double part, part4;
    plussi_sharing_at(&pri, 0, 4, &sharers, &part4);
    plussi_sharing_at(&pri, 0, 16, &sharers, &part);
    ck_assert_double_eq_tol(part, 4 * part4, 1e-9);
    ck_assert_uint_eq(sharers, 2);
    classify(4, "parallel for i in 0..1024 schedule(guided) { read x[i] }");
    expect(0, SPATIAL, 2);
    ck_assert(pri.ref[0].by_block);
    classify(4, "parallel for i in 0..1024 schedule(rayon, 1, 4) { read x[i] }");
    expect(0, SPATIAL, 2);
    ck_assert(!pri.ref[0].by_block);
}
END_TEST

START_TEST(steps)
{
    classify(16, "parallel for i in 0..1024 step 8 schedule(static, 1) { read x[i] }");
    expect(0, NONE, 1);
    classify(16, "parallel for i in 0..1024 step 4 schedule(static, 1) { read x[i] }");
    expect(0, SPATIAL, 2);
    /* downwards, chunks of eight: 1023 ... 1016 is a line, 1022 ... 1015 is not */
    classify(16, "parallel for i in 1023..-1 step -1 schedule(static, 8) { read x[i] }");
    expect(0, NONE, 1);
    classify(16, "parallel for i in 1022..-1 step -1 schedule(static, 8) { read x[i] }");
    expect(0, SPATIAL, 2);
    classify(16, "parallel for i in 0..512 schedule(static, 8) { read x[1023-i] }");
    expect(0, NONE, 1);
}
END_TEST

START_TEST(windows_move_with_the_parallel_iv)
{
    /* tiles of 32 doubles */
    classify(4, "parallel for t in 0..32 schedule(static, 1) { for i in 32*t..min(1000, 32*t+32) {"
                " for k in 0..10 { read x[i] read A[i][k] read y[k] } } }");
    expect(0, NONE, 1);
    expect(1, NONE, 1);
    expect(2, FULL, 4);
    /* tiles of 4 doubles: two in a line */
    classify(4, "parallel for t in 0..250 schedule(static, 1) { for i in 4*t..4*t+4 {"
                " read x[i] } }");
    expect(0, SPATIAL, 2);
    ck_assert_double_eq_tol(pri.ref[0].chunks_per_line, 2, 1e-12);
    /* a triangular loop is no window */
    classify(4, "parallel for i in 0..100 { for j in i..100 { read x[j] } }");
    expect(0, FULL, 4);
    classify(4, "parallel for i in 0..100 { for j in 0..i+1 { read x[j] } }");
    expect(0, FULL, 4);
}
END_TEST

START_TEST(subscripts_that_are_not_affine)
{
    classify(4, "parallel for i in 0..1024 schedule(static, 1) {"
                " read x[i/8] read x[64*(i/8)] read A[i%2][i] }");
    expect(0, SPATIAL, 4); /* a byte an iteration: 64 of them meet in a line */
    ck_assert_double_eq_tol(pri.ref[0].chunks_per_line, 64 + 7, 1e-9);
    expect(1, NONE, 1);
    expect(2, NONE, 1);
    classify(4, "parallel for i in 0..4 schedule(static, 1) { read x[col[i]] read A[i][col[0]] }");
    expect(0, FULL, 4);
    expect(1, NONE, 1);
}
END_TEST

START_TEST(serial_loops_around)
{
    classify(4, "for t in 0..10 { parallel for i in 0..100 schedule(static, 1) {"
                " read A[t%2][8*i] read A[i][t] read A[t][0] read x[i+t] } }");
    expect(0, NONE, 1);
    expect(1, NONE, 1);
    expect(2, FULL, 4);
    expect(3, SPATIAL, 4);
}
END_TEST

START_TEST(outside_of_worksharing)
{
    classify(4, "for s in 0..10 { read x[s] }\n"
                "parallel { for j in 0..10 { read x[j] read partial[$thread] read A[$thread][j]"
                " read partial[16*$thread] }"
                " single { read x[1] } single nowait { read x[1] } master { read x[2] }"
                " workshare for i in 0..10 { read x[0] read mine[i] read mine[0] } }");
    expect(0, NONE, 1);
    ck_assert_uint_eq(pri.ref[0].own_team, 1);
    expect(1, FULL, 4);
    expect(2, SPATIAL, 4);
    ck_assert_double_eq_tol(pri.ref[2].chunks_per_line, 16, 1e-12);
    expect(3, NONE, 1);
    expect(4, NONE, 1);
    expect(5, NONE, 1);
    ck_assert_uint_eq(pri.ref[5].own_team, 1);
    expect(6, NONE, 1);
    ck_assert_uint_eq(pri.ref[6].own_team, 0);
    expect(7, NONE, 1);
    ck_assert_uint_eq(pri.ref[7].own_team, 0);
    expect(8, FULL, 4);
    expect(9, NONE, 1);
    expect(10, NONE, 1);
    /* a share computed by hand */
    classify(4, "parallel { for i in 256*$thread..256*$thread+256 { read x[i] read y[0] } }");
    expect(0, NONE, 1);
    expect(1, FULL, 4);
}
END_TEST

START_TEST(team_clauses)
{
    classify(8, "parallel for i in 0..100 num_threads(2) { read x[0] }"
                " parallel for i in 0..100 if (0 > 1) { read x[0] }"
                " parallel for i in 0..100 if (1 > 0) { read x[0] }");
    expect(0, FULL, 2);
    ck_assert_uint_eq(pri.ref[0].own_team, 2);
    expect(1, NONE, 1);
    ck_assert_uint_eq(pri.ref[1].own_team, 1);
    expect(2, FULL, 8);
    ck_assert_uint_eq(pri.ref[2].own_team, 0);
    classify(1, "parallel for i in 0..100 { read x[0] }");
    expect(0, FULL, 1);
    /* inside another, a parallel region is executed by one */
    classify(4, "parallel { parallel for i in 0..8 { read x[i] } }"
                " parallel for i in 0..100 schedule(static, 1) {"
                " parallel for j in 0..8 schedule(static, 1) { read x[j] read A[i][j] } }");
    expect(0, FULL, 4);
    expect(1, FULL, 4);
    expect(2, NONE, 1);
}
END_TEST

START_TEST(collapsed)
{
    /* iterations (i, j) in rows of 64; one at a time */
    classify(4, "parallel for i in 0..64 schedule(static, 1) collapse(2) { for j in 0..64 {"
                " for k in 0..9 { read A[i][j] read A[i][8*j] read A[i][k] read A[k][j] read x[k]"
                " } } }");
    expect(0, SPATIAL, 4);
    ck_assert_double_eq_tol(pri.ref[0].chunks_per_line, 8, 1e-12);
    expect(1, NONE, 1);
    expect(2, SPATIAL, 4); /* the 64 iterations of a row share it */
    ck_assert_double_eq_tol(pri.ref[2].chunks_per_line, 64, 1e-12);
    expect(3, SPATIAL, 4); /* 64 is 16 rounds: a column stays with its thread, lines do not */
    expect(4, FULL, 4);
    /* 65 is no multiple of the team: every thread comes to every column */
    classify(4, "parallel for i in 0..64 schedule(static, 1) collapse(2) { for j in 0..65 {"
                " for k in 0..9 { read A[k][8*j] } } }");
    expect(0, FULL, 4);
    /* two rows a chunk; a chunk and a half a row */
    classify(4, "parallel for i in 0..64 schedule(static, 128) collapse(2) { for j in 0..64 {"
                " for k in 0..9 { read A[i][k] read A[k][j] } } }");
    expect(0, NONE, 1);
    expect(1, FULL, 4);
    classify(4, "parallel for i in 0..64 schedule(static, 96) collapse(2) { for j in 0..64 {"
                " for k in 0..9 { read A[i][k] } } }");
    expect(0, SPATIAL, 2);
    ck_assert_double_eq_tol(pri.ref[0].chunks_per_line, 4.0 / 3, 1e-12);
    /* blocks of 16 rows */
    classify(4, "parallel for i in 0..64 collapse(2) { for j in 0..64 {"
                " for k in 0..9 { read A[i][k] read A[k][j] } } }");
    expect(0, NONE, 1);
    expect(1, FULL, 4);
    /* three loops: the middle one missing */
    classify(4, "parallel for i in 0..8 schedule(static, 1) collapse(3) { for j in 0..8 {"
                " for k in 0..8 { read A[i][8*k] } } }");
    expect(0, NONE, 1);
    classify(4, "parallel for i in 0..8 schedule(static, 1) collapse(3) { for j in 0..8 {"
                " for k in 0..7 { read A[i][8*k] } } }");
    expect(0, FULL, 4);
}
END_TEST

START_TEST(class_does_not_hang_on_the_team)
{
    for (uint32_t T = 2; T <= 64; T *= 2) {
        classify(T, "parallel for i in 0..1024 schedule(static, 1) { for j in 0..64 {"
                    " read A[i][j] read A[j][i] read x[j] } }");
        expect(0, NONE, 1);
        expect(1, SPATIAL, T < 8 ? T : 8);
        expect(2, FULL, T);
        ck_assert_double_eq_tol(pri.ref[1].chunks_per_line, 8, 1e-12);
    }
}
END_TEST

START_TEST(room_must_fit)
{
    classify(4, "parallel for i in 0..8 { read x[i] read y[i] }");
    pri.n_refs = 1;
    ck_assert_int_eq(plussi_sharing_classify(&ctx, bound, &pri), PLUSS_EINVAL);
    pri.n_refs = 2;
    ck_assert_uint_eq(ctx.n_diags, 1);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("sharing");
    TCase *c = tcase_create("classes");
    tcase_add_checked_fixture(c, NULL, release);
    tcase_add_test(c, gemm);
    tcase_add_test(c, columns_by_chunk);
    tcase_add_test(c, chunks_that_are_not_whole_lines);
    tcase_add_test(c, blocks);
    tcase_add_test(c, steps);
    tcase_add_test(c, windows_move_with_the_parallel_iv);
    tcase_add_test(c, subscripts_that_are_not_affine);
    tcase_add_test(c, serial_loops_around);
    tcase_add_test(c, outside_of_worksharing);
    tcase_add_test(c, team_clauses);
    tcase_add_test(c, collapsed);
    tcase_add_test(c, class_does_not_hang_on_the_team);
    tcase_add_test(c, room_must_fit);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
