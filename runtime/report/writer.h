/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writers of documents, one a format. To add a report format: a file with a plussi_format and an
 * entry in formats.c.
 */
#ifndef PLUSSI_REPORT_WRITER_H
#define PLUSSI_REPORT_WRITER_H

#include "report/document.h"
#include "report/sink.h"

enum { PLUSSI_JSON_VERSION = 2 };

typedef struct plussi_format {
    const char *name;
    const char *summary; /* one line */
    /* The document has no failure. table: key of a table, for formats that hold a single one; NULL:
     * the first. The caller checks whether the sink failed. */
    pluss_status (*write)(plussi_ctx *ctx, const plussi_document *document, const char *table,
                          plussi_sink *sink);
} plussi_format;

/* The first is for people. NULL past the end. */
const plussi_format *plussi_format_at(size_t i);

/* A value as it is: numbers with up to 15 digits, the same in every locale. NULL: none. room:
 * PLUSSI_NUMBER bytes, used for values that are not text. */
const char *plussi_datum_print(const plussi_datum *datum, char *room);

/* The name of a part of a place, "file", "line" or "column": of the key "previous_place"
 * "previous_file". */
void plussi_place_part(const char *key, const char *part, char out[64]);

/* json_writer.c: a string of JSON; the same JSON as the format's, for a script element of HTML:
 * "<", ">" and "&" are written as escapes. */
void plussi_json_put_text(plussi_sink *sink, const char *text); /* a string, in quotes */
void plussi_json_in_page(const plussi_document *document, plussi_sink *sink);

/* The document's own failure; PLUSS_ENOTFOUND if no format or table has this name; PLUSS_EIO if the
 * sink failed. O(document). */
PLUSS_NODISCARD pluss_status plussi_document_write(plussi_ctx *ctx, const plussi_document *document,
                                                   const char *format, const char *table,
                                                   plussi_sink *sink);

#endif
