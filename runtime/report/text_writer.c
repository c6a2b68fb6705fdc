/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text for people: a section is its title and its contents, indented. Values of consecutive fields
 * are aligned; columns of tables are as wide as they need to be, and a table that is too wide for a
 * page is split.
 */
#include <math.h>
#include <string.h>

#include "report/shown.h"
#include "report/writer.h"

enum { PAGE = 100, INDENT = 2, GAP = 2 };

typedef struct writer {
    plussi_sink *sink;
    size_t spaces; /* pending; dropped at the end of a line */
    bool any;      /* something has been written */
    bool airy;     /* a blank line comes next: the last item was a table with headings */
    bool coloured; /* with the escape sequences of a terminal */
} writer;

static const char plain[] = "0", bold[] = "1", faint[] = "2", red[] = "1;31", yellow[] = "33",
                  title[] = "1;34";

/* What follows is shown so. */
static void paint(writer *w, const char *how)
{
    if (!w->coloured)
        return;
    plussi_sink_text(w->sink, "\033[");
    plussi_sink_text(w->sink, how);
    plussi_sink_text(w->sink, "m");
}

static void end_line(writer *w)
{
    plussi_sink_text(w->sink, "\n");
    w->spaces = 0;
    w->any = true;
}

static void blank_line(writer *w)
{
    if (w->any)
        end_line(w);
    w->airy = false;
}

/* Replaces control characters of names and paths by '?'. */
static void put_text(writer *w, const char *text)
{
    if (!*text)
        return;
    plussi_sink_repeat(w->sink, ' ', w->spaces);
    w->spaces = 0;
    for (size_t n; *text; text += n) {
        for (n = 0; (unsigned char)text[n] >= ' ' && text[n] != 0x7f; n++) {
        }
        plussi_sink_bytes(w->sink, text, n);
        if (text[n]) {
            plussi_sink_text(w->sink, "?");
            n++;
        }
    }
}

/* Columns of a terminal: characters of UTF-8. */
static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static size_t pad_width(size_t width, size_t used)
{
    return width > used ? width - used : 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void put_parts(writer *w, const plussi_shown *p)
{
    const char *part[] = {p->error, p->unit};
    put_text(w, p->file);
    put_text(w, p->main);
    for (int i = 0; i < 2; i++)
        if (*part[i]) {
            w->spaces += *p->main || i > 0;
            put_text(w, part[i]);
        }
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Widths of a column and of the parts of its values. */
typedef struct column {
    const plussi_heading *heading;
    size_t all, error, unit;
} column;

static size_t tail_width(size_t width)
{
    return width ? width + 1 : 0;
}

static bool is_number(const column *c)
{
    return c->heading->show != PLUSSI_AS_TEXT && c->heading->show != PLUSSI_AS_PLACE;
}

static bool is_measured(const plussi_datum *datum)
{
    return datum->kind != PLUSSI_D_TEXT && datum->kind != PLUSSI_D_PLACE;
}

static column measure_column(const plussi_table *table, size_t i)
{
    column c = {.heading = &table->column[i]};
    size_t main = 0, text = width_of(c.heading->label);
    plussi_shown p;
    for (const plussi_row *row = table->row; row; row = row->next) {
        plussi_show_datum(c.heading, &row->datum[i], &p);
        size_t n = width_of(p.file) + width_of(p.main);
        size_t *widest = is_measured(&row->datum[i]) ? &main : &text;
        *widest = n > *widest ? n : *widest;
        c.error = width_of(p.error) > c.error ? width_of(p.error) : c.error;
        c.unit = width_of(p.unit) > c.unit ? width_of(p.unit) : c.unit;
    }
    c.all = main + tail_width(c.error) + tail_width(c.unit);
    c.all = text > c.all ? text : c.all;
    return c;
}

static void put_cell(writer *w, const column *c, const plussi_datum *datum)
{
    plussi_shown p;
    plussi_show_datum(c->heading, datum, &p);
    size_t used = width_of(p.file) + width_of(p.main);
    if (!is_number(c)) {
        put_parts(w, &p);
        size_t error = width_of(p.error), unit = width_of(p.unit);
        w->spaces += pad_width(c->all, used + tail_width(error) + tail_width(unit));
        return;
    }
    size_t tail = is_measured(datum) ? tail_width(c->error) + tail_width(c->unit) : 0;
    w->spaces += pad_width(c->all, used + tail);
    put_text(w, p.main);
    if (!tail)
        return;
    if (c->error) {
        w->spaces += 1 + pad_width(c->error, width_of(p.error));
        paint(w, faint);
        put_text(w, p.error);
        paint(w, plain);
    }
    w->spaces += c->unit > 0;
    put_text(w, p.unit);
    w->spaces += pad_width(c->unit, width_of(p.unit));
}

static void put_label(writer *w, const column *c)
{
    size_t left = pad_width(c->all, width_of(c->heading->label));
    w->spaces += is_number(c) ? left : 0;
    paint(w, bold);
    put_text(w, c->heading->label);
    paint(w, plain);
    w->spaces += is_number(c) ? 0 : left;
}

/* Columns of one part of a table: [from, to) and the repeated ones. */
static bool is_in(const plussi_table *table, size_t i, size_t from, size_t to)
{
    return table->column[i].label && (table->column[i].repeat || (i >= from && i < to));
}

static void put_line(writer *w, const plussi_table *table, const column *columns, size_t from,
                     size_t to, const plussi_row *row, size_t indent)
{
    w->spaces = indent;
    bool first = true;
    for (size_t i = 0; i < table->n_columns; i++) {
        if (!is_in(table, i, from, to) || columns[i].all == 0)
            continue;
        w->spaces += first ? 0 : GAP;
        first = false;
        if (row)
            put_cell(w, &columns[i], &row->datum[i]);
        else
            put_label(w, &columns[i]);
    }
    end_line(w);
}

/* One past the last column that fits on the page with those from `from` on. */
static size_t fit_columns(const plussi_table *table, const column *columns, size_t from,
                          size_t indent)
{
    size_t used = indent, at = from;
    for (size_t i = 0; i < table->n_columns; i++)
        used += table->column[i].label && table->column[i].repeat ? columns[i].all + GAP : 0;
    for (; at < table->n_columns; at++) {
        bool counts = table->column[at].label && !table->column[at].repeat;
        if (counts && at > from && used + columns[at].all > PAGE)
            break;
        used += counts ? columns[at].all + GAP : 0;
    }
    return at;
}

static pluss_status put_table(writer *w, plussi_ctx *ctx, const plussi_table *table, size_t indent)
{
    column *columns = plussi_calloc(&ctx->mem, table->n_columns, sizeof *columns);
    if (!columns)
        return PLUSS_ENOMEM;
    bool headed = false, shown = false;
    for (size_t i = 0; i < table->n_columns; i++)
        if (table->column[i].label) {
            columns[i] = measure_column(table, i);
            headed = headed || *table->column[i].label;
            shown = true;
        }
    for (size_t from = 0, to; shown && table->row && from < table->n_columns; from = to) {
        to = fit_columns(table, columns, from, indent);
        if (headed || w->airy)
            blank_line(w);
        if (headed)
            put_line(w, table, columns, from, to, NULL, indent);
        for (const plussi_row *row = table->row; row; row = row->next)
            put_line(w, table, columns, from, to, row, indent);
        w->airy = w->airy || headed;
    }
    plussi_free(&ctx->mem, columns);
    return PLUSS_OK;
}

/* ---- sections -------------------------------------------------------------------------------- */

static void begin_line(writer *w, size_t indent)
{
    if (w->airy)
        blank_line(w);
    w->spaces = indent;
}

static bool is_shown(const plussi_item *item)
{
    return item->kind == PLUSSI_FIELD && item->u.field.heading.label &&
           item->u.field.datum.kind != PLUSSI_D_ABSENT;
}

/* The width of the labels of consecutive fields. */
static size_t label_width(const plussi_item *item)
{
    size_t widest = 0;
    for (; item && item->kind == PLUSSI_FIELD; item = item->next) {
        size_t width = is_shown(item) ? width_of(item->u.field.heading.label) : 0;
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void put_field(writer *w, const plussi_item *item, size_t indent, size_t labels)
{
    const plussi_heading *heading = &item->u.field.heading;
    plussi_shown p;
    plussi_show_datum(heading, &item->u.field.datum, &p);
    begin_line(w, indent);
    put_text(w, heading->label);
    w->spaces += labels ? labels - width_of(heading->label) + GAP : 0;
    put_parts(w, &p);
    end_line(w);
}

static void put_note(writer *w, const plussi_item *item, size_t indent)
{
    static const char *const severity[] = {"note: ", "warning: ", "error: "};
    plussi_shown p = {.file = ""};
    begin_line(w, indent);
    plussi_show_place(&item->u.note.place, &p);
    put_text(w, p.file);
    put_text(w, p.main);
    put_text(w, *p.file ? ": " : "");
    paint(w, item->u.note.severity == PLUSSI_NOTE      ? faint
             : item->u.note.severity == PLUSSI_WARNING ? yellow
                                                       : red);
    put_text(w, severity[item->u.note.severity]);
    paint(w, plain);
    put_text(w, item->u.note.text);
    end_line(w);
}

static pluss_status put_items(writer *w, plussi_ctx *ctx, const plussi_section *section,
                              size_t indent, unsigned depth);

static pluss_status put_section(writer *w, plussi_ctx *ctx, const plussi_section *section,
                                size_t indent, unsigned depth)
{
    if (!section->title)
        return PLUSS_OK;
    if (!*section->title)
        return put_items(w, ctx, section, indent, depth);
    if (depth < 2)
        blank_line(w);
    begin_line(w, indent);
    paint(w, depth ? bold : title);
    put_text(w, section->title);
    paint(w, plain);
    end_line(w);
    return put_items(w, ctx, section, indent + INDENT, depth + 1);
}

static pluss_status put_items(writer *w, plussi_ctx *ctx, const plussi_section *section,
                              size_t indent, unsigned depth)
{
    pluss_status status = PLUSS_OK;
    size_t labels = 0;
    for (const plussi_item *item = section->item, *before = NULL; item && !status;
         before = item, item = item->next) {
        if (w->sink->failed)
            break;
        switch (item->kind) {
        case PLUSSI_FIELD:
            if (!before || before->kind != PLUSSI_FIELD)
                labels = label_width(item);
            if (is_shown(item))
                put_field(w, item, indent, labels);
            break;
        case PLUSSI_LINE:
            begin_line(w, indent);
            put_text(w, item->u.line);
            end_line(w);
            break;
        case PLUSSI_NOTED:
            put_note(w, item, indent);
            break;
        case PLUSSI_TABLE:
            status = put_table(w, ctx, item->u.table, indent);
            break;
        case PLUSSI_SECTION:
        case PLUSSI_LIST:
            status = put_section(w, ctx, item->u.section, indent, depth);
            break;
        case PLUSSI_SERIES:
            break;
        }
    }
    return status;
}

static pluss_status write_text(plussi_ctx *ctx, const plussi_document *document, const char *table,
                               plussi_sink *sink)
{
    (void)table;
    writer w = {.sink = sink};
    return put_items(&w, ctx, document->root, 0, 0);
}

static pluss_status write_coloured(plussi_ctx *ctx, const plussi_document *document,
                                   const char *table, plussi_sink *sink)
{
    writer w = {.sink = sink, .coloured = true};
    (void)table;
    return put_items(&w, ctx, document->root, 0, 0);
}

extern const plussi_format plussi_format_text, plussi_format_terminal;
const plussi_format plussi_format_text = {"text", "tables, for people", write_text};
const plussi_format plussi_format_terminal = {"terminal", "the text, with a terminal's colours",
                                              write_coloured};
