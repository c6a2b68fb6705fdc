/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What the runs of a program add up to, and the file it is written to (docs/record-format.md).
 */
#ifndef PLUSSI_RT_RECORD_H
#define PLUSSI_RT_RECORD_H

#include "rt/carry.h"
#include "rt/fill.h"
#include "rt/known.h"
#include "rt/run_order.h"
#include "rt/sampled_thread.h"
#include "rt/sequence.h"

/* How a run was recorded. */
typedef enum plussi_by {
    PLUSSI_BY_PROFILE, /* every access */
    PLUSSI_BY_BIND,    /* values and addresses alone */
    PLUSSI_BY_SAMPLE   /* by a sampler, for simulated threads */
} plussi_by;

enum { PLUSSI_MAX_PLACES = 64 }; /* kept of a sum */
/* Kept in all: sums, and bytes of the counts in them, which one sum may exceed. Runs with other
 * values are then counted alone. */
enum { PLUSSI_MAX_SUMS = 1 << 16, PLUSSI_MAX_SUM_BYTES = 1 << 28 };

/* A thread's, in the order of their execution. */
typedef struct plussi_rt_chunks {
    plussi_chunk_entry *chunk;
    size_t n, cap;
} plussi_rt_chunks;

/* Threads of a run's teams: the most, and those of constructs without num_threads. */
typedef struct plussi_teams {
    uint32_t largest, by_default;
} plussi_teams;

/* All runs of one region with the same symbol values, array bases (modulo the line size) and team
 * size. */
typedef struct plussi_sum {
    const plussi_known *known;
    uint64_t hash;
    uint32_t team, number; /* the largest; its index in the record, from 0 */
    uint32_t default_team; /* of constructs without num_threads, at most team */
    plussi_by by;
    int64_t *symbols;
    uint64_t *bases; /* n_places times the region's arrays */
    uint32_t n_places;
    uint64_t runs, lost;
    bool counted; /* all runs' accesses outside of the description are: */
    uint64_t outside;
    uint64_t took;                   /* nanoseconds, all runs */
    plussi_carried carried;          /* counted, and recorded access by access */
    plussi_totals **thread;          /* by thread; NULL: no accesses by this one; NULL: by none */
    plussi_rt_chunks *chunks;        /* by thread: of the first run; NULL: none */
    plussi_fill **fill;              /* by thread, of the first run; NULL: none */
    uint64_t filled;                 /* accesses outside, of all runs, that `fill` stands for */
    plussi_sampled_thread **sampled; /* by thread, of the first run; NULL: none */
    const char *schedule;    /* that a sampler had to use for all loops; NULL: as in the source */
    int64_t chunk;           /* of it; 0: none */
    struct plussi_sum *next; /* in order of their first run */
} plussi_sum;

/* Runs whose values had no room. */
typedef struct plussi_left_out {
    const plussi_known *known;
    uint32_t team;
    plussi_by by;
    uint64_t runs, accesses;
    struct plussi_left_out *next;
} plussi_left_out;

typedef struct plussi_sums {
    plussi_sum *first, *last;
    uint32_t n;
    plussi_sum **table; /* base/map.h */
    size_t n_slots;
    uint64_t bytes;     /* of counts */
    uint64_t lost_runs; /* lost for lack of memory */
    plussi_left_out *left_out;
    uint64_t n_filled;           /* entries of all sums' `fill` */
    uint64_t n_sampled;          /* accesses in the sampled traces of all sums */
    bool counted;                /* a region's accesses outside of its description are counted */
    atomic_uint_fast64_t serial; /* those outside of regions */
    uint64_t took, took_serial;  /* nanoseconds: the program, of them those without a region */
    plussi_sequence sequence;
    plussi_carrier carrier; /* of the runs with `carried` */
    plussi_run_order order; /* of all runs of a program that counts what is not described */
    uint64_t around;        /* of these, those with others nested in them that are not recorded */
} plussi_sums;

/* Finds or makes it; NULL: out of memory or over the limit. O(symbols + arrays). */
plussi_sum *plussi_sums_find(plussi_sums *sums, const plussi_known *known, const int64_t *symbols,
                             const uint64_t *bases, plussi_teams team, plussi_by by);
/* Counts a run without a sum, and its accesses. */
void plussi_sums_leave_out(plussi_sums *sums, const plussi_known *known, uint32_t team,
                           plussi_by by, uint64_t accesses);
/* Adds the counts of thread `thread`, which may still run (live). False: out of memory; the
 * accesses count as lost in the sum. */
void plussi_sums_add(plussi_sums *sums, plussi_sum *sum, uint32_t thread,
                     const plussi_collector *counted, bool live);
/* Before sum->runs is increased (sum NULL: it has none): what its threads, which follow one line in
 * 2^shift, found before them in the cache, and leave there; in the order of all runs it is the next
 * one. seen: as its pieces left it; NULL: it has none. */
void plussi_sums_carry(plussi_sums *sums, plussi_sum *sum, plussi_collector *const *thread,
                       unsigned shift, plussi_tally *seen);
/* What a run of that number and its n threads did before another one that begins now: found gets
 * what they found, seen the lines. */
void plussi_sums_carry_piece(plussi_sums *sums, uint32_t run, plussi_collector *const *thread,
                             uint32_t n, unsigned shift, plussi_carried *found, plussi_tally *seen);
/* After plussi_sums_carry (sum NULL: the run has none): its pieces, of which the first is among the
 * order's entries from number `from` on, and what they found. */
void plussi_sums_join(plussi_sums *sums, plussi_sum *sum, size_t from, uint32_t run,
                      const plussi_carried *found);
/* Appends the run that has ended to the sequence (NULL: it has no sum). Its placement, or
 * PLUSSI_PLACE_UNKNOWN. O(MAX_PLACES). */
uint32_t plussi_sums_ran(plussi_sums *sums, plussi_sum *sum, const uint64_t *bases);
/* Before sum->runs is increased: keeps a thread's chunks if this is the first run. Consecutive
 * chunks are joined. False: out of memory, and none of this thread's are kept. */
bool plussi_sum_chunks(plussi_sum *sum, uint32_t thread, const plussi_chunk_entry *chunk, size_t n);
/* Before sum->runs is increased: counts what the threads recorded of unknowns (NULL: nothing), and
 * takes it over if this is the first run and all of it is there; then it leaves NULL. */
void plussi_sums_fill(plussi_sums *sums, plussi_sum *sum, plussi_fill **fill);
/* Takes over the sampled trace of a team; false: the caller keeps it, as a thread has none or there
 * are too many accesses. */
bool plussi_sums_sampled(plussi_sums *sums, plussi_sum *sum, plussi_sampled_thread **sampled);
void plussi_sums_clear(plussi_sums *sums);

/* Writes the record, as a whole or not at all, and its sidecar file: adds the sampled traces to it
 * (opens it if there are some) and closes it. 0 or an errno. */
int plussi_sums_write(const plussi_sums *sums, const char *path, plussi_outfile *sidecar);
/* Only the record, in memory that the caller frees. 0 or an errno. */
int plussi_sums_text(const plussi_sums *sums, char **text, size_t *length);

#endif
