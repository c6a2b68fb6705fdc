/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Thread progress: how far the threads of a team have come when. Laws by number and by name, and
 * their parameters. team/law.h has what the model clock and the exact merge ask of a law.
 * docs/models.md, "Thread progress", explains each law.
 */
#ifndef PLUSSI_TEAM_PROGRESS_H
#define PLUSSI_TEAM_PROGRESS_H

#include "team/timeline.h"

/* X(number, name): law_NAME.c implements the law. */
#define PLUSSI_PROGRESS_LAWS(X)                                                                    \
    X(UNIFORM, uniform)         /* each next access by any thread that still has some */           \
    X(RATES, rates)             /* each thread at a rate of its own, with skew and stalls */       \
    X(BURST, burst)             /* several accesses of a thread at once */                         \
    X(ROUND_ROBIN, round_robin) /* one access each, in turn */                                     \
    X(MIXED, mixed)             /* each thread anywhere in its phase */                            \
    X(SEQUENTIAL, sequential)   /* thread 0's phase, then thread 1's, ... */                       \
    X(SLICES, slices)           /* more threads than cores */                                      \
    X(POOL, pool)               /* of work-stealing threads that wake up late */                   \
    X(RECORDED, recorded)       /* as the threads of a real run */

typedef enum plussi_progress_law {
#define PLUSSI_X(number, name) PLUSSI_PROGRESS_##number,
    PLUSSI_PROGRESS_LAWS(PLUSSI_X)
#undef PLUSSI_X
} plussi_progress_law;

/* Equal parts of a thread's accesses in a phase, each with its own cost. */
enum { PLUSSI_RATES_PIECES = 8 };

/* What all runs of a worksharing loop have in common: times of accesses relative to the team's
 * mean. See pluss_loop_rates. */
typedef struct plussi_loop_rates {
    uint32_t loop;      /* its number in the region */
    const double *rate; /* of each thread */
    const double *cost; /* PIECES of each thread: ln(time an access), about the thread's mean */
} plussi_loop_rates;

/* A law with its parameters; those of other laws are ignored. Times are in accesses of a thread of
 * rate 1. Pointers are borrowed. */
typedef struct plussi_progress {
    plussi_progress_law law;
    double accesses; /* BURST: mean length, SLICES: a thread's turn; in [1, 1e9] */
    uint32_t cores;  /* SLICES; 0: 1. POOL; 0: one for each thread */
    /* POOL, in nanoseconds: see plussi_pool. */
    double wake, access;
    /* RATES. Thread k's rate is rate[k] exp(sigma z), z normal, drawn for each instance of a
     * parallel region. After every barrier one thread, chosen at random, starts at once and each of
     * the others after its own skew, log-normal. Stalls begin while a thread runs, as a Poisson
     * process; the thread then makes no access for an exponential time. */
    double sigma;                  /* in [0, 10] */
    double skew;                   /* median, in [0, 1e15] */
    double skew_spread;            /* standard deviation of its logarithm, in [0, 10] */
    const double *rate;            /* in [1e-6, 1e6] */
    size_t n_rates;                /* further threads: 1 */
    double stall_rate;             /* stalls that begin per unit of time, in [0, 1] */
    double stall;                  /* their mean length, in [0, 1e15] */
    const plussi_loop_rates *loop; /* of teams of n_rates threads, in nests of one region */
    size_t n_loops;
    const plussi_timelines *timelines; /* RECORDED: of at least one run */
    const char *origin; /* source of the parameters of RATES and SLICES; NULL: unknown */
} plussi_progress;

/* PLUSS_EINVAL if a parameter is missing or out of range. O(n_rates * n_loops). */
PLUSS_NODISCARD pluss_status plussi_progress_check(plussi_ctx *ctx,
                                                   const plussi_progress *progress);
/* How many of `draws` differ: all, for a law that draws for a whole run; for RECORDED the number of
 * runs; else 1. */
uint32_t plussi_progress_draws(const plussi_progress *progress, uint32_t draws);
/* RATES without skew and stalls: all moments are alike. */
bool plussi_progress_is_steady(const plussi_progress *progress);
bool plussi_progress_has_stalls(const plussi_progress *progress);

/* ---- as text: "burst:8" ------------------------------------------------------------------------
 */

/* NULL: no such law. */
const char *plussi_progress_name(plussi_progress_law law);
/* Parses the law and its parameters, with defaults for omitted ones; *by_default: those that a
 * machine file has, which are the first one and POOL's second, are omitted. Omitted cores are 0.
 * PLUSS_EINVAL. */
PLUSS_NODISCARD pluss_status plussi_progress_parse(plussi_ctx *ctx, const char *text,
                                                   plussi_progress *out, bool *by_default);
/* The i-th number of its text, and of rates stalls; false: past the end. */
bool plussi_progress_number(const plussi_progress *progress, size_t i, const char **name,
                            double *value);
/* The inverse: "slices:4000000:2 of machine.json". */
void plussi_progress_write(const plussi_progress *progress, char *out, size_t room);

#endif
