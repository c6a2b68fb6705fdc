/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * option_prices's reference: the price of the put option, by the complementary error function, and
 * from it that of the call, which exceeds it by what the share is worth above the discounted
 * strike.
 */
#include "driver.h"

static void fill(const int *sz, void **mem)
{
    int n = sz[1];
    double *volatility = mem[3], *rate = mem[2];
    for (int i = 0; i < n; i++) {
        volatility[i] *= 0.3;
        rate[i] *= 0.05;
    }
}

static void expect(const int *sz, void **mem)
{
    int n = sz[1];
    const double *s = mem[0], *k = mem[1], *r = mem[2], *v = mem[3], *y = mem[4];
    double *price = mem[5];
    for (int i = 0; i < n; i++) {
        double deviation = v[i] * sqrt(y[i]);
        double forward = s[i] * exp(r[i] * y[i]);
        double up = log(forward / k[i]) / deviation + deviation / 2;
        double put = exp(-r[i] * y[i]) *
                     (k[i] * erfc((up - deviation) / sqrt(2.0)) - forward * erfc(up / sqrt(2.0))) /
                     2;
        price[i] = put + s[i] - k[i] * exp(-r[i] * y[i]);
    }
}

static void run(const int *sz, void **mem)
{
    kernel_option_prices(sz[0], sz[1], mem[0], mem[1], mem[2], mem[3], mem[4], mem[5]);
}

/* Some twenty roundings of numbers of at most 3 times the largest price; d, of which the slope of
 * the price is at most 1, is 10 at most. */
static double tolerance(const int *sz)
{
    (void)sz;
    return 300 * DBL_EPSILON;
}

const kernel_case the_case = {.name = "option_prices",
                              .symbols = {"steps", "n"},
                              .arrays = {{"spot", "n"},
                                         {"strike", "n"},
                                         {"rate", "n"},
                                         {"volatility", "n"},
                                         {"years", "n"},
                                         {"price", "n", .result = true}},
                              .fill = fill,
                              .run = run,
                              .expect = expect,
                              .tolerance = tolerance};
