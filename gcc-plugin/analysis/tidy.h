/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tree of items made ready for the nest: see tidy.cc.
 */
#ifndef PLUSSI_PLUGIN_TIDY_H
#define PLUSSI_PLUGIN_TIDY_H

#include "analysis/analysis.h"

namespace pluss
{

/* What does not belong to the parallel part goes; undescribable guards become unknown items. */
void tidy_tree(Analysis &an, std::vector<Item *> *top);
/* Whether all threads that come to an item do the same there: it is in no worksharing
 * construct. */
bool is_executed_by_all(const Item *it);
/* Is the loop a worksharing one, or one of several that are shared out together? */
bool is_shared_loop(Shadow &shadow, const class loop *l);
/* References in the order of docs/nest-format.md. */
void order_references(std::vector<Item *> *items);
/* Takes away the references for which `drop` says so, and what is then empty. */
void prune_items(Exprs &ex, std::vector<Item *> *items,
                 const std::function<bool(const Ref *)> &drop);

} // namespace pluss
#endif
