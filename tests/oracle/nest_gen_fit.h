/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Executes a generated nest naively, to learn how many accesses it has and which values its
 * subscripts take, and fits subscripts and extents to each other.
 */
#ifndef TESTS_ORACLE_NEST_GEN_FIT_H
#define TESTS_ORACLE_NEST_GEN_FIT_H

#include "nest/nest.h"

enum { NEST_GEN_MAX_SYMBOLS = 64 };

typedef struct nest_gen_fit_input {
    plussi_nest *nest;
    const int64_t *symbol_value; /* by id */
    uint32_t max_team;
    uint64_t max_accesses;
} nest_gen_fit_input;

/* Upper bound of the accesses; UINT64_MAX when above max_accesses or when a subscript goes far. On
 * other results every subscript of a reference has been shifted to start at 0 or above and every
 * extent set to a literal that holds all references to the array. The nest is numbered. */
uint64_t nest_gen_fit(const nest_gen_fit_input *in);

int64_t nest_gen_eval(const plussi_expr *expr, const int64_t *symbol_value, const int64_t *iv,
                      int64_t thread, int64_t team);

#endif
