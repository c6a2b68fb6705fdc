/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/nbd.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "model/bins.h"

/* Above this GSL's continued fraction for the incomplete beta function needs more terms than it
 * allows; there Peizer and Pratt's normal approximation is good to about 1e-9. */
enum { R_BETA = 100000 };

/* Peizer and Pratt 1968, the auxiliary function of their normal approximations:
 * (1 - x^2 + 2 x ln x) / (1 - x)^2, 0 at x = 1. */
static double peizer_g(double x)
{
    double e = x - 1;
    if (fabs(e) < 1e-3) /* the quotient cancels: its series */
        return e * (-1.0 / 3 + e * (1.0 / 6 + e * (-1.0 / 10 + e / 15)));
    return (-2 * e - e * e + 2 * x * log1p(e)) / (e * e);
}

/* Normal deviate of P(Bin(n, p) <= k) (Peizer and Pratt 1968). */
static double peizer_z(double k, double n, double p)
{
    double q = 1 - p;
    double d =
        k + 2.0 / 3 - (n + 1.0 / 3) * p + 0.02 * (q / (k + 1) - p / (n - k) + (q - 0.5) / (n + 1));
    double skew = q * peizer_g((k + 0.5) / (n * p)) + p * peizer_g((n - k - 0.5) / (n * q));
    return d * sqrt((1 + skew) / ((n + 1.0 / 6) * p * q));
}

/* P(Y < y): fewer than y accesses of all threads contain r of this one: P(Bin(y - 1, 1/T) >= r). */
static double mass_below(uint64_t y, uint64_t r, double T)
{
    if (y <= r)
        return 0;
    if (r < R_BETA)
        return gsl_cdf_beta_P(1 / T, (double)r, (double)(y - r));
    return gsl_cdf_ugaussian_Q(peizer_z((double)r - 1, (double)y - 1, 1 / T));
}

/* P(Y >= y). */
static double mass_from(uint64_t y, uint64_t r, double T)
{
    if (y <= r)
        return 1;
    if (r < R_BETA)
        return gsl_cdf_beta_Q(1 / T, (double)r, (double)(y - r));
    return gsl_cdf_ugaussian_P(peizer_z((double)r - 1, (double)y - 1, 1 / T));
}

typedef struct bin_list {
    const plussi_mem *mem;
    plussi_bin *bin;
    size_t n, cap;
} bin_list;

static pluss_status push_bin(bin_list *list, uint64_t key, double weight)
{
    pluss_status status =
        plussi_grow(list->mem, &list->bin, &list->cap, list->n, sizeof(plussi_bin));
    if (status == PLUSS_OK)
        list->bin[list->n++] = (plussi_bin){key, fmax(weight, 0)};
    return status;
}

/* The bins of equation 1 from the one with the mean outwards, up to cut / 2 on each side. Masses
 * are differences of the nearer tail, so that small ones keep their digits. */
static pluss_status collect_bins(bin_list *list, uint64_t r, uint64_t mean, double T, double cut,
                                 unsigned bits)
{
    uint64_t first, last, edge;
    plussi_bin_range(mean, bits, &first, &last);
    double low = mass_below(first, r, T), high = last == UINT64_MAX ? 0 : mass_from(last + 1, r, T);
    uint64_t key = plussi_histo_quantise(mean, bits);
    pluss_status status = push_bin(list, key < r ? r : key, 1 - low - high);
    edge = first;
    while (status == PLUSS_OK && low > cut / 2) {
        plussi_bin_range(edge - 1, bits, &first, &edge);
        double rest = mass_below(first, r, T);
        key = plussi_histo_quantise(first, bits);
        status = push_bin(list, key < r ? r : key, low - rest);
        low = rest;
        edge = first;
    }
    while (status == PLUSS_OK && high > cut / 2) {
        plussi_bin_range(last + 1, bits, &first, &last);
        double rest = last == UINT64_MAX ? 0 : mass_from(last + 1, r, T);
        status = push_bin(list, plussi_histo_quantise(first, bits), high - rest);
        high = rest;
    }
    return status;
}

pluss_status plussi_nbd_dilate(uint64_t r, uint32_t T, double cut, unsigned bits, plussi_histo *out)
{
    if (r == 0 || T == 0 || !(cut > 0 && cut <= PLUSSI_NBD_MAX_CUT) || bits < 1 || bits > 20)
        return PLUSS_EINVAL;
    uint64_t mean;
    pluss_status status = plussi_nbd_mean(r, T, &mean);
    if (status != PLUSS_OK)
        return status;
    bin_list list = {.mem = &out->mem};
    status = T == 1 ? push_bin(&list, r, 1) : collect_bins(&list, r, mean, T, cut, bits);
    double total = 0;
    for (size_t i = 0; i < list.n; i++)
        total += list.bin[i].weight;
    plussi_histo made;
    plussi_histo_init(&made, &out->mem);
    for (size_t i = 0; i < list.n && status == PLUSS_OK; i++)
        status = plussi_histo_add(&made, list.bin[i].key, list.bin[i].weight / total);
    plussi_free(&out->mem, list.bin);
    if (status != PLUSS_OK) {
        plussi_histo_free(&made);
        return status;
    }
    plussi_histo_free(out);
    *out = made;
    return PLUSS_OK;
}

pluss_status plussi_nbd_mean(uint64_t r, uint32_t T, uint64_t *out)
{
    uint64_t mean;
    if (__builtin_mul_overflow(r, (uint64_t)T, &mean))
        return PLUSS_ERANGE;
    *out = mean;
    return PLUSS_OK;
}

pluss_status plussi_nbd_threshold(const plussi_nbd_bound *bound, uint64_t *out)
{
    double c1 = bound->c1, c2 = bound->c2, epsilon = bound->epsilon;
    if (!(c1 >= 0.5 && c1 < 1) || !(c2 > 1 && isfinite(c2)) || !(epsilon > 0 && epsilon < 1))
        return PLUSS_EINVAL;
    double tail = log(2 / epsilon);
    double above = 2 * tail / (c2 * (1 / c2 - 1) * (1 / c2 - 1));
    double under = 3 * tail / (c1 * (1 / c1 - 1) * (1 / c1 - 1));
    double threshold = floor(fmax(above, under));
    if (!(threshold < 0x1p63))
        return PLUSS_ERANGE;
    *out = (uint64_t)threshold;
    return PLUSS_OK;
}
