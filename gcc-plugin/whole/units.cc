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
 *
 * A function stays as it is described if it reaches a function whose unit could not write it: what
 * that one stores would not be known at the link.
 */
#include "whole/units.h"

#include "common/openmp.h"
#include "common/source_marks.h"
#include "common/statements.h"
#include "emit/apart.h"
#include "emit/emit.h"
#include "shadow/callee.h"
#include "shadow/effects.h"
#include "whole/archive.h"

namespace pluss
{

enum { FORMAT = 3 }; /* one more for each change of what is written below or in archive.h */

static const char any_lead[] = "#pluss.whole ";

/* The comment's beginning: by whom the rest is to be read. The unit's name follows, a space, and
 * the text. */
static std::string lead()
{
    return any_lead + std::to_string(FORMAT) + "." + std::to_string(sizeof(Options)) +
           " " PLUSSI_VERSION " " + gcc_version.basever + " " + gcc_version.datestamp + " ";
}

/* A unit's name: 16 digits that its text has to have. 64 bits of FNV-1a (Fowler, Noll, Vo). */
static std::string name_unit(const std::string &text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (unsigned char c : text)
        hash = (hash ^ c) * 0x100000001b3u;
    char name[17];
    snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(hash));
    return name;
}

/* The options by which the analysis takes the language. */
struct Rules {
    bool strict = true;     /* types tell accesses apart, ... */
    bool said_less = false; /* ... which was switched off */
    bool wraps = false, pointers_wrap = false, traps = false;
};

/* What is known of a function without reading its body. */
struct Offer {
    uint64_t uid = 0;
    std::vector<std::string> symbols; /* of its aliases, too; none: no other unit calls this body */
    std::string name;                 /* as it is printed */
    bool described = false;
    Rules rules;
    std::vector<uint64_t> mentioned; /* functions */
};

struct Unit {
    std::string language;
    Options settings;
    uint64_t optimising = 0;
    std::vector<Mark> marks;
    std::vector<Offer> offers;
    std::map<uint64_t, std::string> symbols; /* of functions that are mentioned */
    std::vector<uint64_t> unwritten;         /* functions of the unit that are no offers */
};

template <class T, class Each> static void archive_all(Archive &a, std::vector<T> *all, Each each)
{
    all->resize(a.count(all->size()));
    for (T &one : *all)
        each(&one);
}

static void archive_offer(Archive &a, Offer *o)
{
    a.number_at(&o->uid);
    archive_all(a, &o->symbols, [&](std::string *s) { a.string(s); });
    a.string(&o->name);
    o->described = a.flag(o->described);
    for (bool *rule : {&o->rules.strict, &o->rules.said_less, &o->rules.wraps,
                       &o->rules.pointers_wrap, &o->rules.traps})
        *rule = a.flag(*rule);
    archive_all(a, &o->mentioned, [&](uint64_t *uid) { a.number_at(uid); });
}

static void archive_head(Archive &a, Unit *u)
{
    a.string(&u->language);
    a.memory(&u->settings, &u->settings + 1);
    a.number_at(&u->optimising);
    archive_all(a, &u->marks, [&](Mark *m) {
        a.string(&m->file);
        m->line = a.number(m->line);
        m->schedule = static_cast<plussi_schedule_kind>(a.number(m->schedule));
        m->chunk = a.number(m->chunk);
    });
    archive_all(a, &u->offers, [&](Offer *o) { archive_offer(a, o); });
    std::vector<std::pair<uint64_t, std::string>> symbols(u->symbols.begin(), u->symbols.end());
    archive_all(a, &symbols, [&](std::pair<uint64_t, std::string> *s) {
        a.number_at(&s->first);
        a.string(&s->second);
    });
    u->symbols = std::map<uint64_t, std::string>(symbols.begin(), symbols.end());
    archive_all(a, &u->unwritten, [&](uint64_t *uid) { a.number_at(uid); });
}

/* One function: declaration, arguments, body. */
static tree archive_function(Archive &a, tree fn)
{
    a.node(&fn);
    tree owner = fn;
    function *f = a.writing ? DECL_STRUCT_FUNCTION(fn) : nullptr;
    const bool replaceable = a.flag(a.writing && may_be_replaced(fn));
    /* not the body of all calls, or an inline function of several units */
    if (!a.writing && (replaceable || DECL_STRUCT_FUNCTION(fn))) {
        owner = copy_node(fn);
        DECL_STRUCT_FUNCTION(owner) = nullptr;
        DECL_ARGUMENTS(owner) = NULL_TREE;
    }
    current_function_decl = a.writing ? current_function_decl : owner;
    tree *last = &DECL_ARGUMENTS(owner);
    const size_t arguments = a.count(a.writing ? list_length(*last) : 0);
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
    const bool replaceable = may_be_replaced(fn->decl);
    std::string symbol = DECL_EXTERNAL(fn->decl) || replaceable ? "" : symbol_of(fn->decl);
    if (!symbol.empty())
        o.symbols.push_back(symbol);
    o.described = described && !replaceable;
    o.rules.strict = flag_strict_aliasing;
    o.rules.said_less = global_options_set.x_flag_strict_aliasing && !flag_strict_aliasing;
    o.rules.wraps = flag_wrapv;
    o.rules.pointers_wrap = flag_wrapv_pointer;
    o.rules.traps = flag_trapv;
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

std::string emit_unit()
{
    if (unit.offers.empty() || seen_error())
        return "";
    std::map<uint64_t, Offer *> offers;
    for (Offer &o : unit.offers)
        offers[o.uid] = &o;
    cgraph_node *node;
    FOR_EACH_FUNCTION(node)
    if (node->alias && TREE_PUBLIC(node->decl)) {
        tree to = callee_target(node->decl);
        auto target = offers.find(DECL_UID(to));
        if (target != offers.end() && !may_be_replaced(to))
            target->second->symbols.push_back(symbol_of(node->decl));
    } else if (node->definition && !node->alias && !node->thunk &&
               !offers.count(DECL_UID(node->decl))) {
        unit.unwritten.push_back(DECL_UID(node->decl));
    }
    std::sort(unit.unwritten.begin(), unit.unwritten.end());
    unit.language = lang_hooks.name;
    unit.settings = options;
    /* What the link does not heed is not told apart: objects are the same with and without remarks.
     */
    unit.settings.notes = unit.settings.dump = unit.settings.report = false;
    unit.optimising = optimize;
    unit.marks = unit_marks();
    Archive head;
    archive_head(head, &unit);
    std::string bodies;
    bodies.swap(written.text);
    written.places();
    const std::string text = head.text + written.text + bodies, name = name_unit(text);
    const std::string all = lead() + name + " " + text;
    symtab->finalize_toplevel_asm(build_string(all.size(), all.c_str()));
    return name;
}

/* ---- linking --------------------------------------------------------------------------------- */

struct ReadUnit {
    ReadUnit(const std::string &n, const std::string &text) : name(n), archive(text) {}
    std::string name;
    Archive archive;
    Unit head;
    bool needed = false;
    std::map<uint64_t, const Offer *> offers; /* by number */
    std::map<uint64_t, tree> functions;
};

typedef std::pair<ReadUnit *, const Offer *> Place;

/* What a function reaches. */
struct Reach {
    std::set<ReadUnit *> units;
    bool others = false;    /* functions of other units */
    bool unwritten = false; /* functions that their unit could not write */
    Rules rules;            /* of all of them: where they differ, the one that promises less */
};

struct Described {
    Place place;
    Rules rules;
};

static std::deque<ReadUnit> program;
static std::vector<Described> to_describe;
static const ReadUnit *described_unit;
static void (*describe_one)(function *);
static bool again;

bool describes_again()
{
    return again;
}

static void join_rules(Rules *all, const Rules &more)
{
    all->strict &= more.strict;
    all->said_less |= more.said_less;
    all->wraps |= more.wraps;
    all->pointers_wrap |= more.pointers_wrap;
    all->traps |= more.traps;
}

static Reach find_reach(const Place &from, const std::map<std::string, Place> &definitions)
{
    std::set<Place> seen{from};
    std::vector<Place> work{from};
    Reach reach;
    while (!work.empty()) {
        const Place at = work.back();
        work.pop_back();
        reach.units.insert(at.first);
        join_rules(&reach.rules, at.second->rules);
        for (uint64_t uid : at.second->mentioned) {
            const std::vector<uint64_t> &unwritten = at.first->head.unwritten;
            reach.unwritten |= std::binary_search(unwritten.begin(), unwritten.end(), uid);
            Place to{nullptr, nullptr};
            auto own = at.first->offers.find(uid);
            if (own != at.first->offers.end())
                to = {at.first, own->second};
            auto symbol = at.first->head.symbols.find(uid);
            if (!to.second && symbol != at.first->head.symbols.end()) {
                auto known = definitions.find(symbol->second);
                if (known != definitions.end()) {
                    to = known->second;
                    reach.others = true;
                }
            }
            if (to.second && seen.insert(to).second)
                work.push_back(to);
        }
    }
    return reach;
}

/* What top-level asms hold of units. They are not needed after the link. */
static void collect_units()
{
    for (asm_node *node = symtab->first_asm_symbol(); node; node = node->next) {
        const std::string all(TREE_STRING_POINTER(node->asm_str),
                              TREE_STRING_LENGTH(node->asm_str));
        if (!plussi_startswith(all.c_str(), any_lead))
            continue;
        node->asm_str = build_string(1, "#");
        const size_t name = lead().size(), text = all.find(' ', name) + 1;
        if (!plussi_startswith(all.c_str(), lead().c_str()) || text == 0)
            continue;
        const std::string unit_name = all.substr(name, text - 1 - name), rest = all.substr(text);
        if (unit_name == name_unit(rest))
            program.emplace_back(unit_name, rest);
    }
}

static void choose_functions()
{
    std::map<std::string, Place> definitions;
    for (ReadUnit &u : program) {
        archive_head(u.archive, &u.head);
        for (const Offer &o : u.head.offers) {
            u.offers[o.uid] = &o;
            for (const std::string &s : o.symbols)
                definitions.insert({s, {&u, &o}});
        }
    }
    for (ReadUnit &u : program)
        for (const Offer &o : u.head.offers) {
            if (!o.described)
                continue;
            const Reach reach = find_reach({&u, &o}, definitions);
            if (reach.unwritten || (!reach.others && options.whole != Whole::All))
                continue;
            to_describe.push_back({{&u, &o}, reach.rules});
            for (ReadUnit *needed : reach.units)
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
        Archive &a = u.archive; /* after the head */
        a.places();
        a.find_symbol = [&](const std::string &symbol) {
            auto known = symbols.find(symbol);
            return known == symbols.end() ? NULL_TREE : known->second;
        };
        a.note_symbol = [&](const std::string &symbol, tree d) { symbols.insert({symbol, d}); };
        for (const Offer &o : u.head.offers)
            u.functions[o.uid] = archive_function(a, NULL_TREE);
    }
    for (const ReadUnit &u : program)
        for (auto &f : u.functions)
            for (const std::string &symbol : u.offers.at(f.first)->symbols) {
                auto known = symbols.find(symbol);
                if (known != symbols.end())
                    take_alias(known->second, f.second);
            }
    std::set<tree> all;
    for (const ReadUnit &u : program)
        for (auto &f : u.functions)
            if (DECL_STRUCT_FUNCTION(f.second) && all.insert(f.second).second) {
                note_effects(DECL_STRUCT_FUNCTION(f.second));
                take_body(DECL_STRUCT_FUNCTION(f.second));
            }
}

static void set_rules(const Rules &rules)
{
    flag_strict_aliasing = rules.strict;
    global_options_set.x_flag_strict_aliasing = rules.said_less;
    flag_wrapv = rules.wraps;
    flag_wrapv_pointer = rules.pointers_wrap;
    flag_trapv = rules.traps;
}

static std::string described_place;
static Rules described_rules;

/* In a child's child. */
static void describe_again(function *fn)
{
    again = true;
    take_place(described_place);
    set_cfun(fn, true);
    set_rules(described_rules);
    current_function_decl = fn->decl;
    input_location = DECL_SOURCE_LOCATION(fn->decl); /* of what the analysis declares */
    describe_one(fn);
}

/* In a child: the compiler is made to be that of the units. */
static void describe_all(function *)
{
    if (!in_child())
        return;
    choose_functions();
    if (to_describe.empty())
        return;
    in_lto_p = false;
    flag_openmp = 1;
    lang_hooks.decl_printable_name = name_as_compiled;
    read_units();
    for (const Described &d : to_describe) {
        const Place &p = d.place;
        described_unit = p.first;
        described_rules = d.rules;
        described_place = nest_place(p.first->name, p.second->uid);
        options = p.first->head.settings;
        optimize = p.first->head.optimising;
        set_unit_marks(p.first->head.marks);
        lang_hooks.name = p.first->head.language.c_str();
        run_in_child(describe_again, DECL_STRUCT_FUNCTION(p.first->functions.at(p.second->uid)));
    }
}

void describe_whole_program(void (*describe)(function *))
{
    collect_units();
    describe_one = describe;
    if (!program.empty())
        run_in_child(describe_all, nullptr);
    program.clear();
}

} // namespace pluss
