/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Variables whose addresses are passed to functions that do not change them: what the call prints,
 * what is declared as read only (intent(in)), and the counter of a loop around the call, which
 * Fortran and OpenMP forbid to change. They get the address of a copy: if nothing else takes the
 * variable's address it is a register then, with a value that is known.
 */
#include "shadow/flatten.h"

#include "common/statements.h"
#include "shadow/library.h"

namespace pluss
{

/* What a statement assigns if it is one value, or a sum (of the first operand and a step). */
static tree find_source(gimple *g, tree_code code)
{
    gassign *a = dyn_cast<gassign *>(g);
    if (!a)
        return NULL_TREE;
    bool fits = code == PLUS_EXPR ? gimple_assign_rhs_code(a) == code : gimple_assign_single_p(a);
    return fits ? gimple_assign_rhs1(a) : NULL_TREE;
}

/* The variable that a statement adds something to, or NULL: t = v; u = t + step; v = u, of which
 * the first or the last may be missing. */
static tree find_added(const std::vector<gimple *> &all, size_t at)
{
    tree counter = gimple_get_lhs(all[at]);
    if (!counter || !VAR_P(counter))
        return NULL_TREE;
    tree sum = find_source(all[at], VAR_DECL);
    if (sum && at > 0 && gimple_get_lhs(all[at - 1]) == sum)
        at--;
    tree from = find_source(all[at], PLUS_EXPR);
    if (from && from != counter && at > 0 && gimple_get_lhs(all[at - 1]) == from)
        from = find_source(all[at - 1], VAR_DECL);
    return from == counter ? counter : NULL_TREE;
}

/* The variable whose address is an argument, or NULL. */
static tree find_passed(gcall *call, unsigned argument)
{
    tree arg = gimple_call_arg(call, argument);
    return TREE_CODE(arg) == ADDR_EXPR ? TREE_OPERAND(arg, 0) : NULL_TREE;
}

/* The assignments of a counter that is in memory, from the one before its loop to the loop's end,
 * and what loads it there: a register has the same value. */
void Flat::mirror_counter(const std::vector<gimple *> &all, size_t first, size_t end, tree counter)
{
    for (size_t i = first; i < end; i++)
        if (find_source(all[i], VAR_DECL)) {
            const bool assigned = gimple_get_lhs(all[i]) == counter;
            if (assigned || gimple_assign_rhs1(all[i]) == counter)
                mirrored[all[i]] = {all[end], assigned};
        }
}

/* Calls in Fortran's loops, with the loops' counters. What the front end makes of `do' has its
 * line: the assignment before the loop and the only one in it, at its end. */
void Flat::find_counting(const std::vector<gimple *> &all)
{
    if (!lang_GNU_Fortran())
        return;
    std::map<tree, size_t> labels; /* that were passed */
    for (size_t end = 0; end < all.size(); end++) {
        if (glabel *l = dyn_cast<glabel *>(all[end]))
            labels[gimple_label_label(l)] = end;
        if (gimple_code(all[end]) != GIMPLE_GOTO || !labels.count(gimple_goto_dest(all[end])))
            continue;
        const size_t begin = labels[gimple_goto_dest(all[end])];
        std::map<tree, size_t> stored; /* how often, in the loop */
        std::set<tree> counters;
        for (size_t i = begin; i < end; i++)
            if (tree to = gimple_get_lhs(all[i]))
                stored[to]++;
        for (size_t i = begin; i < end; i++) {
            tree counter = find_added(all, i);
            if (!counter || stored[counter] != 1)
                continue;
            size_t first = begin;
            while (first > 0 && gimple_get_lhs(all[first]) != counter)
                first--;
            const int line = LOCATION_LINE(gimple_location(all[i]));
            if (line <= 0 || gimple_get_lhs(all[first]) != counter ||
                LOCATION_LINE(gimple_location(all[first])) != line)
                continue;
            counters.insert(counter);
            if (is_global_var(counter))
                mirror_counter(all, first, end, counter);
        }
        for (size_t i = begin; i < end && !counters.empty(); i++)
            if (gcall *call = dyn_cast<gcall *>(all[i]))
                for (unsigned k = 0; k < gimple_call_num_args(call); k++)
                    if (counters.count(find_passed(call, k)))
                        counting.insert({call, k});
    }
}

/* The indices of a loop construct, and the variables in memory that are set to them where its body
 * begins. */
void Flatten::note_counters(gomp_for *f, gimple_seq body)
{
    for (size_t d = 0; d < gimple_omp_for_collapse(f); d++)
        counters.insert(gimple_omp_for_index(f, d));
    for (gimple *g : list_statements(body)) {
        if (gimple_code(g) == GIMPLE_BIND || is_gimple_debug(g))
            continue;
        if (!gimple_assign_single_p(g) || !counters.count(gimple_assign_rhs1(g)))
            break;
        counters.insert(gimple_assign_lhs(g));
    }
}

/* Is a variable whose address is an argument the same after the call? */
bool Flatten::stays_same(gcall *call, unsigned argument, tree var)
{
    attr_fnspec spec = gimple_call_fnspec(call);
    return prints_arguments(call) || counters.count(var) || flat.counting.count({call, argument}) ||
           (lang_GNU_Fortran() && spec.known_p() && spec.arg_specified_p(argument) &&
            !spec.arg_maybe_written_p(argument));
}

/* Appends a statement; one that assigns or loads a counter in memory keeps to a register. */
void Flatten::append_mirrored(gimple_seq *out, gimple *g)
{
    auto of = flat.mirrored.find(g);
    if (options.scalars || of == flat.mirrored.end()) {
        append(out, g);
        return;
    }
    tree &same = mirrors[of->second.loop];
    if (!same) {
        tree counter = of->second.assigned ? gimple_get_lhs(g) : gimple_assign_rhs1(g);
        same = make_temporary(TREE_TYPE(counter));
        DECL_NAME(same) = DECL_NAME(counter);
        DECL_ARTIFICIAL(same) = DECL_IGNORED_P(same) = 0;
    }
    if (!of->second.assigned)
        gimple_assign_set_rhs1(g, same);
    append(out, g);
    if (of->second.assigned)
        append_glue(out, gimple_build_assign(same, gimple_assign_rhs1(g)));
}

void Flatten::pass_copies(gimple_seq *out, gcall *call)
{
    if (options.scalars || gimple_call_internal_p(call))
        return;
    for (unsigned i = 0; i < gimple_call_num_args(call); i++) {
        tree var = find_passed(call, i);
        if (!var || !VAR_P(var) || is_global_var(var) || TREE_THIS_VOLATILE(var) ||
            !is_gimple_reg_type(TREE_TYPE(var)) || DECL_HAS_VALUE_EXPR_P(var) ||
            !stays_same(call, i, var))
            continue;
        tree value = make_temporary(TREE_TYPE(var)), copy = make_temporary(TREE_TYPE(var));
        TREE_ADDRESSABLE(copy) = 1;
        append_glue(out, gimple_build_assign(value, var));
        append_glue(out, gimple_build_assign(copy, value));
        gimple_call_set_arg(call, i, build_fold_addr_expr(copy));
    }
}

} // namespace pluss
