/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Binding and walking against the oracle: construct by construct, then random nests.
 */
#include <stdio.h>

#include "../unit/suite.h"
#include "nest_gen.h"
#include "walk_pair.h"

static const uint32_t teams[] = {1, 2, 3, 4, 7, 16, 64};
enum { N_TEAMS = sizeof teams / sizeof *teams };

/* ---- constructs --------------------------------------------------------------------------------
 */

typedef struct construct {
    const char *name, *text;
    bool loose; /* ranges that interval arithmetic cannot find exactly */
} construct;

#define HEAD "pluss-nest 1\n"

static const construct constructs[] = {
    {"nothing", HEAD "region r\n", 0},
    {"no accesses", HEAD "region r parallel for i in 0..9 { }", 0},
    {"serial", HEAD "array f64 A[9] region r for i in 0..9 { read A[i] }", 0},
    {"gemm",
     HEAD "symbol n = 7, m = 9, p = 5 array f64 A[n][p], B[p][m], C[n][m] region r\n"
          "parallel for i in 0..n { for j in 0..m { read C[i][j] write C[i][j]\n"
          "for k in 0..p { read A[i][k] read B[k][j] read C[i][j] write C[i][j] } } }",
     0},
    {"chunks",
     HEAD "array f64 A[37] region r parallel for i in 0..37 schedule(static, 3) {\n"
          "read A[i] for j in 0..2 { write A[i] } }",
     0},
    {"chunk of symbols and IVs",
     HEAD "symbol c = 2 array f64 A[37] region r for t in 0..3 {\n"
          "parallel for i in t..37 schedule(static, c + t) { read A[i] } }",
     0},
    {"steps",
     HEAD "array f64 A[40], B[40] region r parallel for i in 3..40 step 7 { write B[i]\n"
          "for j in i..0 step -3 { read A[j] } for j in 39..39 step -1 { read A[j] } }",
     0},
    {"descending shares",
     HEAD "array f64 A[40] region r parallel for i in 39..-1 step -2 \n"
          "schedule(static, 2) { read A[i] }",
     0},
    {"triangles",
     HEAD "array f64 A[12][12] region r parallel for i in 0..12 { for j in i..12 {\n"
          "for k in j-i..j { read A[k][j-k] } } }",
     true},
    {"tiles",
     HEAD "symbol n = 29 array f64 A[n][n] region r parallel for ii in 0..n step 8 {\n"
          "for jj in 0..n step 5 { for i in ii..min(ii + 8, n) {\n"
          "for j in max(jj, 0)..min(jj + 5, n) { read A[i][j] } } } }",
     0},
    {"division",
     HEAD "array f64 A[30], B[30][3] region r parallel for i in 0..30 {\n"
          "read A[i / 3] read A[(2*i + 1) / 2] read B[i][i % 3] write A[(i + 7) % 30]\n"
          "for j in i / 2..i % 11 { read B[(i - 29) / 4 + 8][(0 - j) % 3] } }",
     true},
    {"choice of subscripts",
     HEAD "array f64 A[30] region r parallel for i in 0..30 {\n"
          "read A[(i < 10 || i > 20) ? i : 29 - i] read A[min(i, 7)] read A[max(min(i, 9), 3)] }",
     true},
    {"guards",
     HEAD "array f64 A[30][30] region r parallel for i in 0..30 { for j in 0..30 {\n"
          "if (i > j && j != 3) { read A[i - j - 1][j] } else { if (!(i == j)) {\n"
          "write A[i][j] } } if (i + 1 < 30) { read A[i + 1][j] } } }",
     true},
    {"constant guards",
     HEAD "symbol n = 4 array f64 A[9] region r parallel for i in 0..9 {\n"
          "if (n > 0) { read A[i] } if (n > 4) { read A[i + 9] }\n"
          "if (n > 5) { write A[i + 9] } else { write A[i] } }",
     0},
    {"branches",
     HEAD "array f64 A[50] region r repeat 3 for t in 0..2 { parallel for i in 0..50 {\n"
          "branch 0.4 { read A[i] } else { write A[i] branch 0.1 { write A[0] } }\n"
          "branch 0 { read A[1] } branch 1 { read A[2] } } }",
     0},
    {"phases",
     HEAD "array f64 A[20], B[20] region r read A[0] parallel { read A[1]\n"
          "workshare for i in 0..20 { read B[i] } read A[2]\n"
          "workshare for i in 0..20 nowait { write B[i] } \n"
          "workshare for i in 0..20 schedule(static, 1) nowait { read A[i] } barrier\n"
          "for t in 0..3 { workshare for i in t..20 { read B[i] } if (t == 1) { barrier } }\n"
          "} write A[0]",
     0},
    {"ends with a conditional barrier",
     HEAD "array f64 A[9] region r for t in 0..3 { parallel { read A[t] if (t == 1) { barrier } }\n"
          "parallel { workshare for i in 0..9 nowait { read A[i] } if (t > 0) { barrier }\n"
          "barrier } parallel { single { read A[t] } } parallel { barrier } read A[8] }",
     0},
    {"empty shared loops",
     HEAD "array f64 A[9] region r read A[0] parallel for i in 5..5 {\n"
          "read A[i] } read A[1] parallel { workshare for i in 0..0 {\n"
          "read A[i] } } read A[2] for t in 0..4 { parallel for i in t..2 {\n"
          "write A[i] } } read A[3]",
     0},
    {"single and master",
     HEAD "array f64 A[20] region r parallel { single { for i in 0..4 {\n"
          "write A[i] } } master { read A[5] } single nowait { read A[6] }\n"
          "critical { read A[7] } single { } for t in 0..3 { single nowait {\n"
          "write A[8 + t] } read A[19] } ordered { read A[9] } }",
     0},
    {"dynamic",
     HEAD "array f64 A[50] region r parallel { workshare for i in 0..50\n"
          "schedule(dynamic, 3) nowait { read A[i] if (i % 5 == 0) { for j in 0..i {\n"
          "read A[j] } } } workshare for i in 0..50 schedule(dynamic) nowait { write A[i] }\n"
          "workshare for i in 0..5 schedule(dynamic, 100) { read A[i] } }",
     0},
    {"guided",
     HEAD "array f64 A[200] region r parallel for i in 0..200 schedule(guided, 4) {\n"
          "read A[i] for j in 0..i / 40 { read A[j] } }",
     true},
    {"on demand without accesses",
     HEAD "array f64 A[9] region r read A[0] parallel for i in 0..9 schedule(dynamic) {\n"
          "if (i > 20) { read A[i] } } write A[0] parallel for i in 0..9 schedule(dynamic, 2) {\n"
          "if (i % 2 == 1) { read A[i] } }",
     true},
    {"instances ahead of others",
     HEAD "array f64 A[40] region r parallel { for t in 0..6 { workshare for i in 0..t + 2\n"
          "schedule(dynamic) nowait { read A[i] read A[t] } single nowait { write A[t] }\n"
          "read A[39] } }",
     0},
    {"collapse",
     HEAD "array f64 A[9][8] region r parallel for i in 0..9 collapse(2) {\n"
          "for j in 0..8 { read A[i][j] } } parallel for i in 8..0 step -2 collapse(3)\n"
          "schedule(static, 5) { for j in 1..8 step 3 { for k in 0..2 { read A[i][j]\n"
          "for l in 0..k { write A[k][l] } } } } parallel for i in 0..9 collapse(2)\n"
          "schedule(dynamic, 7) { for j in 0..8 { read A[i][j] } }",
     0},
    {"collapse of empty loops",
     HEAD "array f64 A[9] region r for t in 0..3 { parallel for i in 0..9 collapse(2) {\n"
          "for j in 0..t { read A[i] } } read A[t] }",
     0},
    {"nested regions",
     HEAD
     "array f64 A[12][12], P[4] private region r parallel for i in 0..12 {\n"
     "parallel num_threads(5) { read A[i][$thread] read A[i][$team] workshare for j in 0..i {\n"
     "read A[i][j] } single { write A[i][0] } barrier master { read P[1] } } }",
     0},
    {"num_threads and if",
     HEAD "array f64 A[70], P[3] private region r for t in 0..5 {\n"
          "parallel num_threads(t + 1) if (t != 3) { read A[$thread]\n"
          "read A[$team] read P[t / 2] workshare for i in 0..20 { read A[i] } } }\n"
          "parallel if (1 > 2) { write A[$team] } ",
     true},
    {"work shared out by hand",
     HEAD "symbol n = 100 array f64 A[n] region r parallel {\n"
          "for i in $thread * n / $team..($thread + 1) * n / $team { read A[i] } }",
     true},
    {"swaps",
     HEAD "array f64 A[9][9], B[9][9], C[9][9] array f64 V[9] over A + 8 region r\n"
          "for t in 0..4 { parallel for i in 1..8 { for j in 1..8 { read A[i][j-1]\n"
          "read A[i][j+1] write B[i][j] } } swap A, B if (t == 2) { swap B, C } read V[t] }",
     true},
    {"repeats",
     HEAD "symbol k = 2 array f64 A[9] region a repeat k + 1 parallel for i in 0..9 {\n"
          "read A[i] } region b repeat 0 read A[0] region c write A[1]\n"
          "region d write A[2]",
     0},
    {"symbols of regions",
     HEAD "symbol n = 3, m = n * n + 1 array f64 A[m] region a symbol n = m / 2\n"
          "parallel for i in 0..n { read A[i] } region b for i in 0..n {\n"
          "write A[i] }",
     0},
    {"indirect",
     HEAD "array i64 p[4] values(0, 3, 3, 7) array i32 q[7] values(6,5,4,3,2,1,0)\n"
          "array i64 two[2][3] values(1,2,3,4,5,6) array f64 x[8] region r\n"
          "parallel for i in 0..3 { for k in p[i]..p[i + 1] { read q[k] read x[q[k]]\n"
          "read x[two[k % 2][i]] if (q[k] > 3) { write x[q[q[k]]] } } }",
     true},
    {"elements",
     HEAD "array b48 S[20] array b3 T[20] array f32 F[20] array c128 Z[9]\n"
          "array b200 H[5] region r parallel for i in 0..5 { read S[i] bytes 40..48\n"
          "read S[i] bytes 0..8 read S[i] read T[i] bytes 1..3 read T[i] write F[i]\n"
          "read Z[i] read H[i] read H[i] bytes 60..130 write H[i] bytes 199..200 }",
     0},
    {"places",
     HEAD "array f64 A[9] array f64 B[9] offset(8) array f64 C[9] address(65664)\n"
          "array f64 D[9] offset(100) array f64 E[9] array f64 G[9] address(4)\n"
          "array f64 V[3] over B + 60 array f64 W[1] over V + 4 array f64 s array f64 K[0]\n"
          "region r for i in 0..3 { read A[i] read B[i] read C[i] read D[i] read E[i]\n"
          "read G[i] read V[i] read W[0] read s }",
     0},
    {"before the start",
     HEAD "array f64 A[9], B[], C[][4] region r for i in 0..9 { read A[i]\n"
          "read B[i - 12] write B[i + 1] read C[i][1] }",
     0},
    {"layouts",
     HEAD "array f64 A[5][7] column array f64 B[5][7] stride(9, 1)\n"
          "array f64 C[][7] array f64 D[4][] column array f64 E[6] stride(-2) region r\n"
          "parallel for i in 0..5 { for j in 0..7 { read A[i][j] read B[i][j] read C[i][j]\n"
          "read E[i] } for j in 0..4 { read D[j][i] } }",
     0},
    {"private",
     HEAD "array f64 P[5] private array f64 Q[3] private offset(60)\n"
          "array f64 V[2] private over Q + 8 region r read P[0] parallel { read P[$thread % 5]\n"
          "workshare for i in 0..9 { read Q[i % 3] read V[i % 2] } }",
     0},
    {"runtime",
     HEAD "array f64 A[30] region r parallel for i in 0..30 schedule(runtime) { read A[i] }", 0},
    {"auto", HEAD "array f64 A[30] region r parallel for i in 0..30 schedule(auto) { read A[i] }",
     0},
};

START_TEST(construct_by_construct)
{
    const construct *c = &constructs[_i];
    plussi_nest *nest = walk_pair_parse(c->text);
    for (int t = 0; t < N_TEAMS; t++) {
        for (uint32_t line = 1; line <= 64; line *= 8) {
            walk_pair_options o = {.team = teams[t],
                                   .line_bytes = line,
                                   .seed = 5 + line,
                                   .same_places = !c->loose,
                                   .name = c->name};
            walk_pair_check(nest, &o);
        }
    }
    plussi_nest_free(nest);
}
END_TEST

START_TEST(schedules_of_runtime_loops)
{
    static const plussi_schedule_kind kinds[] = {PLUSSI_SCHED_NONE, PLUSSI_SCHED_STATIC,
                                                 PLUSSI_SCHED_DYNAMIC, PLUSSI_SCHED_GUIDED};
    plussi_nest *nest = walk_pair_parse(
        HEAD "array f64 A[50] region r parallel for i in 0..50 schedule(runtime) { read A[i] }");
    for (int k = 0; k < 4; k++) {
        for (int chunk = 0; chunk < 4; chunk++) {
            walk_pair_options o = {.team = 4,
                                   .line_bytes = 64,
                                   .runtime = kinds[k],
                                   .runtime_chunk = chunk,
                                   .same_places = true,
                                   .name = "runtime"};
            ck_assert_uint_eq(walk_pair_check(nest, &o), 50);
        }
    }
    plussi_nest_free(nest);
}
END_TEST

/* ---- random nests ------------------------------------------------------------------------------
 */

static void random_nests(unsigned long long allow, uint64_t stream, int count, uint64_t accesses)
{
    for (int k = 0; k < count; k++) {
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, NULL);
        plussi_rng rng;
        plussi_rng_seed(&rng, stream, (uint64_t)k);
        nest_gen_options options = nest_gen_defaults(allow);
        options.max_accesses = accesses;
        options.max_team = 64;
        nest_gen gen;
        ck_assert_int_eq(nest_gen_make(&ctx, &rng, &options, &gen), PLUSS_OK);
        char name[40];
        snprintf(name, sizeof name, "random nest %llu.%d", (unsigned long long)stream, k);
        walk_pair_options o = {.team = teams[k % N_TEAMS],
                               .line_bytes = k % 5 == 4 ? 32 : 64,
                               .seed = (uint64_t)k,
                               .binding = gen.binding,
                               .n_bindings = gen.n_bindings,
                               .name = name};
        walk_pair_check(gen.nest, &o);
        nest_gen_free(&gen);
        plussi_ctx_clear(&ctx);
    }
}

START_TEST(random_static)
{
    random_nests(NEST_GEN_STATIC, 1, 150, 3000);
}
END_TEST

START_TEST(random_affine)
{
    random_nests(NEST_GEN_AFFINE, 2, 150, 3000);
}
END_TEST

START_TEST(random_walkable)
{
    random_nests(NEST_GEN_WALK, 3, 300, 3000);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("walk against the oracle");
    TCase *c = tcase_create("constructs");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, construct_by_construct, 0,
                        (int)(sizeof constructs / sizeof *constructs));
    tcase_add_test(c, schedules_of_runtime_loops);
    suite_add_tcase(s, c);
    TCase *r = tcase_create("random");
    tcase_set_timeout(r, 120);
    tcase_add_test(r, random_static);
    tcase_add_test(r, random_affine);
    tcase_add_test(r, random_walkable);
    suite_add_tcase(s, r);
    return s;
}

SUITE_MAIN(suite())
