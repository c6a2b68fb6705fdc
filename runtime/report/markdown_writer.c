/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Markdown, as forges show it: what the text says, with headings and tables of GitHub's dialect.
 */
#include <string.h>

#include "report/shown.h"
#include "report/writer.h"

typedef struct writer {
    plussi_sink *sink;
    unsigned level; /* of the next heading */
} writer;

static void put(writer *w, const char *text)
{
    plussi_sink_text(w->sink, text);
}

/* One line, in which nothing is markup. */
static void put_text(void *to, const char *text)
{
    writer *w = to;
    for (size_t n; *text; text += n) {
        n = plussi_count_character(text);
        if (n == 0 || (unsigned char)*text < ' ' || *text == 0x7f)
            put(w, "?");
        else if (strchr("\\`*_[]<>|#~", *text))
            plussi_sink_bytes(w->sink, (const char[]){'\\', *text}, 2);
        else
            plussi_sink_bytes(w->sink, text, n);
        n = n ? n : 1;
    }
}

static void put_shown(writer *w, const plussi_heading *heading, const plussi_datum *datum)
{
    plussi_put_shown(put_text, w, " ± ", heading, datum);
}

static void put_table(writer *w, const plussi_table *table)
{
    bool shown = false;
    for (size_t c = 0; c < table->n_columns; c++)
        shown = shown || table->column[c].label;
    if (!shown || !table->row)
        return;
    put(w, "\n|");
    for (size_t c = 0; c < table->n_columns; c++)
        if (table->column[c].label) {
            put(w, " ");
            put_text(w, table->column[c].label);
            put(w, " |");
        }
    put(w, "\n|");
    for (size_t c = 0; c < table->n_columns; c++)
        if (table->column[c].label)
            put(w,
                table->column[c].show == PLUSSI_AS_TEXT || table->column[c].show == PLUSSI_AS_PLACE
                    ? " --- |"
                    : " ---: |");
    put(w, "\n");
    for (const plussi_row *row = table->row; row && !w->sink->failed; row = row->next) {
        put(w, "|");
        for (size_t c = 0; c < table->n_columns; c++)
            if (table->column[c].label) {
                put(w, " ");
                put_shown(w, &table->column[c], &row->datum[c]);
                put(w, " |");
            }
        put(w, "\n");
    }
    put(w, "\n");
}

static void put_note(writer *w, const plussi_item *item)
{
    static const char *const severity[] = {"note: ", "warning: ", "error: "};
    plussi_shown p = {.file = ""};
    plussi_show_place(&item->u.note.place, &p);
    put(w, "> ");
    put_text(w, p.file);
    put_text(w, p.main);
    put(w, *p.file ? ": " : "");
    put(w, severity[item->u.note.severity]);
    put_text(w, item->u.note.text);
    put(w, "\n\n");
}

static void put_items(writer *w, const plussi_section *section);

static void put_section(writer *w, const plussi_section *section)
{
    if (!section->title)
        return;
    const bool titled = *section->title != '\0';
    if (titled) {
        put(w, "\n");
        plussi_sink_repeat(w->sink, '#', w->level);
        put(w, " ");
        put_text(w, section->title);
        put(w, "\n\n");
        w->level++;
    }
    put_items(w, section);
    w->level -= titled;
}

static void put_items(writer *w, const plussi_section *section)
{
    for (const plussi_item *item = section->item; item && !w->sink->failed; item = item->next) {
        switch (item->kind) {
        case PLUSSI_FIELD:
            if (!item->u.field.heading.label || item->u.field.datum.kind == PLUSSI_D_ABSENT)
                break;
            put(w, "- ");
            put_text(w, item->u.field.heading.label);
            put(w, ": ");
            put_shown(w, &item->u.field.heading, &item->u.field.datum);
            put(w, "\n");
            break;
        case PLUSSI_LINE:
            put_text(w, item->u.line + strspn(item->u.line, " "));
            put(w, "  \n");
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

static pluss_status write_markdown(plussi_ctx *ctx, const plussi_document *document,
                                   const char *table, plussi_sink *sink)
{
    writer w = {.sink = sink, .level = 2};
    (void)ctx, (void)table;
    put_items(&w, document->root);
    return PLUSS_OK;
}

extern const plussi_format plussi_format_markdown;
const plussi_format plussi_format_markdown = {"markdown", "the text, for forges and documents",
                                              write_markdown};
