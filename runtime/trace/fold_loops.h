/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recognition of loops in a stream of accesses, after Ketterlin and Clauss, "Prediction and trace
 * compression of data access through nested loop recognition" (CGO 2008): three blocks of terms of
 * one shape, whose numbers are in arithmetic progression, become a loop. More than there:
 *
 * - A loop predicts its next iteration access by access, whatever the counts of the loops in it; if
 *   a prediction fails, what it stood for is taken again one by one. So iterations in which inner
 *   loops are executed 0, 1 or 2 times join a loop, and nothing is built while a prediction holds.
 * - Iterations before the three join backward, in the same way.
 * - A loop of loops is rotated where a part of its body is before its first iteration.
 * - A count that ends early, in a loop whose addresses advance by as much as a whole execution of
 * it does, is a tile's: it gets a cap (min).
 *
 * The stream is not kept: what a term stands for is generated. Memory: O(terms), each of which has
 * a node for each reference of a loop; terms beyond the window of the last 3 x 64 do not change
 * again. A stream that does not fold is given up when PLUSSI_FOLD_TERMS or PLUSSI_FOLD_NODES are
 * reached. An access
 * takes O(depth) while predictions hold, which they do in nearly all of a stream of loops;
 * otherwise O(window), once for each loop that predicted it wrongly.
 */
#ifndef PLUSSI_TRACE_FOLD_LOOPS_H
#define PLUSSI_TRACE_FOLD_LOOPS_H

#include "trace/fold_tree.h"

enum {
    PLUSSI_FOLD_WINDOW = 64, /* terms of a loop's body, at most */
    PLUSSI_FOLD_TERMS = 4096,
    PLUSSI_FOLD_NODES = 8192 /* of all terms */
};

typedef struct plussi_fold_loops plussi_fold_loops;

PLUSS_NODISCARD pluss_status plussi_fold_loops_new(const plussi_mem *mem, plussi_fold_loops **out);
void plussi_fold_loops_free(plussi_fold_loops *loops); /* NULL is allowed */
/* The next access; tag >= 0. PLUSS_ELIMIT: the stream is given up, and this call has no effect. */
PLUSS_NODISCARD pluss_status plussi_fold_loops_add(plussi_fold_loops *loops, int32_t tag,
                                                   int64_t address);
/* All accesses so far as one tree, the caller's; nothing is added later. PLUSS_ELIMIT as before. */
PLUSS_NODISCARD pluss_status plussi_fold_loops_end(plussi_fold_loops *loops,
                                                   plussi_fold_tree **out);

#endif
