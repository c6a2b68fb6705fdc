/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Marks of regions in a folded tree.
 */
#ifndef PLUSSI_TRACE_FOLD_REGIONS_H
#define PLUSSI_TRACE_FOLD_REGIONS_H

#include "trace/fold_run.h"

/* Loops whose iterations begin with the end of a region, because their first iteration differed,
 * are turned so that they begin after it. The accesses stay as they are. PLUSS_ENOMEM: the tree is
 * as before. O(nodes) a loop that is turned. */
PLUSS_NODISCARD pluss_status plussi_fold_close_regions(plussi_fold_run *run);
/* Gives distributed loops the iterations that threads have, where these are known (fold_team.h): a
 * loop whose iterations are more, one after another, is split in two; loops that are distributed as
 * one are to be collapsed. PLUSS_ENOMEM: the tree is as before. O(nodes) a loop that is split. */
PLUSS_NODISCARD pluss_status plussi_fold_fit_iterations(plussi_fold_run *run);

#endif
