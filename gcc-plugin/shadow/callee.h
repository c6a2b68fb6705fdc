/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bodies of called functions, in high GIMPLE, for the shadow. See callee.cc.
 */
#ifndef PLUSSI_PLUGIN_CALLEE_H
#define PLUSSI_PLUGIN_CALLEE_H

#include "common/gcc-compat.h"

namespace pluss
{

/* A fresh copy of a function's body for the current function (cfun is a shadow), with its own
 * locals and labels; NULL: there is no body, or it has more than `limit' statements. Sets *from and
 * *to to the statements of the source body and of the copy, in the same order. In programs that
 * record functions with OpenMP constructs have none: they are regions of their own. */
gimple_seq copy_callee(tree fn, size_t limit, std::vector<gimple *> *from,
                       std::vector<gimple *> *to);

/* The static chain of a nested function: the argument by which it finds the variables of the
 * function around it. NULL: it has none. */
tree static_chain_of(tree fn);

/* May a definition of another unit, or a resolver's choice, take the place of this declaration's?
 */
bool may_be_replaced(tree declaration);

/* The function whose body a call of fn executes: fn, or the function that fn is an alias of. */
tree callee_target(tree fn);

/* fn is an alias of a function that another unit has defined. */
void take_alias(tree alias, tree fn);

/* Keeps a copy of the body of a function that is about to be lowered, if it may be used. */
void keep_body(function *fn);

/* Takes the body of a function that another unit has defined, not a copy. */
void take_body(function *fn);

/* Marks the kept bodies for the garbage collector. */
void mark_kept_bodies();

/* A copy with its own locals and labels, for cfun; NULL: GCC cannot make one. */
gimple_seq copy_body(gimple_seq body);
/* The variables declared in a copied body, with those that they are copies of; static ones are not
 * copied. The statements are those of both bodies, in the same order. */
std::map<tree, tree> pair_variables(const std::vector<gimple *> &from,
                                    const std::vector<gimple *> &to);
/* Can it be copied? */
bool can_copy(const std::vector<gimple *> &all);
/* Is each place that control goes to known by a label of the sequence's own? */
bool has_own_labels(const std::vector<gimple *> &all);

} // namespace pluss
#endif
