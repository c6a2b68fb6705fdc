/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Footprints, cold accesses and curves of the model clock against exact simulations, on random
 * nests that touch few lines of large arrays.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/pipeline_fixture.h"
#include "../unit/suite.h"
#include "model/clock.h"
#include "sparse_gen.h"

/* In make check; with PLUSS_LONG=1 forty times as many. */
enum { NESTS = 80, TURNS = 8, TEXT = 8192 };

typedef struct found {
    uint64_t seed;
    double footprint, off, error; /* lines; in parts of the footprint */
    double curve;                 /* mean over the sizes, in points */
} found;

static int by_off(const void *a, const void *b)
{
    const found *x = a, *y = b;
    return fabs(x->off) < fabs(y->off) ? -1 : fabs(x->off) > fabs(y->off);
}

static double mean_difference(const plussi_mrc *a, const plussi_mrc *b, uint64_t footprint)
{
    uint64_t *size;
    size_t n;
    double sum = 0;
    ck_assert_int_eq(plussi_grid_sizes(&ctx, PLUSSI_GRID_STRICT, footprint, 64, &size, &n),
                     PLUSS_OK);
    for (size_t i = 0; i < n; i++)
        sum += fabs(plussi_mrc_at(a, (double)size[i]) - plussi_mrc_at(b, (double)size[i]));
    plussi_free(&ctx.mem, size);
    return 100 * sum / (double)n;
}

static plussi_clock_result predict(uint32_t team, uint64_t seed)
{
    plussi_bind_options as = {.team = team, .line_bytes = 64};
    plussi_clock_options options = plussi_clock_defaults();
    plussi_clock_result got;
    plussi_bound *bound;
    options.seed = seed;
    ck_assert_int_eq(plussi_bind(&ctx, nest, &as, &bound), PLUSS_OK);
    ck_assert_int_eq(plussi_clock(&ctx, bound, &options, &got), PLUSS_OK);
    plussi_bound_free(bound);
    return got;
}

/* What holds whatever is drawn, and how far off the rest is. */
static found compare(const char *text, uint32_t team, uint64_t seed)
{
    parse(text);
    plussi_request request = {.team = &team, .n_teams = 1, .line_bytes = 64, .seed = seed};
    ck_assert_msg(plussi_pipeline_simulate(&ctx, nest, &request, &result) == PLUSS_OK, "%s", text);
    const plussi_curve *exact = &result.curve[result.n - 1];
    double footprint = (double)exact->footprint_lines;
    plussi_clock_result got = predict(team, seed);
    double cold = plussi_mrc_at(&got.estimate.mrc, 1e18) * got.estimate.mrc.accesses;
    ck_assert_msg(fabs(got.estimate.mrc.accesses - exact->mrc.accesses) < 0.5, "%s", text);
    ck_assert_msg(fabs(cold - got.estimate.footprint) < 1e-6 * cold + 1e-3, "%g %g %s", cold,
                  got.estimate.footprint, text);
    ck_assert_msg(plussi_mrc_at(&got.estimate.mrc, got.estimate.footprint) *
                          got.estimate.mrc.accesses <=
                      cold + 1e-3,
                  "%s", text);
    ck_assert_double_ge(got.estimate.footprint, 1);
    ck_assert_double_eq(got.estimate.footprint, round(got.estimate.footprint));
    /* which threads take part in a loop that is handed out is not the same in each run */
    bool varies = strstr(text, "private") && (strstr(text, "dynamic") || strstr(text, "guided"));
    if (got.estimate.footprint_error == 0 && !varies)
        ck_assert_msg(got.estimate.footprint == footprint, "%g is not %g: %s",
                      got.estimate.footprint, footprint, text);
    found f = {.seed = seed,
               .footprint = footprint,
               .off = got.estimate.footprint / footprint - 1,
               .error = got.estimate.footprint_error / footprint,
               .curve = mean_difference(&got.estimate.mrc, &exact->mrc, exact->footprint_lines)};
    plussi_estimate_free(&got.estimate);
    plussi_result_free(&result);
    plussi_result_init(&result, &plussi_mem_libc);
    return f;
}

static bool is_long(void)
{
    const char *all = getenv("PLUSS_LONG");
    return all && *all;
}

START_TEST(sparse_nests)
{
    int n = is_long() ? 40 * NESTS / TURNS : NESTS / TURNS, near = 0, held = 0, uncertain = 0;
    found *f = calloc((size_t)n, sizeof *f);
    double curves = 0;
    ck_assert_ptr_nonnull(f);
    for (int i = 0; i < n; i++) {
        char text[TEXT];
        uint32_t team;
        const uint64_t seed = (uint64_t)(_i * n + i);
        sparse_nest(seed, 1e5, text, sizeof text, &team);
        f[i] = compare(text, team, seed);
        near += fabs(f[i].off) <= 0.02;
        curves += f[i].curve / n;
        uncertain += f[i].error > 0;
        held += f[i].error > 0 && fabs(f[i].off) <= 1.96 * f[i].error + 1 / f[i].footprint;
        if (is_long())
            printf("# %llu %.0f %+.3f %.3f %% %.2f\n", (unsigned long long)f[i].seed,
                   f[i].footprint, 100 * f[i].off, 100 * f[i].error, f[i].curve);
        ck_assert_msg(f[i].error <= 0.05, "nest %llu: error %g", (unsigned long long)f[i].seed,
                      f[i].error);
    }
    qsort(f, (size_t)n, sizeof *f, by_off);
    printf("# near %d held %d of %d, of %d; worst %llu: %+.2f %%; curves %.2f\n", near, held,
           uncertain, n, (unsigned long long)f[n - 1].seed, 100 * f[n - 1].off, curves);
    ck_assert_msg(fabs(f[n - 1].off) <= 0.1, "nest %llu: %+.1f %%",
                  (unsigned long long)f[n - 1].seed, 100 * f[n - 1].off);
    ck_assert_int_ge(20 * near, 19 * n);
    ck_assert_double_le(curves, 1);
    free(f);
}
END_TEST

/* Guards that keep references in less memory than their loops would reach, beside other arrays. */
static const char *const guarded[] = {
    "array f64 A[][29] private array f64 B[37][36] region r for i in 3..39 step 4 { "
    "if (2 * i == 5) { write A[i][i / 4]; } } for i in 0..11 step 2 { read A[i][i]; "
    "write A[i][i]; } write B[2][0];",
    "array f64 A[] array f64 B[] private array f64 C[] region r parallel for i in 0..900 { "
    "if (i % 7 == 3 && i < 90) { write B[13 * i]; read A[2 * i]; } read C[i]; write C[i]; }",
    "array f64 A[] private array f64 B[] private region r parallel { for i in 0..400 { "
    "if (i >= 380) { write A[9 * i - 3000]; } if (i < 20) { read B[3000 - 8 * i]; } } }",
};

START_TEST(guarded_memory)
{
    static const uint32_t teams[] = {1, 2, 5};
    for (size_t t = 0; t < sizeof teams / sizeof *teams; t++) {
        char text[TEXT];
        snprintf(text, sizeof text, "pluss-nest 1 %s", guarded[_i]);
        const found f = compare(text, teams[t], 1);
        ck_assert_msg(f.off == 0 && f.error == 0, "T = %u: %+g %% +- %g %%: %s", teams[t],
                      100 * f.off, 100 * f.error, text);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("footprint");
    TCase *t = tcase_create("sparse");
    tcase_set_timeout(t, is_long() ? 3000 : 300);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, sparse_nests, 0, suite_turns(TURNS));
    tcase_add_loop_test(t, guarded_memory, 0, sizeof guarded / sizeof *guarded);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
