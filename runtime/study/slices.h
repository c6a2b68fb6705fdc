/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exact stack distances on several processors (Niu et al. 2012, PARDA). The trace is cut into
 * slices. A worker finds the distances of the reuses inside a slice, and lists the lines in the
 * order of their first touches and of their last. The first touches, in order, then go through the
 * stacks of the whole trace: the lines above one are those that came before it in the slice and
 * those since its last touch before, each once, which is its distance. Last, the lines of the slice
 * are put into the order of their last touches. Counts are the same as those of one worker.
 *
 * Workers are threads of this process and ranks, other processes that slices are sent to (ranks.h).
 * What a rank had that has gone is done by another worker.
 */
#ifndef PLUSSI_STUDY_SLICES_H
#define PLUSSI_STUDY_SLICES_H

#include "study/ranks.h"

typedef struct plussi_slicing {
    uint32_t workers;   /* with the caller */
    size_t least, most; /* accesses of a slice, 1 or more: 16 for each line where that is between */
    size_t held;        /* at most that many accesses are held at once, or 2 slices of `least` */
    plussi_ranks *ranks; /* or NULL */
} plussi_slicing;

/* Up to cap > 0 accesses; *n 0: the end. */
typedef pluss_status (*plussi_slice_fn)(void *user, plussi_access *buf, size_t cap, size_t *n);

/* The accesses up to the end through each of n_caches. Slices are passed over while more than a
 * quarter of their touches are first ones, and where memory for them lacks. A worker leaves the
 * rest of a slice with more of these than a quarter of the longest slice has accesses, so that at
 * most about 30 bytes are needed for each access held, and the pages of lines that are not
 * neighbours (base/linemap.h). PLUSS_ENOMEM, and what `next` returns. */
PLUSS_NODISCARD pluss_status plussi_slices_count(plussi_ctx *ctx, const plussi_slicing *how,
                                                 plussi_slice_fn next, void *user,
                                                 plussi_caches *caches, size_t n_caches);

#endif
