/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The validator's state and what its files share. An error is reported and validation continues;
 * only a broken structure (links, counts, out of memory) ends it.
 */
#ifndef PLUSSI_NEST_VALIDATE_STATE_H
#define PLUSSI_NEST_VALIDATE_STATE_H

#include "nest/names.h"

typedef struct plussi_validator {
    plussi_ctx *ctx;
    plussi_nest *nest;
    plussi_names names;
    plussi_region *region;
    plussi_loc where;    /* place of errors without a better one */
    uint32_t n_loops;    /* loops around it */
    uint64_t exprs_left; /* bounds the time of a graph of shared expressions */
    pluss_status status; /* of the first error; ENOMEM has precedence */
} plussi_validator;

/* ---- validate.c -------------------------------------------------------------------------------
 */

/* Reports at loc, or at v->where if loc is NULL or without a line. Returns false. */
bool plussi_validate_fail(plussi_validator *v, pluss_status status, const plussi_loc *loc,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Non-empty, printable, not too long; what: "a symbol". */
bool plussi_validate_name(plussi_validator *v, const char *name, const plussi_loc *loc,
                          const char *what);
/* Whether the object's name means the object at this place; reports if not. */
bool plussi_validate_visible(plussi_validator *v, const char *name, plussi_meaning_kind kind,
                             const void *object, const plussi_loc *loc);
const char *plussi_meaning_text(plussi_meaning_kind kind); /* "symbol" */

/* ---- validate_expr.c --------------------------------------------------------------------------
 */

/* What an expression may contain besides integers and symbols. */
enum {
    PLUSSI_MAY_IV = 1,
    PLUSSI_MAY_LOAD = 2,
    PLUSSI_MAY_THREAD = 4,
    PLUSSI_MAY_TEAM = 8,
    PLUSSI_MAY_ALL = 15
};

/* Checks a number or a condition; `what` names its place ("the lower bound"). NULL is an error.
 * Folds negated literals. */
void plussi_validate_number(plussi_validator *v, plussi_expr *expr, unsigned may, const char *what);
void plussi_validate_condition(plussi_validator *v, plussi_expr *expr, unsigned may,
                               const char *what);
/* The same, and if it is a literal, at least `least`. */
void plussi_validate_at_least(plussi_validator *v, plussi_expr *expr, unsigned may, int64_t least,
                              const char *what);

/* ---- validate_decl.c --------------------------------------------------------------------------
 */

void plussi_validate_symbol(plussi_validator *v, plussi_symbol *symbol);
void plussi_validate_array(plussi_validator *v, plussi_array *array);
/* Checks that contents are allowed, as many as the extents require, and fit; no limit. */
void plussi_validate_values(plussi_validator *v, const plussi_array *array);

/* ---- validate_node.c --------------------------------------------------------------------------
 */

void plussi_validate_body(plussi_validator *v, plussi_body *body);

#endif
