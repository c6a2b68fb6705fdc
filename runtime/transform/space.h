/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Expressions of a nest as rows of a system. Induction variables are variables in two copies, of an
 * access and of another one; symbols are in one copy. What is not affine is a variable of its own,
 * of which only what divisions, minima and maxima say is known.
 */
#ifndef PLUSSI_TRANSFORM_SPACE_H
#define PLUSSI_TRANSFORM_SPACE_H

#include "nest/nest.h"
#include "transform/system.h"

/* What the loops of a nest that was made of another one are, by id: the values of a loop of the
 * other, or first values of its tiles. */
typedef struct plussi_image {
    uint32_t loop, second; /* ids in the other nest; second: of a fused loop, else as loop */
    int64_t tile;          /* 0: its values */
} plussi_image;

typedef enum plussi_var_kind {
    PLUSSI_VAR_LOOP,   /* id: loop of the old nest */
    PLUSSI_VAR_TILE,   /* id: loop of the new nest */
    PLUSSI_VAR_SYMBOL, /* id */
    PLUSSI_VAR_TEAM,
    PLUSSI_VAR_OTHER /* expr, or NULL: of no other place */
} plussi_var_kind;

typedef struct plussi_var {
    plussi_var_kind kind;
    uint32_t id, copy;
    const plussi_expr *expr;
} plussi_var;

typedef struct plussi_space {
    plussi_system system;
    plussi_var var[PLUSSI_SYSTEM_VARS];
    const plussi_image *image; /* expressions are in the nest that it is of; NULL: in the old one */
    uint32_t outer[PLUSSI_MAX_LOOPS]; /* loops of the old nest with the same value in both copies */
    uint32_t n_outer;
} plussi_space;

PLUSS_NODISCARD pluss_status plussi_space_init(plussi_ctx *ctx, plussi_space *space);
void plussi_space_free(plussi_ctx *ctx, plussi_space *space);
void plussi_space_clear(plussi_space *space);
/* The number of a variable, made if new; PLUSSI_SYSTEM_VARS: there is no room. */
uint32_t plussi_space_var(plussi_space *space, plussi_var var);
/* row += factor * expr, of that copy. */
void plussi_space_add_expr(plussi_space *space, const plussi_expr *expr, uint32_t copy,
                           int64_t factor, plussi_row *row);
/* row += factor * variable; one without room is lost. */
void plussi_space_add_var(plussi_space *space, plussi_var var, int64_t factor, plussi_row *row);
void plussi_space_put(plussi_space *space, const plussi_row *row); /* to the system */
/* What the bounds of a loop of the old nest say about its values. */
void plussi_space_add_bounds(plussi_space *space, const plussi_node *loop, uint32_t copy);
/* Those of all loops and conditions around the node. */
void plussi_space_add_path(plussi_space *space, const plussi_node *node, uint32_t copy);

#endif
