/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models: they turn a bound nest, its private reuse intervals, or the sampled trace of a run into a
 * profile. Each states what it takes and what it gives; callers look at that, never at a name. To
 * add a model: a file that defines a plussi_model, and its line in registry.c.
 */
#ifndef PLUSSI_MODEL_MODEL_H
#define PLUSSI_MODEL_MODEL_H

#include "base/effort.h"
#include "base/kept.h"
#include "base/spare.h"
#include "bound/bound.h"
#include "cache/hierarchy.h"
#include "cache/misses.h"
#include "profile/cells.h"
#include "profile/pri.h"
#include "profile/profile.h"
#include "team/progress.h"
#include "trace/sampled_trace.h"

/* What a model needs besides the bound nest. */
enum {
    PLUSSI_TAKES_INTERVALS = 1, /* private reuse intervals, collected by a walk or in a run */
    PLUSSI_TAKES_TRACE = 2,     /* the sampled trace of a run with the same number of threads */
    PLUSSI_TAKES_THREADS = 4,   /* with the intervals: thread by thread, where they are walked */
    PLUSSI_TAKES_LOCALITY = 8   /* locality profiles at two team sizes, by a walk */
};

/* The team sizes of locality profiles that models take. */
enum { PLUSSI_SCALE_FROM = 2, PLUSSI_SCALE_TO = 4 };

/* What it gives besides a profile. */
enum {
    PLUSSI_GIVES_ERROR = 1,       /* standard errors; it samples until input.error is reached */
    PLUSSI_GIVES_ATTRIBUTION = 2, /* attribution of reuses */
    PLUSSI_GIVES_PROGRESS = 4,    /* any law of thread progress, and the spread of single runs */
    PLUSSI_GIVES_SHARED = 8,      /* caches that some of the threads share */
    PLUSSI_GIVES_LEVELS = 16,     /* misses of a hierarchy's levels */
    PLUSSI_GIVES_RATES = 32,      /* the law RATES, without skew and stalls */
    PLUSSI_GIVES_FORMULAS = 64    /* distances and accesses as formulas of loop bounds */
};

/* What separates an access from the previous touch of its line. */
typedef enum plussi_carrier {
    PLUSSI_CARRIED_COLD,   /* there is no previous touch */
    PLUSSI_CARRIED_LOOP,   /* iterations of a loop around both: the outermost one that differs */
    PLUSSI_CARRIED_REPEAT, /* repetitions of the region */
    PLUSSI_CARRIED_NEST,   /* the two are in different loops, in the same iteration of all loops
                              around both */
    PLUSSI_CARRIED_NONE    /* the same iteration of the same loops */
} plussi_carrier;

/* Accesses with similar distances and the same attribution. */
typedef struct plussi_attribution {
    const plussi_bound_node *ref;    /* the access */
    const plussi_bound_node *source; /* reference of the previous touch; NULL: cold */
    plussi_carrier carrier;
    const plussi_bound_node *loop; /* CARRIED_LOOP, else NULL */
    bool other_thread;             /* the previous touch is by another thread */
    uint64_t size; /* smallest size of the grid 1, 2, ... round(2^(k/8)) ... lines that holds the
                      reuse; 0: cold */
    double weight; /* accesses */
} plussi_attribution;

/* Number of draws of thread progress that a sampling model makes, if draws differ. */
enum { PLUSSI_MODEL_DRAWS = 16 };

/* The array whose lines most often take the place of those that a reference misses by conflict. */
typedef struct plussi_rival {
    const plussi_bound_array *array; /* NULL: there are no such misses */
    double misses, vote;             /* vote: while they are counted */
} plussi_rival;

/* The threads per cache of the samples that tell the misses of a level of n hierarchies that differ
 * in ways alone, 0: all. Levels that are searched have the samples of the first level,
 * so that it is known of each whether it comes to them; the others have those of their own caches.
 */
static inline uint32_t plussi_level_samples(const plussi_hierarchy *of, size_t n, size_t level,
                                            uint32_t team)
{
    for (size_t h = 0; h < n; h++)
        if (!plussi_level_is_searched(&of[h], level))
            return plussi_level_threads(of, level, team);
    return plussi_level_threads(of, 0, team);
}

/* Misses of a level of caches, by reference of the bound nest. */
typedef struct plussi_level_estimate {
    size_t hierarchy, level;                 /* of the input, by number */
    double error;                            /* standard error of the misses of all */
    double written_back, written_back_error; /* lines, of all; NAN: not predicted */
    plussi_rival *rival;                     /* NULL: not known */
    plussi_misses *part; /* written_back: by the reference that made the line dirty */
} plussi_level_estimate;

/* Frees what it holds and leaves it empty. */
void plussi_level_estimate_free(const plussi_mem *mem, plussi_level_estimate *level);

/* A store of results, and what it knows the bound nest by. */
typedef struct plussi_kept_program {
    plussi_kept *store;
    plussi_kept_key exact;    /* all that the bound nest is made from */
    plussi_kept_key any_team; /* the same without the team and the schedules that are set, unless
                                 the nest depends on the team otherwise */
} plussi_kept_program;

/* The input borrows everything. */
typedef struct plussi_model_input {
    const plussi_bound *bound;         /* at the predicted team size */
    const plussi_pri *intervals;       /* TAKES_INTERVALS */
    const plussi_sampled_trace *trace; /* TAKES_TRACE */
    const plussi_histo *untraced; /* with the trace: intervals, among the accesses of all threads of
                                     a cache, of the references without an access in the trace */
    const plussi_profile *locality; /* TAKES_LOCALITY: n_locality of them (study/locality.h) */
    size_t n_locality;
    const plussi_progress *progress; /* GIVES_PROGRESS, GIVES_RATES; RECORDED: timelines that fit
                                        the nest */
    uint32_t threads_per_cache;      /* GIVES_SHARED; 0, or the team size or more: all */
    /* GIVES_LEVELS: their levels of which plussi_level_samples is threads_per_cache. They differ in
     * ways alone; of a level that is the same in all of them, and whose earlier ones are, the first
     * hierarchy's is enough */
    const plussi_hierarchy *hierarchy;
    size_t n_hierarchies;
    uint64_t seed;
    double error; /* GIVES_ERROR: mean standard error to reach, a miss ratio; 0: its own */
    bool rough;   /* coarse: lines are counted as coarsely, and the pilot sample is half of that */
    uint32_t coarse; /* GIVES_LEVELS: one in so many of the samples is enough; 0: all are wanted */
    bool by_reference;   /* the profile tells references apart */
    bool formulas;       /* GIVES_FORMULAS: they are wanted */
    bool cells;          /* the estimate's are wanted, of a model that knows them */
    bool spread;         /* GIVES_PROGRESS: also the spread of single runs under uniform progress */
    uint32_t workers;    /* threads that do the work, at most; 0: as many as processors */
    plussi_spare *spare; /* of these, those that have nothing to do; NULL: all but the caller's */
    const plussi_kept_program *kept; /* NULL: nothing is kept from one prediction to the next */
    uint64_t effort;                 /* elementary steps (base/effort.h); 0: no bound */
    plussi_effort *walk;             /* of a model that walks; NULL: no bound */
    /* Called now and then by the calling thread with the fraction done and the mean standard error
     * so far (negative: unknown). A result other than 0 ends the model with PLUSS_ECANCELLED. NULL:
     * not called. */
    int (*ask)(void *user, double done, double error);
    void *ask_user;
} plussi_model_input;

/* The result of a model; everything but the profile is optional. plussi_estimate_free frees it. */
typedef struct plussi_estimate {
    plussi_mem mem;
    plussi_profile profile;
    plussi_mrc mrc;         /* of the profile; n = 0: not made yet */
    plussi_cells cells;     /* of all threads together; accesses 0: not told */
    double footprint;       /* number of distinct lines that the threads of the program touch */
    double footprint_error; /* its standard error; 0: exact or unknown */
    size_t n_points;        /* standard error of the miss ratio at 8 sizes an octave up to the */
    double *size, *error;   /* footprint; 0: none is told */
    double *spread;    /* standard deviation of the miss ratio at these sizes, from one draw, run or
                          recorded run to another, without the part of sampling; NULL: there is only
                          one, it was not requested, or it takes too much effort */
    double mean_error; /* mean over sizes of the standard error of the mean over draws, without the
                          model's own error */
    size_t n_attributions; /* by reference, source, loop, size; point into the bound nest */
    plussi_attribution *attribution;
    size_t n_levels;
    plussi_level_estimate *level;
    size_t n_formulas; /* most accesses first */
    plussi_profile_formula *formula;
} plussi_estimate;

void plussi_estimate_init(plussi_estimate *estimate, const plussi_mem *mem);
void plussi_estimate_free(plussi_estimate *estimate); /* leaves it empty */

typedef struct plussi_model plussi_model;
struct plussi_model {
    const char *name, *summary; /* one line each */
    unsigned takes, gives;
    /* Models for what this one cannot predict (PLUSS_EUNSUPPORTED, PLUSS_ELIMIT): the first whose
     * input is available is used. NULL ends the list. */
    const plussi_model *stand_in[4];
    /* out is empty; the caller owns it, on failure too. PLUSS_EEMPTY if there is no access. */
    pluss_status (*run)(plussi_ctx *ctx, const plussi_model_input *input, plussi_estimate *out);
};

/* registry.c: by number, the default first; NULL past the end. */
const plussi_model *plussi_model_at(size_t i);
/* By name, NULL: the default. NULL if there is no such model. */
const plussi_model *plussi_model_named(const char *name);

/* private_caches.c: each thread's own cache, whatever the interleaving: the private intervals of
 * all threads together. */
PLUSS_NODISCARD pluss_status plussi_private_caches(plussi_ctx *ctx, const plussi_pri *intervals,
                                                   bool by_reference, plussi_estimate *out);

#endif
