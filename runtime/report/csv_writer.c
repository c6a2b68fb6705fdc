/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * CSV: all tables, or series, of one key, after one line of names. Each row begins with the fields
 * that identify the sections around it.
 */
#include <string.h>

#include "report/writer.h"

/* The enclosing sections, the innermost first. */
typedef struct frame {
    const plussi_section *section;
    const struct frame *outer;
} frame;

typedef struct writer {
    plussi_sink *sink;
    const char *key; /* NULL: no table found yet */
    bool named;      /* the line of names has been written */
    bool inside;     /* of a line */
} writer;

static void write_separator(writer *w)
{
    if (w->inside)
        plussi_sink_text(w->sink, ",");
    w->inside = true;
}

static void end_line(writer *w)
{
    plussi_sink_text(w->sink, "\n");
    w->inside = false;
}

/* RFC 4180: quotes a text that holds a separator, and doubles its quotes. */
static void put_text(writer *w, const char *text)
{
    write_separator(w);
    if (!text || !strpbrk(text, ",\"\r\n")) {
        plussi_sink_text(w->sink, text ? text : "");
        return;
    }
    plussi_sink_text(w->sink, "\"");
    for (; *text; text++)
        plussi_sink_bytes(w->sink, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    plussi_sink_text(w->sink, "\"");
}

static void put_number(writer *w, uint32_t number)
{
    char text[PLUSSI_NUMBER];
    plussi_text_u64(text, number);
    put_text(w, number ? text : NULL);
}

static void put_datum(writer *w, const plussi_heading *heading, const plussi_datum *datum)
{
    char text[PLUSSI_NUMBER];
    if (heading->show == PLUSSI_AS_PLACE) {
        const plussi_loc none = {0},
                         *place = datum->kind == PLUSSI_D_PLACE ? &datum->u.place : &none;
        put_text(w, place->file);
        put_number(w, place->line);
        put_number(w, place->col);
    } else {
        put_text(w, plussi_datum_print(datum, text));
    }
}

static void put_name(writer *w, const plussi_heading *heading)
{
    if (heading->show != PLUSSI_AS_PLACE) {
        put_text(w, heading->key);
        return;
    }
    static const char *const part[] = {"file", "line", "column"};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        char name[64];
        plussi_place_part(heading->key, part[i], name);
        put_text(w, name);
    }
}

/* Outer sections first; writes names instead of values if `names`. */
static void put_identity(writer *w, const frame *f, bool names)
{
    if (!f)
        return;
    put_identity(w, f->outer, names);
    for (const plussi_item *item = f->section->item; item; item = item->next) {
        if (item->kind != PLUSSI_FIELD || !item->u.field.heading.identifies)
            continue;
        if (names)
            put_name(w, &item->u.field.heading);
        else
            put_datum(w, &item->u.field.heading, &item->u.field.datum);
    }
}

static void put_names(writer *w, const frame *f, const plussi_table *table)
{
    if (w->named)
        return;
    w->named = true;
    put_identity(w, f, true);
    for (size_t c = 0; c < table->n_columns; c++)
        if (table->column[c].key)
            put_name(w, &table->column[c]);
    end_line(w);
}

static void put_table(writer *w, const frame *f, const plussi_table *table)
{
    const plussi_row *row = table->row;
    for (size_t i = 0; i < table->n_rows && !w->sink->failed; i++) {
        put_identity(w, f, false);
        for (size_t c = 0; c < table->n_columns; c++) {
            plussi_datum datum = table->values ? plussi_d_real(table->values[c][i]) : row->datum[c];
            if (table->column[c].key)
                put_datum(w, &table->column[c], &datum);
        }
        end_line(w);
        row = row ? row->next : NULL;
    }
}

static void put_section(writer *w, const plussi_section *section, const frame *outer)
{
    const frame here = {section, outer};
    for (const plussi_item *item = section->item; item; item = item->next) {
        if ((item->kind == PLUSSI_SECTION || item->kind == PLUSSI_LIST) && item->u.section->key) {
            put_section(w, item->u.section, &here);
        } else if ((item->kind == PLUSSI_TABLE || item->kind == PLUSSI_SERIES) &&
                   item->u.table->key) {
            const plussi_table *table = item->u.table;
            w->key = w->key ? w->key : table->key;
            if (strcmp(w->key, table->key) != 0)
                continue;
            put_names(w, &here, table);
            put_table(w, &here, table);
        }
    }
}

static pluss_status write_csv(plussi_ctx *ctx, const plussi_document *document, const char *table,
                              plussi_sink *sink)
{
    writer w = {.sink = sink, .key = table};
    put_section(&w, document->root, NULL);
    return w.named || !table
               ? PLUSS_OK
               : plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "the report has no table '%s'", table);
}

extern const plussi_format plussi_format_csv;
const plussi_format plussi_format_csv = {"csv", "one table, for spreadsheets", write_csv};
