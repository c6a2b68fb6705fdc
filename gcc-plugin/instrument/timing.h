/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * mode=time: calls that tell libpluss-rt where in a worksharing loop a thread is. See timing.cc.
 */
#ifndef PLUSSI_PLUGIN_TIMING_H
#define PLUSSI_PLUGIN_TIMING_H

#include "region/region.h"

namespace pluss
{

/* To be called before the edits are made. handle: the variable that holds the region's run;
 * parallels: the constructs that make the region's teams. */
void stamp_region(function *fn, Region &region, Edits &edits, tree handle,
                  const std::vector<gimple *> &parallels);

} // namespace pluss
#endif
