/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of the model clock.
 */
#ifndef PLUSSI_MODEL_CLOCK_STATE_H
#define PLUSSI_MODEL_CLOCK_STATE_H

#include <pthread.h>

#include "base/effort.h"
#include "base/variates.h"
#include "model/clock.h"
#include "sampler/engine.h"
#include "sampler/footprint.h"
#include "team/law.h"

enum {
    PLUSSI_CLOCK_PROGRESS = 8,        /* parts of a worksharing loop's progress */
    PLUSSI_CLOCK_LISTED = 200,        /* accesses of a window that is listed */
    PLUSSI_CLOCK_LISTED_AGAIN = 1000, /* ... where accesses are evaluated in several runs */
    PLUSSI_CLOCK_MOST_DRAWS = 16      /* accesses that are looked at in a longer one */
};

/* ---- one access under one draw of the clocks: clock_window.c ------------------------------------
 */

/* Where a thread is. Positions are in phases. */
typedef struct plussi_clock_thread {
    uint64_t stamp;      /* of the window that all the rest belongs to */
    uint64_t n;          /* ticks of its clock at the access; its accesses end at `end` */
    uint64_t start, end; /* the window: from start in the source's phase to end in the access's */
    bool has_cursor;     /* at `end`; see plussi_clock_cursor */
    plussi_cursor cursor;
    bool touched;        /* the line, before: */
    uint64_t phase, pos; /* there */
    double time;         /* on the phase's clock */
    uint64_t known_phase,
        known; /* clock_free.c: by a time of a phase it had made that many accesses */
    double known_time;
    plussi_cursor touch;
    bool has_edge, edge_any; /* clock_distance.c: what is just before the window */
    plussi_cursor edge;
} plussi_clock_thread;

/* One replication. */
typedef struct plussi_clock_run {
    plussi_ctx *ctx;
    const plussi_clock_options *options;
    const plussi_engine *engine;
    plussi_workspace *workspace;
    struct plussi_clock_itersets *sets; /* of loops that are dispatched, */
    bool handed_out;                    /* of which there are some */
    struct plussi_clock_paths *paths;   /* of all accesses that are looked at; NULL: each has clocks
                                           of its own */
    plussi_rng rng;
    uint64_t seed; /* of this replication */
    uint32_t team;
    uint32_t first, last; /* the threads [first, last) share the access's cache */
    plussi_clock_thread *thread;
    uint64_t *toucher,
        *other;           /* threads that can touch a line: the access's, one of the window's */
    plussi_clocks clocks; /* of the team, under the law of its progress */
    uint32_t *phases;     /* RECORDED: phases with accesses before each of the engine's, + 1 */
    uint64_t most_listed; /* accesses of a window that is listed */
    struct plussi_clock_lines *lines; /* room for its lines */
    bool failed;                      /* memory ran out */
    bool one_by_one;                  /* every thread's part of the window has to be known */
    uint64_t stamp;                   /* of this window */
    uint32_t *seen,
        n_seen;     /* threads whose parts of it are known; the others' are empty, but for */
    uint64_t crowd; /* accesses of threads that cannot touch the line */
    /* the window of the access evaluated last */
    plussi_cursor cursor;
    uint64_t line;
    uint64_t phase, pos; /* of the access */
    bool cold;
    uint32_t source; /* thread that touched the line last */
    uint64_t source_phase;
    double latest;     /* when, on the clock of its phase */
    uint64_t interval; /* concurrent reuse interval, >= 1 */
    uint64_t between;  /* of these, in whole phases between the two */
} plussi_clock_run;

/* The cursor at the end of thread k's accesses. */
const plussi_cursor *plussi_clock_cursor(plussi_clock_run *run, uint32_t k);
/* Draws the clocks for run->cursor and finds the window. */
void plussi_clock_window(plussi_clock_run *run);
/* The same, all but `between`, where all clocks run free: clock_free.c. now: of the access. */
void plussi_clock_window_free(plussi_clock_run *run, double now);

/* ---- threads that share a cache: clock_cache_threads.c
 * ------------------------------------------------- */

/* Sets first and last for an access of thread `own`. */
void plussi_clock_choose_cache_threads(plussi_clock_run *run, uint32_t own);
/* Accesses of these threads in the whole phases between the access and its source, and one of them.
 */
uint64_t plussi_clock_between(plussi_clock_run *run);
void plussi_clock_nth_between(plussi_clock_run *run, uint64_t u, plussi_cursor *out);
/* The window is short enough for its lines to be listed. */
bool plussi_clock_is_listed(const plussi_clock_run *run);

/* ---- clocks: clock_progress.c
 * --------------------------------------------------------------------
 *
 * What the law answers, but in phases in which loops are dispatched, and in runs whose clocks are
 * kept. */

PLUSS_NODISCARD pluss_status plussi_clock_progress_new(plussi_clock_run *run,
                                                       const plussi_timeline *timeline);
void plussi_clock_progress_free(plussi_clock_run *run);
/* A fresh phase, `which` 0 the access's, 1 the source's. */
void plussi_clock_begin(plussi_clock_run *run, int which, uint64_t phase);
/* As plussi_law has time, count, time_before and count_between. */
double plussi_clock_time(plussi_clock_run *run, int which, uint64_t phase, uint32_t k,
                         uint64_t pos);
uint64_t plussi_clock_count(plussi_clock_run *run, uint64_t phase, uint32_t k, double now);
double plussi_clock_time_before(plussi_clock_run *run, uint64_t phase, uint32_t k, uint64_t y,
                                uint64_t n, double now);
uint64_t plussi_clock_count_between(plussi_clock_run *run, int which, uint64_t phase, uint32_t k,
                                    uint64_t from, double since, uint64_t n, double now,
                                    double time);

/* ---- loops that are dispatched: clock_itersets.c, clock_moments.c
 * --------------------------------------------------- */

typedef struct plussi_clock_itersets plussi_clock_itersets;

/* When a thread makes some of a phase's accesses. Those between two are between them uniformly. */
typedef struct plussi_clock_moments {
    size_t n;
    /* a list: number access[i] at time[i] */
    const uint64_t *access; /* ascending; the last may be the one after the thread's last */
    const double *time;
    /* or the first accesses of a pattern's chunks, and the end of the last of them */
    const struct plussi_pattern *pattern; /* NULL: a list */
    uint32_t row;                         /* thread of the pattern */
    double scale;                         /* of the pattern's times */
    uint64_t each, all;                   /* accesses of a chunk, of all of the thread's */
    double end;
} plussi_clock_moments;

/* Moment i < n. */
uint64_t plussi_clock_moment_access(const plussi_clock_moments *m, size_t i);
double plussi_clock_moment_time(const plussi_clock_moments *m, size_t i);
/* The first moment of an access above pos; after a time. n: none. */
size_t plussi_clock_moment_above(const plussi_clock_moments *m, uint64_t pos);
size_t plussi_clock_moment_after(const plussi_clock_moments *m, double time);

/* singles: as plussi_iterset_source has it. */
PLUSS_NODISCARD pluss_status plussi_clock_itersets_new(plussi_ctx *ctx, const plussi_bound *bound,
                                                       uint64_t seed, bool singles,
                                                       plussi_clock_itersets **out);
void plussi_clock_itersets_free(plussi_clock_itersets *sets);
const plussi_iterset_source *plussi_clock_itersets_source(plussi_clock_itersets *sets);
PLUSS_NODISCARD pluss_status plussi_clock_itersets_engine(plussi_clock_itersets *sets,
                                                          const plussi_engine *engine);
/* PLUSS_OK, or why a share could not be made. */
pluss_status plussi_clock_itersets_status(const plussi_clock_itersets *sets);
/* false: nothing of the phase is dispatched on demand, or the thread has no access: its clock runs
 * free. */
bool plussi_clock_pinned(plussi_clock_run *run, uint64_t phase, uint32_t k,
                         plussi_clock_moments *out);

/* The moments of a phase in which loops are dispatched; false: thread k runs free. */
bool plussi_clock_is_pinned(plussi_clock_run *run, uint64_t phase, uint32_t k,
                            plussi_clock_moments *m);

/* ---- the clocks of one run: clock_paths.c
 * ------------------------------------------------------------------------------------ */

typedef struct plussi_clock_paths plussi_clock_paths;

PLUSS_NODISCARD pluss_status plussi_clock_paths_new(const plussi_mem *mem, uint32_t team,
                                                    plussi_clock_paths **out);
void plussi_clock_paths_free(plussi_clock_paths *paths);
/* When thread k makes access pos of a phase; how many it has made by a time, which may exceed what
 * it has. O(log of what was asked, plus what was asked about later). */
double plussi_clock_path_time(plussi_clock_run *run, uint64_t phase, uint32_t k, uint64_t pos);
uint64_t plussi_clock_path_count(plussi_clock_run *run, uint64_t phase, uint32_t k, double time);

/* ---- distinct lines of the window: clock_distance.c
 * ----------------------------------------------- */

typedef struct plussi_clock_lines plussi_clock_lines;
/* Room for that many lines. The caller frees (plussi_free). */
PLUSS_NODISCARD pluss_status plussi_clock_lines_new(const plussi_mem *mem, uint64_t most,
                                                    plussi_clock_lines **out);
/* Exact for windows that are listed (*variance 0), else an unbiased
 * estimate from `draws` of them, with an estimate of its variance. */
double plussi_clock_distance(plussi_clock_run *run, uint32_t draws, double *variance);

/* ---- where the weight is: clock_pilot.c
 * --------------------------------------------------------- */

/* An access to be evaluated. */
typedef struct plussi_clock_sample {
    uint64_t number; /* plussi_engine_nth */
    uint64_t stratum;
    double drawn;  /* accesses that it stands for in its replication's sample, and */
    double weight; /* now */
    uint32_t part; /* of the program: AET is applied within */
    uint32_t replication;
    uint32_t place; /* of an access that is evaluated in several runs: among these, in time */
    /* what the evaluation gave */
    uint64_t phase, pos;
    bool cold, cross; /* the window crosses a barrier */
    bool listed;      /* lines is exact */
    uint32_t draws;   /* that lines is estimated from; 0: listed, or lines is not there */
    uint64_t interval;
    double lines, variance; /* distinct lines of the window */
    double distance;        /* stack distance */
    double doubt;           /* square of the octaves that counting leaves it uncertain by */
    /* for the report */
    bool other_thread;
    plussi_carrier carrier;
    const plussi_bound_node *ref, *source;
    const plussi_bound_node *loop;
} plussi_clock_sample;

/* What an attempt took, or the most that one of several did. */
typedef struct plussi_clock_used {
    uint64_t steps;
    size_t bytes; /* at a time */
} plussi_clock_used;

typedef struct plussi_clock_plan {
    plussi_clock_sample *sample;
    size_t n;
    uint32_t n_parts;
    double accesses;
    plussi_clock_used used;  /* by a replication */
    plussi_footprint firsts; /* of these, first touches among those who share a cache */
} plussi_clock_plan;

/* Samples of one replication, weights that add up to the program's accesses; sample owned by the
 * caller. */
PLUSS_NODISCARD pluss_status plussi_clock_pilot(plussi_clock_run *run, uint32_t pilot,
                                                uint32_t samples, plussi_clock_plan *out);

/* ---- evaluation: clock_replica.c
 * ------------------------------------------------------------------- */

/* Accesses that are looked at in windows that are not listed: n in one of `every` windows. */
typedef struct plussi_clock_draws {
    uint32_t n, every;
    const plussi_clock_plan *again; /* these accesses are evaluated, all in one run, instead of
                                       those of a pilot */
} plussi_clock_draws;

/* Whether the caller wants to go on: his own thread asks him, the others learn of it. */
typedef struct plussi_clock_watch {
    const plussi_clock_options *options;
    pthread_t caller;
    double done, error; /* so far */
    bool stopped;       /* atomic */
} plussi_clock_watch;
bool plussi_clock_goes_on(plussi_clock_watch *watch);
/* Says that the nest makes no access; PLUSS_EEMPTY. */
PLUSS_NODISCARD pluss_status plussi_clock_no_access(plussi_ctx *ctx);
/* The steps that each replication, and the footprint, may take; 0: not bounded. */
uint64_t plussi_clock_share_of_effort(const plussi_clock_options *options);
/* plussi_attempt with that share of the effort. What takes more is refused by name and place. used
 * may be NULL.
 */
PLUSS_NODISCARD pluss_status plussi_clock_attempt(plussi_ctx *ctx, const plussi_bound *bound,
                                                  const plussi_clock_options *options,
                                                  plussi_attempt_fn body, void *user,
                                                  plussi_clock_used *used);
/* All of one replication: number `replication` of the seed. Everything in out is allocated from
 * ctx->mem. */
PLUSS_NODISCARD pluss_status plussi_clock_replica(plussi_ctx *ctx, const plussi_bound *bound,
                                                  const plussi_clock_options *options,
                                                  uint32_t replication,
                                                  const plussi_clock_draws *draws,
                                                  plussi_clock_watch *watch,
                                                  plussi_clock_plan *out);

/* ---- intervals to distances: clock_aet.c, clock_misfit.c, clock_calibrate.c
 * ----------------------------------------------------------------------------- */

/* Fills distance. Sorts the samples. */
void plussi_clock_aet(plussi_clock_plan *plan);
/* How much miss ratio, averaged over the sizes, AET is found to misjudge. */
PLUSS_NODISCARD pluss_status plussi_clock_misfit(plussi_ctx *ctx, const plussi_clock_plan *plan,
                                                 double footprint, double *out);
/* Corrects AET's distances by what was counted, if anything was. */
PLUSS_NODISCARD pluss_status plussi_clock_calibrate(plussi_ctx *ctx, plussi_clock_plan *plan);

/* ---- how far the curve may be off: clock_error.c
 * -----------------------------------------------------------------------------------------------
 */

/* Fills mean_error and, at the n_points sizes, error. pilot_accesses: accesses of all surveys.
 * Sorts the samples. */
PLUSS_NODISCARD pluss_status plussi_clock_error(plussi_ctx *ctx, plussi_clock_plan *plan,
                                                uint32_t replications, double pilot_accesses,
                                                plussi_clock_result *out);

/* ---- from one draw to another: clock_spread.c
 * -------------------------------------------------------- */

/* Standard deviations over draws at n sizes. Sorts the samples. */
PLUSS_NODISCARD pluss_status plussi_clock_spread(plussi_ctx *ctx, plussi_clock_plan *plan,
                                                 uint32_t draws, const double *size, size_t n,
                                                 double *out);

/* ---- from one run to another, uniform progress: clock_single_runs.c
 * ------------------------------------------------------------------------------------------- */

/* Accesses to be evaluated in several runs: those of replication 0. The caller frees the samples.
 */
PLUSS_NODISCARD pluss_status plussi_clock_positions(plussi_ctx *ctx, const plussi_clock_plan *plan,
                                                    plussi_clock_plan *out);
/* Standard deviations over runs at n sizes. plan: the curve's samples, with distances, and those of
 * that many accesses in replications first, first + 1, ...: runs of them, at least two. */
PLUSS_NODISCARD pluss_status plussi_clock_single_runs(plussi_ctx *ctx,
                                                      const plussi_clock_plan *plan, uint32_t first,
                                                      uint32_t runs, size_t accesses,
                                                      const double *size, size_t n, double *out);

/* ---- the same, from whole runs: clock_walked_runs.c
 * ------------------------------------------------------------------------------------------- */

/* accesses: of the program; out: n zeros. O(accesses * runs). */
PLUSS_NODISCARD pluss_status plussi_clock_walked_runs(plussi_ctx *ctx, const plussi_bound *bound,
                                                      const plussi_clock_options *options,
                                                      plussi_clock_watch *watch, double accesses,
                                                      const double *size, size_t n, double *out);

/* ---- the lines of the program: clock_footprint.c
 * ---------------------------------------------------- */

/* Lines that are touched; firsts: the same, once for each cache that they come into, where
 * threads_per_cache share one (0: all). PLUSS_EEMPTY: there is no access. */
PLUSS_NODISCARD pluss_status plussi_clock_footprint(plussi_ctx *ctx, const plussi_bound *bound,
                                                    uint64_t seed, uint32_t threads_per_cache,
                                                    plussi_footprint *lines,
                                                    plussi_footprint *firsts);
/* The same by an attempt. */
PLUSS_NODISCARD pluss_status plussi_clock_find_footprint(plussi_ctx *ctx, const plussi_bound *bound,
                                                         const plussi_clock_options *options,
                                                         plussi_footprint *lines,
                                                         plussi_footprint *firsts);

/* ---- causes: clock_attribution.c
 * ------------------------------------------------------------------------- */

PLUSS_NODISCARD pluss_status plussi_clock_attribute(plussi_ctx *ctx, const plussi_clock_plan *plan,
                                                    plussi_clock_result *out);

#endif
