/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The functions of runtime/rt/sampler.h, as declarations for emitted code.
 */
#ifndef PLUSSI_PLUGIN_SAMPLE_CALLS_H
#define PLUSSI_PLUGIN_SAMPLE_CALLS_H

#include "region/edits.h"

namespace pluss
{

enum class Walk {
    Begin,
    Workers,
    Next,
    End,
    Parallel,
    Join,
    Barrier,
    Trips,
    Loop,
    Chunk,
    First,
    LoopEnd,
    ThreadNum,
    NumThreads,
    MaxThreads,
    Access,
    AccessOnce,
    Own,
    Count
};
tree walk_function(Walk which);
/* Emits a call; returns its result, an SSA name of the function's own type. */
tree emit_walk_value(gimple_seq *seq, Walk which, const std::vector<tree> &args);

} // namespace pluss
#endif
