/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GCC 11 moves the body of a parallel construct into a function of its own, with the SSA names in
 * it, but keeps the old names without a definition, and later passes crash on them. (In high GIMPLE
 * GCC makes no such names in parallel constructs itself; edits.h does.) A pass after the one that
 * moves bodies releases them; GCC 12 needs none.
 */
#ifndef PLUSSI_PLUGIN_DANGLING_H
#define PLUSSI_PLUGIN_DANGLING_H

#include "common/gcc-compat.h"

namespace pluss
{

/* For modes that change functions; name is the plugin's. */
void register_dangling_names(const char *name);

} // namespace pluss
#endif
