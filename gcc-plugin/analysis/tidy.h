/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tree of items made ready for the nest: see tidy.cc.
 */
#ifndef PLUSSI_PLUGIN_TIDY_H
#define PLUSSI_PLUGIN_TIDY_H

#include "analysis/analysis.h"

namespace pluss
{

/* Removes what does not belong to the parallel part; guards that cannot be described become unknown
 * items. */
void tidy_tree(Analysis &an, std::vector<Item *> *top);
/* Do all threads that reach an item execute it alike? It is then in no worksharing construct. */
bool is_executed_by_all(const Item *it);
/* Before the item becomes an unknown: notes what that stands for. */
void leave_out(Item *it);
/* Puts references into the order of docs/nest-format.md. */
void order_references(std::vector<Item *> *items);
/* Exchanges the ways of an `if`. */
void negate_branch(Exprs &ex, Item *it);
/* if (a) if (b) becomes if (a && b), as the compiler has it when it optimises. */
void join_nested(Exprs &ex, Item *it);
/* Removes the references that `drop` selects, and items that are empty then. */
void prune_items(Exprs &ex, std::vector<Item *> *items, const std::function<bool(Ref *)> &drop);

} // namespace pluss
#endif
