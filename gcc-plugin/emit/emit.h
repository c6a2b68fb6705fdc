/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sections .pluss.nests and .pluss.symbols of the object file. See emit.cc.
 */
#ifndef PLUSSI_PLUGIN_EMIT_H
#define PLUSSI_PLUGIN_EMIT_H

#include "common/gcc-compat.h"

namespace pluss
{

/* Keeps the nest of a function for the end of the unit. In a link it replaces the nest at its
 * place. */
void emit_nest(const std::string &text, tree function);
/* Compiling for a link with -flto, before the IR is written: puts what was kept there. unit: by
 * which the link knows this unit; "": it does not. */
void emit_for_link(const std::string &unit);
/* The place of the nest of a unit's function in a link, by its number in the unit: a line. */
std::string nest_place(const std::string &unit, uint64_t function);
/* In a child of a link: what it emits from now on belongs there. */
void take_place(const std::string &place);
/* Writes what was kept into the assembler file. */
void emit_sections();
/* What was kept. */
const std::vector<std::string> &emitted_nests();

} // namespace pluss
#endif
