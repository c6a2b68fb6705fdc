/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of the model clock.
 */
#ifndef PLUSSI_MODEL_CLOCK_STATE_H
#define PLUSSI_MODEL_CLOCK_STATE_H

#include "model/clock.h"
#include "model/variates.h"
#include "sample/engine.h"

/* ---- one access under one draw of the clocks: clock_window.c ------------------------------------
 */

/* Where a thread stands. Positions are in phases. */
typedef struct plussi_clock_thread {
    uint64_t n;          /* ticks of its clock at the access; its accesses end at `end` */
    uint64_t start, end; /* the window: from start in the source's phase to end in the access's */
    plussi_spot cursor;  /* at `end` */
    bool touched;        /* the line, before: */
    uint64_t phase, pos; /* there */
    double time;         /* on the phase's clock */
    plussi_spot touch;
    bool has_edge, edge_any; /* clock_distance.c: what lies just before the window */
    plussi_spot edge;
} plussi_clock_thread;

typedef struct plussi_clock_run {
    plussi_ctx *ctx;
    const plussi_clock_options *options;
    const plussi_engine *engine;
    plussi_scan *scan;
    plussi_rng rng;
    uint32_t team;
    plussi_clock_thread *thread;
    /* the window of the access evaluated last */
    plussi_spot spot;
    uint64_t line;
    uint64_t phase, pos; /* of the access */
    bool cold;
    uint32_t source; /* thread that touched the line last */
    uint64_t source_phase;
    uint64_t interval; /* concurrent reuse interval, >= 1 */
    uint64_t between;  /* of these, in whole phases between the two */
} plussi_clock_run;

/* Draws the clocks for run->spot and finds the window. */
void plussi_clock_window(plussi_clock_run *run);

/* ---- distinct lines of the window: clock_distance.c
 * ------------------------------------------------ */

enum { PLUSSI_CLOCK_LISTED = 200 }; /* accesses of a window that is listed */

/* Exact for windows of at most PLUSSI_CLOCK_LISTED accesses, else an unbiased estimate from `draws`
 * of them. */
double plussi_clock_distance(plussi_clock_run *run, uint32_t draws);

/* ---- where the weight lies: clock_survey.c
 * ------------------------------------------------------- */

/* An access to be evaluated. */
typedef struct plussi_clock_sample {
    uint64_t number; /* plussi_engine_nth */
    double weight;   /* accesses that it stands for */
    uint32_t part;   /* of the program: AET is applied within */
    uint32_t stratum;
    /* what the evaluation gave */
    bool cold;
    uint64_t interval;
    bool cross;      /* the window crosses a barrier */
    bool listed;     /* lines is exact */
    double lines;    /* distinct lines of the window, exactly or estimated; not always asked for */
    double distance; /* stack distance */
} plussi_clock_sample;

typedef struct plussi_clock_plan {
    plussi_clock_sample *sample;
    size_t n;
    uint32_t n_parts;
    double accesses;
} plussi_clock_plan;

PLUSS_NODISCARD pluss_status plussi_clock_survey(plussi_clock_run *run, plussi_clock_plan *out);
void plussi_clock_plan_free(const plussi_mem *mem, plussi_clock_plan *plan);

/* ---- intervals to distances: clock_aet.c
 * ---------------------------------------------------------- */

PLUSS_NODISCARD pluss_status plussi_clock_aet(plussi_ctx *ctx, plussi_clock_plan *plan);
PLUSS_NODISCARD pluss_status plussi_clock_calibrate(plussi_ctx *ctx, plussi_clock_plan *plan);

#endif
