/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * clock, the default model: threads as Poisson clocks that restart at every barrier, sampled at the
 * team size that is asked for. No walking: cost does not depend on the size of the problem.
 * docs/models.md, "clock", derives it.
 */
#ifndef PLUSSI_MODEL_CLOCK_H
#define PLUSSI_MODEL_CLOCK_H

#include "mrc/mrc.h"
#include "nest/bound.h"

typedef enum plussi_clock_form {
    PLUSSI_CLOCK_AUTO, /* whichever the program calls for; docs/models.md has the rule */
    PLUSSI_CLOCK_RI,   /* reuse intervals, turned into distances by AET part by part */
    PLUSSI_CLOCK_SD    /* distinct lines of the windows themselves */
} plussi_clock_form;

typedef enum plussi_clock_progress {
    PLUSSI_CLOCK_UNIFORM, /* the next access is anybody's */
    PLUSSI_CLOCK_SPEEDS,  /* param: sigma. Every thread keeps a speed of its own through a region */
    PLUSSI_CLOCK_BURST,   /* param: q >= 1, mean length of a thread's bursts */
    PLUSSI_CLOCK_LOCKSTEP, /* one access each, in turn */
    PLUSSI_CLOCK_MIXED,    /* any two threads anywhere in their phases: the other bound */
    PLUSSI_CLOCK_SLICES    /* param: accesses a slice; more threads than cores run by turns */
} plussi_clock_progress;

typedef struct plussi_clock_options {
    plussi_clock_form form;
    plussi_clock_progress progress;
    double param;
    uint64_t seed;
    uint32_t survey;       /* accesses looked at to find where the weight lies */
    uint32_t samples;      /* of these, evaluated */
    uint32_t replications; /* >= 2: independent parts, for the standard error */
    double error;          /* > 0: more samples until the mean standard error is below it */
} plussi_clock_options;

plussi_clock_options plussi_clock_defaults(void);

typedef struct plussi_clock_result {
    plussi_mem mem;
    plussi_mrc mrc;
    double footprint;       /* lines that the program touches */
    plussi_clock_form form; /* RI or SD: what was used */
    uint64_t evaluated;     /* samples */
    size_t n;               /* 8 sizes an octave up to the footprint: */
    double *size, *error;   /* standard error of the miss ratio there */
} plussi_clock_result;

/* PLUSS_EUNSUPPORTED where the nest has no closed form (the caller walks it then); PLUSS_EINVALID
 * where it makes no access, or for options out of range. The same bound nest and options give the
 * same result. Memory O(survey + team). */
PLUSS_NODISCARD pluss_status plussi_clock(plussi_ctx *ctx, const plussi_bound *bound,
                                          const plussi_clock_options *options,
                                          plussi_clock_result *out);
void plussi_clock_result_free(plussi_clock_result *result);

#endif
