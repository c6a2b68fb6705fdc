/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tokens of the text form. The lexer reports what cannot be in a token (NUL bytes, unterminated
 * strings, stray characters) and continues; the parser sees only well-formed tokens.
 */
#ifndef PLUSSI_NEST_LEX_H
#define PLUSSI_NEST_LEX_H

#include "nest/words.h"

/* Punctuation is its own character; the rest: */
enum {
    PLUSSI_TOK_END = 0,
    PLUSSI_TOK_NAME = 256, /* bare (then keyword NONE) or between backquotes, or a keyword */
    PLUSSI_TOK_STRING,
    PLUSSI_TOK_INT,
    PLUSSI_TOK_FLOAT,
    PLUSSI_TOK_THREAD, /* $thread */
    PLUSSI_TOK_TEAM,   /* $team */
    PLUSSI_TOK_DOTS,   /* .. */
    PLUSSI_TOK_LE,
    PLUSSI_TOK_GE,
    PLUSSI_TOK_EQ,
    PLUSSI_TOK_NE,
    PLUSSI_TOK_AND,
    PLUSSI_TOK_OR
};

typedef struct plussi_token {
    int kind;
    plussi_keyword keyword; /* of an unquoted NAME */
    const char *start;      /* in the text, with quotes */
    size_t length;
    plussi_loc loc;
    uint64_t value; /* INT: magnitude; UINT64_MAX: too big for 64 bits signed, even negated */
} plussi_token;

typedef struct plussi_lexer {
    plussi_ctx *ctx;
    const char *file; /* of messages, borrowed */
    const char *p, *end, *line_start;
    uint32_t line;
    pluss_status status; /* PLUSS_EPARSE after an error */
} plussi_lexer;

void plussi_lex_init(plussi_lexer *lex, plussi_ctx *ctx, const char *text, size_t length,
                     const char *file);
/* Amortised O(length of the token). At the end: TOK_END, repeatedly. */
void plussi_lex_next(plussi_lexer *lex, plussi_token *token);

/* Contents of a STRING token with its escapes resolved, or of a NAME without backquotes; room: at
 * least token->length bytes. Returns the length. */
size_t plussi_token_text(const plussi_token *token, char *room);

/* The name of the token in a message ("'for'", "end of text"): written to room, cut if long. */
enum { PLUSSI_TOKEN_SHOWN = 64 };
const char *plussi_token_show(const plussi_token *token, char room[PLUSSI_TOKEN_SHOWN]);

#endif
