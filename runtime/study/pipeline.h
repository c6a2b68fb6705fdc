/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The whole way: file -> nests -> numbers -> intervals or distances -> miss ratio curves. The
 * stages do not call each other; they are called from here, in order: reading.c, then prediction.c
 * (with the table of models in models.c) or simulation.c or intervals.c.
 */
#ifndef PLUSSI_PIPELINE_H
#define PLUSSI_PIPELINE_H

#include "bound/bound.h"
#include "model/model.h"
#include "object/object.h"
#include "profile/pri.h"
#include "profile/record_intervals.h"
#include "report/result.h"
#include "study/calibrate.h"
#include "trace/recorded.h"
#include "trace/walk.h"

/* Asked now and then: share of the stage that is done (negative: its end is not known), steps done.
 * Not 0: stop. */
typedef int (*plussi_ask_fn)(void *user, const char *stage, double done, uint64_t steps);

/* Steps that a curve may take: about three seconds of one processor. */
enum { PLUSSI_DEFAULT_EFFORT = 600000000 };

typedef struct plussi_request {
    const uint32_t *team; /* one curve each */
    size_t n_teams;
    const plussi_binding *binding;
    size_t n_bindings;
    uint32_t line_bytes;
    uint64_t seed;
    plussi_schedule_kind schedule; /* NONE: as written */
    int64_t chunk;                 /* 0: none */
    const plussi_chunk *recorded;  /* shares of a recorded run, in place of what is written */
    size_t n_recorded;
    const char *model; /* predict; NULL: the default */
    /* The nest's region as a run had it: models that start from private reuse intervals take these,
     * and stand in for what the default model cannot take. NULL: they walk. */
    const plussi_record_block *block;
    const plussi_record *record;       /* that the block is of; NULL: there is none */
    uint32_t collect_team;             /* 0: each team its own */
    double error_target;               /* 0: the model's own */
    uint64_t effort;                   /* steps a curve; 0: PLUSSI_DEFAULT_EFFORT, 10^12 of walks */
    const uint32_t *threads_per_cache; /* threads that share a cache: a curve each for every team;
                                0, or the team or more: all */
    size_t n_threads_per_cache;        /* 0: all alone */
    bool explain;                      /* predict: knees, of the model clock alone */
    bool spread;                       /* predict: how far single runs are from their mean */
    bool profiles;                     /* the profiles that curves are made from are kept */
    plussi_progress progress;          /* predict: other than UNIFORM of the model clock alone */
    plussi_ask_fn ask;                 /* or NULL */
    void *ask_user;
} plussi_request;

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
 * request->threads_per_cache, from a model or from walking
 * every access. */
PLUSS_NODISCARD pluss_status plussi_pipeline_predict(plussi_ctx *ctx, const plussi_nest *nest,
                                                     const plussi_request *request,
                                                     plussi_result *out);
PLUSS_NODISCARD pluss_status plussi_pipeline_simulate(plussi_ctx *ctx, const plussi_nest *nest,
                                                      const plussi_request *request,
                                                      plussi_result *out);
/* The exact curve of the interleaving that a recorded run really had, rebuilt from the touches in
 * the record's sidecar file (request: seed and ask alone). block: of the runs of that block,
 * each on an empty cache; SIZE_MAX: of all runs, as they came. PLUSS_ENOTFOUND: there is no such
 * run. */
PLUSS_NODISCARD pluss_status plussi_pipeline_trace(plussi_ctx *ctx, const plussi_record *record,
                                                   size_t block, const plussi_request *request,
                                                   plussi_result *out);
/* The timelines of the runs of a block, or (SIZE_MAX) of the whole sequence, from the time stamps
 * in the record's sidecar file: trace/make_timelines.h. The caller frees. */
PLUSS_NODISCARD pluss_status plussi_pipeline_timelines(plussi_ctx *ctx, const plussi_record *record,
                                                       size_t block,
                                                       const plussi_nest *const *nests, size_t n,
                                                       plussi_timelines **out);
/* Private reuse intervals at request->team[0]. */
PLUSS_NODISCARD pluss_status plussi_pipeline_pri(plussi_ctx *ctx, const plussi_nest *nest,
                                                 const plussi_request *request, plussi_pri *out);

#endif
