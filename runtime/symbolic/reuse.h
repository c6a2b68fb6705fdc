/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reuse classes of a region in sets: Cascaval's thesis, section 3.3 (partitions of the iteration
 * space, dependence spans, array sections), with sets of linear constraints where it has triplets,
 * and so without its approximations.
 */
#ifndef PLUSSI_SYMBOLIC_REUSE_H
#define PLUSSI_SYMBOLIC_REUSE_H

#include <isl/polynomial.h>

#include "symbolic/polyhedral.h"

/* Accesses of a reference whose lines were last touched by the same other one, at a distance that
 * one polynomial tells. */
typedef struct plussi_reuse_class {
    uint32_t sink, source;     /* of the references; source UINT32_MAX: cold */
    isl_set *iterations;       /* of the sink */
    isl_qpolynomial *distance; /* of the stack, from 1 on: lines touched since, its own among them;
                                  of the iteration. NULL: cold */
    double done;               /* pairs of references before this one's, as a share of all */
} plussi_reuse_class;

typedef isl_stat plussi_reuse_take(plussi_reuse_class *class, void *user); /* owns the sets */

/* All classes; each access is in one. isl_stat_error: isl's limit of operations is reached, or out
 * of memory, or what take returned. */
PLUSS_NODISCARD isl_stat plussi_reuse_find(const plussi_polyhedral *p, plussi_reuse_take *take,
                                           void *user);

#endif
