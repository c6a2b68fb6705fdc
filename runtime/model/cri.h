/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * cri: the model of PACT'24 (table 1, section 4) as published, symbolic in the team size. Short
 * intervals are dilated by the negative binomial; long ones become T r, or go to the racetrack on T
 * r if no subscript holds the parallel IV. docs/models.md, "cri".
 */
#ifndef PLUSSI_MODEL_CRI_H
#define PLUSSI_MODEL_CRI_H

#include "model/compose.h"

/* Threshold from theorem 3.1 at PLUSSI_NBD_BOUND_DEFAULT (2052), cut 1e-4, 8 bits. */
plussi_cri_params plussi_cri_default(void);

/* As plussi_compose; params NULL: the default. */
PLUSS_NODISCARD pluss_status plussi_cri(plussi_ctx *ctx, const plussi_pri *pri, uint32_t T,
                                        const plussi_cri_params *params, plussi_histo *out);

#endif
