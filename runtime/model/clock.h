/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * clock, the default model: threads are Poisson clocks that restart at every barrier; accesses are
 * sampled at the requested team size. Nothing is walked: the cost does not depend on the problem
 * size. docs/models.md, "clock", derives it.
 */
#ifndef PLUSSI_MODEL_CLOCK_H
#define PLUSSI_MODEL_CLOCK_H

#include "model/model.h"

typedef enum plussi_clock_form {
    PLUSSI_CLOCK_AUTO, /* SD if AET is found to be off, else RI; docs/models.md has the rule */
    PLUSSI_CLOCK_RI, /* reuse intervals, turned into distances by AET in each part of the program */
    PLUSSI_CLOCK_SD  /* the same, corrected by counts of the distinct lines in windows */
} plussi_clock_form;

/* A level of caches, LRU replacement in each set. */
typedef struct plussi_cache_shape {
    uint64_t sets, ways; /* at least 1 */
    bool random;   /* a line is in any set, whatever its number; else in set number modulo sets */
    bool searched; /* not random: lines of the set are looked up; else distances tell */
    uint32_t threads_per_cache; /* as many as the options', or more: 0: all */
    bool write_through;         /* of one thread: writes go on to the next level */
    bool inclusive;             /* levels before lose what it evicts */
    bool exclusive;             /* it and the level before are of one thread: of what that evicts */
    /* A write that misses does not bring the line: of the first level if it is of one thread, and
     * else of lines that the level before evicts, written. */
    bool no_write_allocate;
} plussi_cache_shape;

typedef struct plussi_clock_options {
    plussi_clock_form form;
    plussi_progress progress; /* RECORDED: timelines that fit the nest (trace/make_timelines.h); the
                                 replications use them in turn */
    uint32_t threads_per_cache; /* threads that share a cache, 0 ... n-1, n ... 2n-1, and so on: the
                                   curve is that of these caches, over all accesses; 0, or the team
                                   size or more: all threads */
    uint64_t seed;
    uint32_t pilot;        /* accesses in the pilot sample, which finds where the weight is */
    uint32_t samples;      /* about that many accesses are evaluated */
    uint32_t coarse;       /* > 1: lines are counted by one in so many of the usual searches */
    uint32_t replications; /* 2 to 64: independent parts, for the standard error */
    bool by_reference;     /* the profile tells references apart */
    bool cells;            /* the estimate's */
    const plussi_cache_shape *shape; /* levels, the first one nearest to a thread, whose misses are
                                        counted; those with more threads per cache than the
                                        options' are last, and searched */
    uint32_t n_shapes;               /* at most PLUSSI_LEVELS_MOST */
    uint32_t n_hierarchies; /* so many times n_shapes of them: evaluated on the same samples */
    uint32_t runs; /* UNIFORM: the spread is estimated from that many, 2 to 64; 0: not at all */
    double error;  /* > 0: sampling goes on until the standard error, averaged over sizes, is below
                      this; 0: one round */
    /* Called now and then by the calling thread with the fraction done (towards the error, if one
     * is set) and the mean standard error so far (negative: unknown). A result other than 0 ends
     * the call with PLUSS_ECANCELLED. NULL: not called. */
    int (*ask)(void *user, double done, double error);
    void *ask_user;
    uint64_t effort;  /* elementary steps (base/effort.h) that a round of replications and the
                         footprint may take together, else PLUSS_ELIMIT; 0: no bound */
    uint32_t workers; /* threads that do the work, 0: as many as processors may be used; the result
                         does not depend on it */
    plussi_spare *spare; /* this and the next as the model's input has them */
    const plussi_kept_program *kept;
} plussi_clock_options;

plussi_clock_options plussi_clock_defaults(void);

typedef struct plussi_clock_result {
    plussi_estimate estimate; /* distances, concurrent, the samples by reference */
    plussi_clock_form form;   /* RI or SD: the one used */
    double misfit;            /* AUTO: estimated error that AET would cause, miss ratio */
    uint64_t pilot_accesses, evaluated;
} plussi_clock_result;

/* PLUSS_EUNSUPPORTED if the nest has no closed form (the caller then walks it); PLUSS_EEMPTY if it
 * makes no access; PLUSS_EINVAL for options out of range. The same bound nest and options give the
 * same result. Attributions point into bound. Memory O(pilot + team * replications). */
PLUSS_NODISCARD pluss_status plussi_clock(plussi_ctx *ctx, const plussi_bound *bound,
                                          const plussi_clock_options *options,
                                          plussi_clock_result *out);

#endif
