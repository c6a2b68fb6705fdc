/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See effects.h. Functions that come later than the caller are gimplified now, as in callee.cc.
 *
 * Where a pointer leads is found without the order of statements: a local pointer that no pointer
 * leads to has the origins of all that is assigned to it, which are arguments, variables of the
 * function itself (no one else's concern), global variables, or unknown (loaded, a result). A store
 * through it is one through each of its origins. At a call, what the callee stores through an
 * argument is stored through that argument's origins.
 */
#include "shadow/effects.h"

#include "common/openmp.h"
#include "common/statements.h"
#include "shadow/callee.h"
#include "shadow/library.h"

namespace pluss
{

/* Where a pointer may lead. */
struct Origins {
    std::set<unsigned> arguments;
    std::set<tree> variables; /* global ones */
    bool unknown = false;
    size_t size() const { return arguments.size() + variables.size() + unknown; }
    bool add(const Origins &o)
    {
        const size_t before = size();
        arguments.insert(o.arguments.begin(), o.arguments.end());
        variables.insert(o.variables.begin(), o.variables.end());
        unknown |= o.unknown;
        return size() != before;
    }
};

struct OwnCall {
    tree fn;
    std::vector<Origins> arguments;
};

struct OwnEffects {
    Effects effects;      /* without what it calls */
    std::set<tree> named; /* functions: they may be called */
    std::vector<OwnCall> calls;
};

static std::map<tree, OwnEffects> own;

/* Reads a body. */
class Reader
{
  public:
    Reader(tree fn, gimple_seq body);
    OwnEffects found;

  private:
    std::map<tree, Origins> pointers; /* local variables and SSA names */
    std::set<tree> library;           /* functions that are called and known by name */
    const Origins unknown = {{}, {}, true};

    Origins origins_of(tree pointer);
    void assign(tree to, tree from, bool *changed);
    void find_origins(const std::vector<gimple *> &all);
    void note_store(tree to, tree type);
    void note_through(const Origins &to, tree type);
    void note_clauses(gimple *g);
    void note_call(gcall *g);
    static tree note_function(tree *tp, int *walk_subtrees, void *data);
};

tree Reader::note_function(tree *tp, int *walk_subtrees, void *data)
{
    if (TYPE_P(*tp))
        *walk_subtrees = 0;
    else if (TREE_CODE(*tp) == FUNCTION_DECL)
        walk_info<OwnEffects>(data)->named.insert(*tp); /* or its address is taken */
    return NULL_TREE;
}

/* The pointer that an access is made through; the variable, if it is none. */
static tree base_of(tree ref)
{
    ref = strip_components(ref);
    return TREE_CODE(ref) == MEM_REF || TREE_CODE(ref) == INDIRECT_REF ? TREE_OPERAND(ref, 0) : ref;
}

Origins Reader::origins_of(tree pointer)
{
    STRIP_NOPS(pointer);
    if (TREE_CODE(pointer) == POINTER_PLUS_EXPR)
        return origins_of(TREE_OPERAND(pointer, 0));
    if (TREE_CODE(pointer) == ADDR_EXPR) {
        tree ref = strip_components(TREE_OPERAND(pointer, 0));
        if (TREE_CODE(ref) == MEM_REF || TREE_CODE(ref) == INDIRECT_REF)
            return origins_of(TREE_OPERAND(ref, 0));
        if (VAR_P(ref) && is_global_var(ref))
            return {{}, {ref}, false};
        return DECL_P(ref) && TREE_CODE(ref) != FUNCTION_DECL ? Origins() : unknown;
    }
    if (TREE_CODE(pointer) == INTEGER_CST || TREE_CODE(pointer) == STRING_CST)
        return Origins();
    auto known = pointers.find(pointer);
    return known == pointers.end() ? unknown : known->second;
}

void Reader::assign(tree to, tree from, bool *changed)
{
    auto at = pointers.find(to);
    if (at != pointers.end())
        *changed |= at->second.add(from ? origins_of(from) : unknown);
}

static bool is_plain_pointer(tree var)
{
    if (!POINTER_TYPE_P(TREE_TYPE(var)))
        return false;
    return TREE_CODE(var) == SSA_NAME ||
           (!TREE_ADDRESSABLE(var) &&
            (TREE_CODE(var) == PARM_DECL || (VAR_P(var) && !is_global_var(var))));
}

void Reader::find_origins(const std::vector<gimple *> &all)
{
    for (gimple *g : all)
        if (tree to = gimple_get_lhs(g))
            if (is_plain_pointer(to))
                pointers.insert({to, Origins()});
    for (bool changed = true; changed;) {
        changed = false;
        for (gimple *g : all) {
            tree to = gimple_get_lhs(g);
            gassign *a = dyn_cast<gassign *>(g);
            if (gomp_for *f = dyn_cast<gomp_for *>(g))
                for (size_t d = 0; d < gimple_omp_for_collapse(f); d++)
                    assign(gimple_omp_for_index(f, d), gimple_omp_for_initial(f, d), &changed);
            if (gomp_atomic_load *l = dyn_cast<gomp_atomic_load *>(g))
                assign(gimple_omp_atomic_load_lhs(l), NULL_TREE, &changed);
            if (!to)
                continue;
            tree_code code = a ? gimple_assign_rhs_code(a) : ERROR_MARK;
            if (a && (gimple_assign_single_p(a) || gimple_assign_cast_p(a) ||
                      code == POINTER_PLUS_EXPR)) {
                assign(to, gimple_assign_rhs1(a), &changed);
            } else if (code == COND_EXPR) {
                assign(to, gimple_assign_rhs2(a), &changed);
                assign(to, gimple_assign_rhs3(a), &changed);
            } else if (a && (code == MIN_EXPR || code == MAX_EXPR)) {
                assign(to, gimple_assign_rhs1(a), &changed);
                assign(to, gimple_assign_rhs2(a), &changed);
            } else {
                assign(to, NULL_TREE, &changed);
            }
        }
    }
}

bool may_be_pointed_to(tree variable)
{
    return !is_global_var(variable) || TREE_PUBLIC(variable) || DECL_EXTERNAL(variable) ||
           TREE_ADDRESSABLE(variable) || lookup_attribute("used", DECL_ATTRIBUTES(variable));
}

static bool add_types(std::set<tree> *to, const std::set<tree> &more)
{
    const size_t before = to->size();
    to->insert(more.begin(), more.end());
    return to->size() != before;
}

/* A store to a global variable. */
static bool note_variable(Effects *e, tree variable, const std::set<tree> &types)
{
    bool more = e->stored.insert(variable).second;
    if (may_be_pointed_to(variable))
        more |= add_types(&e->named, types);
    return more;
}

void Reader::note_through(const Origins &to, tree type)
{
    if (to.unknown)
        found.effects.elsewhere.insert(type);
    for (unsigned i : to.arguments)
        found.effects.through[i].insert(type);
    for (tree variable : to.variables)
        note_variable(&found.effects, variable, {type});
}

/* What is assigned to, in a statement or by a clause. */
void Reader::note_store(tree to, tree type)
{
    if (!to || TREE_CODE(to) == SSA_NAME)
        return;
    /* a bit-field shares its bytes with others: like the whole of what it is in */
    if (TREE_CODE(to) == BIT_FIELD_REF ||
        (TREE_CODE(to) == COMPONENT_REF && DECL_BIT_FIELD_TYPE(TREE_OPERAND(to, 1))))
        type = TREE_TYPE(TREE_OPERAND(to, 0));
    type = TYPE_MAIN_VARIANT(type);
    tree base = base_of(to);
    if (TREE_CODE(base) == ADDR_EXPR && DECL_P(strip_components(TREE_OPERAND(base, 0))))
        base = strip_components(TREE_OPERAND(base, 0));
    else if (base != strip_components(to) || !DECL_P(base)) {
        note_through(origins_of(base), type);
        return;
    }
    if (VAR_P(base) && is_global_var(base)) {
        note_variable(&found.effects, base, {type});
    } else if (TREE_CODE(base) == RESULT_DECL && DECL_BY_REFERENCE(base)) {
        found.effects.elsewhere.insert(type);
    }
}

/* Clauses that copy values out of a construct, or change them. */
void Reader::note_clauses(gimple *g)
{
    tree clauses = get_clauses(g);
    if (is_a<gimple_statement_omp_taskreg *>(g))
        clauses = gimple_omp_taskreg_clauses(g);
    for (tree c = clauses; c; c = OMP_CLAUSE_CHAIN(c))
        switch (OMP_CLAUSE_CODE(c)) {
        case OMP_CLAUSE_LASTPRIVATE:
        case OMP_CLAUSE_LINEAR:
        case OMP_CLAUSE_REDUCTION:
        case OMP_CLAUSE_IN_REDUCTION:
        case OMP_CLAUSE_TASK_REDUCTION:
        case OMP_CLAUSE_COPYPRIVATE:
        case OMP_CLAUSE_COPYIN: {
            /* of an array, its elements; of a reference, what it refers to */
            tree to = OMP_CLAUSE_DECL(c), type = TREE_TYPE(to);
            note_store(to, void_type_node);
            if (DECL_P(to) && POINTER_TYPE_P(type))
                note_through(origins_of(to), void_type_node);
            break;
        }
        default:
            break;
        }
}

void Reader::note_call(gcall *g)
{
    if (gimple_call_internal_p(g))
        return;
    tree fn = gimple_call_fndecl(g);
    const bool by_pointer = fn && gives_by_pointer(g), known = fn && changes_by_arguments(fn);
    const bool harmless = is_harmless(g) && !is_taken_for_clock(g);
    if (fn && (harmless || known))
        library.insert(fn);
    if (harmless && !by_pointer)
        return;
    OwnCall call = {fn, {}};
    for (unsigned i = 0; i < gimple_call_num_args(g); i++) {
        tree argument = gimple_call_arg(g, i);
        const bool pointer = POINTER_TYPE_P(TREE_TYPE(argument));
        call.arguments.push_back(pointer ? origins_of(argument) : Origins());
        if (pointer && (by_pointer || known))
            note_through(call.arguments.back(), void_type_node);
    }
    if (!fn || gimple_call_chain(g))
        found.effects.leaves_unit = true;
    else if (!by_pointer && !known)
        found.calls.push_back(call);
}

Reader::Reader(tree fn, gimple_seq body)
{
    std::vector<gimple *> all = list_statements(body);
    unsigned n = 0;
    for (tree p = DECL_ARGUMENTS(fn); p; p = DECL_CHAIN(p), n++)
        if (is_plain_pointer(p))
            pointers[p].arguments.insert(n);
    find_origins(all);
    walk_sequence(body, NULL, note_function, &found);
    for (gimple *g : all) {
        tree to = is_gimple_assign(g) || is_gimple_call(g) ? gimple_get_lhs(g) : NULL_TREE;
        if (to && !gimple_clobber_p(g))
            note_store(to, TREE_TYPE(to));
        if (gomp_atomic_load *a = dyn_cast<gomp_atomic_load *>(g)) { /* of an update */
            tree place = gimple_omp_atomic_load_rhs(a);
            tree type = TREE_TYPE(gimple_omp_atomic_load_lhs(a));
            if (TREE_CODE(place) == ADDR_EXPR)
                note_store(TREE_OPERAND(place, 0), type);
            else
                note_through(origins_of(place), TYPE_MAIN_VARIANT(type));
        }
        note_clauses(g);
        if (gcall *call = dyn_cast<gcall *>(g))
            note_call(call);
        if (gimple_code(g) == GIMPLE_ASM)
            found.effects.leaves_unit = true;
    }
    for (tree known : library)
        found.named.erase(known);
}

void note_effects(function *fn)
{
    if (gimple_seq body = gimple_body(fn->decl))
        own.emplace(fn->decl, Reader(fn->decl, body).found);
}

static const OwnEffects *own_effects(tree fn)
{
    if (may_be_replaced(fn))
        return nullptr;
    auto known = own.find(fn);
    if (known != own.end())
        return &known->second;
    cgraph_node *node = cgraph_node::get(fn);
    if (!node || node->alias || node->thunk || node->lowered || DECL_EXTERNAL(fn))
        return nullptr;
    if (!gimple_has_body_p(fn)) {
        if (!DECL_SAVED_TREE(fn) || !DECL_STRUCT_FUNCTION(fn))
            return nullptr;
        gimplify_function_tree(fn);
    }
    function *f = DECL_STRUCT_FUNCTION(fn);
    if (!f || f->cfg || (f->curr_properties & PROP_gimple_lcf))
        return nullptr;
    return &own.emplace(fn, Reader(fn, gimple_body(fn)).found).first->second;
}

/* What a function with these effects stores, called so. True: more than was known. */
static bool add_call(Effects *to, const Effects &callee, const OwnCall &call)
{
    bool more = false;
    for (const auto &t : callee.through) {
        if (t.first >= call.arguments.size())
            continue;
        const Origins &o = call.arguments[t.first];
        if (o.unknown)
            more |= add_types(&to->elsewhere, t.second);
        for (unsigned i : o.arguments)
            more |= add_types(&to->through[i], t.second);
        for (tree variable : o.variables)
            more |= note_variable(to, variable, t.second);
    }
    return more;
}

/* Effects of a function and of what it calls, in any order; what they store through arguments grows
 * until nothing is added. */
static Effects add_up(tree fn)
{
    std::map<tree, Effects> all; /* without `through' of callees, at first */
    std::vector<tree> work{fn};
    Effects sum;
    while (!work.empty()) {
        tree f = work.back();
        work.pop_back();
        if (all.count(f))
            continue;
        const OwnEffects *o = fndecl_built_in_p(f) ? nullptr : own_effects(f);
        if (!o) {
            sum.leaves_unit |= !fndecl_built_in_p(f);
            continue;
        }
        all[f] = o->effects;
        sum.leaves_unit |= o->effects.leaves_unit;
        for (tree called : o->named)
            work.push_back(callee_target(called));
    }
    for (bool more = true; more;) {
        more = false;
        for (auto &f : all)
            for (const OwnCall &call : own_effects(f.first)->calls) {
                auto callee = all.find(callee_target(call.fn));
                more |= callee != all.end() && add_call(&f.second, callee->second, call);
            }
    }
    for (const auto &f : all) {
        add_types(&sum.elsewhere, f.second.elsewhere);
        add_types(&sum.named, f.second.named);
        add_types(&sum.stored, f.second.stored);
    }
    auto self = all.find(fn);
    if (self != all.end())
        sum.through = self->second.through;
    return sum;
}

const Effects *effects_of(tree fn)
{
    static std::map<tree, Effects> all;
    if (!fn)
        return nullptr;
    fn = callee_target(fn);
    auto known = all.find(fn);
    if (known != all.end())
        return &known->second;
    return &all.emplace(fn, add_up(fn)).first->second;
}

} // namespace pluss
