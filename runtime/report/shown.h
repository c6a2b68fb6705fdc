/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values as people read them.
 */
#ifndef PLUSSI_REPORT_SHOWN_H
#define PLUSSI_REPORT_SHOWN_H

#include "report/document.h"
#include "report/sink.h"

/* A value in the parts that columns align: "25.00", "+-0.13", "%". main and file may be in the
 * datum. */
typedef struct plussi_shown {
    const char *main, *unit;
    char error[PLUSSI_NUMBER + 2], room[PLUSSI_NUMBER], place[PLUSSI_NUMBER];
    const char *file; /* of a place, before main */
} plussi_shown;

void plussi_show_place(const plussi_loc *place, plussi_shown *out);
void plussi_show_datum(const plussi_heading *heading, const plussi_datum *datum, plussi_shown *out);

/* The value as text of a writer of markup: its parts, each by put, which escapes. before_error:
 * what stands between a value and its error. */
void plussi_put_shown(void (*put)(void *writer, const char *text), void *writer,
                      const char *before_error, const plussi_heading *heading,
                      const plussi_datum *datum);

/* Length of the character that the text begins with, in bytes; 0: not UTF-8 (overlong, a surrogate,
 * beyond U+10FFFF). */
size_t plussi_count_character(const char *text);

#endif
