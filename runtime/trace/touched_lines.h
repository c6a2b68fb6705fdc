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

/* What a nest touches in a part of its walk, from a number of parallel constructs begun on to
 * another: a list of its own. */
typedef struct plussi_line_part {
    uint64_t
        teams; /* outermost parallel constructs begun by its end, before the next one; ascends */
    size_t first, n; /* its lines in the list */
} plussi_line_part;

/* What a bound nest's lines are called in lists: those of arrays that have no address of the
 * program's are told apart from all others by `own`, below 2^20, and are those of one nest alone.
 */
typedef struct plussi_line_names {
    const plussi_bound *bound; /* borrowed */
    uint64_t own;
    uint64_t above; /* lines from this one on are those of arrays with addresses */
} plussi_line_names;

plussi_line_names plussi_line_names_of(const plussi_bound *bound, uint32_t own); /* O(arrays) */
uint64_t plussi_name_line(const plussi_line_names *names,
                          uint64_t line); /* O(arrays), mostly O(1) */
/* The first line of an array, and the last one: of all copies, if it is private. */
uint64_t plussi_array_first_line(const plussi_bound *bound, const plussi_bound_array *array);
uint64_t plussi_array_last_line(const plussi_bound *bound, const plussi_bound_array *array);

/* What a list is made of. */
typedef struct plussi_listing {
    uint32_t own;           /* as in plussi_line_names */
    unsigned shift;         /* one line in 2^shift; it rises, up to 20, where there are */
    size_t most;            /* more lines than that */
    plussi_line_part *part; /* in order; the last one has all that is left, and gets in `teams` the
                               number of all; NULL: there is one part, which is not told */
    size_t n_parts;
    plussi_effort *effort; /* falls by 8 steps an access; NULL: not bounded */
    plussi_ask ask;        /* of this stage: */
    const char *stage;
} plussi_listing;

/* Appends the lines, part by part, by walking the nest, its threads in step. PLUSS_ELIMIT: the
 * effort does not suffice; PLUSS_ECANCELLED; else errors as of plussi_walk_new_bounded; on failure
 * the list is as before, but for its room. O(1) an access. */
PLUSS_NODISCARD pluss_status plussi_list_touched_lines(plussi_ctx *ctx, const plussi_bound *bound,
                                                       plussi_listing *listing,
                                                       plussi_line_list *list);

#endif
