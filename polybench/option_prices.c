/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * option_prices: prices of n European call options by the formula of Black and Scholes, steps times
 * over.
 *
 * One loop a step, parallel over the options, which nothing connects: all data are private.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 6 innermost, steps*6*n in all
 */
#include "kernels.h"

void kernel_option_prices(int steps, int n, double spot[n], double strike[n], double rate[n],
                          double volatility[n], double years[n], double price[n])
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for SCHEDULED
        for (int i = 0; i < n; i++) {
            double s = spot[i], k = strike[i], r = rate[i], v = volatility[i], y = years[i];
            double spread = v * sqrt(y);
            double d = (log(s / k) + (r + 0.5 * v * v) * y) / spread;
            double own = 0.5 * (1.0 + erf(d / sqrt(2.0)));
            double other = 0.5 * (1.0 + erf((d - spread) / sqrt(2.0)));
            price[i] = s * own - k * exp(-r * y) * other;
        }
    }
}
