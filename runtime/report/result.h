/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Miss ratio curves with their identity: the result of every engine, the input of reports, and what
 * a JSON report is read back into. Curves are independent of one another, so that lists of them can
 * be split and joined freely.
 */
#ifndef PLUSSI_REPORT_RESULT_H
#define PLUSSI_REPORT_RESULT_H

#include "cache/hierarchy.h"
#include "cache/misses.h"
#include "profile/profile.h"

typedef enum plussi_carried {
    PLUSSI_BY_NOTHING, /* the access is the first touch of its line */
    PLUSSI_BY_LOOP,    /* the access and the previous touch are in different iterations of `loop` */
    PLUSSI_BY_REPEAT,  /* ... in different repetitions of the region */
    PLUSSI_BY_NEST,    /* ... in different loops, in the same iteration of the loops around both */
    PLUSSI_BY_ITERATION /* ... in the same iteration of the same loops */
} plussi_carried;

/* Accesses with the same attribution. */
typedef struct plussi_reuse {
    double share; /* fraction of all accesses */
    char *array;
    plussi_site access;
    plussi_carried by;
    bool other_thread;  /* the previous touch is by another thread */
    plussi_site source; /* the previous touch, the most frequent one; text NULL: BY_NOTHING */
    char *loop;         /* BY_LOOP: its induction variable, else NULL */
    char *loop_file;
    uint32_t loop_line;
} plussi_reuse;

/* A fall of the curve and its attribution. The last one of a curve has size 0: accesses that no
 * size holds. */
typedef struct plussi_knee {
    uint64_t size, from, to; /* lines; at least half of it, less than 5 %, at least 95 % hits */
    double before, after;    /* miss ratio */
    size_t n;
    plussi_reuse *reuse; /* the largest share first */
} plussi_knee;

/* What of a run is recorded. */
typedef enum plussi_recording {
    PLUSSI_RECORDING_VALUES,
    PLUSSI_RECORDING_SAMPLER,
    PLUSSI_RECORDING_ACCESSES
} plussi_recording;
/* Static; NULL: there is no such recording. */
const char *plussi_recording_name(int recording);

typedef struct plussi_curve {
    plussi_identity id;
    uint64_t footprint_lines;
    uint64_t footprint_error; /* standard error, lines; 0: exact or unknown */
    plussi_mrc mrc;
    double mean_error;  /* standard error of the miss ratio, mean over the points below */
    size_t n_error;     /* 0: the engine gives none */
    double *error_size; /* lines, ascending from 1 */
    double *error;      /* standard error of the miss ratio there: of the mean over runs */
    double *spread;     /* its standard deviation from run to run; NULL: unknown */
    size_t n_knees;     /* 0: not explained */
    plussi_knee *knee;
    uint64_t runs; /* of a record: runs with these values; 0: of none */
    plussi_recording recorded;
    double site_accesses; /* of its accesses those of a run that the nest does not have */
    size_t n_hit_rates;
    plussi_hit_rate *hit_rate;
    size_t n_formulas;
    plussi_profile_formula *formula;
    bool counted;        /* the loads and stores of its runs are, described or not: */
    double coverage;     /* of them, the share that the curve is of */
    bool serial;         /* of what a recorded program does outside of its regions */
    double took_seconds; /* of a record: its runs, by the clock; 0: not known */
} plussi_curve;

/* The accesses of one reference, at one level. */
typedef struct plussi_level_part {
    plussi_site site;
    uint32_t ref; /* its number in the nest; of what was read back 0 */
    char *array;
    char *loop; /* induction variable of the innermost loop around it; NULL: none */
    uint32_t loop_line;
    plussi_misses misses;
    /* its conflict misses: the array whose lines most often take the place of its own, NULL: none
     * or not known; how many. If that is its own: the bytes from row to row, the number of sets
     * that a column falls into, and the fewest bytes, whole lines, that a row would have to be
     * longer for all sets; 0: all are used */
    char *rival;
    double rival_misses;
    uint64_t row_bytes, column_sets, pad_bytes;
    bool columns; /* rows are Fortran's columns, and columns its rows */
    /* bytes from one iteration of the innermost loop to the next; of the loop around it that moves
     * on by the fewest bytes, its induction variable and these; NULL: not known, or the subscripts
     * are not affine */
    int64_t step_bytes, least_step_bytes;
    char *least_step_loop;
} plussi_level_part;

/* What one level of a memory hierarchy does. */
typedef struct plussi_level_result {
    plussi_identity id; /* threads_per_cache: that of the level */
    plussi_cache_level level;
    double accesses;          /* of the program */
    double instructions;      /* of the program, by its counts of operations; 0: not known */
    uint32_t point, n_points; /* of a sweep, from 0; the levels of all points are in a row */
    plussi_misses misses;
    size_t n_parts; /* references that access memory */
    plussi_level_part *part;
    size_t n_threads; /* the team of a simulation; 0: not known */
    plussi_misses *thread;
    /* reuses over more lines than the level has, as if it were fully associative; the largest share
     * first; n_lost 0: none, or not told */
    size_t n_lost;
    plussi_reuse *lost;
    bool without_inclusion; /* what it takes out of levels before is not counted there */
} plussi_level_result;

/* The loads and stores of a recorded program, in its regions' figures or not. */
typedef struct plussi_coverage {
    bool counted;
    double covered;                      /* the curves of the regions are of them, */
    double outside;                      /* these the regions make besides, */
    double serial;                       /* and these are made outside of regions */
    double took_seconds, serial_seconds; /* by the clock; 0: not known */
} plussi_coverage;
double plussi_coverage_share(const plussi_coverage *coverage);

typedef struct plussi_result {
    plussi_mem mem;
    plussi_coverage coverage;
    plussi_curve *curve;
    size_t n, cap;
    plussi_level_result *level; /* where a hierarchy was asked for; in its order for each team */
    size_t n_levels, cap_levels;
    plussi_profile *profile; /* what curves were made from, where they are kept */
    size_t n_profiles, cap_profiles;
} plussi_result;

/* Sets the standard errors of the miss ratio at n >= 1 ascending sizes, from 1 on. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_curve_set_errors(const plussi_mem *mem, plussi_curve *curve,
                                                     const double *size, const double *error,
                                                     size_t n);
/* The same at all sizes. */
PLUSS_NODISCARD pluss_status plussi_curve_set_error(const plussi_mem *mem, plussi_curve *curve,
                                                    double error);
/* Standard error of the miss ratio at a size: the greater of the two at the sizes around it; 0
 * where the curve has none. O(n). */
double plussi_curve_error_at(const plussi_curve *curve, double lines);

void plussi_result_init(plussi_result *result, const plussi_mem *mem);
void plussi_result_free(plussi_result *result);
void plussi_curve_free(const plussi_mem *mem, plussi_curve *curve); /* what it holds */
void plussi_level_result_free(const plussi_mem *mem, plussi_level_result *level); /* likewise */
void plussi_reuses_free(const plussi_mem *mem, plussi_reuse *reuse, size_t n); /* the array, too */
void plussi_knee_free(const plussi_mem *mem, plussi_knee *knee);               /* what it holds */

/* References of a level that have the array, or the innermost loop, in common. */
typedef enum plussi_grouping { PLUSSI_BY_ARRAY, PLUSSI_BY_INNERMOST_LOOP } plussi_grouping;

typedef struct plussi_level_group {
    const plussi_level_part *first; /* whose array or loop it is */
    size_t n;                       /* references */
    plussi_misses misses; /* error: the sum of the references' errors, which it is at most */
} plussi_level_group;

bool plussi_is_same_group(const plussi_level_part *a, const plussi_level_part *b,
                          plussi_grouping by);
/* The groups in the order of their first references; false: there is none of that number.
 * O(references^2). */
bool plussi_level_get_group(const plussi_level_result *level, plussi_grouping by, size_t i,
                            plussi_level_group *out);
void plussi_misses_add(plussi_misses *to, const plussi_misses *from); /* all but the errors */

/* Appends the curve and takes over its contents; on failure the caller still owns it. */
PLUSS_NODISCARD pluss_status plussi_result_add(plussi_result *result, plussi_curve *curve);
PLUSS_NODISCARD pluss_status plussi_result_add_profile(plussi_result *result,
                                                       plussi_profile *profile); /* likewise */
PLUSS_NODISCARD pluss_status plussi_result_add_level(plussi_result *result,
                                                     plussi_level_result *level); /* likewise */
/* Takes out the levels of other names; false: there is none of this name, and all stay. */
bool plussi_result_keep_level(plussi_result *result, const char *name);
/* Appends all of src to dst and leaves src empty. Both have the same allocator. */
PLUSS_NODISCARD pluss_status plussi_result_append(plussi_result *dst, plussi_result *src);

/* Appends the curve of a profile, which has no errors and no knees. */
PLUSS_NODISCARD pluss_status plussi_result_add_curve_of(plussi_ctx *ctx, plussi_result *result,
                                                        const plussi_profile *profile);
/* Adds the profiles of src to those of dst where that is possible, moves the others, and makes the
 * curves of dst those of its profiles. On failure both hold a part. */
PLUSS_NODISCARD pluss_status plussi_result_merge(plussi_ctx *ctx, plussi_result *dst,
                                                 plussi_result *src);

#endif
