/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The code around the copied region: a walk's own variables, and the team of workers that execute
 * one walk after another.
 */
#include "sampler/sample_code.h"

#include "common/statements.h"

namespace pluss
{

tree SampleCode::make_variable(tree type)
{
    if (TREE_CODE(type) == REFERENCE_TYPE)
        type = build_pointer_type(TREE_TYPE(type));
    tree v = make_local(TYPE_MAIN_VARIANT(type));
    DECL_IGNORED_P(v) = 1;
    return v;
}

/* Replaces the function's registers in the copy by the walk's own. */
void SampleCode::replace_variables(gimple_seq *body)
{
    std::set<tree> mine(variables.begin(), variables.end());
    mine.insert(walk);
    for (tree v : list_declared(*body))
        mine.insert(v);
    std::vector<tree> order;
    for (tree v : list_used(*body))
        if (VAR_P(v) || TREE_CODE(v) == PARM_DECL || TREE_CODE(v) == RESULT_DECL)
            order.push_back(v);
    std::sort(order.begin(), order.end(), [](tree a, tree b) { return DECL_UID(a) < DECL_UID(b); });
    std::map<tree, tree> own;
    for (tree v : order) {
        if (mine.count(v) || is_global_var(v))
            continue;
        if (!is_gimple_reg(v)) {
            shared.insert(v);
            continue;
        }
        tree t = make_variable(TREE_TYPE(v));
        variables.push_back(t);
        own[v] = t;
        bool compilers = DECL_ARTIFICIAL(v) || DECL_IGNORED_P(v);
        if (compilers && VAR_P(v))
            plussi_expect_uninitialized(v); /* it may have no value */
        if (compilers || plan.live.count(v))
            outer_source[t] = v;
    }
    replace_names(body, &own);
}

static void add_clause(tree *clauses, omp_clause_code code, tree decl)
{
    tree c = build_omp_clause(UNKNOWN_LOCATION, code);
    OMP_CLAUSE_DECL(c) = decl;
    OMP_CLAUSE_CHAIN(c) = *clauses;
    *clauses = c;
}

/* One walk after another: next: walk = ...; if (walk == 0) goto done; start; body; exit: goto next;
 * done: */
gbind *SampleCode::build_walk_loop(tree handle, gimple_seq start, gimple_seq body)
{
    tree null = null_pointer_node;
    gimple_seq seq = NULL;
    tree next = make_label(), some = make_label(), done = make_label();
    gimple_seq_add_stmt(&seq, gimple_build_assign(walk, null));
    gimple_seq_add_stmt(&seq, gimple_build_label(next));
    tree w = emit_walk_value(&seq, Walk::Next, {handle, walk});
    gimple_seq_add_stmt(&seq, gimple_build_assign(walk, w));
    gimple_seq_add_stmt(&seq, gimple_build_cond(NE_EXPR, walk, null, some, done));
    gimple_seq_add_stmt(&seq, gimple_build_label(some));
    gimple_seq_add_seq(&seq, start);
    gimple_seq_add_seq(&seq, body);
    gimple_seq_add_stmt(&seq, gimple_build_label(exit));
    gimple_seq_add_stmt(&seq, gimple_build_goto(next));
    gimple_seq_add_stmt(&seq, gimple_build_label(done));
    tree vars = walk;
    for (tree v : variables) {
        DECL_CHAIN(v) = vars;
        vars = v;
    }
    return gimple_build_bind(vars, seq, make_node(BLOCK));
}

/* Emits copies of the function's variables (*before the walks) and of these to a walk's own (at its
 * *start). The variables between are chained to *vars; *clauses makes them firstprivate. */
void SampleCode::emit_copies_in(gimple_seq *before, gimple_seq *start, tree *vars, tree *clauses)
{
    for (tree t : variables) {
        auto source = outer_source.find(t);
        if (source == outer_source.end())
            continue;
        tree v = make_variable(TREE_TYPE(t));
        DECL_CHAIN(v) = *vars;
        *vars = v;
        gimple_seq_add_stmt(before, gimple_build_assign(v, source->second));
        gimple_seq_add_stmt(start, gimple_build_assign(t, v));
        add_clause(clauses, OMP_CLAUSE_FIRSTPRIVATE, v);
    }
}

gimple_seq SampleCode::emit_frame(gimple_seq body)
{
    gimple_seq seq = NULL, before = NULL, start = NULL, parallel_body = NULL, whole = NULL;
    tree handle = make_variable(ptr_type_node);
    tree yes = make_label(), over = make_label();
    flags |= plan.data ? 4 : 0;
    tree begun = emit_walk_value(&seq, Walk::Begin, {run, build_u32(flags)});
    gimple_seq_add_stmt(&seq, gimple_build_assign(handle, begun));
    gimple_seq_add_stmt(&seq, gimple_build_cond(NE_EXPR, handle, null_pointer_node, yes, over));
    gimple_seq_add_stmt(&seq, gimple_build_label(yes));

    tree clauses = NULL_TREE, outer_vars = handle;
    emit_copies_in(&before, &start, &outer_vars, &clauses);
    for (tree v : shared)
        add_clause(&clauses, OMP_CLAUSE_SHARED, v);
    add_clause(&clauses, OMP_CLAUSE_FIRSTPRIVATE, handle);
    tree workers = make_variable(uint32_type_node);
    DECL_CHAIN(workers) = outer_vars;
    gimple_seq_add_seq(&seq, before);
    tree n = emit_walk_value(&seq, Walk::Workers, {handle});
    gimple_seq_add_stmt(&seq, gimple_build_assign(workers, n));
    tree number = build_omp_clause(UNKNOWN_LOCATION, OMP_CLAUSE_NUM_THREADS);
    OMP_CLAUSE_NUM_THREADS_EXPR(number) = workers;
    OMP_CLAUSE_CHAIN(number) = clauses;

    gimple_seq_add_stmt(&parallel_body, build_walk_loop(handle, start, body));
    gimple_seq_add_stmt(&seq,
                        gimple_build_omp_parallel(parallel_body, number, NULL_TREE, NULL_TREE));
    emit_call(&seq, walk_function(Walk::End), {handle});
    gimple_seq_add_stmt(&seq, gimple_build_label(over));
    gimple_seq_add_stmt(&whole, gimple_build_bind(workers, seq, NULL_TREE));
    return whole;
}

} // namespace pluss
