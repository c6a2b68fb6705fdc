/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See note.h. The text goes through "%s": a reason may hold any character.
 */
#include "emit/note.h"

#include "emit/apart.h"

#include "intl.h"

namespace pluss
{

void note_loop(location_t loc, const std::string &text)
{
    /* A statement that the compiler made up has no place; the function has one. */
    if (LOCATION_LOCUS(loc) == UNKNOWN_LOCATION && current_function_decl)
        loc = DECL_SOURCE_LOCATION(current_function_decl);
    static std::set<std::tuple<tree, location_t, std::string>> said;
    if (!options.notes || !said.insert({current_function_decl, LOCATION_LOCUS(loc), text}).second)
        return;
    if (!send_note(loc, text))
        inform(loc, "pluss: %s", text.c_str());
}

/* One cause and the places where it occurs. */
struct Cause {
    location_t loc;
    std::string text;
    std::set<location_t> places;
};

static void collect_causes(const std::vector<Item *> &items, std::vector<Cause> *causes,
                           std::map<std::string, size_t> *known)
{
    for (const Item *it : items) {
        if (it->kind == PLUSSI_N_UNKNOWN) {
            static const char *const what[] = {"loop", "reference", "call", "branch", "construct"};
            std::string kind = what[it->unknown], why = it->reason;
            size_t end = why.find(": "); /* of a reference: what is read or written */
            bool access = it->unknown == PLUSSI_UNKNOWN_REFERENCE && end != std::string::npos;
            std::string key = kind + ":" + (access ? why.substr(end) : why);
            auto at = known->insert({key, causes->size()});
            if (at.second)
                causes->push_back({it->loc, kind + " not described: " + why, {}});
            (*causes)[at.first->second].places.insert(LOCATION_LOCUS(it->loc));
        }
        collect_causes(it->body, causes, known);
        collect_causes(it->orelse, causes, known);
    }
}

void note_unknowns(const std::vector<Item *> &items)
{
    std::vector<Cause> causes;
    std::map<std::string, size_t> known;
    collect_causes(items, &causes, &known);
    for (const Cause &c : causes) {
        size_t more = c.places.size() - 1;
        note_loop(c.loc,
                  c.text + (more == 0   ? ""
                            : more == 1 ? " (and at another place)"
                                        : " (and at " + std::to_string(more) + " other places)"));
    }
}

} // namespace pluss
