/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What must stay the same when a nest is written or executed in another way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/suite.h"
#include "nest_gen.h"
#include "walk_pair.h"

#define HEAD "pluss-nest 1\n"

typedef struct trace {
    plussi_access *at;
    size_t n;
} trace;

/* Thread by thread, phase by phase. */
static trace walk_all(const plussi_nest *nest, const plussi_bind_options *options)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_bound *bound;
    plussi_walk *walk;
    ck_assert_int_eq(plussi_bind(&ctx, nest, options, &bound), PLUSS_OK);
    ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &walk), PLUSS_OK);
    trace t = {malloc(64 * sizeof *t.at), 0};
    size_t cap = 64;
    while (plussi_walk_next_phase(walk)) {
        for (uint32_t k = 0; k < plussi_walk_team(walk); k++) {
            size_t got;
            while ((got = plussi_walk_fill(walk, k, t.at + t.n, cap - t.n)) > 0) {
                t.n += got;
                if (t.n == cap)
                    t.at = realloc(t.at, (cap *= 2) * sizeof *t.at);
            }
        }
    }
    ck_assert_int_eq(plussi_walk_status(walk), PLUSS_OK);
    plussi_walk_free(walk);
    plussi_bound_free(bound);
    plussi_ctx_clear(&ctx);
    return t;
}

static trace walk_text(const char *text, uint32_t team)
{
    plussi_nest *nest = walk_pair_parse(text);
    plussi_bind_options options = {.team = team, .line_bytes = 64};
    trace t = walk_all(nest, &options);
    plussi_nest_free(nest);
    return t;
}

/* The same lines by the same threads in the same order; references may be numbered otherwise. */
static void same_lines(const char *a, const char *b, uint32_t team)
{
    trace x = walk_text(a, team), y = walk_text(b, team);
    ck_assert_uint_gt(x.n, 0);
    ck_assert_msg(x.n == y.n, "%zu and %zu accesses\n%s\n%s", x.n, y.n, a, b);
    for (size_t i = 0; i < x.n; i++)
        ck_assert_msg(x.at[i].line == y.at[i].line && x.at[i].thread == y.at[i].thread,
                      "access %zu\n%s\n%s", i, a, b);
    free(x.at);
    free(y.at);
}

START_TEST(two_ways_to_write_it)
{
    static const char *const pairs[][2] = {
        {"parallel for i in 0..12 collapse(2) schedule(static, 5) { for j in 0..7 { read A[i][j] } "
         "}",
         "parallel for f in 0..84 schedule(static, 5) { read A[f / 7][f % 7] }"},
        {"parallel for i in 2..20 step 3 { read A[i][1] }",
         "parallel for i in 0..6 { read A[2 + 3*i][1] }"},
        {"parallel for i in 19..-1 step -1 { read A[i][1] }",
         "parallel for i in 0..20 { read A[19 - i][1] }"},
        {"parallel for i in 0..20 { for j in i..20 { read A[i][j] } }",
         "parallel for i in 0..20 { for j in 0..20 { if (j >= i) { read A[i][j] } } }"},
        {"parallel for i in 0..20 { for j in 0..20 { read A[i][j] } }",
         "parallel { for i in (20*$thread + $team - 1) / $team..(20*($thread + 1) + $team - 1) / "
         "$team {\n"
         "for j in 0..20 { read A[i][j] } } }"}, /* T divides 20 */
        {"parallel for i in 0..20 schedule(static, 20 / $team) { read A[i][0] }",
         "parallel for i in 0..20 { read A[i][0] }"},
        {"for t in 0..3 { parallel for i in 0..20 { read A[i][t] } }",
         "parallel { for t in 0..3 { workshare for i in 0..20 { read A[i][t] } } }"},
        {"parallel if (1 > 2) for_i", "parallel num_threads(1) for_i"},
        {"parallel { master { read A[0][0] } barrier single { read A[1][1] } }",
         "parallel { if ($thread == 0) { read A[0][0] } barrier if ($thread == 0) { read A[1][1] } "
         "}"},
        {"parallel for i in 0..20 { read A[min(i, 7)][max(i, 4)] }",
         "parallel for i in 0..20 { read A[(i < 7) ? i : 7][(i > 4) ? i : 4] }"},
        {"for i in 0..20 { read A[i][0] } swap A, B swap B, A read A[1][1]",
         "for i in 0..20 { read A[i][0] } read A[1][1]"},
        {"swap A, B read A[3][3]", "read B[3][3]"},
        {"repeat 3 parallel for i in 0..20 { read A[i][i] }",
         "parallel for i in 0..20 { read A[i][i] } region r2 parallel for i in 0..20 {\n"
         "read A[i][i] } region r3 parallel for i in 0..20 { read A[i][i] }"},
    };
    static const uint32_t teams[] = {1, 2, 4, 5};
    for (size_t c = 0; c < sizeof pairs / sizeof *pairs; c++) {
        for (int t = 0; t < 4; t++) {
            char text[2][1000];
            for (int k = 0; k < 2; k++) {
                char body[800];
                const char *hole = strstr(pairs[c][k], "for_i");
                snprintf(body, sizeof body, "%.*s%s",
                         hole ? (int)(hole - pairs[c][k]) : (int)strlen(pairs[c][k]), pairs[c][k],
                         hole ? "{ workshare for i in 0..20 { read A[i][$team] } }" : "");
                snprintf(text[k], sizeof text[k], HEAD "array f64 A[21][21], B[21][21] region r %s",
                         body);
            }
            same_lines(text[0], text[1], teams[t]);
        }
    }
}
END_TEST

static int compare_accesses(const void *a, const void *b)
{
    const plussi_access *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->ref < y->ref ? -1 : x->ref > y->ref;
}

/* Sharing out work neither adds nor drops any: the multiset of accesses is that of one thread. */
START_TEST(any_team_does_the_same_work)
{
    const unsigned long long by_thread = NEST_GEN_REPLICATED | NEST_GEN_PRIVATE |
                                         NEST_GEN_THREAD_ID | NEST_GEN_BLOCK |
                                         NEST_GEN_NUM_THREADS | NEST_GEN_IF_CLAUSE;
    for (uint64_t k = 0; k < 150; k++) {
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, NULL);
        plussi_rng rng;
        plussi_rng_seed(&rng, 31, k);
        nest_gen_options go = nest_gen_defaults(NEST_GEN_WALK & ~by_thread);
        go.max_accesses = 5000;
        nest_gen gen;
        ck_assert_int_eq(nest_gen_make(&ctx, &rng, &go, &gen), PLUSS_OK);
        plussi_bind_options options = {
            .team = 1, .line_bytes = 64, .binding = gen.binding, .n_bindings = gen.n_bindings};
        trace alone = walk_all(gen.nest, &options);
        qsort(alone.at, alone.n, sizeof *alone.at, compare_accesses);
        for (uint32_t team = 2; team < 20; team = team * 2 + 1) {
            options.team = team;
            trace shared = walk_all(gen.nest, &options);
            ck_assert_uint_eq(shared.n, alone.n);
            qsort(shared.at, shared.n, sizeof *shared.at, compare_accesses);
            for (size_t i = 0; i < alone.n; i++)
                ck_assert(compare_accesses(&shared.at[i], &alone.at[i]) == 0);
            free(shared.at);
        }
        free(alone.at);
        nest_gen_free(&gen);
        plussi_ctx_clear(&ctx);
    }
}
END_TEST

/* At fixed addresses, a line of 128 bytes is two of 64, and so on, where nothing straddles. */
START_TEST(lines_within_lines)
{
    plussi_nest *nest = walk_pair_parse(
        HEAD "array f64 A[30][30] address(4096) array f32 B[900] address(65536) region r\n"
             "parallel for i in 0..30 schedule(static, 2) { for j in i..30 { read A[j][i]\n"
             "write B[30*i + j] } }");
    trace t[2];
    for (int k = 0; k < 2; k++) {
        plussi_bind_options options = {.team = 3, .line_bytes = k ? 1024 : 8};
        t[k] = walk_all(nest, &options);
    }
    ck_assert(t[0].n == t[1].n && t[0].n == 930);
    for (size_t i = 0; i < t[0].n; i++)
        ck_assert_uint_eq(t[0].at[i].line / 128, t[1].at[i].line);
    free(t[0].at);
    free(t[1].at);
    plussi_nest_free(nest);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("laws of walking");
    TCase *c = tcase_create("laws");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, two_ways_to_write_it);
    tcase_add_test(c, any_team_does_the_same_work);
    tcase_add_test(c, lines_within_lines);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
