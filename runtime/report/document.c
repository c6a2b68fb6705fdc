/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/document.h"

#include <stdio.h>
#include <string.h>

/* ---- memory ---------------------------------------------------------------------------------- */

/* A document that nothing can be added to. */
static plussi_document no_document = {.status = PLUSS_ENOMEM};
static plussi_section no_section = {.document = &no_document};
static plussi_table no_table = {.document = &no_document};

/* NULL: the document has failed. */
static void *take_memory(plussi_document *document, size_t n, size_t size)
{
    void *room = document->status ? NULL : plussi_arena_alloc(&document->arena, n, size);
    if (!room && !document->status)
        document->status = PLUSS_ENOMEM;
    return room;
}

static const char *copy_text(plussi_document *document, const char *text)
{
    size_t bytes = text ? strlen(text) + 1 : 0;
    char *room = text ? take_memory(document, bytes, 1) : NULL;
    return room ? memcpy(room, text, bytes) : NULL;
}

static plussi_datum keep_datum(plussi_document *document, plussi_datum datum)
{
    if (datum.kind == PLUSSI_D_TEXT && !(datum.u.text = copy_text(document, datum.u.text)))
        datum.kind = PLUSSI_D_NULL;
    if (datum.kind == PLUSSI_D_PLACE)
        datum.u.place.file = copy_text(document, datum.u.place.file);
    return datum;
}

static const char *print_text(plussi_document *document, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *room = length >= 0 ? take_memory(document, (size_t)length + 1, 1) : NULL;
    if (room)
        vsnprintf(room, (size_t)length + 1, format, args);
    return room ? room : "";
}

const char *plussi_document_text(plussi_document *document, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = print_text(document, format, args);
    va_end(args);
    return text;
}

static plussi_section *new_section(plussi_document *document, const char *key, const char *title)
{
    plussi_section *section = take_memory(document, 1, sizeof *section);
    if (!section)
        return &no_section;
    *section = (plussi_section){.document = document, .key = key, .title = title};
    return section;
}

void plussi_document_init(plussi_document *document, const plussi_mem *mem)
{
    *document = (plussi_document){.status = PLUSS_OK};
    plussi_arena_init(&document->arena, mem);
    document->root = new_section(document, "", "");
}

void plussi_document_free(plussi_document *document)
{
    plussi_arena_free(&document->arena);
    document->root = &no_section;
}

/* ---- items ----------------------------------------------------------------------------------- */

static plussi_item *add_item(plussi_section *in, plussi_item_kind kind)
{
    plussi_item *item = take_memory(in->document, 1, sizeof *item);
    if (!item)
        return NULL;
    item->kind = kind;
    *(in->last ? &in->last->next : &in->item) = item;
    in->last = item;
    return item;
}

static plussi_section *add_sections(plussi_section *in, plussi_item_kind kind, const char *key,
                                    const char *title)
{
    plussi_section *section = new_section(in->document, key, title);
    plussi_item *item = add_item(in, kind);
    if (!item)
        return &no_section;
    item->u.section = section;
    return section;
}

plussi_section *plussi_add_section(plussi_section *in, const char *key, const char *title)
{
    return add_sections(in, PLUSSI_SECTION, key, title);
}

plussi_section *plussi_add_list(plussi_section *in, const char *key, bool shown)
{
    return add_sections(in, PLUSSI_LIST, key, shown ? "" : NULL);
}

void plussi_add_field(plussi_section *in, plussi_heading heading, plussi_datum value)
{
    plussi_item *item = add_item(in, PLUSSI_FIELD);
    if (!item)
        return;
    item->u.field.heading = heading;
    item->u.field.datum = keep_datum(in->document, value);
}

void plussi_add_member(plussi_section *in, const char *key, plussi_datum value)
{
    bool place = value.kind == PLUSSI_D_PLACE;
    plussi_add_field(
        in, (plussi_heading){.key = key, .show = place ? PLUSSI_AS_PLACE : PLUSSI_AS_TEXT}, value);
}

void plussi_add_figure(plussi_section *in, const char *key, const char *label, plussi_show show,
                       unsigned digits, const char *unit, plussi_datum value)
{
    plussi_add_field(in, (plussi_heading){key, label, show, digits, unit, false, false}, value);
}

void plussi_add_line(plussi_section *in, const char *format, ...)
{
    plussi_item *item = add_item(in, PLUSSI_LINE);
    va_list args;
    va_start(args, format);
    if (item)
        item->u.line = print_text(in->document, format, args);
    va_end(args);
}

void plussi_add_note(plussi_section *in, plussi_severity severity, const plussi_loc *place,
                     const char *format, ...)
{
    plussi_item *item = add_item(in, PLUSSI_NOTED);
    va_list args;
    va_start(args, format);
    if (item) {
        item->u.note.severity = severity;
        item->u.note.text = print_text(in->document, format, args);
        if (place)
            item->u.note.place =
                keep_datum(in->document, (plussi_datum){PLUSSI_D_PLACE, -1, {.place = *place}})
                    .u.place;
    }
    va_end(args);
}

static plussi_table *add_columns(plussi_section *in, plussi_item_kind kind, const char *key,
                                 const plussi_heading *columns, size_t n_columns)
{
    plussi_table *table = take_memory(in->document, 1, sizeof *table);
    plussi_heading *copies = take_memory(in->document, n_columns, sizeof *copies);
    plussi_item *item = add_item(in, kind);
    if (!table || !copies || !item)
        return &no_table;
    memcpy(copies, columns, n_columns * sizeof *copies);
    *table = (plussi_table){
        .document = in->document, .key = key, .column = copies, .n_columns = n_columns};
    item->u.table = table;
    return table;
}

plussi_table *plussi_add_table(plussi_section *in, const char *key, const plussi_heading *columns,
                               size_t n_columns)
{
    return add_columns(in, PLUSSI_TABLE, key, columns, n_columns);
}

void plussi_add_row(plussi_table *table, const plussi_datum *data)
{
    size_t n = table->n_columns;
    plussi_row *row = take_memory(table->document, 1, sizeof *row + n * sizeof *data);
    if (!row)
        return;
    for (size_t i = 0; i < n; i++)
        row->datum[i] = keep_datum(table->document, data[i]);
    *(table->last ? &table->last->next : &table->row) = row;
    table->last = row;
    table->n_rows++;
}

void plussi_add_series(plussi_section *in, const char *key, const plussi_heading *columns,
                       size_t n_columns, const double *const *values, size_t n_points)
{
    plussi_table *series = add_columns(in, PLUSSI_SERIES, key, columns, n_columns);
    double **room = take_memory(series->document, n_columns, sizeof *room);
    for (size_t i = 0; room && i < n_columns; i++) {
        room[i] = take_memory(series->document, n_points, sizeof **room);
        if (room[i] && n_points)
            memcpy(room[i], values[i], n_points * sizeof **room);
    }
    if (series->document->status)
        return;
    series->values = room;
    series->n_rows = n_points;
}
