/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Work in a child process, so that nothing of it is left in the compiler: numbers of declarations
 * and types, interned names, and whatever a fault would do. See apart.cc.
 */
#ifndef PLUSSI_PLUGIN_APART_H
#define PLUSSI_PLUGIN_APART_H

#include "common/gcc-compat.h"

namespace pluss
{

/* Calls work(fn) in a child and then, here, note_loop() and emit_nest() as the child did. Returns
 * "", or why that failed; nothing is repeated then. Where there can be no child, work(fn) is called
 * here. With `keep` false nothing is repeated, nor called here: a trial. */
std::string run_in_child(void (*work)(function *), function *fn, bool keep = true);

/* In a child: sends it to the compiler and returns true. */
bool send_note(location_t loc, const std::string &text);
bool send_nest(const std::string &text);
/* Is this a child? Nothing that it does to the program stays. */
bool in_child();
/* In a child: says that it is done, and ends it: what would be freed now goes with it. */
void end_child();

} // namespace pluss
#endif
