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

/* Calls work(fn) in a child and then repeats here the child's calls of note_loop(), emit_nest() and
 * keep_place(). Returns "", or why the child failed; nothing is repeated then. If there can be no
 * child, work(fn) is called here. keep false: a trial, nothing is repeated or called here, but for
 * the child's answer. */
std::string run_in_child(void (*work)(function *), function *fn, bool keep = true);

/* In a child: sends it to the compiler and returns true. Else returns false. */
bool send_note(location_t loc, const std::string &text);
bool send_nest(const std::string &text);
bool send_place(location_t loc);
bool send_answer(const std::string &text);
/* The last answer of the last child that has ended well; "": none. */
const std::string &child_answer();
/* Is this process such a child? No change that it makes to the program stays. */
bool in_child();
/* In a child: reports that it is done and ends it, without freeing anything. */
void end_child();

} // namespace pluss
#endif
