/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What models made of dilation and racetrack have in common: concurrent reuse intervals from
 * private ones, for any team size, by the two formulas alone (PACT'24, table 1). They differ in
 * which long intervals go to the racetrack, and with how many runners. docs/models.md, "cri".
 */
#ifndef PLUSSI_MODEL_COMPOSE_H
#define PLUSSI_MODEL_COMPOSE_H

#include "model/model.h"

typedef struct plussi_cri_params {
    uint64_t threshold; /* longest private interval that counts as short, accesses */
    double cut;         /* of plussi_nbd_dilate */
    unsigned bits;      /* log2 of the bins an octave of dilated and split intervals */
} plussi_cri_params;

/* How the long intervals of a reference end with T threads: the fraction *part on a racetrack with
 * *runners threads; the rest are only dilated. */
typedef void (*plussi_runners_fn)(const plussi_pri *pri, uint32_t ref, uint32_t T,
                                  uint32_t *runners, double *part);

/* Concurrent reuse intervals of T threads from pri, which may have been collected at any team size
 * and is not changed. out: initialised; its contents are replaced; its total and
 * cold weight are pri's, its thread_first is 0 (those accesses have concurrent intervals).
 *
 * PLUSS_EINVAL (T = 0, params out of their ranges), PLUSS_ERANGE (an interval times T does not fit
 * 64 bits), PLUSS_ENOMEM: out is then untouched. O(bins of pri * bins of one distribution). */
PLUSS_NODISCARD pluss_status plussi_compose(plussi_ctx *ctx, const plussi_pri *pri, uint32_t T,
                                            const plussi_cri_params *params,
                                            plussi_runners_fn runners, plussi_histo *out);

/* The same as a model: applies `compose` with its default parameters (NULL) to the input's
 * intervals, at the team size of the input's nest. */
PLUSS_NODISCARD pluss_status
plussi_compose_estimate(plussi_ctx *ctx, const plussi_model_input *input,
                        pluss_status (*compose)(plussi_ctx *ctx, const plussi_pri *pri, uint32_t T,
                                                const plussi_cri_params *params, plussi_histo *out),
                        plussi_estimate *out);

#endif
