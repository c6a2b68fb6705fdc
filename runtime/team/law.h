/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A law of thread progress, as used by the model clock and the exact merge. To add a progress law:
 * a file law_NAME.c and a line in progress.h.
 *
 * The model asks about any thread at any time: `time`, `count`, and both between known moments. The
 * merge goes through a phase access by access without knowledge of a thread's future (chunks are
 * dispatched on the way): `next`. A law that draws needs both, as draws given all earlier answers
 * and draws in order take different random numbers; both use the law's parameters, and the draws
 * made for a phase or a region. A law whose times are not drawn (`timed`) gives `time`; the rest
 * follows from it.
 */
#ifndef PLUSSI_TEAM_LAW_H
#define PLUSSI_TEAM_LAW_H

#include "base/rng.h"
#include "team/progress.h"

/* What a law may ask about the program. The caller numbers the phases, and the instances of
 * parallel regions by numbers equal within an instance. */
typedef struct plussi_phases_of {
    uint64_t (*region)(void *user, uint64_t phase);
    uint64_t (*recorded)(void *user, uint64_t phase);           /* phases with accesses before it */
    uint64_t (*length)(void *user, uint64_t phase, uint32_t k); /* accesses; the model only */
    /* The simulated pieces of the phase's only loop, with times; NULL: it has none. The model only
     */
    const struct plussi_itersets *(*pieces)(void *user, uint64_t phase);
    void *user;
} plussi_phases_of;

/* The threads of a team under a law, in a replication of the model or in a merge. */
typedef struct plussi_clocks {
    const struct plussi_law *law;
    const plussi_progress *progress;
    const plussi_timeline *timeline; /* RECORDED: of the run */
    plussi_phases_of phases;
    plussi_rng *rng; /* borrowed; the owner sets it */
    uint64_t seed;
    uint32_t team;      /* threads; merge: of the phase, at most those of the first one */
    plussi_arena arena; /* holds all that follows */
    void *state;        /* the law's */
    bool failed;        /* memory ran out */
    /* the model: the access's thread; once known, the thread of the latest touch, and its access */
    uint32_t own, source;
    uint64_t source_pos;
    /* the merge: threads with accesses left in the phase, in the law's order (a law without an
     * order needs only the last) */
    void (*begin_order)(struct plussi_clocks *c, uint64_t phase); /* as in plussi_law */
    uint32_t (*next)(struct plussi_clocks *c, uint64_t *run);
    void (*leave)(struct plussi_clocks *c);
    uint32_t *running, n_running;
    uint32_t at; /* index of the thread that next returned */
    /* clocks.c, a law with times: running is a heap by the time of the next access */
    double *due; /* by thread: time of its next access, and number of the earlier ones */
    uint64_t *made;
    uint64_t phase;
    bool made_one; /* running[0] has made its access */
} plussi_clocks;

/* A parameter in the text of a law. */
typedef struct plussi_law_number {
    const char *name; /* "MEAN"; NULL: no more parameters */
    size_t at;        /* in plussi_progress: a double, or (whole) a uint32_t */
    bool whole, needed;
    bool ends;       /* 0: later parameters have no effect and are not written */
    bool of_machine; /* a machine file has it, as the first one of any law */
    double by_default, least, most;
} plussi_law_number;

typedef struct plussi_law {
    const char *name, *syntax, *summary; /* syntax: "burst:MEAN" */
    plussi_law_number number[3];
    const char *(*check)(const plussi_progress *); /* further checks: what is wrong, or NULL */
    int (*write_more)(const plussi_progress *, char *out, size_t room); /* NULL: nothing */
    bool poisson;      /* given two known moments, accesses in between are uniformly distributed */
    bool timed;        /* time draws nothing; of equal times the lower thread's comes first */
    bool drawn;        /* runs differ by draws for a whole region */
    bool jointly;      /* count: of all threads, in order */
    bool needs_pieces; /* asks for a loop's pieces; the merge is given such a run as a timeline */

    /* ---- the model. `which`: 0 for the phase of the access, 1 for that of its previous touch.
     * NULL time: the model cannot follow the law. */
    pluss_status (*new)(plussi_clocks *c); /* NULL: there is no state */
    void (*begin)(plussi_clocks *c, int which, uint64_t phase);
    /* Time of access pos of thread k. The first question is `now`, the time of the access. */
    double (*time)(plussi_clocks *c, int which, uint64_t phase, uint32_t k, uint64_t pos);
    /* timed: estimate of the accesses made by then; may be NULL */
    double (*guess)(plussi_clocks *c, uint64_t phase, uint32_t k, double time);
    /* Number of accesses of thread k by `now`; may exceed what it has. */
    uint64_t (*count)(plussi_clocks *c, uint64_t phase, uint32_t k, double now);
    /* Time of access y, given that it made n by `now`; y < n. */
    double (*time_before)(plussi_clocks *c, uint64_t phase, uint32_t k, uint64_t y, uint64_t n,
                          double now);
    /* Accesses by `time`, given that it made `from` by `since` (the last one exactly then, or none)
     * and n by `now`; since <= time <= now. n = UINT64_MAX: unknown after since. */
    uint64_t (*count_between)(plussi_clocks *c, int which, uint32_t k, uint64_t from, double since,
                              uint64_t n, double now, double time);

    /* ---- the merge. NULL next: a timed law's times; for others no order exists. */
    pluss_status (*new_order)(plussi_clocks *c); /* NULL: there is no state */
    void (*begin_order)(plussi_clocks *c, uint64_t phase);
    /* The next thread, and how many accesses it makes in a row, up to *run. */
    uint32_t (*next)(plussi_clocks *c, uint64_t *run);
    /* That thread waits at the barrier, maybe before the end of its run; NULL: the last one of
     * running takes its place. */
    void (*leave)(plussi_clocks *c);
} plussi_law;

const plussi_law *plussi_law_of(const plussi_progress *progress); /* checked */
const plussi_law *plussi_law_at(size_t i);                        /* NULL: past the end */

/* ---- any law: clocks.c -------------------------------------------------------------------------
 */

/* For the model or, if order, for the merge; progress, timeline, phases, seed, rng and team are
 * set. PLUSS_EUNSUPPORTED, naming the law, if it has none. The caller frees, on failure too. */
PLUSS_NODISCARD pluss_status plussi_clocks_new(plussi_ctx *ctx, plussi_clocks *c, bool order);
void plussi_clocks_free(plussi_clocks *c);
void plussi_clocks_begin(plussi_clocks *c, int which, uint64_t phase);
uint64_t plussi_clocks_count(plussi_clocks *c, uint64_t phase, uint32_t k, double now);
double plussi_clocks_time_before(plussi_clocks *c, uint64_t phase, uint32_t k, uint64_t y,
                                 uint64_t n, double now);
uint64_t plussi_clocks_count_between(plussi_clocks *c, int which, uint64_t phase, uint32_t k,
                                     uint64_t from, double since, uint64_t n, double now,
                                     double time);
/* Begins a phase of c->team threads; then call c->next and c->leave while n_running > 0. */
void plussi_clocks_begin_order(plussi_clocks *c, uint64_t phase);
/* ---- the laws ----------------------------------------------------------------------------------
 */

#define PLUSSI_X(number, name) extern const plussi_law plussi_law_##name;
PLUSSI_PROGRESS_LAWS(PLUSSI_X)
#undef PLUSSI_X

/* law_uniform.c: a Poisson clock of rate 1, for other laws, too. */
double plussi_poisson_time(plussi_clocks *c, int which, uint64_t phase, uint32_t k, uint64_t pos);
uint64_t plussi_poisson_count(plussi_clocks *c, uint64_t phase, uint32_t k, double now);
double plussi_poisson_time_before(plussi_clocks *c, uint64_t phase, uint32_t k, uint64_t y,
                                  uint64_t n, double now);
uint64_t plussi_poisson_between(plussi_clocks *c, int which, uint32_t k, uint64_t from,
                                double since, uint64_t n, double now, double time);

#endif
