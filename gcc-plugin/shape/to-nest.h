/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the tree of items to a plussi_nest, validated and printed. See to-nest.cc.
 */
#ifndef PLUSSI_PLUGIN_TO_NEST_H
#define PLUSSI_PLUGIN_TO_NEST_H

#include "shape/shape.h"

namespace pluss
{

/* The names in a nest's region. */
struct NestNames {
    std::string name, file; /* of the region */
    unsigned line = 0;
    std::vector<std::string> symbols, arrays; /* in the text's order */
};

/* The references, loops, symbols and arrays of a nest's region by their numbers, in the text's
 * order; the analysis owns them. An item that occurs in the text twice (the test of a loop,
 * repeated after it) has two numbers. */
struct NestIndex {
    NestNames names;
    std::vector<const Item *> refs, loops, unknowns;
    std::vector<const Atom *> symbols;
    std::vector<const Array *> arrays;
    /* Has the nest no part that is not described, and nothing in it that depends on the contents of
     * arrays? */
    bool closed_form = true;
    bool by_contents = false; /* something in it depends on the contents of arrays */
};

/* The nest's text, or "" and the reason. */
std::string nest_text(Analysis &an, Shapes &shapes, const std::vector<Item *> &top,
                      std::string *reason, NestIndex *index);

} // namespace pluss
#endif
