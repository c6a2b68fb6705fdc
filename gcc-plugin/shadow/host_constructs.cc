/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Constructs that libgomp executes on the host in plain terms:
 *
 *   target      its body. `target data' likewise; `update', `enter data' and `exit data' are
 * nothing. teams       its body, by one team after another: for team in 0..n distribute  in each
 * team, a block of the loop: the first n % teams blocks have one iteration more taskloop    in
 * single or master: the construct ends before it and begins anew after it, and all threads of the
 * team execute the tasks, as they would the chunks of a dynamic loop
 *
 * A taskloop's tasks differ in size by one iteration where the number of iterations is no multiple;
 * the chunks are those of the larger size. With grainsize(g) tasks have g to 2g - 1 iterations: g.
 */
#include "shadow/flatten.h"

#include "common/statements.h"

namespace pluss
{

void Flatten::note_host(gimple *g, const std::string &how)
{
    flat.elsewhere = true;
    for (const auto &before : flat.assumed)
        if (before.second == how)
            return;
    flat.assumed.push_back({gimple_location(g), how});
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

/* a code b, in 64 bits. */
tree Flatten::emit_operation(gimple_seq *out, tree_code code, tree a, tree b)
{
    tree type = long_long_integer_type_node;
    for (tree *x : {&a, &b}) {
        if (TREE_CODE(*x) == INTEGER_CST) {
            *x = fold_convert(type, *x);
        } else if (!useless_type_conversion_p(type, TREE_TYPE(*x))) {
            tree wide = make_temporary(type);
            append_glue(out, gimple_build_assign(wide, NOP_EXPR, *x));
            *x = wide;
        }
    }
    if (TREE_CODE(a) == INTEGER_CST && TREE_CODE(b) == INTEGER_CST)
        return fold_build2(code, type, a, b);
    tree t = make_temporary(type);
    append_glue(out, gimple_build_assign(t, code, a, b));
    return t;
}

/* The number of iterations of one loop of a construct. NULL: its step is not constant, or a bound
 * depends on another loop. */
tree Flatten::emit_count(gimple_seq *out, gomp_for *f, unsigned depth)
{
    OmpLoop loop = get_loop(f, depth);
    if (!loop.is_rectangular() || !INTEGRAL_TYPE_P(loop.type()) ||
        TREE_CODE(loop.by) != INTEGER_CST || !tree_fits_shwi_p(loop.by) || integer_zerop(loop.by) ||
        loop.relation == NE_EXPR)
        return NULL_TREE;
    int64_t by = tree_to_shwi(loop.by) * (loop.advance == MINUS_EXPR ? -1 : 1);
    bool last = loop.relation == LE_EXPR || loop.relation == GE_EXPR;
    int64_t step = by < 0 ? -by : by;
    tree from = emit_bound(out, by < 0 ? loop.end : loop.first, loop.type(), loop.loc);
    tree to = emit_bound(out, by < 0 ? loop.first : loop.end, loop.type(), loop.loc);
    tree type = long_long_integer_type_node;
    tree n = emit_operation(out, MINUS_EXPR, to, from);
    if (step - 1 + last > 0)
        n = emit_operation(out, PLUS_EXPR, n, build_int_cst(type, step - 1 + last));
    return step == 1 ? n : emit_operation(out, TRUNC_DIV_EXPR, n, build_int_cst(type, step));
}

/* ---- target and teams ------------------------------------------------------------------------ */

void Flatten::flatten_target(gimple_seq *out, gomp_target *t)
{
    int kind = gimple_omp_target_kind(t);
    if (parallel_depth > 0) { /* its threads would be teams of their own */
        emit_unknown(out, t, "omp target in a parallel region");
        return;
    }
    if (kind == GF_OMP_TARGET_KIND_DATA) {
        gimple_seq_add_seq(out, flatten_sequence(gimple_omp_body(t)));
    } else if (kind == GF_OMP_TARGET_KIND_REGION) {
        note_host(t, "omp target is described as the host executes it");
        target_depth++;
        flatten_around(out, t, gimple_omp_body_ptr(t), gimple_omp_target_clauses(t));
        target_depth--;
    }
}

void Flatten::flatten_teams(gimple_seq *out, gomp_teams *t)
{
    if (parallel_depth > 0 || league) {
        emit_unknown(out, t, "omp teams in a parallel region");
        return;
    }
    location_t loc = gimple_location(t);
    league = emit_bound(out, read_num_teams(t, target_depth > 0), integer_type_node, loc);
    auto emit_team = [&](tree number) {
        team = number;
        flatten_around(out, t, gimple_omp_body_ptr(t), gimple_omp_teams_clauses(t));
    };
    note_host(t,
              "the teams of omp teams are described as the host executes them, one after another");
    if (integer_onep(league)) {
        emit_team(integer_zero_node);
    } else {
        tree index = make_temporary(integer_type_node);
        DECL_NAME(index) = get_identifier("team");
        Counter counter = {
            {index, integer_zero_node, league, integer_one_node, LT_EXPR, PLUS_EXPR, loc},
            index,
            integer_zero_node,
            league};
        emit_counting_loop(out, counter, loc, [&]() { emit_team(index); });
    }
    league = team = NULL_TREE;
}

/* Makes the bounds of a distributed loop, and of those that are combined with it, those of the
 * team's block. False: the loop is of another kind; nothing has changed. */
bool Flatten::set_block(gimple_seq *out, gomp_for *f)
{
    OmpLoop loop = get_loop(f, 0);
    if (gimple_omp_for_collapse(f) != 1 || loop.relation != LT_EXPR || !integer_onep(loop.by) ||
        loop.advance != PLUS_EXPR ||
        omp_find_clause(gimple_omp_for_clauses(f), OMP_CLAUSE_DIST_SCHEDULE))
        return false;
    tree n = emit_count(out, f, 0);
    if (!n)
        return false;
    tree each = emit_operation(out, TRUNC_DIV_EXPR, n, league);
    tree rest = emit_operation(out, TRUNC_MOD_EXPR, n, league);
    tree first = emit_bound(out, loop.first, loop.type(), loop.loc);
    auto bound = [&](tree number) { /* first + number * each + min (number, rest) */
                                    tree whole = emit_operation(out, MULT_EXPR, number, each);
                                    tree more = emit_operation(out, MIN_EXPR, number, rest);
                                    tree place = emit_operation(out, PLUS_EXPR, whole, more);
                                    return emit_operation(out, PLUS_EXPR, place, first);
    };
    tree lo = bound(team), hi = bound(emit_operation(out, PLUS_EXPR, team, integer_one_node));
    for (gomp_for *x = f; x;) {
        gimple_omp_for_set_initial(x, 0, emit_bound(out, lo, get_loop(x, 0).type(), loop.loc));
        gimple_omp_for_set_final(x, 0, emit_bound(out, hi, get_loop(x, 0).type(), loop.loc));
        std::vector<gimple *> inner;
        if (gimple_omp_for_combined_p(x))
            inner = list_outermost(gimple_omp_body(x), GIMPLE_OMP_FOR);
        x = inner.empty() ? nullptr : as_a<gomp_for *>(inner[0]);
    }
    return true;
}

void Flatten::flatten_distribute(gimple_seq *out, gomp_for *f)
{
    gimple_seq_add_seq(out, flatten_sequence(gimple_omp_for_pre_body(f)));
    if (!league || (!integer_onep(league) && !set_block(out, f))) {
        emit_unknown(out, f,
                     league ? "omp distribute of a loop that is not simple" : "omp distribute");
        return;
    }
    gimple_seq before = NULL, after = NULL, loops = NULL;
    gimple_seq body =
        flatten_with_clauses(f, gimple_omp_body_ptr(f), gimple_omp_for_clauses(f), &before, &after);
    if (gimple_omp_for_combined_p(f)) {
        loops = body;
    } else {
        gimple_omp_set_body(f, body);
        emit_loops(&loops, f, NULL);
    }
    gimple_seq_add_seq(out, before);
    gimple_seq_add_seq(out, loops);
    gimple_seq_add_seq(out, after);
}

/* ---- taskloop -------------------------------------------------------------------------------- */

/* The number of iterations of a task; NULL: not known. */
tree Flatten::emit_task_size(gimple_seq *out, gomp_for *f)
{
    tree clauses = gimple_omp_for_clauses(f), type = long_long_integer_type_node;
    if (tree g = omp_find_clause(clauses, OMP_CLAUSE_GRAINSIZE))
        return emit_bound(out, OMP_CLAUSE_GRAINSIZE_EXPR(g), type, gimple_location(f));
    tree n = NULL_TREE;
    for (size_t d = 0; d < gimple_omp_for_collapse(f); d++) {
        tree count = emit_count(out, f, d);
        if (!count)
            return NULL_TREE;
        n = n ? emit_operation(out, MULT_EXPR, n, count) : count;
    }
    tree tasks;
    if (tree k = omp_find_clause(clauses, OMP_CLAUSE_NUM_TASKS)) {
        tasks = emit_bound(out, OMP_CLAUSE_NUM_TASKS_EXPR(k), type, gimple_location(f));
    } else {
        tasks = make_temporary(integer_type_node);
        gcall *call = gimple_build_call(builtin_decl_explicit(BUILT_IN_OMP_GET_NUM_THREADS), 0);
        gimple_call_set_lhs(call, tasks);
        append_glue(out, call);
    }
    tree less = emit_operation(out, MINUS_EXPR, tasks, integer_one_node);
    return emit_operation(out, FLOOR_DIV_EXPR, emit_operation(out, PLUS_EXPR, n, less), tasks);
}

/* Ends the construct of one thread. NULL: the tasks are not described. */
Construct *Flatten::begin_taskloop(gimple_seq *out, gomp_for *f)
{
    tree size = lone && parallel_depth > 0 ? emit_task_size(out, f) : NULL_TREE;
    if (!size) {
        emit_unknown(out, f, "omp taskloop");
        return nullptr;
    }
    flat.elsewhere = true;
    lone->construct->nowait = false; /* the others wait for tasks */
    lone->construct->tasks = true;
    emit_marker(out, lone->construct, true);
    Construct *c = add_construct(ConstructKind::For, f);
    read_worksharing(f, c);
    c->tasks = true;
    c->schedule = PLUSSI_SCHED_DYNAMIC;
    c->chunk = size;
    c->has_chunk = true;
    c->nowait = omp_find_clause(gimple_omp_for_clauses(f), OMP_CLAUSE_NOGROUP) != NULL_TREE;
    emit_marker(out, c, false, c->chunk);
    return c;
}

void Flatten::end_taskloop(gimple_seq *out, Construct *c)
{
    emit_marker(out, c, true);
    Construct *again = add_construct(lone->construct->kind, lone->stmt);
    again->nowait = has_nowait(lone->stmt);
    again->tasks = true;
    lone->construct = again;
    emit_marker(out, again, false);
}

} // namespace pluss
