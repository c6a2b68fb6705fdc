/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A region whose unknowns were recorded: what each of them accessed, iteration by iteration of the
 * worksharing loop around it, is put in its place. Where an unknown has one access each time, that
 * is a reference
 *
 *     read `all memory`[`place 3`[i*n + j]]
 *
 * and else a loop over the accesses of that time:
 *
 *     for `access 3` in `first 3`[i]..`first 3`[i + 1] { read `all memory`[`place 3`[`access 3`]] }
 *
 * with the addresses, in bytes, as contents of an array. The number of an execution, by which the
 * tables are read, counts those before it in the order of the sequential program; where loops are
 * between the worksharing loop and the unknown, it is the sum of the loop's iterations in this
 * execution and of those in earlier ones, which a table has, too. So the nest holds for all teams
 * and schedules.
 */
#ifndef PLUSSI_TRACE_FILL_UNKNOWNS_H
#define PLUSSI_TRACE_FILL_UNKNOWNS_H

#include "trace/recorded.h"

/* nest: of the block's region alone; changed. Where the iterations of one of those that accessed
 * something are not all in the record, or cannot be counted, all of them stay. PLUSS_ENOMEM; else
 * as plussi_nest_validate. O(nodes + iterations log iterations + entries * unknowns), and for
 * each unknown the executions of the loops around it. */
PLUSS_NODISCARD pluss_status plussi_fill_unknowns(plussi_ctx *ctx, const plussi_record_block *block,
                                                  plussi_nest *nest);
bool plussi_has_filled_unknowns(const plussi_nest *nest);

#endif
