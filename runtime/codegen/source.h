/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the code generator share: the dialects, and the writer.
 */
#ifndef PLUSSI_CODEGEN_SOURCE_H
#define PLUSSI_CODEGEN_SOURCE_H

#include "codegen/codegen.h"
#include "nest/text.h"

typedef struct plussi_dialect {
    bool is_rust;
    const char *symbols;   /* prefix of a symbol or stride, with a walker: "w->s->" */
    const char *walker;    /* prefix of a walker's member: "w->" */
    const char *select[4]; /* around the three parts of a choice */
    /* The parts that do not depend on the nest: before its tables, between them and its walk,
     * after it. */
    const char *head, *middle, *end;
} plussi_dialect;

extern const plussi_dialect plussi_dialect_c, plussi_dialect_rust;

/* ---- source.c ---------------------------------------------------------------------------------
 */

void plussi_emit(plussi_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void plussi_emit_string(plussi_text *text, const char *s); /* a literal of both languages */
/* Unique names, readable: "ni_0", "i_3". */
void plussi_emit_symbol(plussi_text *text, const plussi_symbol *symbol);
void plussi_emit_iv(plussi_text *text, const plussi_node *loop);
/* An integer or a condition, in parentheses where it is not a leaf. In set-up code (setup) the
 * symbols' struct is `s` itself. */
void plussi_emit_expr(plussi_text *text, const plussi_dialect *dialect, const plussi_expr *expr,
                      bool setup);

/* ---- setup.c ----------------------------------------------------------------------------------
 */

/* Tables of symbols, arrays and references, and the function that computes what depends on the
 * symbols: derived symbols, strides, the number of lines that a reference touches. */
void plussi_emit_setup(plussi_text *text, const plussi_dialect *dialect, const plussi_nest *nest);

/* ---- program.c --------------------------------------------------------------------------------
 */

/* The functions that walk, and `find_teams`, which walks only as much as needed to find the largest
 * team. */
void plussi_emit_walk(plussi_text *text, const plussi_dialect *dialect, const plussi_nest *nest);

#endif
