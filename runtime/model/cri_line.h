/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * cri-line: cri, decided by cache line. If neighbouring chunks share lines, the long intervals of
 * these lines also go to the racetrack, with the threads that share a line as runners.
 * docs/models.md, "cri-line".
 */
#ifndef PLUSSI_MODEL_CRI_LINE_H
#define PLUSSI_MODEL_CRI_LINE_H

#include "model/compose.h"

/* Threshold 64, cut 1e-4, 8 bits. */
plussi_cri_params plussi_cri_line_default(void);

/* As plussi_compose; params NULL: the default. */
PLUSS_NODISCARD pluss_status plussi_cri_line(plussi_ctx *ctx, const plussi_pri *pri, uint32_t T,
                                             const plussi_cri_params *params, plussi_histo *out);

#endif
