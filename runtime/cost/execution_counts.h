/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How often the loops and references of a nest are executed, without their accesses: what
 * Cascaval's thesis, section 3.4, generates counters for where the program's data decide.
 */
#ifndef PLUSSI_COST_EXECUTION_COUNTS_H
#define PLUSSI_COST_EXECUTION_COUNTS_H

#include "base/effort.h"
#include "bound/bound.h"

typedef struct plussi_executions {
    double *loop; /* by id: how often it is entered */
    double *ref;  /* by id; a branch that a run decides: times its probability */
} plussi_executions;

/* Of one thread that executes all iterations. What is unknown in the nest is left out. Loops of
 * whose variable no bound and no condition depends are multiplied, the others executed, a step of
 * the effort each iteration. PLUSS_ELIMIT: the effort does not suffice; PLUSS_EINVAL: a subscript
 * of an index array is out of range, or the array has no contents; *out is then empty. */
PLUSS_NODISCARD pluss_status plussi_count_executions(plussi_ctx *ctx, const plussi_bound *bound,
                                                     plussi_effort *effort, plussi_executions *out);

/* Each execution of some of the references, in the order of the program. */
typedef struct plussi_execution_watch {
    const bool *refs; /* by id: those that are told of */
    /* times: how often the region is repeated, times the probabilities of the branches around it.
     * false: no memory. */
    bool (*touch)(void *user, const plussi_bound_node *ref, const int64_t *iv, double times);
    void *user;
} plussi_execution_watch;

/* Executes the loops around these references, a step of the effort each iteration. PLUSS_ENOMEM;
 * PLUSS_ELIMIT, without a diagnostic: the effort does not suffice. */
PLUSS_NODISCARD pluss_status plussi_visit_executions(plussi_ctx *ctx, const plussi_bound *bound,
                                                     plussi_effort *effort,
                                                     const plussi_execution_watch *watch);
void plussi_executions_free(plussi_ctx *ctx, plussi_executions *executions);

#endif
