/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * mode=bind and mode=profile: calls of libpluss-rt in the program. See instrument.cc.
 */
#ifndef PLUSSI_PLUGIN_INSTRUMENT_H
#define PLUSSI_PLUGIN_INSTRUMENT_H

#include "region.h"

namespace pluss
{

struct SamplePlan;

/* Puts the calls into the body of fn (cfun), the shadow being gone. sample: with a sampler. */
void instrument(function *fn, Region &region, bool accesses, SamplePlan *sample = nullptr);

} // namespace pluss
#endif
