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

} // namespace pluss
#endif
