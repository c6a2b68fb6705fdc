/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/statements.h"

namespace pluss
{

static walk_stmt_info make_walk(void *info)
{
    walk_stmt_info wi;
    memset(&wi, 0, sizeof wi);
    wi.info = info;
    return wi;
}

tree walk_sequence(gimple_seq seq, walk_stmt_fn stmt, walk_tree_fn operand, void *info)
{
    walk_stmt_info wi = make_walk(info);
    walk_gimple_seq(seq, stmt, operand, &wi);
    return wi.callback_result;
}

void change_sequence(gimple_seq *seq, walk_stmt_fn stmt, walk_tree_fn operand, void *info)
{
    walk_stmt_info wi = make_walk(info);
    walk_gimple_seq_mod(seq, stmt, operand, &wi);
}

struct Collected {
    std::vector<gimple *> statements;
    bool (*closed)(gimple *);
    enum gimple_code only; /* GIMPLE_ERROR_MARK: all */
};

static tree collect_statement(gimple_stmt_iterator *gsi, bool *handled, walk_stmt_info *wi)
{
    Collected *to = walk_info<Collected>(wi);
    gimple *g = gsi_stmt(*gsi);
    bool found = gimple_code(g) == to->only;
    *handled = found || (to->closed && to->closed(g));
    if (found || to->only == GIMPLE_ERROR_MARK)
        to->statements.push_back(g);
    return NULL_TREE;
}

std::vector<gimple *> list_outermost(gimple_seq seq, enum gimple_code code,
                                     bool (*closed)(gimple *))
{
    Collected to = {{}, closed, code};
    walk_sequence(seq, collect_statement, NULL, &to);
    return to.statements;
}

std::vector<gimple *> list_statements(gimple_seq seq, bool (*closed)(gimple *))
{
    return list_outermost(seq, GIMPLE_ERROR_MARK, closed);
}

std::vector<tree> list_declared(gimple_seq seq)
{
    std::vector<tree> all;
    for (gimple *g : list_statements(seq))
        if (gbind *b = dyn_cast<gbind *>(g))
            for (tree v = gimple_bind_vars(b); v; v = DECL_CHAIN(v))
                all.push_back(v);
    return all;
}

std::vector<tree> list_targets(gimple *g)
{
    std::vector<tree> to;
    if (gimple_code(g) == GIMPLE_GOTO)
        to.push_back(gimple_goto_dest(g));
    else if (gcond *c = dyn_cast<gcond *>(g))
        to = {gimple_cond_true_label(c), gimple_cond_false_label(c)};
    else if (gswitch *w = dyn_cast<gswitch *>(g))
        for (unsigned k = 0; k < gimple_switch_num_labels(w); k++)
            to.push_back(CASE_LABEL(gimple_switch_label(w, k)));
    return to;
}

static tree collect_decl(tree *tp, int *walk_subtrees, void *data)
{
    if (TYPE_P(*tp))
        *walk_subtrees = 0;
    else if (DECL_P(*tp))
        walk_info<std::set<tree>>(data)->insert(*tp);
    return NULL_TREE;
}

std::set<tree> list_used(gimple_seq seq)
{
    std::set<tree> all;
    walk_sequence(seq, NULL, collect_decl, &all);
    return all;
}

gbind *only_bind(gimple_seq seq)
{
    return gimple_seq_singleton_p(seq) ? dyn_cast<gbind *>(gimple_seq_first_stmt(seq)) : nullptr;
}

static tree replace_name(tree *tp, int *walk_subtrees, void *data)
{
    if (TYPE_P(*tp)) {
        *walk_subtrees = 0;
    } else if (DECL_P(*tp) || TREE_CODE(*tp) == SSA_NAME) {
        auto *map = walk_info<std::map<tree, tree>>(data);
        auto it = map->find(*tp);
        if (it != map->end())
            *tp = it->second;
        *walk_subtrees = 0;
    }
    return NULL_TREE;
}

void replace_names(gimple_seq *seq, std::map<tree, tree> *map)
{
    if (!map->empty())
        change_sequence(seq, NULL, replace_name, map);
}

void replace_names(gimple *stmt, std::map<tree, tree> *map)
{
    walk_stmt_info wi = make_walk(map);
    walk_gimple_op(stmt, replace_name, &wi);
}

static tree strip_block(gimple_stmt_iterator *gsi, bool *handled, walk_stmt_info *)
{
    *handled = false;
    if (gbind *b = dyn_cast<gbind *>(gsi_stmt(*gsi)))
        gimple_bind_set_block(b, NULL_TREE);
    return NULL_TREE;
}

void strip_blocks(gimple_seq seq)
{
    walk_sequence(seq, strip_block, NULL, NULL);
}

tree strip_components(tree ref)
{
    while (handled_component_p(ref))
        ref = TREE_OPERAND(ref, 0);
    return ref;
}

bool is_frame(tree type)
{
    tree id = TYPE_IDENTIFIER(type);
    return id && strncmp(IDENTIFIER_POINTER(id), "FRAME.", 6) == 0;
}

tree frame_field(tree var)
{
    if (!(VAR_P(var) || TREE_CODE(var) == PARM_DECL) || !DECL_HAS_VALUE_EXPR_P(var))
        return NULL_TREE;
    tree field = DECL_VALUE_EXPR(var), frame = strip_components(field);
    if (TREE_CODE(frame) == MEM_REF || INDIRECT_REF_P(frame)) /* of a function further out */
        frame = TREE_OPERAND(frame, 0);
    if (TREE_CODE(field) != COMPONENT_REF || !DECL_P(frame))
        return NULL_TREE;
    field = unshare_expr(field);
    tree *base = &field;
    while (handled_component_p(*base))
        base = &TREE_OPERAND(*base, 0);
    if (INDIRECT_REF_P(*base)) /* which C++ has in members that clauses name: no form of GIMPLE */
        *base = build_simple_mem_ref(frame);
    return field;
}

bool is_memory(tree t)
{
    if (!t)
        return false;
    t = strip_components(t);
    return TREE_CODE(t) == MEM_REF || TREE_CODE(t) == TARGET_MEM_REF ||
           ((VAR_P(t) || TREE_CODE(t) == PARM_DECL || TREE_CODE(t) == RESULT_DECL) &&
            !is_gimple_reg(t));
}

tree find_access(gimple *g, bool write, unsigned *argument)
{
    tree t = write ? gimple_get_lhs(g) : is_gimple_assign(g) ? gimple_assign_rhs1(g) : NULL_TREE;
    if (is_gimple_call(g) && !write)
        while (!is_memory(t) && *argument < gimple_call_num_args(g))
            t = gimple_call_arg(g, (*argument)++);
    return is_memory(t) ? t : NULL_TREE;
}

tree make_local(tree type, const char *name)
{
    tree v = create_tmp_var_raw(type, name);
    DECL_CONTEXT(v) = current_function_decl;
    DECL_SEEN_IN_BIND_EXPR_P(v) = 1;
    return v;
}

} // namespace pluss
