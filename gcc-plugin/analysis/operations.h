/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts of operations, by group and by line of the source (operations.cc has the groups).
 */
#ifndef PLUSSI_PLUGIN_OPERATIONS_H
#define PLUSSI_PLUGIN_OPERATIONS_H

#include "analysis/analysis.h"

namespace pluss
{

/* Adds the operations of a statement of the shadow, which is not a marker. */
void add_operations(Analysis &an, gimple *g, Operations *out);
/* Those of an iteration of the loop that wait, one after another, for a variable's value of the
 * iteration before (chains.cc): of several such ways the longest. O(statements of the loop) for
 * each variable. at: the loop's place, where the value's is not known. */
void add_chain(Analysis &an, const class loop *l, location_t at, Operations *out);

} // namespace pluss
#endif
