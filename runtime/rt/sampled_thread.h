/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A sampled trace of one simulated thread: its accesses to a sample of the lines, with its number
 * of accesses since the last barrier. Those of a team can be interleaved in any way
 * (runtime/model/lines.h), for code whose addresses depend on data, where private reuse intervals
 * are not enough.
 *
 * Lines are chosen by the hash of their number, alike for all threads: those with a hash up to a
 * threshold. A thread that reaches its limit of accesses halves the threshold and drops lines above
 * it; the reader uses the least threshold of a team.
 *
 * Marks give the start of each chunk of dynamic loops, so that the reader can dispatch the chunks
 * anew in its interleaving.
 */
#ifndef PLUSSI_RT_SAMPLED_THREAD_H
#define PLUSSI_RT_SAMPLED_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/outfile.h"
#include "trace/format.h"

/* Accesses of a team, all threads together, and so at most 64 MB; of all teams and regions. */
enum { PLUSSI_SAMPLED_TEAM = 1 << 22, PLUSSI_SAMPLED_ALL = 1 << 24 };
/* At most one mark for that many accesses. */
enum { PLUSSI_SAMPLED_A_MARK = 4 };

/* Of one simulated thread. */
typedef struct plussi_sampled_thread {
    plussi_sampled_access *access;
    size_t n, cap, most;
    plussi_sampled_phase *phase;
    size_t n_phases, cap_phases;
    plussi_chunk_mark *mark;
    size_t n_marks, cap_marks;
    bool unmarked;
    uint64_t threshold;
    uint64_t *made; /* n_refs; set at the end of the walk */
    uint32_t n_refs;
    bool failed; /* out of memory, or numbers too large: it has no trace */
} plussi_sampled_thread;

plussi_sampled_thread *plussi_sampled_thread_new(size_t most,
                                                 uint64_t threshold); /* NULL: no memory */
void plussi_sampled_thread_free(plussi_sampled_thread *sampled);      /* NULL is allowed */
/* hash: of the line. O(1), amortised. */
void plussi_sampled_thread_add(plussi_sampled_thread *sampled, uint64_t key, uint64_t line,
                               uint64_t hash, uint64_t at, uint32_t ref);
/* chunk: as in a mark. */
void plussi_sampled_thread_mark(plussi_sampled_thread *sampled, uint64_t key, uint64_t at,
                                uint64_t chunk);
/* Drops the marks, which would differ from the team's. */
void plussi_sampled_thread_unmark(plussi_sampled_thread *sampled);

/* Writes its sections, for a block of the record. */
void plussi_sampled_thread_write(plussi_outfile *file, uint32_t block, uint32_t thread,
                                 const plussi_sampled_thread *sampled);

#endif
