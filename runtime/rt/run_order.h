/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * All runs of a program in the order of their ends, for programs of which a part is described and
 * another recorded access by access: of these runs also the lines that they touch, in the order of
 * their first touches, and with that of their last ones. What runs with descriptions alone touch
 * follows from these (study/between_runs.h).
 *
 * Its size is bounded. Where there are too many lines, those that a hash chooses stay; where there
 * are too many runs, it ends before them.
 */
#ifndef PLUSSI_RT_RUN_ORDER_H
#define PLUSSI_RT_RUN_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "rt/outfile.h"
#include "trace/format.h"

typedef struct plussi_run_order {
    plussi_ordered_run *run;
    size_t n_runs, cap_runs;
    plussi_ordered_line *line; /* of all runs */
    size_t n_lines, cap_lines;
    unsigned shift;  /* one line in 2^shift is kept */
    uint64_t lost;   /* runs after the last one that is kept */
    uint64_t pieces; /* entries that are pieces of runs */
    bool opens;      /* a piece of run number `of` begins with the next line */
    uint32_t of;
    bool described, recorded, walked; /* some run is, */
    bool around;                      /* or has others nested in its parallel constructs */
} plussi_run_order;

/* Appends a run that its description tells, at this placement of its block; amortised O(1). */
void plussi_order_described(plussi_run_order *order, uint32_t block, uint32_t place);
/* A run with others nested in a parallel construct of it: its description does not tell what it did
 * before them. */
void plussi_order_around(plussi_run_order *order, uint32_t block);
/* Appends a piece of run number `run`, which its description tells: what it did until it had begun
 * `teams` parallel constructs, and before the next one. At its end the run, with all of them, to
 * which plussi_order_join joins the pieces. Amortised O(1). */
void plussi_order_described_piece(plussi_run_order *order, uint32_t run, uint64_t teams);
void plussi_order_described_rest(plussi_run_order *order, uint32_t block, uint32_t place,
                                 uint64_t teams);
/* Appends a run at its placement of which walks tell one line in 2^shift next. */
void plussi_order_walked(plussi_run_order *order, uint32_t block, uint32_t place, unsigned shift);
/* Appends a run whose lines, one in 2^shift, are told next; or a piece of one, which is told by the
 * number of the run. */
void plussi_order_recorded(plussi_run_order *order, uint32_t block, unsigned shift);
void plussi_order_piece(plussi_run_order *order, uint32_t run, unsigned shift);
/* A run has ended, and is the last entry: its pieces, which are among the entries from number
 * `from` on, are of that one. */
void plussi_order_join(plussi_run_order *order, size_t from, uint32_t run);
/* The run's next line, in the order of first touches; last: ascends in that of the last ones.
 * Amortised O(1). */
void plussi_order_line(plussi_run_order *order, uint64_t line, uint64_t last);
/* This run and all later ones are lost. */
void plussi_order_lose(plussi_run_order *order);
/* The same where the run, or piece, is the last entry, unless it is lost already. */
void plussi_order_drop(plussi_run_order *order);
/* Whether there are several kinds of runs, or some inside of others: else there is no use for it.
 */
bool plussi_order_is_needed(const plussi_run_order *order);
void plussi_order_write(const plussi_run_order *order, plussi_outfile *sidecar);
void plussi_order_free(plussi_run_order *order); /* empty again */

#endif
