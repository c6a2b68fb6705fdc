/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The code of a nest, loop by loop and line by line: operations, and the longest dependence from
 * an iteration of each loop to the next (docs/time.md, overlap).
 */
#ifndef PLUSSI_STUDY_TIME_CODE_H
#define PLUSSI_STUDY_TIME_CODE_H

#include "cost/time_model.h"
#include "study/request.h"

/* The code of a loop that is in no loop inside it. */
typedef struct plussi_loop_code {
    const plussi_node *loop; /* NULL: code outside of all loops */
    plussi_loc place;
    bool executed;
    bool serial;   /* in no parallel construct */
    double phases; /* how often its threads go on after others, each one's counted: beginnings of
                      the parallel construct and barriers in it */
    double scalars[PLUSSI_N_OPERATIONS]; /* on the longest dependence through scalars */
    plussi_code_block code;
} plussi_loop_code;

typedef struct plussi_line_code {
    plussi_loc place;
    plussi_code_block code;
} plussi_line_code;

typedef struct plussi_nest_code {
    plussi_loop_code *block; /* by the loop's number; the last one has no loop */
    size_t n_blocks;
    plussi_line_code *line;
    size_t n_lines, cap_lines;
    double starts, barriers; /* of threads */
} plussi_nest_code;

/* Room for the nest's loops. PLUSS_ENOMEM: *out is empty. */
PLUSS_NODISCARD pluss_status plussi_nest_code_init(plussi_ctx *ctx, const plussi_nest *nest,
                                                   plussi_nest_code *out);
void plussi_nest_code_free(plussi_ctx *ctx, plussi_nest_code *code);
/* Counts anew, with a team. Errors as plussi_visit_operations. O(nodes^2) beside it. */
PLUSS_NODISCARD pluss_status plussi_count_code(plussi_ctx *ctx, const plussi_nest *nest,
                                               const plussi_request *request, uint32_t team,
                                               const plussi_machine_costs *costs,
                                               plussi_nest_code *out);
/* Iterations of a loop for each time that it is executed; 0: it is not. O(depth). */
double plussi_trips_of_loop(const plussi_nest_code *code, const plussi_node *loop);
/* NULL: no memory, or it is not known where. */
plussi_line_code *plussi_line_of(plussi_ctx *ctx, plussi_nest_code *code, const char *file,
                                 uint32_t number);

#endif
