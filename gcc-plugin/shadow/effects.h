/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What calls of a function may store to, by the bodies that the unit has: a summary of each
 * function, with what it calls.
 */
#ifndef PLUSSI_PLUGIN_EFFECTS_H
#define PLUSSI_PLUGIN_EFFECTS_H

#include "common/gcc-compat.h"

namespace pluss
{

/* Types are those of what is stored; one that is no number and no pointer stands for any. */
struct Effects {
    std::set<tree> stored; /* global variables that are named in a store, */
    std::set<tree> named;  /* with these types, of those that a pointer may lead to */
    std::map<unsigned, std::set<tree>> through; /* by argument, from 0: stores to where it leads */
    std::set<tree> elsewhere; /* stores through other pointers: loaded ones, those of variables */
    bool leaves_unit = false; /* functions are called whose bodies are not at hand */
};

/* May a pointer lead to a variable of this unit, which has been read whole? */
bool may_be_pointed_to(tree variable);

/* Notes what a function does, before it is lowered. O(its statements). */
void note_effects(function *fn);

/* The effects of a call of fn: through what it calls, too. NULL: fn is NULL, called by a pointer.
 * The result lives as long as the compiler runs. O(statements of all functions that it may call),
 * once. */
const Effects *effects_of(tree fn);

} // namespace pluss
#endif
