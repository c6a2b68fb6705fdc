/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/writer.h"

extern const plussi_format plussi_format_text, plussi_format_json, plussi_format_json_gz,
    plussi_format_csv, plussi_format_html, plussi_format_markdown, plussi_format_terminal,
    plussi_format_sarif;

static const plussi_format *const formats[] = {
    &plussi_format_text, &plussi_format_json,     &plussi_format_json_gz, &plussi_format_csv,
    &plussi_format_html, &plussi_format_markdown, &plussi_format_sarif,   &plussi_format_terminal};

const plussi_format *plussi_format_at(size_t i)
{
    return i < sizeof formats / sizeof *formats ? formats[i] : NULL;
}

void plussi_place_part(const char *key, const char *part, char out[64])
{
    const size_t length = strlen(key), place = strlen("place");
    snprintf(out, 64, "%.*s%s", length > place ? (int)(length - place) : 0, key, part);
}

const char *plussi_datum_print(const plussi_datum *datum, char *room)
{
    switch (datum->kind) {
    case PLUSSI_D_TEXT:
        return datum->u.text;
    case PLUSSI_D_INTEGER:
        plussi_text_i64(room, datum->u.integer);
        return room;
    case PLUSSI_D_COUNT:
        plussi_text_u64(room, datum->u.count);
        return room;
    case PLUSSI_D_REAL:
        plussi_text_general(room, datum->u.real, 15);
        return isfinite(datum->u.real) ? room : NULL;
    case PLUSSI_D_BOOLEAN:
        return datum->u.boolean ? "true" : "false";
    default:
        return NULL;
    }
}

pluss_status plussi_document_write(plussi_ctx *ctx, const plussi_document *document,
                                   const char *format, const char *table, plussi_sink *sink)
{
    if (document->status)
        return document->status;
    const plussi_format *f;
    for (size_t i = 0; (f = plussi_format_at(i)); i++)
        if (strcmp(f->name, format) == 0)
            break;
    if (!f)
        return plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "no format of reports is called '%s'",
                           format);
    pluss_status status = f->write(ctx, document, table, sink);
    return status ? status : plussi_sink_finish(ctx, sink);
}
