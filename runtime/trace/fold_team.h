/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A recorded run of several threads in the order in which one thread would have executed it.
 *
 * Marks of regions and barriers tell phases. In a phase a thread's accesses are cut into stretches
 * where no site is on both sides of a cut; a site is in the stretches of one kind, which come in
 * one order in all threads. Straight code, whose sites a thread accesses once in a phase, is
 * executed by each of them: it is taken once. Of loops every thread executes its share: all shares
 * are taken, in the order of their chunks where these are marked, else of the threads, as a static
 * schedule without chunks has them, or, where sites->cuts, in the order of chunks of equal length,
 * where their first accesses tell such a schedule. A loop that all threads execute alike is
 * refused: each may execute it, or as many iterations of it with the same accesses. Whether the
 * rest is so is for the caller to find out: fold_nest.h compares the nest with every thread's
 * accesses.
 */
#ifndef PLUSSI_TRACE_FOLD_TEAM_H
#define PLUSSI_TRACE_FOLD_TEAM_H

#include "trace/foreign.h"

enum {
    PLUSSI_TEAM_THREADS = 1024,   /* at most */
    PLUSSI_TEAM_EVENTS = 5 << 19, /* of a phase, at most */
    PLUSSI_TEAM_STRETCHES = 1 << 18,
    PLUSSI_TEAM_SITES = 1 << 14
};

/* Sites of all runs of a program, and their stretches: a run in which no thread has two iterations
 * of a loop does not tell them. */
typedef struct plussi_team_sites {
    struct plussi_team_slot *slot;
    size_t n_slots;
    struct plussi_team_site *site;
    size_t n, cap;
    bool may_cut; /* a loop's shares may be of a static schedule with chunks, */
    bool cuts;    /* which they are taken for */
} plussi_team_sites;

/* One more than the largest number of a thread in a trace; 1: it has no events. ask: about the
 * stage "read". PLUSS_ELIMIT: more than PLUSSI_TEAM_THREADS; errors of plussi_foreign_next.
 * O(accesses). */
PLUSS_NODISCARD pluss_status plussi_team_count_threads(plussi_ctx *ctx, const char *path,
                                                       const plussi_ask *ask, uint32_t *threads);

/* Reads a trace, counts its threads and adds its sites, of more than one thread.
 * PLUSS_EUNSUPPORTED: marks that are not in order, accesses of other threads outside of regions,
 * regions inside of regions; PLUSS_ELIMIT; errors of plussi_foreign_next. The caller clears *sites,
 * on failure too. O(accesses); memory O(accesses of a phase), 16 bytes each, none of that
 * for one thread. */
PLUSS_NODISCARD pluss_status plussi_team_find(plussi_ctx *ctx, const char *path,
                                              const plussi_ask *ask, plussi_team_sites *sites,
                                              uint32_t *threads);
void plussi_team_clear(const plussi_mem *mem, plussi_team_sites *sites);

typedef struct plussi_team_reader plussi_team_reader;

/* A phase of a region. */
typedef struct plussi_team_phase {
    const plussi_team_reader *reader;
    uint32_t threads;
    uint64_t region;    /* which of the regions entered: 1, 2, ... */
    bool is_dispatched; /* chunks are marked in it */
} plussi_team_phase;

/* Event i < *n of a thread in the phase, in its order. */
plussi_event plussi_team_event(const plussi_team_phase *phase, uint32_t thread, uint32_t i);
uint32_t plussi_team_count(const plussi_team_phase *phase, uint32_t thread);

typedef pluss_status (*plussi_team_fn)(void *user, const plussi_team_phase *phase);

/* Reads a trace of that many threads again, in that order. visit, NULL: nobody, is called with each
 * phase of a region that has events before the first of them is given; what it returns ends the
 * reading. sites is borrowed. The caller closes. */
PLUSS_NODISCARD pluss_status plussi_team_open(plussi_ctx *ctx, const char *path,
                                              plussi_team_sites *sites, uint32_t threads,
                                              plussi_team_fn visit, void *user,
                                              plussi_team_reader **out);
/* As plussi_foreign_ask, about the stage "fold". */
void plussi_team_ask(plussi_team_reader *reader, const plussi_ask *ask);
/* Up to cap >= PLUSSI_EVENTS_LEAST next events, of thread 0 all of them; *n 0: the end. */
PLUSS_NODISCARD pluss_status plussi_team_next(plussi_team_reader *reader, plussi_event *buf,
                                              size_t cap, size_t *n);
/* Accesses of one iteration of the distributed loop that has this site, so far: of chunks that are
 * marked, their accesses by their iterations; else the difference between threads that have one
 * iteration more than others. 0: not known, or different in different executions. */
uint64_t plussi_team_unit(const plussi_team_reader *reader, uint64_t site);
/* Accesses of a chunk of the distributed loop that has this site, which a static schedule gives the
 * threads in turn, so far. 0: it has no such schedule, or chunks of different lengths. */
uint64_t plussi_team_chunk(const plussi_team_reader *reader, uint64_t site);
void plussi_team_close(plussi_team_reader *reader); /* NULL is allowed */

#endif
