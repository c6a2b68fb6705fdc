/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * clock, the default model: threads as Poisson clocks that restart at every barrier, sampled at the
 * team size that is asked for. No walking: cost does not depend on the size of the problem.
 * docs/models.md, "clock", derives it.
 */
#ifndef PLUSSI_MODEL_CLOCK_H
#define PLUSSI_MODEL_CLOCK_H

#include "model/model.h"

typedef enum plussi_clock_form {
    PLUSSI_CLOCK_AUTO, /* SD where AET is found to be off, else RI; docs/models.md has the rule */
    PLUSSI_CLOCK_RI,   /* reuse intervals, turned into distances by AET part by part */
    PLUSSI_CLOCK_SD    /* corrected by counts of the distinct lines in the windows */
} plussi_clock_form;

typedef struct plussi_clock_options {
    plussi_clock_form form;
    plussi_progress progress; /* RECORDED: timelines that fit the nest (trace/make_timelines.h), of
                                 which the replications take turns */
    uint32_t
        threads_per_cache; /* threads that share a cache, 0 ... n-1, n ... 2n-1, and so on: the
                    curve is that of such caches, over all accesses; 0, or the team or more: all */
    uint64_t seed;
    uint32_t pilot;        /* accesses looked at to find where the weight is */
    uint32_t samples;      /* about that many of these are evaluated */
    uint32_t replications; /* 2 to 64: independent parts, for the standard error */
    bool by_reference;     /* the profile tells references apart */
    uint32_t runs; /* UNIFORM: the spread is told from that many runs, 2 to 64; 0: it is not */
    double
        error; /* > 0: more of all until the standard error, averaged over sizes, is below; 0: once
                */
    /* Asked now and then, by the caller's thread: the part that is done (towards the error, where
     * one is asked for), the mean standard error so far (negative: not known). Not 0:
     * PLUSS_ECANCELLED. NULL: nobody. */
    int (*ask)(void *user, double done, double error);
    void *ask_user;
    uint64_t effort;  /* elementary steps (base/effort.h) of a round of replications and the
                         footprint together: what needs more is PLUSS_ELIMIT; 0: not bounded */
    uint32_t workers; /* threads of this process that work on it, 0: as many as it may use
                         processors; the result is the same */
} plussi_clock_options;

plussi_clock_options plussi_clock_defaults(void);

typedef struct plussi_clock_result {
    plussi_estimate estimate; /* distances, concurrent, the samples by reference */
    plussi_clock_form form;   /* RI or SD: what was used */
    double misfit;            /* AUTO: what AET's misjudgement was found to cost, miss ratio */
    uint64_t pilot_accesses, evaluated;
} plussi_clock_result;

/* PLUSS_EUNSUPPORTED where the nest has no closed form (the caller walks it then); PLUSS_EEMPTY
 * where it makes no access; PLUSS_EINVAL for options out of range. The same bound nest and options
 * give the same result. Attributions point into bound. Memory O(pilot + team * replications). */
PLUSS_NODISCARD pluss_status plussi_clock(plussi_ctx *ctx, const plussi_bound *bound,
                                          const plussi_clock_options *options,
                                          plussi_clock_result *out);

#endif
