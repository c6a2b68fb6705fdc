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

static pluss_status run_cri_line(plussi_ctx *ctx, const plussi_model_input *input,
                                 plussi_estimate *out)
{
    return plussi_compose_estimate(ctx, input, plussi_cri_line, out);
}

extern const plussi_model plussi_model_cri_line;
const plussi_model plussi_model_cri_line = {.name = "cri-line",
                                            .summary =
                                                "PACT'24's composition, decided by cache line",
                                            .takes = PLUSSI_TAKES_INTERVALS,
                                            .run = run_cri_line};
