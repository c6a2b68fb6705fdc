/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many operations a nest executes, in the groups of table 3.1 of Cascaval's thesis: what time
 * models multiply by costs, and what misses per instruction are related to.
 */
#ifndef PLUSSI_COST_OPERATION_COUNTS_H
#define PLUSSI_COST_OPERATION_COUNTS_H

#include "bound/bound.h"

/* Name in the nest's text; the table's groups 1 to 20. */
#define PLUSSI_OPERATIONS(X)                                                                       \
    X(INT_ADD, "int_add")                                                                          \
    X(INT_MUL, "int_mul")                                                                          \
    X(INT_DIV, "int_div")                                                                          \
    X(FLT_ADD, "flt_add")                                                                          \
    X(FLT_DIV, "flt_div")                                                                          \
    X(DBL_ADD, "dbl_add")                                                                          \
    X(DBL_DIV, "dbl_div")                                                                          \
    X(SQRT, "sqrt")                                                                                \
    X(TRIG, "trig")                                                                                \
    X(INTRINSIC, "intrinsic")                                                                      \
    X(CALL, "call")                                                                                \
    X(LOOP, "loop") /* iterations */                                                               \
    X(LOAD, "load") /* scalars of at most 4 bytes */                                               \
    X(STORE, "store")                                                                              \
    X(DBL_LOAD, "dbl_load") /* of more */                                                          \
    X(DBL_STORE, "dbl_store")                                                                      \
    X(ARRAY_LOAD, "array_load") /* of one dimension */                                             \
    X(ARRAY_STORE, "array_store")                                                                  \
    X(NDIM_LOAD, "ndim_load") /* of several */                                                     \
    X(NDIM_STORE, "ndim_store")

typedef enum plussi_operation {
#define X(name, text) PLUSSI_OP_##name,
    PLUSSI_OPERATIONS(X)
#undef X
        PLUSSI_N_OPERATIONS
} plussi_operation;

typedef struct plussi_operations {
    uint64_t count[PLUSSI_N_OPERATIONS]; /* of all threads together */
} plussi_operations;

/* Counts what the nest's `ops`, loops and references say; the nest is valid. Of code that is
 * distributed each thread executes its part, of replicated code all of it. What the nest has as
 * unknown is not counted. In closed form where sampler/engine.h takes the nest, whatever its
 * schedules, O(nodes * depth); else by a walk with seed 0, O(accesses).
 *
 * PLUSS_EUNSUPPORTED: an `ops` of another group, with its place, or the nest cannot be walked;
 * PLUSS_ERANGE: a count does not fit; else as plussi_bind. */
PLUSS_NODISCARD pluss_status plussi_count_operations(plussi_ctx *ctx, const plussi_nest *nest,
                                                     const plussi_bind_options *options,
                                                     plussi_operations *out);

typedef enum plussi_executed {
    PLUSSI_EXECUTED_OPERATION,
    PLUSSI_EXECUTED_CHAIN,   /* of operations that are visited, too: each waits for the one before,
                                the first for those of the iteration before (`chain_dbl_add 2`) */
    PLUSSI_EXECUTED_TEAM,    /* a thread of a parallel construct */
    PLUSSI_EXECUTED_BARRIER, /* a thread at a barrier, but for the one at the construct's end */
} plussi_executed;

/* Called for each node that executes something: a reference, the place of an `ops`, or a loop (its
 * iterations), a parallel construct, and what ends in a barrier, all of a copy of the nest, whose
 * loops have the numbers of the nest's. It lives as long as the call. group: of operations and
 * chains. PLUSS_ENOMEM, ... ends the count. */
typedef pluss_status (*plussi_operation_fn)(void *user, const plussi_node *node,
                                            plussi_executed what, plussi_operation group,
                                            uint64_t n);
/* The same counts node by node, in any order. */
PLUSS_NODISCARD pluss_status plussi_visit_operations(plussi_ctx *ctx, const plussi_nest *nest,
                                                     const plussi_bind_options *options,
                                                     plussi_operation_fn visit, void *user);

/* "dbl_add"; static. */
const char *plussi_operation_name(plussi_operation group);

/* Instructions of a simple machine: one an operation, and three an iteration (increment, compare,
 * branch). */
double plussi_operations_instructions(const plussi_operations *operations);

#endif
