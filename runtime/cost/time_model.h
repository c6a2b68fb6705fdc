/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models of running time over counts of operations and lines.
 *
 * sum       T = T_CPU + T_MEM (Cascaval's thesis, equations 3.1 to 3.3): each operation takes its
 *           cost, each miss of a level the difference of the latencies of the next one and of it.
 * overlap   what a processor executes out of order: an innermost loop takes as long as the slowest
 *           of what works at once, as in the roofline model (Williams, Waterman, Patterson 2009):
 *           issuing operations, the units for each kind of them, the longest dependence from one
 *           iteration to the next, of which executions of a short loop overlap, and getting lines,
 *           whose times add up over the levels as in the ECM model (Hager, Treibig, Habich, Wellein
 *           2016); calls of functions wait for all. Translations of addresses add to the lines, and
 *           so do lines that another thread has written, of which the first one after a barrier
 *           overlaps with nothing.
 */
#ifndef PLUSSI_COST_TIME_MODEL_H
#define PLUSSI_COST_TIME_MODEL_H

#include "cost/machine_costs.h"

typedef enum plussi_time_model {
    PLUSSI_TIME_OVERLAP,
    PLUSSI_TIME_SUM,
    PLUSSI_TIME_MODELS
} plussi_time_model;

/* "overlap", "sum" */
const char *plussi_time_model_name(plussi_time_model model);

/* The code of a loop that is in no loop inside it, or the code outside of all loops; counts of all
 * threads together. */
typedef struct plussi_code_block {
    double count[PLUSSI_N_OPERATIONS];
    double kept[PLUSSI_N_OPERATIONS];  /* of these: values that optimised code keeps in registers */
    double chain[PLUSSI_N_OPERATIONS]; /* on the longest dependence between iterations */
    double chains;                     /* that there are: each begins anew; 0: one */
    /* lines by the level that gives them, and standard errors; the first level's are not used */
    double line[PLUSSI_SERVERS_MOST][PLUSSI_PATTERNS];
    double line_error[PLUSSI_SERVERS_MOST][PLUSSI_PATTERNS];
    double written[PLUSSI_SERVERS_MOST];    /* lines written back to it */
    double delay[PLUSSI_SERVERS_MOST];      /* cycles that its lines take more in short bursts */
    double transfer[PLUSSI_PATTERNS];       /* lines that other threads have written since */
    double transfer_error[PLUSSI_PATTERNS]; /* standard errors */
    double upgrades;                        /* writes that make copies of such lines invalid */
    double waits; /* transfers that nothing overlaps with, the first ones after a barrier */
    /* accesses that come to a page after the step's reach, and standard errors */
    double walk[PLUSSI_PAGE_STEPS_MOST], walk_error[PLUSSI_PAGE_STEPS_MOST];
} plussi_code_block;

typedef enum plussi_bound_by {
    PLUSSI_BOUND_CORE,     /* operations */
    PLUSSI_BOUND_CHAIN,    /* their dependences */
    PLUSSI_BOUND_LEVEL,    /* lines, as one thread gets them */
    PLUSSI_BOUND_SHARED,   /* lines, that the threads together ask for */
    PLUSSI_BOUND_PAGES,    /* translations of addresses */
    PLUSSI_BOUND_TEAM,     /* starting teams, and barriers */
    PLUSSI_BOUND_BALANCE,  /* threads wait for the one that has most to do */
    PLUSSI_BOUND_TRANSFER, /* lines that other threads have written */
    PLUSSI_BOUNDS
} plussi_bound_by;

/* "core", "dependences", "latency", "bandwidth", "translation", "barriers", "imbalance",
 * "transfers" */
const char *plussi_bound_by_name(plussi_bound_by by);

/* Cycles of all threads together. */
typedef struct plussi_block_time {
    double all, error; /* error: standard error */
    double core, chain;
    double server[PLUSSI_SERVERS_MOST]; /* by the level that gives lines */
    double pages;                       /* translations */
    double transfers;                   /* lines that other threads have written */
    bool shared[PLUSSI_SERVERS_MOST];   /* its threads wait for each other */
    plussi_bound_by by;
    size_t by_server; /* LEVEL and SHARED: the one that takes longest */
} plussi_block_time;

/* threads: that ask each of the costs' servers at once, >= 1. O(groups + servers). */
void plussi_time_of_block(const plussi_machine_costs *costs, plussi_time_model model,
                          const plussi_code_block *block,
                          const uint32_t threads[PLUSSI_SERVERS_MOST], plussi_block_time *out);

/* The part of what nothing overlaps with of misses that so many iterations of the block lie
 * between: as far as the window does not reach. In [0, 1]. O(groups). */
double plussi_gap_of_iterations(const plussi_machine_costs *costs, const plussi_code_block *block,
                                double iterations);

/* Cycles that a line of a server takes more than a strided one, in bursts of so many lines: what
 * the costs have, or between the nearest numbers of lines, in proportion to their logarithms;
 * before the first as that, after the last none. O(bursts). */
double plussi_delay_of_burst(const plussi_server_cost *server, double lines);

/* Cycles of a thread of a team: what the costs have of so many threads, or between those of the
 * nearest numbers of threads, in proportion to their logarithms; beyond them as the nearest. 0
 * where the costs have none. O(costs). */
plussi_team_cost plussi_cost_of_team(const plussi_machine_costs *costs, uint32_t threads);

#endif
