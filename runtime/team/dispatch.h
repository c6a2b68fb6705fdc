/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * How libgomp dispatches the iterations of a worksharing loop (static, dynamic and guided chunks)
 * to the threads of a team. This is the only place with these rules: the library, libpluss-rt and
 * the programs that `pluss codegen` writes (which contain this text) use these functions.
 * tests/libgomp compares them with libgomp itself. All are O(1).
 *
 * Iterations are numbered 0 ... n-1 in the order of the sequential loop; a chunk is a run of them.
 */
#ifndef PLUSSI_TEAM_DISPATCH_H
#define PLUSSI_TEAM_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

typedef struct plussi_segment {
    uint64_t lo, hi; /* [lo, hi) */
} plussi_segment;

/* ---- schedule(static) --------------------------------------------------------------------------
 *
 * Without a chunk (chunk == 0) each thread has one block of iterations; the first n mod T blocks
 * have one iteration more. With a chunk, chunk number j goes to thread j mod T. */

/* The block of a thread; empty if n is too small. */
static inline plussi_segment plussi_static_block(uint64_t n, uint32_t team, uint32_t thread)
{
    uint64_t quotient = n / team, rest = n % team; /* no product exceeds n */
    uint64_t lo = thread * quotient + (thread < rest ? thread : rest);
    return (plussi_segment){lo, lo + quotient + (thread < rest)};
}

/* Chunk number j of the loop, which thread j mod T executes; false: the loop has no such chunk. */
static inline bool plussi_static_chunk(uint64_t n, uint64_t chunk, uint32_t team, uint64_t j,
                                       plussi_segment *out)
{
    if (chunk == 0) {
        if (j >= team || j >= n)
            return false;
        *out = plussi_static_block(n, team, (uint32_t)j);
        return true;
    }
    if (n == 0 || j > (n - 1) / chunk)
        return false;
    uint64_t lo = j * chunk;
    *out = (plussi_segment){lo, n - lo < chunk ? n : lo + chunk};
    return true;
}

/* The thread that executes iteration i < n. */
static inline uint32_t plussi_static_owner(uint64_t n, uint64_t chunk, uint32_t team, uint64_t i)
{
    if (chunk)
        return (uint32_t)(i / chunk % team);
    uint64_t quotient = n / team, rest = n % team, longer = rest * (quotient + 1);
    return (uint32_t)(i < longer ? i / (quotient + 1) : rest + (i - longer) / quotient);
}

/* ---- schedule(dynamic), schedule(guided) -------------------------------------------------------
 *
 * The counter that the threads of a team share: the first thread to ask gets the next chunk. */
typedef struct plussi_dispatch {
    uint64_t n, next; /* iterations of the loop; those dispatched so far */
    uint64_t chunk;   /* minimum chunk size, >= 1 */
    uint32_t team;
    bool guided; /* else dynamic */
    /* The loop's range is not a multiple of its step (collapse 1 only): for guided, libgomp divides
     * the remaining range by the step and truncates, and so counts one iteration less than there
     * are. */
    bool ragged;
} plussi_dispatch;

/* Dispatches the next chunk; false: none is left. dynamic: chunk iterations, guided: max(chunk,
 * ceil(remaining / T)); at most what remains. */
static inline bool plussi_dispatch_next(plussi_dispatch *d, plussi_segment *out)
{
    if (d->next >= d->n)
        return false;
    uint64_t remaining = d->n - d->next, size = d->chunk;
    if (d->guided) {
        uint64_t counted = remaining - d->ragged;
        uint64_t fair = counted / d->team + (counted % d->team != 0);
        size = fair > size ? fair : size;
    }
    size = size < remaining ? size : remaining;
    *out = (plussi_segment){d->next, d->next + size};
    d->next += size;
    return true;
}

#endif
