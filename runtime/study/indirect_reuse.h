/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines that index arrays decide about: which a loop touches, and how many of its touches find a
 * line that the cache has lost since. Index arrays alone are read; what has affine subscripts and
 * bounds is not executed.
 */
#ifndef PLUSSI_STUDY_INDIRECT_REUSE_H
#define PLUSSI_STUDY_INDIRECT_REUSE_H

#include "profile/mrc.h"
#include "study/indirect_values.h"

/* What an outermost loop (or a reference outside of loops) touches of an array. */
typedef struct plussi_indirect_row {
    size_t loop; /* which of the loops */
    const plussi_array *array;
    /* with values */
    double dense;     /* references to elements that follow one another as the loops say */
    double scattered; /* references whose subscripts are loaded: each may touch another line */
    double segments;  /* executions of a loop whose references begin in a line of their own */
    double elements;  /* of the array; 0: not known */
    bool counted;     /* the lines are, from what index arrays have; else they are estimated */
    double lines;
} plussi_indirect_row;

typedef struct plussi_indirect_loop {
    const plussi_node *in;
    double begin;    /* touches before it */
    double streamed; /* lines of the arrays that are not counted: each touched once in a while */
    plussi_histo intervals; /* between touches of a line of the counted ones, in such touches */
    plussi_mrc mrc;         /* of both; n 0: nothing is counted */
} plussi_indirect_loop;

typedef struct plussi_indirect_rows {
    plussi_indirect_row *row; /* those of a loop, and in it of an array, in order of their first
                                 reference */
    size_t n_rows;
    plussi_indirect_loop *loop;
    size_t n_loops;
} plussi_indirect_rows;

/* Of the rows with scattered references or segments: their lines, by the contents of the index
 * arrays. row_of: by reference, NULL: of another region. Where that takes more than 10^8 steps
 * nothing is counted. O(executions of their references). PLUSS_ENOMEM; PLUSS_EINVAL: a subscript of
 * an index array is out of range. */
PLUSS_NODISCARD pluss_status plussi_indirect_count_lines(plussi_ctx *ctx,
                                                         const plussi_indirect_values *values,
                                                         plussi_indirect_row *const *row_of,
                                                         plussi_indirect_rows *rows);

/* The curve of each loop of which lines are counted, whose others stream `streamed` lines through
 * the cache: reuse intervals of the counted lines' touches, stretched by the others in between, and
 * the average footprint of an interval (plussi_mrc_from_ri). PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_indirect_curves(plussi_ctx *ctx, plussi_indirect_rows *rows);

/* Misses of a loop in a cache of that many lines, which has none of its lines at first. */
double plussi_indirect_loop_misses(const plussi_indirect_loop *loop, double lines);

#endif
