/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Is a value that each thread of a team computes for itself the same in all of them? Only then can
 * one symbol represent it. It is, if it is made of such values only: constants, values from before
 * the team was created, memory that the threads share. The bounds of a worksharing loop are the
 * same by OpenMP's rule. Two kinds of values are the thread's own: the result of a function that is
 * not constant (the thread's number first of all), and what it reads from shared memory while the
 * others wait, to change it next (a counter in a critical section).
 */
#include "analysis/analysis.h"

#include "analysis/tidy.h"

namespace pluss
{

/* Is it inside of critical or ordered, or an atomic access? *one: it is in a construct that one
 * thread executes. */
static bool one_at_a_time(Shadow &shadow, gimple *stmt, bool *one)
{
    std::map<const Construct *, int> open;
    *one = false;
    bool alone = shadow.atomic.count(stmt) != 0;
    /* Constructs are structured: what is open here was opened by a block that dominates this one.
     */
    for (basic_block bb = gimple_bb(stmt); bb; bb = get_immediate_dominator(CDI_DOMINATORS, bb)) {
        const std::vector<Shadow::Marked> &in = shadow.markers_in(bb);
        for (size_t k = bb == gimple_bb(stmt) ? shadow.count_markers(stmt) : in.size(); k-- > 0;) {
            const Marker &m = in[k].marker;
            if (m.end || open[m.construct] > 0) {
                open[m.construct] += m.end ? 1 : -1;
                continue;
            }
            ConstructKind kind = m.construct->kind;
            alone |= kind == ConstructKind::Critical || kind == ConstructKind::Ordered;
            *one |= kind == ConstructKind::Single || kind == ConstructKind::Master;
        }
    }
    return alone;
}

bool Analysis::has_uniform_operands(gimple *stmt, std::set<tree> *seen)
{
    ssa_op_iter i;
    tree use;
    FOR_EACH_SSA_TREE_OPERAND(use, stmt, i, SSA_OP_USE)
    if (!is_uniform(use, seen))
        return false;
    return true;
}

bool Analysis::is_uniform_load(gassign *load, std::set<tree> *seen)
{
    tree ref = gimple_assign_rhs1(load);
    Ref r;
    if (TREE_THIS_VOLATILE(ref) || !find_address(ref, gimple_bb(load), &r) || !r.object ||
        r.object->is_private || (r.offset.kinds() & kind_bit(AtomKind::Thread)))
        return false;
    for (const Poly &p : r.path)
        if (p.kinds() & kind_bit(AtomKind::Thread))
            return false;
    if (r.object->decl && VAR_P(r.object->decl) && DECL_THREAD_LOCAL_P(r.object->decl))
        return false;
    if (!has_uniform_operands(load, seen))
        return false;
    bool one;
    if (!one_at_a_time(shadow, load, &one))
        return true;
    const Construct *region = region_of(load);
    for (Store &s : stores)
        if (region_of(s.stmt) == region && may_change(s, r))
            return false;
    return true;
}

/* Do all threads take the same of the paths that end at a PHI's block? */
bool Analysis::is_uniform_choice(gphi *phi, std::set<tree> *seen)
{
    basic_block join = gimple_bb(phi), top = get_immediate_dominator(CDI_DOMINATORS, join);
    if (join->loop_father->header == join && loop_depth(join->loop_father) > 0)
        return false;
    std::set<basic_block> met{top};
    std::vector<basic_block> work;
    edge e;
    edge_iterator ei;
    FOR_EACH_EDGE(e, ei, join->preds)
    if (met.insert(e->src).second)
        work.push_back(e->src);
    while (!work.empty()) {
        basic_block bb = work.back();
        work.pop_back();
        FOR_EACH_EDGE(e, ei, bb->preds)
        if (met.insert(e->src).second)
            work.push_back(e->src);
    }
    for (basic_block bb : met) {
        gimple *last = bb ? plussi_last_stmt(bb) : nullptr;
        if (last && (gimple_code(last) == GIMPLE_COND || gimple_code(last) == GIMPLE_SWITCH) &&
            !has_uniform_operands(last, seen))
            return false;
    }
    for (unsigned i = 0; i < gimple_phi_num_args(phi); i++)
        if (!is_uniform(gimple_phi_arg_def(phi, i), seen))
            return false;
    return true;
}

static bool is_same_everywhere(gcall *g)
{
    if (read_team_query(g) == TeamQuery::TeamSize)
        return true;
    return name_of(gimple_call_fndecl(g)).compare(0, 4, "omp_") != 0 &&
           (gimple_call_flags(g) & ECF_CONST);
}

bool Analysis::is_uniform(tree v, std::set<tree> *seen)
{
    if (TREE_CODE(v) != SSA_NAME)
        return is_gimple_min_invariant(v);
    if (SSA_NAME_IS_DEFAULT_DEF(v))
        return shadow.is_given(SSA_NAME_VAR(v)) && !shadow.private_vars.count(SSA_NAME_VAR(v));
    gimple *def = SSA_NAME_DEF_STMT(v);
    if (!inside_parallel(def) || !seen->insert(v).second)
        return true;
    if (seen->size() > 1000)
        return false;
    bool one = false;
    if (gimple_code(def) != GIMPLE_PHI)
        one_at_a_time(shadow, def, &one);
    if (one)
        return true;
    if (gphi *phi = dyn_cast<gphi *>(def))
        return is_uniform_choice(phi, seen);
    if (gimple_assign_load_p(def))
        return is_uniform_load(as_a<gassign *>(def), seen);
    if (!is_gimple_assign(def) && !(is_gimple_call(def) && is_same_everywhere(as_a<gcall *>(def))))
        return false;
    return has_uniform_operands(def, seen);
}

static bool bounds_shared_loop(Shadow &shadow, tree v, int hops)
{
    imm_use_iterator i;
    use_operand_p use;
    FOR_EACH_IMM_USE_FAST(use, i, v)
    {
        gimple *g = USE_STMT(use);
        basic_block bb = gimple_bb(g);
        bool test = gimple_code(g) == GIMPLE_COND && loop_depth(bb->loop_father) > 0 &&
                    bb == bb->loop_father->header;
        bool copy = gimple_assign_single_p(g) || gimple_assign_cast_p(g);
        if (test && shadow.is_shared_loop(bb->loop_father))
            return true;
        if (copy && hops > 0 && TREE_CODE(gimple_assign_lhs(g)) == SSA_NAME &&
            bounds_shared_loop(shadow, gimple_assign_lhs(g), hops - 1))
            return true;
    }
    return false;
}

bool Analysis::same_for_all_threads(tree v)
{
    std::set<tree> seen;
    return is_uniform(v, &seen) || bounds_shared_loop(shadow, v, 4);
}

} // namespace pluss
