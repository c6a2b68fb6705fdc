/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How often loops and references are executed, counted without accesses, against walks of random
 * nests.
 */
#include "cost/execution_counts.h"

#include "../unit/one_nest.h"
#include "../unit/suite.h"
#include "nest_gen.h"
#include "trace/walk.h"

enum { NESTS = 600, MOST_REFS = 512, BATCH = 256 };

static pluss_status count(uint64_t steps, plussi_executions *out)
{
    plussi_effort effort = {.left = steps};
    return plussi_count_executions(&ctx, bound, &effort, out);
}

START_TEST(equals_the_walk)
{
    const uint64_t not_by_one = NEST_GEN_BRANCH | NEST_GEN_NUM_THREADS | NEST_GEN_IF_CLAUSE;
    uint64_t accesses[MOST_REFS] = {0};
    plussi_access batch[BATCH];
    plussi_executions executed;
    nest_gen gen;
    plussi_rng rng;
    plussi_walk *walk;
    plussi_rng_seed(&rng, 5, (uint64_t)_i);
    nest_gen_options go = nest_gen_defaults(NEST_GEN_WALK & ~not_by_one);
    ck_assert_int_eq(nest_gen_make(&ctx, &rng, &go, &gen), PLUSS_OK);
    const plussi_bind_options options = {
        .team = 1, .line_bytes = 64, .binding = gen.binding, .n_bindings = gen.n_bindings};
    ck_assert_int_eq(plussi_bind(&ctx, gen.nest, &options, &bound), PLUSS_OK);
    ck_assert_uint_le(bound->n_refs, MOST_REFS);
    ck_assert_int_eq(plussi_walk_new(&ctx, bound, 0, &walk), PLUSS_OK);
    do
        for (size_t n; (n = plussi_walk_fill(walk, 0, batch, BATCH)) > 0;)
            for (size_t i = 0; i < n; i++)
                accesses[batch[i].ref]++;
    while (plussi_walk_next_phase(walk));
    plussi_walk_free(walk);
    ck_assert_int_eq(count(UINT64_MAX, &executed), PLUSS_OK);
    for (uint32_t i = 0; i < bound->n_refs; i++)
        ck_assert_double_eq(executed.ref[i] * bound->ref[i]->u.ref.touches, (double)accesses[i]);
    plussi_executions_free(&ctx, &executed);
    plussi_bound_free(bound);
    bound = NULL;
    nest_gen_free(&gen);
}
END_TEST

static void bind_text(const char *text)
{
    const plussi_bind_options options = {.team = 1, .line_bytes = 64};
    ck_assert_int_eq(plussi_nest_parse(&ctx, text, strlen(text), "case", &nest), PLUSS_OK);
    ck_assert_int_eq(plussi_bind(&ctx, nest, &options, &bound), PLUSS_OK);
}

START_TEST(rows_of_a_sparse_matrix)
{
    plussi_executions executed;
    bind_text("pluss-nest 1\nregion r\n"
              "array i32 row[4] values(0, 2, 2, 7)\narray f64 a[7], x[3]\n"
              "for i in 0..3 {\n  for k in row[i]..row[i + 1] {\n    read a[k]\n"
              "    branch 0.25 {\n      read x[i]\n    } else {\n      write x[i]\n    }\n"
              "    for j in 0..1000000000 {\n      read x[0]\n    }\n  }\n}\n");
    ck_assert_int_eq(count(3 + 7, &executed), PLUSS_OK);
    ck_assert_double_eq(executed.loop[0], 1);
    ck_assert_double_eq(executed.loop[1], 3);
    ck_assert_double_eq(executed.loop[2], 7);
    ck_assert_double_eq(executed.ref[0], 7);
    ck_assert_double_eq(executed.ref[1], 7 * 0.25);
    ck_assert_double_eq(executed.ref[2], 7 * 0.75);
    ck_assert_double_eq(executed.ref[3], 7e9);
    plussi_executions_free(&ctx, &executed);
    ck_assert_int_eq(count(2, &executed), PLUSS_ELIMIT);
    ck_assert_ptr_null(executed.loop);
}
END_TEST

START_TEST(contents_that_lack)
{
    plussi_executions executed;
    bind_text("pluss-nest 1\nregion r\narray i32 row[2] values(0, 2)\narray f64 a[7]\n"
              "for i in 0..3 {\n  for k in 0..row[i] {\n    read a[k]\n  }\n}\n");
    ck_assert_int_eq(count(UINT64_MAX, &executed), PLUSS_EINVAL);
    ck_assert_uint_eq(ctx.diags[ctx.n_diags - 1].line, 6);
}
END_TEST

static Suite *execution_counts_suite(void)
{
    Suite *s = suite_create("execution_counts");
    TCase *t = tcase_create("counts");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, equals_the_walk, 0, NESTS);
    tcase_add_test(t, rows_of_a_sparse_matrix);
    tcase_add_test(t, contents_that_lack);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(execution_counts_suite())
