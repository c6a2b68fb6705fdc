/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The machine file (docs/machine-file.md): the caches of a machine, what operations and lines cost
 * it, and how its threads progress, as calibrations found it.
 */
#ifndef PLUSSI_STUDY_MACHINE_FILE_H
#define PLUSSI_STUDY_MACHINE_FILE_H

#include "cache/hierarchy.h"
#include "cost/machine_costs.h"
#include "report/document.h"
#include "report/sink.h"
#include "team/progress.h"

/* Nanoseconds of a time slice. */
#define PLUSSI_SLICE_LEAST 1e3
#define PLUSSI_SLICE_MOST 1e12

/* As plussi_progress has them. */
typedef struct plussi_machine_rates {
    double sigma, skew, skew_spread, stall_rate, stall;
    double access; /* nanoseconds that one takes; 0: not known */
} plussi_machine_rates;

/* A region with a team. */
typedef struct plussi_calibrated_region {
    const char *region, *file, *command, *date; /* but for region, NULL: not known */
    uint32_t line, team;
    uint64_t runs, discarded;
    plussi_machine_rates all; /* of its loops together */
    const double *rate;       /* of each thread */
    const plussi_loop_rates *loop;
    size_t n_loops;
} plussi_calibrated_region;

/* A region's loops in a pool of work-stealing threads: nanoseconds, as plussi_pool has them. */
typedef struct plussi_calibrated_pool {
    const char *region, *file, *command, *date; /* but for region, NULL: not known */
    uint32_t team;
    uint64_t runs;
    double wake, access;
} plussi_calibrated_pool;

typedef struct plussi_machine_file {
    plussi_arena arena;           /* everything below lives in it */
    const char *name;             /* of the file, without its folder; NULL: of none */
    const char *processor, *date; /* of the last change, "2026-11-20T16:30:00Z"; NULL: not known */
    plussi_machine_caches caches; /* hierarchy.n 0: there are none */
    plussi_machine_costs costs;   /* n 0: there are none */
    bool calibrated;              /* it has what follows */
    plussi_machine_rates all;     /* of all regions together */
    double slice; /* nanoseconds that a thread runs before another on its core; 0: not known */
    plussi_calibrated_region *region;
    size_t n_regions, cap;
    const plussi_calibrated_pool *pool;
    size_t n_pools;
} plussi_machine_file;

/* An empty one; the caller frees. */
PLUSS_NODISCARD pluss_status plussi_machine_file_new(plussi_ctx *ctx, plussi_machine_file **out);
void plussi_machine_file_free(plussi_machine_file *file);
/* machine_json.c: PLUSS_ENOTFOUND: there is no such file; PLUSS_EIO; PLUSS_EFORMAT, with the place
 * in it; PLUSS_EUNSUPPORTED: the library was built without JSON. */
PLUSS_NODISCARD pluss_status plussi_machine_file_read(plussi_ctx *ctx, const char *path,
                                                      plussi_machine_file **out);
PLUSS_NODISCARD pluss_status plussi_machine_file_write(plussi_ctx *ctx,
                                                       const plussi_machine_file *file,
                                                       plussi_sink *sink);
/* Puts a copy of *region in place of what there is of the same region and team, and computes the
 * numbers of all regions together anew. O(regions). */
PLUSS_NODISCARD pluss_status plussi_machine_file_merge(plussi_machine_file *file,
                                                       const plussi_calibrated_region *region);
/* NULL: none. A region is known by name, source file and team. */
const plussi_calibrated_region *plussi_machine_file_find(const plussi_machine_file *file,
                                                         const char *region, const char *source,
                                                         uint32_t team);
/* The same, of those whose time of an access is known, with the team that is nearest by its ratio
 * (the smaller of two). */
const plussi_calibrated_region *plussi_machine_file_nearest(const plussi_machine_file *file,
                                                            const char *region, const char *source,
                                                            uint32_t team);
/* The numbers that *progress, rates, slices or pool, leaves to the machine, for a region (NULL:
 * there are several) and a team; as they are where the file has none. *out points into *progress,
 * the file and `origin`. */
void plussi_machine_file_fill(const plussi_machine_file *file, const char *region,
                              const char *source, uint32_t team, const plussi_progress *progress,
                              plussi_progress *out, char origin[128]);

/* machine_report.c: the levels, for programs as the file has them. Nothing where there are none. */
void plussi_report_machine_levels(const plussi_machine_caches *caches, plussi_document *document);
/* costs_report.c: likewise what operations and lines cost. */
void plussi_report_machine_costs(const plussi_machine_costs *costs, plussi_document *document);

#endif
