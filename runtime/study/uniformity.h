/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Are places on a circle spread evenly, when they come as time series?
 *
 * The test is chi-square against the uniform distribution, as in the PACT'24 paper, section 3.4. It
 * takes samples as independent; those of one series are not. The correction estimates from the
 * series how much more the counts vary than independent ones would, by Fourier mode of the bins
 * (docs/models.md, "Even gaps": Rao and Scott's second-order correction of the chi-square test,
 * with the covariance that a process without a preferred place has).
 */
#ifndef PLUSSI_STUDY_UNIFORMITY_H
#define PLUSSI_STUDY_UNIFORMITY_H

#include "base/ctx.h"

enum { PLUSSI_UNIFORMITY_BINS = 1024 }; /* at most */

typedef struct plussi_gap_series {
    const double *place; /* in [0, 1), at even times */
    size_t n;
} plussi_gap_series;

typedef struct plussi_uniformity {
    uint64_t samples;
    double chi2; /* of bins - 1 degrees of freedom */
    double p;    /* that it is as large as this for even, independent samples */
    double lag1; /* autocorrelation of successive samples, of the slowest mode: mean cosine of
                    the step */
    double correlation; /* its integrated autocorrelation time, samples, >= 1 */
    double effective;   /* independent samples whose counts would vary as these do, <= samples */
    double p_corrected; /* as p, for samples so correlated */
} plussi_uniformity;

/* Series are independent of each other. count: bins of them, filled in. PLUSS_EINVAL: bins not in 2
 * ... BINS; PLUSS_ENOTFOUND: there is no sample; PLUSS_ENOMEM. *out and count are then untouched.
 * O(bins n log n). */
PLUSS_NODISCARD pluss_status plussi_test_uniformity(plussi_ctx *ctx,
                                                    const plussi_gap_series *series,
                                                    size_t n_series, uint32_t bins, uint64_t *count,
                                                    plussi_uniformity *out);

#endif
