/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What may be better for a nest: steps to try, whether they are legal or not.
 */
#ifndef PLUSSI_STUDY_CANDIDATES_H
#define PLUSSI_STUDY_CANDIDATES_H

#include "report/result.h"
#include "study/advise.h"

enum { PLUSSI_CANDIDATE_TEXT = 160 };

typedef struct plussi_candidate {
    plussi_advice_kind kind;
    char steps[PLUSSI_CANDIDATE_TEXT]; /* one step */
    char text[PLUSSI_CANDIDATE_TEXT];
    char show[PLUSSI_CANDIDATE_TEXT]; /* what to write in the source; "": what the nest shows */
    plussi_loc place;                 /* borrowed from the nest */
} plussi_candidate;

typedef struct plussi_candidates {
    plussi_ctx *ctx;
    plussi_candidate *at;
    size_t n, cap;
    pluss_status status; /* the first failure */
} plussi_candidates;

/* Loops that change places: pairs within each other. */
void plussi_find_interchanges(plussi_candidates *c, const plussi_nest *nest);
/* Tiles of the innermost two and three loops. */
void plussi_find_tiles(plussi_candidates *c, const plussi_nest *nest);
void plussi_find_fusions(plussi_candidates *c, const plussi_nest *nest);
void plussi_find_schedules(plussi_candidates *c, const plussi_nest *nest, uint32_t line_bytes);
/* For references that miss by conflict, or by false sharing. */
void plussi_find_layouts(plussi_candidates *c, const plussi_nest *nest, const plussi_result *now);

#endif
