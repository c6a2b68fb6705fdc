/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * HTML: one file that needs nothing else. The document as people read it, as tables, and as JSON
 * in a script element, from which page/page.js makes the interactive report of a document with
 * regions (overview.h); that hides the tables. The content security policy lets a browser load
 * nothing.
 */
#include <string.h>

#include "page_css.inc"
#include "page_js.inc"
#include "report/shown.h"
#include "report/writer.h"
#include "uplot_css.inc"
#include "uplot_js.inc"

typedef struct writer {
    plussi_sink *sink;
    unsigned level; /* of the next heading */
} writer;

static void put(writer *w, const char *html)
{
    plussi_sink_text(w->sink, html);
}

/* Characters of markup become references; what is not UTF-8 and control characters become U+FFFD.
 */
static void put_text(void *to, const char *text)
{
    writer *w = to;
    static const char replacement[] = "\xef\xbf\xbd";
    for (size_t n; *text; text += n) {
        const unsigned char c = (unsigned char)*text;
        n = plussi_count_character(text);
        if (c == '<' || c == '>' || c == '&' || c == '"')
            put(w, c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : "&quot;");
        else if (n == 0 || (c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
            put(w, replacement);
        else
            plussi_sink_bytes(w->sink, text, n);
        n = n ? n : 1;
    }
}

static void put_shown(writer *w, const plussi_heading *heading, const plussi_datum *datum)
{
    plussi_put_shown(put_text, w, " ±", heading, datum);
}

static bool is_left(const plussi_heading *heading)
{
    return heading->show == PLUSSI_AS_TEXT || heading->show == PLUSSI_AS_PLACE;
}

static void put_cell(writer *w, const plussi_heading *heading, const plussi_datum *datum)
{
    put(w, is_left(heading) ? "<td>" : "<td class=n>");
    put_shown(w, heading, datum);
    put(w, "</td>");
}

static void put_table(writer *w, const plussi_table *table)
{
    bool headed = false, shown = false;
    for (size_t c = 0; c < table->n_columns; c++)
        if (table->column[c].label) {
            shown = true;
            headed = headed || *table->column[c].label;
        }
    if (!shown || !table->row)
        return;
    put(w, "<table>\n");
    for (size_t c = 0; c < table->n_columns && headed; c++)
        if (table->column[c].label) {
            put(w, is_left(&table->column[c]) ? "<th>" : "<th class=n>");
            put_text(w, table->column[c].label);
            put(w, "</th>");
        }
    put(w, headed ? "\n" : "");
    for (const plussi_row *row = table->row; row && !w->sink->failed; row = row->next) {
        put(w, "<tr>");
        for (size_t c = 0; c < table->n_columns; c++)
            if (table->column[c].label)
                put_cell(w, &table->column[c], &row->datum[c]);
        put(w, "</tr>\n");
    }
    put(w, "</table>\n");
}

static void put_note(writer *w, const plussi_item *item)
{
    static const char *const severity[] = {"note", "warning", "error"};
    const plussi_loc *place = &item->u.note.place;
    plussi_shown p = {.file = ""};
    plussi_show_place(place, &p);
    put(w, "<p class=note>");
    put_text(w, p.file);
    put_text(w, p.main);
    put(w, *p.file ? ": " : "");
    put(w, severity[item->u.note.severity]);
    put(w, ": ");
    put_text(w, item->u.note.text);
    put(w, "</p>\n");
}

static void put_items(writer *w, const plussi_section *section);

static void put_section(writer *w, const plussi_section *section)
{
    const char number[] = {(char)('0' + w->level), '\0'};
    if (!section->title)
        return;
    const bool titled = *section->title != '\0';
    if (titled) {
        put(w, "<h");
        put(w, number);
        put(w, ">");
        put_text(w, section->title);
        put(w, "</h");
        put(w, number);
        put(w, ">\n");
        w->level += w->level < 6;
    }
    const unsigned inner = w->level;
    put_items(w, section);
    w->level = titled ? (unsigned)(number[0] - '0') : inner;
}

static void put_items(writer *w, const plussi_section *section)
{
    for (const plussi_item *item = section->item; item && !w->sink->failed; item = item->next) {
        switch (item->kind) {
        case PLUSSI_FIELD:
            if (!item->u.field.heading.label || item->u.field.datum.kind == PLUSSI_D_ABSENT)
                break;
            put(w, "<p>");
            put_text(w, item->u.field.heading.label);
            put(w, ": ");
            put_shown(w, &item->u.field.heading, &item->u.field.datum);
            put(w, "</p>\n");
            break;
        case PLUSSI_LINE:
            put(w, "<p>");
            put_text(w, item->u.line);
            put(w, "</p>\n");
            break;
        case PLUSSI_NOTED:
            put_note(w, item);
            break;
        case PLUSSI_TABLE:
            put_table(w, item->u.table);
            break;
        case PLUSSI_SECTION:
        case PLUSSI_LIST:
            put_section(w, item->u.section);
            break;
        case PLUSSI_SERIES:
            break;
        }
    }
}

static pluss_status write_html(plussi_ctx *ctx, const plussi_document *document, const char *table,
                               plussi_sink *sink)
{
    writer w = {.sink = sink, .level = 2};
    (void)ctx, (void)table;
    put(&w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n"
            "<meta name=\"generator\" content=\"pluss " PLUSSI_VERSION "\">\n"
            "<title>pluss report</title>\n<style>\n");
    put(&w, uplot_css);
    put(&w, page_css);
    put(&w, "</style>\n</head>\n<body>\n<main id=\"page\"></main>\n<main id=\"plain\">\n"
            "<h1>pluss report</h1>\n");
    put_items(&w, document->root);
    put(&w, "</main>\n<script type=\"application/json\" id=\"data\">");
    plussi_json_in_page(document, sink);
    put(&w, "</script>\n<script>\n");
    put(&w, uplot_js);
    put(&w, page_js);
    put(&w, "</script>\n</body>\n</html>\n");
    return PLUSS_OK;
}

extern const plussi_format plussi_format_html;
const plussi_format plussi_format_html = {"html", "a page for a browser, in one file", write_html};
