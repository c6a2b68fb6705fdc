/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Accesses of a statement to variables that a register would hold (scalars=all).
 */
#ifndef PLUSSI_PLUGIN_REGISTERS_H
#define PLUSSI_PLUGIN_REGISTERS_H

#include "analysis/analysis.h"

namespace pluss
{

struct RegisterAccesses {
    std::vector<tree> before;     /* variables read before memory is */
    std::vector<tree> subscripts; /* read for the address that is written */
    tree written = NULL_TREE;     /* the variable that is assigned, or NULL */
};

/* Of a statement of the shadow that is neither a marker nor for debugging. */
void find_register_accesses(gimple *g, RegisterAccesses *out);
bool has_register_accesses(gimple *g);

} // namespace pluss
#endif
