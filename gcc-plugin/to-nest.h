/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the tree of items to a plussi_nest, validated and printed. See to-nest.cc.
 */
#ifndef PLUSSI_PLUGIN_TO_NEST_H
#define PLUSSI_PLUGIN_TO_NEST_H

#include "shape.h"

namespace pluss
{

/* The nest's text, or "" and the reason. */
std::string nest_text(Analysis &an, Shapes &shapes, const std::vector<Item *> &top,
                      std::string *reason);

} // namespace pluss
#endif
