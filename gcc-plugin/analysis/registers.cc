/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * scalars=all: each use and each assignment of a variable that a register would hold is a reference
 * to the variable's memory, as in code that is not optimised. A statement's operands are in
 * GIMPLE's order: those of an expression from left to right, subscripts before the element, what is
 * assigned last. (In the source `alpha * A[i]' reads alpha first; GIMPLE loads A[i] before it
 * multiplies.)
 */
#include "analysis/registers.h"

namespace pluss
{

/* The variable of the source whose value an SSA name is, or NULL. */
static tree variable_of(tree name)
{
    tree var = TREE_CODE(name) == SSA_NAME ? SSA_NAME_VAR(name) : NULL_TREE;
    return var && (VAR_P(var) || TREE_CODE(var) == PARM_DECL) && DECL_NAME(var) &&
                   !DECL_ARTIFICIAL(var) && !virtual_operand_p(name)
               ? var
               : NULL_TREE;
}

static void add_variable(tree name, std::vector<tree> *out)
{
    if (tree var = variable_of(name))
        out->push_back(var);
}

static tree add_leaf(tree *t, int *, void *out)
{
    add_variable(*t, static_cast<std::vector<tree> *>(out));
    return NULL_TREE;
}

/* The variables in an operand, or in the address of one in memory, in order. */
static void add_operand(tree operand, std::vector<tree> *out)
{
    if (operand)
        walk_tree(&operand, add_leaf, out, NULL);
}

void find_register_accesses(gimple *g, RegisterAccesses *out)
{
    tree lhs = NULL_TREE;
    if (gassign *a = dyn_cast<gassign *>(g)) {
        for (unsigned i = 1; i < gimple_num_ops(a); i++)
            add_operand(gimple_op(a, i), &out->before);
        lhs = gimple_assign_lhs(a);
    } else if (gcall *c = dyn_cast<gcall *>(g)) {
        for (unsigned i = 0; i < gimple_call_num_args(c); i++)
            add_operand(gimple_call_arg(c, i), &out->before);
        lhs = gimple_call_lhs(c);
    } else if (gimple_code(g) == GIMPLE_COND || gimple_code(g) == GIMPLE_SWITCH) {
        for (unsigned i = 0; i < (gimple_code(g) == GIMPLE_COND ? 2 : 1); i++)
            add_operand(gimple_op(g, i), &out->before);
    }
    if (lhs && TREE_CODE(lhs) == SSA_NAME)
        out->written = variable_of(lhs);
    else if (lhs)
        add_operand(lhs, &out->subscripts);
}

bool has_register_accesses(gimple *g)
{
    RegisterAccesses found;
    find_register_accesses(g, &found);
    return !found.before.empty() || !found.subscripts.empty() || found.written;
}

} // namespace pluss
