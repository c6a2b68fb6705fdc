/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Generated traces, after section 4.1 of Jiang, Zhang, Tian and Shen, "Is reuse distance
 * applicable to data locality analysis on chip multiprocessors?" (CC 2010).
 *
 * Thread i has n_i lines of 64 bytes, in a stack that begins in random order. Each access draws a
 * distance, takes the line at that place from the top, and puts it on top. Distances of `random`
 * are uniform below n_i, those of `exponential` are k with a probability proportional to 0.97^k,
 * those of `normal` are normal of mean 100 and deviation 33, rounded; what is not below n_i is
 * drawn again. A mixture draws each distance from one of its parts, at random in proportion to
 * their weights. The first s n_1 lines (rounded) of every thread are the same ones, which all
 * share. Threads make one access each in turn: a read of 8 bytes.
 */
#ifndef PLUSSI_TRACE_GENERATE_H
#define PLUSSI_TRACE_GENERATE_H

#include "base/ask.h"
#include "trace/packed.h"

enum { PLUSSI_GENERATED_LINES = 1 << 16, PLUSSI_GENERATED_THREADS = 64 }; /* at most */

typedef struct plussi_generation {
    uint32_t threads; /* at least 1 */
    uint32_t lines[PLUSSI_GENERATED_THREADS];
    double shared;                         /* s, in [0, 1] */
    uint32_t uniform, exponential, normal; /* weights, not all 0 */
    uint64_t accesses;                     /* of each thread */
    uint64_t seed;
} plussi_generation;

/* lines=N,N,...:shared=S:distances=PART+PART+...:accesses=N:seed=N, of which lines must be there; S
 * as in 0.1 or 10%; a PART is random, exponential or normal, with its weight before it. Default:
 * nothing is shared, random, 1000000 accesses, seed 0. PLUSS_EINVAL: what is wrong is said. */
PLUSS_NODISCARD pluss_status plussi_generation_parse(plussi_ctx *ctx, const char *text,
                                                     plussi_generation *out);
/* Writes it in the packed format; equal generations give equal bytes. ask: about the stage
 * "generate". PLUSS_EIO: write says so; PLUSS_ECANCELLED. An
 * access takes O(its distance), and the draws that its distance takes (normal ones below few
 * lines: thousands). */
PLUSS_NODISCARD pluss_status plussi_generate_trace(plussi_ctx *ctx, const plussi_generation *what,
                                                   const plussi_ask *ask, plussi_pack_fn write,
                                                   void *user);

#endif
