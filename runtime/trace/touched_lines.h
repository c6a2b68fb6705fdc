/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines that a bound nest touches, of those that a hash chooses (base/line_sample.h), in the
 * order in which it touches them first, and with that of the last touches: what a recorder tells of
 * runs (trace/format.h, plussi_ordered_line).
 */
#ifndef PLUSSI_TRACE_TOUCHED_LINES_H
#define PLUSSI_TRACE_TOUCHED_LINES_H

#include "base/ask.h"
#include "trace/format.h"
#include "trace/walk.h"

typedef struct plussi_line_list {
    plussi_ordered_line *line;
    size_t n, cap;
} plussi_line_list;

/* What a list is made of. */
typedef struct plussi_listing {
    uint32_t own;   /* below 2^20: lines of arrays that have no address of the program's are told
                       apart from all others by it, and are those of the same nest alone */
    unsigned shift; /* one line in 2^shift; it rises, up to 20, where there are */
    size_t most;    /* more lines than that */
    plussi_effort *effort; /* falls by 8 steps an access; NULL: not bounded */
    plussi_ask ask;        /* of this stage: */
    const char *stage;
} plussi_listing;

/* Appends the lines by walking the nest, its threads in step. PLUSS_ELIMIT: the effort does not
 * suffice; PLUSS_ECANCELLED; else errors as of plussi_walk_new_bounded; on failure the list is as
 * before, but for its room. O(1) an access. */
PLUSS_NODISCARD pluss_status plussi_list_touched_lines(plussi_ctx *ctx, const plussi_bound *bound,
                                                       plussi_listing *listing,
                                                       plussi_line_list *list);

#endif
