/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How evenly the accesses of a nest are distributed over its team.
 */
#ifndef PLUSSI_STUDY_BALANCE_H
#define PLUSSI_STUDY_BALANCE_H

#include "study/request.h"

/* *out: the accesses of the busiest thread, added up over the phases, by the accesses of a thread
 * on average, from 1 to the team. Chunks of dynamic loops go to the thread with the fewest
 * accesses, and code outside of worksharing loops to those that execute it. 1 where that has more
 * than 10^7 accesses. O(iterations of worksharing loops + accesses outside of them). */
PLUSS_NODISCARD pluss_status plussi_measure_imbalance(plussi_ctx *ctx, const plussi_nest *nest,
                                                      const plussi_request *request, uint32_t team,
                                                      double *out);

#endif
