/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The entry point, regions, and what the other parse_ files have in common.
 */
#include "nest/parse_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- tokens and errors ------------------------------------------------------------------------
 */

void plussi_parse_next(plussi_parser *p)
{
    if (p->quiet)
        p->tok.kind = PLUSSI_TOK_END;
    else
        plussi_lex_next(&p->lex, &p->tok);
}

bool plussi_parse_accept(plussi_parser *p, int kind)
{
    if (p->tok.kind != kind)
        return false;
    plussi_parse_next(p);
    return true;
}

bool plussi_parse_accept_word(plussi_parser *p, plussi_keyword keyword)
{
    if (p->tok.kind != PLUSSI_TOK_NAME || p->tok.keyword != keyword)
        return false;
    plussi_parse_next(p);
    return true;
}

bool plussi_parse_fail(plussi_parser *p, pluss_status status, const plussi_loc *loc,
                       const char *format, ...)
{
    if (p->quiet)
        return false;
    if (p->status == PLUSS_OK)
        p->status = status;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    plussi_report(p->ctx, PLUSSI_ERROR, status, loc, "%s", text);
    return false;
}

bool plussi_parse_expected(plussi_parser *p, const char *what)
{
    if (p->quiet || p->last_error == p->tok.start)
        return false;
    p->last_error = p->tok.start;
    char room[PLUSSI_TOKEN_SHOWN];
    plussi_parse_fail(p, PLUSS_EPARSE, &p->tok.loc, "found %s, expected %s",
                      plussi_token_show(&p->tok, room), what);
    if (p->tok.kind == PLUSSI_TOK_END)
        p->quiet = true; /* every open block would report it again */
    return false;
}

bool plussi_parse_expect(plussi_parser *p, int kind, const char *what)
{
    return plussi_parse_accept(p, kind) || plussi_parse_expected(p, what);
}

static bool stop_parsing(plussi_parser *p)
{
    p->quiet = true;
    p->tok.kind = PLUSSI_TOK_END;
    return false;
}

bool plussi_parse_over_limit(plussi_parser *p, const char *what, const char *name, uint64_t limit)
{
    plussi_parse_fail(p, PLUSS_ELIMIT, &p->tok.loc,
                      "found more than %" PRIu64 " %s, expected at most %s = %" PRIu64, limit, what,
                      name, limit);
    return stop_parsing(p);
}

bool plussi_parse_no_memory(plussi_parser *p)
{
    p->status = PLUSS_ENOMEM;
    return stop_parsing(p);
}

/* ---- names, strings, numbers ------------------------------------------------------------------
 */

plussi_name *plussi_parse_name(plussi_parser *p, const char *what)
{
    if (p->tok.kind != PLUSSI_TOK_NAME || p->tok.keyword != PLUSSI_KW_NONE) {
        plussi_parse_expected(p, what);
        return NULL;
    }
    if (p->tok.length > PLUSSI_MAX_NAME + 2) {
        plussi_parse_over_limit(p, "bytes of a name", "PLUSSI_MAX_NAME", PLUSSI_MAX_NAME);
        return NULL;
    }
    char text[PLUSSI_MAX_NAME + 2];
    size_t length = plussi_token_text(&p->tok, text);
    if (length > PLUSSI_MAX_NAME) {
        plussi_parse_over_limit(p, "bytes of a name", "PLUSSI_MAX_NAME", PLUSSI_MAX_NAME);
        return NULL;
    }
    if (length == 0) {
        plussi_parse_expected(p, what);
        return NULL;
    }
    plussi_name *name = plussi_names_intern(&p->names, text, length, &p->nest->arena);
    if (!name) {
        plussi_parse_no_memory(p);
        return NULL;
    }
    plussi_parse_next(p);
    return name;
}

const char *plussi_parse_string(plussi_parser *p, const char *what)
{
    if (p->tok.kind != PLUSSI_TOK_STRING) {
        plussi_parse_expected(p, what);
        return NULL;
    }
    char *text = plussi_arena_alloc(&p->nest->arena, p->tok.length + 1, 1);
    if (!text) {
        plussi_parse_no_memory(p);
        return NULL;
    }
    text[plussi_token_text(&p->tok, text)] = '\0';
    plussi_parse_next(p);
    return text;
}

static bool too_big(plussi_parser *p)
{
    char room[PLUSSI_TOKEN_SHOWN];
    plussi_parse_fail(p, PLUSS_EPARSE, &p->tok.loc,
                      "found %s, expected an integer that fits 64 bits signed",
                      plussi_token_show(&p->tok, room));
    p->last_error = p->tok.start;
    plussi_parse_next(p);
    return false;
}

bool plussi_parse_integer(plussi_parser *p, const char *what, int64_t *out)
{
    bool negative = plussi_parse_accept(p, '-');
    if (p->tok.kind != PLUSSI_TOK_INT)
        return plussi_parse_expected(p, what);
    if (p->tok.value > (uint64_t)INT64_MAX + negative)
        return too_big(p);
    *out = negative ? (int64_t)-p->tok.value : (int64_t)p->tok.value;
    plussi_parse_next(p);
    return true;
}

bool plussi_parse_count(plussi_parser *p, const char *what, uint64_t least, uint64_t most,
                        uint64_t *out)
{
    if (p->tok.kind == PLUSSI_TOK_INT && p->tok.value > INT64_MAX)
        return too_big(p);
    if (p->tok.kind != PLUSSI_TOK_INT || p->tok.value < least || p->tok.value > most)
        return plussi_parse_expected(p, what);
    *out = p->tok.value;
    plussi_parse_next(p);
    return true;
}

bool plussi_parse_declare(plussi_parser *p, plussi_name *name, plussi_meaning_kind kind,
                          uint32_t level, void *object)
{
    return plussi_names_push(&p->names, name, kind, level, object) || plussi_parse_no_memory(p);
}

plussi_array *plussi_parse_array(plussi_parser *p)
{
    plussi_token at = p->tok;
    plussi_name *name = plussi_parse_name(p, "the name of an array");
    if (!name)
        return NULL;
    if (name->meaning && name->meaning->kind == PLUSSI_MEANS_ARRAY)
        return name->meaning->u.array;
    plussi_parse_unknown_name(p, name, &at, "the name of a declared array");
    return NULL;
}

void plussi_parse_unknown_name(plussi_parser *p, plussi_name *name, const plussi_token *at,
                               const char *what)
{
    uint32_t place = p->region ? p->region->id + 2 : 1;
    if (!name->meaning && name->mark == place)
        return;
    name->mark = place;
    char room[PLUSSI_TOKEN_SHOWN];
    plussi_parse_fail(p, PLUSS_EPARSE, &at->loc, "found %s, expected %s",
                      plussi_token_show(at, room), what);
}

/* ---- regions ----------------------------------------------------------------------------------
 */

bool plussi_parse_line(plussi_parser *p, plussi_loc *loc)
{
    uint64_t line, col = 0;
    if (!plussi_parse_count(p, "a line number", 1, UINT32_MAX, &line))
        return false;
    if (plussi_parse_accept(p, ':') &&
        !plussi_parse_count(p, "a column number", 1, UINT32_MAX, &col))
        return false;
    loc->line = (uint32_t)line;
    loc->col = (uint32_t)col;
    return true;
}

static bool parse_place(plussi_parser *p, plussi_loc *loc)
{
    if (plussi_parse_accept(p, '@'))
        return plussi_parse_line(p, loc);
    if (p->tok.kind != PLUSSI_TOK_STRING)
        return true;
    loc->file = plussi_parse_string(p, "a file name");
    if (!loc->file)
        return false;
    return !plussi_parse_accept(p, ':') || plussi_parse_line(p, loc);
}

static bool at_declaration(const plussi_parser *p)
{
    return plussi_parse_at_word(p, PLUSSI_KW_SYMBOL) || plussi_parse_at_word(p, PLUSSI_KW_ARRAY);
}

/* Declarations; after a faulty one continues at the next word that begins something. */
static void parse_declarations(plussi_parser *p)
{
    for (;;) {
        if (plussi_parse_accept(p, ';'))
            continue;
        if (!at_declaration(p))
            return;
        if (plussi_parse_declaration(p))
            continue;
        while (p->tok.kind != PLUSSI_TOK_END && p->tok.kind != ';' && !at_declaration(p) &&
               !plussi_parse_at_word(p, PLUSSI_KW_REGION) && !plussi_parse_at_statement(p))
            plussi_parse_next(p);
    }
}

static bool parse_head(plussi_parser *p)
{
    plussi_name *name = plussi_parse_name(p, "the region's name");
    if (name)
        p->region->name = name->text;
    if (!name || !parse_place(p, &p->region->loc))
        return false;
    if (!plussi_parse_accept_word(p, PLUSSI_KW_REPEAT))
        return true;
    p->region->repeat = plussi_parse_expr(p);
    return p->region->repeat != NULL;
}

static void parse_region(plussi_parser *p)
{
    if (p->nest->n_regions == PLUSSI_MAX_REGIONS) {
        plussi_parse_over_limit(p, "regions", "PLUSSI_MAX_REGIONS", PLUSSI_MAX_REGIONS);
        return;
    }
    plussi_loc text_loc = p->tok.loc;
    plussi_parse_next(p);
    size_t scope = p->names.depth;
    p->region = plussi_nest_add_region(p->nest, "?", (plussi_loc){0});
    if (!p->region) {
        plussi_parse_no_memory(p);
        return;
    }
    p->region->text_loc = text_loc;
    if (!parse_head(p))
        while (p->tok.kind != PLUSSI_TOK_END && p->tok.kind != ';' && !at_declaration(p) &&
               !plussi_parse_at_word(p, PLUSSI_KW_REGION) && !plussi_parse_at_statement(p))
            plussi_parse_next(p);
    parse_declarations(p);
    for (;;) {
        plussi_parse_statements(p, &p->region->body, NULL);
        if (p->tok.kind == PLUSSI_TOK_END || plussi_parse_at_word(p, PLUSSI_KW_REGION))
            break;
        if (at_declaration(p)) {
            plussi_parse_expected(p, "a statement (declarations come before all statements)");
            parse_declarations(p);
        } else {
            plussi_parse_expected(p, "a statement or 'region'");
            plussi_parse_next(p);
        }
    }
    plussi_names_pop(&p->names, scope);
}

static bool parse_header(plussi_parser *p)
{
    static const char magic[] = "pluss-nest";
    if (p->tok.start + sizeof magic - 1 <= p->lex.end &&
        memcmp(p->tok.start, magic, sizeof magic - 1) == 0) {
        p->lex.p = p->tok.start + sizeof magic - 1;
        plussi_parse_next(p);
    } else {
        return plussi_parse_expected(p, "'pluss-nest 1' at the beginning");
    }
    if (p->tok.kind == PLUSSI_TOK_INT && p->tok.value == PLUSSI_NEST_VERSION)
        plussi_parse_next(p);
    else
        return plussi_parse_expected(p, "1, the version of the format that this library reads");
    return true;
}

static void parse_text(plussi_parser *p)
{
    plussi_parse_next(p);
    if (!parse_header(p))
        return;
    parse_declarations(p);
    while (p->tok.kind != PLUSSI_TOK_END) {
        if (plussi_parse_at_word(p, PLUSSI_KW_REGION)) {
            parse_region(p);
            continue;
        }
        plussi_parse_expected(p, "'symbol', 'array' or 'region'");
        while (p->tok.kind != PLUSSI_TOK_END && !plussi_parse_at_word(p, PLUSSI_KW_REGION))
            plussi_parse_next(p);
    }
}

pluss_status plussi_nest_parse(plussi_ctx *ctx, const char *text, size_t length, const char *file,
                               plussi_nest **out)
{
    if (length > PLUSSI_MAX_TEXT) {
        plussi_loc loc = {file, 0, 0};
        return plussi_fail(ctx, PLUSS_ELIMIT, &loc,
                           "found %zu bytes of text, expected at most PLUSSI_MAX_TEXT = %d", length,
                           PLUSSI_MAX_TEXT);
    }
    plussi_parser p = {.ctx = ctx, .status = PLUSS_OK};
    pluss_status status = plussi_nest_new(ctx, &p.nest);
    if (status != PLUSS_OK)
        return status;
    const char *kept_file = plussi_nest_string(p.nest, file);
    plussi_lex_init(&p.lex, ctx, text, length, kept_file);
    plussi_names_init(&p.names, &ctx->mem);
    parse_text(&p);
    plussi_names_free(&p.names);

    status = p.status != PLUSS_OK ? p.status : p.lex.status;
    if (p.nest->out_of_memory)
        status = PLUSS_ENOMEM;
    if (status == PLUSS_OK)
        status = plussi_nest_validate(ctx, p.nest);
    if (status != PLUSS_OK) {
        plussi_nest_free(p.nest);
        return status;
    }
    *out = p.nest;
    return PLUSS_OK;
}
