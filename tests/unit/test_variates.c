/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random variates against their distributions: Pearson's chi-square on cells of known probability,
 * at a level that a right generator misses once in some thousands; fixed seeds.
 */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "base/variates.h"
#include "suite.h"

enum { DRAWS = 200000, CELLS = 40 };

typedef double (*cdf)(double x, double a, double b);
typedef double (*draw)(plussi_rng *rng, double a, double b);

static double normal_cdf(double x, double a, double b)
{
    return gsl_cdf_gaussian_P(x - a, b);
}
static double normal(plussi_rng *rng, double a, double b)
{
    return a + b * plussi_draw_normal(rng);
}

static double exponential_cdf(double x, double a, double b)
{
    (void)a, (void)b;
    return gsl_cdf_exponential_P(x, 1);
}
static double exponential(plussi_rng *rng, double a, double b)
{
    (void)a, (void)b;
    return plussi_draw_exponential(rng);
}

static double gamma_cdf(double x, double a, double b)
{
    (void)b;
    return gsl_cdf_gamma_P(x, a, 1);
}
static double gamma_draw(plussi_rng *rng, double a, double b)
{
    (void)b;
    return plussi_draw_gamma(rng, a);
}

static double beta_cdf(double x, double a, double b)
{
    return gsl_cdf_beta_P(x, a, b);
}
static double beta_draw(plussi_rng *rng, double a, double b)
{
    return plussi_draw_beta(rng, a, b);
}

static double poisson_cdf(double x, double a, double b)
{
    (void)b;
    return x < 0 ? 0 : gsl_cdf_poisson_P((unsigned)x, a);
}
static double poisson(plussi_rng *rng, double a, double b)
{
    (void)b;
    return (double)plussi_draw_poisson(rng, a);
}

static double gamma_from(plussi_rng *rng, double a, double b)
{
    (void)b;
    return plussi_gamma_from(rng, a, plussi_rng_unit(rng) + 0x1p-54);
}
static double poisson_from(plussi_rng *rng, double a, double b)
{
    (void)b;
    plussi_poisson counts;
    plussi_poisson_set(&counts, a);
    return (double)plussi_poisson_draw_from(&counts, rng, plussi_rng_unit(rng) + 0x1p-54);
}

static double binomial_cdf(double x, double a, double b)
{
    return x < 0 ? 0 : gsl_cdf_binomial_P((unsigned)x, b, (unsigned)a);
}
static double binomial(plussi_rng *rng, double a, double b)
{
    return (double)plussi_draw_binomial(rng, (uint64_t)a, b);
}

/* Of 60 or, where b is 1, 3000 with a third marked, a taken. */
static double marked_cdf(double x, double a, double b)
{
    unsigned n = b > 0 ? 3000 : 60;
    return x < 0 ? 0 : gsl_cdf_hypergeometric_P((unsigned)x, n / 3, n - n / 3, (unsigned)a);
}
static double marked(plussi_rng *rng, double a, double b)
{
    uint64_t n = b > 0 ? 3000 : 60;
    return (double)plussi_draw_marked(rng, n, n / 3, (uint64_t)a);
}

static const struct {
    const char *name;
    draw draw;
    cdf cdf;
    double a, b, mean, sd;
    int whole; /* the values are whole numbers */
} law[] = {
    {"normal", normal, normal_cdf, 0, 1, 0, 1, 0},
    {"exponential", exponential, exponential_cdf, 0, 0, 1, 1, 0},
    {"gamma 1", gamma_draw, gamma_cdf, 1, 0, 1, 1, 0},
    {"gamma 2", gamma_draw, gamma_cdf, 2, 0, 2, 1.4142, 0},
    {"gamma 37", gamma_draw, gamma_cdf, 37, 0, 37, 6.08, 0},
    {"gamma 1e4", gamma_draw, gamma_cdf, 1e4, 0, 1e4, 1e2, 0},
    {"beta 1, 1", beta_draw, beta_cdf, 1, 1, .5, .289, 0},
    {"beta 3, 9", beta_draw, beta_cdf, 3, 9, .25, .12, 0},
    {"beta 5000, 20", beta_draw, beta_cdf, 5000, 20, .996, .00089, 0},
    {"poisson .3", poisson, poisson_cdf, .3, 0, .3, .55, 1},
    {"poisson 9.9", poisson, poisson_cdf, 9.9, 0, 9.9, 3.15, 1},
    {"poisson 10", poisson, poisson_cdf, 10, 0, 10, 3.16, 1},
    {"poisson 25", poisson, poisson_cdf, 25, 0, 25, 5, 1},
    {"poisson 4e4", poisson, poisson_cdf, 4e4, 0, 4e4, 200, 1},
    {"gamma 1 from uniform", gamma_from, gamma_cdf, 1, 0, 1, 1, 0},
    {"gamma 3 from uniform", gamma_from, gamma_cdf, 3, 0, 3, 1.732, 0},
    {"gamma 1e4 from uniform", gamma_from, gamma_cdf, 1e4, 0, 1e4, 1e2, 0},
    {"poisson .3 from uniform", poisson_from, poisson_cdf, .3, 0, .3, .55, 1},
    {"poisson 9.9 from uniform", poisson_from, poisson_cdf, 9.9, 0, 9.9, 3.15, 1},
    {"poisson 25 from uniform", poisson_from, poisson_cdf, 25, 0, 25, 5, 1},
    {"poisson 4e4 from uniform", poisson_from, poisson_cdf, 4e4, 0, 4e4, 200, 1},
    {"binomial 1, .3", binomial, binomial_cdf, 1, .3, .3, .46, 1},
    {"binomial 50, .1", binomial, binomial_cdf, 50, .1, 5, 2.12, 1},
    {"binomial 50, .95", binomial, binomial_cdf, 50, .95, 47.5, 1.54, 1},
    {"binomial 40, .5", binomial, binomial_cdf, 40, .5, 20, 3.16, 1},
    {"binomial 1000, .3", binomial, binomial_cdf, 1000, .3, 300, 14.5, 1},
    {"20 of 60", marked, marked_cdf, 20, 0, 6.67, 1.72, 1},
    {"50 of 60", marked, marked_cdf, 50, 0, 16.67, 1.37, 1},
    {"30 of 3000", marked, marked_cdf, 30, 1, 10, 2.57, 1},
    {"2960 of 3000", marked, marked_cdf, 2960, 1, 986.7, 2.96, 1},
    {"1200 of 3000", marked, marked_cdf, 1200, 1, 400, 12.65, 1},
    {"binomial 1e6, .7", binomial, binomial_cdf, 1e6, .7, 7e5, 458, 1},
};

enum { N_LAWS = sizeof law / sizeof *law };

START_TEST(distribution)
{
    double edge[CELLS - 1], expected[CELLS], chi = 0;
    unsigned count[CELLS] = {0}, cells = 0;
    for (int i = 0; i + 1 < CELLS; i++) { /* from -4 to 4 standard deviations */
        edge[i] = law[_i].mean + law[_i].sd * (8.0 * (i + 1) / CELLS - 4);
        if (law[_i].whole)
            edge[i] = floor(edge[i]);
    }
    for (int i = 0; i < CELLS; i++) {
        double below = i > 0 ? law[_i].cdf(edge[i - 1], law[_i].a, law[_i].b) : 0;
        double upto = i + 1 < CELLS ? law[_i].cdf(edge[i], law[_i].a, law[_i].b) : 1;
        expected[i] = DRAWS * (upto - below);
    }
    plussi_rng rng;
    plussi_rng_seed(&rng, 77, (uint64_t)_i);
    for (int n = 0; n < DRAWS; n++) {
        double x = law[_i].draw(&rng, law[_i].a, law[_i].b);
        int i = 0;
        while (i + 1 < CELLS && x > edge[i])
            i++;
        count[i]++;
    }
    double rest = 0, rest_expected = 0; /* cells of less than 5 go together */
    for (int i = 0; i < CELLS; i++) {
        if (expected[i] < 5) {
            rest += count[i];
            rest_expected += expected[i];
            continue;
        }
        chi += (count[i] - expected[i]) * (count[i] - expected[i]) / expected[i];
        cells++;
    }
    if (rest_expected >= 1) {
        chi += (rest - rest_expected) * (rest - rest_expected) / rest_expected;
        cells++;
    } else {
        ck_assert_double_lt(rest, 12);
    }
    double p = cells > 1 ? gsl_cdf_chisq_Q(chi, cells - 1) : 1;
    ck_assert_msg(p > 2e-4, "%s: chi-square %.1f in %u cells, p = %.2g", law[_i].name, chi, cells,
                  p);
}
END_TEST

START_TEST(edges)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 1, 1);
    for (int n = 0; n < 1000; n++) {
        ck_assert_uint_eq(plussi_draw_poisson(&rng, 0), 0);
        ck_assert_uint_eq(plussi_draw_binomial(&rng, 0, .5), 0);
        ck_assert_uint_eq(plussi_draw_binomial(&rng, 9, 0), 0);
        ck_assert_uint_eq(plussi_draw_binomial(&rng, 9, 1), 9);
        ck_assert_uint_le(plussi_draw_binomial(&rng, 3, .999), 3);
        ck_assert_uint_le(plussi_draw_binomial(&rng, UINT64_C(1) << 40, 1e-12), 1000);
        ck_assert_uint_eq(plussi_draw_marked(&rng, 10, 10, 7), 7);
        ck_assert_uint_eq(plussi_draw_marked(&rng, 10, 0, 7), 0);
        ck_assert_uint_eq(plussi_draw_marked(&rng, 500, 499, 500), 499);
        double b = plussi_draw_beta(&rng, 1, 1e9);
        ck_assert(b > 0 && b < 1e-6);
        ck_assert_double_gt(plussi_draw_exponential(&rng), 0);
    }
}
END_TEST

/* A law that is kept draws what single draws do, whatever was drawn of it before. */
START_TEST(kept_poisson)
{
    const double mean[] = {0, 0.3, 9.99, 10, 57, 1e9, 2};
    plussi_poisson kept = {0};
    plussi_rng a, b;
    plussi_rng_seed(&a, 3, 4);
    b = a;
    ck_assert_uint_eq(plussi_poisson_draw(&kept, &a), 0);
    for (size_t i = 0; i < sizeof mean / sizeof *mean; i++) {
        plussi_poisson_set(&kept, mean[i]);
        for (int n = 0; n < 10000; n++)
            ck_assert_uint_eq(plussi_poisson_draw(&kept, &a), plussi_draw_poisson(&b, mean[i]));
    }
}
END_TEST

START_TEST(repeatable)
{
    plussi_rng a, b;
    plussi_rng_seed(&a, 5, 6);
    plussi_rng_seed(&b, 5, 6);
    for (int n = 0; n < 1000; n++) {
        ck_assert(plussi_draw_gamma(&a, n + 1.0) == plussi_draw_gamma(&b, n + 1.0));
        ck_assert_uint_eq(plussi_draw_poisson(&a, n), plussi_draw_poisson(&b, n));
    }
}
END_TEST

/* Uniform variates that are spread evenly, in any order, leave the mean of what they give a small
 * part of the variance that independent ones do. */
START_TEST(even)
{
    enum { SETS = 400, N = 64 };
    static const struct {
        double mean; /* of the Poisson distribution, or the shape of a gamma; 0: the other */
        double shape, part;
    } of[] = {{3, 0, .02}, {0, 1, .02}, {40, 0, .5}, {5000, 0, .5}, {0, 7, .1}, {0, 900, .02}};
    plussi_rng rng;
    plussi_rng_seed(&rng, 3, (uint64_t)_i);
    const double mean = of[_i].mean + of[_i].shape; /* which is the variance, too */
    double squares = 0;
    plussi_poisson counts;
    plussi_poisson_set(&counts, of[_i].mean);
    for (int set = 0; set < SETS; set++) {
        double sum = 0;
        for (int n = 0; n < N; n++) {
            const double u = (n + plussi_rng_unit(&rng)) / N + 0x1p-54;
            sum += of[_i].shape > 0 ? plussi_gamma_from(&rng, of[_i].shape, u)
                                    : (double)plussi_poisson_draw_from(&counts, &rng, u);
        }
        squares += (sum / N - mean) * (sum / N - mean);
    }
    const double part = squares / SETS / (mean / N);
    ck_assert_msg(part < of[_i].part, "mean %.0f, shape %.0f: %.3f of the variance", of[_i].mean,
                  of[_i].shape, part);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("variates");
    TCase *c = tcase_create("variates");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, distribution, 0, N_LAWS);
    tcase_add_loop_test(c, even, 0, 6);
    tcase_add_test(c, edges);
    tcase_add_test(c, kept_poisson);
    tcase_add_test(c, repeatable);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
