/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes a sampler's code from the copy of its region, statement by statement.
 */
#include "sampler/sample_code.h"

#include "common/statements.h"
#include "emit/note.h"

namespace pluss
{

void SampleCode::emit_sequence(gimple_seq in, gimple_seq *out)
{
    for (gimple_stmt_iterator i = gsi_start(in); !gsi_end_p(i);) {
        gimple *g = gsi_stmt(i);
        gsi_remove(&i, false);
        emit_statement(g, out);
    }
}

void SampleCode::emit_access_call(unsigned number, tree address, gimple_seq *out)
{
    bool alone = depth == 0 || once > 0;
    emit_call(out, walk_function(alone ? Walk::AccessOnce : Walk::Access),
              {walk, build_u32(number), address});
}

void SampleCode::emit_access(gimple *g, const SampleRef &r, gimple_seq *out)
{
    tree lvalue = find_access(g, r.write, &arguments[g]);
    tree address = lvalue ? emit_address(out, lvalue) : NULL_TREE;
    if (!address) {
        refuse("a reference has no address");
        return;
    }
    address = emit_convert(out, const_ptr_type_node, address);
    if (r.own)
        address = emit_walk_value(out, Walk::Own, {walk, address});
    if (!r.postponed) {
        emit_access_call(r.number, address, out);
        return;
    }
    tree kept = make_variable(const_ptr_type_node);
    variables.push_back(kept);
    gimple_seq_add_stmt(out, gimple_build_assign(kept, address));
    postponed[r.number] = kept;
}

void SampleCode::emit_condition(gcond *c, size_t at, gimple_seq *out)
{
    tree yes = find_target(gimple_cond_true_label(c)), no = find_target(gimple_cond_false_label(c));
    gimple_cond_set_true_label(c, yes);
    gimple_cond_set_false_label(c, no);
    auto test = plan.tests.find(at);
    if (test == plan.tests.end()) {
        gimple_seq_add_stmt(out, c);
        return;
    }
    for (bool way : {true, false}) {
        tree from = make_label(), to = way ? yes : no;
        gimple_seq arm = NULL;
        gimple_seq_add_stmt(&arm, gimple_build_label(from));
        for (auto &n : test->second.numbers) {
            auto kept = postponed.find(n.first);
            if (kept == postponed.end())
                refuse("the test of a loop cannot be followed");
            else
                emit_access_call(way == test->second.leave_if ? n.second : n.first, kept->second,
                                 &arm);
        }
        gimple_seq_add_stmt(&arm, gimple_build_goto(to));
        if (way) {
            gimple_cond_set_true_label(c, from);
            tree other = make_label();
            gimple_cond_set_false_label(c, other);
            gimple_seq_add_stmt(out, c);
            gimple_seq_add_seq(out, arm);
            gimple_seq_add_stmt(out, gimple_build_label(other));
        } else {
            gimple_seq_add_seq(out, arm);
        }
    }
}

/* Where a branch goes that is not in the slice: by its constant, or as the slice says. */
tree SampleCode::choose_target(gimple *g, size_t at)
{
    auto way = plan.ways.find(at);
    tree chosen = way != plan.ways.end() ? way->second : NULL_TREE;
    if (gcond *c = dyn_cast<gcond *>(g)) {
        tree truth = fold_binary(gimple_cond_code(c), boolean_type_node, gimple_cond_lhs(c),
                                 gimple_cond_rhs(c));
        if (truth && TREE_CODE(truth) == INTEGER_CST)
            chosen = truth;
        return chosen && integer_zerop(chosen) ? gimple_cond_false_label(c)
                                               : gimple_cond_true_label(c);
    }
    gswitch *s = as_a<gswitch *>(g);
    if (TREE_CODE(gimple_switch_index(s)) == INTEGER_CST)
        chosen = gimple_switch_index(s);
    for (unsigned k = 1; chosen && k < gimple_switch_num_labels(s); k++) {
        tree label = gimple_switch_label(s, k), low = CASE_LOW(label), high = CASE_HIGH(label);
        if (tree_int_cst_le(low, chosen) && tree_int_cst_le(chosen, high ? high : low))
            return CASE_LABEL(label);
    }
    return CASE_LABEL(gimple_switch_default_label(s));
}

gswitch *SampleCode::retarget_switch(gswitch *s)
{
    for (unsigned k = 0; k < gimple_switch_num_labels(s); k++) {
        tree label = gimple_switch_label(s, k);
        CASE_LABEL(label) = find_target(CASE_LABEL(label));
    }
    return s;
}

/* Replaces a query of the OpenMP runtime about the real team. */
bool SampleCode::replace_team_query(gcall *c, gimple_seq *out)
{
    TeamQuery query = read_team_query(c);
    if (query == TeamQuery::None)
        return false;
    tree lhs = gimple_call_lhs(c);
    tree value = emit_walk_value(out,
                                 query == TeamQuery::ThreadNumber ? Walk::ThreadNum
                                 : query == TeamQuery::TeamSize   ? Walk::NumThreads
                                                                  : Walk::MaxThreads,
                                 {walk});
    if (lhs)
        gimple_seq_add_stmt(out, useless_type_conversion_p(TREE_TYPE(lhs), integer_type_node)
                                     ? gimple_build_assign(lhs, value)
                                     : gimple_build_assign(lhs, NOP_EXPR, value));
    return true;
}

void SampleCode::follow_marker(const Marker &m, gimple_seq *out)
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
        tree threads = c->has_threads && m.arg[0] ? emit_number(out, m.arg[0])
                                                  : build_int_cst(intDI_type_node, 0);
        tree cond = integer_one_node;
        if (c->has_if && m.arg[1]) {
            tree type = TREE_TYPE(m.arg[1]);
            tree truth =
                emit_value(out, boolean_type_node, NE_EXPR, m.arg[1], build_zero_cst(type));
            cond = emit_convert(out, integer_type_node, truth);
        }
        tree in = create_artificial_label(c->loc), past = create_artificial_label(c->loc);
        tree member = emit_walk_value(out, Walk::Parallel, {walk, threads, cond});
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
                      {walk, build_int_cst(uint64_type_node, c->sections), build_u32(WALK_SECTIONS),
                       build_int_cst(intDI_type_node, 1),
                       build_int_cst(integer_type_node, c->nowait)});
        flags |= 2;
        return;
    case ConstructKind::For:
        if (is_dispatched_on_demand(c->schedule))
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

void SampleCode::emit_statement(gimple *g, gimple_seq *out)
{
    switch (gimple_code(g)) {
    case GIMPLE_BIND: {
        gbind *b = as_a<gbind *>(g);
        gimple_seq body = NULL;
        emit_sequence(gimple_bind_body(b), &body);
        gimple_bind_set_body(b, body);
        gimple_bind_set_block(b, NULL_TREE);
        gimple_seq_add_stmt(out, b);
        return;
    }
    case GIMPLE_TRY: {
        gtry *t = as_a<gtry *>(g);
        emit_sequence(gimple_try_eval(t), out);
        if (gimple_try_kind(t) == GIMPLE_TRY_FINALLY)
            emit_sequence(gimple_try_cleanup(t), out);
        return;
    }
    case GIMPLE_LABEL:
        gimple_seq_add_stmt(out, g);
        return;
    case GIMPLE_GOTO:
        gimple_seq_add_stmt(out, gimple_build_goto(find_target(gimple_goto_dest(g))));
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
    if (flat.read_marker(g, &m)) {
        follow_marker(m, out);
        return;
    }
    auto found = place.find(g);
    if (found == place.end()) { /* a statement that counts iterations */
        gimple_seq_add_stmt(out, g);
        return;
    }
    size_t at = found->second;
    auto refs = plan.refs.find(at);
    if (refs != plan.refs.end())
        for (const SampleRef &r : refs->second)
            emit_access(g, r, out);
    if (gimple_call_builtin_p(g, BUILT_IN_GOMP_BARRIER)) {
        emit_call(out, walk_function(Walk::Barrier), {walk});
        return;
    }
    if (gimple_code(g) == GIMPLE_COND || gimple_code(g) == GIMPLE_SWITCH) {
        if (!plan.keep[at])
            gimple_seq_add_stmt(out, gimple_build_goto(find_target(choose_target(g, at))));
        else if (gcond *c = dyn_cast<gcond *>(g))
            emit_condition(c, at, out);
        else
            gimple_seq_add_stmt(out, retarget_switch(as_a<gswitch *>(g)));
        return;
    }
    if (plan.keep[at]) {
        gcall *c = dyn_cast<gcall *>(g);
        if (c)
            gimple_call_set_nothrow(c, true);
        if (!c || !replace_team_query(c, out))
            gimple_seq_add_stmt(out, g);
    }
}

gimple_seq SampleCode::make_code()
{
    walk = make_variable(ptr_type_node);
    exit = make_label();
    gimple_seq flat_copy = copy_region();
    if (!plan.reason.empty())
        return NULL;
    for (gimple *g : list_statements(flat_copy))
        if (glabel *l = dyn_cast<glabel *>(g))
            labels.insert(gimple_label_label(l));
    gimple_seq body = NULL;
    if (plan.orphaned) {
        emit_walk_value(&body, Walk::Parallel,
                        {walk, build_int_cst(intDI_type_node, 0), integer_one_node});
        depth++;
    }
    emit_sequence(flat_copy, &body);
    if (!plan.reason.empty())
        return NULL;
    replace_variables(&body);
    /* All paths out of the region pass here, in whatever team they are. */
    return emit_frame(body);
}

/* Releases names of the copy whose definitions are not in the code. */
static void release_names(unsigned from, gimple_seq code)
{
    std::vector<gimple *> all = list_statements(code);
    std::set<gimple *> there(all.begin(), all.end());
    for (unsigned i = from; i < num_ssa_names; i++)
        if (tree name = ssa_name(i))
            if (!there.count(SSA_NAME_DEF_STMT(name)))
                release_ssa_name(name);
}

gimple_seq make_sampler(function *fn, SamplePlan &plan, tree run)
{
    gimple_seq code = NULL;
    if (plan.reason.empty()) {
        unsigned names = num_ssa_names;
        code = SampleCode(fn, plan, run).make_code();
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
