/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SARIF 2.1.0, the format in which forges take what tools find in a source: the rows of the
 * document's table "findings" (overview.c: rule, severity, message, place), and its notes.
 */
#include <string.h>

#include "report/writer.h"

typedef struct writer {
    plussi_sink *sink;
    bool any; /* a result was written */
} writer;

static void put(writer *w, const char *json)
{
    plussi_sink_text(w->sink, json);
}

static void put_number(writer *w, const char *key, uint64_t value)
{
    char text[PLUSSI_NUMBER];
    plussi_text_u64(text, value);
    put(w, key);
    put(w, text);
}

/* A path as a URI: all but what one has unescaped is escaped. */
static void put_uri(writer *w, const char *path)
{
    static const char hex[] = "0123456789ABCDEF", kept[] = "-._~/+@";
    put(w, *path == '/' ? "\"file://" : "\"");
    for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
        const bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                           (*c >= '0' && *c <= '9') || strchr(kept, *c);
        const char escaped[] = {'%', hex[*c >> 4], hex[*c & 15]};
        plussi_sink_bytes(w->sink, plain ? (const char *)c : escaped, plain ? 1 : 3);
    }
    put(w, "\"");
}

static void put_result(writer *w, const char *rule, const char *level, const char *message,
                       const plussi_loc *place)
{
    put(w, w->any ? ",\n" : "\n");
    w->any = true;
    put(w, "{\"ruleId\":");
    plussi_json_put_text(w->sink, rule);
    put(w, ",\"level\":");
    plussi_json_put_text(w->sink, level);
    put(w, ",\"message\":{\"text\":");
    plussi_json_put_text(w->sink, message);
    put(w, "}");
    if (place->file) {
        put(w, ",\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
        put_uri(w, place->file);
        put(w, "}");
        if (place->line) {
            put_number(w, ",\"region\":{\"startLine\":", place->line);
            if (place->col)
                put_number(w, ",\"startColumn\":", place->col);
            put(w, "}");
        }
        put(w, "}}]");
    }
    put(w, "}");
}

static const char *text_of(const plussi_datum *datum)
{
    return datum->kind == PLUSSI_D_TEXT && datum->u.text ? datum->u.text : "";
}

static void put_findings(writer *w, const plussi_table *table)
{
    const plussi_loc nowhere = {0};
    for (const plussi_row *row = table->row; row && table->n_columns >= 4; row = row->next) {
        const plussi_datum *d = row->datum;
        put_result(w, text_of(&d[0]), text_of(&d[1]), text_of(&d[2]),
                   d[3].kind == PLUSSI_D_PLACE ? &d[3].u.place : &nowhere);
    }
}

static void put_items(writer *w, const plussi_section *section)
{
    static const char *const level[] = {"note", "warning", "error"};
    for (const plussi_item *item = section->item; item && !w->sink->failed; item = item->next)
        if (item->kind == PLUSSI_NOTED)
            put_result(w, "note", level[item->u.note.severity], item->u.note.text,
                       &item->u.note.place);
        else if (item->kind == PLUSSI_TABLE && item->u.table->key &&
                 strcmp(item->u.table->key, "findings") == 0)
            put_findings(w, item->u.table);
        else if (item->kind == PLUSSI_SECTION || item->kind == PLUSSI_LIST)
            put_items(w, item->u.section);
}

static pluss_status write_sarif(plussi_ctx *ctx, const plussi_document *document, const char *table,
                                plussi_sink *sink)
{
    writer w = {.sink = sink};
    (void)ctx, (void)table;
    put(&w, "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\","
            "\"runs\":[{\"tool\":{\"driver\":{\"name\":\"pluss\",\"version\":\"" PLUSSI_VERSION
            "\"}},\"columnKind\":\"unicodeCodePoints\",\"results\":[");
    put_items(&w, document->root);
    put(&w, w.any ? "\n]}]}\n" : "]}]}\n");
    return PLUSS_OK;
}

extern const plussi_format plussi_format_sarif;
const plussi_format plussi_format_sarif = {
    "sarif", "what it finds and where, for forges (SARIF 2.1.0)", write_sarif};
