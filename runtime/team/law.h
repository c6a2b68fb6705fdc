/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A law of thread progress, as the model clock and the exact merge use it. A new one is a file
 * law_NAME.c and a line in progress.h.
 *
 * The model asks about any thread at any moment: `time`, `count`, and the same between what it
 * knows. The merge goes through a phase access by access, and knows no thread's future (chunks are
 * dispatched by what it decides): `next`. A law that draws needs both, since what is drawn given
 * all that was asked before and what is drawn as it goes along take different random numbers; the
 * two share its numbers, and the draws that are made for a phase or a region. A law whose times are
 * not drawn (`timed`) gives `time`; the rest follows from it, for both.
 */
#ifndef PLUSSI_TEAM_LAW_H
#define PLUSSI_TEAM_LAW_H

#include "base/rng.h"
#include "team/progress.h"

/* What a law may ask of the program. Phases are numbered by whoever asks the law; instances of
 * parallel regions by numbers that are equal within one. */
typedef struct plussi_phases_of {
    uint64_t (*region)(void *user, uint64_t phase);
    uint64_t (*recorded)(void *user, uint64_t phase);           /* phases with accesses before it */
    uint64_t (*length)(void *user, uint64_t phase, uint32_t k); /* accesses; the model alone */
    void *user;
} plussi_phases_of;

/* The threads of a team under a law: of a replication of the model, or of a merge. */
typedef struct plussi_clocks {
    const struct plussi_law *law;
    const plussi_progress *progress;
    const plussi_timeline *timeline; /* RECORDED: of the run */
    plussi_phases_of phases;
    plussi_rng *rng; /* borrowed, and set by the owner */
    uint64_t seed;
    uint32_t team;      /* threads; the merge's: of the phase, and room for the first one's */
    plussi_arena arena; /* of all that follows */
    void *state;        /* the law's */
    bool failed;        /* memory ran out */
    /* the model: the access's thread; once it is known, the latest touch's, and its access */
    uint32_t own, source;
    uint64_t source_pos;
    /* the merge: threads that have accesses left in the phase, in the law's order (one that needs
     * none tells only the last) */
    void (*begin_order)(struct plussi_clocks *c, uint64_t phase); /* as plussi_law has them */
    uint32_t (*next)(struct plussi_clocks *c, uint64_t *run);
    void (*leave)(struct plussi_clocks *c);
    uint32_t *running, n_running;
    uint32_t at; /* of these, the one that next gave */
    /* clocks.c, a law with times: running is a heap, the thread that is due next first */
    double *due; /* by thread: the time of its next access, and the ones before */
    uint64_t *made;
    uint64_t phase;
    bool made_one; /* running[0] has made the access that it was due for */
} plussi_clocks;

/* A number in the text of a law. */
typedef struct plussi_law_number {
    const char *name; /* "MEAN"; NULL: the law has no more */
    size_t at;        /* in plussi_progress: a double, or (whole) a uint32_t */
    bool whole, needed;
    bool ends; /* 0: what comes after it has no effect, and is not written */
    double by_default, least, most;
} plussi_law_number;

typedef struct plussi_law {
    const char *name, *syntax, *summary; /* syntax: "burst:MEAN" */
    plussi_law_number number[3];
    const char *(*check)(const plussi_progress *); /* beyond the table: what is wrong; or NULL */
    int (*write_more)(const plussi_progress *, char *out, size_t room); /* NULL: nothing */
    bool poisson; /* accesses between two known moments are there uniformly, by any moments */
    bool timed;   /* time draws nothing; of equal times the lower thread's come first */
    bool drawn;   /* runs differ by draws for a whole region */
    bool jointly; /* count: of all threads, in order */

    /* ---- the model. Phase: `which` 0 of the access at hand, 1 of the touch that it follows. NULL
     * time: it cannot follow the law. */
    pluss_status (*new)(plussi_clocks *c); /* NULL: there is no state */
    void (*begin)(plussi_clocks *c, int which, uint64_t phase);
    /* When thread k makes access pos. `now`, the time of the access at hand, is the first asked. */
    double (*time)(plussi_clocks *c, int which, uint64_t phase, uint32_t k, uint64_t pos);
    /* timed: how many accesses it has made by then, about; may be NULL */
    double (*guess)(plussi_clocks *c, uint64_t phase, uint32_t k, double time);
    /* How many accesses thread k has made by `now`; may exceed what it has. */
    uint64_t (*count)(plussi_clocks *c, uint64_t phase, uint32_t k, double now);
    /* When it made access y, if it has made n by `now`; y < n. */
    double (*time_before)(plussi_clocks *c, uint64_t phase, uint32_t k, uint64_t y, uint64_t n,
                          double now);
    /* How many it had made at `time`, if by `since` it had made `from` (the last just then, or
     * none) and by `now` n; since <= time <= now. n = UINT64_MAX: nothing is known after since. */
    uint64_t (*count_between)(plussi_clocks *c, int which, uint32_t k, uint64_t from, double since,
                              uint64_t n, double now, double time);

    /* ---- the merge. NULL next: a timed law's times, else there is no such order. */
    pluss_status (*new_order)(plussi_clocks *c); /* NULL: there is no state */
    void (*begin_order)(plussi_clocks *c, uint64_t phase);
    /* The thread whose turn it is, and how many accesses it has in a row, up to *run. */
    uint32_t (*next)(plussi_clocks *c, uint64_t *run);
    /* That thread waits at the barrier, maybe before the end of its run; NULL: the last one of
     * running takes its place. */
    void (*leave)(plussi_clocks *c);
} plussi_law;

const plussi_law *plussi_law_of(const plussi_progress *progress); /* checked */
const plussi_law *plussi_law_at(size_t i);                        /* NULL: past the end */

/* ---- any law: clocks.c -------------------------------------------------------------------------
 */

/* For the model, or (order) for the merge; progress, timeline, phases, seed, rng and team are set.
 * PLUSS_EUNSUPPORTED, naming the law: there is no such thing. The caller frees, on failure too. */
PLUSS_NODISCARD pluss_status plussi_clocks_new(plussi_ctx *ctx, plussi_clocks *c, bool order);
void plussi_clocks_free(plussi_clocks *c);
void plussi_clocks_begin(plussi_clocks *c, int which, uint64_t phase);
uint64_t plussi_clocks_count(plussi_clocks *c, uint64_t phase, uint32_t k, double now);
double plussi_clocks_time_before(plussi_clocks *c, uint64_t phase, uint32_t k, uint64_t y,
                                 uint64_t n, double now);
uint64_t plussi_clocks_count_between(plussi_clocks *c, int which, uint64_t phase, uint32_t k,
                                     uint64_t from, double since, uint64_t n, double now,
                                     double time);
/* A phase of c->team threads; then c->next and c->leave, while n_running > 0. */
void plussi_clocks_begin_order(plussi_clocks *c, uint64_t phase);
/* ---- the laws ----------------------------------------------------------------------------------
 */

#define PLUSSI_X(number, name) extern const plussi_law plussi_law_##name;
PLUSSI_PROGRESS_LAWS(PLUSSI_X)
#undef PLUSSI_X

/* law_uniform.c: a Poisson clock of rate 1, which laws like it share. */
double plussi_poisson_time(plussi_clocks *c, int which, uint64_t phase, uint32_t k, uint64_t pos);
uint64_t plussi_poisson_count(plussi_clocks *c, uint64_t phase, uint32_t k, double now);
double plussi_poisson_time_before(plussi_clocks *c, uint64_t phase, uint32_t k, uint64_t y,
                                  uint64_t n, double now);
uint64_t plussi_poisson_between(plussi_clocks *c, int which, uint32_t k, uint64_t from,
                                double since, uint64_t n, double now, double time);

#endif
