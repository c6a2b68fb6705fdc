/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See note.h. The text goes through "%s": a reason may hold any character.
 */
#include "note.h"

#include "apart.h"

#include "intl.h"

namespace pluss
{

void note_loop(location_t loc, const std::string &text)
{
    /* What the compiler made up has no place; the function has one. */
    if (LOCATION_LOCUS(loc) == UNKNOWN_LOCATION && current_function_decl)
        loc = DECL_SOURCE_LOCATION(current_function_decl);
    if (options.notes && !send_note(loc, text))
        inform(loc, "pluss: %s", text.c_str());
}

typedef std::set<std::pair<location_t, std::string>> Seen;

static void walk(const std::vector<Item *> &items, Seen *seen)
{
    for (const Item *it : items) {
        if (it->kind == PLUSSI_N_UNKNOWN && seen->insert({it->loc, it->reason}).second) {
            static const char *const what[] = {"loop", "reference", "call", "branch", "construct"};
            note_loop(it->loc, std::string(what[it->unknown]) + " not described: " + it->reason);
        }
        walk(it->body, seen);
        walk(it->orelse, seen);
    }
}

void note_unknowns(const std::vector<Item *> &items)
{
    Seen seen;
    walk(items, &seen);
}

} // namespace pluss
