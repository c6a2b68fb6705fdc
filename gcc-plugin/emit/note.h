/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Located notes about what is not described. Switched off by -fplugin-arg-pluss-notes=off; they are
 * notes, never warnings: -Werror must not stop a build because of them.
 */
#ifndef PLUSSI_PLUGIN_NOTE_H
#define PLUSSI_PLUGIN_NOTE_H

#include "common/items.h"

namespace pluss
{

/* Each text is noted once for a function and place. */
void note_loop(location_t loc, const std::string &text);
/* A note for every cause of unknown items in the tree, at its first place. */
void note_unknowns(const std::vector<Item *> &items);

} // namespace pluss
#endif
