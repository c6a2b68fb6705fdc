/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A sampled trace, of one simulated thread: its accesses to some of the lines, with its own count
 * of accesses since the last barrier. From those of a team the reading side makes any interleaving
 * (runtime/model/lines.h), where private reuse intervals alone do not tell it: for code whose
 * addresses are data.
 *
 * Lines are chosen by the hash of their number, the same by all threads: those whose hash is not
 * above a threshold. A thread that comes to its limit of accesses halves the threshold and drops
 * what is above; the reader takes the least threshold of a team.
 *
 * Marks say where each chunk of the loops that are dispatched on demand begins, so that the reader
 * can dispatch them anew, as the interleaving that it makes would have it.
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
/* Marks: at most one for that many accesses. */
enum { PLUSSI_SAMPLED_A_MARK = 4 };

/* One simulated thread's. */
typedef struct plussi_sampled_thread {
    plussi_sampled_access *access;
    size_t n, cap, most;
    plussi_sampled_phase *phase;
    size_t n_phases, cap_phases;
    plussi_chunk_mark *mark;
    size_t n_marks, cap_marks;
    bool unmarked;
    uint64_t threshold;
    uint64_t *made; /* n_refs; set when the walk ends */
    uint32_t n_refs;
    bool failed; /* no memory, or numbers that do not fit: there are none */
} plussi_sampled_thread;

plussi_sampled_thread *plussi_sampled_thread_new(size_t most,
                                                 uint64_t threshold); /* NULL: no memory */
void plussi_sampled_thread_free(plussi_sampled_thread *sampled);      /* NULL is allowed */
/* hash is the line's. O(1), over all calls. */
void plussi_sampled_thread_add(plussi_sampled_thread *sampled, uint64_t key, uint64_t line,
                               uint64_t hash, uint64_t at, uint32_t ref);
/* chunk is a mark's. */
void plussi_sampled_thread_mark(plussi_sampled_thread *sampled, uint64_t key, uint64_t at,
                                uint64_t chunk);
/* The marks would not be the team's: there are none. */
void plussi_sampled_thread_unmark(plussi_sampled_thread *sampled);

/* Its sections, of a block of the record. */
void plussi_sampled_thread_write(plussi_outfile *file, uint32_t block, uint32_t thread,
                                 const plussi_sampled_thread *sampled);

#endif
