/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Copies of declarations and statements from one nest into another's arena. For nest/ and trace/.
 */
#ifndef PLUSSI_NEST_COPIER_H
#define PLUSSI_NEST_COPIER_H

#include "nest/nest.h"

typedef struct plussi_copier {
    plussi_ctx *ctx;
    plussi_nest *dst;
    const plussi_nest *src;
    plussi_symbol **symbols; /* by the source's ids: the copies; n_symbols of them */
    plussi_array **arrays;
    plussi_node **loops;
    plussi_region *region;        /* current region of the destination */
    const char *prefix;           /* of the names of declarations; NULL: none */
    const char *file, *kept_file; /* of text locations: the last one of the source, and its copy */
} plussi_copier;

/* Allocates the tables of copies. src is numbered. */
PLUSS_NODISCARD pluss_status plussi_copier_init(plussi_copier *c, plussi_ctx *ctx, plussi_nest *dst,
                                                const plussi_nest *src);
void plussi_copier_free(plussi_copier *c);

/* If out of memory the destination remembers it. NULL gives NULL. Recursive: the source is valid.
 */
plussi_expr *plussi_copy_expr(plussi_copier *c, const plussi_expr *expr);
void plussi_copy_symbol(plussi_copier *c, const plussi_symbol *symbol);
void plussi_copy_array(plussi_copier *c, const plussi_array *array);
void plussi_copy_body(plussi_copier *c, const plussi_body *from, plussi_body *to,
                      plussi_node *parent);
plussi_loc plussi_copy_text_loc(plussi_copier *c, plussi_loc loc);

#endif
