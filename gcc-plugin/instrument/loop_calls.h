/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Modes that record accesses: one call of libpluss-rt an innermost loop, where the optimiser knows
 * its number of iterations and its addresses. See loop_calls.cc.
 */
#ifndef PLUSSI_PLUGIN_LOOP_CALLS_H
#define PLUSSI_PLUGIN_LOOP_CALLS_H

#include "common/gcc-compat.h"

namespace pluss
{

/* Registers the pass, under the plugin's name. */
void register_loop_calls(const char *plugin);

} // namespace pluss
#endif
