/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The blocks of a record by binding: the same region with the same values and places in lines, run
 * by other teams or recorded otherwise.
 */
#ifndef PLUSSI_STUDY_RECORDED_BINDINGS_H
#define PLUSSI_STUDY_RECORDED_BINDINGS_H

#include "study/pipeline.h"

enum { PLUSSI_BINDINGS = 64 /* of a region that are reported */ };

typedef struct plussi_recorded_binding {
    const size_t *block; /* ascending */
    size_t n;            /* >= 1 */
    uint64_t runs;       /* how often the program ran it; a run may be in several blocks */
} plussi_recorded_binding;

typedef struct plussi_recorded_bindings {
    plussi_recorded_binding *binding; /* in the order of their first blocks */
    size_t n;
    size_t *block; /* of all */
} plussi_recorded_bindings;

/* Those of the regions that the request names; of a region with more than PLUSSI_BINDINGS, those
 * that ran most, and a warning tells of the others. The caller frees. O(blocks log blocks). */
PLUSS_NODISCARD pluss_status plussi_find_bindings(plussi_ctx *ctx, const plussi_request *request,
                                                  const plussi_record *record,
                                                  plussi_recorded_bindings *out);
void plussi_free_bindings(const plussi_mem *mem, plussi_recorded_bindings *bindings);
/* Whether the request asks for the region. */
bool plussi_wants_region(const plussi_request *request, const char *region);
/* Of the blocks of one binding, the one to take a team from: with intervals, of that many threads
 * or else of the most; or, where the schedule is recorded, with chunks of that many threads. */
size_t plussi_choose_block(const plussi_request *request, const plussi_record *record,
                           const plussi_recorded_binding *binding, uint32_t team);

#endif
