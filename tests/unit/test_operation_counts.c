/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts of operations: of nests whose sums are written out here, and by the closed form against
 * the walk, which a branch of probability 1 asks for.
 */
#include "cost/operation_counts.h"

#include <stdio.h>
#include <string.h>

#include "failing_mem.h"
#include "one_nest.h"
#include "suite.h"

static const char triangle[] =
    "symbol n = 7\n"
    "array f64 A[n][n], x[n], s\narray f32 t\n"
    "parallel for i in 0..n {\n"
    "  write x[i]\n"
    "  for j in 0..i + 1 {\n"
    "    read A[i][j]\n    write A[i][j]\n    read s\n    write t\n"
    "    if (j < 2) {\n      ops(sqrt 1)\n    } else {\n      ops(trig 2)\n    }\n"
    "    ops(dbl_add 2, dbl_div 1)\n    ops(dbl_add 3) @9\n"
    "  }\n"
    "  ops(int_add 5)\n"
    "}\n";

static pluss_status count(plussi_ctx *with, const char *text, uint32_t team, plussi_operations *out)
{
    char whole[2048];
    const plussi_bind_options options = {.team = team, .line_bytes = 64};
    const int n = snprintf(whole, sizeof whole, "pluss-nest 1\nregion r\n%s", text);
    plussi_nest *parsed = NULL;
    pluss_status status = plussi_nest_parse(with, whole, (size_t)n, "case", &parsed);
    if (!status)
        status = plussi_count_operations(with, parsed, &options, out);
    plussi_nest_free(parsed);
    return status;
}

/* The same where the walk counts. */
static pluss_status count_walked(const char *text, uint32_t team, plussi_operations *out)
{
    char whole[2048];
    const char *statements = strstr(text, "parallel");
    snprintf(whole, sizeof whole, "%.*sbranch 1 {\n%s}\n", (int)(statements - text), text,
             statements);
    return count(&ctx, whole, team, out);
}

static const char *const name[] = {
#define X(name, text) text,
    PLUSSI_OPERATIONS(X)
#undef X
};

START_TEST(sums)
{
    const uint64_t inner = 28, first_two = 13, loops = inner + 7;
    const uint64_t expected[PLUSSI_N_OPERATIONS] = {[PLUSSI_OP_INT_ADD] = 35,
                                                    [PLUSSI_OP_DBL_ADD] = 5 * inner,
                                                    [PLUSSI_OP_DBL_DIV] = inner,
                                                    [PLUSSI_OP_SQRT] = first_two,
                                                    [PLUSSI_OP_TRIG] = 2 * (inner - first_two),
                                                    [PLUSSI_OP_LOOP] = loops,
                                                    [PLUSSI_OP_DBL_LOAD] = inner,
                                                    [PLUSSI_OP_STORE] = inner,
                                                    [PLUSSI_OP_ARRAY_STORE] = 7,
                                                    [PLUSSI_OP_NDIM_LOAD] = inner,
                                                    [PLUSSI_OP_NDIM_STORE] = inner};
    for (uint32_t team = 1; team <= 5; team += 2)
        for (int walked = 0; walked < 2; walked++) {
            plussi_operations o;
            ck_assert_int_eq(walked ? count_walked(triangle, team, &o)
                                    : count(&ctx, triangle, team, &o),
                             PLUSS_OK);
            double instructions = 0;
            for (int g = 0; g < PLUSSI_N_OPERATIONS; g++) {
                ck_assert_msg(o.count[g] == expected[g], "%s: %llu, not %llu", name[g],
                              (unsigned long long)o.count[g], (unsigned long long)expected[g]);
                instructions += (double)expected[g];
            }
            ck_assert_double_eq(plussi_operations_instructions(&o),
                                instructions + 2.0 * (double)loops);
        }
}
END_TEST

/* Collapsed loops are one loop; replicated code is executed by all; what straddles lines counts
 * once; nodes that are unknown count nothing; the schedule does not matter. */
START_TEST(constructs)
{
    static const char text[] =
        "array b24 R[40]\n"
        "parallel {\n"
        "  ops(call 1)\n"
        "  unknown call \"elsewhere\"\n"
        "  workshare for i in 0..3 schedule(dynamic) collapse(2) {\n"
        "    for j in 0..4 {\n      read R[4 * i + j]\n      ops(flt_add 1)\n    }\n"
        "  }\n"
        "  workshare for k in 0..40 schedule(recorded) {\n    write R[k]\n  }\n"
        "  for t in 0..$thread + 1 {\n    ops(int_mul 1)\n  }\n"
        "}\n";
    plussi_operations o;
    ck_assert_int_eq(count(&ctx, text, 4, &o), PLUSS_OK);
    ck_assert_uint_eq(o.count[PLUSSI_OP_CALL], 4);
    ck_assert_uint_eq(o.count[PLUSSI_OP_FLT_ADD], 12);
    ck_assert_uint_eq(o.count[PLUSSI_OP_ARRAY_LOAD], 12);
    ck_assert_uint_eq(o.count[PLUSSI_OP_ARRAY_STORE], 40);
    ck_assert_uint_eq(o.count[PLUSSI_OP_INT_MUL], 1 + 2 + 3 + 4);
    ck_assert_uint_eq(o.count[PLUSSI_OP_LOOP], 12 + 40 + 10);
}
END_TEST

typedef struct seen {
    uint64_t teams, barriers, chain[PLUSSI_N_OPERATIONS];
} seen;

static pluss_status see(void *user, const plussi_node *node, plussi_executed what,
                        plussi_operation group, uint64_t n)
{
    seen *s = user;
    (void)node;
    if (what == PLUSSI_EXECUTED_TEAM)
        s->teams += n;
    else if (what == PLUSSI_EXECUTED_BARRIER)
        s->barriers += n;
    else if (what == PLUSSI_EXECUTED_CHAIN)
        s->chain[group] += n;
    return PLUSS_OK;
}

/* Five constructs with a team of 4. At a barrier: after single, after the first loop, the one that
 * is written, and twice that in the loop over t; not the one after the loop that does not wait, nor
 * those at the ends of constructs. */
START_TEST(teams_and_chains)
{
    static const char text[] = "pluss-nest 1\nregion r\n"
                               "array f64 x[40]\n"
                               "for s in 0..5 {\n"
                               "  parallel {\n"
                               "    single {\n      write x[0]\n    }\n"
                               "    workshare for i in 0..40 {\n"
                               "      read x[i]\n"
                               "      ops(dbl_add 3, chain_dbl_add 2) @9\n"
                               "    }\n"
                               "    barrier\n"
                               "    workshare for j in 0..40 nowait {\n      read x[j]\n    }\n"
                               "    for t in 0..2 {\n"
                               "      workshare for k in 0..40 {\n        read x[k]\n      }\n"
                               "    }\n"
                               "    workshare for l in 0..40 {\n      read x[l]\n    }\n"
                               "    ops(call 1) @20\n"
                               "  }\n"
                               "}\n";
    const plussi_bind_options options = {.team = 4, .line_bytes = 64};
    plussi_operations o;
    plussi_nest *parsed;
    seen s = {0};
    ck_assert_int_eq(plussi_nest_parse(&ctx, text, sizeof text - 1, "case", &parsed), PLUSS_OK);
    ck_assert_int_eq(plussi_visit_operations(&ctx, parsed, &options, see, &s), PLUSS_OK);
    ck_assert_uint_eq(s.teams, 5 * 4);
    ck_assert_uint_eq(s.barriers, 5 * 4 * (3 + 2));
    for (int g = 0; g < PLUSSI_N_OPERATIONS; g++)
        ck_assert_uint_eq(s.chain[g], g == PLUSSI_OP_DBL_ADD ? 5 * 40 * 2 : 0);
    ck_assert_int_eq(plussi_count_operations(&ctx, parsed, &options, &o), PLUSS_OK);
    ck_assert_uint_eq(o.count[PLUSSI_OP_DBL_ADD], 5 * 40 * 3);
    plussi_nest_free(parsed);
}
END_TEST

START_TEST(far)
{
    plussi_operations o;
    ck_assert_int_eq(count(&ctx,
                           "parallel for i in 0..1000000 {\n  for j in 0..1000000 {\n"
                           "    ops(dbl_add 4)\n  }\n}\n",
                           64, &o),
                     PLUSS_OK);
    ck_assert_uint_eq(o.count[PLUSSI_OP_DBL_ADD], 4000000000000);
    ck_assert_uint_eq(o.count[PLUSSI_OP_LOOP], 1000001000000);
}
END_TEST

START_TEST(wrong)
{
    plussi_operations o = {{42}};
    ck_assert_int_eq(count(&ctx, "parallel for i in 0..3 {\n  ops(fmul 1)\n}\n", 2, &o),
                     PLUSS_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(ctx.diags[0].text, "'fmul'"));
    ck_assert_uint_eq(ctx.diags[0].line, 4);
    plussi_ctx_clear(&ctx);
    ck_assert_int_eq(
        count(&ctx, "parallel for i in 0..3 {\n  ops(trig 9223372036854775807)\n}\n", 2, &o),
        PLUSS_ERANGE);
    plussi_ctx_clear(&ctx);
    ck_assert_int_eq(count(&ctx, "symbol n\nparallel for i in 0..n {\n  ops(trig 1)\n}\n", 2, &o),
                     PLUSS_EUNBOUND);
    ck_assert_uint_eq(o.count[0], 42);
}
END_TEST

START_TEST(short_of_memory)
{
    bool whole = false;
    for (long budget = 0; !whole; budget++) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_ctx few;
        plussi_operations o;
        plussi_ctx_init(&few, &m.mem);
        const pluss_status status = count(&few, triangle, 2, &o);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_ctx_clear(&few);
        ck_assert_int_eq(m.live, 0);
        whole = !m.failed;
    }
}
END_TEST

static Suite *operation_counts_suite(void)
{
    Suite *suite = suite_create("operation_counts");
    TCase *tc = tcase_create("operation_counts");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, sums);
    tcase_add_test(tc, constructs);
    tcase_add_test(tc, teams_and_chains);
    tcase_add_test(tc, far);
    tcase_add_test(tc, wrong);
    tcase_add_test(tc, short_of_memory);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(operation_counts_suite())
