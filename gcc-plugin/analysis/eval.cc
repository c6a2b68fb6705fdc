/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values of SSA names as polynomials.
 *
 * Integer arithmetic is taken not to wrap around: that is the language's rule for signed numbers,
 * and for unsigned ones it is what index computations mean. Three things are watched nevertheless:
 * differences of unsigned numbers (wrap.cc); a constant with its top bit set in a sum or product of
 * unsigned numbers is the negative one that it stands for (i - 1u is i + 4294967295u, 2 * i - 4
 * also 2 * (i + 2147483646u)), and a product with a large constant (a hash) is not described. A
 * conversion to fewer than 32 bits keeps the value modulo 2^bits, as GCC defines it for signed
 * types too; only a loop's own counter is taken to stay in its type's range (loops.cc).
 *
 * Division in C rounds towards zero. It is a floor division where the dividend is provably not
 * negative, symbols counting as not negative (they are sizes); elsewhere both signs are spelled
 * out.
 *
 * A PHI outside of loop headers is a choice (conditions.cc); a PHI of a loop header is an atom,
 * which loops.cc gives its closed form.
 */
#include "analysis/analysis.h"

#include "base/arith.h"
#include "emit/note.h"

namespace pluss
{

bool is_number(tree type)
{
    return (INTEGRAL_TYPE_P(type) && TYPE_PRECISION(type) <= 64) || POINTER_TYPE_P(type);
}

bool constant_value(tree c, bool added, int64_t *out)
{
    tree type = TREE_TYPE(c);
    if (TYPE_UNSIGNED(type) && TYPE_PRECISION(type) <= 64) {
        unsigned HOST_WIDE_INT u = TREE_INT_CST_LOW(c);
        unsigned bits = TYPE_PRECISION(type);
        bool top = bits > 1 && (u >> (bits - 1)) & 1;
        if (bits == 64 || (added && top && bits >= 32))
            u = (unsigned HOST_WIDE_INT)sext_hwi(u, bits);
        *out = (int64_t)u;
        return true;
    }
    if (!tree_fits_shwi_p(c))
        return false;
    *out = tree_to_shwi(c);
    return true;
}

bool Analysis::runs_once(gimple *stmt)
{
    basic_block bb = gimple_bb(stmt);
    return !bb || loop_depth(bb->loop_father) == 0;
}

bool Analysis::changes_between_runs(const SymbolInfo &info) const
{
    if (info.origin.given)
        return shadow.changing.count({shadow.find_own(info.origin.given), 0}) != 0;
    const Object *o = info.object;
    if (!o || !o->decl || (o->kind != ObjectKind::Decl && o->kind != ObjectKind::Pointer))
        return false;
    const std::pair<tree, int64_t> place(shadow.find_own(o->decl), info.offset);
    return (o->kind == ObjectKind::Decl ? shadow.changing : shadow.changing_behind).count(place) !=
           0;
}

Poly Analysis::once_or_opaque(const std::string &key, const std::string &name, gimple *def,
                              const std::string &reason, tree type)
{
    location_t loc = gimple_location(def);
    if (!runs_once(def))
        return ex.opaque(NULL_TREE, reason, loc);
    SymbolInfo &info = symbols[key];
    if (info.name.empty()) {
        info.name = name;
        info.loc = loc;
        info.origin.def = def;
    }
    return ex.symbol(key, info.name, info.loc, type);
}

std::string ssa_key(tree name)
{
    return "ssa:" + std::to_string(SSA_NAME_VERSION(name));
}

Poly Analysis::make_leaf(tree name, gimple *def, const std::string &reason)
{
    if (POINTER_TYPE_P(TREE_TYPE(name))) {
        /* A pointer of unknown origin that is computed once points to an object of its own. */
        if (runs_once(def)) {
            Object *o = pointer_object(ssa_key(name), ObjectKind::Pointer, describe(name),
                                       TREE_TYPE(TREE_TYPE(name)), gimple_location(def));
            if (SSA_NAME_VAR(name))
                o->decl = SSA_NAME_VAR(name);
            o->origin.def = def;
            if (inside_parallel(def))
                o->is_private = true;
            return ex.base(o);
        }
        return ex.opaque(name, reason, gimple_location(def));
    }
    if (!runs_once(def) || !INTEGRAL_TYPE_P(TREE_TYPE(name)))
        return ex.opaque(name, reason, gimple_location(def));
    if (!same_for_all_threads(name))
        return ex.opaque(name, "`" + describe(name) + "' may differ from thread to thread",
                         gimple_location(def));
    return once_or_opaque(ssa_key(name), describe(name), def, reason, TREE_TYPE(name));
}

Poly Analysis::value(tree v)
{
    if (!is_number(TREE_TYPE(v)))
        return ex.opaque(NULL_TREE, "a value that is not an integer", UNKNOWN_LOCATION);
    switch (TREE_CODE(v)) {
    case INTEGER_CST: {
        int64_t c;
        if (constant_value(v, false, &c))
            return Poly(c);
        return ex.opaque(NULL_TREE, "a constant of more than 64 bits", UNKNOWN_LOCATION);
    }
    case SSA_NAME:
        return ssa_value(v);
    case ADDR_EXPR: {
        tree op = TREE_OPERAND(v, 0);
        if (TREE_CODE(op) == STRING_CST || TREE_CODE(op) == LABEL_DECL ||
            TREE_CODE(op) == FUNCTION_DECL)
            return ex.opaque(NULL_TREE, "the address of a constant", UNKNOWN_LOCATION);
        if (DECL_P(op))
            return ex.base(decl_object(op));
        /* &a[10], as an operand; those with variables in them are statements: see assign_value. */
        poly_int64 bytes;
        HOST_WIDE_INT k;
        tree base = get_addr_base_and_unit_offset(op, &bytes);
        if (base && DECL_P(base) && bytes.is_constant(&k))
            return ex.base(decl_object(base)) + Poly((int64_t)k);
        return ex.opaque(NULL_TREE, "an address", UNKNOWN_LOCATION);
    }
    default:
        return ex.opaque(NULL_TREE, "a value of another kind", UNKNOWN_LOCATION);
    }
}

/* The value that a parameter, or a variable without an assignment, has at the function's start. */
Poly Analysis::initial_value(tree name)
{
    tree var = SSA_NAME_VAR(name);
    std::string text = name_of(var), key = "var:" + std::to_string(DECL_UID(var));
    if (text.empty())
        text = "arg";
    bool is_param = TREE_CODE(var) == PARM_DECL, is_given = shadow.is_given(var);
    if (POINTER_TYPE_P(TREE_TYPE(name))) {
        Object *o = pointer_object(key, ObjectKind::Pointer, text, TREE_TYPE(TREE_TYPE(name)),
                                   DECL_SOURCE_LOCATION(var));
        o->decl = var;
        o->is_param = is_param;
        if (is_given)
            o->origin.given = var;
        o->is_restrict = TYPE_RESTRICT(TREE_TYPE(var)) || (is_param && lang_GNU_Fortran());
        if (shadow.private_vars.count(var))
            o->is_private = true;
        return ex.base(o);
    }
    if (!is_given) {
        const char *why = shadow.lone.count(var)
                              ? "' is what one thread made it, and not the others"
                              : "' has no value here";
        return ex.opaque(name, "`" + text + why, DECL_SOURCE_LOCATION(var));
    }
    SymbolInfo &info = symbols[key];
    info.name = text;
    info.loc = DECL_SOURCE_LOCATION(var);
    info.origin.given = var;
    return ex.symbol(key, info.name, info.loc, TREE_TYPE(name));
}

/* The one name that a PHI has besides its own, or NULL: a variable that a loop leaves alone has
 * such a PHI where another unused one was removed after it. */
static tree find_only_argument(gphi *phi)
{
    tree only = NULL_TREE;
    for (unsigned i = 0; i < gimple_phi_num_args(phi); i++) {
        tree argument = gimple_phi_arg_def(phi, i);
        if (argument == gimple_phi_result(phi))
            continue;
        if (only && argument != only)
            return NULL_TREE;
        only = argument;
    }
    return only;
}

/* PHIs that a PHI's value may come through, it among them, and the other names that it may be. */
struct Arrivals {
    std::vector<gphi *> phis;
    std::vector<tree> names;
};

/* False: there are too many, or one is no name. */
static bool find_arrivals(gphi *phi, Arrivals *arrivals)
{
    constexpr size_t MOST = 32;
    arrivals->phis.push_back(phi);
    for (size_t k = 0; k < arrivals->phis.size(); k++)
        for (unsigned i = 0; i < gimple_phi_num_args(arrivals->phis[k]); i++) {
            tree x = gimple_phi_arg_def(arrivals->phis[k], i);
            if (TREE_CODE(x) != SSA_NAME || arrivals->phis.size() + arrivals->names.size() > MOST)
                return false;
            gphi *from = dyn_cast<gphi *>(SSA_NAME_DEF_STMT(x));
            if (!from)
                arrivals->names.push_back(x);
            else if (std::find(arrivals->phis.begin(), arrivals->phis.end(), from) ==
                     arrivals->phis.end())
                arrivals->phis.push_back(from);
        }
    return true;
}

/* Is it computed, `depth` statements deep, from what none of the PHIs' blocks and loops changes? */
static bool is_fixed_for(const Arrivals &arrivals, tree name, int depth)
{
    if (TREE_CODE(name) != SSA_NAME)
        return is_gimple_min_invariant(name);
    gimple *def = SSA_NAME_DEF_STMT(name);
    if (SSA_NAME_IS_DEFAULT_DEF(name))
        return true;
    if (std::all_of(arrivals.phis.begin(), arrivals.phis.end(), [&](gphi *phi) {
            basic_block bb = gimple_bb(phi), from = gimple_bb(def);
            return bb != from && dominated_by_p(CDI_DOMINATORS, bb, from) &&
                   !flow_bb_inside_loop_p(bb->loop_father, from);
        }))
        return true;
    gassign *g = dyn_cast<gassign *>(def);
    if (!g || depth == 0)
        return false;
    if (gimple_vuse(g)) {
        tree base = gimple_assign_load_p(g) ? get_base_address(gimple_assign_rhs1(g)) : NULL_TREE;
        return base && (DECL_P(base) || (TREE_CODE(base) == MEM_REF &&
                                         is_fixed_for(arrivals, TREE_OPERAND(base, 0), depth - 1)));
    }
    for (unsigned i = 1; i < gimple_num_ops(g); i++)
        if (!is_fixed_for(arrivals, gimple_op(g, i), depth - 1))
            return false;
    return true;
}

/* The value of a PHI that has the same one whichever way control comes: the front ends compute
 * `(long) bs`, or load `m` of which there is a reference, anew wherever loops in one another need
 * it, but into one variable. */
bool Analysis::same_on_all_ways(gphi *phi, Poly *out)
{
    constexpr int DEEP = 4;
    constexpr unsigned varying = kind_bit(AtomKind::Phi) | kind_bit(AtomKind::Iv) |
                                 kind_bit(AtomKind::Load) | kind_bit(AtomKind::Opaque);
    Arrivals arrivals;
    if (!find_arrivals(phi, &arrivals) || arrivals.names.empty())
        return false;
    for (tree x : arrivals.names)
        if (!is_fixed_for(arrivals, x, DEEP))
            return false;
    *out = value(arrivals.names[0]);
    return !(out->kinds() & varying) && std::all_of(arrivals.names.begin(), arrivals.names.end(),
                                                    [&](tree x) { return value(x) == *out; });
}

/* The value that the statement which defines a name computes. */
Poly Analysis::defined_value(tree name)
{
    gimple *def = SSA_NAME_DEF_STMT(name);
    if (SSA_NAME_IS_DEFAULT_DEF(name))
        return initial_value(name);
    if (gassign *g = dyn_cast<gassign *>(def))
        return assign_value(g, name);
    if (gcall *g = dyn_cast<gcall *>(def))
        return call_value(g, name);
    gphi *g = dyn_cast<gphi *>(def);
    if (!g)
        return make_leaf(name, def, "the value of an asm statement");
    if (tree only = find_only_argument(g))
        return value(only);
    Poly r;
    if (same_on_all_ways(g, &r))
        return r;
    basic_block bb = gimple_bb(g);
    bool heads = bb->loop_father->header == bb && loop_depth(bb->loop_father) > 0;
    r = heads ? ex.phi(name) : phi_value(g);
    /* In an array descriptor a stride of 0 stands for 1. */
    const Atom *a = lang_GNU_Fortran() ? r.is_atom() : nullptr;
    bool stride = a && a->kind == AtomKind::Select && a->cond->op == Cond::Ne &&
                  a->cond->l == a->args[0] && a->cond->r.zero() && a->args[1] == Poly(1);
    return stride ? a->args[0] : r;
}

/* Is the place of an array an operand of a division or remainder: is it rounded? */
static bool has_rounded_place(const Poly &p)
{
    constexpr unsigned rounding = kind_bit(AtomKind::Div) | kind_bit(AtomKind::Mod);
    return (p.kinds() & rounding) && (p.kinds() & kind_bit(AtomKind::Base)) &&
           any_atom(p, [](const Atom *a) {
               return (a->kind == AtomKind::Div || a->kind == AtomKind::Mod) &&
                      (a->kinds & kind_bit(AtomKind::Base));
           });
}

/* A pointer that was rounded up to a whole line, once: an array of its own, within the other one.
 */
Poly Analysis::rounded_pointer(const Poly &p, tree name)
{
    gimple *def = SSA_NAME_DEF_STMT(name);
    if (!POINTER_TYPE_P(TREE_TYPE(name)) || !is_gimple_assign(def) || !runs_once(def) ||
        !has_rounded_place(p))
        return p;
    std::set<Object *> within;
    any_atom(p, [&](const Atom *a) {
        if (a->kind == AtomKind::Base)
            within.insert(a->object);
        return false;
    });
    const Atom *own = make_leaf(name, def, "").is_atom();
    if (!own || own->kind != AtomKind::Base)
        return p;
    for (Object *o : within)
        aliases.insert({std::min(o, own->object), std::max(o, own->object)});
    return Poly(own);
}

/* A value that is not described, but computed once: a symbol, or an object of its own. */
Poly Analysis::known_once(const Poly &p, tree name)
{
    gimple *def = SSA_NAME_DEF_STMT(name);
    if (SSA_NAME_IS_DEFAULT_DEF(name) || TREE_CODE(TREE_TYPE(name)) == BOOLEAN_TYPE ||
        !runs_once(def) || inside_parallel(def))
        return p;
    unsigned hits = busy_hits;
    if ((!p.bad && !find_opaque(resolve(p, outermost()))) || hits != busy_hits)
        return p;
    /* A part of a larger expression: that is the value, and may have a variable's name. */
    gimple *use;
    use_operand_p u;
    if (name_of(name).empty() && INTEGRAL_TYPE_P(TREE_TYPE(name)) &&
        single_imm_use(name, &u, &use) && is_gimple_assign(use) && runs_once(use) &&
        !inside_parallel(use) && TREE_CODE(gimple_assign_lhs(use)) == SSA_NAME &&
        INTEGRAL_TYPE_P(TREE_TYPE(gimple_assign_lhs(use))) &&
        TREE_CODE(TREE_TYPE(gimple_assign_lhs(use))) != BOOLEAN_TYPE)
        return p;
    return make_leaf(name, def, "");
}

Poly Analysis::ssa_value(tree name)
{
    auto it = memo.find(name);
    if (it != memo.end())
        return it->second;
    if (!open.insert(name).second) {
        busy_hits++;
        return ex.opaque(name, "a value that depends on itself", UNKNOWN_LOCATION);
    }
    /* If loads depend on stores that depend on loads, intermediate results are not kept and would
     * be computed again and again. */
    if (++effort > MAX_EFFORT || open.size() > MAX_DEPTH) {
        open.erase(name);
        return memo[name] = ex.opaque(name, "too much depends on too much", UNKNOWN_LOCATION);
    }
    met.resize(std::max<size_t>(met.size(), num_ssa_names), false);
    repeated += met[SSA_NAME_VERSION(name)];
    met[SSA_NAME_VERSION(name)] = true;
    unsigned hits = busy_hits;
    Poly r = known_once(rounded_pointer(defined_value(name), name), name);
    open.erase(name);
    if (hits == busy_hits || is_enough())
        memo[name] = r;
    return r;
}

Poly Analysis::truncated_div(const Poly &a, const Poly &b, bool is_unsigned)
{
    int64_t d;
    Poly exact;
    if (a.divide(b, &exact) && !b.zero())
        return exact;
    if (b.is_const(&d) ? d < 0 && d > INT64_MIN : !is_unsigned && is_size(-b))
        return -truncated_div(a, -b, is_unsigned);
    if (b.is_const(&d) && d <= 0)
        return ex.opaque(NULL_TREE, "a division by a number that is not positive", 0);
    if (is_unsigned || not_negative(a))
        return ex.div(a, b);
    return ex.select(ex.relation(Cond::Ge, a, Poly(0)), ex.div(a, b), -ex.div(-a, b));
}

Poly Analysis::convert(const Poly &p, tree to, tree from, tree source)
{
    if (!is_number(to) || !is_number(from))
        return ex.opaque(NULL_TREE, "a value converted from a type that is not an integer",
                         UNKNOWN_LOCATION);
    unsigned bits = TYPE_PRECISION(to);
    int64_t c;
    if (p.is_const(&c)) {
        if (bits == 64)
            return p;
        uint64_t u = (uint64_t)c & (((uint64_t)1 << bits) - 1);
        if (!TYPE_UNSIGNED(to) && (u >> (bits - 1)) & 1)
            u |= ~(((uint64_t)1 << bits) - 1);
        /* An unsigned constant that was negative stays negative: it will be added. */
        return bits >= 32 && c < 0 ? p : Poly((int64_t)u);
    }
    int64_t values = (int64_t)1 << (bits & 31);
    /* GCC computes in narrow signed types by unsigned arithmetic and a conversion back. */
    bool back = bits < 32 && bits == TYPE_PRECISION(from) && TYPE_UNSIGNED(from) &&
                !TYPE_UNSIGNED(to) && ex.without_range(p, values) != p;
    if (bits >= 32 || bits == 1 || (bits >= TYPE_PRECISION(from) && !back))
        return p;
    /* A conversion and back: (unsigned char)(int)x. */
    if (source && TREE_CODE(source) == SSA_NAME && is_gimple_assign(SSA_NAME_DEF_STMT(source)) &&
        gimple_assign_cast_p(SSA_NAME_DEF_STMT(source))) {
        tree inner = gimple_assign_rhs1(SSA_NAME_DEF_STMT(source));
        if (INTEGRAL_TYPE_P(TREE_TYPE(inner)) && TYPE_PRECISION(TREE_TYPE(inner)) <= bits &&
            TYPE_UNSIGNED(TREE_TYPE(inner)) == TYPE_UNSIGNED(to))
            return p;
    }
    if (TYPE_UNSIGNED(to))
        return ex.mod(p, Poly(values));
    return ex.mod(p + Poly(values / 2), Poly(values)) - Poly(values / 2);
}

/* The distance of two pointers that are loaded, or passed, separately (the end and the begin of a
 * vector) is a symbol, in elements. */
Poly Analysis::pointer_difference(const Poly &p)
{
    const Atom *up = nullptr, *down = nullptr;
    Poly rest;
    for (const Term &t : p.terms) {
        bool base =
            t.mono.size() == 1 &&
            (t.mono[0]->is_pointer_load() ||
             (t.mono[0]->kind == AtomKind::Base && t.mono[0]->object->kind == ObjectKind::Pointer));
        if (base && t.coef == 1 && !up) {
            up = t.mono[0];
        } else if (base && t.coef == -1 && !down) {
            down = t.mono[0];
        } else {
            rest = rest + Poly(t);
        }
    }
    if (!up || !down || up->kind != down->kind)
        return p;
    if (up->kind == AtomKind::Load) {
        auto one = load_ref.find(up), other = load_ref.find(down);
        int64_t apart = 0;
        if (one == load_ref.end() || other == load_ref.end())
            return p;
        tree to = TREE_TYPE(one->second.type);
        tree width = to ? TYPE_SIZE_UNIT(to) : NULL_TREE;
        if (!width || !tree_fits_shwi_p(width) || tree_to_shwi(width) <= 0)
            return p;
        /* Begin and end of a vector, loaded from one element of a table of vectors, are taken to
         * be one distance apart; others (index[u] and index[u + 1]) are what is stored there. */
        if (up->object != down->object || !(up->args[0] - down->args[0]).is_const(&apart) ||
            one->second.field.find("._M_") == std::string::npos) {
            Poly unit(tree_to_shwi(width));
            return rest + unit * ex.div(Poly(up) - Poly(down), unit);
        }
        std::string key = "rows:" + std::to_string((uintptr_t)up->object) + ":" +
                          std::to_string(apart) + ":" +
                          std::to_string(other->second.field_offset + other->second.last_offset);
        SymbolInfo &info = symbols[key];
        if (info.name.empty()) {
            info.name = up->object->name + "[].size()";
            info.loc = up->object->loc;
            note_loop(info.loc, "the rows of `" + up->object->name +
                                    "' are taken to be of one length, the symbol `" + info.name +
                                    "'");
        }
        return rest + Poly(tree_to_shwi(width)) * ex.symbol(key, info.name, info.loc);
    }
    tree type = up->object->type ? up->object->type : down->object->type;
    tree size = type ? TYPE_SIZE_UNIT(type) : NULL_TREE;
    /* In bytes, if the elements' size is not known: void *, rows of variable length. */
    int64_t unit =
        size && tree_fits_shwi_p(size) && tree_to_shwi(size) > 0 ? tree_to_shwi(size) : 1;
    std::string a = up->object->source, b = down->object->source, name = a + " - " + b;
    /* v._M_impl._M_finish - v._M_impl._M_start */
    size_t at = a.find("._M_");
    if (a == b)
        name = a + ".size()";
    else if (at != std::string::npos && a.substr(0, at) == b.substr(0, at))
        name = a.substr(0, at) + ".size()";
    std::string key = "diff:" + std::to_string(up->id) + ":" + std::to_string(down->id);
    SymbolInfo &info = symbols[key];
    info.name = name;
    info.loc = up->object->loc;
    info.up = up->object;
    info.down = down->object;
    info.unit = unit;
    return rest + Poly(unit) * ex.symbol(key, info.name, info.loc);
}

/* Of a pointer that a loop outside of parallel regions exchanges with others: the array that it
 * leads to, whose name it keeps. */
Poly Analysis::exchanged_start(const Poly &p)
{
    const Atom *a = p.is_atom();
    gphi *phi = a && a->kind == AtomKind::Phi ? as_a<gphi *>(SSA_NAME_DEF_STMT(a->ssa)) : nullptr;
    if (!phi || inside_parallel(phi))
        return p;
    const class loop *l = gimple_bb(phi)->loop_father;
    for (auto &s : get_loop(l)->swaps)
        if (s.first == a->ssa || s.second == a->ssa) {
            Poly start = closed_form(a->ssa, l, NULL);
            return find_opaque(start) ? p : start;
        }
    return p;
}

/* A truth value made of others. */
Poly Analysis::read_truth(tree name, gassign *g)
{
    return truth_value(read_nonzero(name, g), name, g);
}

/* 1 or 0 as a condition holds or not, which a statement assigns to a name. */
Poly Analysis::truth_value(const Cond *c, tree name, gassign *g)
{
    if (find_unknown(c).empty())
        return ex.select(c, Poly(1), Poly(0));
    return make_leaf(name, g, "a truth value that is not described: " + find_unknown(c));
}

/* An operand of a sum or product: constants with the top bit set are negative. */
Poly Analysis::term_value(tree t)
{
    int64_t c;
    return TREE_CODE(t) == INTEGER_CST && constant_value(t, true, &c) ? Poly(c) : value(t);
}

/* Narrow unsigned arithmetic does wrap around, on purpose. */
static Poly wrap_narrow(Exprs &ex, const Poly &p, tree type)
{
    unsigned bits = TYPE_PRECISION(type);
    if (!INTEGRAL_TYPE_P(type) || !TYPE_UNSIGNED(type) || bits == 1 || bits > 32 || p.bad)
        return p;
    return bits < 32 ? ex.mod(p, Poly((int64_t)1 << bits))
                     : p + Poly(sext_hwi(p.constant(), 32) - p.constant());
}

Poly Analysis::sum_or_product(gassign *g, tree name)
{
    tree a = gimple_assign_rhs1(g), b = gimple_assign_rhs2(g), type = TREE_TYPE(name);
    switch (gimple_assign_rhs_code(g)) {
    case PLUS_EXPR:
    case POINTER_PLUS_EXPR:
        return wrap_narrow(ex, term_value(a) + term_value(b), type);
    case MINUS_EXPR:
        return wrap_narrow(ex, term_value(a) - term_value(b), type);
    case NEGATE_EXPR:
        return wrap_narrow(ex, -value(a), type);
    default:
        break;
    }
    Poly x = term_value(a), y = term_value(b);
    int64_t k;
    if (TYPE_UNSIGNED(type) && TYPE_PRECISION(type) < 64)
        for (const Poly *p : {&x, &y})
            if (p->is_const(&k) && (k >= 1 << 20 || k <= -(1 << 20)))
                return ex.opaque(name, "unsigned arithmetic that wraps around", gimple_location(g));
    return wrap_narrow(ex, x * y, type);
}

Poly Analysis::converted_value(gassign *g, tree name)
{
    tree a = gimple_assign_rhs1(g), type = TREE_TYPE(name);
    if (gimple_assign_rhs_code(g) == VIEW_CONVERT_EXPR)
        a = TREE_OPERAND(a, 0);
    if (!is_number(TREE_TYPE(a)))
        return make_leaf(name, g, "a value converted from a type that is not an integer");
    Poly p = value(a);
    if (TYPE_PRECISION(type) > TYPE_PRECISION(TREE_TYPE(a)))
        p = unwrap(p, TREE_TYPE(a), g, is_subscript(name, 3) ? Wrapped::Place : Wrapped::Size);
    return convert(p, type, TREE_TYPE(a), a);
}

/* The pointer to a row of a table, as it is loaded from there. */
Poly Analysis::row_pointer(const Ref &r)
{
    return ex.load(r.object->table, r.path[0], {r.path.begin() + 1, r.path.end()},
                   POINTER_SIZE_UNITS, false, true);
}

Poly Analysis::address_value(gassign *g, tree name)
{
    tree op = TREE_OPERAND(gimple_assign_rhs1(g), 0);
    if (TREE_CODE(op) == STRING_CST || TREE_CODE(op) == FUNCTION_DECL)
        return value(gimple_assign_rhs1(g));
    Ref r;
    if (!find_address(op, gimple_bb(g), &r, false) && !r.is_constant)
        return ex.opaque(name, r.reason, gimple_location(g));
    if (r.object->kind == ObjectKind::Rows)
        return row_pointer(r) + r.offset;
    return ex.base(r.object) + r.offset;
}

/* Divisions, remainders and shifts. False: it is not described. */
bool Analysis::divide_or_shift(gassign *g, Poly *out)
{
    tree a = gimple_assign_rhs1(g), b = gimple_assign_rhs2(g);
    tree type = TREE_TYPE(gimple_assign_lhs(g));
    const class loop *l = gimple_bb(g)->loop_father;
    tree_code code = gimple_assign_rhs_code(g);
    int64_t k;
    switch (code) {
    case LSHIFT_EXPR:
    case RSHIFT_EXPR:
        if (!value(b).is_const(&k) || k < 0 || k >= 62)
            return false;
        *out = code == LSHIFT_EXPR ? value(a) * Poly((int64_t)1 << k)
                                   : ex.div(unwrap(value(a), type, g), Poly((int64_t)1 << k));
        return true;
    case TRUNC_DIV_EXPR:
    case EXACT_DIV_EXPR:
        *out = truncated_div(unwrap(value(a), type, g), unwrap(value(b), type, g),
                             TYPE_UNSIGNED(type) || not_negative(resolve(value(a), l)));
        return true;
    case FLOOR_DIV_EXPR:
        *out = ex.div(value(a), value(b));
        return true;
    case CEIL_DIV_EXPR:
        *out = -ex.div(-value(a), value(b));
        return true;
    case FLOOR_MOD_EXPR:
        *out = ex.mod(value(a), value(b));
        return true;
    default:
        break;
    }
    Poly x = value(a), y = unwrap(value(b), type, g);
    if (y.is_const(&k) && k <= 0)
        return false;
    if (!y.is_const(&k) || (k & (k - 1)))
        x = unwrap(x, type, g);
    *out = TYPE_UNSIGNED(type) || not_negative(resolve(x, l)) ? ex.mod(x, y)
                                                              : x - y * truncated_div(x, y, false);
    return true;
}

/* Is it 0 or 1: a truth value, or one that was converted to an integer? */
bool Analysis::is_truth(const Poly &p)
{
    int64_t c = 0;
    const Atom *a = p.is_atom();
    if (p.is_const(&c))
        return c == 0 || c == 1;
    return a && ((a->kind == AtomKind::Select && is_truth(a->args[0]) && is_truth(a->args[1])) ||
                 (a->kind == AtomKind::Mod && a->args[1] == Poly(2)));
}

/* x & mask of a number of any sign, if it is low bits, high bits or one bit. False: it is none. */
bool Analysis::mask_bits(const Poly &x, int64_t mask, Poly *out)
{
    bool low = mask >= 0 && ((mask + 1) & mask) == 0 && mask < INT64_MAX;
    bool high = mask < 0 && ((-mask) & (-mask - 1)) == 0 && mask > INT64_MIN;
    bool one = mask > 0 && (mask & (mask - 1)) == 0 && mask < (int64_t)1 << 62;
    if (low)
        *out = ex.mod(x, Poly(mask + 1));
    else if (high)
        *out = x - ex.mod(x, Poly(-mask));
    else if (one)
        *out = Poly(mask) * ex.mod(ex.div(x, Poly(mask)), Poly(2));
    return low || high || one;
}

/* Bitwise operations, truth values among them. False: it is not described. */
bool Analysis::combine_bits(gassign *g, tree name, Poly *out)
{
    tree a = gimple_assign_rhs1(g), b = gimple_assign_rhs2(g);
    tree_code code = gimple_assign_rhs_code(g);
    int64_t k;
    bool truth = TREE_CODE(TREE_TYPE(name)) == BOOLEAN_TYPE;
    if (code == BIT_NOT_EXPR) {
        *out = truth ? Poly(1) - value(a) : -value(a) - Poly(1);
        return true;
    }
    if (truth && code != BIT_XOR_EXPR) {
        *out = read_truth(name, g);
        return true;
    }
    Poly x = value(a), y = value(b), common;
    if (y.is_const(&k) && (code == BIT_XOR_EXPR ? k == 1 : mask_bits(x, k, &common))) {
        if (code == BIT_XOR_EXPR)
            common = ex.mod(x, Poly(2));
        *out = code == BIT_AND_EXPR   ? common
               : code == BIT_IOR_EXPR ? x + Poly(k) - common
                                      : x + Poly(1) - Poly(2) * common;
        return true;
    }
    if (code != BIT_XOR_EXPR && is_truth(x) && is_truth(y)) {
        const Cond *l = ex.relation(Cond::Ne, x, Poly(0)), *r = ex.relation(Cond::Ne, y, Poly(0));
        *out = ex.select(code == BIT_AND_EXPR ? ex.both(l, r) : ex.either(l, r), Poly(1), Poly(0));
        return true;
    }
    return false;
}

Poly Analysis::chosen_value(gassign *g)
{
    tree a = gimple_assign_rhs1(g);
    const Cond *c = COMPARISON_CLASS_P(a)
                        ? read_comparison(TREE_CODE(a), TREE_OPERAND(a, 0), TREE_OPERAND(a, 1), g)
                        : read_nonzero(a, g);
    return ex.select(c, value(gimple_assign_rhs2(g)), value(gimple_assign_rhs3(g)));
}

/* The value of a statement of another kind: a minimum, a load, a comparison. False: it is not
 * described. */
bool Analysis::other_value(gassign *g, tree name, Poly *out)
{
    tree a = gimple_assign_rhs1(g), b = gimple_assign_rhs2(g), type = TREE_TYPE(name);
    tree_code code = gimple_assign_rhs_code(g);
    if (code == ABS_EXPR || code == ABSU_EXPR)
        *out = ex.max(value(a), -value(a));
    else if (code == MIN_EXPR)
        *out = ex.min(unwrap(value(a), type, g), unwrap(value(b), type, g));
    else if (code == MAX_EXPR && lang_GNU_Fortran() && integer_zerop(b) &&
             SSA_NAME_IDENTIFIER(name) &&
             strchr(IDENTIFIER_POINTER(SSA_NAME_IDENTIFIER(name)), '.'))
        *out = value(a); /* a size that gfortran computes: no dimension is negative */
    else if (code == MAX_EXPR)
        *out = ex.max(unwrap(value(a), type, g), unwrap(value(b), type, g));
    else if (TREE_CODE_CLASS(code) == tcc_comparison)
        *out = truth_value(read_comparison(code, a, b, g), name, g);
    else if (gimple_assign_load_p(g))
        *out = read_load(g, a);
    else
        return false;
    return true;
}

/* Is it a distance between pointers of which one is what a loop or a branch left it? */
static bool is_distance_of_found(const Poly &p)
{
    return any_atom(p, [](const Atom *a) {
        const gimple *def = a->kind == AtomKind::Base ? a->object->origin.def : nullptr;
        return def && gimple_code(def) == GIMPLE_PHI;
    });
}

Poly Analysis::assign_value(gassign *g, tree name)
{
    tree a = gimple_assign_rhs1(g), b = gimple_assign_rhs2(g);
    tree_code code = gimple_assign_rhs_code(g);
    if (!is_number(TREE_TYPE(name)))
        return ex.opaque(name, "a value that is not an integer", gimple_location(g));
    Poly r;
    bool known = false;
    switch (code) {
    case PLUS_EXPR:
    case POINTER_PLUS_EXPR:
    case MINUS_EXPR:
    case MULT_EXPR:
    case NEGATE_EXPR:
        return sum_or_product(g, name);
    case POINTER_DIFF_EXPR:
        r = exchanged_start(value(a)) - exchanged_start(value(b));
        if (r.kinds() & (kind_bit(AtomKind::Phi) | kind_bit(AtomKind::Base))) {
            Poly found = resolve(r, gimple_bb(g)->loop_father);
            if (is_distance_of_found(found)) {
                if (runs_once(g) && !inside_parallel(g))
                    return ex.opaque(name, "the distance of two pointers", gimple_location(g));
                r = found;
            }
        }
        return pointer_difference(r);
    CASE_CONVERT:
    case VIEW_CONVERT_EXPR:
        return converted_value(g, name);
    case FIX_TRUNC_EXPR:
        if (find_whole_value(a, g, &r))
            return convert(r, TREE_TYPE(name), long_long_integer_type_node, NULL_TREE);
        break;
    case SSA_NAME:
    case INTEGER_CST:
        return value(a);
    case ADDR_EXPR:
        return address_value(g, name);
    case COND_EXPR:
        return chosen_value(g);
    case LSHIFT_EXPR:
    case RSHIFT_EXPR:
    case TRUNC_DIV_EXPR:
    case EXACT_DIV_EXPR:
    case FLOOR_DIV_EXPR:
    case CEIL_DIV_EXPR:
    case TRUNC_MOD_EXPR:
    case FLOOR_MOD_EXPR:
        known = divide_or_shift(g, &r);
        break;
    case BIT_NOT_EXPR:
    case BIT_AND_EXPR:
    case BIT_IOR_EXPR:
    case BIT_XOR_EXPR:
        known = combine_bits(g, name, &r);
        break;
    default:
        known = other_value(g, name, &r);
    }
    return known ? r
                 : make_leaf(name, g,
                             "`" + describe(name) + "' is computed by " + get_tree_code_name(code) +
                                 ", which is not described");
}

static bool is_call_of(gcall *g, std::initializer_list<built_in_function> list)
{
    tree fn = gimple_call_fndecl(g);
    return fn && fndecl_built_in_p(fn, BUILT_IN_NORMAL) &&
           std::find(list.begin(), list.end(), DECL_FUNCTION_CODE(fn)) != list.end();
}

/* The variable that an allocated block ends up in: its name, declaration and type. */
struct BlockVariable {
    std::string name;
    tree decl, type;
};

static BlockVariable find_block_variable(Analysis &an, tree result)
{
    BlockVariable v = {name_of(result), SSA_NAME_VAR(result), TREE_TYPE(TREE_TYPE(result))};
    tree user = result;
    for (int hops = 0; hops < 8; hops++) {
        gimple *use;
        use_operand_p u;
        if (!single_imm_use(user, &u, &use) || !is_gimple_assign(use) ||
            !(gimple_assign_cast_p(use) || gimple_assign_single_p(use)))
            break;
        if (TREE_CODE(gimple_assign_lhs(use)) != SSA_NAME) {
            if (v.name.empty() && gimple_assign_rhs1(use) == user)
                v.name = an.describe(gimple_assign_lhs(use));
            break;
        }
        user = gimple_assign_lhs(use);
        if (!name_of(user).empty()) {
            v.name = name_of(user);
            v.decl = SSA_NAME_VAR(user);
        }
        v.type = TREE_TYPE(TREE_TYPE(user));
    }
    return v;
}

/* A block that a call allocates: an object of its own. */
Poly Analysis::allocated_block(gcall *g, tree name)
{
    std::string f = name_of(gimple_call_fndecl(g));
    BlockVariable v = find_block_variable(*this, name);
    Object *o = pointer_object(ssa_key(name), ObjectKind::Heap, v.name.empty() ? "block" : v.name,
                               v.type, gimple_location(g));
    o->decl = v.decl;
    auto vla = shadow.vla_pointer.find(v.decl);
    if (vla != shadow.vla_pointer.end()) {
        o->decl = vla->second;
        o->name = name_of(o->decl);
        o->loc = DECL_SOURCE_LOCATION(o->decl);
        o->type = TREE_TYPE(o->decl);
    }
    unsigned args = gimple_call_num_args(g);
    if (f == "malloc" || f == "alloca" || is_call_of(g, {BUILT_IN_ALLOCA_WITH_ALIGN}))
        o->bytes = value(gimple_call_arg(g, 0));
    else if (f == "calloc" && args == 2)
        o->bytes = value(gimple_call_arg(g, 0)) * value(gimple_call_arg(g, 1));
    else if (f == "aligned_alloc" && args == 2)
        o->bytes = value(gimple_call_arg(g, 1));
    o->origin.def = g;
    if (inside_parallel(g))
        o->is_private = true;
    return ex.base(o);
}

Poly Analysis::call_value(gcall *g, tree name)
{
    bool inside = inside_parallel(g);
    if (gimple_call_internal_p(g, IFN_BUILTIN_EXPECT) ||
        is_call_of(g, {BUILT_IN_EXPECT, BUILT_IN_EXPECT_WITH_PROBABILITY, BUILT_IN_ASSUME_ALIGNED}))
        return value(gimple_call_arg(g, 0));
    if (is_call_of(g, {BUILT_IN_ABS, BUILT_IN_LABS, BUILT_IN_LLABS})) {
        Poly x = value(gimple_call_arg(g, 0));
        return ex.max(x, -x);
    }
    TeamQuery query = read_team_query(g);
    if (query == TeamQuery::ThreadNumber)
        return inside ? ex.simple(AtomKind::Thread) : Poly(0);
    if (query == TeamQuery::TeamSize)
        return inside ? ex.simple(AtomKind::Team) : Poly(1);
    if (POINTER_TYPE_P(TREE_TYPE(name)) &&
        ((gimple_call_flags(g) & ECF_MALLOC) ||
         is_call_of(g, {BUILT_IN_ALLOCA, BUILT_IN_ALLOCA_WITH_ALIGN})))
        return allocated_block(g, name);
    tree fn = gimple_call_fndecl(g);
    std::string f = fn && DECL_NAME(fn) ? IDENTIFIER_POINTER(DECL_NAME(fn)) : "";
    return make_leaf(name, g,
                     "the result of a call" + (f.empty() ? std::string() : " to `" + f + "'") +
                         " may change from one iteration to the next");
}

Poly Analysis::resolve(const Poly &p, const class loop *at, const class loop *keep)
{
    constexpr unsigned varying = kind_bit(AtomKind::Phi) | kind_bit(AtomKind::Iv);
    Poly r = ex.replace(p, varying, [&](const Atom *a, Poly *out) {
        if (a->kind == AtomKind::Phi) {
            const class loop *l = gimple_bb(SSA_NAME_DEF_STMT(a->ssa))->loop_father;
            if (l == keep)
                return false;
            *out = closed_form(a->ssa, at, keep);
            return true;
        }
        if (a->kind == AtomKind::Iv && a->loop->cfg != at &&
            !flow_loop_nested_p(a->loop->cfg, at)) {
            *out = ex.opaque(NULL_TREE, "a value computed inside of a loop is used after it",
                             a->loop->loc);
            return true;
        }
        return false;
    });
    /* A PHI that moves along with another one is expressed by that one: it cancelled, or has a
     * form. */
    bool left = (r.kinds() & kind_bit(AtomKind::Phi)) && any_atom(r, [&](const Atom *a) {
                    return a->kind == AtomKind::Phi &&
                           gimple_bb(SSA_NAME_DEF_STMT(a->ssa))->loop_father != keep;
                });
    if (left && !last_resort) {
        last_resort = true;
        r = resolve(r, at, keep);
        last_resort = false;
    }
    /* A remainder that changes nothing: k % 64 for 0 <= k < 64. */
    return ex.replace(r, kind_bit(AtomKind::Mod), [&](const Atom *a, Poly *out) {
        int64_t m = 0, least = 0, most = 0;
        Poly low, high;
        if (!a->args[1].is_const(&m) || !lower_bound(ex, a->args[0], &low) ||
            !low.is_const(&least) || least < 0 || !upper_bound(ex, a->args[0], &high) ||
            !high.is_const(&most) || most >= m)
            return false;
        *out = a->args[0];
        return true;
    });
}

} // namespace pluss
