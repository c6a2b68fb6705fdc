/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sections .pluss.nests and .pluss.symbols of the object file. See emit.cc.
 */
#ifndef PLUSSI_PLUGIN_EMIT_H
#define PLUSSI_PLUGIN_EMIT_H

#include "common/gcc-compat.h"

namespace pluss
{

/* Keeps the nest of a function for the end of the unit. */
void emit_nest(const std::string &text, tree function);
/* Writes what was kept into the assembler file. */
void emit_sections();
/* What was kept. */
const std::vector<std::string> &emitted_nests();

} // namespace pluss
#endif
