/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A request: all that can be asked of predictions and simulations. The C interface's options are
 * this object; its setters, typed or by text, fill it, and the engines read it.
 */
#ifndef PLUSSI_STUDY_REQUEST_H
#define PLUSSI_STUDY_REQUEST_H

#include "base/ask.h"
#include "base/kept.h"
#include "base/spare.h"
#include "bound/bound.h"
#include "cache/hierarchy.h"
#include "cost/time_model.h"
#include "profile/cells.h"
#include "report/report.h"
#include "study/arguments.h"
#include "study/cache_levels.h"
#include "study/gaps.h"
#include "study/locality.h"
#include "study/machine_file.h"
#include "team/progress.h"
#include "trace/recorded.h"

/* Steps that a curve may take: about three seconds of one processor. */
enum { PLUSSI_DEFAULT_EFFORT = 600000000 };

/* A file that was read for a request, which copies of it share: the last one frees it. */
typedef struct plussi_held {
    size_t users;
    plussi_record *record; /* one of these */
    plussi_machine_file *machine;
} plussi_held;

enum { PLUSSI_PROGRAMS_MOST = 64 /* of a co-run */, PLUSSI_HIT_RATES_MOST = 16 };

typedef struct plussi_contents {
    const char *array; /* its name, or REGION.NAME */
    const int64_t *values;
    size_t n;
} plussi_contents;

/* Values that symbols have in turn: each of the names the same one. */
typedef struct plussi_value_list {
    const char *const *name;
    size_t n_names;
    const int64_t *value;
    size_t n;
} plussi_value_list;

typedef struct plussi_schedule_choice {
    plussi_schedule_kind kind;
    int64_t chunk;
    bool as_recorded;
} plussi_schedule_choice;
enum { PLUSSI_SCHEDULES_MOST = 16, PLUSSI_POINTS_MOST = 4096 };

/* A miss ratio of a level above which a loop is warned of, or an error. */
typedef struct plussi_limit {
    double ratio;
    char level[PLUSSI_LEVEL_NAME]; /* "": any */
    plussi_severity severity;
} plussi_limit;
enum { PLUSSI_LIMITS_MOST = 16 };

/* Arrays and texts lie in the arena, but for those of a request that a caller puts together on its
 * stack, which is never passed to plussi_request_free. What was set before stays there. */
typedef struct plussi_request {
    plussi_arena arena;
    const uint32_t *team; /* one curve each */
    size_t n_teams;
    const plussi_binding *binding;
    size_t n_bindings;
    /* With the schedules below, what a nest is evaluated with, in every combination: points.h. The
     * bindings hold the first values, too. */
    const plussi_value_list *list;
    size_t n_lists;
    plussi_schedule_choice choice[PLUSSI_SCHEDULES_MOST];
    size_t n_choices; /* 0: the schedule below alone; else the first of these is that, too */
    uint32_t line_bytes;
    plussi_sweep lines; /* line_bytes of several evaluations, one after another; n 0: of one */
    uint64_t seed;
    plussi_schedule_kind schedule; /* NONE: as written */
    int64_t chunk;                 /* 0: none */
    bool as_recorded;              /* the schedule is that of a recorded run */
    const plussi_chunk *recorded;  /* chunks of a recorded run, in place of what is written */
    size_t n_recorded;
    const char *model; /* predict; NULL: the default; a static text */
    /* The nest's region as a run had it: models that start from private reuse intervals take these,
     * and stand in for what the default model cannot take. NULL: they walk. Borrowed. */
    const plussi_record_block *block;
    bool filled; /* the nest has what the run recorded: the intervals are not taken */
    /* That contains the block; recorded schedules and recorded progress are taken from it. NULL:
     * there is none. Borrowed, but for what is held. */
    const plussi_record *record;
    const plussi_machine_file *machine; /* for progress that leaves out its numbers; NULL: none */
    plussi_held *held_record, *held_machine;
    const char *const *region; /* of several, those that are wanted; n_regions 0: all */
    size_t n_regions;
    bool together;                   /* regions as one program, in order */
    bool simulate;                   /* of a recorded run: walked, not predicted */
    const plussi_contents *contents; /* of index arrays */
    size_t n_contents;
    uint32_t collect_team; /* 0: each team its own */
    double error_target;   /* 0: the model's own */
    uint64_t effort;       /* steps a curve; 0: PLUSSI_DEFAULT_EFFORT, 10^12 of walks */
    uint32_t workers;      /* threads that do the work; 0: as many as processors */
    plussi_spare *spare;   /* of these, those that have nothing to do; NULL: all but the caller's.
                              Borrowed */
    plussi_kept *kept;     /* results from one call to the next, which stay the same; NULL: none.
                              Borrowed */
    const plussi_report_cache *cache; /* a curve for each number of threads that share a cache */
    size_t n_caches;                  /* 0: all threads share it */
    plussi_machine_caches levels;     /* of a memory hierarchy; lines of 0 bytes: the request's */
    plussi_ways_sweep ways;           /* of these levels, in turn */
    plussi_hierarchy known_ways;      /* for levels whose ways are left out */
    bool machine_levels;              /* those of the machine file, in place of these */
    bool levels_asked_for;            /* else they are added as far as they can be had */
    uint32_t coarse; /* predict: of one in so many of the samples, and curves and levels of the same
                        ones; 0: of all */
    plussi_limit limit[PLUSSI_LIMITS_MOST]; /* of remarks */
    size_t n_limits;
    bool explain;             /* predict: knees, of the model clock alone */
    bool spread;              /* predict: how far single runs are from their mean */
    const char *trace;        /* that is simulated in place of a nest; borrowed; or NULL */
    bool skip_bad_lines;      /* of traces: they are counted and left out */
    bool sharing;             /* simulate: also locality profiles (study/locality.h) */
    plussi_sampling sampling; /* of these */
    bool each_thread;         /* of traces: a curve for each thread on its own, too */
    bool each_object;         /* of traces: a curve for each object's accesses, too */
    plussi_cells *cells; /* predict, one team: of what it does alone; borrowed; NULL: not wanted */
    double rate[PLUSSI_PROGRAMS_MOST]; /* of the programs of a co-run: accesses in a time */
    size_t n_rates;                    /* 0: 1 each */
    bool formulas; /* predict: distances and accesses as formulas, extrapolate */
    plussi_hit_rate hit_rate[PLUSSI_HIT_RATES_MOST]; /* of single caches; rate: not used */
    size_t n_hit_rates;
    bool any_line;                /* formulas: the size of lines is a symbol */
    plussi_time_model time_model; /* of running time */
    bool profiles;                /* the profiles that curves are made from are kept */
    plussi_progress progress; /* predict: other than UNIFORM by the model clock alone. Timelines are
                                 borrowed */
    bool progress_given;      /* else it is the default */
    bool default_progress;    /* the text of the law leaves out its first number */
    plussi_gaps_options gaps; /* its regions are those above */
    plussi_ask ask;
    struct plussi_ranks *ranks; /* simulate: other processes that take slices (ranks.h), or NULL */
} plussi_request;

/* ---- request.c: each setter copies what it is given, and leaves the request as it was on failure
 */

void plussi_request_init(plussi_request *request, const plussi_mem *mem);
void plussi_request_free(plussi_request *request); /* what it owns */
/* *out is initialised. O(arrays). PLUSS_ENOMEM: *out is empty. */
PLUSS_NODISCARD pluss_status plussi_request_copy(const plussi_request *request,
                                                 plussi_request *out);
PLUSS_NODISCARD pluss_status plussi_request_set_teams(plussi_ctx *ctx, plussi_request *request,
                                                      const uint32_t *team, size_t n);
/* In place of the value that the symbol has, if it has one. */
PLUSS_NODISCARD pluss_status plussi_request_bind(plussi_request *request, const char *name,
                                                 size_t length, int64_t value);
PLUSS_NODISCARD pluss_status plussi_request_set_schedule(plussi_ctx *ctx, plussi_request *request,
                                                         plussi_schedule_kind kind, int64_t chunk,
                                                         bool as_recorded);
/* One more schedule, after those that were added before. PLUSS_ELIMIT: there are too many. */
PLUSS_NODISCARD pluss_status plussi_request_add_schedule(plussi_ctx *ctx, plussi_request *request,
                                                         plussi_schedule_kind kind, int64_t chunk,
                                                         bool as_recorded);
/* Values of the symbols in turn, in place of what they had. n >= 1. O(lists). */
PLUSS_NODISCARD pluss_status plussi_request_bind_list(plussi_request *request,
                                                      const char *const *name, size_t n_names,
                                                      const int64_t *value, size_t n);
PLUSS_NODISCARD pluss_status plussi_request_set_chunks(plussi_request *request,
                                                       const plussi_chunk *chunk, size_t n);
PLUSS_NODISCARD pluss_status plussi_request_set_caches(plussi_request *request,
                                                       const plussi_report_cache *cache, size_t n);
bool plussi_request_has_levels(const plussi_request *request);
/* PLUSS_EINVAL: its numbers are out of range. Timelines are not looked at. */
PLUSS_NODISCARD pluss_status plussi_request_set_progress(plussi_ctx *ctx, plussi_request *request,
                                                         const plussi_progress *progress,
                                                         bool by_default);

/* Names of regions are added. */
PLUSS_NODISCARD pluss_status plussi_request_add_region(plussi_request *request, const char *name);
/* In place of the contents that the array has, if it has some. */
PLUSS_NODISCARD pluss_status plussi_request_add_contents(plussi_request *request, const char *array,
                                                         size_t length, const int64_t *values,
                                                         size_t n);
/* Reads the files. */
PLUSS_NODISCARD pluss_status plussi_request_read_record(plussi_ctx *ctx, plussi_request *request,
                                                        const char *path);
PLUSS_NODISCARD pluss_status plussi_request_read_machine(plussi_ctx *ctx, plussi_request *request,
                                                         const char *path);

/* ---- index_array.c */

/* The integers of a file, white space between them. The caller frees *values. PLUSS_EIO;
 * PLUSS_EFORMAT, with the place. */
PLUSS_NODISCARD pluss_status plussi_read_index_array(plussi_ctx *ctx, const char *path,
                                                     int64_t **values, size_t *n);

/* ---- option_table.c: the same by name */

enum {
    PLUSSI_FOR_PREDICT = 1,
    PLUSSI_FOR_SIMULATE = 2,
    PLUSSI_FOR_RUN = 4,
    PLUSSI_FOR_GAPS = 8,
    PLUSSI_FOR_CALIBRATE = 16
};

typedef struct plussi_option {
    const char *name, *syntax, *summary; /* syntax NULL: a flag */
    char letter;                         /* of the command; 0: none */
    bool adds;                           /* each time it is set counts */
    unsigned verbs;
    /* A number of the request: how wide it is (0: it is none), where, and what it may be. */
    size_t width, at;
    int64_t least, most;
    const char *range; /* what is said of other numbers */
    /* or a real number of it: how it is read, what it may be */
    bool (*read)(plussi_argument *text, double *out);
    bool (*fits)(double value);
    /* else: the text; what is wrong is in ctx or in the argument */
    pluss_status (*parse)(plussi_ctx *ctx, plussi_request *request, plussi_argument *text);
} plussi_option;

const plussi_option *plussi_option_at(size_t i); /* NULL: past the end */
/* PLUSS_ENOTFOUND: there is no such option; PLUSS_EINVAL, with the option and the place: the text
 * is wrong. text NULL: a flag is set. */
PLUSS_NODISCARD pluss_status plussi_request_set(plussi_ctx *ctx, plussi_request *request,
                                                const char *name, const char *text);
/* PLUSS_ERANGE: there is no such number. */
PLUSS_NODISCARD pluss_status plussi_request_set_integer(plussi_ctx *ctx, plussi_request *request,
                                                        const char *name, int64_t value);
PLUSS_NODISCARD pluss_status plussi_request_set_real(plussi_ctx *ctx, plussi_request *request,
                                                     const char *name, double value);

#endif
