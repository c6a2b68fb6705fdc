/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How often a region refers to an array, as a text: products of loops' iterations, and a sum over
 * each loop whose variable the loops and conditions in it depend on. What is loaded from index
 * arrays stays in it: "sum(i in 0..n: row[i + 1] - row[i])" is a counter of Cascaval's thesis,
 * section 3.4.
 */
#ifndef PLUSSI_SYMBOLIC_REFERENCES_TEXT_H
#define PLUSSI_SYMBOLIC_REFERENCES_TEXT_H

#include "nest/nest.h"

/* All references to the array in a node of the region. *out is the caller's (plussi_free).
 * O(references * expressions of the loops around them). PLUSS_ENOMEM, PLUSS_ELIMIT: longer than
 * PLUSSI_MAX_TEXT.
 */
PLUSS_NODISCARD pluss_status plussi_references_text(plussi_ctx *ctx, const plussi_region *region,
                                                    const plussi_node *in,
                                                    const plussi_array *array, char **out);
/* The product of the array's extents; "": one is not known. */
PLUSS_NODISCARD pluss_status plussi_elements_text(plussi_ctx *ctx, const plussi_array *array,
                                                  char **out);
/* Does the expression, NULL: no, depend on the loop's variable? */
bool plussi_expr_uses(const plussi_expr *expr, const plussi_node *loop);

#endif
