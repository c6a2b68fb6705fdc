/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See effects.h. A variable whose address is taken is not asked for (stores.cc): stores through
 * pointers do not count. Functions that come later than the caller are gimplified now, as in
 * callee.cc.
 */
#include "shadow/effects.h"

#include "common/openmp.h"
#include "common/statements.h"
#include "shadow/callee.h"

namespace pluss
{

struct OwnEffects {
    std::set<tree> stored, called;
    bool by_pointer = false; /* calls something through a pointer */
};

static std::map<tree, OwnEffects> own;

static tree note_variable(tree *tp, int *walk_subtrees, void *data)
{
    OwnEffects *o = walk_info<OwnEffects>(data);
    if (TYPE_P(*tp))
        *walk_subtrees = 0;
    else if (TREE_CODE(*tp) == FUNCTION_DECL)
        o->called.insert(*tp); /* or its address is taken: it may be called */
    return NULL_TREE;
}

static void note_store(tree to, OwnEffects *o)
{
    to = to ? strip_components(to) : NULL_TREE;
    if (to && TREE_CODE(to) == MEM_REF && TREE_CODE(TREE_OPERAND(to, 0)) == ADDR_EXPR)
        to = strip_components(TREE_OPERAND(TREE_OPERAND(to, 0), 0));
    if (to && VAR_P(to) && is_global_var(to))
        o->stored.insert(to);
}

/* Clauses that copy values out of a construct, or change them. */
static void note_clauses(gimple *g, OwnEffects *o)
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
        case OMP_CLAUSE_COPYIN:
            note_store(OMP_CLAUSE_DECL(c), o);
            break;
        default:
            break;
        }
}

static OwnEffects read_body(gimple_seq body)
{
    OwnEffects o;
    walk_sequence(body, NULL, note_variable, &o);
    for (gimple *g : list_statements(body)) {
        tree to = is_gimple_assign(g) || is_gimple_call(g) ? gimple_get_lhs(g) : NULL_TREE;
        if (gomp_atomic_load *a = dyn_cast<gomp_atomic_load *>(g)) /* &x, of an update */
            to = gimple_omp_atomic_load_rhs(a);
        if (to && TREE_CODE(to) == ADDR_EXPR)
            to = TREE_OPERAND(to, 0);
        note_store(to, &o);
        note_clauses(g, &o);
        if (is_gimple_call(g) && !gimple_call_internal_p(g) && !gimple_call_fndecl(g))
            o.by_pointer = true;
        if (gimple_code(g) == GIMPLE_ASM)
            o.by_pointer = true;
    }
    return o;
}

void note_effects(function *fn)
{
    if (gimple_seq body = gimple_body(fn->decl))
        own.emplace(fn->decl, read_body(body));
}

static const OwnEffects *own_effects(tree fn)
{
    auto known = own.find(fn);
    if (known != own.end())
        return &known->second;
    cgraph_node *node = cgraph_node::get(fn);
    if (!node || node->alias || node->thunk || node->lowered || DECL_EXTERNAL(fn) ||
        (DECL_WEAK(fn) && !DECL_COMDAT(fn)))
        return nullptr;
    if (!gimple_has_body_p(fn)) {
        if (!DECL_SAVED_TREE(fn) || !DECL_STRUCT_FUNCTION(fn))
            return nullptr;
        gimplify_function_tree(fn);
    }
    function *f = DECL_STRUCT_FUNCTION(fn);
    if (!f || f->cfg || (f->curr_properties & PROP_gimple_lcf))
        return nullptr;
    return &own.emplace(fn, read_body(gimple_body(fn))).first->second;
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
    Effects e;
    std::set<tree> seen{fn};
    std::vector<tree> work{fn};
    while (!work.empty()) {
        tree f = work.back();
        work.pop_back();
        const OwnEffects *o = fndecl_built_in_p(f) ? nullptr : own_effects(f);
        if (!o) {
            e.leaves_unit |= !fndecl_built_in_p(f);
            continue;
        }
        e.leaves_unit |= o->by_pointer;
        e.stored.insert(o->stored.begin(), o->stored.end());
        for (tree called : o->called)
            if (seen.insert(callee_target(called)).second)
                work.push_back(callee_target(called));
    }
    return &all.emplace(fn, e).first->second;
}

} // namespace pluss
