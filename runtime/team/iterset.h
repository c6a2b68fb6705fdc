/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which iterations of a worksharing loop a thread executes, and in which order: its iteration set.
 * Iterations are numbered 0 ... n-1 in the order of the sequential loop (collapsed loops: the
 * product of the trip counts, row by row).
 *
 * Static iteration sets have closed forms; a pattern gives the numbers of dispatched chunks; the
 * others are lists of segments in execution order.
 */
#ifndef PLUSSI_TEAM_ITERSET_H
#define PLUSSI_TEAM_ITERSET_H

#include <stdbool.h>

#include "base/ctx.h"
#include "base/rng.h"
#include "bound/bound.h"
#include "team/dispatch.h"

typedef enum plussi_iterset_kind {
    PLUSSI_ITERSET_BLOCK,   /* static: one contiguous block a thread */
    PLUSSI_ITERSET_CYCLIC,  /* static, chunk: chunks dispatched round robin */
    PLUSSI_ITERSET_PATTERN, /* dynamic: chunks of constant work (pattern.h) */
    PLUSSI_ITERSET_SEGMENTS /* dynamic, guided, stealing, recorded */
} plussi_iterset_kind;

typedef struct plussi_iterset {
    plussi_iterset_kind kind;
    uint32_t team, thread;
    uint64_t n;     /* iterations of the loop */
    uint64_t chunk; /* CYCLIC, PATTERN, >= 1 */
    /* PATTERN; borrowed; this thread of the pattern, which covers all chunks of the loop */
    const struct plussi_pattern *pattern;
    uint32_t row;
    /* SEGMENTS; borrowed */
    const plussi_segment *segment; /* none is empty */
    const uint64_t *before;        /* iterations in the earlier segments; n_segments + 1 values */
    size_t n_segments;
    bool ascending; /* iterations ascend (always so for dynamic and guided) */
} plussi_iterset;

/* libgomp's static schedules (team/dispatch.h); chunk 0: none. */
plussi_iterset plussi_iterset_static(uint64_t n, uint64_t chunk, uint32_t team, uint32_t thread);

uint64_t plussi_iterset_count(const plussi_iterset *s);             /* iterations of this thread */
uint64_t plussi_iterset_nth(const plussi_iterset *s, uint64_t pos); /* iteration at pos < count */
/* Position of iteration i in the iteration set; false: it belongs to another thread. */
bool plussi_iterset_position(const plussi_iterset *s, uint64_t i, uint64_t *pos);
/* The last position before `before` whose iteration is in [a, b]; false: none. O(1) for static,
 * O(log segments) for ascending segments, else O(segments). */
bool plussi_iterset_latest(const plussi_iterset *s, uint64_t before, uint64_t a, uint64_t b,
                           uint64_t *pos);
/* PATTERN: chunks of the loop; those of the thread. */
static inline uint64_t plussi_iterset_chunks(const plussi_iterset *s)
{
    return s->n ? (s->n - 1) / s->chunk + 1 : 0;
}
uint64_t plussi_iterset_own_chunks(const plussi_iterset *s);
/* A run of consecutive iterations from position pos on: [*lo, *hi), to the end of a block, chunk or
 * segment; if one thread executes a static loop, to the end of the loop. */
void plussi_iterset_run(const plussi_iterset *s, uint64_t pos, uint64_t *lo, uint64_t *hi);

/* The counter of a dynamic or guided loop of n iterations, at its start. iv: values of the outer
 * loops; chunk 0: none. */
plussi_dispatch plussi_dispatch_of_loop(const plussi_bound_loop *loop, const int64_t *iv,
                                        uint64_t n, uint64_t chunk, uint32_t team);

/* ---- event simulation ---------------------------------------------------------------------------
 *
 * Simulates the threads of a team between two barriers under the clock model: the accesses of each
 * thread are a Poisson process of unit rate. */
typedef struct plussi_itersets {
    plussi_mem mem;
    uint32_t team;
    plussi_iterset *set;     /* of each thread */
    plussi_segment *segment; /* owned */
    uint64_t *before;        /* owned */
    uint64_t *accesses;      /* owned; parallel to before: accesses in the earlier segments; NULL:
                                unknown, as for a recorded run */
    double *chunk_begin, *chunk_end; /* Rayon: of each segment, parallel to segment; else NULL */
    size_t n_segments;
} plussi_itersets;

enum { PLUSSI_MAX_SEGMENTS = 1 << 26 }; /* of a loop, all threads together */

typedef double (*plussi_work_fn)(void *user, uint64_t lo, uint64_t hi);

/* A dynamic or guided loop that threads reach without a barrier before it. */
typedef struct plussi_stage {
    plussi_dispatch loop;
    plussi_work_fn work; /* accesses of iterations [lo, hi), a whole number */
    void *user;
    const uint64_t *ahead; /* by thread: accesses between the previous stage, or the barrier, and
                              the loop; NULL: none */
} plussi_stage;

/* Times of some accesses. Those of a thread in between are uniformly distributed. */
typedef struct plussi_moments {
    plussi_mem mem;
    uint32_t team;
    size_t *first;    /* by thread: [first[k], first[k + 1]) of the next two */
    uint64_t *access; /* number of the access since the barrier, ascending */
    double *time;     /* its time. A thread's last entry is one past its last access */
} plussi_moments;

/* A thread without iterations left dispatches its next chunk at the time of its next access, which
 * is the first one of the chunk, or of the following code if no chunk is left, as in the exact
 * merge. after: accesses after the last stage; NULL: none. sets: one for each stage. Deterministic
 * for a seed. PLUSS_EINVAL: no team, chunk 0, work that is negative or not finite. PLUSS_ELIMIT:
 * too many chunks. O(chunks log T). */
PLUSS_NODISCARD pluss_status plussi_simulate_dispatch(plussi_ctx *ctx, const plussi_stage *stage,
                                                      size_t n_stages, const uint64_t *after,
                                                      uint64_t seed, plussi_itersets *sets,
                                                      plussi_moments *moments);
void plussi_moments_free(plussi_moments *moments);
/* Rayon's indexed iterators: recursive halving with stealing, chunks of least to most iterations
 * (0: no limit); a chunk takes Gamma(work), from time 0 on. A thief takes the largest waiting half
 * of a random victim. Errors as of plussi_simulate_dispatch. O(chunks (log T + T)) at worst. */
PLUSS_NODISCARD pluss_status plussi_simulate_rayon(plussi_ctx *ctx, uint64_t n, uint64_t least,
                                                   uint64_t most, uint32_t team,
                                                   plussi_work_fn work, void *user, uint64_t seed,
                                                   plussi_itersets *out);
void plussi_itersets_free(plussi_itersets *sets);

#endif
