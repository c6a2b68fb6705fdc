/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the runs of a program find in the cache of the lines that they touch, for programs of which
 * a part is described and another recorded access by access.
 *
 * Only first and last touches of each run's lines matter: a stack of lines, the latest on top,
 * gives the distance of each first touch, in the order of the first touches, and is then put into
 * the order of the last ones. The record tells these of a sample of lines for what is recorded
 * (rt/run_order.h); descriptions, with the values and addresses of the run, tell them of the same
 * lines for the rest. Where not all lines are in it, each stands for as many as it was chosen from
 * (Waldspurger, Park, Garthwaite, Ahmad, "Efficient MRC Construction with SHARDS", FAST 2015).
 */
#ifndef PLUSSI_STUDY_BETWEEN_RUNS_H
#define PLUSSI_STUDY_BETWEEN_RUNS_H

#include "base/line_sample.h"
#include "profile/histo.h"
#include "study/pipeline.h"
#include "trace/recorded.h"

/* Of the runs of one block. */
typedef struct plussi_found_lines {
    uint64_t runs;  /* that this is of; 0: none, and the rest is empty */
    double touched; /* different lines, run by run */
    /* of these, by the number of different other lines touched since an earlier run touched them;
     * cold: no run did */
    plussi_histo distance;
    /* Of runs with others inside: first touches after one of these of lines that the run had
     * touched before, by the number of different other lines that the run itself, and that all
     * runs, touched since then. The weights of both are the same in sum. */
    plussi_histo own, real;
} plussi_found_lines;

void plussi_found_lines_init(plussi_found_lines *found, const plussi_mem *mem); /* none */
/* Adds what others found. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_found_lines_add(plussi_found_lines *to,
                                                    const plussi_found_lines *from);
void plussi_found_lines_free(plussi_found_lines *found);

typedef struct plussi_between_runs {
    plussi_mem mem;
    plussi_found_lines *block; /* by number in the record */
    size_t n;
    unsigned shift; /* one line in 2^shift is followed */
    /* Standard error of the share of touched lines with a distance in a bin or above it
     * (base/line_sample.h, COARSE_BITS); the largest; 0: all lines are followed. */
    double error_at[PLUSSI_COARSE_BINS], error;
} plussi_between_runs;

/* Those of a record with an order of its runs. Runs of which a description does not tell the lines
 * are left out, as if they had not been; a warning tells why, once for each region.
 * PLUSS_ENOTFOUND: there is no order; PLUSS_EIO, PLUSS_EFORMAT: the sidecar file; PLUSS_ECANCELLED,
 * PLUSS_ENOMEM. The caller frees. O(accesses of what is described, each block at each placement
 * once, + touched lines of all runs * log(lines)); at most some 2^26 of these: then fewer lines are
 * followed. */
PLUSS_NODISCARD pluss_status plussi_find_between_runs(plussi_ctx *ctx, const plussi_record *record,
                                                      const plussi_nest *const *nests, size_t n,
                                                      const plussi_request *request,
                                                      plussi_between_runs *out);
void plussi_between_runs_free(plussi_between_runs *between); /* leaves it empty */

#endif
