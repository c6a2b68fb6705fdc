/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far apart the threads of a loop are: the experiment of the PACT'24 paper, section 3.4, on the
 * time stamps of real runs.
 *
 * At each stop every thread that is in the loop has a place in its share of it: iterations, with
 * the part of the present one by linear interpolation between the stamps around the stop. Stops are
 * those of the run's timer (trace/timed_run.h), as in the paper, or moments at an even distance
 * from each other, chosen afterwards: the stamps tell the places at any time, and then nothing
 * disturbs the threads. The gap of thread k is its place minus thread 0's, modulo the lap. Thread 0
 * is the base throughout (the paper draws one at each stop), so that the gaps of a pair are a time
 * series; were the threads' places even and independent, the gaps to one base would be so too. A
 * series ends where the loop's execution does.
 */
#ifndef PLUSSI_STUDY_GAPS_H
#define PLUSSI_STUDY_GAPS_H

#include "report/writer.h"
#include "study/uniformity.h"
#include "trace/recorded.h"
#include "trace/timed_run.h"

typedef struct plussi_gaps plussi_gaps;

typedef struct plussi_gaps_options {
    const char *const *region; /* of these; n_regions 0: of all */
    size_t n_regions;
    int64_t loop;    /* its number in its region; -1: the one of which there are the most samples */
    double lap;      /* iterations, > 0 */
    double interval; /* nanoseconds between stops, >= 1 */
    bool by_timer;   /* stops are those of the program's timer */
    double drop;     /* share of a run's stops that is dropped at its beginning, in [0, 1) */
    uint32_t bins;   /* 2 ... PLUSSI_UNIFORMITY_BINS */
} plussi_gaps_options;

/* A program's run, or all of them together. */
typedef struct plussi_gaps_result {
    plussi_uniformity test;
    const uint64_t *count; /* bins of them, from gap 0 */
    uint64_t stops;        /* that were taken */
    uint64_t outside;      /* of them, with threads that were not both in the loop */
    uint64_t
        wrong; /* places of which the counters that the stop read say otherwise than the stamps */
} plussi_gaps_result;

/* Copies the options; the caller frees. */
PLUSS_NODISCARD pluss_status plussi_gaps_new(plussi_ctx *ctx, const plussi_gaps_options *options,
                                             plussi_gaps **out);
void plussi_gaps_free(plussi_gaps *gaps); /* NULL is allowed */

/* One more run of the program: its record and its trace. PLUSS_EFORMAT: a run of the stamps is of
 * no block of the record. O(stamps + stops log stamps). */
PLUSS_NODISCARD pluss_status plussi_gaps_add(plussi_gaps *gaps, const plussi_record *record,
                                             plussi_trace_reader *trace);

/* Decides for a loop, and tests. PLUSS_ENOTFOUND: no stop found two threads in a loop as asked for.
 */
PLUSS_NODISCARD pluss_status plussi_gaps_finish(plussi_gaps *gaps);

/* After finish: what was looked at, and the runs in the order of add; SIZE_MAX: all together. */
typedef struct plussi_gaps_loop {
    const char *region, *file;
    uint32_t line, loop, team; /* team: the largest */
    size_t runs;
} plussi_gaps_loop;
plussi_gaps_loop plussi_gaps_what(const plussi_gaps *gaps);
const plussi_gaps_result *plussi_gaps_get(const plussi_gaps *gaps, size_t run); /* NULL: none */
/* Its own; region and loop as they were asked for. */
const plussi_gaps_options *plussi_gaps_asked(const plussi_gaps *gaps);

/* gaps_report.c: after finish. */
void plussi_gaps_report(const plussi_gaps *gaps, plussi_document *document);

#endif
