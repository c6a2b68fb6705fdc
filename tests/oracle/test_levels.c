/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The levels of a hierarchy: predicted against simulated, on accesses that meet in sets and on
 * threads that share lines; and what simulated levels must have in common with curves.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/pipeline_fixture.h"
#include "../unit/suite.h"

enum { SEEDS = 4, HISTOGRAM = 5 /* its pattern */ };

static plussi_result made;

/* Every case in long runs, else one of two, or of four where few are tested. */
static size_t case_step(void)
{
    const char *more = getenv("PLUSS_LONG");
    return more && *more ? 1 : suite_step() > 2 ? 4 : 2;
}

static void request_levels(const char *caches, const char *n, uint32_t team, uint64_t seed,
                           plussi_request *out)
{
    plussi_request_init(out, &ctx.mem);
    out->seed = seed;
    ck_assert_int_eq(plussi_request_set_teams(&ctx, out, &team, 1), PLUSS_OK);
    ck_assert_int_eq(plussi_request_set(&ctx, out, "cache", caches), PLUSS_OK);
    ck_assert_int_eq(plussi_request_set(&ctx, out, "define", n), PLUSS_OK);
}

static void add(plussi_misses *to, const plussi_misses *from, double times)
{
    to->requests += from->requests * times;
    to->all += from->all * times;
    to->after_other += from->after_other * times;
    to->error += from->error * times;
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        to->kind[k] += from->kind[k] * times;
    to->written_back += from->written_back * times;
    to->written_back_error += from->written_back_error * times;
}

/* The mean over seeds, by level. */
static void run(const char *caches, const char *n, uint32_t team, bool simulate, int seeds,
                plussi_misses *out)
{
    memset(out, 0, PLUSSI_LEVELS_MOST * sizeof *out);
    for (int s = 0; s < seeds; s++) {
        plussi_request request;
        plussi_result_init(&made, &ctx.mem);
        request_levels(caches, n, team, (uint64_t)s + 1, &request);
        pluss_status status = simulate ? plussi_pipeline_simulate(&ctx, nest, &request, &made)
                                       : plussi_pipeline_predict(&ctx, nest, &request, &made);
        ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "no text");
        ck_assert_uint_eq(made.n_levels, request.levels.hierarchy.n);
        for (size_t l = 0; l < made.n_levels; l++)
            add(&out[l], &made.level[l].misses, 1.0 / seeds);
        plussi_result_free(&made);
        plussi_request_free(&request);
    }
}

/* ---- sharing ----------------------------------------------------------------------------------
 */

static const struct {
    const char *name, *text;
} pattern[] = {
    {"packed counters", "array f64 C[64] array f64 A[64*n] region r parallel for i in 0..$team "
                        "{ for k in 0..n { read A[i*n+k]; read C[i]; write C[i]; } }"},
    {"padded counters", "array f64 C[512] array f64 A[64*n] region r parallel for i in 0..$team "
                        "{ for k in 0..n { read A[i*n+k]; read C[8*i]; write C[8*i]; } }"},
    {"producer and consumer", "array f64 A[n] array f64 B[n] region r repeat 20 parallel { "
                              "workshare for i in 0..n { read B[i]; write A[i]; } "
                              "workshare for i in 0..n { read A[n-1-i]; write B[i]; } }"},
    {"migratory", "array f64 A[n] region r repeat 10 parallel for i in 0..n schedule(dynamic,4) "
                  "{ read A[i]; write A[i]; }"},
    {"halos", "array f64 A[n][16] array f64 B[n][16] region r repeat 20 parallel { "
              "workshare for i in 1..n-1 { for j in 0..16 { read A[i-1][j]; read A[i][j]; "
              "read A[i+1][j]; write B[i][j]; } } "
              "workshare for i in 1..n-1 { for j in 0..16 { read B[i][j]; write A[i][j]; } } }"},
    {"histogram", "array f64 H[40] array f64 A[8*n] region r parallel for i in 0..8*n "
                  "{ read A[i]; read H[(i * 7) % 37]; write H[(i * 7) % 37]; }"},
    {"one total", "array f64 S array f64 A[8*n] region r parallel for i in 0..8*n "
                  "{ read A[i]; atomic write S; }"},
    {"cyclic columns", "array f64 A[n][8] region r repeat 4 parallel for j in 0..8 "
                       "schedule(static,1) { for i in 0..n { read A[i][j]; write A[i][j]; } }"},
    {"dynamic rows", "array f64 A[n][4] region r repeat 6 parallel for i in 0..n "
                     "schedule(dynamic,1) { for j in 0..4 { read A[i][j]; write A[i][j]; } }"},
    {"table that is read", "array f64 T[64] array f64 A[n] region r repeat 4 parallel for i in "
                           "0..n { read T[i % 64]; write A[i]; }"},
};

static void compare_kind(const char *name, uint32_t team, const char *what, double simulated,
                         double predicted, double error, double accesses)
{
    double bound = fmax(0.1 * simulated, fmax(4 * error, 0.0005 * accesses));
    ck_assert_msg(fabs(predicted - simulated) <= bound,
                  "%s, T = %u: %s simulated %.0f, predicted %.0f +- %.0f", name, team, what,
                  simulated, predicted, error);
}

/* Lines that a level writes back. */
static void compare_written(const char *name, uint32_t team, int level, const plussi_misses *s,
                            const plussi_misses *p)
{
    char what[32];
    snprintf(what, sizeof what, "written back by L%d", level + 1);
    ck_assert(!isnan(p[level].written_back) && p[level].written_back_error >= 0);
    compare_kind(name, team, what, s[level].written_back, p[level].written_back,
                 p[level].written_back_error, s[0].requests);
}

/* Misses by other threads' writes, and whether they are false sharing. */
START_TEST(sharing)
{
    static const uint32_t teams[] = {2, 4, 16, 64};
    const char *caches = "L1=32K:ways=8,L2=256K:ways=16,L3=2M:ways=16:shared";
    char text[600];
    snprintf(text, sizeof text, "pluss-nest 1 symbol n %s", pattern[_i].text);
    parse(text);
    for (size_t t = (size_t)_i % case_step(); t < sizeof teams / sizeof *teams; t += case_step()) {
        if (_i == HISTOGRAM && teams[t] == 64 && case_step() > 1)
            continue; /* as slow as all others together */
        plussi_misses s[PLUSSI_LEVELS_MOST], p[PLUSSI_LEVELS_MOST];
        run(caches, "n=300", teams[t], true, SEEDS, s);
        run(caches, "n=300", teams[t], false, 2, p);
        const char *name = pattern[_i].name;
        ck_assert_double_eq_tol(p[0].requests, s[0].requests, 0.5);
        double all = s[0].requests, error = p[0].error;
        compare_kind(name, teams[t], "misses", s[0].all, p[0].all, error, all);
        double lost[2];
        for (int k = 0; k < 2; k++)
            lost[k] = (k ? p : s)[0].kind[PLUSSI_MISS_TRUE_SHARING] +
                      (k ? p : s)[0].kind[PLUSSI_MISS_FALSE_SHARING];
        compare_kind(name, teams[t], "misses by writes", lost[0], lost[1], error, all);
        compare_kind(name, teams[t], "false sharing", s[0].kind[PLUSSI_MISS_FALSE_SHARING],
                     p[0].kind[PLUSSI_MISS_FALSE_SHARING], error, all);
        compare_kind(name, teams[t], "misses of L3", s[2].all, p[2].all, p[2].error, all);
        if (lost[0] == 0)
            ck_assert_double_eq(lost[1], 0);
        for (int l = 0; l < 3; l++)
            compare_kind(name, teams[t], "misses after other threads", s[l].after_other,
                         p[l].after_other, p[l].error, all);
        for (int l = 0; l < 3; l++)
            compare_written(name, teams[t], l, s, p);
    }
}
END_TEST

/* ---- sets -------------------------------------------------------------------------------------
 */

static const char *const conflict[] = {
    "array f64 A[n][n] array f64 B[n][n] array f64 C[n][n] region gemm parallel for i in 0..n "
    "{ for j in 0..n { for k in 0..n { read A[i][k]; read B[k][j]; write C[i][j]; } } }",
    "array f64 A[n][n] array f64 B[n][n] region transpose parallel for i in 0..n "
    "{ for j in 0..n { read A[j][i]; write B[i][j]; } }",
    "array f64 A[n][n] array f64 x[n] array f64 y[n] region mvt repeat 3 parallel for i in 0..n "
    "{ for j in 0..n { read A[j][i]; read y[j]; read x[i]; write x[i]; } }",
};

static const char *const cache[] = {
    "L1=8K:ways=2,L2=64K:ways=8,L3=256K:ways=16:shared",
    "L1=12K:ways=3,L2=44K:ways=11",
    "L1=8K:ways=full,L2=32K:ways=8:hashed",
};

/* In points of all accesses, level by level. The product in large only in long runs. */
START_TEST(sets)
{
    static const char *const sizes[] = {"n=64", "n=65", "n=100", "n=128"};
    const size_t n_sizes = _i == 0 && case_step() > 1 ? 2 : sizeof sizes / sizeof *sizes;
    char text[600];
    snprintf(text, sizeof text, "pluss-nest 1 symbol n %s", conflict[_i]);
    parse(text);
    for (size_t c = 0; c < sizeof cache / sizeof *cache; c++)
        for (size_t n = (c + (size_t)_i) % case_step(); n < n_sizes; n += case_step())
            for (uint32_t team = 1; team <= 4; team *= 4) {
                plussi_misses s[PLUSSI_LEVELS_MOST], p[PLUSSI_LEVELS_MOST];
                run(cache[c], sizes[n], team, true, team == 1 ? 1 : 3, s);
                run(cache[c], sizes[n], team, false, 1, p);
                for (int l = 0; l < 2; l++) {
                    double off = fabs(p[l].all - s[l].all) / s[0].requests;
                    double error = p[l].error / s[0].requests;
                    ck_assert_msg(off <= fmax(0.015, 4 * error),
                                  "%s, %s, %s, T = %u, level %d: simulated %.4f, predicted %.4f "
                                  "+- %.4f",
                                  conflict[_i], cache[c], sizes[n], team, l + 1,
                                  s[l].all / s[0].requests, p[l].all / s[0].requests, error);
                    ck_assert_int_eq(isnan(p[l].written_back) != 0, c == 2);
                    off = fabs(p[l].written_back - s[l].written_back) / s[0].requests;
                    error = p[l].written_back_error / s[0].requests;
                    ck_assert_msg(c == 2 || off <= fmax(0.015, 4 * error),
                                  "%s, %s, %s, T = %u, level %d: written back %.4f simulated, %.4f "
                                  "+- %.4f predicted",
                                  conflict[_i], cache[c], sizes[n], team, l + 1,
                                  s[l].written_back / s[0].requests,
                                  p[l].written_back / s[0].requests, error);
                }
            }
}
END_TEST

/* ---- sweeps -----------------------------------------------------------------------------------
 */

static void evaluate(const char *caches, const char *lines, const char *n, uint32_t team,
                     bool simulate, plussi_result *out)
{
    plussi_request request;
    plussi_result_init(out, &ctx.mem);
    request_levels(caches, n, team, 1, &request);
    ck_assert_int_eq(plussi_request_set(&ctx, &request, "line", lines), PLUSS_OK);
    pluss_status status = simulate ? plussi_pipeline_simulate(&ctx, nest, &request, out)
                                   : plussi_pipeline_predict(&ctx, nest, &request, out);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "no text");
    plussi_request_free(&request);
}

static void same_misses(const plussi_misses *a, const plussi_misses *b)
{
    ck_assert_double_eq(a->requests, b->requests);
    ck_assert_double_eq(a->all, b->all);
    ck_assert_double_eq(a->error, b->error);
    ck_assert(a->written_back == b->written_back ||
              (isnan(a->written_back) && isnan(b->written_back)));
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        ck_assert_double_eq(a->kind[k], b->kind[k]);
}

static const struct {
    const char *caches[2], *ways[5]; /* before and after the ways */
    const char *lines, *line[5];
} sweeps[] = {
    {{"L1=8K:ways=", ",L2=64K:ways=8:shared"}, {"1..8/full", "1", "2", "8", "full"}, "64", {"64"}},
    {{"L1=4K:ways=4,L2=32K:ways=", ",L3=128K:ways=8:shared"}, {"2/16", "2", "16"}, "64", {"64"}},
    {{"L1=8K:ways=", ",L2=64K:ways=8"}, {"4", "4"}, "32..128", {"32", "64", "128"}},
    {{"L1=8K:ways=2,L2=64K:shared:ways=", ""}, {"4/16", "4", "16"}, "128,32", {"128", "32"}},
};

/* Each point as if it were asked for alone; what is predicted as what is simulated, within errors.
 */
START_TEST(points_of_sweeps)
{
    char text[600], caches[200];
    const char *size = _i % 3 == 0 && case_step() > 1 ? "n=60" : "n=100"; /* of a product n^3 */
    snprintf(text, sizeof text, "pluss-nest 1 symbol n %s", conflict[_i % 3]);
    parse(text);
    for (uint32_t team = 1; team <= 4; team *= 4) {
        plussi_result all[2], one;
        snprintf(caches, sizeof caches, "%s%s%s", sweeps[_i].caches[0], sweeps[_i].ways[0],
                 sweeps[_i].caches[1]);
        evaluate(caches, sweeps[_i].lines, size, team, true, &all[0]);
        evaluate(caches, sweeps[_i].lines, size, team, false, &all[1]);
        ck_assert_uint_eq(all[0].n_levels, all[1].n_levels);
        size_t found = 0, asked = 0;
        for (int l = 0; l < 5 && sweeps[_i].line[l]; l++)
            for (int w = 1; w < 5 && sweeps[_i].ways[w]; w++)
                for (int i = 0; i < 2; i++) {
                    snprintf(caches, sizeof caches, "%s%s%s", sweeps[_i].caches[0],
                             sweeps[_i].ways[w], sweeps[_i].caches[1]);
                    evaluate(caches, sweeps[_i].line[l], size, team, i == 0, &one);
                    asked += one.n_levels;
                    for (size_t k = 0; k < all[i].n_levels; k++) {
                        const plussi_level_result *a = &all[i].level[k];
                        const plussi_level_result *b = &one.level[k % one.n_levels];
                        const plussi_level_result *first = &all[i].level[k - k % one.n_levels];
                        bool same = a->id.line_bytes == b->id.line_bytes;
                        for (size_t m = 0; m < one.n_levels && same; m++)
                            same = first[m].level.ways == one.level[m].level.ways;
                        ck_assert_uint_eq(a->n_points * one.n_levels, all[i].n_levels);
                        ck_assert_uint_eq(a->point, k / one.n_levels);
                        if (!same)
                            continue;
                        found++;
                        same_misses(&a->misses, &b->misses);
                        ck_assert_uint_eq(a->n_parts, b->n_parts);
                        for (size_t p = 0; p < a->n_parts; p++)
                            same_misses(&a->part[p].misses, &b->part[p].misses);
                    }
                    plussi_result_free(&one);
                }
        ck_assert_uint_eq(found, asked);
        for (size_t k = 0; k < all[0].n_levels; k++) {
            const plussi_misses *s = &all[0].level[k].misses, *p = &all[1].level[k].misses;
            double off = fabs(p->all - s->all) / all[0].level[k].accesses;
            double error = p->error / all[0].level[k].accesses;
            ck_assert_msg(off <= fmax(0.015, 4 * error),
                          "%s, T = %u, number %zu: simulated %.0f, predicted %.0f +- %.0f", caches,
                          team, k, s->all, p->all, p->error);
        }
        plussi_result_free(&all[0]);
        plussi_result_free(&all[1]);
    }
}
END_TEST

/* ---- levels that filter -----------------------------------------------------------------------
 */

/* Sets of the second level that are just full, and lines that only the first one sees again. */
static const struct {
    const char *text, *cache;
} filtered[] = {
    {"array f64 A[8*n] array f64 S region r repeat 20 for i in 0..n { read A[8*i]; read S; "
     "write S; }",
     "L1=1K:ways=2,L2=4K:ways=8"},
    {"array f64 A[n][n] array f64 B[n][n] array f64 C[n][n] region r parallel for i in 0..n { "
     "for k in 0..n { for j in 0..i + 1 { read A[j][k]; read B[i][k]; read B[j][k]; "
     "read A[i][k]; read C[i][j]; write C[i][j]; } } }",
     "L1=8K:ways=8,L2=64K:ways=8"},
    {"array f64 A[n][n] array f64 x[n] region r repeat 6 for i in 0..n { for j in 0..n { "
     "read A[j][i]; read x[j]; write x[j]; } }",
     "L1=1K:ways=2,L2=6K:ways=12,L3=34K:ways=17"},
    {"array f64 A[4*n][32] array f64 C[32][32] array f64 S[32] region r for q in 0..4*n { "
     "for p in 0..32 { for s in 0..32 { read A[q][s]; read C[s][p]; read S[p]; write S[p]; } } }",
     "L1=8K:ways=8,L2=16K:ways=8"},
    {"array f64 A[9*n][6*n+16] array f64 B[6*n+16][9*n] region r parallel "
     "for f in 0..9*n*(6*n+16) { read B[f / (9*n)][f % (9*n)]; read A[f % (9*n)][f / (9*n)]; "
     "write A[f % (9*n)][f / (9*n)]; }",
     "L1=8K:ways=8,L2=64K:ways=8"},
};

START_TEST(filters)
{
    char text[600];
    snprintf(text, sizeof text, "pluss-nest 1 symbol n %s", filtered[_i].text);
    parse(text);
    for (uint32_t team = 1; team <= 2; team++) {
        plussi_misses s[PLUSSI_LEVELS_MOST] = {{0}}, p[PLUSSI_LEVELS_MOST] = {{0}};
        run(filtered[_i].cache, "n=64", team, true, 1, s);
        run(filtered[_i].cache, "n=64", team, false, 1, p);
        for (int l = 1; l < 3; l++) {
            double off = fabs(p[l].all - s[l].all) / s[0].requests;
            ck_assert_msg(off <= 0.003, "%s, T = %u, level %d: simulated %.5f, predicted %.5f",
                          filtered[_i].text, team, l + 1, s[l].all / s[0].requests,
                          p[l].all / s[0].requests);
        }
    }
}
END_TEST

/* Threads share a level that is about as large as what is used again, and not much larger than
 * their own caches: it sees what these miss, and the written lines that they lose. */
static const struct {
    const char *text, *cache;
} shared_after[] = {
    {"array f64 A[n][n] array f64 B[n][n] region r repeat 10 parallel { "
     "workshare for i in 1..n-1 { for j in 1..n-1 { read A[i][j]; read A[i-1][j]; read A[i+1][j]; "
     "write B[i][j]; } } workshare for i in 1..n-1 { for j in 1..n-1 { read B[i][j]; "
     "read B[i-1][j]; write A[i][j]; } } }",
     "L1=2K:ways=8,L2=8K:ways=8,L3=64K:ways=16:shared"},
    {"array f64 A[n][n] array f64 B[n][n] region r parallel for i in 0..n { for j in 0..n { "
     "for k in 0..n { read A[i][k]; read B[k][j]; } write A[i][j]; } }",
     "L1=1K:ways=2,L2=4K:ways=4,L3=33K:ways=11:shared"},
    {"array f64 A[n][n] array f64 x[n] region r repeat 6 parallel for i in 0..n { for j in 0..n { "
     "read A[i][j]; read x[j]; write A[i][j]; } }",
     "L1=2K:ways=8,L2=4K:ways=8,L3=16K:ways=16:shared=2,L4=44K:ways=11:shared"},
    /* what another group wrote is in none of the levels before */
    {"array f64 A[n] array f64 s region r repeat 8 parallel for i in 0..n { read A[i]; write A[i]; "
     "read s; write s; }",
     "L1=2K:ways=8,L2=4K:ways=8,L3=16K:ways=16:shared=2"},
};

START_TEST(filters_of_each_thread)
{
    char text[600];
    snprintf(text, sizeof text, "pluss-nest 1 symbol n %s", shared_after[_i].text);
    parse(text);
    for (uint32_t team = 2; team <= 4; team += 2) {
        plussi_misses s[PLUSSI_LEVELS_MOST] = {{0}}, p[PLUSSI_LEVELS_MOST] = {{0}};
        run(shared_after[_i].cache, "n=64", team, true, SEEDS, s);
        run(shared_after[_i].cache, "n=64", team, false, 1, p);
        for (int l = 2; l < 4; l++) {
            double off = fabs(p[l].all - s[l].all) / s[0].requests;
            ck_assert_msg(off <= fmax(0.004, 3 * p[l].error / s[0].requests),
                          "%s, T = %u, level %d: simulated %.5f, predicted %.5f +- %.5f",
                          shared_after[_i].text, team, l + 1, s[l].all / s[0].requests,
                          p[l].all / s[0].requests, p[l].error / s[0].requests);
            ck_assert_double_le(p[l].all, p[l - 1].all + 0.5);
        }
    }
}
END_TEST

/* ---- policies ---------------------------------------------------------------------------------
 */

static const char *const policy_nest[] = {
    "array f64 A[n][n] array f64 B[n][n] region r repeat 6 parallel { "
    "workshare for i in 1..n-1 { for j in 1..n-1 { read A[i][j]; read A[i-1][j]; read A[i+1][j]; "
    "write B[i][j]; } } workshare for i in 1..n-1 { for j in 1..n-1 { read B[i][j]; "
    "read B[i-1][j]; write A[i][j]; } } }",
    "array f64 A[n][n] region r for k in 0..n { parallel for i in k + 1..n { for j in k + 1..i + 1 "
    "{ read A[i][k]; read A[j][k]; read A[i][j]; write A[i][j]; } } }",
    "array f64 A[n][n] array f64 B[n][n] array f64 C[n][n] region r parallel for i in 0..n { "
    "for j in 0..n { for k in 0..n { read A[i][k]; read B[k][j]; } write C[j][i]; } }",
};
static const struct {
    const char *cache;
    uint32_t team;
} policy[] = {
    {"L1=2K:ways=4:write-through,L2=8K:ways=8,L3=34K:ways=17", 1},
    {"L1=1K:ways=2:no-write-allocate,L2=6K:ways=12,L3=32K:ways=16", 1},
    {"L1=2K:ways=4:no-write-allocate:write-through,L2=8K:ways=8", 1},
    {"L1=2K:ways=4,L2=8K:ways=8:no-write-allocate,L3=32K:ways=16:no-write-allocate", 1},
    {"L1=2K:ways=4,L2=8K:ways=8:exclusive,L3=24K:ways=12", 1},
    {"L1=2K:ways=4,L2=6K:ways=12,L3=16K:ways=16:exclusive", 1},
    {"L1=1K:ways=4:write-through,L2=4K:ways=4:exclusive,L3=8K:ways=8:exclusive", 1},
    {"L1=2K:ways=4:write-through,L2=32K:ways=8:shared", 4},
    {"L1=2K:ways=4:no-write-allocate,L2=6K:ways=12,L3=32K:ways=8:shared", 4},
    {"L1=2K:ways=4,L2=8K:ways=8:exclusive,L3=64K:ways=16:shared", 4}, /* half of it: small_levels */
    {"L1=2K:ways=4,L2=6K:ways=12:inclusive,L3=32K:ways=16", 1},
    {"L1=1K:ways=8,L2=3K:ways=12,L3=18K:ways=9:inclusive", 1},
    {"L1=1K:ways=4,L2=2K:ways=8,L3=24K:ways=16:inclusive:shared", 4},
};

START_TEST(policies)
{
    const uint32_t team = policy[_i].team;
    const size_t nests = sizeof policy_nest / sizeof *policy_nest, step = case_step();
    for (size_t n = step == 1 ? 0 : (size_t)_i % nests; n < nests; n += step == 1 ? 1 : nests) {
        char text[600];
        plussi_misses s[PLUSSI_LEVELS_MOST] = {{0}}, p[PLUSSI_LEVELS_MOST] = {{0}};
        snprintf(text, sizeof text, "pluss-nest 1 symbol n %s", policy_nest[n]);
        parse(text);
        run(policy[_i].cache, "n=60", team, true, team > 1 ? SEEDS : 1, s);
        run(policy[_i].cache, "n=60", team, false, 1, p);
        for (int l = 0; l < 3; l++) {
            double all = s[0].requests, off = fabs(p[l].all - s[l].all) / all;
            ck_assert_msg(off <= fmax(0.003, 3 * p[l].error / all),
                          "%s, %s, level %d: simulated %.5f, predicted %.5f +- %.5f",
                          policy[_i].cache, policy_nest[n], l + 1, s[l].all / all, p[l].all / all,
                          p[l].error / all);
            off = fabs(p[l].requests - s[l].requests) / all;
            ck_assert_double_le(off, 0.01);
        }
    }
}
END_TEST

/* The error that is stated is promised of shared levels that are at least twice as large as the
 * caches before them together; of smaller ones a warning tells that it is not. */
START_TEST(small_levels)
{
    static const struct {
        const char *size;
        bool told;
    } of[] = {{"32K", true}, {"60K", true}, {"64K", false}};
    plussi_misses p[PLUSSI_LEVELS_MOST];
    char text[600], caches[80];
    snprintf(text, sizeof text, "pluss-nest 1 symbol n %s", policy_nest[1]);
    parse(text);
    snprintf(caches, sizeof caches, "L1=2K:ways=4,L2=8K:ways=8:exclusive,L3=%s:ways=16:shared",
             of[_i].size);
    run(caches, "n=60", 4, false, 1, p);
    size_t told = 0;
    for (size_t i = 0; i < ctx.n_diags; i++)
        told += strstr(ctx.diags[i].text, "cache L3 is less than twice as large as the 4 L2 caches "
                                          "before it together") != NULL;
    ck_assert_uint_eq(told, of[_i].told);
}
END_TEST

/* Two levels that all threads share: a line that is first in one is first in the other. */
START_TEST(cold_of_all)
{
    plussi_misses s[PLUSSI_LEVELS_MOST] = {{0}}, p[PLUSSI_LEVELS_MOST] = {{0}};
    static const char levels[] = "L1=2K:ways=8,L2=16K:ways=1:shared,L3=64K:ways=16:shared";
    parse("pluss-nest 1 symbol n array f64 A[n][115] region r for i in 0..n { parallel { "
          "read A[i][2 * i]; } }");
    run(levels, "n=20", 8, true, 1, s);
    run(levels, "n=20", 8, false, 1, p);
    for (int l = 1; l < 3; l++) {
        ck_assert_double_eq_tol(p[l].all, s[l].all, 0.01 * s[l].all);
        ck_assert_double_eq_tol(p[l].kind[PLUSSI_MISS_COLD], 20, 0.2);
    }
}
END_TEST

/* A short loop that is dispatched again and again: who writes a line is drawn anew each time. */
START_TEST(dispatched_again)
{
    static const char *const schedule[] = {"dynamic,1", "dynamic,6", "dynamic,2"};
    char text[600];
    plussi_misses s[PLUSSI_LEVELS_MOST] = {{0}}, p[PLUSSI_LEVELS_MOST] = {{0}};
    snprintf(text, sizeof text,
             "pluss-nest 1 symbol n array f64 A[8*n] region r for t in 0..31 { parallel for i in "
             "0..n schedule(%s) { write A[8 * i]; } }",
             schedule[_i]);
    parse(text);
    run("L1=64K:ways=full", "n=46", 2, true, 20, s);
    run("L1=64K:ways=full", "n=46", 2, false, 1, p);
    ck_assert_msg(fabs(p[0].all - s[0].all) <= 0.05 * s[0].all,
                  "%s: simulated %.1f, predicted %.1f", schedule[_i], s[0].all, p[0].all);
}
END_TEST

/* Every law of thread progress that the model follows; other lines; chunks dispatched. */
START_TEST(laws_of_progress)
{
    static const char *const setting[][2] = {{"progress", "burst:16"}, {"progress", "round-robin"},
                                             {"progress", "rates"},    {"progress", "slices:5000"},
                                             {"line", "128"},          {"schedule", "dynamic,2"}};
    char text[600];
    snprintf(text, sizeof text, "pluss-nest 1 symbol n %s", shared_after[0].text);
    parse(text);
    plussi_misses m[2][PLUSSI_LEVELS_MOST] = {{{0}}};
    for (int predict = 0; predict < 2; predict++) {
        plussi_request request;
        plussi_result_init(&made, &ctx.mem);
        request_levels("L1=2K:ways=8,L2=8K:ways=8,L3=32K:ways=16:shared", "n=64", 4, 1, &request);
        ck_assert_int_eq(plussi_request_set(&ctx, &request, setting[_i][0], setting[_i][1]),
                         PLUSS_OK);
        pluss_status status = predict ? plussi_pipeline_predict(&ctx, nest, &request, &made)
                                      : plussi_pipeline_simulate(&ctx, nest, &request, &made);
        ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "no text");
        ck_assert_uint_eq(made.n_levels, 3);
        for (int l = 0; l < 3; l++)
            m[predict][l] = made.level[l].misses;
        plussi_result_free(&made);
        plussi_request_free(&request);
    }
    for (int l = 0; l < 3; l++) {
        double off = fabs(m[1][l].all - m[0][l].all) / m[0][0].requests;
        ck_assert_msg(off <= fmax(0.01, 3 * m[1][l].error / m[0][0].requests),
                      "%s, level %d: simulated %.5f, predicted %.5f +- %.5f", setting[_i][1], l + 1,
                      m[0][l].all / m[0][0].requests, m[1][l].all / m[0][0].requests,
                      m[1][l].error / m[0][0].requests);
    }
}
END_TEST

/* A level with sets after one without, or hashed: it is not known yet what comes to it. */
START_TEST(after_other_kinds)
{
    static const char *const caches[] = {"L1=8K:ways=full,L2=32K:ways=8",
                                         "L1=4K:ways=8:hashed,L2=32K:ways=8",
                                         "L1=2K:ways=full,L2=32K:ways=8"}; /* one small set */
    char text[600];
    snprintf(text, sizeof text, "pluss-nest 1 symbol n %s", conflict[0]);
    parse(text);
    for (uint32_t team = 1; team <= 4; team *= 4) {
        plussi_misses s[PLUSSI_LEVELS_MOST], p[PLUSSI_LEVELS_MOST];
        run(caches[_i], "n=100", team, true, 1, s);
        run(caches[_i], "n=100", team, false, 1, p);
        ck_assert_double_eq_tol(p[1].all / s[0].requests, s[1].all / s[0].requests, 0.003);
        ck_assert_int_eq(isnan(p[0].written_back) && isnan(p[1].written_back), _i < 2);
    }
}
END_TEST

/* ---- cold misses that no sample meets ----------------------------------------------------------
 */

START_TEST(rare_cold)
{
    plussi_misses p[PLUSSI_LEVELS_MOST];
    parse("pluss-nest 1 symbol n array f64 A[64] array f64 B[8] region r for i in 0..n { "
          "read A[i % 64]; write B[i % 8]; }");
    run("L1=4K:ways=8,L2=64K:ways=8", "n=100000000", 1, false, 1, p);
    for (int l = 0; l < 2; l++) {
        ck_assert_double_eq_tol(p[l].all, 9, 1e-6);
        ck_assert_double_eq_tol(p[l].kind[PLUSSI_MISS_COLD], 9, 1e-6);
    }
    ck_assert_double_eq_tol(p[1].requests, 9, 1e-6);
}
END_TEST

/* ---- tiles ------------------------------------------------------------------------------------
 */

/* Which tiles of a product of 256 x 256 miss least in 48 KiB with 12 ways: not those that a fully
 * associative cache misses least with. callgrind counts 285,954, 2,230,274 and 2,163,714 misses of
 * the C loop (gcc -O2 -fno-tree-vectorize, --cache-sim=yes --D1=49152,12,64), pluss simulate
 * 285,696, 2,228,224 and 2,162,688. */
START_TEST(tiles)
{
    static const struct {
        int side;
        double misses;
    } tile[] = {{16, 285696}, {32, 2228224}, {64, 2162688}};
    double missed[3];
    for (int i = 0; i < 3; i++) {
        plussi_misses p[PLUSSI_LEVELS_MOST];
        char text[600];
        int t = tile[i].side;
        snprintf(
            text, sizeof text,
            "pluss-nest 1 symbol n array f64 A[n][n] array f64 B[n][n] array f64 C[n][n] "
            "region r for ii in 0..n/%d { for jj in 0..n/%d { for kk in 0..n/%d { "
            "for i in %d*ii..%d*ii+%d { for k in %d*kk..%d*kk+%d { read A[i][k]; "
            "for j in %d*jj..%d*jj+%d { read B[k][j]; read C[i][j]; write C[i][j]; } } } } } }",
            t, t, t, t, t, t, t, t, t, t, t, t);
        parse(text);
        run("L1=48K:ways=12", "n=256", 1, false, 1, p);
        missed[i] = p[0].all;
        ck_assert_msg(fabs(p[0].all - tile[i].misses) <= fmax(0.1 * tile[i].misses, 4 * p[0].error),
                      "tiles of %d: %.0f +- %.0f", t, p[0].all, p[0].error);
    }
    ck_assert(missed[0] < missed[2] && missed[2] < missed[1]);
}
END_TEST

/* ---- padding ----------------------------------------------------------------------------------
 */

/* A square array that is walked across its rows. */
static void parse_across(const char *array, const char *length, const char *reference)
{
    char declared[40], text[200];
    snprintf(declared, sizeof declared, array, length);
    snprintf(text, sizeof text,
             "pluss-nest 1 symbol n array f64 %s region r repeat 2 for i in 0..n { for j in 0..n { "
             "read %s; } }",
             declared, reference);
    parse(text);
}

/* The array that a reference's conflicts are with, and rows as much longer as is said: these have
 * hardly any conflicts. The same of Fortran's columns. */
START_TEST(padding)
{
    static const char *const nests[][2] = {{"A[n][%s]", "A[j][i]"}, {"A[%s][n] column", "A[i][j]"}};
    const int column = _i % 2;
    static const char *const caches[] = {"L1=32K:ways=8", "L1=48K:ways=12", "L1=24K:ways=3"};
    char longer[32];
    plussi_misses before, after;
    plussi_request request;
    parse_across(nests[column][0], "n", nests[column][1]);
    plussi_result_init(&made, &ctx.mem);
    request_levels(caches[_i / 2], "n=256", 1, 1, &request);
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &made), PLUSS_OK);
    const plussi_level_part *p = &made.level[0].part[0];
    ck_assert_str_eq(p->rival, "A");
    ck_assert_double_ge(p->rival_misses, 0.99 * p->misses.kind[PLUSSI_MISS_CONFLICT]);
    ck_assert_uint_eq(p->row_bytes, 2048);
    ck_assert_int_eq(p->columns, column);
    ck_assert_uint_gt(p->pad_bytes, 0);
    ck_assert_uint_eq(p->pad_bytes % 64, 0);
    snprintf(longer, sizeof longer, "%d", (int)(256 + p->pad_bytes / 8));
    plussi_result_free(&made);
    plussi_request_free(&request);
    run(caches[_i / 2], "n=256", 1, true, 1, &before);
    parse_across(nests[column][0], longer, nests[column][1]);
    run(caches[_i / 2], "n=256", 1, true, 1, &after);
    ck_assert_double_ge(before.kind[PLUSSI_MISS_CONFLICT],
                        20 * after.kind[PLUSSI_MISS_CONFLICT] + 1000);
}
END_TEST

/* ---- simulated levels and curves --------------------------------------------------------------
 */

/* A shared fully associative level misses as the curve says, whatever is measured beside it; what a
 * level requests is what the one before misses; the references add up to the level. */
START_TEST(levels_and_curves)
{
    char text[600];
    snprintf(text, sizeof text, "pluss-nest 1 symbol n %s", pattern[_i].text);
    parse(text);
    plussi_request request;
    plussi_result_init(&made, &ctx.mem);
    request_levels("L1=2K:ways=full:shared,L2=8K:ways=4:shared", "n=300", 4, 3, &request);
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &made), PLUSS_OK);
    ck_assert_uint_eq(made.n_levels, 2);
    const plussi_level_result *l1 = &made.level[0], *l2 = &made.level[1];
    const plussi_mrc *mrc = &made.curve[0].mrc;
    ck_assert_double_eq_tol(l1->misses.all, plussi_mrc_at(mrc, 32) * mrc->accesses, 0.5);
    ck_assert_double_eq(l1->misses.requests, mrc->accesses);
    ck_assert_double_eq(l2->misses.requests, l1->misses.all);
    ck_assert_double_eq(l1->misses.kind[PLUSSI_MISS_CONFLICT], 0);
    for (size_t l = 0; l < 2; l++) {
        plussi_misses sum = {0};
        double kinds = 0;
        for (size_t i = 0; i < made.level[l].n_parts; i++)
            add(&sum, &made.level[l].part[i].misses, 1);
        for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
            kinds += made.level[l].misses.kind[k];
        ck_assert_double_eq(sum.all, made.level[l].misses.all);
        ck_assert_double_eq(kinds, made.level[l].misses.all);
        ck_assert(made.level[l].misses.error < 0);
        ck_assert_double_eq(made.level[l].accesses, mrc->accesses);
    }
    plussi_result_free(&made);
    plussi_request_free(&request);
}
END_TEST

/* Threads that do the same to data of their own miss as often; all together, as the level does. */
START_TEST(by_thread)
{
    plussi_request request;
    parse("pluss-nest 1 symbol n array f64 A[n][n] region r repeat 3 parallel for i in 0..n { "
          "for j in 0..i { read A[i][j]; write A[i][j]; } }");
    plussi_result_init(&made, &ctx.mem);
    request_levels("L1=2K:ways=4,L2=16K:ways=8:shared", "n=96", 3, 1, &request);
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &made), PLUSS_OK);
    for (size_t l = 0; l < made.n_levels; l++) {
        plussi_misses sum = {0};
        ck_assert_uint_eq(made.level[l].n_threads, 3);
        for (uint32_t k = 0; k < 3; k++)
            plussi_misses_add(&sum, &made.level[l].thread[k]);
        ck_assert_double_eq(sum.requests, made.level[l].misses.requests);
        ck_assert_double_eq(sum.all, made.level[l].misses.all);
        ck_assert_double_eq(sum.fetched, made.level[l].misses.fetched);
        ck_assert_double_eq(sum.written_back, made.level[l].misses.written_back);
    }
    /* rows of 0 ... 31, 32 ... 63 and 64 ... 95 elements, twice each */
    for (uint32_t k = 0; k < 3; k++)
        ck_assert_double_eq(made.level[0].thread[k].requests,
                            3.0 * 2 * (32 * (32 * k) + 32 * 31 / 2));
    plussi_result_free(&made);
    plussi_request_free(&request);
}
END_TEST

/* Without ways there are no levels; a hierarchy that cannot be is refused before anything runs. */
START_TEST(asked_for_or_not)
{
    parse("pluss-nest 1 symbol n array f64 A[n] region r for i in 0..n { read A[i]; }");
    plussi_request request;
    request_levels("L1=32K,L2=1M:shared", "n=9", 1, 1, &request);
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_uint_eq(result.n_levels, 0);
    ck_assert_uint_eq(result.n, 1);
    plussi_request_free(&request);
    request_levels("L1=32K:ways=7", "n=9", 1, 1, &request);
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_EINVAL);
    ck_assert_msg(strstr(ctx.diags[0].text, "cache L1:"), "%s", ctx.diags[0].text);
    plussi_ctx_clear(&ctx);
    plussi_request_free(&request);
}
END_TEST

/* ---- attribution ------------------------------------------------------------------------------
 */

static void get_levels(uint64_t seed, bool simulate, plussi_result *out)
{
    plussi_request request;
    plussi_result_init(out, &ctx.mem);
    request_levels("L1=2K:ways=2,L2=8K:ways=8,L3=16K:ways=16:shared", "n=40", 1, seed, &request);
    pluss_status status = simulate ? plussi_pipeline_simulate(&ctx, nest, &request, out)
                                   : plussi_pipeline_predict(&ctx, nest, &request, out);
    ck_assert_int_eq(status, PLUSS_OK);
    ck_assert_uint_eq(out->n_levels, 3);
    plussi_request_free(&request);
}

/* Groups add up to the level, and have each reference once. */
static void check_sums(const plussi_level_result *level, plussi_grouping by, size_t groups)
{
    plussi_level_group g;
    plussi_misses sum = {0};
    size_t n = 0, references = 0;
    for (; plussi_level_get_group(level, by, n, &g); n++) {
        plussi_misses_add(&sum, &g.misses);
        references += g.n;
        ck_assert(g.misses.all <= g.misses.requests * (1 + 1e-9));
    }
    ck_assert_uint_eq(n, groups);
    ck_assert_uint_eq(references, level->n_parts);
    ck_assert_double_eq_tol(sum.all, level->misses.all, 1e-6 * level->accesses);
    ck_assert_double_eq_tol(sum.requests, level->misses.requests, 1e-6 * level->accesses);
}

/* Misses of references and arrays against those of the simulation of one thread, which is exact:
 * how often the stated errors hold them, and that they are no wider than they need be. */
START_TEST(references_and_arrays)
{
    enum { TIMES = 24 };
    plussi_result exact;
    double squares = 0, errors = 0;
    size_t held = 0, n = 0;
    parse("pluss-nest 1 symbol n array f64 A[n][n] array f64 B[n][n] array f64 C[n][n] region r "
          "parallel for i in 0..n { for j in 0..n { read C[i][j]; for k in 0..n { read A[i][k]; "
          "read B[k][j]; } write C[i][j]; } for m in 0..n { read B[m][i]; } }");
    get_levels(1, true, &exact);
    for (uint64_t seed = 1; seed <= TIMES; seed++) {
        get_levels(seed, false, &made);
        for (size_t l = 0; l < 3; l++) {
            plussi_level_group p, e;
            check_sums(&made.level[l], PLUSSI_BY_ARRAY, 3);
            check_sums(&exact.level[l], PLUSSI_BY_ARRAY, 3);
            check_sums(&exact.level[l], PLUSSI_BY_INNERMOST_LOOP, 3);
            for (size_t i = 0; plussi_level_get_group(&exact.level[l], PLUSSI_BY_ARRAY, i, &e);
                 i++) {
                ck_assert(plussi_level_get_group(&made.level[l], PLUSSI_BY_ARRAY, i, &p));
                ck_assert_str_eq(p.first->array, e.first->array);
                ck_assert(e.misses.error < 0 && p.misses.error >= 0);
                double apart = p.misses.all - e.misses.all;
                held += fabs(apart) <= 1.96 * p.misses.error;
                squares += apart * apart;
                errors += p.misses.error * p.misses.error;
                n++;
            }
        }
        plussi_result_free(&made);
    }
    plussi_result_free(&exact);
    ck_assert_uint_eq(n, TIMES * 9);
    ck_assert_msg((double)held >= 0.9 * (double)n, "%zu of %zu in their 95 %%", held, n);
    ck_assert_msg(errors < 16 * squares, "errors are %.1f times what they need be",
                  sqrt(errors / squares));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("levels");
    TCase *t = tcase_create("levels");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, sharing, 0, sizeof pattern / sizeof *pattern);
    tcase_add_loop_test(t, sets, 0, sizeof conflict / sizeof *conflict);
    tcase_add_loop_test(t, points_of_sweeps, 0, sizeof sweeps / sizeof *sweeps);
    tcase_add_loop_test(t, filters, 0, sizeof filtered / sizeof *filtered);
    tcase_add_loop_test(t, filters_of_each_thread, 0, sizeof shared_after / sizeof *shared_after);
    tcase_add_test(t, cold_of_all);
    tcase_add_loop_test(t, policies, 0, sizeof policy / sizeof *policy);
    tcase_add_loop_test(t, small_levels, 0, 3);
    tcase_add_loop_test(t, dispatched_again, 0, 3);
    tcase_add_loop_test(t, laws_of_progress, 0, 6);
    tcase_add_loop_test(t, after_other_kinds, 0, 3);
    tcase_add_test(t, tiles);
    tcase_add_test(t, by_thread);
    tcase_add_test(t, rare_cold);
    tcase_add_loop_test(t, padding, 0, 6);
    tcase_add_loop_test(t, levels_and_curves, 0, sizeof pattern / sizeof *pattern);
    tcase_add_test(t, asked_for_or_not);
    tcase_add_test(t, references_and_arrays);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
