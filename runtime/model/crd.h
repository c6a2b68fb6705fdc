/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Concurrent reuse distances from what each thread does alone, by the probabilistic model of Jiang,
 * Zhang, Tian and Shen (CC 2010, section 3.2), for any number of threads. docs/models.md, "crd",
 * derives what is computed here and says where it departs from the paper.
 */
#ifndef PLUSSI_MODEL_CRD_H
#define PLUSSI_MODEL_CRD_H

#include "model/model.h"
#include "profile/cells.h"

typedef struct plussi_crd_thread {
    double accesses; /* of the thread, first touches included */
    double rate;     /* accesses that it makes in a time, relative to the others' */
    double lines;    /* different ones */
    double shared;   /* of these, those that other threads touch, too */
    double late;     /* first touches of lines that another thread has touched before */
    plussi_cell *cell;
    size_t n;
    plussi_histo *out; /* the concurrent distances of its accesses are added there, with cold */
} plussi_crd_thread;

/* In which order threads make accesses. */
typedef enum plussi_crd_order {
    PLUSSI_CRD_IN_TURN, /* at even times: while one makes t accesses, another makes t times the
                           ratio of their rates */
    PLUSSI_CRD_RANDOM   /* the next access is a thread's with a probability in proportion to its
                           rate: that number is negative binomial, with this mean */
} plussi_crd_order;

/* Adds the concurrent distances of each thread. Programs that share nothing are threads without
 * shared lines: all that is left is how many lines the others touch meanwhile. Cells are sorted.
 * PLUSS_EEMPTY: no thread makes an access. O(cells * width of a distribution + threads^2 *
 * different intervals). */
PLUSS_NODISCARD pluss_status plussi_crd(plussi_ctx *ctx, plussi_crd_thread *thread, size_t n,
                                        plussi_crd_order order);

#endif
