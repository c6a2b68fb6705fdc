/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Systems of linear equations and inequalities over integers, and whether one has a solution:
 * equations are substituted, inequalities eliminated as by Fourier and Motzkin, with rows tightened
 * to integers (Pugh, "The Omega test", 1991: the real shadow). "No solution" is always right;
 * "maybe" is wrong only where all coefficients of an eliminated variable are above 1 in magnitude,
 * where a number exceeds 64 bits, or where there would be too many rows.
 */
#ifndef PLUSSI_TRANSFORM_SYSTEM_H
#define PLUSSI_TRANSFORM_SYSTEM_H

#include "base/ctx.h"

enum { PLUSSI_SYSTEM_VARS = 48, PLUSSI_SYSTEM_ROWS = 768 };

/* Sum of c[v] * variable v, plus k. */
typedef struct plussi_row {
    int64_t c[PLUSSI_SYSTEM_VARS], k;
    bool equal; /* it is 0; else it is at least 0 */
    bool lost;  /* it cannot be said: a number or a variable too many */
} plussi_row;

typedef struct plussi_system {
    uint32_t n_vars, n;
    bool lost;       /* something could not be said: it has solutions that it should not have */
    plussi_row *row; /* room for PLUSSI_SYSTEM_ROWS */
} plussi_system;

PLUSS_NODISCARD pluss_status plussi_system_init(plussi_ctx *ctx, plussi_system *s);
void plussi_system_free(plussi_ctx *ctx, plussi_system *s);
void plussi_system_copy(plussi_system *to, const plussi_system *from);
/* to += factor * from. false: a number exceeds 64 bits. */
bool plussi_row_add(plussi_row *to, const plussi_row *from, int64_t factor);
void plussi_system_add(plussi_system *s, const plussi_row *row);
/* Eliminates variable v; what is left has a solution wherever s has. *exact becomes false where it
 * may have others. false: it surely has none. O(rows^2). */
bool plussi_system_eliminate(plussi_system *s, uint32_t v, bool *exact);
/* Whether it may have a solution; destroys it. */
bool plussi_system_is_feasible(plussi_system *s);

#endif
