/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A unit that is compiled for a link with -flto describes its functions as any other, without the
 * bodies of other units. Besides, it leaves the bodies of its own (archive.h) in the object: as a
 * comment of a top-level asm, which travels with the program to the link and never reaches an
 * assembled section. At the link, GCC's lto1, which loads the plugin, too, has those of all units.
 * A function with parallel work that calls one of another unit is described again, as if all were
 * in one unit, and its nest takes the place of the first one, which a top-level asm holds. If that
 * fails in any way, the first one stays.
 *
 * Functions and variables of all units are told apart as the linker does it, by their symbols.
 * Units of another version of the plugin are left out. The program's code is not looked at.
 */
#include "whole/units.h"

#include "common/openmp.h"
#include "common/statements.h"
#include "emit/apart.h"
#include "emit/emit.h"
#include "shadow/callee.h"
#include "shadow/effects.h"
#include "whole/archive.h"

namespace pluss
{

/* The comment's beginning: by whom the rest is to be read. */
static std::string lead()
{
    return std::string("#pluss.whole " PLUSSI_VERSION " ") + gcc_version.basever + " " +
           gcc_version.datestamp + " ";
}

/* What is known of a function without reading its body. */
struct Offer {
    uint64_t uid = 0;
    std::vector<std::string> symbols; /* of its aliases, too */
    std::string name;                 /* as it is printed */
    bool described = false;
    std::vector<uint64_t> mentioned; /* functions */
};

struct Unit {
    std::string language;
    Options settings;
    uint64_t optimising = 0;
    std::vector<Offer> offers;
    std::map<uint64_t, std::string> symbols; /* of functions that are mentioned */
};

template <class T, class Each> static void archive_all(Archive &a, std::vector<T> *all, Each each)
{
    all->resize(a.number(all->size()));
    for (T &one : *all)
        each(&one);
}

static void archive_offer(Archive &a, Offer *o)
{
    a.number_at(&o->uid);
    archive_all(a, &o->symbols, [&](std::string *s) { a.string(s); });
    a.string(&o->name);
    o->described = a.flag(o->described);
    archive_all(a, &o->mentioned, [&](uint64_t *uid) { a.number_at(uid); });
}

static void archive_head(Archive &a, Unit *u)
{
    a.string(&u->language);
    a.memory(&u->settings, &u->settings + 1);
    a.number_at(&u->optimising);
    archive_all(a, &u->offers, [&](Offer *o) { archive_offer(a, o); });
    std::vector<std::pair<uint64_t, std::string>> symbols(u->symbols.begin(), u->symbols.end());
    archive_all(a, &symbols, [&](std::pair<uint64_t, std::string> *s) {
        a.number_at(&s->first);
        a.string(&s->second);
    });
    u->symbols = std::map<uint64_t, std::string>(symbols.begin(), symbols.end());
}

/* One function: declaration, arguments, body. */
static tree archive_function(Archive &a, tree fn)
{
    a.node(&fn);
    tree owner = fn;
    function *f = a.writing ? DECL_STRUCT_FUNCTION(fn) : nullptr;
    if (!a.writing && DECL_STRUCT_FUNCTION(fn)) { /* an inline function of several units */
        owner = copy_node(fn);
        DECL_STRUCT_FUNCTION(owner) = nullptr;
        DECL_ARGUMENTS(owner) = NULL_TREE;
    }
    current_function_decl = a.writing ? current_function_decl : owner;
    tree *last = &DECL_ARGUMENTS(owner);
    const size_t arguments = a.number(a.writing ? list_length(*last) : 0);
    for (size_t i = 0; i < arguments; i++) {
        a.node(last);
        if (!a.writing)
            DECL_CONTEXT(*last) = owner;
        last = &DECL_CHAIN(*last);
    }
    a.node(&DECL_RESULT(owner));
    if (!a.writing) {
        DECL_EXTERNAL(owner) = 0;
        DECL_CONTEXT(DECL_RESULT(owner)) = owner;
        allocate_struct_function(owner, false);
        f = cfun;
        init_tree_ssa(f);
    }
    a.place(&f->function_start_locus);
    a.place(&f->function_end_locus);
    f->curr_properties = a.number(f->curr_properties);
    a.node(&f->static_chain_decl);
    gimple_seq body = a.writing ? gimple_body(fn) : NULL;
    a.sequence(&body);
    if (!a.writing)
        gimple_set_body(owner, body);
    return fn;
}

/* ---- compiling ------------------------------------------------------------------------------- */

static Archive written;
static Unit unit;

void offer_function(function *fn, bool described)
{
    const Archive::Mark before = written.mark();
    written.mentioned.clear();
    archive_function(written, fn->decl);
    written.forget_ssa_names();
    if (written.failed) {
        written.take_back(before);
        return;
    }
    Offer o;
    o.uid = DECL_UID(fn->decl);
    std::string symbol = DECL_EXTERNAL(fn->decl) ? "" : symbol_of(fn->decl);
    if (!symbol.empty())
        o.symbols.push_back(symbol);
    o.described = described;
    if (o.described)
        o.name = lang_hooks.decl_printable_name(fn->decl, 1);
    for (tree called : written.mentioned) {
        if (fndecl_built_in_p(called))
            continue;
        o.mentioned.push_back(DECL_UID(called));
        symbol = symbol_of(called);
        if (!symbol.empty())
            unit.symbols[DECL_UID(called)] = symbol;
    }
    std::sort(o.mentioned.begin(), o.mentioned.end());
    unit.offers.push_back(o);
}

void emit_unit()
{
    if (unit.offers.empty() || seen_error())
        return;
    std::map<uint64_t, Offer *> offers;
    for (Offer &o : unit.offers)
        offers[o.uid] = &o;
    cgraph_node *node;
    FOR_EACH_FUNCTION(node)
    if (node->alias && TREE_PUBLIC(node->decl)) {
        auto target = offers.find(DECL_UID(callee_target(node->decl)));
        if (target != offers.end())
            target->second->symbols.push_back(symbol_of(node->decl));
    }
    unit.language = lang_hooks.name;
    unit.settings = options;
    unit.optimising = optimize;
    Archive head;
    archive_head(head, &unit);
    std::string bodies;
    bodies.swap(written.text);
    written.places();
    const std::string all = lead() + head.text + written.text + bodies;
    symtab->finalize_toplevel_asm(build_string(all.size(), all.c_str()));
}

/* ---- linking --------------------------------------------------------------------------------- */

struct ReadUnit {
    Unit head;
    std::string text;
    bool needed = false;
    std::map<uint64_t, const Offer *> offers; /* by number */
    std::map<uint64_t, tree> functions;
};

typedef std::pair<ReadUnit *, const Offer *> Place;

static std::deque<ReadUnit> program;
static std::vector<Place> to_describe;
static const ReadUnit *described_unit;
static void (*describe_one)(function *);

/* Does a function reach one of another unit? Notes the units that it reaches. */
static bool leaves_unit(const Place &from, const std::map<std::string, Place> &definitions,
                        std::set<ReadUnit *> *reached)
{
    std::set<Place> seen{from};
    std::vector<Place> work{from};
    bool leaves = false;
    while (!work.empty()) {
        const Place at = work.back();
        work.pop_back();
        reached->insert(at.first);
        for (uint64_t uid : at.second->mentioned) {
            Place to{nullptr, nullptr};
            auto own = at.first->offers.find(uid);
            if (own != at.first->offers.end())
                to = {at.first, own->second};
            auto symbol = at.first->head.symbols.find(uid);
            if (!to.second && symbol != at.first->head.symbols.end()) {
                auto known = definitions.find(symbol->second);
                if (known != definitions.end()) {
                    to = known->second;
                    leaves = true;
                }
            }
            if (to.second && seen.insert(to).second)
                work.push_back(to);
        }
    }
    return leaves;
}

/* What top-level asms hold of units. They are not needed after the link. */
static void collect_units()
{
    for (asm_node *node = symtab->first_asm_symbol(); node; node = node->next) {
        const std::string text(TREE_STRING_POINTER(node->asm_str),
                               TREE_STRING_LENGTH(node->asm_str));
        if (!plussi_startswith(text.c_str(), lead().c_str()))
            continue;
        node->asm_str = build_string(1, "#");
        program.emplace_back();
        program.back().text = text.substr(lead().size());
        Archive a(program.back().text);
        archive_head(a, &program.back().head);
    }
}

static void choose_functions()
{
    std::map<std::string, Place> definitions;
    for (ReadUnit &u : program)
        for (const Offer &o : u.head.offers) {
            u.offers[o.uid] = &o;
            for (const std::string &s : o.symbols)
                definitions.insert({s, {&u, &o}});
        }
    for (ReadUnit &u : program)
        for (const Offer &o : u.head.offers) {
            std::set<ReadUnit *> reached;
            if (!o.described ||
                (!leaves_unit({&u, &o}, definitions, &reached) && options.whole != Whole::All))
                continue;
            to_describe.push_back({&u, &o});
            for (ReadUnit *needed : reached)
                needed->needed = true;
        }
}

static const char *name_as_compiled(tree fn, int)
{
    for (const Offer &o : described_unit->head.offers) {
        auto read = described_unit->functions.find(o.uid);
        if (read != described_unit->functions.end() && read->second == fn && !o.name.empty())
            return o.name.c_str();
    }
    return IDENTIFIER_POINTER(DECL_NAME(fn));
}

static void read_units()
{
    std::map<std::string, tree> symbols;
    for (ReadUnit &u : program) {
        if (!u.needed)
            continue;
        Archive a(u.text);
        Unit head;
        archive_head(a, &head);
        a.places();
        a.find_symbol = [&](const std::string &symbol) {
            auto known = symbols.find(symbol);
            return known == symbols.end() ? NULL_TREE : known->second;
        };
        a.note_symbol = [&](const std::string &symbol, tree d) { symbols.insert({symbol, d}); };
        for (const Offer &o : u.head.offers)
            u.functions[o.uid] = archive_function(a, NULL_TREE);
    }
    std::set<tree> all;
    for (const ReadUnit &u : program)
        for (auto &f : u.functions)
            if (all.insert(f.second).second) {
                note_effects(DECL_STRUCT_FUNCTION(f.second));
                take_body(DECL_STRUCT_FUNCTION(f.second));
            }
}

static void describe_again(function *fn)
{
    set_cfun(fn, true);
    current_function_decl = fn->decl;
    input_location = DECL_SOURCE_LOCATION(fn->decl); /* of what the analysis declares */
    describe_one(fn);
}

/* In a child: the compiler is made to be that of the units. */
static void describe_all(function *)
{
    in_lto_p = false;
    flag_openmp = 1;
    lang_hooks.decl_printable_name = name_as_compiled;
    read_units();
    for (const Place &p : to_describe) {
        described_unit = p.first;
        options = p.first->head.settings;
        options.notes = options.dump = options.report = false;
        optimize = p.first->head.optimising;
        lang_hooks.name = p.first->head.language.c_str();
        run_in_child(describe_again, DECL_STRUCT_FUNCTION(p.first->functions.at(p.second->uid)));
    }
}

void describe_whole_program(void (*describe)(function *))
{
    collect_units();
    choose_functions();
    describe_one = describe;
    if (!to_describe.empty())
        run_in_child(describe_all, nullptr);
    program.clear();
}

} // namespace pluss
