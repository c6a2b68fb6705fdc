/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models: what becomes of a bound nest, of its private reuse intervals, or of a sampled trace of a
 * run. Each says what it takes and what it gives; who asks looks at that, never at a name. A new
 * model is a file that defines a plussi_model and its line in registry.c.
 */
#ifndef PLUSSI_MODEL_MODEL_H
#define PLUSSI_MODEL_MODEL_H

#include "base/effort.h"
#include "bound/bound.h"
#include "profile/pri.h"
#include "profile/profile.h"
#include "team/progress.h"
#include "trace/sampled_trace.h"

/* What a model takes besides the bound nest, each in input or not given at all. */
enum {
    PLUSSI_TAKES_INTERVALS = 1, /* private reuse intervals, collected by a walk or in a run */
    PLUSSI_TAKES_TRACE = 2      /* the sampled trace of a run with as many threads */
};

/* What it gives besides a profile. */
enum {
    PLUSSI_GIVES_ERROR = 1,       /* standard errors; it samples until input.error is reached */
    PLUSSI_GIVES_ATTRIBUTION = 2, /* where reuses come from */
    PLUSSI_GIVES_PROGRESS = 4,    /* any law of thread progress, and the spread of single runs */
    PLUSSI_GIVES_SHARED = 8       /* caches that some of the threads share */
};

/* What is between an access and the touch of its line that it follows. */
typedef enum plussi_carrier {
    PLUSSI_CARRIED_COLD,   /* it follows none */
    PLUSSI_CARRIED_LOOP,   /* iterations of a loop around both: the outermost that differs */
    PLUSSI_CARRIED_REPEAT, /* repetitions of the region */
    PLUSSI_CARRIED_NEST,   /* the two are in different loops, in one iteration of all around both */
    PLUSSI_CARRIED_NONE    /* the same iteration of the same loops */
} plussi_carrier;

/* Accesses of some distances, and where they come from. */
typedef struct plussi_attribution {
    const plussi_bound_node *ref;    /* the access */
    const plussi_bound_node *source; /* whose touch of the line it follows; NULL: cold */
    plussi_carrier carrier;
    const plussi_bound_node *loop; /* CARRIED_LOOP, else NULL */
    bool other_thread;             /* the touch is another thread's */
    uint64_t size; /* the first size of the strict grid, 1, 2, ... round(2^(k/8)) ...
                      lines, that holds the reuse; 0: cold */
    double weight; /* accesses */
} plussi_attribution;

/* Draws of thread progress that differ from one another, which a model that samples needs. */
enum { PLUSSI_MODEL_DRAWS = 16 };

/* All is borrowed. */
typedef struct plussi_model_input {
    const plussi_bound *bound;         /* at the team that is predicted */
    const plussi_pri *intervals;       /* TAKES_INTERVALS */
    const plussi_sampled_trace *trace; /* TAKES_TRACE, and */
    const plussi_histo *untraced;      /* intervals, among the accesses of all who share a cache, of
                                          the references that the trace has no access of */
    const plussi_progress *progress;   /* GIVES_PROGRESS; RECORDED: timelines that fit the nest */
    uint32_t threads_per_cache;        /* GIVES_SHARED; 0, or the team or more: all */
    uint64_t seed;
    double error;        /* GIVES_ERROR: mean standard error to reach, a miss ratio; 0: its own */
    bool by_reference;   /* the profile tells references apart */
    bool spread;         /* GIVES_PROGRESS: of single runs, under uniform progress too */
    uint64_t effort;     /* elementary steps (base/effort.h); 0: not bounded */
    plussi_effort *walk; /* of a model that walks; NULL: not bounded */
    /* Asked now and then, by the caller's thread: the part that is done, the mean standard error so
     * far (negative: not known). Not 0: PLUSS_ECANCELLED. NULL: nobody. */
    int (*ask)(void *user, double done, double error);
    void *ask_user;
} plussi_model_input;

/* What a model made; all of it, but for the profile, where it can tell. Freed with
 * plussi_estimate_free. */
typedef struct plussi_estimate {
    plussi_mem mem;
    plussi_profile profile;
    plussi_mrc mrc;         /* of the profile; n = 0: not made yet */
    double footprint;       /* lines that the program touches, all threads: a whole number */
    double footprint_error; /* its standard error; 0: it is exact, or none is told */
    size_t n_points;        /* standard error of the miss ratio at 8 sizes an octave up to the */
    double *size, *error;   /* footprint; 0: none is told */
    double *spread;         /* from one draw, run or recorded run to another: standard deviation of
                               the miss ratio at these sizes, without what sampling leaves; NULL:
                               there is but one, it was not asked for, or takes too much effort */
    double mean_error;      /* of the mean over draws, without the model's own, mean over sizes */
    size_t n_attributions;  /* by reference, source, loop, size; point into the bound nest */
    plussi_attribution *attribution;
} plussi_estimate;

void plussi_estimate_init(plussi_estimate *estimate, const plussi_mem *mem);
void plussi_estimate_free(plussi_estimate *estimate); /* leaves it empty */

typedef struct plussi_model plussi_model;
struct plussi_model {
    const char *name, *summary; /* one line */
    unsigned takes, gives;
    /* What predicts where this one cannot (PLUSS_EUNSUPPORTED, PLUSS_ELIMIT): the first of these
     * for which all that it takes is at hand. NULL ends them. */
    const plussi_model *stand_in[4];
    /* out is empty, and the caller's, on failure too. PLUSS_EEMPTY: there are no accesses. */
    pluss_status (*run)(plussi_ctx *ctx, const plussi_model_input *input, plussi_estimate *out);
};

/* registry.c: by number, the default first; NULL past the end. */
const plussi_model *plussi_model_at(size_t i);
/* By name, NULL the default; NULL: there is no such model. */
const plussi_model *plussi_model_named(const char *name);

/* private_caches.c: what each thread's own cache does, whatever the interleaving: its private
 * intervals, those of all threads together. */
PLUSS_NODISCARD pluss_status plussi_private_caches(plussi_ctx *ctx, const plussi_pri *intervals,
                                                   bool by_reference, plussi_estimate *out);

#endif
