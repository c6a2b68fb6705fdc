/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The whole way: file -> nests -> numbers -> intervals or distances -> miss ratio curves. The
 * stages do not call each other; they are called from here, in order: reading.c, then prediction.c
 * (with the table of models in models.c) or simulation.c or intervals.c.
 */
#ifndef PLUSSI_PIPELINE_H
#define PLUSSI_PIPELINE_H

#include "model/model.h"
#include "object/object.h"
#include "profile/pri.h"
#include "profile/record_intervals.h"
#include "study/calibrate.h"
#include "study/request.h"
#include "trace/packed.h"
#include "trace/walk.h"

/* The nests of a file, each with where it came from. */
typedef struct plussi_found {
    plussi_nest *nest;
    char *origin;
    char *symbol; /* of the first region's function; NULL: not known */
    plussi_presence presence;
} plussi_found;

/* Reads and parses; *out is an array of *n, owned by the caller (plussi_found_free). All texts are
 * tried, so that every error is reported; the first error's status comes back. */
PLUSS_NODISCARD pluss_status plussi_pipeline_read(plussi_ctx *ctx, const char *path,
                                                  plussi_found **out, size_t *n);
void plussi_found_free(const plussi_mem *mem, plussi_found *found, size_t n);

/* Curves of a nest as one program, in the order of request->team and, within a team, of
 * request->cache, from a model or from walking every access. */
PLUSS_NODISCARD pluss_status plussi_pipeline_predict(plussi_ctx *ctx, const plussi_nest *nest,
                                                     const plussi_request *request,
                                                     plussi_result *out);
PLUSS_NODISCARD pluss_status plussi_pipeline_simulate(plussi_ctx *ctx, const plussi_nest *nest,
                                                      const plussi_request *request,
                                                      plussi_result *out);
/* The exact curve of the interleaving that a recorded run really had, rebuilt from the touches in
 * the record's sidecar file, and, of a block, the levels that the request asks for (request: these,
 * seed and ask alone). block: of the runs of that block, each on empty caches; SIZE_MAX: of all
 * runs, as they came. nest: of the block's region, which tells the references of levels; NULL:
 * there are none, with `why` as the reason. PLUSS_ENOTFOUND: there is no such run. */
PLUSS_NODISCARD pluss_status plussi_pipeline_simulate_touches(
    plussi_ctx *ctx, const plussi_record *record, size_t block, const plussi_nest *nest,
    const char *why, const plussi_request *request, plussi_result *out);
/* The exact curves of a foreign trace (trace/foreign.h) and the levels that are asked for; threads
 * are the trace's, and so is their order. The file is read twice. PLUSS_EEMPTY: no accesses; else
 * as the readers. Memory O(different lines, and the greatest reuse distance). */
PLUSS_NODISCARD pluss_status plussi_pipeline_simulate_trace(plussi_ctx *ctx, const char *path,
                                                            const plussi_request *request,
                                                            plussi_result *out);
/* The curve of a trace from the model crd, which the request must name (PLUSS_EUNSUPPORTED): from
 * what each thread does alone, whatever the order between them. Memory O(lines of each thread). */
PLUSS_NODISCARD pluss_status plussi_pipeline_predict_trace(plussi_ctx *ctx, const char *path,
                                                           const plussi_request *request,
                                                           plussi_result *out);
/* Writes the trace in the packed format. PLUSS_EIO: write says so; else as the readers. */
PLUSS_NODISCARD pluss_status plussi_pack_trace(plussi_ctx *ctx, const char *path,
                                               const plussi_request *request, plussi_pack_fn write,
                                               void *user);
/* The timelines of the runs of a block, or (SIZE_MAX) of the whole sequence, from the time stamps
 * in the record's sidecar file: trace/make_timelines.h. The caller frees. */
PLUSS_NODISCARD pluss_status plussi_pipeline_timelines(plussi_ctx *ctx, const plussi_record *record,
                                                       size_t block,
                                                       const plussi_nest *const *nests, size_t n,
                                                       plussi_timelines **out);
/* The same of a block with times of its chunks, for the nest with the request's values, and a team.
 */
PLUSS_NODISCARD pluss_status plussi_pipeline_chunk_timelines(
    plussi_ctx *ctx, const plussi_nest *nest, const plussi_request *request, uint32_t team,
    const plussi_record_block *block, plussi_timelines **out);
/* Private reuse intervals at request->team[0]. */
PLUSS_NODISCARD pluss_status plussi_pipeline_pri(plussi_ctx *ctx, const plussi_nest *nest,
                                                 const plussi_request *request, plussi_pri *out);

#endif
