/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Remarks: for each loop one line, as a compiler says it: what it misses, which reference misses
 * most, and the first legal change of the nest that is predicted to help. A loop is a worksharing
 * loop, or an outermost one that is in none.
 *
 * Predicted with an eighth of the samples that others take, so that standard errors are about
 * three times as large; one prediction for each team, and one for each loop's change.
 */
#ifndef PLUSSI_STUDY_REMARKS_H
#define PLUSSI_STUDY_REMARKS_H

#include "study/evaluate.h"

typedef struct plussi_remark {
    plussi_severity severity;
    char *region;
    plussi_loc place;              /* of the loop, or the region; file owned, or NULL */
    char level[PLUSSI_LEVEL_NAME]; /* "": nothing is predicted */
    double ratio, error; /* misses of the level by accesses of the loop, at the last team */
    double changed;      /* after the change; negative: there is none */
    char *text;  /* "L2 misses 3.1 +-0.2 % (T=1), 3.4 +-0.2 % (T=16): B[k][j], column-wise" */
    char *steps; /* of the change, as of plussi_transform; "": none */
} plussi_remark;

typedef struct plussi_remarks {
    plussi_mem mem;
    plussi_remark *at;
    size_t n, cap;
} plussi_remarks;

void plussi_remarks_free(plussi_remarks *remarks);
/* Appends the remarks on a nest of one region, in the order of its loops, for the request's teams,
 * levels, values (those that the nest has no symbols for are passed by) and limits. A region that
 * is not predicted has a remark that says why. The level of a remark is that whose limit is
 * exceeded, an error first, or else the one whose misses cost most. PLUSS_ENOMEM, PLUSS_ECANCELLED.
 */
PLUSS_NODISCARD pluss_status plussi_remark_on(plussi_ctx *ctx, const plussi_nest *nest,
                                              const plussi_request *request, plussi_remarks *out);
/* A table, and for people lines as of a compiler. */
void plussi_remarks_report(const plussi_remarks *remarks, plussi_document *document);

#endif
