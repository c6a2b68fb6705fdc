/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Levels of random hierarchies, predicted against simulated, on random nests, dense and sparse. How
 * many are outside of their stated errors is compared with what chance allows. PLUSS_LONG=1:
 * thousands of them.
 */
#include "base/rng.h"
#include "study/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/pipeline_fixture.h"
#include "../unit/suite.h"
#include "nest_gen.h"
#include "sparse_gen.h"

enum { TEXT = 8192, RUNS = 4, ALL_NESTS = 3000, FEW_NESTS = 24 };

/* What the standard errors do not hold: docs/accuracy.md, "Levels of caches", the mean. */
static const double rest = 0.001; /* of all accesses */

typedef struct found {
    uint64_t seed;
    size_t level;
    uint32_t team, most_threads; /* most_threads: clauses num_threads may ask for more than team */
    double simulated, predicted, error, accesses;
    char caches[160];
} found;

static bool is_long(void)
{
    const char *all = getenv("PLUSS_LONG");
    return all && *all;
}

/* ---- what is asked for --------------------------------------------------------------------------
 */

static uint32_t draw(plussi_rng *rng, uint32_t n)
{
    return (uint32_t)plussi_rng_below(rng, n);
}

/* One to three levels of 1 to some hundred sets, each at least twice the one before; private, of
 * two threads, of all, never of fewer than the one before. */
static void draw_caches(plussi_rng *rng, char *out, size_t size)
{
    static const uint32_t ways[] = {1, 2, 3, 4, 6, 8, 11, 12};
    static const char *const shared[] = {"", ":shared=2", ":shared"};
    const uint32_t n = 1 + draw(rng, 3);
    uint32_t lines = 4 + draw(rng, 40), by = 0;
    size_t at = 0;
    for (uint32_t l = 0; l < n; l++) {
        const uint32_t w = ways[draw(rng, 8)], sets = lines / w + 1;
        by += draw(rng, 3 - by);
        at += (size_t)snprintf(out + at, size - at, "%sL%u=%u:ways=%u%s", l ? "," : "", l + 1,
                               64 * sets * w, w, shared[by]);
        lines = sets * w * (2 + draw(rng, 7));
    }
}

/* Nest number `seed`: every other one touches few lines of large arrays. */
static void draw_nest(plussi_rng *rng, uint64_t seed)
{
    static char text[TEXT];
    uint32_t team;
    if (seed % 2) {
        sparse_nest(seed, 2e4, text, sizeof text, &team);
        parse(text);
        return;
    }
    nest_gen_options options =
        nest_gen_defaults(NEST_GEN_AFFINE & ~(NEST_GEN_UNBOUND | NEST_GEN_REGIONS));
    options.max_accesses = 30000;
    options.max_trips = 40;
    nest_gen gen;
    ck_assert_int_eq(nest_gen_make(&ctx, rng, &options, &gen), PLUSS_OK);
    plussi_nest_free(nest);
    nest = gen.nest; /* its bindings are none */
}

/* ---- one case ---------------------------------------------------------------------------------
 */

static pluss_status evaluate(const char *caches, uint32_t team, uint64_t seed, bool simulate)
{
    plussi_request request;
    plussi_request_init(&request, &ctx.mem);
    request.seed = seed;
    ck_assert_int_eq(plussi_request_set_teams(&ctx, &request, &team, 1), PLUSS_OK);
    ck_assert_int_eq(plussi_request_set(&ctx, &request, "cache", caches), PLUSS_OK);
    plussi_result_free(&result);
    plussi_result_init(&result, &plussi_mem_libc);
    pluss_status status = simulate ? plussi_pipeline_simulate(&ctx, nest, &request, &result)
                                   : plussi_pipeline_predict(&ctx, nest, &request, &result);
    plussi_request_free(&request);
    return status;
}

/* What holds at every level, whatever is drawn. */
static void check_level(const plussi_level_result *l, size_t i, const found *f)
{
    const plussi_misses *m = &l->misses, *before = i ? &l[-1].misses : NULL;
    double kinds = 0;
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++) {
        ck_assert_msg(m->kind[k] >= 0, "nest %u, %s", (unsigned)f->seed, f->caches);
        kinds += m->kind[k];
    }
    const double slack = 1e-6 * l->accesses;
    ck_assert_msg(fabs(kinds - m->all) <= slack && m->all <= m->requests + slack &&
                      fabs(m->requests - (before ? before->all : l->accesses)) <= slack,
                  "nest %u, T = %u, %s: L%zu requests %.1f, misses %.1f, by kind %.1f",
                  (unsigned)f->seed, f->team, f->caches, i + 1, m->requests, m->all, kinds);
    if (f->most_threads == 1)
        ck_assert_msg(m->kind[PLUSSI_MISS_TRUE_SHARING] + m->kind[PLUSSI_MISS_FALSE_SHARING] == 0,
                      "nest %u, %s: L%zu, one thread, shares %g", (unsigned)f->seed, f->caches,
                      i + 1,
                      m->kind[PLUSSI_MISS_TRUE_SHARING] + m->kind[PLUSSI_MISS_FALSE_SHARING]);
}

/* Of all regions of the nest, which a clause may say. */
static uint32_t count_threads(uint32_t team, uint64_t seed)
{
    plussi_request request;
    plussi_bound *bound;
    plussi_request_init(&request, &ctx.mem);
    request.seed = seed;
    ck_assert_int_eq(plussi_pipeline_bind(&ctx, nest, &request, team, &bound), PLUSS_OK);
    const uint32_t most = bound->max_team;
    plussi_bound_free(bound);
    plussi_request_free(&request);
    return most;
}

/* The levels' figures; returns how many there are, 0 where the model refuses the nest. */
static size_t compare(uint64_t seed, found *out)
{
    static const uint32_t teams[] = {1, 2, 3, 5, 8};
    double sum[PLUSSI_LEVELS_MOST] = {0}, squares[PLUSSI_LEVELS_MOST] = {0};
    found f = {.seed = seed, .team = seed % 199 == 198 ? 100 : teams[seed / 2 % 5]};
    plussi_rng rng;
    plussi_rng_seed(&rng, seed, 15);
    draw_caches(&rng, f.caches, sizeof f.caches);
    draw_nest(&rng, seed);
    pluss_status status = evaluate(f.caches, f.team, seed, false);
    ck_assert_msg(status == PLUSS_OK || status == PLUSS_EUNSUPPORTED || status == PLUSS_ELIMIT,
                  "nest %u, T = %u, %s: %s", (unsigned)seed, f.team, f.caches,
                  ctx.n_diags ? ctx.diags[0].text : "?");
    const size_t n = status ? 0 : result.n_levels;
    f.most_threads = n ? count_threads(f.team, seed) : f.team;
    for (size_t l = 0; l < n; l++) {
        const plussi_level_result *level = &result.level[l];
        check_level(level, l, &f);
        out[l] = f;
        out[l].level = l;
        out[l].accesses = level->accesses;
        out[l].predicted = level->misses.all;
        out[l].error = level->misses.error;
        ck_assert_double_ge(level->misses.error, 0);
    }
    const int runs = f.team == 1 ? 1 : RUNS;
    for (int r = 0; r < runs && n; r++) {
        ck_assert_int_eq(evaluate(f.caches, f.team, seed + 1000000 * (uint64_t)r, true), PLUSS_OK);
        ck_assert_uint_eq(result.n_levels, n);
        for (size_t l = 0; l < n; l++) {
            check_level(&result.level[l], l, &f);
            ck_assert_double_eq_tol(result.level[l].accesses, out[l].accesses, 0.5);
            sum[l] += result.level[l].misses.all;
            squares[l] += result.level[l].misses.all * result.level[l].misses.all;
        }
    }
    for (size_t l = 0; l < n; l++) { /* the mean of the runs has an error, too */
        out[l].simulated = sum[l] / runs;
        if (runs > 1)
            out[l].error =
                hypot(out[l].error,
                      sqrt(fmax(0, squares[l] / runs - out[l].simulated * out[l].simulated) /
                           (runs - 1)));
    }
    plussi_ctx_clear(&ctx);
    return n;
}

static bool is_outside(const found *f)
{
    return fabs(f->predicted - f->simulated) > 1.96 * f->error + rest * f->accesses;
}

/* The least k that a binomial variable exceeds with a probability below one in 10,000. */
static size_t most_outside(size_t n, double p)
{
    double mass = pow(1 - p, (double)n), all = mass;
    size_t k = 0;
    for (; k < n && 1 - all >= 1e-4; k++) {
        mass *= (double)(n - k) / (double)(k + 1) * p / (1 - p);
        all += mass;
    }
    return k;
}

/* A member that is off by more than its error, known and named in docs/accuracy.md; it is in long
 * runs. */
enum { KNOWN = 17 };

START_TEST(random_levels)
{
    static found f[PLUSSI_LEVELS_MOST];
    const uint64_t nests = is_long() ? ALL_NESTS : FEW_NESTS;
    size_t n = 0, outside = 0, taken = 0;
    char listed[2000] = "";
    for (uint64_t seed = 0; seed < nests; seed += (uint64_t)suite_step()) {
        if (!is_long() && seed == KNOWN)
            continue;
        const size_t levels = compare(seed, f);
        taken += levels > 0;
        n += levels;
        for (size_t l = 0; l < levels; l++) {
            if (!is_outside(&f[l]))
                continue;
            outside++;
            const size_t at = strlen(listed);
            snprintf(listed + at, sizeof listed - at,
                     "\n%u, T = %u, %s: L%zu simulated %.1f, predicted %.1f +- %.1f of %.0f",
                     (unsigned)seed, f[l].team, f[l].caches, l + 1, f[l].simulated, f[l].predicted,
                     f[l].error, f[l].accesses);
        }
    }
    ck_assert_msg(10 * taken >= 9 * (nests / (uint64_t)suite_step() - 8), "%zu taken", taken);
    ck_assert_msg(outside <= most_outside(n, 0.05), "%zu of %zu outside, chance allows %zu:%s",
                  outside, n, most_outside(n, 0.05), listed);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("random levels");
    TCase *t = tcase_create("random levels");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 7200);
    tcase_add_test(t, random_levels);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
