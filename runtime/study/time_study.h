/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long nests run: counts of operations (cost/operation_counts.h) and predicted misses of
 * levels, loop by loop, by the costs of the machine file and a model of time (cost/time_model.h).
 * Threads have equal parts of the work, times how unevenly the schedule distributes it (balance.h).
 */
#ifndef PLUSSI_STUDY_TIME_STUDY_H
#define PLUSSI_STUDY_TIME_STUDY_H

#include "cost/time_model.h"
#include "report/document.h"
#include "study/evaluate.h"

/* The code of a loop that is in no loop inside it; of all executions, seconds of the team. */
typedef struct plussi_loop_time {
    const char *loop; /* induction variable; NULL: code outside of all loops */
    plussi_loc place;
    double seconds, error; /* standard error */
    plussi_block_time cycles;
} plussi_loop_time;

/* A line of the source: what its operations and its misses take alone. They overlap. */
typedef struct plussi_line_time {
    plussi_loc place;
    double core, memory; /* seconds of the team */
} plussi_line_time;

typedef struct plussi_team_time {
    uint32_t team;
    double seconds, error; /* standard error */
    double speedup;        /* one thread's seconds by these */
    double imbalance;      /* the busiest thread's accesses by the mean; balance.h */
    double core, chain, server[PLUSSI_SERVERS_MOST]; /* seconds, without overlap */
    double pages, barriers; /* the same, of translations, and of starting teams with barriers */
    double transfers;       /* and of lines that other threads have written */
    double bound[PLUSSI_BOUNDS]; /* seconds by what binds */
    plussi_bound_by by;          /* the longest of these */
    size_t by_server;            /* LEVEL and SHARED */
    plussi_loop_time *loop;      /* the longest first */
    size_t n_loops;
    plussi_line_time *line; /* by place */
    size_t n_lines;
} plussi_team_time;

typedef struct plussi_region_time {
    const char *region;
    plussi_loc place;
    bool counted;           /* it has counts of operations */
    plussi_team_time *team; /* in the request's order */
    size_t n_teams;
} plussi_region_time;

typedef struct plussi_times {
    plussi_arena arena; /* everything below lives in it */
    plussi_time_model model;
    plussi_machine_costs costs;
    plussi_region_time *at;
    size_t n, cap;
} plussi_times;

void plussi_times_init(plussi_times *times, const plussi_mem *mem);
void plussi_times_free(plussi_times *times);
/* Appends the times of a nest at the request's teams; its machine file has costs. What is unknown
 * in the nest is not counted, and a nest without `ops` is warned of. PLUSS_ENOTFOUND: no cost of a
 * level that the request asks for; PLUSS_EUNSUPPORTED: levels cannot be predicted; else as
 * plussi_pipeline_predict and plussi_visit_operations. A prediction a team, and one of one thread,
 * each twice where translations of addresses cost something.
 */
PLUSS_NODISCARD pluss_status plussi_predict_times(plussi_ctx *ctx, const plussi_nest *nest,
                                                  const plussi_request *request, plussi_times *out);
/* time_report.c */
void plussi_times_report(const plussi_times *times, plussi_document *document);

#endif
