/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dilation of a private reuse interval by the accesses of T - 1 other threads, under uniform
 * interleaving and without shared data (PACT'24, section 3.2). docs/models.md, "nbd".
 */
#ifndef PLUSSI_MODEL_NBD_H
#define PLUSSI_MODEL_NBD_H

#include "profile/histo.h"

/* Largest fraction of the mass that may be cut off both tails together. */
#define PLUSSI_NBD_MAX_CUT 1e-4

/* Negative binomial dilation of one private reuse interval (PACT'24, equation 1):
 *
 *     P(Y = y) = C(y-1, r-1) (1/T)^r (1 - 1/T)^(y-r),   y >= r
 *
 * r      private reuse interval, accesses, >= 1
 * T      team size, >= 1; 1 gives r itself
 * cut    mass that may be dropped from the tails, in (0, PLUSSI_NBD_MAX_CUT]; the rest is scaled
 *        back to 1
 * bits   2^bits bins an octave (plussi_histo_quantise), in [1, 20]; a bin's weight is the exact
 *        mass of the keys in it, its key their representative, but not below r
 * out    concurrent reuse intervals, accesses; weights sum to 1; what it held is replaced
 *
 * O(bins of out). PLUSS_ERANGE where r * T does not fit 64 bits, PLUSS_EINVAL, PLUSS_ENOMEM: out
 * is then untouched. */
PLUSS_NODISCARD pluss_status plussi_nbd_dilate(uint64_t r, uint32_t T, double cut, unsigned bits,
                                               plussi_histo *out);

/* The mean of the above, T r, which long intervals become. PLUSS_ERANGE if it does not fit. */
PLUSS_NODISCARD pluss_status plussi_nbd_mean(uint64_t r, uint32_t T, uint64_t *out);

/* An interval is long if P(c1 T r <= Y <= c2 T r) >= 1 - epsilon is certain (theorem 3.1). With the
 * defaults 0.9, 1.1 and 1e-3, intervals above 2052 are long. */
typedef struct plussi_nbd_bound {
    double c1;      /* [0.5, 1) */
    double c2;      /* > 1 */
    double epsilon; /* (0, 1) */
} plussi_nbd_bound;

#define PLUSSI_NBD_BOUND_DEFAULT ((plussi_nbd_bound){.c1 = 0.9, .c2 = 1.1, .epsilon = 1e-3})

/* The longest private reuse interval that is short: theorem 3.1 with epsilon / 2 for each of its
 * tails (the paper gives epsilon to each); independent of T. */
PLUSS_NODISCARD pluss_status plussi_nbd_threshold(const plussi_nbd_bound *bound, uint64_t *out);

#endif
