/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The curve of all runs of a program of which a part is described and another recorded access by
 * access: the curves of its regions' runs, with what the runs find of each other's lines in the
 * cache (study/between_runs.h).
 */
#ifndef PLUSSI_STUDY_MIXED_WHOLE_H
#define PLUSSI_STUDY_MIXED_WHOLE_H

#include "report/result.h"
#include "study/between_runs.h"
#include "study/recorded_bindings.h"

typedef struct plussi_mixed_part {
    size_t curve; /* its number in the result: of one run of the binding, by a team */
    const plussi_recorded_binding *binding; /* borrowed */
    bool alone;                             /* one thread ran it: it is part of all teams' curves */
} plussi_mixed_part;

typedef struct plussi_mixed_whole {
    plussi_mixed_part *part;
    size_t n, cap;
    bool searched, failed; /* what runs find of each other's lines is searched for once: */
    plussi_between_runs between;
    plussi_ctx told; /* on that */
} plussi_mixed_whole;

PLUSS_NODISCARD pluss_status plussi_mixed_whole_note(const plussi_mem *mem,
                                                     plussi_mixed_whole *mixed,
                                                     plussi_mixed_part part); /* PLUSS_ENOMEM */
/* Adds a curve for each team that has one, if that of the first is of more than `least` accesses.
 * PLUSS_ECANCELLED, PLUSS_ENOMEM; what else can be wrong is warned of, once, and nothing is added.
 * Cost of the first call as of plussi_find_between_runs. */
PLUSS_NODISCARD pluss_status plussi_mixed_whole_add(plussi_ctx *ctx, const plussi_record *record,
                                                    const plussi_nest *const *nests, size_t n,
                                                    const plussi_request *request,
                                                    plussi_mixed_whole *mixed, double least,
                                                    plussi_result *result);
void plussi_mixed_whole_free(const plussi_mem *mem, plussi_mixed_whole *mixed);

#endif
