/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Advice: forms of a nest, schedules and teams that are predicted to cost less on a memory
 * hierarchy. Each candidate is a list of steps (transform/transform.h) or another team; what is
 * illegal is dropped, the rest is predicted, and what gains more than its error is kept.
 *
 * Cost: an access costs 1, a miss of a level what going to the next one costs (cycles, typical of
 * processors of today): 10 of the first of several, 25 of others, 150 of the last. It is multiplied
 * by how unevenly iterations are distributed (balance.h); teams are compared by the cost divided by
 * their size.
 */
#ifndef PLUSSI_STUDY_ADVISE_H
#define PLUSSI_STUDY_ADVISE_H

#include "cache/hierarchy.h"
#include "report/document.h"
#include "study/evaluate.h"

typedef enum plussi_advice_kind {
    PLUSSI_ADVICE_INTERCHANGE,
    PLUSSI_ADVICE_TILE,
    PLUSSI_ADVICE_FUSE,
    PLUSSI_ADVICE_SCHEDULE,
    PLUSSI_ADVICE_PAD,    /* conflicts of sets */
    PLUSSI_ADVICE_SPREAD, /* false sharing */
    PLUSSI_ADVICE_THREADS
} plussi_advice_kind;

/* "interchange". */
const char *plussi_advice_name(plussi_advice_kind kind);

typedef struct plussi_advice_level {
    char name[PLUSSI_LEVEL_NAME];
    double misses[2], error[2]; /* before and after; errors negative: exact */
} plussi_advice_level;

typedef struct plussi_advice {
    plussi_advice_kind kind;
    char *region;
    plussi_loc place; /* of the loop or the array's worst reference; file owned */
    char *text;       /* "interchange loops j and k" */
    char *steps;      /* between spaces; "": another team, or other values of symbols */
    char *show;       /* what to write in the source; of other values "ts=48" */
    char *worst;      /* the reference whose misses cost most now, "B[k][j]"; NULL: none */
    uint32_t team[2]; /* before and after */
    double accesses[2];
    double cost[2], error[2]; /* of all accesses, a thread; standard errors */
    double gain, gain_error;  /* 1 - after / before, and its standard error */
    size_t n_levels;
    plussi_advice_level level[PLUSSI_LEVELS_MOST];
} plussi_advice;

typedef struct plussi_advice_list {
    plussi_mem mem;
    plussi_advice *at; /* of each region the greatest gain first */
    size_t n, cap;
    double seconds[2]; /* median processor times of a program, without and with the first advice */
    uint32_t runs;     /* of each; 0: not measured */
} plussi_advice_list;

void plussi_advice_list_free(plussi_advice_list *list);
/* Does it take more steps than another one for a gain that is as good as equal? */
bool plussi_advice_adds_steps(const plussi_advice *a, const plussi_advice *to);
/* Appends the advice for a nest of one region and request->team[0], whose levels the request has.
 * PLUSS_EUNSUPPORTED: levels cannot be predicted; else as plussi_pipeline_predict. Some 40
 * predictions at most. */
PLUSS_NODISCARD pluss_status plussi_advise(plussi_ctx *ctx, const plussi_nest *nest,
                                           const plussi_request *request, plussi_advice_list *out);
/* file: of the nests, for commands that show it. */
void plussi_advice_report(const plussi_advice_list *list, const char *file,
                          plussi_document *document);

#endif
