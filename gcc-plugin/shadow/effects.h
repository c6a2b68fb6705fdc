/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What calls of a function may do to variables of the unit, by the bodies that the unit has.
 */
#ifndef PLUSSI_PLUGIN_EFFECTS_H
#define PLUSSI_PLUGIN_EFFECTS_H

#include "common/gcc-compat.h"

namespace pluss
{

struct Effects {
    std::set<tree> stored;    /* variables that are named in a store, in called functions too */
    bool leaves_unit = false; /* functions are called whose bodies are not at hand */
};

/* Notes what a function does, before it is lowered. O(its statements). */
void note_effects(function *fn);

/* The effects of a call of fn: through what it calls, too. NULL: fn is NULL, called by a pointer.
 * The result lives as long as the compiler runs. */
const Effects *effects_of(tree fn);

} // namespace pluss
#endif
