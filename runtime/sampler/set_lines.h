/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines of one set of a cache that a stretch of a thread's sequence may touch.
 */
#ifndef PLUSSI_SAMPLER_SET_LINES_H
#define PLUSSI_SAMPLER_SET_LINES_H

#include "sampler/engine.h"

/* A stretch: the accesses of a thread strictly after one cursor and strictly before another. */
typedef struct plussi_stretch {
    uint32_t thread;
    const plussi_cursor *after; /* NULL: from the beginning of the program */
    const plussi_cursor *before;
} plussi_stretch;

typedef struct plussi_set_visitor {
    /* A line whose number modulo `sets` is `set`; sure: the stretch touches it, else it may. false
     * ends the visit. */
    bool (*visit)(void *user, uint64_t line, bool sure);
    void *user;
    uint64_t sets, set;
} plussi_set_visitor;

/* Visits a superset of these lines, some of them several times: conditions are taken as true, and
 * chunks that are dispatched as everybody's. Between two cursors a reference's iterations fall into
 * at most 2 depth + 1 boxes; in a box the strides below a line are a row, the next one up meets the
 * set at places that Euclid's algorithm finds, and the others are tried value by value where the
 * rest can meet the set at all. O(boxes * (values tried + lines visited)), charged to the effort.
 */
void plussi_engine_visit_set(plussi_workspace *workspace, const plussi_stretch *stretch,
                             const plussi_set_visitor *visitor);

#endif
