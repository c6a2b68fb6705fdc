/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What a sampler keeps of the order of accesses: those to some of the lines, with the simulated
 * thread's own count of accesses since the last barrier. From them the reading side makes any
 * interleaving (runtime/model/lines.h), where private reuse intervals alone do not tell it: of code
 * whose addresses are data.
 *
 * Lines are picked by the hash of their number, the same by all threads: those whose hash is not
 * above a threshold. A thread that comes to its limit of picks halves the threshold and drops what
 * is above; the reader takes the least threshold of a team.
 *
 * Of loops that are handed out on demand it is marked where each chunk begins, so that the reader
 * can hand them out anew, as the interleaving that it makes would have it.
 *
 * The file lies beside the record, with ".lines" behind its name, whole or not at all, in the
 * machine's own byte order:
 *
 *     char     magic[16]         "pluss-lines 2\n" and zeros
 *     uint32_t line, reserved    bytes of a line; 0
 *     of each block of the record that has picks, thread by thread:
 *         plussi_picks_head
 *         uint64_t made[n_refs]  accesses of the thread by reference
 *         plussi_picks_phase     n_phases
 *         plussi_pick            n, phase by phase in program order
 *         plussi_picks_mark      n_marks, likewise
 */
#ifndef PLUSSI_RT_PICKS_H
#define PLUSSI_RT_PICKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/outfile.h"

/* Of a team, all threads together, and so at most 64 MB; of all teams and regions, in all. */
enum { PLUSSI_PICKS_TEAM = 1 << 22, PLUSSI_PICKS_ALL = 1 << 24 };
/* Of marks, one for so many picks. */
enum { PLUSSI_PICKS_A_MARK = 4 };
enum { PLUSSI_PICK_REF_BITS = 20 }; /* the numbers of references */

typedef struct plussi_pick {
    uint64_t line;
    uint64_t at; /* accesses of the thread in this phase before it, << REF_BITS | reference */
} plussi_pick;

/* Of a thread, in a phase: loop after loop OPEN, its chunks in ascending order, CLOSE. Where a
 * loop is closed, or a chunk begins, the chunk before ends. All threads of a team meet the same
 * loops. */
typedef struct plussi_picks_mark {
    uint64_t at;    /* accesses of the thread in this phase before it */
    uint64_t chunk; /* its number in the loop; or PLUSSI_MARK_OPEN, PLUSSI_MARK_CLOSE */
} plussi_picks_mark;
#define PLUSSI_MARK_OPEN (UINT64_MAX - 1)
#define PLUSSI_MARK_CLOSE UINT64_MAX

/* From barrier to barrier. Threads of a team meet the same phases, or none of a parallel region
 * that they are no members of; keys ascend, and say which phases are one. */
typedef struct plussi_picks_phase {
    uint64_t key;
    uint64_t first;      /* of its picks, which reach to the next phase's */
    uint64_t first_mark; /* likewise */
} plussi_picks_phase;

typedef struct plussi_picks_head {
    uint32_t block, thread;
    uint64_t threshold;
    uint64_t n, n_phases, n_refs;
    uint64_t n_marks;
    uint64_t unmarked; /* 1: there were too many for all to be kept, and so there are none */
} plussi_picks_head;

/* One simulated thread's. */
typedef struct plussi_picks {
    plussi_pick *pick;
    size_t n, cap, most;
    plussi_picks_phase *phase;
    size_t n_phases, cap_phases;
    plussi_picks_mark *mark;
    size_t n_marks, cap_marks;
    bool unmarked;
    uint64_t threshold;
    uint64_t *made; /* n_refs; set when the walk ends */
    uint32_t n_refs;
    bool failed; /* no memory, or numbers that do not fit: there are none */
} plussi_picks;

plussi_picks *plussi_picks_new(size_t most, uint64_t threshold); /* NULL: no memory */
void plussi_picks_free(plussi_picks *picks);                     /* NULL is allowed */
/* hash is the line's. O(1), over all calls. */
void plussi_picks_add(plussi_picks *picks, uint64_t key, uint64_t line, uint64_t hash, uint64_t at,
                      uint32_t ref);
/* chunk is a mark's. */
void plussi_picks_mark_at(plussi_picks *picks, uint64_t key, uint64_t at, uint64_t chunk);
/* The marks would not be the team's: there are none. */
void plussi_picks_unmark(plussi_picks *picks);

/* The file beside the record at path; its owner finishes it. false: file->error says why. */
bool plussi_picks_open(plussi_outfile *file, const char *path);
void plussi_picks_write(plussi_outfile *file, uint32_t block, uint32_t thread,
                        const plussi_picks *picks);

#endif
