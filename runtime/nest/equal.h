/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Comparison of single declarations, for joining nests, and of references and expressions.
 */
#ifndef PLUSSI_NEST_EQUAL_H
#define PLUSSI_NEST_EQUAL_H

#include "nest/nest.h"

bool plussi_symbol_equal(const plussi_symbol *a, const plussi_symbol *b);
bool plussi_array_equal(const plussi_array *a, const plussi_array *b);
/* Two references of a nest, in the same loops, are written alike: they access the same bytes. */
bool plussi_same_access(const plussi_node *a, const plussi_node *b);
/* Whether the expression (NULL: no) has the loop's induction variable. O(expression). */
bool plussi_expr_mentions(const plussi_expr *expr, const plussi_node *loop);

#endif
