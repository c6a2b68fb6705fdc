/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A growing text, the output of the printer. After the first failure (memory, PLUSSI_MAX_TEXT, an
 * endless expression) writes do nothing.
 */
#ifndef PLUSSI_NEST_TEXT_H
#define PLUSSI_NEST_TEXT_H

#include "nest/nest.h"

typedef struct plussi_text {
    plussi_ctx *ctx;
    char *bytes;
    size_t length, cap;
    size_t line_start; /* of the current line */
    pluss_status status;
    bool for_people; /* arrays with lower bounds are written as the source does: a(i, j) */
} plussi_text;

void plussi_text_init(plussi_text *text, plussi_ctx *ctx);
void plussi_text_put(plussi_text *text, const char *s, size_t n);
void plussi_text_puts(plussi_text *text, const char *s);
void plussi_text_format(plussi_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));                  /* up to 63 bytes */
void plussi_text_name(plussi_text *text, const char *name); /* bare or in backquotes */
void plussi_text_string(plussi_text *text, const char *s);  /* quoted, escaped */
void plussi_text_number(plussi_text *text, double number);  /* shortest that reads back */
/* Returns the bytes, NUL-terminated, or frees them and returns the first failure. */
PLUSS_NODISCARD pluss_status plussi_text_finish(plussi_text *text, char **out, size_t *length);

/* ---- print_expr.c -----------------------------------------------------------------------------
 */

/* In the nest's language, unless text->for_people. */
void plussi_text_expr(plussi_text *text, const plussi_expr *expr);
void plussi_text_subscripted(plussi_text *text, const plussi_array *array, uint32_t n_subs,
                             plussi_expr *const *subs);

#endif
