/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What calls that are not put in line may change.
 *
 * Functions of libraries are known by name (shadow/library.h), those of the unit by what they and
 * the functions that they call store, and through which of their arguments (shadow/effects.h). A
 * procedure of Fortran changes a dummy argument or a variable of its caller only if it gets it as
 * an argument, not of intent(in), unless a pointer may lead to it: then its address is stored
 * somewhere in the function.
 */
#include "analysis/analysis.h"

#include "common/statements.h"
#include "shadow/effects.h"
#include "shadow/library.h"

namespace pluss
{

/* Is it a variable of the function, or a dummy argument, that only a pointer could reach? */
static bool is_own_in_fortran(const Object *o, tree fn)
{
    if (!lang_GNU_Fortran() || !o->decl)
        return false;
    if (o->kind == ObjectKind::Pointer)
        return o->is_param && TYPE_RESTRICT(TREE_TYPE(o->decl)); /* no target */
    if (o->kind != ObjectKind::Decl || !VAR_P(o->decl))
        return false;
    if (!is_global_var(o->decl))
        return true;
    /* Procedures that the function contains can name its static variables. */
    const Effects *e = effects_of(fn);
    return TREE_STATIC(o->decl) && !TREE_PUBLIC(o->decl) && DECL_CONTEXT(o->decl) &&
           TREE_CODE(DECL_CONTEXT(o->decl)) == FUNCTION_DECL && e && !e->stored.count(o->decl) &&
           (!e->leaves_unit || options.assume);
}

/* Is the address of an object stored anywhere in the function? */
bool Analysis::is_captured(const Object *o)
{
    if (!captured_done) {
        captured_done = true;
        basic_block bb;
        FOR_EACH_BB_FN(bb, cfun)
        for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
            gassign *g = dyn_cast<gassign *>(gsi_stmt(i));
            if (g && gimple_vdef(g) && gimple_assign_single_p(g) &&
                POINTER_TYPE_P(TREE_TYPE(gimple_assign_rhs1(g))))
                if (const Object *to = pointed_object(gimple_assign_rhs1(g)))
                    captured.insert(to);
        }
    }
    return captured.count(o) != 0;
}

/* Is it a null pointer, or the address of a string? */
static bool is_constant_address(tree p)
{
    return TREE_CODE(p) == INTEGER_CST ||
           (TREE_CODE(p) == ADDR_EXPR &&
            TREE_CODE(strip_components(TREE_OPERAND(p, 0))) == STRING_CST);
}

/* Does a function of the unit, with all that it calls, store nothing at a place? By the variables
 * that it names, the arguments that it stores through, and the types of what it stores. */
bool Analysis::stores_elsewhere(gcall *g, const Ref &r)
{
    tree fn = gimple_call_fndecl(g);
    const Effects *e = fn && !fndecl_built_in_p(fn) ? effects_of(fn) : nullptr;
    if (!e || e->leaves_unit || gimple_call_chain(g))
        return false;
    auto fits = [&](const std::set<tree> &types) {
        return std::any_of(types.begin(), types.end(),
                           [&](tree t) { return types_may_alias(t, r.type); });
    };
    const bool variable = r.object && r.object->kind == ObjectKind::Decl;
    if (variable ? e->stored.count(r.object->decl) != 0 : fits(e->named))
        return false;
    if (variable && !r.object->pointed)
        return true;
    if (fits(e->elsewhere))
        return false;
    for (const auto &argument : e->through) {
        if (argument.first >= gimple_call_num_args(g) || !fits(argument.second))
            continue;
        const Object *to = pointed_object(gimple_call_arg(g, argument.first));
        if (!to || !r.object || objects_may_overlap(to, r.object))
            return false;
    }
    return true;
}

/* Can a call not change an object, as it does so through its arguments only, and none of them leads
 * there? */
bool Analysis::is_out_of_reach(gcall *g, const Object *o)
{
    tree fn = gimple_call_fndecl(g);
    if (!fn || gimple_call_chain(g) || (!changes_by_arguments(fn) && !is_own_in_fortran(o, fn)) ||
        is_captured(o))
        return false;
    attr_fnspec spec = gimple_call_fnspec(g);
    for (unsigned i = 0; i < gimple_call_num_args(g); i++) {
        tree p = gimple_call_arg(g, i);
        if (!POINTER_TYPE_P(TREE_TYPE(p)) || is_constant_address(p))
            continue;
        if (TREE_CODE(TREE_TYPE(TREE_TYPE(p))) == FUNCTION_TYPE)
            return false; /* which may be called */
        if (spec.known_p() && spec.arg_specified_p(i) && !spec.arg_maybe_written_p(i))
            continue;
        const Object *to = pointed_object(p);
        if (!to || objects_may_overlap(to, o))
            return false;
    }
    return true;
}

} // namespace pluss
