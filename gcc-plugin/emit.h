/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The section .pluss.nests of the object file. See emit.cc.
 */
#ifndef PLUSSI_PLUGIN_EMIT_H
#define PLUSSI_PLUGIN_EMIT_H

#include "gcc-compat.h"

namespace pluss
{

/* Keeps a nest for the end of the unit. */
void emit_nest(const std::string &text);
/* Writes what was kept into the assembler file. */
void emit_section();

} // namespace pluss
#endif
