/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines that a bound nest touches, of those that a hash chooses, by closed-form queries in
 * place of a walk of its accesses (trace/touched_lines.h): the last touch of a line by a thread is
 * the touch before the end of the thread's sequence, the first one is found by bisection.
 */
#ifndef PLUSSI_STUDY_QUERY_LINES_H
#define PLUSSI_STUDY_QUERY_LINES_H

#include "trace/touched_lines.h"

/* As plussi_list_touched_lines, for listings without parts: the same list for the same `shift`, but
 * that a single without a barrier is thread 0's, threads take the chunks of dynamic loops in turn,
 * and `last` are other numbers in the same order.
 * The rate falls until at most some 2^16 times a line is looked for in a thread's sequence.
 * PLUSS_EUNSUPPORTED: there is no closed form (sampler/engine.h; guided loops); PLUSS_ELIMIT: the
 * effort does not suffice; PLUSS_ECANCELLED, PLUSS_ENOMEM. On failure the list is as before, but
 * for its room. O(lines of memory + queries * log(accesses)), whatever the trip counts. */
PLUSS_NODISCARD pluss_status plussi_query_touched_lines(plussi_ctx *ctx, const plussi_bound *bound,
                                                        plussi_listing *listing,
                                                        plussi_line_list *list);

#endif
