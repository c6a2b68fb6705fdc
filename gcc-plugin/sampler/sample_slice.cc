/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a sampler has to compute of a region: a backward slice, in a shadow of the function in SSA
 * form, from the addresses of the references and the bounds of the worksharing loops.
 *
 * A statement is kept if it defines a value that is needed, a branch if something that is kept
 * depends on it (control dependence, of PHIs too: a value that differs with the path). Stores are
 * kept if they go to memory of the region's own, a local object, and a load from it is needed. A
 * needed load must give the value that it has in the real run, where the region's stores are made.
 * So there is no sampler if a store may change such a value, or if only a call, a reduction or
 * another thread's iteration gives it.
 */
#include "sampler/sample.h"

#include "common/statements.h"
#include "shadow/shadow.h"

#include "cfganal.h"

namespace pluss
{

class Slice
{
  public:
    Slice(Shadow &s, SamplePlan *p) : sh(s), plan(p), control(nullptr) {}
    void find_needed();

  private:
    Shadow &sh;
    SamplePlan *plan;
    control_dependences *control;
    std::map<gimple *, size_t> place;
    std::map<gimple *, std::vector<size_t>> replaced; /* a condition -> the switches it may be */
    std::vector<size_t> places;                       /* of the region */
    std::vector<gimple *> work;
    std::set<gimple *> phis;
    std::set<basic_block> controlled;
    std::set<tree> own; /* variables declared in the region */
    std::map<tree, std::vector<gimple *>> stores;
    std::set<tree> escaped, loaded;

    bool find_place(gimple *g, size_t *at);
    void gather_stores();
    void need_operands(gimple *g);
    void need_value(tree name);
    void need_statement(gimple *g);
    void need_branches(basic_block bb);
    void need_address(tree ref);
    void need_load(gimple *g, tree ref);
    void need_call(gcall *g);
    bool find_variable(tree ref, tree *var);
    void find_replaced();
    void settle_branches();
    void settle_branch(size_t k, gimple *g, edge out);
    void refuse(gimple *g, const std::string &why) { plan->refuse(gimple_location(g), why); }
};

static tree ssa_operand(tree *tp, int *walk_subtrees, void *data)
{
    if (TYPE_P(*tp))
        *walk_subtrees = 0;
    else if (TREE_CODE(*tp) == SSA_NAME)
        static_cast<std::vector<tree> *>(data)->push_back(*tp);
    return NULL_TREE;
}

bool Slice::find_place(gimple *g, size_t *at)
{
    auto k = place.find(g);
    if (k == place.end() || !plan->holds(k->second))
        return false;
    *at = k->second;
    return true;
}

/* Finds the local variable that is accessed, or a part of which is; false: not known. */
bool Slice::find_variable(tree ref, tree *var)
{
    ref = strip_components(ref);
    if (TREE_CODE(ref) == MEM_REF) {
        poly_int64 offset;
        return find_known_address(TREE_OPERAND(ref, 0), var, &offset);
    }
    *var = ref;
    return DECL_P(ref) && !is_global_var(ref);
}

static tree taken_address(tree *tp, int *walk_subtrees, void *data)
{
    if (TYPE_P(*tp))
        *walk_subtrees = 0;
    else if (TREE_CODE(*tp) == ADDR_EXPR) {
        tree base = get_base_address(TREE_OPERAND(*tp, 0));
        if (base && DECL_P(base))
            static_cast<std::set<tree> *>(data)->insert(base);
    }
    return NULL_TREE;
}

/* Finds the region's own variables, the stores to them, and those whose address is passed or
 * stored. */
void Slice::gather_stores()
{
    for (size_t k : places) {
        gimple *g = sh.flow[k];
        if (gbind *b = dyn_cast<gbind *>(g))
            for (tree v = gimple_bind_vars(b); v; v = DECL_CHAIN(v))
                if (VAR_P(v) && !is_global_var(v))
                    own.insert(v);
        if (!gimple_bb(g))
            continue;
        Marker m;
        if (sh.read_marker(g, &m) || gimple_clobber_p(g))
            continue;
        tree var;
        tree to = gimple_get_lhs(g);
        if (to && TREE_CODE(to) != SSA_NAME && find_variable(to, &var))
            stores[var].push_back(g);
        if (is_gimple_call(g))
            for (unsigned i = 0; i < gimple_call_num_args(g); i++) {
                tree arg = gimple_call_arg(g, i);
                poly_int64 offset;
                if (TREE_CODE(arg) == SSA_NAME && POINTER_TYPE_P(TREE_TYPE(arg)) &&
                    find_known_address(arg, &var, &offset))
                    escaped.insert(var);
                walk_tree(&arg, taken_address, &escaped, NULL);
            }
        else if (is_gimple_assign(g) && to && TREE_CODE(to) != SSA_NAME) {
            tree from = gimple_assign_rhs1(g);
            poly_int64 offset;
            if (TREE_CODE(from) == SSA_NAME && POINTER_TYPE_P(TREE_TYPE(from)) &&
                find_known_address(from, &var, &offset))
                escaped.insert(var);
            else if (TREE_CODE(from) == ADDR_EXPR)
                walk_tree(&from, taken_address, &escaped, NULL);
        }
    }
    for (tree v : sh.private_vars)
        own.insert(v);
}

void Slice::need_value(tree name)
{
    tree var = SSA_NAME_VAR(name);
    if (!SSA_NAME_IS_DEFAULT_DEF(name) && SSA_NAME_DEF_STMT(name))
        work.push_back(SSA_NAME_DEF_STMT(name));
    else if (var && TREE_CODE(var) == PARM_DECL)
        plan->live.insert(var);
}

static void list_names(tree t, std::vector<tree> *names)
{
    if (t)
        walk_tree(&t, ssa_operand, names, NULL);
}

void Slice::need_operands(gimple *g)
{
    ssa_op_iter iter;
    tree name;
    FOR_EACH_SSA_TREE_OPERAND(name, g, iter, SSA_OP_USE)
    need_value(name);
}

/* Needs the operands of an access' address. */
void Slice::need_address(tree ref)
{
    std::vector<tree> names;
    list_names(ref, &names);
    for (tree n : names)
        need_value(n);
}

/* Finds the conditions that GCC has made of switches with one case. They have the switch's
 * location. */
void Slice::find_replaced()
{
    std::map<location_t, std::vector<size_t>> gone;
    for (size_t k : places)
        if (gimple_code(sh.flow[k]) == GIMPLE_SWITCH && !gimple_bb(sh.flow[k]))
            gone[gimple_location(sh.flow[k])].push_back(k);
    basic_block bb;
    FOR_EACH_BB_FN(bb, cfun)
    {
        gimple *c = plussi_last_stmt(bb);
        if (c && gimple_code(c) == GIMPLE_COND && !place.count(c) && !sh.glue.count(c))
            replaced[c] = gone[gimple_location(c)];
    }
}

/* Needs all branches that decide whether bb is executed. */
void Slice::need_branches(basic_block bb)
{
    if (!controlled.insert(bb).second)
        return;
    bitmap edges = control->get_edges_dependent_on(bb->index);
    unsigned k;
    bitmap_iterator bi;
    EXECUTE_IF_SET_IN_BITMAP(edges, 0, k, bi)
    {
        basic_block from = control->get_edge_src(k);
        gimple *last = plussi_last_stmt(from);
        if (last && (gimple_code(last) == GIMPLE_COND || gimple_code(last) == GIMPLE_SWITCH))
            work.push_back(last);
    }
}

static std::string name_callee(gcall *g)
{
    tree fn = gimple_call_fndecl(g);
    std::string name = fn ? name_of(fn) : "";
    return name.empty() ? "a call through a pointer" : "`" + name + "'";
}

/* Needs a call for its result. */
void Slice::need_call(gcall *g)
{
    tree fn = gimple_call_fndecl(g);
    bool constant = (gimple_call_flags(g) & ECF_CONST) != 0;
    bool team = read_team_query(g) != TeamQuery::None;
    bool stack = fn && (fndecl_built_in_p(fn, BUILT_IN_ALLOCA) ||
                        fndecl_built_in_p(fn, BUILT_IN_ALLOCA_WITH_ALIGN) ||
                        fndecl_built_in_p(fn, BUILT_IN_ALLOCA_WITH_ALIGN_AND_MAX) ||
                        fndecl_built_in_p(fn, BUILT_IN_STACK_SAVE));
    if (!constant && !team && !stack)
        refuse(g, "an address or a branch needs the result of " + name_callee(g));
    if (!stack || fndecl_built_in_p(fn, BUILT_IN_STACK_SAVE))
        return;
    /* Memory taken from the stack is released where the program does it. */
    for (size_t k : places)
        if (gcall *c = dyn_cast<gcall *>(sh.flow[k]))
            if (gimple_bb(c) && gimple_call_builtin_p(c, BUILT_IN_STACK_RESTORE))
                work.push_back(c);
}

void Slice::need_load(gimple *g, tree ref)
{
    size_t at = 0;
    tree var;
    if (!find_place(g, &at))
        return;
    if (TREE_THIS_VOLATILE(ref))
        refuse(g, "an address or a branch needs a volatile value");
    tree base = get_base_address(ref);
    if (base && DECL_P(base) && is_global_var(base) && DECL_THREAD_LOCAL_P(base))
        refuse(g, "an address or a branch needs a variable that every thread has its own of");
    if (find_variable(ref, &var)) {
        bool mine = own.count(var) != 0;
        auto to = stores.find(var);
        if (mine) {
            if (escaped.count(var))
                refuse(g, "an address or a branch needs `" + name_of(var) +
                              "', which a call or a pointer in memory may change");
            if (loaded.insert(var).second && to != stores.end())
                work.insert(work.end(), to->second.begin(), to->second.end());
            return;
        }
        if (to != stores.end())
            refuse(g, "an address or a branch needs `" + name_of(var) +
                          "', which the region changes in memory");
    }
    auto change = plan->changing.find(at);
    if (change != plan->changing.end())
        refuse(g, "an address or a branch needs a value that is not there without the region's "
                  "stores: " +
                      change->second);
    plan->data = true;
}

void Slice::need_statement(gimple *g)
{
    if (gphi *phi = dyn_cast<gphi *>(g)) {
        if (virtual_operand_p(gimple_phi_result(phi)) || !phis.insert(g).second)
            return;
        for (unsigned i = 0; i < gimple_phi_num_args(phi); i++) {
            tree arg = gimple_phi_arg_def(phi, i);
            if (TREE_CODE(arg) == SSA_NAME)
                need_value(arg);
            basic_block from = gimple_phi_arg_edge(phi, i)->src;
            need_branches(from);
            gimple *last = plussi_last_stmt(from);
            if (last && (gimple_code(last) == GIMPLE_COND || gimple_code(last) == GIMPLE_SWITCH))
                work.push_back(last);
        }
        return;
    }
    size_t at = 0;
    if (!place.count(g) && !sh.glue.count(g)) { /* made by GCC with the flow graph */
        need_operands(g);
        auto switches = replaced.find(g);
        if (switches != replaced.end()) {
            need_branches(gimple_bb(g));
            for (size_t k : switches->second)
                plan->keep[k] = true;
        }
        return;
    }
    if (!find_place(g, &at)) { /* before the region, or a statement that counts a worksharing loop's
                                  iterations */
        tree lhs = gimple_get_lhs(g);
        tree var = lhs && TREE_CODE(lhs) == SSA_NAME ? SSA_NAME_VAR(lhs) : NULL_TREE;
        auto own_var = sh.source.find(var);
        if (var)
            plan->live.insert(own_var != sh.source.end() ? own_var->second : var);
        return;
    }
    if (plan->keep[at])
        return;
    plan->keep[at] = true;
    if (sh.taken_out.count(g))
        refuse(g, "an address or a branch needs a value that comes out of a parallel construct "
                  "(a reduction, the last iteration's)");
    need_branches(gimple_bb(g));
    need_operands(g);
    if (gcall *c = dyn_cast<gcall *>(g)) {
        if (!gimple_call_builtin_p(c, BUILT_IN_STACK_RESTORE))
            need_call(c);
    } else if (gassign *a = dyn_cast<gassign *>(g)) {
        tree from = gimple_assign_rhs1(a);
        if (gimple_assign_single_p(a) && gimple_vuse(a) && is_memory(from))
            need_load(g, from);
    } else if (gimple_code(g) != GIMPLE_COND && gimple_code(g) != GIMPLE_SWITCH) {
        refuse(g, gimple_code(g) == GIMPLE_ASM
                      ? "an address or a branch needs what an asm statement gives"
                      : "an address or a branch needs a value that cannot be followed");
    }
}

/* The index for which a switch takes the edge `out`; NULL: any that is no case's. */
static tree find_index_of_way(gswitch *s, edge out)
{
    for (unsigned k = 1; k < gimple_switch_num_labels(s); k++)
        if (label_to_block(cfun, CASE_LABEL(gimple_switch_label(s, k))) == out->dest)
            return CASE_LOW(gimple_switch_label(s, k));
    return NULL_TREE;
}

/* The least number of edges from each block to the function's end. */
static std::map<basic_block, unsigned> measure_distances()
{
    std::map<basic_block, unsigned> far{{EXIT_BLOCK_PTR_FOR_FN(cfun), 0}};
    std::vector<basic_block> queue{EXIT_BLOCK_PTR_FOR_FN(cfun)};
    for (size_t i = 0; i < queue.size(); i++) {
        edge e;
        edge_iterator ei;
        FOR_EACH_EDGE(e, ei, queue[i]->preds)
        if (far.emplace(e->src, far[queue[i]] + 1).second)
            queue.push_back(e->src);
    }
    return far;
}

/* Branches that nothing depends on take the shortest path to the function's end: so the walk leaves
 * every loop. (GCC has removed branches without a block from the flow graph: a constant decides
 * them, in the copy, too.) */
void Slice::settle_branches()
{
    std::map<basic_block, unsigned> far = measure_distances();
    auto nearest = [&](basic_block bb) {
        edge e, out = NULL;
        edge_iterator ei;
        FOR_EACH_EDGE(e, ei, bb->succs)
        if (far.count(e->dest) && (!out || far[e->dest] < far[out->dest]))
            out = e;
        return out;
    };
    for (size_t k : places) {
        gimple *g = sh.flow[k];
        if ((gimple_code(g) == GIMPLE_COND || gimple_code(g) == GIMPLE_SWITCH) && gimple_bb(g))
            if (edge out = nearest(gimple_bb(g)))
                settle_branch(k, g, out);
    }
    for (auto &r : replaced)
        if (edge out = nearest(gimple_bb(r.first)))
            for (size_t k : r.second)
                settle_branch(k, r.first, out);
}

void Slice::settle_branch(size_t k, gimple *g, edge out)
{
    bool yes = out->flags & EDGE_TRUE_VALUE;
    gswitch *s = dyn_cast<gswitch *>(sh.flow[k]);
    if (s && s != g)
        plan->ways[k] = yes ? CASE_LOW(gimple_switch_label(s, 1)) : NULL_TREE;
    else
        plan->ways[k] =
            s ? find_index_of_way(s, out) : constant_boolean_node(yes, boolean_type_node);
}

void Slice::find_needed()
{
    for (size_t k = 0; k < sh.flow.size(); k++)
        place[sh.flow[k]] = k;
    for (auto &s : plan->spans)
        for (size_t k = s.first; k < s.second; k++)
            places.push_back(k);
    plan->keep.assign(sh.flow.size(), false);
    gather_stores();
    find_replaced();
    control_dependences cd;
    control = &cd;

    auto root = [&](gimple *g) {
        need_operands(g);
        need_branches(gimple_bb(g));
    };
    for (auto &g : sh.glue)
        if (gimple_bb(g.first) &&
            (plan->holds(g.second) || (g.second && plan->holds(g.second - 1))))
            root(g.first);
    for (size_t k : places) {
        gimple *g = sh.flow[k];
        Marker m;
        if (!gimple_bb(g))
            continue;
        if (sh.read_marker(g, &m))
            root(g);
        auto refs = plan->refs.find(k);
        if (refs == plan->refs.end())
            continue;
        need_branches(gimple_bb(g));
        for (const SampleRef &r : refs->second) {
            if (is_gimple_call(g)) {
                need_operands(g);
            } else {
                need_address(r.write ? gimple_get_lhs(g) : gimple_assign_rhs1(g));
            }
            if (r.postponed)
                for (auto &t : plan->tests)
                    for (auto &n : t.second.numbers)
                        if (n.first == r.number)
                            work.push_back(sh.flow[t.first]);
        }
    }
    while (!work.empty() && plan->reason.empty()) {
        gimple *g = work.back();
        work.pop_back();
        need_statement(g);
    }
    settle_branches();
}

void slice_sample(function *fn, SamplePlan *plan)
{
    if (!plan->reason.empty())
        return;
    Shadow shadow(fn, "", false);
    if (!shadow.ok()) {
        plan->refuse(UNKNOWN_LOCATION, shadow.reason);
        return;
    }
    if (plan->spans.empty() || shadow.flow.size() < plan->spans.back().second) {
        plan->refuse(UNKNOWN_LOCATION, "its statements cannot be followed");
        return;
    }
    Slice(shadow, plan).find_needed();
}

} // namespace pluss
