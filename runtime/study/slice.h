/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One slice of a trace (slices.h): the distances of the reuses inside it, and its lines in the
 * order of their first touches and of their last, for the stacks of the whole trace.
 */
#ifndef PLUSSI_STUDY_SLICE_H
#define PLUSSI_STUDY_SLICE_H

#include "study/stage.h"

/* Lines of a slice that a stack sees. */
typedef struct plussi_touched {
    uint64_t *line; /* in the order of their first touches */
    uint32_t *part; /* of the distances, which each of these touches is counted among */
    uint32_t *last; /* their numbers in the order of their last touches */
    size_t n, cap;
} plussi_touched;

typedef struct plussi_slice {
    uint64_t *line;
    uint32_t *ref, *thread; /* NULL: they make no difference */
    size_t n;
    size_t done;           /* accesses that were run, up to n */
    plussi_touched *stack; /* of all caches, one cache after the other */
} plussi_slice;

/* What slices for these caches have. */
typedef struct plussi_slice_shape {
    size_t n_stacks;
    bool refs, threads;
} plussi_slice_shape;
plussi_slice_shape plussi_slice_shape_of(const plussi_caches *caches, size_t n_caches);

/* Room for cap accesses. PLUSS_ENOMEM; the caller frees, on failure too. */
PLUSS_NODISCARD pluss_status plussi_slice_new(const plussi_mem *mem,
                                              const plussi_slice_shape *shape, size_t cap,
                                              plussi_slice *out);
void plussi_slice_free(const plussi_mem *mem, const plussi_slice_shape *shape, plussi_slice *slice);
/* Frees the lines, of which there are none then. */
void plussi_slice_drop_lines(const plussi_mem *mem, const plussi_slice_shape *shape,
                             plussi_slice *slice);
/* Makes room for one more line. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_touched_grow(const plussi_mem *mem, plussi_touched *t);

/* Empty caches like these: n_caches of them, of which *made are, on failure too. The caller frees
 * each, and the list. */
PLUSS_NODISCARD pluss_status plussi_caches_like(plussi_ctx *ctx, const plussi_caches *caches,
                                                size_t n_caches, plussi_caches **out, size_t *made);

/* Called now and then during long work. */
typedef struct plussi_meanwhile {
    void (*fn)(void *user); /* NULL: nobody */
    void *user;
} plussi_meanwhile;

enum { PLUSSI_SLICE_STEP = 1 << 10 /* accesses */ };
/* Runs the slice through empty caches, whose distances go up and whose stacks are empty again;
 * fills slice->stack. Ends early, after a multiple of PLUSSI_SLICE_STEP accesses, where these had
 * more than most_firsts first touches, of all caches together: memory grows with these.
 * PLUSS_ENOMEM: distances of a part of it may have been counted. */
PLUSS_NODISCARD pluss_status plussi_slice_run(plussi_ctx *ctx, plussi_caches *caches,
                                              size_t n_caches, uint64_t most_firsts,
                                              const plussi_meanwhile *meanwhile,
                                              plussi_slice *slice);

#endif
