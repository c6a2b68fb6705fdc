/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The references that cost a point most, why they miss, and what may help.
 */
#ifndef PLUSSI_REPORT_SUSPECT_H
#define PLUSSI_REPORT_SUSPECT_H

#include "report/document.h"
#include "report/point.h"

typedef struct plussi_suspect {
    const plussi_level_part *part;    /* at the level that costs most, */
    const plussi_level_result *level; /* which is this one */
    double share;                     /* of the point's cost (plussi_misses_cost) */
    plussi_miss_kind kind;            /* that most of these misses are of */
    const plussi_reuse *lost;         /* the largest of its reuses that the level loses, or NULL */
    bool jumps; /* each iteration of its innermost loop touches another line, and another loop's
                   does not */
} plussi_suspect;

/* At most that many, the worst first, each at least a hundredth of the cost. 0: there are no
 * levels. O(references^2 * levels). */
size_t plussi_find_suspects(const plussi_point *point, plussi_suspect *out, size_t most);

/* "gemm.c:7: read of B[k][j] in loop k"; why it misses; how far it jumps, "" if it does not; what
 * may help, "" where nothing is known. The document owns them. */
const char *plussi_reference_text(plussi_document *document, const plussi_level_part *part);
const char *plussi_suspect_cause(plussi_document *document, const plussi_suspect *suspect);
const char *plussi_suspect_jump(plussi_document *document, const plussi_suspect *suspect);
const char *plussi_suspect_cure(plussi_document *document, const plussi_suspect *suspect);

/* "carried by loop k (line 7)"; "" of a first touch. The document owns it. */
const char *plussi_carried_text(plussi_document *document, const plussi_reuse *reuse);

/* "C[i][j], C[i][k]": references of the level that write the array of one; "": none does. */
const char *plussi_writers_text(plussi_document *document, const plussi_level_result *level,
                                const plussi_level_part *of);

#endif
