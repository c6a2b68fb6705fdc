/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * mode=bind, mode=time and mode=profile: calls of libpluss-rt in the program. See instrument.cc.
 */
#ifndef PLUSSI_PLUGIN_INSTRUMENT_H
#define PLUSSI_PLUGIN_INSTRUMENT_H

#include "region/region.h"

namespace pluss
{

struct SamplePlan;

/* What is recorded, as in rt/rt.h. */
enum class Told { Values, Accesses, Times };

/* Inserts the calls into the body of fn (cfun), after the end of the shadow. sample: with a
 * sampler, or NULL. */
void instrument(function *fn, Region &region, Told told, SamplePlan *sample = nullptr);

/* inline.cc: puts the callees that the shadow would put in line into the body of fn (cfun). */
void inline_calls(function *fn);

/* timing.cc: to be called before the edits are made. handle: the variable that holds the region's
 * run; parallels: the constructs that make the region's teams. */
void stamp_region(function *fn, Region &region, Edits &edits, tree handle,
                  const std::vector<gimple *> &parallels);

} // namespace pluss
#endif
