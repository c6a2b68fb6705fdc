/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calibrates regions from the records of several processes: runs of the same region with the same
 * team are fitted together (study/calibrate.h).
 */
#ifndef PLUSSI_STUDY_CALIBRATOR_H
#define PLUSSI_STUDY_CALIBRATOR_H

#include "report/document.h"
#include "study/calibrate.h"
#include "study/request.h"

/* A region with a team. */
typedef struct plussi_region_runs {
    char *region, *file;
    uint32_t line, team;
    plussi_timelines **timelines; /* one element a process and set of values */
    size_t n, cap;
    plussi_calibration fit; /* once it is fitted */
} plussi_region_runs;

/* {.mem = ...} is an empty one. */
typedef struct plussi_calibrator {
    plussi_mem mem;
    plussi_region_runs *region;
    size_t n, cap;
} plussi_calibrator;

void plussi_calibrator_free(plussi_calibrator *calibrator); /* what it owns */
/* Adds one process: the runs that its record has time stamps of, of two threads or more, of the
 * regions that the request names. What cannot be used is told, and left out. */
PLUSS_NODISCARD pluss_status plussi_calibrator_add(plussi_ctx *ctx, plussi_calibrator *calibrator,
                                                   const plussi_request *request,
                                                   const plussi_record *record,
                                                   const plussi_nest *const *nests, size_t n);
/* The least number of runs that a fit would not discard, over the regions; 0: of none. O(a fit). */
PLUSS_NODISCARD pluss_status plussi_calibrator_count_runs(plussi_ctx *ctx,
                                                          const plussi_calibrator *calibrator,
                                                          uint64_t *out);
/* Fits all, once. Regions that cannot be fitted, or of whose runs more than half are discarded, are
 * told, and left out. PLUSS_ENOTFOUND: none is left. */
PLUSS_NODISCARD pluss_status plussi_calibrator_fit(plussi_ctx *ctx, plussi_calibrator *calibrator);
/* What was fitted, into the file. command, date: of the calibration; NULL: not known. */
PLUSS_NODISCARD pluss_status plussi_calibrator_put(const plussi_calibrator *calibrator,
                                                   const char *command, const char *date,
                                                   plussi_machine_file *file);

/* calibration_report.c: what was fitted and, of the file of this name (NULL: none), what it has of
 * all regions together. */
void plussi_calibrator_report(const plussi_calibrator *calibrator, const plussi_machine_file *file,
                              const char *name, plussi_section *root);

#endif
