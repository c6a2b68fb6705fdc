/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/cri_line.h"

plussi_cri_params plussi_cri_line_default(void)
{
    return (plussi_cri_params){.threshold = 64, .cut = 1e-4, .bits = 8};
}

pluss_status plussi_cri_line(plussi_ctx *ctx, const plussi_pri *pri, uint32_t T,
                             const plussi_cri_params *params, plussi_histo *out)
{
    plussi_cri_params defaults = plussi_cri_line_default();
    return plussi_compose(ctx, pri, T, params ? params : &defaults, plussi_sharing_at, out);
}
