/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parser's state and what its files share. Recursive descent with one token of lookahead.
 *
 * Errors: every error is reported once, where it is found; the function that meets it returns false
 * or NULL, and statements and declarations resume at the next possible place. After a fatal error
 * (out of memory, a limit on counts) every later token is the end of the text, without a message.
 */
#ifndef PLUSSI_NEST_PARSE_STATE_H
#define PLUSSI_NEST_PARSE_STATE_H

#include "nest/lex.h"
#include "nest/names.h"

typedef struct plussi_parser {
    plussi_lexer lex;
    plussi_token tok; /* the next one, not yet consumed */
    plussi_ctx *ctx;
    plussi_nest *nest;
    plussi_region *region; /* NULL before the first */
    plussi_names names;
    uint32_t depth;         /* blocks around the next statement */
    uint32_t expr_nesting;  /* calls of the expression parser within each other */
    bool quiet;             /* after a fatal error, or an error at the end of the text */
    pluss_status status;    /* of the first error; ENOMEM has precedence */
    const char *last_error; /* its place in the text: one message a place */
} plussi_parser;

/* ---- parse.c ----------------------------------------------------------------------------------
 */

void plussi_parse_next(plussi_parser *p);
bool plussi_parse_accept(plussi_parser *p, int kind);
bool plussi_parse_accept_word(plussi_parser *p, plussi_keyword keyword);
/* Reports "found <the next token>, expected <what>"; returns false. */
bool plussi_parse_expected(plussi_parser *p, const char *what);
bool plussi_parse_expect(plussi_parser *p, int kind, const char *what);
/* Reports at a place of the text; returns false. */
bool plussi_parse_fail(plussi_parser *p, pluss_status status, const plussi_loc *loc,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* "found more than <limit> <what>, expected at most <name> = <limit>", and no more is read. */
bool plussi_parse_over_limit(plussi_parser *p, const char *what, const char *name, uint64_t limit);
bool plussi_parse_no_memory(plussi_parser *p);

/* A declared or used name: its entry, with its text in the nest's arena. */
plussi_name *plussi_parse_name(plussi_parser *p, const char *what);
const char *plussi_parse_string(plussi_parser *p, const char *what);
bool plussi_parse_integer(plussi_parser *p, const char *what, int64_t *out); /* -5, 0x10 */
/* An integer in [least, most], without sign. */
bool plussi_parse_count(plussi_parser *p, const char *what, uint64_t least, uint64_t most,
                        uint64_t *out);
bool plussi_parse_declare(plussi_parser *p, plussi_name *name, plussi_meaning_kind kind,
                          uint32_t level, void *object);
/* Reports a name with another meaning than expected; an undeclared one once a region. */
void plussi_parse_unknown_name(plussi_parser *p, plussi_name *name, const plussi_token *at,
                               const char *what);
/* The array of a name; NULL, reported. */
plussi_array *plussi_parse_array(plussi_parser *p);

/* ---- parse_expr.c -----------------------------------------------------------------------------
 */

plussi_expr *plussi_parse_expr(plussi_parser *p);      /* a number */
plussi_expr *plussi_parse_condition(plussi_parser *p); /* a condition */
/* '(' condition ')' */
plussi_expr *plussi_parse_guard(plussi_parser *p);
/* { '[' expr ']' } into *subs, in the nest's arena. */
bool plussi_parse_subscripts(plussi_parser *p, uint32_t *n, plussi_expr ***subs);

/* ---- parse_decl.c -----------------------------------------------------------------------------
 */

/* From 'symbol' or 'array' to the end of the declaration. */
bool plussi_parse_declaration(plussi_parser *p);

/* ---- parse_stmt.c -----------------------------------------------------------------------------
 */

/* Statements up to '}', 'region' or the end of the text. */
static inline bool plussi_parse_at_word(const plussi_parser *p, plussi_keyword keyword)
{
    return p->tok.kind == PLUSSI_TOK_NAME && p->tok.keyword == keyword;
}
bool plussi_parse_at_statement(const plussi_parser *p); /* at a word that begins one */
void plussi_parse_statements(plussi_parser *p, plussi_body *body, plussi_node *parent);
/* line [ ':' column ] after '@' or ':'. */
bool plussi_parse_line(plussi_parser *p, plussi_loc *loc);

#endif
