/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON: docs/json.md describes it. A section is an object, written on the fly without using memory.
 * Each member of the outermost object, and each element of its arrays, has a line of its own.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/shown.h"
#include "report/writer.h"

typedef struct writer {
    plussi_sink *sink;
    unsigned depth; /* open objects */
    bool comma;     /* needed before the next member or element */
    bool in_page;   /* no character may end a script of HTML */
} writer;

static void write_string(writer *w, const char *text)
{
    plussi_sink_text(w->sink, text);
}

static void write_separator(writer *w, bool line)
{
    write_string(w, w->comma ? "," : "");
    write_string(w, line ? "\n" : "");
    w->comma = true;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_utf8(const char *text)
{
    size_t n = 1;
    for (; *text && n; text += n)
        n = plussi_count_character(text);
    return n > 0;
}

/* JSON is UTF-8, but names and paths can have any bytes. */
static void put_text(writer *w, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    bool utf8 = is_utf8(text);
    write_string(w, "\"");
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        const char control[] = {'\\', 'u', '0', '0', hex[*c >> 4], hex[*c & 15]};
        if (*c < 0x20 || *c == 0x7f || (w->in_page && (*c == '<' || *c == '>' || *c == '&'))) {
            plussi_sink_bytes(w->sink, control, sizeof control);
            continue;
        }
        write_string(w, *c == '"' || *c == '\\' ? "\\" : "");
        plussi_sink_bytes(w->sink, *c >= 0x80 && !utf8 ? "?" : (const char *)c, 1);
    }
    write_string(w, "\"");
}

/* A value that is an integer in the written digits is written as an integer, as it will be once it
 * has been read back. */
static void put_real(writer *w, double value)
{
    char text[PLUSSI_NUMBER];
    double kept = value;
    if (value != floor(value) && isfinite(value)) { /* formats and parses in the same locale */
        snprintf(text, sizeof text, "%.15g", value);
        kept = strtod(text, NULL);
    }
    if (!isfinite(value))
        strcpy(text, "null");
    else if (kept == floor(kept) && fabs(kept) < 0x1p53)
        plussi_text_i64(text, (int64_t)kept);
    else
        plussi_text_general(text, value, 15);
    write_string(w, text);
}

static void put_datum(writer *w, const plussi_datum *datum)
{
    char text[PLUSSI_NUMBER];
    if (datum->kind == PLUSSI_D_REAL)
        put_real(w, datum->u.real);
    else if (datum->kind == PLUSSI_D_TEXT)
        put_text(w, datum->u.text);
    else
        write_string(w, plussi_datum_print(datum, text) ? plussi_datum_print(datum, text) : "null");
}

/* ---- members --------------------------------------------------------------------------------- */

static void put_key(writer *w, const char *key)
{
    write_separator(w, w->depth == 1 && w->comma);
    put_text(w, key);
    write_string(w, w->depth == 1 ? ": " : ":");
}

static void open_object(writer *w)
{
    write_string(w, "{");
    w->depth++;
    w->comma = false;
}

static void close_object(writer *w)
{
    write_string(w, "}");
    w->depth--;
    w->comma = true;
}

static void put_member(writer *w, const char *key, plussi_datum datum)
{
    put_key(w, key);
    put_datum(w, &datum);
}

static void put_part(writer *w, const char *key, const char *part, plussi_datum datum)
{
    char name[64];
    plussi_place_part(key, part, name);
    put_member(w, name, datum);
}

static void put_place(writer *w, const char *key, const plussi_loc *place)
{
    if (place->file)
        put_part(w, key, "file", plussi_d_text(place->file));
    if (place->line)
        put_part(w, key, "line", plussi_d_count(place->line));
    if (place->col)
        put_part(w, key, "column", plussi_d_count(place->col));
}

static void put_field(writer *w, const plussi_heading *heading, const plussi_datum *datum)
{
    char key[256];
    if (!heading->key || datum->kind == PLUSSI_D_ABSENT)
        return;
    if (datum->kind == PLUSSI_D_PLACE) {
        put_place(w, heading->key, &datum->u.place);
        return;
    }
    put_member(w, heading->key, *datum);
    if (datum->kind == PLUSSI_D_REAL && datum->error >= 0 && isfinite(datum->error)) {
        snprintf(key, sizeof key, "%s_error", heading->key);
        put_member(w, key, plussi_d_real(datum->error));
    }
}

static void put_series(writer *w, const plussi_table *series)
{
    for (size_t c = 0; c < series->n_columns; c++) {
        put_key(w, series->column[c].key);
        write_string(w, "[");
        w->comma = false;
        for (size_t i = 0; i < series->n_rows; i++) {
            write_separator(w, false);
            put_real(w, series->values[c][i]);
        }
        write_string(w, "]");
        w->comma = true;
    }
}

static void put_row(writer *w, const plussi_table *table, const plussi_row *row)
{
    open_object(w);
    for (size_t i = 0; i < table->n_columns; i++)
        put_field(w, &table->column[i], &row->datum[i]);
    close_object(w);
}

static void put_note(writer *w, const plussi_item *item)
{
    static const char *const severity[] = {"note", "warning", "error"};
    open_object(w);
    put_member(w, "severity", plussi_d_text(severity[item->u.note.severity]));
    put_member(w, "text", plussi_d_text(item->u.note.text));
    put_place(w, "place", &item->u.note.place);
    close_object(w);
}

static void put_object(writer *w, const plussi_section *section);

static void put_array(writer *w, const char *key, const plussi_item *item)
{
    bool lines = w->depth == 1;
    put_key(w, key);
    write_string(w, "[");
    w->comma = false;
    if (item->kind == PLUSSI_LIST) {
        for (const plussi_item *i = item->u.section->item; i && !w->sink->failed; i = i->next) {
            write_separator(w, lines);
            put_object(w, i->u.section);
        }
    } else if (item->kind == PLUSSI_TABLE) {
        for (const plussi_row *r = item->u.table->row; r && !w->sink->failed; r = r->next) {
            write_separator(w, lines);
            put_row(w, item->u.table, r);
        }
    } else { /* the first of the section's notes */
        for (; item; item = item->next)
            if (item->kind == PLUSSI_NOTED) {
                write_separator(w, lines);
                put_note(w, item);
            }
    }
    write_string(w, lines && w->comma ? "\n]" : "]");
    w->comma = true;
}

static void put_item(writer *w, const plussi_item *item)
{
    const char *key = item->kind == PLUSSI_TABLE ? item->u.table->key
                      : item->kind == PLUSSI_LIST || item->kind == PLUSSI_SECTION
                          ? item->u.section->key
                          : NULL;
    if (item->kind == PLUSSI_FIELD) {
        put_field(w, &item->u.field.heading, &item->u.field.datum);
    } else if (item->kind == PLUSSI_SERIES) {
        put_series(w, item->u.table);
    } else if (key && item->kind == PLUSSI_SECTION) {
        put_key(w, key);
        put_object(w, item->u.section);
    } else if (key) {
        put_array(w, key, item);
    }
}

static void put_members(writer *w, const plussi_section *section)
{
    const plussi_item *note = NULL;
    for (const plussi_item *item = section->item; item; item = item->next) {
        put_item(w, item);
        note = !note && item->kind == PLUSSI_NOTED ? item : note;
    }
    if (note)
        put_array(w, "notes", note);
}

static void put_object(writer *w, const plussi_section *section)
{
    open_object(w);
    put_members(w, section);
    close_object(w);
}

void plussi_json_put_text(plussi_sink *sink, const char *text)
{
    writer w = {.sink = sink};
    put_text(&w, text);
}

static void put_document(writer *w, const plussi_document *document)
{
    open_object(w);
    put_member(w, "version", plussi_d_count(PLUSSI_JSON_VERSION));
    put_member(w, "generator", plussi_d_text("pluss " PLUSSI_VERSION));
    put_members(w, document->root);
    close_object(w);
    write_string(w, "\n");
}

void plussi_json_in_page(const plussi_document *document, plussi_sink *sink)
{
    writer w = {.sink = sink, .in_page = true};
    put_document(&w, document);
}

static pluss_status write_json(plussi_ctx *ctx, const plussi_document *document, const char *table,
                               plussi_sink *sink)
{
    writer w = {.sink = sink};
    (void)ctx, (void)table;
    put_document(&w, document);
    return PLUSS_OK;
}

extern const plussi_format plussi_format_json;
const plussi_format plussi_format_json = {"json", "all of it, for programs (docs/json.md)",
                                          write_json};
