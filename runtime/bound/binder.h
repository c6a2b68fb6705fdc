/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The steps of binding, one file each.
 */
#ifndef PLUSSI_BOUND_BINDER_H
#define PLUSSI_BOUND_BINDER_H

#include "bound/cexpr.h"

typedef struct plussi_binder {
    plussi_ctx *ctx;
    const plussi_nest *nest;
    const plussi_bind_options *options;
    plussi_bound *bound;
    const plussi_region *region; /* current region; NULL: declarations */
} plussi_binder;

/* symbols.c: bound->symbol. */
PLUSS_NODISCARD pluss_status plussi_bind_symbols(plussi_binder *b);

/* compile.c: compiles an expression within a scope, in which it is proved not to overflow. node (or
 * NULL) gives the place if the expression has none. */
PLUSS_NODISCARD pluss_status plussi_bind_expr(plussi_binder *b, const plussi_scope *scope,
                                              const plussi_expr *expr, const plussi_node *node,
                                              const plussi_cexpr **out);
/* An expression that must be constant (extents, repeat counts, bases). */
PLUSS_NODISCARD pluss_status plussi_bind_constant(plussi_binder *b, const plussi_expr *expr,
                                                  const plussi_loc *loc, int64_t *out);
/* An expression that must be at least 1 if its value is known: else PLUSS_ERANGE with the text
 * `what`. */
PLUSS_NODISCARD pluss_status plussi_bind_positive(plussi_binder *b, const plussi_scope *scope,
                                                  const plussi_expr *expr, const plussi_node *node,
                                                  const char *what, const plussi_cexpr **out);
/* Reports at the place of the expression, or of the node. */
pluss_status plussi_bind_fail(plussi_binder *b, const plussi_expr *expr, const plussi_node *node,
                              pluss_status status, const char *text);
/* The place of a message: that of the expression in the text, else of the node in the source or the
 * text. */
plussi_loc plussi_bind_place(const plussi_binder *b, const plussi_expr *expr,
                             const plussi_node *node);

/* arrays.c: before the tree, sizes and contents; after it, rooms and addresses. */
PLUSS_NODISCARD pluss_status plussi_bind_arrays(plussi_binder *b);
PLUSS_NODISCARD pluss_status plussi_bind_place_arrays(plussi_binder *b);

/* bind.c: the nodes of a body, within scope. */
PLUSS_NODISCARD pluss_status plussi_bind_children(plussi_binder *b, const plussi_scope *scope,
                                                  plussi_bound_node *node, const plussi_body *body,
                                                  const plussi_bound_node ***out, uint32_t *n);
/* bind_loop.c, bind_ref.c, bind_team.c: one node with its children. */
PLUSS_NODISCARD pluss_status plussi_bind_loop(plussi_binder *b, const plussi_scope *scope,
                                              plussi_bound_node *node);
PLUSS_NODISCARD pluss_status plussi_bind_ref(plussi_binder *b, const plussi_scope *scope,
                                             plussi_bound_node *node);
PLUSS_NODISCARD pluss_status plussi_bind_parallel(plussi_binder *b, const plussi_scope *scope,
                                                  plussi_bound_node *node);

#endif
