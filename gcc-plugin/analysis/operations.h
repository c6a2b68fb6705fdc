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

} // namespace pluss
#endif
