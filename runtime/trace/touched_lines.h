/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines that a bound nest touches, of those that a hash chooses (base/line_sample.h), in the
 * order in which it touches them first, and with that of the last touches: what a recorder tells of
 * runs (trace/format.h, plussi_ordered_line).
 */
#ifndef PLUSSI_TRACE_TOUCHED_LINES_H
#define PLUSSI_TRACE_TOUCHED_LINES_H

#include "trace/format.h"
#include "trace/walk.h"

typedef struct plussi_line_list {
    plussi_ordered_line *line;
    size_t n, cap;
} plussi_line_list;

/* Appends one line in 2^shift by walking the nest, its threads in step. Lines of arrays that have
 * no address of the program's are told apart from all others by `own`, below 2^20: they are those
 * of the same nest alone. effort is borrowed; it falls by a step an access. Errors as of
 * plussi_walk_new_bounded; PLUSS_ENOMEM; on failure the list is as before, but for its room. O(1)
 * an access. */
PLUSS_NODISCARD pluss_status plussi_list_touched_lines(plussi_ctx *ctx, const plussi_bound *bound,
                                                       uint32_t own, unsigned shift,
                                                       plussi_effort *effort,
                                                       plussi_line_list *list);

#endif
