/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The closed-form engine against exhaustive walks: nests written by hand, one a construct, for
 * seven team sizes and four static schedules, and random nests. PLUSS_LONG=1 in the environment
 * takes 10,000 of the latter.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/failing_mem.h"
#include "../unit/suite.h"
#include "nest_gen.h"
#include "sampler_check.h"

static const uint32_t teams[] = {1, 2, 3, 4, 7, 16, 64};
enum { N_TEAMS = sizeof teams / sizeof *teams };

static plussi_ctx ctx;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
}
static void teardown(void)
{
    plussi_ctx_clear(&ctx);
}

static plussi_nest *parse(const char *text)
{
    plussi_nest *nest;
    pluss_status status = plussi_nest_parse(&ctx, text, strlen(text), "test", &nest);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "no memory");
    return nest;
}

static plussi_bound *bind(const plussi_nest *nest, uint32_t team, int64_t chunk, bool force)
{
    plussi_bind_options options = {.team = team, .line_bytes = 64, .chunk = chunk};
    options.schedule = PLUSSI_SCHED_STATIC;
    options.force_schedule = force;
    plussi_bound *bound;
    pluss_status status = plussi_bind(&ctx, nest, &options, &bound);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "no memory");
    return bound;
}

/* ---- nests written by hand
 * ------------------------------------------------------------------------ */

static const struct {
    const char *name, *text;
} hand[] = {
    {"gemm", "array f64 A[7][9]\narray f64 B[9][10]\narray f64 C[7][10]\n"
             "parallel for i in 0..7 { for j in 0..10 { read C[i][j] write C[i][j] for k in 0..9 {"
             " read A[i][k] read B[k][j] read C[i][j] write C[i][j] } } }"},
    {"triangular", "array f64 C[13][13]\narray f64 A[13][5]\n"
                   "parallel for i in 0..13 { for j in 0..i+1 { read C[i][j] } for k in 0..5 {"
                   " for j in 0..i+1 { read A[i][k] read A[j][k] write C[i][j] } } }"},
    {"trapezoid", "array f64 A[20][40]\n"
                  "parallel for i in 0..14 { for j in i-3..2*i+5 { for k in j..i+9 {"
                  " read A[i][k+3] write A[k+3][j+3] } } }"},
    {"empty ranges", "array f64 A[20][20]\n"
                     "parallel for i in 0..12 { for j in 5..i { for k in j..9 { read A[j][k]"
                     " write A[k][i] } } read A[i][i] }"},
    {"steps", "array f64 A[40][40]\n"
              "parallel for i in 1..30 step 3 { for j in i..38 step 4 { read A[i][j] read A[j][i]"
              " } for j in 38..i step -5 { write A[j][i] } }"},
    {"descending", "array f64 A[30]\narray f64 B[30][30]\n"
                   "for t in 6..0 step -2 { parallel for i in 28..t step -1 { read A[i+1]"
                   " write A[i] for j in i..0 step -3 { read B[i][j] } } }"},
    {"lu", "array f64 A[15][15]\n"
           "for k in 0..15 { parallel for i in k+1..15 { read A[k][k] write A[i][k]"
           " for j in k+1..15 { read A[i][k] read A[k][j] write A[i][j] } } }"},
    {"lu backwards", "array f64 A[15][15]\n"
                     "for k in 14..-1 step -1 { parallel for i in 0..k { for j in 0..k {"
                     " read A[i][k] read A[k][j] write A[i][j] } } }"},
    {"wavefront", "array f64 A[14][14]\n"
                  "for t in 0..3 { for w in 3..37 { parallel for"
                  " i in max(1, (w + 17)/2 - 14)..min(12, (w - 1)/2) + 1 {"
                  " read A[i-1][w-2*i-1] read A[i][w-2*i+1] read A[i+1][w-2*i]"
                  " write A[i][w-2*i] } } }"},
    {"diagonals", "array i32 A[24][24]\n"
                  "for d in 2..24 { parallel for i in 0..24-d { read A[i][i+d-1] read A[i+1][i+d]"
                  " for k in i+1..i+d { read A[i][k] read A[k+1][i+d] } write A[i][i+d] } }"},
    {"convolution", "array f32 A[20][20]\narray f32 B[16][16]\n"
                    "parallel for y in 0..16 { for x in 0..16 { for v in 0..3 { for u in 0..5 {"
                    " read A[y+v][x+u] read A[y+2*v][15-x+u] } } write B[y][x] } }"},
    {"tiles", "array f64 A[22][22]\narray f64 B[22][22]\n"
              "parallel for p in 0..22 step 5 { for q in 0..22 step 4 {"
              " for i in p..min(p+5, 22) { for j in min(q+3, 21)..q-1 step -1 {"
              " read A[i][j] write B[j][i] } } } }"},
    {"triangle by condition", "array f64 A[15][15]\n"
                              "parallel for i in 0..15 { for j in 0..15 { if (2*i < j + 4) {"
                              " read A[i][j] if (j < 9) { write A[j][i] } } else {"
                              " read A[i][j] } } }"},
    {"jacobi", "array f64 A[12][12]\narray f64 B[12][12]\n"
               "for t in 0..5 { parallel for i in 1..11 { for j in 1..11 { read A[i][j]"
               " read A[i][j-1] read A[i][j+1] read A[i-1][j] read A[i+1][j] write B[i][j] } }"
               " parallel for i in 1..11 { for j in 1..11 { read B[i][j] write A[i][j] } } }"},
    {"jacobi, two planes", "array f64 A[2][12][12]\n"
                           "for t in 0..7 { parallel for i in 1..11 { for j in 1..11 {"
                           " read A[t%2][i][j-1] read A[t%2][i+1][j] write A[(t+1)%2][i][j] } } }"},
    {"jacobi, swapped", "array f64 A[12][12]\narray f64 B[12][12]\narray f64 D[12][12]\n"
                        "for t in 0..7 { parallel for i in 1..11 { for j in 1..11 {"
                        " read A[i][j] read A[i-1][j] write B[i][j] read D[i][j] } } swap A, B\n"
                        "swap B, D }\nparallel for i in 0..12 { read A[i][3] read B[3][i] }"},
    {"swaps within swaps", "array f64 A[30]\narray f64 B[30]\narray f64 D[30]\n"
                           "for t in 0..4 { for s in 0..3 { parallel for i in 0..30 { read A[i]"
                           " write B[i] } swap A, B }\nparallel for i in 0..30 { read D[i]"
                           " write A[i] } swap B, D }"},
    {"tiles", "array f64 A[23][23]\narray f64 B[23][23]\n"
              "parallel for ii in 0..(23+4)/5 { for jj in 0..(23+4)/5 {"
              " for i in 5*ii..min(5*ii+5,23) { for j in 5*jj..min(5*jj+5,23) {"
              " read A[i][j] write B[j][i] } } } }"},
    {"sums over tiles",
     "array f64 A[11][11]\narray f64 B[11][11]\n"
     "parallel for ii in 0..(11+4)/5 { for i in 5*ii..min(5*ii+5,11) { read B[i][i] }"
     " for jj in 0..(11+4)/5 { for kk in 0..(7+3)/4 { for i in 5*ii..min(5*ii+5,11) {"
     " for j in 5*jj..min(5*jj+5,11) { for k in 4*kk..min(4*kk+4,7) { read A[i][k]"
     " write B[k][j] } } } } for kk in 0..2 { for j in 5*jj..min(5*jj+5,11) { read A[j][kk]"
     " for k in 4*kk..min(4*kk+4,7) { read B[k][j] } write A[j][kk] } } read A[ii][jj] } }"},
    {"falling tiles",
     "array f64 A[23][23]\n"
     "parallel { for jj in 4..-1 step -1 { for ii in 20..-1 step -5 {"
     " for i in min(ii+5,23)..ii step -1 { for j in 5*jj..min(5*jj+5,23) step 2 {"
     " read A[(i-1)][j] } } } workshare for i in 0..9 nowait { for j in max(5*jj-2,0)..5*jj+1 {"
     " write A[i][j] } } for ii in 7..7+jj { for i in ii..min(ii+2,19) { read A[i][ii] } } } }"},
    {"skewed tiles", "array f64 A[60]\n"
                     "for t in 0..8 { parallel for p in max(0,(t-3)/2)..min(t/2+3,9) {"
                     " for i in max(4*p, t)..min(4*p+6, t+20) { read A[i] write A[i+1] } } }"},
    {"div and mod", "array f64 A[40][8]\n"
                    "parallel for i in 0..36 { for j in i/3..i/2+3 { read A[j][i%5]"
                    " write A[(i+j)/3][(2*i+j)%8] } for j in 0..i%4 { read A[i][j] } }"},
    {"clamped", "array f64 A[20][20]\n"
                "parallel for i in 0..20 { for j in 0..20 { read A[max(i-1,0)][min(j+2,19)]"
                " write A[(i < j) ? i : j][j] } }"},
    {"guards", "array f64 A[18][18]\n"
               "parallel for i in 0..18 { for j in 0..18 { if (j <= i) { read A[i][j] } else {"
               " write A[j][i] } if (i + j >= 9 && j != 4) { read A[j][j] }"
               " if (i == j || 2*i > j+20) { write A[i][3] } if (j % 3 == 1) { read A[3][j] } } }"},
    {"guarded phases", "array f64 A[40]\n"
                       "for t in 0..12 { read A[t] if (t % 3 == 1) { parallel for i in 0..40 {"
                       " read A[i] } } if (t > 6) { parallel for i in t..30 { write A[i] } }"
                       " write A[t+1] }"},
    {"unaligned, odd sizes", "array i8 A[300] offset(61)\narray b48 B[40] offset(8)\n"
                             "array b3 D[9][31] offset(1)\narray f80 E[20][3] offset(56)\n"
                             "parallel for i in 0..9 { for j in 0..30 { read A[i*31+j] read B[j]"
                             " write D[i][j] read E[i+j/4][j%3] } }"},
    {"straddling",
     "array b48 A[50] offset(24)\narray b200 B[7] offset(60)\narray i64 D[60] offset(4)\n"
     "parallel for i in 0..7 { for j in 0..40 { read A[j] write A[j+i] read D[j+i] }"
     " write B[i] read B[6-i] }"},
    {"fields", "array b24 P[60] offset(40)\n"
               "parallel for i in 0..60 { read P[i] bytes 0..8 read P[59-i] bytes 8..12"
               " write P[i] bytes 16..24 atomic write P[(7*i)%60] bytes 12..13 }"},
    {"views", "array f64 A[120]\narray i8 B[700] over A + 64\narray f64 D[10][10] over B + 16\n"
              "parallel for i in 0..10 { for j in 0..10 { read A[i*10+j] write B[i*60+j]"
              " read D[j][i] } }"},
    {"addresses", "array f64 A[40] address(4096)\narray f64 B[40] address(4224)\n"
                  "parallel for i in 0..40 { read A[i] write B[39-i] }"},
    {"private",
     "array f64 S[20] private\narray f64 A[30]\n"
     "for t in 0..3 { parallel { for j in 0..20 { write S[j] } workshare for i in 0..30 {"
     " read A[i] for j in 0..i%20 { read S[j] write S[i%20] } } } }"},
    {"nowait", "array f64 A[30]\narray f64 B[30]\n"
               "parallel { workshare for i in 0..30 nowait { write A[i] } workshare for i in 0..20"
               " nowait { read A[i+5] write B[i] } for j in 0..9 { read B[j] } workshare for i in"
               " 0..30 { read B[29-i] } read A[0] }"},
    {"nowait in a loop", "array f64 A[30][8]\n"
                         "parallel { for t in 0..8 { workshare for i in t..30 nowait { read A[i][t]"
                         " write A[i][7-t] } read A[t][0] } }"},
    {"time loop inside", "array f64 A[30]\narray f64 B[30]\n"
                         "parallel { for t in 0..6 { workshare for i in 1..29 { read A[i-1]"
                         " read A[i+1] write B[i] } master { write A[t] read B[29] }"
                         " workshare for i in 1..29 nowait { write A[i] } barrier } }"},
    {"long and uneven", /* prefix sums some turns apart */
     "array f64 A[30]\nfor w in 0..17000 { if (w % 17 == 3) { read A[w % 30] } if (w >= 16990) {"
     " write A[w - 16980] } }"},
    {"serial between", "array f64 A[30]\narray f64 S\n"
                       "for t in 0..4 { write S for i in 0..30 step 7 { read A[i] } parallel for i"
                       " in 0..30 { read S read A[i] write A[i] } read A[t] write S }"},
    {"replicated", "array f64 A[30]\narray f64 B[30][9]\n"
                   "parallel { for j in 0..9 { read A[j] read B[$thread % 30][j] }"
                   " for i in $thread*30/$team..($thread+1)*30/$team { write A[i] }"
                   " single nowait { read A[3] } if ($thread == 1) { read A[20] } barrier"
                   " critical { write A[$thread % 30] } }"},
    {"single", "array f64 A[30]\n"
               "parallel { workshare for i in 0..30 { read A[i] } single { for i in 0..30 {"
               " write A[i] } } workshare for i in 0..30 { read A[29-i] } }"},
    {"collapse", "array f64 A[9][12]\narray f64 B[12]\n"
                 "parallel for i in 0..9 collapse(2) { for j in 0..12 { read A[i][j] read B[j]"
                 " for k in 0..j { write B[k] } } }"},
    {"collapse of three", "array f64 A[4][5][6]\narray f64 B[6][4]\n"
                          "for t in 0..3 { parallel for i in 0..4 collapse(3) { for j in 5..0 step"
                          " -1 { for k in 0..6 step 2 { read A[i][j-1][k] write B[k][i] } } } }"},
    {"collapse of a triangle", "array f64 A[14][14]\narray f64 B[14]\n"
                               "parallel for i in 0..14 collapse(2) { for j in i..14 { read A[i][j]"
                               " read A[j][i] write B[j] } }"},
    {"collapse that moves", "array f64 A[14][20]\n"
                            "for t in 0..9 { parallel for i in t..12 collapse(2) { for j in"
                            " t..i+2 { read A[i][j] write A[j][i] } } }"},
    {"teams", "array f64 A[40]\n"
              "for t in 1..7 { parallel for i in 0..40 num_threads(t) { read A[i] }"
              " parallel for i in 0..40 if (t % 2 == 0) { write A[39-i] } }"},
    {"nested",
     "array f64 A[30][10]\n"
     "parallel for i in 0..30 { parallel for j in 0..10 { read A[i][j] } write A[i][0] }"},
    {"flat", "array f64 A[200]\narray f64 B[200]\n"
             "parallel for i in 0..14 { for j in 0..14 { for k in 0..14 { read A[i*14+k]"
             " read B[k*14+j] } } }"},
    {"convolution", "array f64 I[14][14]\narray f64 W[3][3]\narray f64 O[12][12]\n"
                    "parallel for i in 0..12 { for j in 0..12 { for p in 0..3 { for q in 0..3 {"
                    " read I[i+p][j+q] read W[p][q] write O[i][j] } } } }"},
    {"diagonals", "array f64 A[40][40]\n"
                  "parallel for i in 0..20 { for j in 0..20 { read A[i+j][i-j+20]"
                  " write A[2*i][j+i] } }"},
    {"narrow rows", "array f64 A[60][2]\narray f64 B[70][3]\narray i8 D[40][5]\n"
                    "parallel for i in 0..30 { for j in 0..2 { read A[2*i][j] read B[i+j][j]"
                    " write D[i][j+3] } for j in 0..30 { read A[j][1] read D[j][i%5] } }"},
    {"column order", "array f64 A[9][11] column\narray f64 B[9][11] stride(13, 1)\n"
                     "parallel for i in 0..9 { for j in 0..11 { read A[i][j] write B[i][j] } }"},
    {"negative stride", "array f64 A[30] stride(-1) offset(8)\n"
                        "parallel for i in 0..30 { read A[i] write A[29-i] read A[i%7] }"},
    {"out of rows", "array f64 A[10][10]\n"
                    "parallel for i in 1..9 { for j in 0..10 { read A[i][j-1] read A[i][j+1]"
                    " write A[i-1][j+7] } }"},
    {"repeats", "array f64 A[40]\nregion again repeat 3\narray f64 S[9]\n"
                "parallel for i in 0..40 { read A[i] write S[i%9] }\nregion last\n"
                "parallel for i in 0..40 { read A[39-i] }"},
    {"scalars", "array f64 S\narray f64 A[20]\n"
                "parallel for i in 0..20 { read S for j in 0..3 { read A[i] write S } }"},
};

enum { N_HAND = sizeof hand / sizeof *hand };

static void check_bound(const plussi_bound *bound, const char *name, uint32_t team, int64_t chunk)
{
    sampler_report report;
    pluss_status status = sampler_check(&ctx, bound, &report);
    ck_assert_msg(status == PLUSS_OK, "%s: %s", name,
                  ctx.n_diags ? ctx.diags[ctx.n_diags - 1].text : plussi_status_text(status));
    ck_assert_msg(report.mismatches == 0, "%s, T = %u, chunk %d: %" PRIu64 " mismatches; %s", name,
                  team, (int)chunk, report.mismatches, report.first);
    ck_assert_msg(report.accesses > 0, "%s: no accesses", name);
}

START_TEST(hand_written)
{
    static const int64_t chunks[] = {-1, 0, 1, 3, 8}; /* -1: as written */
    const size_t step = (size_t)suite_step();
    char text[4096];
    const char *start =
        strstr(hand[_i].text, "region") ? "pluss-nest 1\n" : "pluss-nest 1\nregion r\n";
    snprintf(text, sizeof text, "%s%s", start, hand[_i].text);
    plussi_nest *nest = parse(text);
    for (size_t t = 0; t < N_TEAMS; t++)
        for (size_t c = (t + (size_t)_i) % step; c < sizeof chunks / sizeof *chunks; c += step) {
            plussi_bound *bound = bind(nest, teams[t], chunks[c], chunks[c] >= 0);
            check_bound(bound, hand[_i].name, teams[t], chunks[c]);
            plussi_bound_free(bound);
        }
    plussi_nest_free(nest);
}
END_TEST

/* All pairs: every thread reads all of the array alike, and its own part of it once more. */
START_TEST(alike_but_for_few)
{
    enum { TEAM = 16 };
    sampler_report report;
    plussi_nest *nest =
        parse("pluss-nest 1\nregion r\narray f64 X[64]\narray f64 F[64]\n"
              "for t in 0..2 { parallel for i in 0..64 { for j in 0..64 { read X[i] read X[j] "
              "write F[i] } } }");
    plussi_bound *bound = bind(nest, TEAM, 0, true);
    ck_assert_int_eq(sampler_check(&ctx, bound, &report), PLUSS_OK);
    ck_assert_msg(report.mismatches == 0, "%s", report.first);
    ck_assert_uint_gt(report.alike, report.accesses / 4); /* but for each thread's own, of X[j] */
    ck_assert_uint_gt(report.excepted, 0);
    ck_assert_uint_gt(report.back, report.accesses / 7);
    plussi_bound_free(bound);
    plussi_nest_free(nest);
}
END_TEST

/* ---- random nests
 * --------------------------------------------------------------------------------- */

static bool check_random(uint64_t k)
{
    static const int64_t chunks[] = {0, 1, 3, 8};
    plussi_rng rng;
    plussi_rng_seed(&rng, 20, k);
    nest_gen_options options =
        nest_gen_defaults(NEST_GEN_STATIC | NEST_GEN_THREAD_ID | NEST_GEN_NESTED | NEST_GEN_SELECT);
    options.max_accesses = 3000;
    nest_gen gen;
    ck_assert_int_eq(nest_gen_make(&ctx, &rng, &options, &gen), PLUSS_OK);
    plussi_bind_options bind_options = {.team = teams[k % N_TEAMS],
                                        .line_bytes = k % 5 ? 64 : 32,
                                        .binding = gen.binding,
                                        .n_bindings = gen.n_bindings,
                                        .schedule = PLUSSI_SCHED_STATIC,
                                        .chunk = chunks[k / 3 % 4],
                                        .force_schedule = k % 3 == 0};
    plussi_bound *bound;
    pluss_status status = plussi_bind(&ctx, gen.nest, &bind_options, &bound);
    if (status == PLUSS_OK) {
        char name[40];
        snprintf(name, sizeof name, "random nest %" PRIu64, k);
        sampler_report report;
        status = sampler_check(&ctx, bound, &report);
        ck_assert_msg(status == PLUSS_OK, "%s: %s", name,
                      ctx.n_diags ? ctx.diags[ctx.n_diags - 1].text : plussi_status_text(status));
        ck_assert_msg(report.mismatches == 0, "%s: %" PRIu64 " mismatches; %s", name,
                      report.mismatches, report.first);
        plussi_bound_free(bound);
    }
    nest_gen_free(&gen);
    plussi_ctx_clear(&ctx);
    return status == PLUSS_OK;
}

START_TEST(random_nests)
{
    const char *more = getenv("PLUSS_LONG");
    uint64_t n = more && *more ? 2000 : 120 / (uint64_t)suite_step(), bound = 0;
    for (uint64_t k = 0; k < n; k++)
        bound += check_random((uint64_t)_i * n + k);
    ck_assert_uint_gt(bound, n * 9 / 10); /* the rest are nests that binding refuses */
}
END_TEST

/* ---- shares that are handed out
 * -------------------------------------------------------------------- */

/* Pieces of `size` iterations dealt out by a rule of their own, in one order or the other. */
typedef struct hand_out {
    uint32_t loop, thread;
    int64_t iv;
    plussi_segment *segment;
    uint64_t *before;
    size_t n;
} hand_out;

enum { MAX_DEALT = 4096 };

typedef struct deal {
    uint64_t size;
    bool backwards;
    hand_out at[MAX_DEALT];
    size_t n;
} deal;

static const hand_out *dealt(deal *d, const hand_out *key, uint64_t n, uint32_t team)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->at[i].loop == key->loop && d->at[i].thread == key->thread && d->at[i].iv == key->iv)
            return &d->at[i];
    ck_assert_uint_lt(d->n, MAX_DEALT);
    hand_out *h = &d->at[d->n++];
    *h = *key;
    uint64_t pieces = (n + d->size - 1) / d->size, sum = 0;
    uint64_t salt = h->loop * 7 + (uint64_t)h->iv * 3;
    h->segment = malloc((pieces + 1) * sizeof *h->segment);
    h->before = malloc((pieces + 1) * sizeof *h->before);
    for (uint64_t k = 0; k < pieces; k++) {
        uint64_t j = d->backwards ? pieces - 1 - k : k;
        if ((j * 5 + salt + j / 3) % team != h->thread)
            continue;
        uint64_t hi = (j + 1) * d->size < n ? (j + 1) * d->size : n;
        h->segment[h->n] = (plussi_segment){j * d->size, hi};
        h->before[h->n++] = sum;
        sum += hi - j * d->size;
    }
    h->before[h->n] = sum;
    return h;
}

static bool deal_share(void *user, const plussi_bound_node *loop, const int64_t *iv, uint64_t n,
                       uint64_t chunk, uint32_t team, uint32_t thread, plussi_thread_set *out)
{
    (void)chunk;
    deal *d = user;
    hand_out key = {.loop = loop->id, .thread = thread, .iv = loop->depth ? iv[1] : 0};
    const hand_out *h = dealt(d, &key, n, team);
    *out = (plussi_thread_set){.set = {.kind = PLUSSI_ITERSET_SEGMENTS,
                                       .team = team,
                                       .thread = thread,
                                       .n = n,
                                       .segment = h->segment,
                                       .before = h->before,
                                       .n_segments = h->n,
                                       .ascending = !d->backwards}};
    return true;
}

static const char *const handed_out_nests[] = {
    "array f64 A[30][12]\nparallel for i in 0..30 schedule(dynamic, 2) { for j in 0..i%12 {"
    " read A[i][j] write A[29-i][j] } read A[i][0] }",
    "array f64 A[20][20]\nfor k in 0..19 { parallel for i in k+1..20 schedule(dynamic) { read"
    " A[i][k] for j in k+1..20 { read A[k][j] write A[i][j] } } }",
    "array f64 A[40]\narray f64 B[40]\nparallel { workshare for i in 0..40 schedule(guided)"
    " nowait { read A[i] } workshare for i in 0..40 schedule(dynamic, 3) { read A[39-i]"
    " write B[i] } for j in 0..5 { read B[j] } }",
    "array f64 A[12][12]\nfor t in 0..3 { parallel for i in 0..12 collapse(2)"
    " schedule(dynamic) { for j in 0..i+1 { read A[i][j] write A[j][i] } } }",
    "array f64 A[40]\narray f64 B[40]\nfor t in 0..3 { parallel for i in 0..40 schedule(dynamic) {"
    " write B[i] for j in 0..i { read A[j] } for j in i..40 step 3 { read B[j] } } }",
};

static void check_handed_out(int nest_number, uint32_t team, const plussi_iterset_source *source,
                             int size)
{
    char all[1024];
    snprintf(all, sizeof all, "pluss-nest 1\nregion r\n%s", handed_out_nests[nest_number]);
    plussi_nest *nest = parse(all);
    plussi_bound *bound = bind(nest, team, 0, false);
    sampler_report report;
    ck_assert_int_eq(sampler_check_shares(&ctx, bound, source, &report), PLUSS_OK);
    ck_assert_msg(report.mismatches == 0, "T = %u, pieces of %d: %s", team, size, report.first);
    plussi_bound_free(bound);
    plussi_nest_free(nest);
}

START_TEST(handed_out)
{
    for (int backwards = 0; backwards < 2; backwards++)
        for (uint64_t size = 1; size < 6; size += 2)
            for (size_t t = 0; t < 5; t++) {
                if (backwards && _i == 3)
                    continue; /* work stealing does not collapse */
                deal *d = calloc(1, sizeof *d);
                d->size = size;
                d->backwards = backwards;
                plussi_iterset_source source = {deal_share, d, !backwards, false};
                check_handed_out(_i, teams[t], &source, (int)size);
                for (size_t k = 0; k < d->n; k++) {
                    free(d->at[k].segment);
                    free(d->at[k].before);
                }
                free(d);
            }
}
END_TEST

/* Chunks go round, but not from thread 0 on: another one in each instance. */
static bool deal_in_turn(void *user, const plussi_bound_node *loop, const int64_t *iv, uint64_t n,
                         uint64_t chunk, uint32_t team, uint32_t thread, plussi_thread_set *out)
{
    (void)chunk;
    const uint32_t first = (uint32_t)(loop->id * 3 + (uint64_t)(loop->depth ? iv[1] : 1) * 5);
    *out = (plussi_thread_set){
        .set = plussi_iterset_static(n, *(const uint64_t *)user, team, (thread + first) % team)};
    return true;
}

START_TEST(handed_out_in_turn)
{
    for (uint64_t size = 1; size < 6; size += 2)
        for (size_t t = 0; t < 5; t++) {
            plussi_iterset_source source = {deal_in_turn, &size, true, false};
            check_handed_out(_i, teams[t], &source, (int)size);
        }
}
END_TEST

/* ---- refusals, memory
 * ------------------------------------------------------------------------------ */

START_TEST(refused)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"array f64 A[9]\nparallel for i in 0..9 { branch 0.5 { read A[i] } }", "branch"},
        {"array i32 I[3] values(1, 2, 0)\narray f64 A[3]\nparallel for i in 0..3 { read A[I[i]] }",
         "loaded from memory"},
        {"array f64 A[9]\nparallel for i in 0..9 { read A[i] unknown call \"f\" }", "unknown"},
        {"array f64 A[9]\nparallel for i in 0..9 schedule(dynamic) { read A[i] }", "schedule"},
        {"array f64 A[9]\narray f64 B[9]\nfor i in 0..9 { for j in 0..i { swap A, B } read A[i] }",
         "swaps of arrays"},
        {"array f64 A[9]\narray f64 B[9]\nfor i in 0..9 { if (i > 3) { swap A, B } read A[i] }",
         "condition"},
    };
    char text[512];
    snprintf(text, sizeof text, "pluss-nest 1\nregion r\n%s", bad[_i].text);
    plussi_nest *nest = parse(text);
    plussi_bound *bound = bind(nest, 4, 0, false);
    plussi_engine *engine = NULL;
    size_t before = ctx.n_diags;
    ck_assert_int_eq(plussi_engine_new(&ctx, bound, NULL, &engine), PLUSS_EUNSUPPORTED);
    ck_assert_ptr_null(engine);
    ck_assert_uint_eq(ctx.n_diags, before + 1);
    ck_assert_msg(strstr(ctx.diags[before].text, bad[_i].says), "%s", ctx.diags[before].text);
    plussi_bound_free(bound);
    plussi_nest_free(nest);
}
END_TEST

START_TEST(too_many)
{
    plussi_nest *nest = parse("pluss-nest 1\nregion r\narray i8 A[2]\n"
                              "parallel for i in 0..4000000000 { for j in 0..4000000000 {"
                              " read A[0] } }");
    plussi_bind_options options = {.team = 2, .line_bytes = 64};
    plussi_bound *bound;
    pluss_status status = plussi_bind(&ctx, nest, &options, &bound);
    if (status == PLUSS_OK) { /* binding may see it first */
        plussi_engine *engine;
        status = plussi_engine_new(&ctx, bound, NULL, &engine);
        plussi_bound_free(bound);
    }
    ck_assert_int_eq(status, PLUSS_ERANGE);
    plussi_nest_free(nest);
}
END_TEST

START_TEST(memory_runs_out)
{
    plussi_nest *nest = parse("pluss-nest 1\nregion r\narray f64 A[30][9]\narray f64 B[30][9]\n"
                              "for t in 0..3 { parallel for i in 0..30 { if (i > t) { for j in t..9"
                              " { read A[i][j] write B[i][j] } } } swap A, B }");
    plussi_bound *bound = bind(nest, 3, 0, false);
    for (long budget = 0;; budget++) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_ctx small;
        plussi_ctx_init(&small, &m.mem);
        plussi_engine *engine = NULL;
        plussi_workspace *workspace = NULL;
        pluss_status status = plussi_engine_new(&small, bound, NULL, &engine);
        if (status == PLUSS_OK)
            status = plussi_workspace_new(&small, engine, &workspace);
        if (status == PLUSS_OK) {
            (void)plussi_engine_length(workspace, 0, 1);
            if (plussi_workspace_failed(workspace))
                status = PLUSS_ENOMEM;
        }
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_workspace_free(workspace);
        plussi_engine_free(engine);
        plussi_ctx_clear(&small);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
    plussi_bound_free(bound);
    plussi_nest_free(nest);
}
END_TEST

/* ---- large sizes
 * ------------------------------------------------------------------------------------ */

/* No walk can check these; what must hold without one: both ways of a position agree, and nothing
 * lies between a touch and the previous one of its line. */
START_TEST(large)
{
    plussi_nest *nest = parse(
        "pluss-nest 1\nregion r\narray f64 A[4000][4000]\n"
        "for k in 0..4000 { parallel for i in k+1..4000 { read A[k][k] read A[i][k] write A[i][k]"
        " for j in k+1..4000 { read A[i][k] read A[k][j] read A[i][j] write A[i][j] } } }");
    plussi_bound *bound = bind(nest, 7, 3, true);
    plussi_engine *engine;
    plussi_workspace *workspace;
    ck_assert_int_eq(plussi_engine_new(&ctx, bound, NULL, &engine), PLUSS_OK);
    ck_assert_int_eq(plussi_workspace_new(&ctx, engine, &workspace), PLUSS_OK);
    uint64_t total = plussi_engine_accesses(engine); /* sum of m (3 + 4 m), m = 0 ... 3999 */
    ck_assert_uint_eq(total,
                      3 * (UINT64_C(3999) * 4000 / 2) + 4 * (UINT64_C(3999) * 4000 * 7999 / 6));
    plussi_rng rng;
    plussi_rng_seed(&rng, 1, 1);
    for (int n = 0; n < 300; n++) {
        plussi_cursor cursor, back, prev, more;
        plussi_engine_nth(workspace, plussi_rng_below(&rng, total), &cursor);
        uint32_t thread = (uint32_t)cursor.iv[0];
        uint64_t phase, pos;
        plussi_engine_locate(workspace, &cursor, &phase, &pos);
        ck_assert_uint_lt(pos, plussi_engine_length(workspace, thread, phase));
        plussi_engine_unrank(workspace, thread, phase, pos, &back);
        ck_assert_int_eq(plussi_engine_order(workspace, &cursor, &back), 0);
        uint64_t line = plussi_engine_line(workspace, &cursor);
        if (!plussi_engine_prev(workspace, &cursor, line, NULL, &prev))
            continue;
        ck_assert_uint_eq(plussi_engine_line(workspace, &prev), line);
        ck_assert_int_eq(plussi_engine_order(workspace, &prev, &cursor), -1);
        ck_assert(!plussi_engine_prev(workspace, &cursor, line, &prev, &more));
    }
    plussi_workspace_free(workspace);
    plussi_engine_free(engine);
    plussi_bound_free(bound);
    plussi_nest_free(nest);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("sampler");
    TCase *c = tcase_create("hand-written nests");
    tcase_set_timeout(c, 600); /* with sanitizers, on a busy machine */
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, hand_written, 0, N_HAND);
    tcase_add_test(c, alike_but_for_few);
    suite_add_tcase(s, c);
    c = tcase_create("random nests");
    tcase_set_timeout(c, 3600);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, random_nests, 0, 5);
    suite_add_tcase(s, c);
    c = tcase_create("other");
    tcase_set_timeout(c, 600); /* with sanitizers, on a busy machine */
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, handed_out, 0, 5);
    tcase_add_loop_test(c, handed_out_in_turn, 0, 5);
    tcase_add_loop_test(c, refused, 0, 6);
    tcase_add_test(c, too_many);
    tcase_add_test(c, memory_runs_out);
    tcase_add_test(c, large);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
