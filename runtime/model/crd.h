/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Concurrent reuse distances from what each thread does alone, by the probabilistic model of Jiang,
 * Zhang, Tian and Shen (CC 2010, section 3.2), for any number of threads. docs/models.md, "crd",
 * derives what is computed here and says where it departs from the paper.
 */
#ifndef PLUSSI_MODEL_CRD_H
#define PLUSSI_MODEL_CRD_H

#include "model/model.h"

#define PLUSSI_CRD_UNKNOWN UINT64_MAX

/* Accesses of a thread whose previous touches by the thread are alike. */
typedef struct plussi_crd_cell {
    uint64_t interval; /* accesses from the previous touch to this one, >= 1 */
    uint64_t distance; /* different other lines between the two, or UNKNOWN */
    double weight;     /* accesses */
} plussi_crd_cell;

typedef struct plussi_crd_thread {
    double accesses; /* of the thread, first touches included */
    double lines;    /* different ones */
    double shared;   /* of these, those that other threads touch, too */
    double late;     /* first touches of lines that another thread has touched before */
    plussi_crd_cell *cell;
    size_t n;
} plussi_crd_thread;

/* Adds the concurrent distances of all threads to out, with cold. accesses of threads are their
 * relative speeds. Cells are sorted. PLUSS_EEMPTY: no thread makes an access. O(cells * width of a
 * distribution + threads^2 * different intervals). */
PLUSS_NODISCARD pluss_status plussi_crd(plussi_ctx *ctx, plussi_crd_thread *thread, size_t n,
                                        plussi_histo *out);

#endif
