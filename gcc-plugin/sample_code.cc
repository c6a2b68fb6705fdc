/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sampler as code, put where the region's run has begun:
 *
 *     s = pluss_rt_sample_begin (run, flags);
 *     if (s != 0) {
 *         v1 = v; ...                            what the region reads of the function's variables
 *         #pragma omp parallel num_threads (pluss_rt_sample_workers (s)) firstprivate (s, v1, ...)
 *         {
 *             w = 0;
 *             next: w = pluss_rt_sample_next (s, w);  if (w == 0) goto done;
 *             v2 = v1; ...
 *             the copied, flattened region, with
 *               - what the slice keeps (sample_slice.cc), of all else nothing;
 *               - a call for each access of a reference, with its address;
 *               - calls for markers: teams, sections, barriers;
 *             exit: goto next;
 *             done:
 *         }
 *         pluss_rt_sample_end (s);
 *     }
 *
 * Every walk has its own copy (v2) of the registers, and they begin with the values at the region's
 * entry (v1); variables in memory are shared and not changed. Exceptional ways are not walked.
 */
#include "sample.h"

#include "callee.h"
#include "note.h"
#include "sample_flatten.h"

namespace pluss
{

class SampleCode
{
  public:
    SampleCode(function *f, SamplePlan &p, tree r) : fn(f), plan(p), run(r) {}
    gimple_seq make();

  private:
    function *fn;
    SamplePlan &plan;
    tree run, walk;
    Flat flat;
    std::map<gimple *, size_t> place;  /* in the flow */
    std::map<tree, tree> outer_names;  /* SSA names that the region reads -> variable in a walk */
    std::map<tree, tree> outer_source; /* variable in a walk -> what it begins with */
    std::set<tree> shared;             /* variables in memory */
    std::vector<tree> variables;       /* of a walk */
    std::set<tree> labels;             /* that the copy holds */
    tree exit = NULL_TREE;
    int depth = 0, once = 0; /* of parallel regions; of master and single */
    std::vector<tree> outs;  /* labels behind the open parallel regions' bodies */
    std::map<unsigned, tree> postponed;
    std::map<gimple *, unsigned> arguments; /* of a call, that were met */
    unsigned flags = 0;

    void refuse(const std::string &why) { plan.refuse(UNKNOWN_LOCATION, why); }
    tree variable(tree type);
    gimple_seq copy();
    void sequence(gimple_seq in, gimple_seq *out);
    void statement(gimple *g, gimple_seq *out);
    void marker(const Marker &m, gimple_seq *out);
    void access(gimple *g, const SampleRef &r, gimple_seq *out);
    void condition(gcond *c, size_t at, gimple_seq *out);
    bool replaced_call(gcall *c, gimple_seq *out);
    void call_access(unsigned number, tree address, gimple_seq *out);
    void own_variables(gimple_seq *body);
    tree target(tree label) { return labels.count(label) ? label : exit; }
    gimple_seq frame(gimple_seq body);
};

tree SampleCode::variable(tree type)
{
    if (TREE_CODE(type) == REFERENCE_TYPE)
        type = build_pointer_type(TREE_TYPE(type));
    tree v = create_tmp_var_raw(TYPE_MAIN_VARIANT(type), NULL);
    DECL_CONTEXT(v) = fn->decl;
    DECL_SEEN_IN_BIND_EXPR_P(v) = 1;
    DECL_IGNORED_P(v) = 1;
    return v;
}

/* ---- copying --------------------------------------------------------------------------------- */

static tree collect_name(tree *tp, int *walk_subtrees, void *data)
{
    auto *wi = static_cast<walk_stmt_info *>(data);
    if (TYPE_P(*tp))
        *walk_subtrees = 0;
    else if (TREE_CODE(*tp) == SSA_NAME)
        static_cast<std::vector<tree> *>(wi->info)->push_back(*tp);
    return NULL_TREE;
}

static std::vector<tree> names_of(gimple *g)
{
    std::vector<tree> names;
    walk_stmt_info wi;
    memset(&wi, 0, sizeof wi);
    wi.info = &names;
    walk_gimple_op(g, collect_name, &wi);
    return names;
}

static tree replace_tree(tree *tp, int *walk_subtrees, void *data)
{
    auto *map = static_cast<std::map<tree, tree> *>(static_cast<walk_stmt_info *>(data)->info);
    if (TYPE_P(*tp)) {
        *walk_subtrees = 0;
    } else if (DECL_P(*tp) || TREE_CODE(*tp) == SSA_NAME) {
        auto it = map->find(*tp);
        if (it != map->end())
            *tp = it->second;
        *walk_subtrees = 0;
    }
    return NULL_TREE;
}

static void replace_in(gimple_seq *seq, std::map<tree, tree> *map)
{
    if (map->empty())
        return;
    walk_stmt_info wi;
    memset(&wi, 0, sizeof wi);
    wi.info = map;
    walk_gimple_seq_mod(seq, NULL, replace_tree, &wi);
}

/* The region, copied and flattened; its statements are found by their places. */
gimple_seq SampleCode::copy()
{
    gimple_seq source = NULL;
    for (gimple *g : plan.range)
        gimple_seq_add_stmt_without_update(&source, gimple_copy(g));
    size_t n = all_stmts(source).size();
    std::vector<gimple *> all = all_stmts(fn->gimple_body), from;
    for (gimple *g : plan.range) {
        gimple_seq one = NULL;
        gimple_seq_add_stmt_without_update(&one, gimple_copy(g));
        size_t count = all_stmts(one).size();
        size_t first = std::find(all.begin(), all.end(), g) - all.begin();
        for (size_t k = first; k < first + count && k < all.size(); k++)
            from.push_back(all[k]);
    }
    if (from.size() != n) {
        refuse("its statements cannot be followed");
        return NULL;
    }
    gimple_seq seq = copy_body(source);
    std::vector<gimple *> to = all_stmts(seq);
    if (to.size() != n) {
        refuse("it could not be copied");
        return NULL;
    }
    std::set<tree> defined;
    for (gimple *g : from)
        if (tree lhs = gimple_get_lhs(g))
            if (TREE_CODE(lhs) == SSA_NAME)
                defined.insert(lhs);
    for (size_t i = 0; i < n; i++) {
        std::vector<tree> a = names_of(from[i]), b = names_of(to[i]);
        for (size_t k = 0; k < a.size() && a.size() == b.size(); k++) {
            if (defined.count(a[k]))
                continue;
            tree &mine = outer_names[a[k]];
            if (!mine) {
                mine = variable(TREE_TYPE(a[k]));
                variables.push_back(mine);
                outer_source[mine] = a[k];
            }
            outer_names[b[k]] = mine;
        }
    }
    flat.adopt(from, to);
    flat.make_marker();
    replace_in(&seq, &outer_names);
    SampleFlatten flatten(flat, walk);
    seq = flatten.sequence(seq);
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

/* ---- statements ------------------------------------------------------------------------------ */

void SampleCode::sequence(gimple_seq in, gimple_seq *out)
{
    for (gimple_stmt_iterator i = gsi_start(in); !gsi_end_p(i);) {
        gimple *g = gsi_stmt(i);
        gsi_remove(&i, false);
        statement(g, out);
    }
}

void SampleCode::call_access(unsigned number, tree address, gimple_seq *out)
{
    bool alone = depth == 0 || once > 0;
    emit_call(out, walk_function(alone ? Walk::AccessOnce : Walk::Access),
              {walk, build_int_cst(uint32_type_node, number), address});
}

static bool in_memory(tree t)
{
    while (handled_component_p(t))
        t = TREE_OPERAND(t, 0);
    return TREE_CODE(t) == MEM_REF || (DECL_P(t) && !is_gimple_reg(t));
}

void SampleCode::access(gimple *g, const SampleRef &r, gimple_seq *out)
{
    tree lvalue = NULL_TREE;
    if (r.write) {
        lvalue = gimple_get_lhs(g);
    } else if (is_gimple_assign(g)) {
        lvalue = gimple_assign_rhs1(g);
    } else if (gcall *c = dyn_cast<gcall *>(g)) {
        unsigned &n = arguments[g];
        while (n < gimple_call_num_args(c) && !in_memory(gimple_call_arg(c, n)))
            n++;
        if (n < gimple_call_num_args(c))
            lvalue = gimple_call_arg(c, n++);
    }
    tree address = lvalue && in_memory(lvalue) ? emit_address(out, lvalue) : NULL_TREE;
    if (!address) {
        refuse("a reference has no address");
        return;
    }
    address = emit_convert(out, const_ptr_type_node, address);
    if (r.own)
        address = walk_value(out, Walk::Own, {walk, address});
    if (!r.postponed) {
        call_access(r.number, address, out);
        return;
    }
    tree kept = variable(const_ptr_type_node);
    variables.push_back(kept);
    gimple_seq_add_stmt(out, gimple_build_assign(kept, address));
    postponed[r.number] = kept;
}

void SampleCode::condition(gcond *c, size_t at, gimple_seq *out)
{
    tree yes = target(gimple_cond_true_label(c)), no = target(gimple_cond_false_label(c));
    gimple_cond_set_true_label(c, yes);
    gimple_cond_set_false_label(c, no);
    auto test = plan.tests.find(at);
    if (test == plan.tests.end()) {
        gimple_seq_add_stmt(out, c);
        return;
    }
    for (bool way : {true, false}) {
        tree from = create_artificial_label(UNKNOWN_LOCATION), to = way ? yes : no;
        gimple_seq arm = NULL;
        gimple_seq_add_stmt(&arm, gimple_build_label(from));
        for (auto &n : test->second.numbers) {
            auto kept = postponed.find(n.first);
            if (kept == postponed.end())
                refuse("the test of a loop cannot be followed");
            else
                call_access(way == test->second.leave_if ? n.second : n.first, kept->second, &arm);
        }
        gimple_seq_add_stmt(&arm, gimple_build_goto(to));
        if (way) {
            gimple_cond_set_true_label(c, from);
            tree other = create_artificial_label(UNKNOWN_LOCATION);
            gimple_cond_set_false_label(c, other);
            gimple_seq_add_stmt(out, c);
            gimple_seq_add_seq(out, arm);
            gimple_seq_add_stmt(out, gimple_build_label(other));
        } else {
            gimple_seq_add_seq(out, arm);
        }
    }
}

/* What the OpenMP runtime would tell of the real team. */
bool SampleCode::replaced_call(gcall *c, gimple_seq *out)
{
    tree f = gimple_call_fndecl(c), lhs = gimple_call_lhs(c);
    std::string name = f && DECL_NAME(f) ? IDENTIFIER_POINTER(DECL_NAME(f)) : "";
    Walk which;
    if (name == "omp_get_thread_num")
        which = Walk::ThreadNum;
    else if (name == "omp_get_num_threads")
        which = Walk::NumThreads;
    else if (name == "omp_get_max_threads")
        which = Walk::MaxThreads;
    else
        return false;
    tree value = walk_value(out, which, {walk});
    if (lhs)
        gimple_seq_add_stmt(out, useless_type_conversion_p(TREE_TYPE(lhs), integer_type_node)
                                     ? gimple_build_assign(lhs, value)
                                     : gimple_build_assign(lhs, NOP_EXPR, value));
    return true;
}

void SampleCode::marker(const Marker &m, gimple_seq *out)
{
    const Construct *c = m.construct;
    switch (c->kind) {
    case ConstructKind::Parallel: {
        if (m.end) {
            gimple_seq_add_stmt(out, gimple_build_label(outs.back()));
            outs.pop_back();
            emit_call(out, walk_function(Walk::Join), {walk});
            depth--;
            return;
        }
        tree threads = c->has_threads && m.arg[0] ? as_number(out, m.arg[0])
                                                  : build_int_cst(intDI_type_node, 0);
        tree cond = integer_one_node;
        if (c->has_if && m.arg[1]) {
            tree type = TREE_TYPE(m.arg[1]);
            tree truth =
                emit_value(out, boolean_type_node, NE_EXPR, m.arg[1], build_zero_cst(type));
            cond = emit_convert(out, integer_type_node, truth);
        }
        tree in = create_artificial_label(c->loc), past = create_artificial_label(c->loc);
        tree member = walk_value(out, Walk::Parallel, {walk, threads, cond});
        gimple_seq_add_stmt(out, gimple_build_cond(NE_EXPR, member, integer_zero_node, in, past));
        gimple_seq_add_stmt(out, gimple_build_label(in));
        outs.push_back(past);
        depth++;
        return;
    }
    case ConstructKind::Sections:
        if (m.end)
            emit_call(out, walk_function(Walk::LoopEnd), {walk});
        else
            emit_call(out, walk_function(Walk::Loop),
                      {walk, build_int_cst(uint64_type_node, c->sections),
                       build_int_cst(uint32_type_node, WALK_SECTIONS),
                       build_int_cst(intDI_type_node, 1),
                       build_int_cst(integer_type_node, c->nowait)});
        flags |= 2;
        return;
    case ConstructKind::For:
        if (walk_schedule(c) != WALK_STATIC)
            flags |= 1;
        return;
    case ConstructKind::Single:
    case ConstructKind::Master:
        once += m.end ? -1 : 1;
        if (m.end && c->kind == ConstructKind::Single && !c->nowait)
            emit_call(out, walk_function(Walk::Barrier), {walk});
        return;
    default:
        return;
    }
}

void SampleCode::statement(gimple *g, gimple_seq *out)
{
    switch (gimple_code(g)) {
    case GIMPLE_BIND: {
        gbind *b = as_a<gbind *>(g);
        gimple_seq body = NULL;
        sequence(gimple_bind_body(b), &body);
        gimple_bind_set_body(b, body);
        gimple_bind_set_block(b, NULL_TREE);
        gimple_seq_add_stmt(out, b);
        return;
    }
    case GIMPLE_TRY: {
        gtry *t = as_a<gtry *>(g);
        sequence(gimple_try_eval(t), out);
        if (gimple_try_kind(t) == GIMPLE_TRY_FINALLY)
            sequence(gimple_try_cleanup(t), out);
        return;
    }
    case GIMPLE_LABEL:
        gimple_seq_add_stmt(out, g);
        return;
    case GIMPLE_GOTO:
        gimple_seq_add_stmt(out, gimple_build_goto(target(gimple_goto_dest(g))));
        return;
    case GIMPLE_RETURN:
        gimple_seq_add_stmt(out, gimple_build_goto(exit));
        return;
    default:
        break;
    }
    if (gimple_location(g) != UNKNOWN_LOCATION)
        gimple_set_location(g, LOCATION_LOCUS(gimple_location(g)));
    Marker m;
    if (flat.marker(g, &m)) {
        marker(m, out);
        return;
    }
    auto found = place.find(g);
    if (found == place.end()) { /* what counts iterations */
        gimple_seq_add_stmt(out, g);
        return;
    }
    size_t at = found->second;
    auto refs = plan.refs.find(at);
    if (refs != plan.refs.end())
        for (const SampleRef &r : refs->second)
            access(g, r, out);
    if (gimple_call_builtin_p(g, BUILT_IN_GOMP_BARRIER)) {
        emit_call(out, walk_function(Walk::Barrier), {walk});
        return;
    }
    if (gcond *c = dyn_cast<gcond *>(g)) {
        auto way = plan.ways.find(at);
        if (plan.keep[at])
            condition(c, at, out);
        else
            gimple_seq_add_stmt(out, gimple_build_goto(target(way != plan.ways.end() && !way->second
                                                                  ? gimple_cond_false_label(c)
                                                                  : gimple_cond_true_label(c))));
        return;
    }
    if (gswitch *s = dyn_cast<gswitch *>(g)) {
        for (unsigned k = 0; k < gimple_switch_num_labels(s); k++) {
            tree label = gimple_switch_label(s, k);
            CASE_LABEL(label) = target(CASE_LABEL(label));
        }
        if (plan.keep[at])
            gimple_seq_add_stmt(out, s);
        else
            gimple_seq_add_stmt(out, gimple_build_goto(CASE_LABEL(gimple_switch_default_label(s))));
        return;
    }
    if (plan.keep[at]) {
        gcall *c = dyn_cast<gcall *>(g);
        if (c)
            gimple_call_set_nothrow(c, true);
        if (!c || !replaced_call(c, out))
            gimple_seq_add_stmt(out, g);
    }
}

/* ---- variables ------------------------------------------------------------------------------- */

/* No warning of a value that may not be there. */
static void quiet(tree var)
{
#if GCCPLUGIN_VERSION >= 12000
    suppress_warning(var, OPT_Wuninitialized);
    suppress_warning(var, OPT_Wmaybe_uninitialized);
#else
    TREE_NO_WARNING(var) = 1;
#endif
}

static tree collect_decl(tree *tp, int *walk_subtrees, void *data)
{
    auto *wi = static_cast<walk_stmt_info *>(data);
    if (TYPE_P(*tp))
        *walk_subtrees = 0;
    else if (VAR_P(*tp) || TREE_CODE(*tp) == PARM_DECL || TREE_CODE(*tp) == RESULT_DECL)
        static_cast<std::set<tree> *>(wi->info)->insert(*tp);
    return NULL_TREE;
}

/* The function's registers that occur in the copy are replaced by the walk's own. */
void SampleCode::own_variables(gimple_seq *body)
{
    std::set<tree> used, mine(variables.begin(), variables.end());
    mine.insert(walk);
    for (gimple *g : all_stmts(*body))
        if (gbind *b = dyn_cast<gbind *>(g))
            for (tree v = gimple_bind_vars(b); v; v = DECL_CHAIN(v))
                mine.insert(v);
    walk_stmt_info wi;
    memset(&wi, 0, sizeof wi);
    wi.info = &used;
    walk_gimple_seq(*body, NULL, collect_decl, &wi);
    std::vector<tree> order(used.begin(), used.end());
    std::sort(order.begin(), order.end(), [](tree a, tree b) { return DECL_UID(a) < DECL_UID(b); });
    std::map<tree, tree> own;
    for (tree v : order) {
        if (mine.count(v) || is_global_var(v))
            continue;
        if (!is_gimple_reg(v)) {
            shared.insert(v);
            continue;
        }
        tree t = variable(TREE_TYPE(v));
        variables.push_back(t);
        own[v] = t;
        bool compilers = DECL_ARTIFICIAL(v) || DECL_IGNORED_P(v);
        if (compilers && VAR_P(v))
            quiet(v); /* it may be without a value */
        if (compilers || plan.live.count(v))
            outer_source[t] = v;
    }
    replace_in(body, &own);
}

static void add_clause(tree *clauses, omp_clause_code code, tree decl)
{
    tree c = build_omp_clause(UNKNOWN_LOCATION, code);
    OMP_CLAUSE_DECL(c) = decl;
    OMP_CLAUSE_CHAIN(c) = *clauses;
    *clauses = c;
}

/* ---- the whole ------------------------------------------------------------------------------- */

gimple_seq SampleCode::frame(gimple_seq body)
{
    tree null = null_pointer_node;
    gimple_seq seq = NULL, before = NULL, inner = NULL;
    tree handle = variable(ptr_type_node);
    tree yes = create_artificial_label(UNKNOWN_LOCATION),
         over = create_artificial_label(UNKNOWN_LOCATION);
    flags |= plan.data ? 4 : 0;
    tree begun = walk_value(&seq, Walk::Begin, {run, build_int_cst(uint32_type_node, flags)});
    gimple_seq_add_stmt(&seq, gimple_build_assign(handle, begun));
    gimple_seq_add_stmt(&seq, gimple_build_cond(NE_EXPR, handle, null, yes, over));
    gimple_seq_add_stmt(&seq, gimple_build_label(yes));

    tree clauses = NULL_TREE, outer_vars = handle;
    gimple_seq start = NULL;
    for (tree t : variables) {
        auto source = outer_source.find(t);
        if (source == outer_source.end())
            continue;
        tree v = variable(TREE_TYPE(t));
        DECL_CHAIN(v) = outer_vars;
        outer_vars = v;
        gassign *in = gimple_build_assign(v, source->second), *each = gimple_build_assign(t, v);
        gimple_seq_add_stmt(&before, in);
        gimple_seq_add_stmt(&start, each);
        add_clause(&clauses, OMP_CLAUSE_FIRSTPRIVATE, v);
    }
    for (tree v : shared)
        add_clause(&clauses, OMP_CLAUSE_SHARED, v);
    add_clause(&clauses, OMP_CLAUSE_FIRSTPRIVATE, handle);
    tree workers = variable(uint32_type_node);
    DECL_CHAIN(workers) = outer_vars;
    outer_vars = workers;
    gimple_seq_add_seq(&seq, before);
    tree n = walk_value(&seq, Walk::Workers, {handle});
    gimple_seq_add_stmt(&seq, gimple_build_assign(workers, n));
    tree number = build_omp_clause(UNKNOWN_LOCATION, OMP_CLAUSE_NUM_THREADS);
    OMP_CLAUSE_NUM_THREADS_EXPR(number) = workers;
    OMP_CLAUSE_CHAIN(number) = clauses;
    clauses = number;

    tree next = create_artificial_label(UNKNOWN_LOCATION),
         go = create_artificial_label(UNKNOWN_LOCATION),
         done = create_artificial_label(UNKNOWN_LOCATION);
    gimple_seq_add_stmt(&inner, gimple_build_assign(walk, null));
    gimple_seq_add_stmt(&inner, gimple_build_label(next));
    tree w = walk_value(&inner, Walk::Next, {handle, walk});
    gimple_seq_add_stmt(&inner, gimple_build_assign(walk, w));
    gimple_seq_add_stmt(&inner, gimple_build_cond(NE_EXPR, walk, null, go, done));
    gimple_seq_add_stmt(&inner, gimple_build_label(go));
    gimple_seq_add_seq(&inner, start);
    gimple_seq_add_seq(&inner, body);
    gimple_seq_add_stmt(&inner, gimple_build_label(exit));
    gimple_seq_add_stmt(&inner, gimple_build_goto(next));
    gimple_seq_add_stmt(&inner, gimple_build_label(done));

    tree vars = walk;
    for (tree v : variables) {
        DECL_CHAIN(v) = vars;
        vars = v;
    }
    gbind *all = gimple_build_bind(vars, inner, make_node(BLOCK));
    gimple_seq parallel_body = NULL;
    gimple_seq_add_stmt(&parallel_body, all);
    gimple_seq_add_stmt(&seq,
                        gimple_build_omp_parallel(parallel_body, clauses, NULL_TREE, NULL_TREE));
    emit_call(&seq, walk_function(Walk::End), {handle});
    gimple_seq_add_stmt(&seq, gimple_build_label(over));
    gimple_seq whole = NULL;
    gimple_seq_add_stmt(&whole, gimple_build_bind(outer_vars, seq, NULL_TREE));
    return whole;
}

gimple_seq SampleCode::make()
{
    walk = variable(ptr_type_node);
    exit = create_artificial_label(UNKNOWN_LOCATION);
    gimple_seq flat_copy = copy();
    if (!plan.reason.empty())
        return NULL;
    for (gimple *g : all_stmts(flat_copy))
        if (glabel *l = dyn_cast<glabel *>(g))
            labels.insert(gimple_label_label(l));
    gimple_seq body = NULL;
    if (plan.orphaned) {
        walk_value(&body, Walk::Parallel,
                   {walk, build_int_cst(intDI_type_node, 0), integer_one_node});
        depth++;
    }
    sequence(flat_copy, &body);
    if (!plan.reason.empty())
        return NULL;
    own_variables(&body);
    /* The ways out of the region pass here, in whatever team they are. */
    return frame(body);
}

/* Names of the copy whose definitions did not come along. */
static void release_names(unsigned from, gimple_seq code)
{
    std::vector<gimple *> all = all_stmts(code);
    std::set<gimple *> there(all.begin(), all.end());
    for (unsigned i = from; i < num_ssa_names; i++)
        if (tree name = ssa_name(i))
            if (!there.count(SSA_NAME_DEF_STMT(name)))
                release_ssa_name(name);
}

gimple_seq sampler(function *fn, SamplePlan &plan, tree run)
{
    gimple_seq code = NULL;
    if (plan.reason.empty()) {
        unsigned names = num_ssa_names;
        code = SampleCode(fn, plan, run).make();
        release_names(names, code);
    }
    if (!plan.reason.empty()) {
        note_loop(plan.loc == UNKNOWN_LOCATION ? DECL_SOURCE_LOCATION(fn->decl) : plan.loc,
                  "region not sampled: " + plan.reason);
        return NULL;
    }
    return code;
}

} // namespace pluss
