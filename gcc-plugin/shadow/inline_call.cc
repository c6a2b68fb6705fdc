/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A called function's body in the place of its call: parameters become variables that the arguments
 * are assigned to, and return becomes a jump to the end.
 */
#include "shadow/flatten.h"

#include "common/source_marks.h"
#include "common/statements.h"
#include "shadow/callee.h"
#include "shadow/deciding.h"

namespace pluss
{

enum { MAX_INLINED_DEPTH = 12 };

struct Return {
    tree result, done; /* the variable that gets the result (or NULL), the label after the body */
};

static tree replace_return(gimple_stmt_iterator *gsi, bool *handled, walk_stmt_info *wi)
{
    *handled = false;
    greturn *r = dyn_cast<greturn *>(gsi_stmt(*gsi));
    if (!r)
        return NULL_TREE;
    Return *info = walk_info<Return>(wi);
    tree value = gimple_return_retval(r);
    if (value && info->result && value != info->result) {
        gassign *a = gimple_build_assign(info->result, value);
        gimple_set_location(a, gimple_location(r));
        gsi_insert_before(gsi, a, GSI_SAME_STMT);
    }
    gsi_replace(gsi, gimple_build_goto(info->done), false);
    *handled = true;
    return NULL_TREE;
}

/* Do the arguments of a call fit the function's parameters? */
static bool fits_parameters(gcall *call, tree fn)
{
    unsigned n = 0;
    for (tree p = DECL_ARGUMENTS(fn); p; p = DECL_CHAIN(p), n++)
        if (n >= gimple_call_num_args(call) ||
            !useless_type_conversion_p(TREE_TYPE(p), TREE_TYPE(gimple_call_arg(call, n))))
            return false;
    return n == gimple_call_num_args(call);
}

bool Flatten::is_inlinable(gcall *call, tree fn) const
{
    if (!fn || gimple_call_internal_p(call) || fndecl_built_in_p(fn) || fn == flat.marker ||
        fn == current_function_decl || callers.size() >= MAX_INLINED_DEPTH ||
        inlined_stmts >= inline_limit || (gimple_call_flags(call) & ECF_NORETURN) ||
        std::find(callers.begin(), callers.end(), fn) != callers.end())
        return false;
    fn = callee_target(fn);
    tree result = DECL_RESULT(fn);
    return result && fits_parameters(call, fn) &&
           !(DECL_BY_REFERENCE(result) && !gimple_call_lhs(call)) &&
           !(DECL_STATIC_CHAIN(fn) && !gimple_call_chain(call));
}

/* A variable in the place of a parameter or result; in serial code it is not private memory. */
tree Flatten::make_formal(tree var)
{
    tree t = make_private(var);
    if (parallel_depth == 0)
        flat.private_vars.erase(t);
    return t;
}

void Flatten::emit_parameters(gimple_seq *out, gcall *call, tree fn, std::map<tree, tree> *to)
{
    unsigned n = 0;
    for (tree p = DECL_ARGUMENTS(fn); p; p = DECL_CHAIN(p), n++) {
        tree t = make_formal(p), arg = gimple_call_arg(call, n);
        DECL_ARTIFICIAL(t) = DECL_IGNORED_P(t) = 1; /* named after the argument */
        (*to)[p] = t;
        if (!is_gimple_reg(t) && is_gimple_reg_type(TREE_TYPE(t)) && !is_gimple_val(arg)) {
            tree value = make_temporary(TREE_TYPE(t));
            append(out, gimple_build_assign(value, arg));
            arg = value;
        }
        gassign *a = gimple_build_assign(t, arg);
        gimple_set_location(a, gimple_location(call));
        append(out, a);
    }
}

/* Assigns the result to what the call assigns to. */
void Flatten::emit_result(gimple_seq *out, gcall *call, tree result)
{
    tree lhs = gimple_call_lhs(call);
    if (!is_gimple_reg(lhs) && !is_gimple_reg(result) && is_gimple_reg_type(TREE_TYPE(lhs))) {
        tree value = make_temporary(TREE_TYPE(lhs));
        append(out, gimple_build_assign(value, result));
        result = value;
    }
    gassign *a = gimple_build_assign(lhs, result);
    gimple_set_location(a, gimple_location(call));
    auto from = flat.origin.find(call);
    if (from != flat.origin.end())
        flat.origin[a] = from->second;
    append(out, a);
}

/* Programs that record tell of each loop that is asked about once, in its own function. What is
 * called in serial code and has parallel work is described there, too. */
static bool is_region_of_its_own(tree fn, const std::vector<gimple *> &body, bool in_parallel)
{
    if (!in_parallel && std::any_of(body.begin(), body.end(), is_gimple_omp))
        return true;
    return options.mode != Mode::Describe && asks_about_loops(DECL_STRUCT_FUNCTION(fn), body);
}

/* Is it a call that takes memory from the stack until its function ends? */
static bool takes_stack(gimple *g)
{
    return (is_gimple_call(g) ? gimple_call_flags(g) : 0) & ECF_MAY_BE_ALLOCA;
}

/* Does the body need a stack frame of its own where it is executed? A sampler's copy may lack what
 * gives memory of the stack back. */
static bool needs_frame(const std::vector<gimple *> &body, Purpose purpose)
{
    if (purpose == Purpose::Describe)
        return false;
    const bool restores =
        purpose == Purpose::Execute && std::any_of(body.begin(), body.end(), [](gimple *g) {
            return gimple_call_builtin_p(g, BUILT_IN_STACK_RESTORE);
        });
    return std::any_of(body.begin(), body.end(), [&](gimple *g) {
        if (takes_stack(g))
            return !restores || !gimple_call_alloca_for_var_p(as_a<gcall *>(g));
        return is_gimple_call(g) && (gimple_call_flags(g) & ECF_RETURNS_TWICE) != 0;
    });
}

bool Flatten::inline_call(gimple_seq *out, gcall *call)
{
    if (!is_inlinable(call, gimple_call_fndecl(call)))
        return false;
    tree fn = callee_target(gimple_call_fndecl(call));
    std::vector<gimple *> from, to;
    gimple_seq body = copy_callee(fn, inline_limit - inlined_stmts, &from, &to);
    if (!body || is_region_of_its_own(fn, to, parallel_depth > 0) || needs_frame(to, purpose))
        return false;
    inlined_stmts += to.size();
    flat.map_copies(from, to);
    location_t loc = gimple_location(call);
    /* Accesses of a system header's function are told of the place that calls it. */
    if (in_system_header_at(DECL_SOURCE_LOCATION(fn)) && !in_system_header_at(loc))
        for (gimple *g : to)
            gimple_set_location(g, loc);
    Renaming renaming;
    if (tree chain = static_chain_of(fn))
        renaming.to[chain] = gimple_call_chain(call); /* which it passes on */
    emit_parameters(out, call, fn, &renaming.to);
    tree result = DECL_RESULT(fn), lhs = gimple_call_lhs(call);
    bool by_reference = DECL_BY_REFERENCE(result);
    Return to_end = {NULL_TREE, create_artificial_label(loc)};
    if (!VOID_TYPE_P(TREE_TYPE(result))) {
        tree t = make_formal(result);
        renaming.to[result] = t;
        if (by_reference)
            append(out, gimple_build_assign(t, build_fold_addr_expr(unshare_expr(lhs))));
        else
            to_end.result = t;
    }
    change_sequence(&body, NULL, rename_operand, &renaming);
    change_sequence(&body, replace_return, NULL, &to_end);

    stop_where_decided(&body);
    callers.push_back(fn);
    gimple_seq_add_seq(out, flatten_sequence(body));
    callers.pop_back();
    append(out, gimple_build_label(to_end.done));
    if (lhs && to_end.result)
        emit_result(out, call, to_end.result);
    return true;
}

} // namespace pluss
