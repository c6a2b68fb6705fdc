/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/model.h"

pluss_status plussi_private_caches(plussi_ctx *ctx, const plussi_pri *intervals, bool by_reference,
                                   plussi_estimate *out)
{
    plussi_profile *profile = &out->profile;
    const uint32_t n_described = intervals->n_refs - intervals->n_sites;
    pluss_status status =
        plussi_profile_init(&ctx->mem, PLUSSI_METRIC_INTERVAL, PLUSSI_SCOPE_PRIVATE,
                            by_reference ? n_described : 0, profile);
    for (uint32_t i = 0; i < intervals->n_refs && !status; i++) {
        const plussi_histo *histo = &intervals->ref[i].histo;
        status = plussi_histo_merge(&profile->histo, histo, 1);
        if (!status && by_reference && i < n_described)
            status = plussi_histo_merge(&profile->part[i].histo, histo, 1);
        out->footprint += histo->cold;
    }
    return status;
}
