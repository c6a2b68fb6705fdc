/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls put in line in the function itself. See inline.cc.
 */
#ifndef PLUSSI_PLUGIN_INLINE_H
#define PLUSSI_PLUGIN_INLINE_H

#include "common/gcc-compat.h"

namespace pluss
{

/* In the body of fn (cfun), whatever the shadow would put in a call's place. */
void inline_calls(function *fn);

} // namespace pluss
#endif
