/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The copy of the region that its sampler is made of, with variables of its own for the values that
 * it reads.
 */
#include "sampler/sample_code.h"

#include "common/statements.h"
#include "shadow/callee.h"

namespace pluss
{

static tree collect_operand(tree *tp, int *walk_subtrees, void *data)
{
    if (TYPE_P(*tp))
        *walk_subtrees = 0;
    else if (TREE_CODE(*tp) == SSA_NAME || VAR_P(*tp))
        walk_info<std::vector<tree>>(data)->push_back(*tp);
    return NULL_TREE;
}

/* The SSA names and variables of a statement. */
static std::vector<tree> operands_of(gimple *g)
{
    std::vector<tree> names;
    walk_stmt_info wi;
    memset(&wi, 0, sizeof wi);
    wi.info = &names;
    walk_gimple_op(g, collect_operand, &wi);
    return names;
}

/* Copies and flattens the region, and finds the places of its statements. */
gimple_seq SampleCode::copy_region()
{
    gimple_seq source = NULL;
    std::vector<gimple *> all = list_statements(fn->gimple_body), from;
    auto at = all.begin();
    for (gimple *g : plan.range) {
        gimple_seq one = NULL;
        gimple_seq_add_stmt_without_update(&one, gimple_copy(g));
        at = std::find(at, all.end(), g);
        for (size_t count = list_statements(one).size(); count > 0 && at != all.end(); count--)
            from.push_back(*at++);
        gimple_seq_add_seq_without_update(&source, one);
    }
    size_t n = list_statements(source).size();
    if (from.size() != n) {
        refuse("its statements cannot be followed");
        return NULL;
    }
    gimple_seq seq = copy_body(source);
    std::vector<gimple *> to = list_statements(seq);
    if (to.size() != n) {
        refuse("it could not be copied");
        return NULL;
    }
    std::set<tree> defined;
    for (gimple *g : from) {
        if (gbind *b = dyn_cast<gbind *>(g))
            for (tree v = gimple_bind_vars(b); v; v = DECL_CHAIN(v))
                defined.insert(v);
        if (tree lhs = gimple_get_lhs(g))
            if (TREE_CODE(lhs) == SSA_NAME)
                defined.insert(lhs);
    }
    for (size_t i = 0; i < n; i++) {
        std::vector<tree> a = operands_of(from[i]), b = operands_of(to[i]);
        for (size_t k = 0; k < a.size() && a.size() == b.size(); k++) {
            if (defined.count(a[k]))
                continue;
            if (VAR_P(a[k])) { /* the copy of a type has copies of the variables that it needs */
                if (a[k] != b[k])
                    outer_names[b[k]] = a[k];
                continue;
            }
            tree &mine = outer_names[a[k]];
            if (!mine) {
                mine = make_variable(TREE_TYPE(a[k]));
                variables.push_back(mine);
                outer_source[mine] = a[k];
            }
            outer_names[b[k]] = mine;
        }
    }
    flat.map_copies(from, to);
    flat.declare_marker();
    replace_names(&seq, &outer_names);
    SampleFlatten flatten(flat, walk);
    seq = flatten.flatten_sequence(seq);
    variables.insert(variables.end(), flatten.variables.begin(), flatten.variables.end());
    std::vector<size_t> places;
    for (auto &s : plan.spans)
        for (size_t k = s.first; k < s.second; k++)
            places.push_back(k);
    if (flat.flow.size() != places.size()) {
        refuse("its statements cannot be followed");
        return NULL;
    }
    for (size_t k = 0; k < places.size(); k++)
        place[flat.flow[k]] = places[k];
    return seq;
}

} // namespace pluss
