/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What lies between the runs of a program's regions: for each line that a run touches, how many
 * other lines were touched since an earlier run last did. With the intervals within the runs these
 * make the misses of all runs in order, with a cache that stays warm.
 *
 * Only first and last touches of a run's lines matter for that: a stack of lines, the latest on
 * top, gives the distance of each first touch, in the order of the first touches, and is then put
 * into the order of the last ones. Threads of a run are taken to go through their accesses evenly.
 *
 * Where runs follow some lines only (rt/follow.h), these alone are in the stack, from the first
 * such run on, and each stands for 1 / rate lines. So it is once there are more than 16,384: those
 * that are chosen by the same hash stay. How many of a run's lines were touched before, and how far
 * back, then has a standard error by groups of lines.
 */
#ifndef PLUSSI_RT_CARRY_H
#define PLUSSI_RT_CARRY_H

#include "rt/collect.h"
#include "rt/run_order.h"

/* The lines of all runs so far. */
typedef struct plussi_carrier {
    plussi_linemap slot; /* of each line, from 1; higher ones are later */
    uint32_t *sum;       /* Fenwick tree over the slots: which are in use; sum[0] is not used */
    uint64_t *line;      /* of each slot; line[0] is not used */
    size_t used, size;   /* slots given out and there, holes included */
    size_t lines;        /* different ones */
    unsigned shift;      /* one line in 2^shift is followed */
    bool begun, failed;  /* failed: out of memory, once and for all */
} plussi_carrier;

/* Of runs, added up: different lines that they touched, run by run, and how far back those were
 * that earlier runs had touched. */
typedef struct plussi_carried {
    uint64_t lines;
    plussi_tally distance;             /* different other lines, rounded down to 8 bits */
    unsigned shift;                    /* one line in 2^shift was followed at the least */
    struct plussi_line_groups *groups; /* of these lines, by distance; NULL: all were followed */
    bool known;                        /* of all these runs */
} plussi_carried;

/* Where a run is added to: what it finds, to that of runs of its block; its lines, to the order of
 * all runs, as one of block number `block`, or as a piece of run number `block`. */
typedef struct plussi_carry_into {
    plussi_carried *carried;
    plussi_run_order *order;
    uint32_t block;
    bool piece;
    plussi_tally *seen; /* lines of the run's pieces so far, to which a piece adds its own; NULL:
                           the run has no pieces */
} plussi_carry_into;

/* Adds what a run of n threads (NULL: no access) did since it was paused, or all of it. Lines that
 * one of them had touched before that are not among those that it finds. The threads' tables of
 * last touches are still there, and they follow one line in 2^shift. Where memory runs out
 * `carried` is no longer known, of this run and all later ones, and the order ends. O(lines of the
 * run * log(lines of all runs)), amortised. */
void plussi_carry(plussi_carrier *carrier, plussi_collector *const *thread, uint32_t n,
                  unsigned shift, const plussi_carry_into *into);
/* Appends a run of which the collectors of walks, one a thread (NULL: no access), tell the lines;
 * at most 2^18 of them, else those that a hash chooses. Without memory the order ends. O(lines *
 * log lines). */
void plussi_carry_walked(plussi_run_order *order, plussi_collector *const *thread, uint32_t n,
                         uint32_t block, uint32_t place);
void plussi_carrier_free(plussi_carrier *carrier); /* leaves it empty */
/* Adds what another one has, of pieces of runs. False: no memory. */
bool plussi_carried_add(plussi_carried *to, const plussi_carried *from);
/* The standard error of how many of `lines` have a distance above one (or none), for the one where
 * it is largest; all that were counted by followed lines where these are too few. */
uint64_t plussi_carried_error(const plussi_carried *carried);
void plussi_carried_free(plussi_carried *carried); /* leaves it empty */

#endif
