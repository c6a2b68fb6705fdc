/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A worksharing loop with a scan, as GCC makes it: two loops over the same iterations, by the same
 * threads. The first executes the input phase and keeps the sum so far of each iteration; threads
 * then add up their sums; the second loads what was kept and executes the scan phase.
 *
 *     for i { partial[i] = sum (exclusive); input phase; partial[i] = sum (inclusive) }
 *     for i { sum = partial[i]; scan phase }
 *
 * The array has an element for each iteration of the thread's: on its stack up to 16 KiB, else
 * allocated. Here it is private memory with the loop's own numbers as subscripts. A simd loop that
 * no threads share keeps nothing in memory.
 */
#include "shadow/flatten.h"

#include "common/statements.h"

namespace pluss
{

/* Nothing but the two phases? */
static bool is_two_phases(gimple_seq body)
{
    unsigned phases = 0;
    for (gimple *g :
         list_statements(body, [](gimple *s) { return gimple_code(s) == GIMPLE_OMP_SCAN; }))
        switch (gimple_code(g)) {
        case GIMPLE_OMP_SCAN:
            phases++;
            break;
        case GIMPLE_BIND:
        case GIMPLE_LABEL:
        case GIMPLE_NOP:
        case GIMPLE_DEBUG:
        case GIMPLE_PREDICT:
            break;
        default:
            return false;
        }
    return phases == 2;
}

bool Flatten::is_scanned(gomp_for *f)
{
    gomp_for *inner = get_innermost(f);
    if (!inner || gimple_omp_for_collapse(inner) != 1 || !get_loop(inner, 0).is_rectangular() ||
        !INTEGRAL_TYPE_P(get_loop(inner, 0).type()) ||
        TREE_CODE(get_loop(inner, 0).by) != INTEGER_CST || integer_zerop(get_loop(inner, 0).by))
        return false;
    return is_two_phases(gimple_omp_body(inner));
}

/* An array of a thread's own, an element an iteration, for each variable that is scanned. */
std::vector<std::pair<tree, tree>> Flatten::make_partial_sums(gimple_seq *out, gomp_scan *scan)
{
    std::vector<std::pair<tree, tree>> sums;
    for (tree c = gimple_omp_scan_clauses(scan); c; c = OMP_CLAUSE_CHAIN(c)) {
        tree var = OMP_CLAUSE_DECL(c);
        if (!DECL_P(var) || !is_gimple_reg_type(TREE_TYPE(var)) ||
            TREE_CODE(TREE_TYPE(var)) == REFERENCE_TYPE) {
            emit_unknown(out, scan, "the partial results of omp scan");
            continue;
        }
        tree array = make_temporary(build_array_type(TREE_TYPE(var), NULL_TREE));
        if (DECL_NAME(var))
            DECL_NAME(array) = get_identifier(
                (std::string(IDENTIFIER_POINTER(DECL_NAME(var))) + "_partial").c_str());
        DECL_SOURCE_LOCATION(array) = DECL_SOURCE_LOCATION(var);
        flat.private_vars.insert(array);
        sums.push_back({var, array});
    }
    return sums;
}

/* The number of the iteration that a loop of the construct is in. */
tree Flatten::emit_iteration(gimple_seq *out, gomp_for *f, tree first)
{
    OmpLoop loop = get_loop(f, 0);
    tree index = loop.index;
    if (!is_gimple_reg(index)) {
        tree value = make_temporary(loop.type());
        append_glue(out, gimple_build_assign(value, index));
        index = value;
    }
    bool down = loop.advance == MINUS_EXPR || tree_int_cst_sgn(loop.by) < 0;
    tree from = emit_operation(out, MINUS_EXPR, down ? first : index, down ? index : first);
    tree step = fold_build1(ABS_EXPR, long_long_integer_type_node,
                            fold_convert(long_long_integer_type_node, loop.by));
    return integer_onep(step) ? from : emit_operation(out, TRUNC_DIV_EXPR, from, step);
}

/* The construct's two loops, of which c is the first; returns the second. */
Construct *Flatten::emit_scan(gimple_seq *out, gomp_for *f, Construct *c, const Scan &s)
{
    const bool inclusive =
        omp_find_clause(gimple_omp_scan_clauses(s.separator), OMP_CLAUSE_INCLUSIVE) != NULL_TREE;
    const unsigned input = inclusive ? 0 : 1;
    tree first = emit_bound(out, get_loop(f, 0).first, get_loop(f, 0).type(), c->loc);
    std::vector<std::pair<tree, tree>> sums = make_partial_sums(out, s.separator);
    auto emit_moves = [&](bool load) {
        gimple_seq moves = NULL;
        tree k = sums.empty() ? NULL_TREE : emit_iteration(&moves, f, first);
        for (const auto &sum : sums) {
            tree element =
                build4(ARRAY_REF, TREE_TYPE(sum.first), sum.second, k, NULL_TREE, NULL_TREE);
            emit_copy(&moves, load ? sum.first : element, load ? element : sum.first,
                      gimple_location(s.separator));
        }
        return moves;
    };
    gimple_seq one = NULL, other = NULL;
    if (!inclusive)
        gimple_seq_add_seq(&one, emit_moves(false));
    gimple_seq_add_seq(&one, s.phase[input]);
    if (inclusive)
        gimple_seq_add_seq(&one, emit_moves(false));
    gimple_omp_set_body(f, one);
    emit_loops(out, f, c);
    emit_marker(out, c, true);

    flat.constructs.push_back(*c);
    Construct *again = &flat.constructs.back();
    c->nowait = false; /* the threads' sums are added up */
    emit_marker(out, again, false, again->chunk);
    gimple_seq_add_seq(&other, emit_moves(true));
    gimple_seq_add_seq(&other, s.phase[1 - input]);
    gimple_omp_set_body(f, other);
    emit_loops(out, f, again);
    return again;
}

/* One of the phases of the loop around. */
void Flatten::take_phase(gomp_scan *g)
{
    if (gimple_omp_scan_clauses(g))
        scan->separator = g;
    Scan *around = scan;
    scan = nullptr;
    gimple_seq body = flatten_sequence(gimple_omp_body(g));
    scan = around;
    scan->phase[scan->n++] = body;
}

} // namespace pluss
