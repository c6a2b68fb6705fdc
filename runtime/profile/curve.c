/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/curve.h"
#include "base/bisect.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

void plussi_mrc_free(plussi_mrc *mrc)
{
    plussi_free(&mrc->mem, mrc->size);
    plussi_free(&mrc->mem, mrc->miss);
    *mrc = (plussi_mrc){.mem = mrc->mem};
}

pluss_status plussi_curve_alloc(const plussi_mem *mem, size_t n, plussi_mrc *out)
{
    plussi_mrc curve = {.mem = *mem};
    curve.size = plussi_alloc(mem, n, sizeof *curve.size);
    curve.miss = plussi_alloc(mem, n, sizeof *curve.miss);
    if (!curve.size || !curve.miss) {
        plussi_mrc_free(&curve);
        return PLUSS_ENOMEM;
    }
    *out = curve;
    return PLUSS_OK;
}

void plussi_curve_finish(plussi_mrc *curve, size_t n)
{
    size_t kept = 0;
    double all = curve->miss[0];
    for (size_t i = 0; i < n; i++) {
        double size = curve->size[i], miss = curve->miss[i] / all;
        if (kept > 1 && size <= curve->size[kept - 1])
            kept--; /* the previous step has no width */
        if (kept > 0 && miss >= curve->miss[kept - 1])
            continue;
        curve->size[kept] = size;
        curve->miss[kept++] = miss;
    }
    curve->n = kept;
}

double plussi_mrc_hit_rate(const plussi_mrc *mrc, double sets, uint32_t ways)
{
    double sum = 0;
    if (sets <= 1)
        return 1 - plussi_mrc_at(mrc, sets * ways);
    for (size_t i = 1; i < mrc->n; i++) { /* what hits from a size on has one line less between */
        const double between = fmin(mrc->size[i] - 1, UINT32_MAX);
        sum += (mrc->miss[i - 1] - mrc->miss[i]) *
               gsl_cdf_binomial_P(ways - 1, 1 / sets, (unsigned)fmax(0, between));
    }
    return sum;
}

double plussi_mrc_at(const plussi_mrc *mrc, double size_lines)
{
    PLUSSI_BISECT(size_t, next, 1, mrc->n, mrc->size[next] > size_lines);
    return mrc->miss[next - 1];
}
