/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Results to documents, and from JSON back to results.
 */
#ifndef PLUSSI_REPORT_REPORT_H
#define PLUSSI_REPORT_REPORT_H

#include "profile/similarity.h"
#include "report/document.h"
#include "report/result.h"

typedef struct plussi_report_cache {
    uint64_t bytes;
    const char *label; /* NULL: none */
    uint32_t threads;  /* threads that share it; 0, or the team size or more: all */
} plussi_report_cache;

typedef struct plussi_report_caches {
    const plussi_report_cache *cache;
    size_t n;
    bool only;    /* no other rows */
    bool details; /* also what each region of a recorded run of many does */
} plussi_report_caches;

/* curve_report.c: adds, for programs, a list "curves" with all data of a curve, and for people the
 * table of miss_ratio_table.c. Failures are left in the document. */
void plussi_report_result(plussi_ctx *ctx, const plussi_result *result,
                          const plussi_report_caches *caches, plussi_document *document);

/* region_table.c: for people, where curves of a record are of two regions or more, a table of them
 * at the largest team, the one with the most misses in the last cache first: how they were
 * recorded, their shares of the accesses of all their runs and of the misses in the first three
 * caches, and from which miss ratio to which their runs go. Gives its number of rows; 0: none. */
size_t plussi_report_regions(plussi_ctx *ctx, const plussi_result *result,
                             const plussi_report_caches *caches, plussi_document *document);

/* Adds all fields of an identity as members of a section. */
void plussi_report_identity(const plussi_identity *id, plussi_section *section);
/* The same without what may differ from level to level: threads per cache and lines. */
void plussi_report_program(const plussi_identity *id, plussi_section *section);

/* profile_report.c: adds a list "profiles", for programs only. */
void plussi_report_profiles(const plussi_result *result, plussi_document *document);

/* A reference and the innermost loop around it (or NULL), as members of a section. */
void plussi_report_site(const plussi_site *site, const char *loop, plussi_section *section);

/* level_report.c: for programs a list "levels"; for people, for each team, a table of the levels
 * and one of the references that most of their misses are of; without details only those of
 * sweeps. Nothing where there are none. */
void plussi_report_levels(const plussi_result *result, bool details, plussi_document *document);

/* A change of a region that was found legal and predicted. */
typedef struct plussi_tip {
    const char *region, *file; /* file NULL: not known */
    uint32_t line, team;
    const char *text, *steps, *source; /* as of an advice (study/advise.h) */
    double gain, gain_error;           /* of the cost */
} plussi_tip;

typedef struct plussi_tips {
    const plussi_tip *tip; /* of each region the greatest gain first */
    size_t n;
    const char *const *region; /* for which changes were looked for */
    size_t n_regions;
} plussi_tips;

/* summary.c: for people, of the PLUSSI_WORST regions that cost most: misses by level and team, the
 * worst references, why, and what to try; where values or schedules are compared, a table of them.
 * tips: what to try, in place of rules of thumb, where it was looked for. ranked: a table of
 * regions stands above, so those without levels are left out. True: there is a table that compares.
 */
bool plussi_report_summary(plussi_ctx *ctx, const plussi_result *result, const plussi_tips *tips,
                           bool ranked, plussi_document *document);
enum { PLUSSI_WORST = 3 };

/* summary.c */
bool plussi_is_tipped(const plussi_tips *tips, const char *region);

/* miss_ratio_table.c: adds a table for the curves that differ only in team and threads per cache, a
 * column a team; of a co-run one table for all. A row is a cache size: the marked caches, each from
 * the curve of its threads per cache, and, unless only these are wanted, the powers of two up to
 * the footprint, shared by all threads. details false: not those of single regions of a run. */
void plussi_report_miss_ratios(plussi_ctx *ctx, const plussi_result *result,
                               const plussi_report_caches *caches, bool details,
                               plussi_document *document);

/* miss_ratio_table.c: "n=60 nb=16", which the document owns. */
const char *plussi_report_values(plussi_document *document, const plussi_identity *id);
/* miss_ratio_table.c: "T = 4"; several: there are others of the same team and values, as arrays lie
 * at other addresses: "T = 4, 3 runs". The document owns it. */
const char *plussi_report_team(plussi_document *document, const plussi_curve *curve, bool several);
/* miss_ratio_table.c: the curve's miss ratio at this size, with its standard error, if one is told.
 */
plussi_datum plussi_report_ratio(const plussi_curve *curve, uint64_t bytes);

/* A cell of a parameter sweep (study/sweep_spec.h): what was asked for. */
typedef struct plussi_sweep_cell {
    uint64_t number;
    const char *file, *schedule, *threads, *caches, *model; /* as written */
    const plussi_value *size;
    size_t n_sizes;
    uint64_t warnings;
    pluss_status status; /* why some of it is not in the result, and the message */
    const char *message;
} plussi_sweep_cell;

/* cell_report.c: adds a table "cells": a row for each region, team and level, or, where there are
 * no levels, cache; and one that says what failed. result NULL: there is none. The columns are the
 * same for all cells of a sweep. */
void plussi_report_cell(plussi_ctx *ctx, const plussi_sweep_cell *cell, const plussi_result *result,
                        const plussi_report_caches *caches, plussi_document *document);

/* Bytes of all caches of a team together (profile/similarity.h); 0: none. */
typedef struct plussi_capacities {
    uint64_t c_max, c_core, c_share; /* c_max: from there on no access with a distance misses */
} plussi_capacities;

/* scaling_report.c: of the curve number i. false: it is not of a cache that several threads share,
 * or there is none of their private caches from the same engine. O(curves + points log points). */
bool plussi_find_capacities(const plussi_result *result, size_t i, plussi_capacities *out);

/* scaling_report.c: adds a table "scaling": C_core, C_share and C_cost (profile/similarity.h) of
 * each curve of a cache that several threads share, for which there is one of private caches from
 * the same engine, and of what accesses cost in both. O(curves^2). */
void plussi_report_scaling(const plussi_result *result, const plussi_latencies *latencies,
                           plussi_document *document);

/* knee_report.c: adds the knees of a curve: for programs to the curve's section; for people with
 * their attribution, at most 6 reuses that make up 95 % of each knee. */
void plussi_report_knees(const plussi_curve *curve, plussi_section *section);
/* One reuse, as members of a section. */
void plussi_report_reuse(const plussi_reuse *reuse, plussi_section *section);
void plussi_explain_knees(const plussi_curve *curve, plussi_section *in);

/* block_plot.c: for people, a plot of block characters for each curve, or of letters. */
void plussi_report_plots(const plussi_result *result, const plussi_report_caches *caches,
                         bool ascii, plussi_document *document);

/* curve_report.c: for people, hit rates of single caches and formulas of distances. */
void plussi_show_extras(const plussi_curve *curve, plussi_section *in);

/* ", each thread's cache", ", caches of 4 threads each"; "" if all threads share it. */
const char *plussi_cache_text(plussi_document *document, uint32_t threads_per_cache);

/* json_read.c: reads a result or profiles from JSON, plain or compressed, of version 1 or 2.
 * Profiles in a text without curves get curves. Checks everything; errors name the place. *out is
 * allocated by ctx. */
PLUSS_NODISCARD pluss_status plussi_report_json_read(plussi_ctx *ctx, const char *text,
                                                     size_t length, const char *file,
                                                     plussi_result *out);

#endif
