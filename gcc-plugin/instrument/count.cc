/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * mode=auto: the program counts its loads and stores that no nest describes, so that a figure can
 * tell what share of all of them it stands for. A count is a constant that is added to
 * pluss_rt_counted (rt/rt.h) where a sequence of statements without branches begins; optimisers
 * take it out of loops. Left out is what a register would hold: single variables and members of
 * single structures, and array descriptors.
 */
#include "instrument/instrument.h"

#include "analysis/analysis.h"
#include "common/statements.h"

namespace pluss
{

static bool is_counted(tree access, location_t loc)
{
    if (!is_memory(access))
        return false;
    bool element = TREE_CODE(TREE_TYPE(access)) == ARRAY_TYPE;
    for (tree t = access; handled_component_p(t); t = TREE_OPERAND(t, 0)) {
        element |= TREE_CODE(t) == ARRAY_REF || TREE_CODE(t) == ARRAY_RANGE_REF;
        if (TREE_CODE(t) == COMPONENT_REF && is_descriptor(TREE_TYPE(TREE_OPERAND(t, 0))))
            return false;
    }
    /* where a container of the library has its elements */
    if (TREE_CODE(access) == COMPONENT_REF && POINTER_TYPE_P(TREE_TYPE(access)) &&
        in_system_header_at(loc))
        return false;
    tree base = strip_components(access);
    if (TREE_CODE(base) == MEM_REF && TREE_CODE(TREE_OPERAND(base, 0)) == ADDR_EXPR)
        base = strip_components(TREE_OPERAND(TREE_OPERAND(base, 0), 0));
    return !DECL_P(base) || element;
}

/* The memory that a statement reads and writes, and may be counted. */
static std::vector<std::pair<tree, bool>> list_accesses(gimple *g)
{
    std::vector<std::pair<tree, bool>> all;
    if (is_gimple_debug(g) || gimple_clobber_p(g))
        return all;
    if (!is_gimple_assign(g) && !is_gimple_call(g))
        return all;
    unsigned argument = 0;
    for (bool write : {false, true})
        while (tree t = find_access(g, write, &argument)) {
            if (is_counted(t, gimple_location(g)))
                all.push_back({t, write});
            if (write || !is_gimple_call(g))
                break;
        }
    return all;
}

static bool is_target(gimple *g)
{
    return gimple_code(g) == GIMPLE_OMP_TARGET;
}

std::vector<Outside> list_outside(function *fn, const std::set<MadeBy> &described)
{
    std::vector<Outside> all;
    gomp_atomic_load *load = nullptr;
    for (gimple *g : list_statements(gimple_body(fn->decl), is_target)) {
        if (gimple_code(g) == GIMPLE_OMP_ATOMIC_LOAD)
            load = as_a<gomp_atomic_load *>(g);
        if (gimple_code(g) == GIMPLE_OMP_ATOMIC_STORE && !described.count({load, false}) &&
            !described.count({g, true})) /* no code may come between the two */
            for (bool write : {false, true})
                all.push_back({load, gimple_omp_atomic_load_rhs(load), write});
        for (const auto &a : list_accesses(g))
            if (!described.count({g, a.second}))
                all.push_back({g, a.first, a.second});
    }
    return all;
}

static tree counter()
{
    static tree made;
    if (made)
        return made;
    tree field =
        build_decl(UNKNOWN_LOCATION, FIELD_DECL, get_identifier("accesses"), uint64_type_node);
    tree type = make_node(RECORD_TYPE);
    finish_builtin_struct(type, "pluss_rt_count", field, NULL_TREE);
    tree v = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier("pluss_rt_counted"), type);
    TREE_PUBLIC(v) = DECL_EXTERNAL(v) = DECL_ARTIFICIAL(v) = DECL_IGNORED_P(v) = TREE_USED(v) = 1;
    set_decl_tls_model(v, TLS_MODEL_INITIAL_EXEC);
    made = build3(COMPONENT_REF, uint64_type_node, v, field, NULL_TREE);
    keep_for_collector(made);
    return made;
}

void count_outside(const std::vector<Outside> &outside, Edits *edits)
{
    for (size_t i = 0, next; i < outside.size(); i = next) {
        gimple *last = outside[i].stmt;
        for (next = i + 1; next < outside.size(); next++) {
            /* nothing but assignments between the two */
            gimple *g = outside[next].stmt;
            while (g != last && is_gimple_assign(last) && last->next)
                last = last->next;
            if (g != last)
                break;
        }
        gimple_seq *seq = edits->before(outside[i].stmt), add = NULL;
        tree sum = emit_value(&add, uint64_type_node, COMPONENT_REF, unshare_expr(counter()));
        sum = emit_value(&add, uint64_type_node, PLUS_EXPR, sum,
                         build_int_cst(uint64_type_node, next - i));
        gimple_seq_add_stmt(&add, gimple_build_assign(unshare_expr(counter()), sum));
        gimple_seq_add_seq(&add, *seq);
        *seq = add;
    }
}

void count_function(function *fn)
{
    for (const char *left_alone : {"no_instrument_function", "naked"})
        if (lookup_attribute(left_alone, DECL_ATTRIBUTES(fn->decl)))
            return;
    Edits edits(fn);
    count_outside(list_outside(fn, {}), &edits);
    edits.apply();
}

} // namespace pluss
