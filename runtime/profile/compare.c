/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "profile/mrc.h"

pluss_status plussi_mrc_compare(plussi_ctx *ctx, const plussi_mrc *a, const plussi_mrc *b,
                                const uint64_t *sizes, size_t n, plussi_mrc_error *out)
{
    if (n == 0)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "curves compared on an empty grid");
    plussi_mrc_error error = {.n = n, .max_at = sizes[0]};
    for (size_t i = 0; i < n; i++) {
        double size = (double)sizes[i], off = plussi_mrc_at(a, size) - plussi_mrc_at(b, size);
        error.mean_signed += off / (double)n;
        error.mean_abs += fabs(off) / (double)n;
        if (fabs(off) > error.max_abs) {
            error.max_abs = fabs(off);
            error.max_at = sizes[i];
        }
    }
    *out = error;
    return PLUSS_OK;
}
