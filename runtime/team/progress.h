/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Thread progress: how far the threads of a team have come when. The laws by number and by name,
 * and the numbers that they have. What the model clock and the exact merge ask of a law is in
 * team/law.h. docs/models.md, "Thread progress", says what each law means.
 */
#ifndef PLUSSI_TEAM_PROGRESS_H
#define PLUSSI_TEAM_PROGRESS_H

#include "team/timeline.h"

/* X(number, name): law_NAME.c has what there is to say of each. */
#define PLUSSI_PROGRESS_LAWS(X)                                                                    \
    X(UNIFORM, uniform)         /* each next access by any thread that still has some */           \
    X(RATES, rates)             /* each thread at a rate of its own, with skew and stalls */       \
    X(BURST, burst)             /* several accesses of a thread at once */                         \
    X(ROUND_ROBIN, round_robin) /* one access each, in turn */                                     \
    X(MIXED, mixed)             /* each thread anywhere in its phase */                            \
    X(SEQUENTIAL, sequential)   /* thread 0's phase, then thread 1's, ... */                       \
    X(SLICES, slices)           /* more threads than cores */                                      \
    X(RECORDED, recorded)       /* as the threads of a real run */

typedef enum plussi_progress_law {
#define PLUSSI_X(number, name) PLUSSI_PROGRESS_##number,
    PLUSSI_PROGRESS_LAWS(PLUSSI_X)
#undef PLUSSI_X
} plussi_progress_law;

/* Equal parts of the accesses that a thread makes in a phase, each with a cost of its own. */
enum { PLUSSI_RATES_PIECES = 8 };

/* What is alike in all runs of a worksharing loop: the time an access takes, about the mean of the
 * team. As pluss_loop_rates. */
typedef struct plussi_loop_rates {
    uint32_t loop;      /* its number in the region */
    const double *rate; /* of each thread */
    const double *cost; /* PIECES of each thread: ln(time an access), about the thread's mean */
} plussi_loop_rates;

/* A law with its numbers; those of other laws are not looked at. Times are counted in accesses of a
 * thread of rate 1. What it points to is borrowed. */
typedef struct plussi_progress {
    plussi_progress_law law;
    double accesses; /* BURST: their mean length, SLICES: a thread's turn; in [1, 1e9] */
    uint32_t cores;  /* SLICES; 0: 1 */
    /* RATES. Thread k's rate is rate[k] exp(sigma z), z normal, drawn for each instance of a
     * parallel region. From every barrier one thread, any, starts at once and each of the others
     * later by a skew of its own, log-normal. Stalls begin while a thread runs, as a Poisson
     * process; it then makes no access for an exponential time. */
    double sigma;                  /* in [0, 10] */
    double skew;                   /* median, in [0, 1e15] */
    double skew_spread;            /* standard deviation of its logarithm, in [0, 10] */
    const double *rate;            /* in [1e-6, 1e6] */
    size_t n_rates;                /* of threads from here on: 1 */
    double stall_rate;             /* stalls that begin in a time of 1, in [0, 1] */
    double stall;                  /* their mean length, in [0, 1e15] */
    const plussi_loop_rates *loop; /* of teams of n_rates threads, in nests of one region */
    size_t n_loops;
    const plussi_timelines *timelines; /* RECORDED: of at least one run */
    const char *origin; /* where numbers of RATES and SLICES are from; NULL: not told */
} plussi_progress;

/* PLUSS_EINVAL where a number is out of range or missing. O(n_rates * n_loops). */
PLUSS_NODISCARD pluss_status plussi_progress_check(plussi_ctx *ctx,
                                                   const plussi_progress *progress);
/* How many of `draws` are different: each of a law that draws for a whole run, the runs of
 * RECORDED, else 1. */
uint32_t plussi_progress_draws(const plussi_progress *progress, uint32_t draws);
/* RATES without skew and stalls: no moment is different from another. */
bool plussi_progress_is_steady(const plussi_progress *progress);
bool plussi_progress_has_stalls(const plussi_progress *progress);

/* ---- as text: "burst:8" ------------------------------------------------------------------------
 */

/* NULL: no such law. */
const char *plussi_progress_name(plussi_progress_law law);
/* The law and its numbers, which are the defaults where the text leaves them out; *by_default: it
 * leaves out the first, where the law has one. Cores that are left out are 0. PLUSS_EINVAL. */
PLUSS_NODISCARD pluss_status plussi_progress_parse(plussi_ctx *ctx, const char *text,
                                                   plussi_progress *out, bool *by_default);
/* The other way round: "slices:4000000:2 of machine.json". */
void plussi_progress_write(const plussi_progress *progress, char *out, size_t room);

#endif
