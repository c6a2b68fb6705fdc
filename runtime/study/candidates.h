/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What may be better for a nest: steps to try, whether they are legal or not.
 */
#ifndef PLUSSI_STUDY_CANDIDATES_H
#define PLUSSI_STUDY_CANDIDATES_H

#include "report/result.h"
#include "study/advise.h"
#include "study/nest_cost.h"

enum { PLUSSI_CANDIDATE_TEXT = 160, PLUSSI_CANDIDATE_VALUES = 4 };

typedef struct plussi_candidate {
    plussi_advice_kind kind;
    char steps[PLUSSI_CANDIDATE_TEXT]; /* one step; "": other values */
    const plussi_symbol *symbol[PLUSSI_CANDIDATE_VALUES];
    size_t n_symbols;
    int64_t value; /* of all of these */
    char text[PLUSSI_CANDIDATE_TEXT];
    char show[PLUSSI_CANDIDATE_TEXT]; /* what to write in the source; "": what the nest shows */
    plussi_loc place;                 /* borrowed from the nest */
    const plussi_node
        *loop[2];              /* the outermost and the innermost that change places or are tiled */
    const plussi_array *array; /* of a layout */
} plussi_candidate;

typedef struct plussi_candidates {
    plussi_ctx *ctx;
    plussi_candidate *at;
    size_t n, cap;
    pluss_status status; /* the first failure */
} plussi_candidates;

/* Loops that change places: pairs within each other. */
void plussi_find_interchanges(plussi_candidates *c, const plussi_nest *nest);
/* Other values of symbols that are sizes of tiles: they multiply a loop's variable in the bounds of
 * a loop within it. */
void plussi_find_tile_sizes(plussi_candidates *c, const plussi_nest *nest,
                            const plussi_request *request);
/* Tiles of the innermost two and three loops. */
void plussi_find_tiles(plussi_candidates *c, const plussi_nest *nest);
void plussi_find_fusions(plussi_candidates *c, const plussi_nest *nest);
void plussi_find_schedules(plussi_candidates *c, const plussi_nest *nest, uint32_t line_bytes);
/* For references that miss by conflict, or by false sharing. */
void plussi_find_layouts(plussi_candidates *c, const plussi_nest *nest, const plussi_result *now);

/* Predicts the nest, which makes so many accesses, with the candidate's change, for the request's
 * team number `team`. *made: the nest, or NULL where only values change; the caller frees it.
 * *legal: the change keeps the program's results, and with other values it makes as many accesses;
 * *possible: it has a cost, *after. What does not succeed is told in ctx. PLUSS_ENOMEM,
 * PLUSS_ECANCELLED. */
PLUSS_NODISCARD pluss_status plussi_cost_candidate(plussi_ctx *ctx, const plussi_nest *nest,
                                                   const plussi_request *request, size_t team,
                                                   const plussi_candidate *candidate,
                                                   double accesses, plussi_nest **made, bool *legal,
                                                   plussi_nest_cost *after, bool *possible);

#endif
