/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statements in high GIMPLE: walks over them, lists of them, the memory that they name, and the
 * variables that code of the plugin's own needs.
 */
#ifndef PLUSSI_PLUGIN_STATEMENTS_H
#define PLUSSI_PLUGIN_STATEMENTS_H

#include "common/gcc-compat.h"

namespace pluss
{

/* Walks a sequence, nested statements included; the callbacks find `info` in wi->info. Returns what
 * stopped the walk, or NULL. */
tree walk_sequence(gimple_seq seq, walk_stmt_fn stmt, walk_tree_fn operand, void *info);
/* The same for callbacks that replace statements or operands. */
void change_sequence(gimple_seq *seq, walk_stmt_fn stmt, walk_tree_fn operand, void *info);
/* What a walk over operands was given as `info`. */
template <class T> T *walk_info(void *data)
{
    return static_cast<T *>(static_cast<walk_stmt_info *>(data)->info);
}

/* All statements of a sequence, nested ones included, in a fixed order; the insides of `closed`
 * statements are left out. */
std::vector<gimple *> list_statements(gimple_seq seq, bool (*closed)(gimple *) = nullptr);
/* The outermost statements of one code, outside of `closed` ones. */
std::vector<gimple *> list_outermost(gimple_seq seq, enum gimple_code code,
                                     bool (*closed)(gimple *) = nullptr);
/* The variables that are declared in a sequence, nested binds included. */
std::vector<tree> list_declared(gimple_seq seq);
/* The labels that a statement may go to. */
std::vector<tree> list_targets(gimple *g);
/* The declarations that occur in operands. */
std::set<tree> list_used(gimple_seq seq);
/* The bind that a sequence consists of; NULL if it is empty or holds more. */
gbind *only_bind(gimple_seq seq);

/* Replaces declarations and SSA names by those that the map has for them. */
void replace_names(gimple_seq *seq, std::map<tree, tree> *map);
void replace_names(gimple *stmt, std::map<tree, tree> *map);

/* Takes the lexical blocks off all binds of a sequence: they belong to another function. */
void strip_blocks(gimple_seq seq);

/* Is the operand an access to memory? (NULL: no.) */
bool is_memory(tree t);
/* The memory that a statement writes, or reads, or NULL. A call may read several arguments from
 * memory: the first one from number *argument on, which is set to the number after it. */
tree find_access(gimple *g, bool write, unsigned *argument);
/* The variable or dereferenced pointer that an access to a component starts from. */
tree strip_components(tree ref);

/* The field that a variable stands for inside of a construct, or NULL: variables that nested
 * functions (contained procedures of Fortran) use, too, are kept in a frame of the function around
 * them, and members of C++ that a clause names are fields of *this. */
tree frame_field(tree var);
/* The type of a frame: of the variables that nested functions use, too. */
bool is_frame(tree type);

/* A local variable of the current function, without a place in any block. Unnamed unless `name` is
 * given: GCC numbers the names that it makes up, and the numbers of others would change. */
tree make_local(tree type, const char *name = NULL);

} // namespace pluss
#endif
