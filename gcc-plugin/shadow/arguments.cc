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

/* The variable that is assigned or read, as its declaration; of one that internal procedures use,
 * too, its field in the frame, however it is named. NULL: it is none. */
static tree find_variable(tree t)
{
    if (!t)
        return NULL_TREE;
    if (tree field = DECL_P(t) ? frame_field(t) : NULL_TREE)
        t = field;
    if (TREE_CODE(t) == COMPONENT_REF && is_frame(TREE_TYPE(TREE_OPERAND(t, 0))))
        return TREE_OPERAND(t, 1);
    return VAR_P(t) ? t : NULL_TREE;
}

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
    tree counter = find_variable(gimple_get_lhs(all[at]));
    if (!counter)
        return NULL_TREE;
    tree sum = find_source(all[at], VAR_DECL);
    if (sum && at > 0 && gimple_get_lhs(all[at - 1]) == sum)
        at--;
    tree from = find_source(all[at], PLUS_EXPR);
    if (from && find_variable(from) != counter && at > 0 && gimple_get_lhs(all[at - 1]) == from)
        from = find_source(all[at - 1], VAR_DECL);
    return find_variable(from) == counter ? counter : NULL_TREE;
}

/* The variable whose address is an argument, or NULL. */
static tree find_passed(gcall *call, unsigned argument)
{
    tree arg = gimple_call_arg(call, argument);
    return TREE_CODE(arg) == ADDR_EXPR ? TREE_OPERAND(arg, 0) : NULL_TREE;
}

static tree find_read(tree *tp, int *, void *data)
{
    return DECL_P(*tp) && find_variable(*tp) == walk_info<tree_node>(data) ? *tp : NULL_TREE;
}

/* The assignments of a counter that is in memory, from the one before its loop to the loop's end,
 * and what loads it there: a register has the same value. */
void Flat::mirror_counter(const std::vector<gimple *> &all, size_t first, size_t end, tree counter)
{
    walk_stmt_info wi;
    memset(&wi, 0, sizeof wi);
    wi.info = counter;
    for (size_t i = first; i < end; i++) {
        const bool single = find_source(all[i], VAR_DECL) != NULL_TREE;
        if ((single && (find_variable(gimple_get_lhs(all[i])) == counter ||
                        find_variable(gimple_assign_rhs1(all[i])) == counter)) ||
            (TREE_CODE(counter) == FIELD_DECL && !gimple_has_substatements(all[i]) &&
             walk_gimple_op(all[i], find_read, &wi)))
            mirrored[{all[i], counter}] = all[end];
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
            if (tree to = find_variable(gimple_get_lhs(all[i])))
                stored[to]++;
        for (size_t i = begin; i < end; i++) {
            tree counter = find_added(all, i);
            if (!counter || stored[counter] != 1)
                continue;
            size_t first = begin;
            while (first > 0 && find_variable(gimple_get_lhs(all[first])) != counter)
                first--;
            const int line = LOCATION_LINE(gimple_location(all[i]));
            if (line <= 0 || find_variable(gimple_get_lhs(all[first])) != counter ||
                LOCATION_LINE(gimple_location(all[first])) != line)
                continue;
            counters.insert(counter);
            if (TREE_CODE(counter) == FIELD_DECL || is_global_var(counter))
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

/* The register that keeps to what a statement assigns or loads, or NULL. */
tree Flatten::find_mirror(gimple *g, tree memory)
{
    tree counter = options.scalars ? NULL_TREE : find_variable(memory);
    auto loop = counter ? flat.mirrored.find({g, counter}) : flat.mirrored.end();
    if (loop == flat.mirrored.end())
        return NULL_TREE;
    tree &same = mirrors[{loop->second, counter}];
    if (!same) {
        same = make_temporary(TREE_TYPE(counter));
        DECL_NAME(same) = DECL_NAME(counter);
        DECL_ARTIFICIAL(same) = DECL_IGNORED_P(same) = 0;
    }
    return same;
}

/* Appends a statement; one that assigns or loads a counter in memory keeps to a register. */
void Flatten::append_mirrored(gimple_seq *out, gimple *g)
{
    if (!find_source(g, VAR_DECL)) {
        append(out, g);
        return;
    }
    tree assigned = find_mirror(g, gimple_get_lhs(g));
    if (tree loaded = assigned ? NULL_TREE : find_mirror(g, gimple_assign_rhs1(g)))
        gimple_assign_set_rhs1(g, loaded);
    append(out, g);
    if (assigned)
        append_glue(out, gimple_build_assign(assigned, gimple_assign_rhs1(g)));
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
