/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whole programs: bodies of functions that a link with -flto gives to the functions of other units.
 * See units.cc.
 */
#ifndef PLUSSI_PLUGIN_UNITS_H
#define PLUSSI_PLUGIN_UNITS_H

#include "common/gcc-compat.h"

namespace pluss
{

/* Compiling for a link with -flto: writes a function that is about to be lowered. described: it has
 * a nest. */
void offer_function(function *fn, bool described);
/* Puts what was written into the object, before it is made. Returns the name by which the link
 * knows the unit; "": there is nothing for it. */
std::string emit_unit();

/* In a link with -flto, once all units' symbols are read: describes again the functions with
 * parallel work that call functions of other units, directly or through others, and replaces their
 * nests. describe(fn) makes a nest and emits it, in a child process. */
void describe_whole_program(void (*describe)(function *));
/* Is there a nest already of the function that is described? */
bool describes_again();

} // namespace pluss
#endif
