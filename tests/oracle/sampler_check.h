/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The closed-form engine against an exhaustive walk of the same nest, access by access.
 */
#ifndef TESTS_ORACLE_SAMPLER_CHECK_H
#define TESTS_ORACLE_SAMPLER_CHECK_H

#include "sampler/engine.h"

typedef struct sampler_report {
    uint64_t accesses, mismatches;
    uint64_t alike, excepted; /* accesses to lines that threads touch alike: by these; by others */
    uint64_t back;            /* accesses found some places before others, without a search */
    char first[400];          /* the first mismatch */
} sampler_report;

/* Threads execute their phases one after the other, from thread 0 on (so that thread 0 takes the
 * singles). Compared for every access: reference, line, position and phase both ways, number in the
 * thread's sequence, previous touch of its line (which reference, how many accesses ago), whether
 * other threads touch it at the same position where they are said to touch it alike; for some,
 * the previous touches of other lines, with a lower limit, and from the ends of phases; the lines
 * of a set in stretches of the sequence; and that plussi_engine_nth is a bijection.
 * PLUSS_EUNSUPPORTED where the engine refuses. */
pluss_status sampler_check(plussi_ctx *ctx, const plussi_bound *bound, sampler_report *report);

/* The same without a walk, for shares that a walk cannot be made to take: the thread's own sequence
 * as the engine lists it is searched instead. */
pluss_status sampler_check_shares(plussi_ctx *ctx, const plussi_bound *bound,
                                  const plussi_iterset_source *source, sampler_report *report);

#endif
