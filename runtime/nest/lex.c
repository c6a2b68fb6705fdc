/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nest/lex.h"

#include <stdio.h>
#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

void plussi_lex_init(plussi_lexer *lex, plussi_ctx *ctx, const char *text, size_t length,
                     const char *file)
{
    *lex = (plussi_lexer){.ctx = ctx,
                          .file = file,
                          .p = text,
                          .end = text + length,
                          .line_start = text,
                          .line = 1,
                          .status = PLUSS_OK};
}

static plussi_loc loc_at(const plussi_lexer *lex, const char *p)
{
    return (plussi_loc){lex->file, lex->line, (uint32_t)(p - lex->line_start) + 1};
}

/* Shows n bytes of text in room, in quotes unless they have their own; never cuts a UTF-8 sequence,
 * and shows control characters as '?', as a message is one line. */
static const char *show_text(const char *text, size_t n, char room[PLUSSI_TOKEN_SHOWN])
{
    size_t most = PLUSSI_TOKEN_SHOWN - 6, used = n <= most ? n : most;
    while (used < n && used > 0 && ((unsigned char)text[used] & 0xc0) == 0x80)
        used--;
    const char *quote = text[0] == '"' ? "" : "'";
    snprintf(room, PLUSSI_TOKEN_SHOWN, "%s%.*s%s%s", quote, (int)used, text, used < n ? "..." : "",
             quote);
    for (char *c = room; *c; c++)
        if (is_control(*c))
            *c = '?';
    return room;
}

const char *plussi_token_show(const plussi_token *token, char room[PLUSSI_TOKEN_SHOWN])
{
    return token->kind == PLUSSI_TOK_END ? "end of text"
                                         : show_text(token->start, token->length, room);
}

static void fail_at(plussi_lexer *lex, const char *at, size_t n, const char *expected)
{
    char room[PLUSSI_TOKEN_SHOWN];
    plussi_loc loc = loc_at(lex, at);
    lex->status = plussi_fail(lex->ctx, PLUSS_EPARSE, &loc, "found %s, expected %s",
                              show_text(at, n, room), expected);
}

static void fail_byte(plussi_lexer *lex, const char *at, const char *expected)
{
    plussi_loc loc = loc_at(lex, at);
    if (*at == '\0')
        lex->status =
            plussi_fail(lex->ctx, PLUSS_EPARSE, &loc, "found a NUL byte, expected %s", expected);
    else
        lex->status = plussi_fail(lex->ctx, PLUSS_EPARSE, &loc, "found byte 0x%02x, expected %s",
                                  (unsigned char)*at, expected);
}

static void skip_blanks(plussi_lexer *lex)
{
    for (; lex->p < lex->end; lex->p++) {
        char c = *lex->p;
        if (c == '\n') {
            lex->line++;
            lex->line_start = lex->p + 1;
        } else if (c == '#') {
            const char *line_end = memchr(lex->p, '\n', (size_t)(lex->end - lex->p));
            lex->p = (line_end ? line_end : lex->end) - 1;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return;
        }
    }
}

/* ---- the kinds of token -----------------------------------------------------------------------
 */

static void lex_digits(plussi_lexer *lex, plussi_token *token, unsigned base)
{
    const uint64_t most = (uint64_t)1
                          << 63; /* -2^63 is a number, 2^63 is not: the parser decides */
    for (; lex->p < lex->end; lex->p++) {
        int digit = hex_digit(*lex->p);
        if (digit < 0 || (unsigned)digit >= base)
            return;
        if (token->value > (most - (unsigned)digit) / base)
            token->value = UINT64_MAX;
        else
            token->value = token->value * base + (unsigned)digit;
    }
}

static bool lex_fraction(plussi_lexer *lex)
{
    const char *p = lex->p;
    if (p + 1 < lex->end && p[0] == '.' && is_digit(p[1]))
        for (p++; p < lex->end && is_digit(*p);)
            p++;
    if (p < lex->end && (*p == 'e' || *p == 'E')) {
        const char *digits = p + 1;
        if (digits < lex->end && (*digits == '+' || *digits == '-'))
            digits++;
        if (digits < lex->end && is_digit(*digits))
            for (p = digits; p < lex->end && is_digit(*p);)
                p++;
    }
    bool found = p > lex->p;
    lex->p = p;
    return found;
}

static void lex_number(plussi_lexer *lex, plussi_token *token)
{
    const char *start = lex->p;
    token->kind = PLUSSI_TOK_INT;
    const char *expected = NULL;
    if (lex->end - start > 2 && start[0] == '0' && (start[1] | 0x20) == 'x' &&
        hex_digit(start[2]) >= 0) {
        lex->p += 2;
        lex_digits(lex, token, 16);
    } else {
        lex_digits(lex, token, 10);
        bool zeros = start[0] == '0' && lex->p - start > 1;
        if (lex_fraction(lex))
            token->kind = PLUSSI_TOK_FLOAT;
        else if (zeros)
            expected = "an integer without leading zeros";
    }
    const char *tail = lex->p;
    while (lex->p < lex->end && (is_letter(*lex->p) || is_digit(*lex->p)))
        lex->p++;
    if (lex->p > tail)
        expected = "a number";
    if (expected)
        fail_at(lex, start, (size_t)(lex->p - start), expected);
}

static void lex_word(plussi_lexer *lex, plussi_token *token)
{
    const char *start = lex->p;
    while (lex->p < lex->end && (is_letter(*lex->p) || is_digit(*lex->p)))
        lex->p++;
    token->kind = PLUSSI_TOK_NAME;
    token->keyword = plussi_keyword_of(start, (size_t)(lex->p - start));
}

/* To the closing quote; false, reported, if the line ends before it. */
static bool lex_quoted(plussi_lexer *lex, char quote)
{
    const char *start = lex->p++;
    bool reported = false;
    for (; lex->p < lex->end && *lex->p != '\n'; lex->p++) {
        char c = *lex->p;
        if (c == quote) {
            lex->p++;
            return true;
        }
        bool bad = is_control(c) && !(c == '\t' && quote == '"');
        if (bad && !reported) {
            fail_byte(lex, lex->p,
                      quote == '"' ? "an escape (\\n, \\t, \\xHH)" : "a printable name");
            reported = true;
        }
        if (c != '\\' || quote != '"' || lex->end - lex->p < 2 || lex->p[1] == '\n')
            continue;
        const char *escape = lex->p++;
        if (*lex->p == 'x' && lex->end - lex->p > 2 && hex_digit(lex->p[1]) >= 0 &&
            hex_digit(lex->p[2]) >= 0 && (lex->p[1] != '0' || lex->p[2] != '0'))
            lex->p += 2;
        else if ((*lex->p == '\0' || !strchr("\"\\nt", *lex->p)) && !reported) {
            fail_at(lex, escape, 2, "one of the escapes \\\" \\\\ \\n \\t \\xHH");
            reported = true;
        }
    }
    fail_at(lex, start, (size_t)(lex->p - start),
            quote == '"' ? "a closing '\"' on the same line" : "a closing '`' on the same line");
    return false;
}

/* Two-character tokens, and words after '$'. */
static bool lex_pair(plussi_lexer *lex, plussi_token *token)
{
    static const struct {
        const char *text;
        int kind;
    } pairs[] = {
        {"..", PLUSSI_TOK_DOTS}, {"<=", PLUSSI_TOK_LE},          {">=", PLUSSI_TOK_GE},
        {"==", PLUSSI_TOK_EQ},   {"!=", PLUSSI_TOK_NE},          {"&&", PLUSSI_TOK_AND},
        {"||", PLUSSI_TOK_OR},   {"$thread", PLUSSI_TOK_THREAD}, {"$team", PLUSSI_TOK_TEAM}};
    size_t left = (size_t)(lex->end - lex->p);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        size_t n = strlen(pairs[i].text);
        if (left < n || memcmp(lex->p, pairs[i].text, n) != 0)
            continue;
        if (*lex->p == '$' && left > n && (is_letter(lex->p[n]) || is_digit(lex->p[n])))
            continue;
        lex->p += n;
        token->kind = pairs[i].kind;
        return true;
    }
    return false;
}

/* Reports a run of characters that begin no token, once, and skips it. */
static void skip_stray(plussi_lexer *lex)
{
    const char *start = lex->p;
    if (is_control(*start)) {
        while (lex->p < lex->end && *lex->p == *start)
            lex->p++;
        fail_byte(lex, start, "text");
        return;
    }
    do
        lex->p++;
    while (lex->p < lex->end && (*lex->p == *start || (unsigned char)*lex->p >= 0x80 ||
                                 (*start == '$' && is_letter(*lex->p))));
    fail_at(lex, start, (size_t)(lex->p - start),
            *start == '$' ? "$thread or $team" : "a name, a number or punctuation");
}

void plussi_lex_next(plussi_lexer *lex, plussi_token *token)
{
    for (;;) {
        skip_blanks(lex);
        *token = (plussi_token){.start = lex->p, .loc = loc_at(lex, lex->p)};
        if (lex->p == lex->end)
            return;
        char c = *lex->p;
        if (is_letter(c)) {
            lex_word(lex, token);
        } else if (is_digit(c)) {
            lex_number(lex, token);
        } else if (c == '"') {
            lex_quoted(lex, c);
            token->kind = PLUSSI_TOK_STRING;
        } else if (c == '`') {
            lex_quoted(lex, c);
            token->kind = PLUSSI_TOK_NAME;
        } else if (!lex_pair(lex, token)) {
            if (c == '\0' || !strchr("{}[](),;:=+-*/%<>!?@", c)) {
                skip_stray(lex);
                continue;
            }
            token->kind = (unsigned char)c;
            lex->p++;
        }
        token->length = (size_t)(lex->p - token->start);
        return;
    }
}

size_t plussi_token_text(const plussi_token *token, char *room)
{
    const char *p = token->start, *end = p + token->length;
    char quote = *p == '"' || *p == '`' ? *p : '\0';
    if (quote) {
        p++;
        if (end > p && end[-1] == quote) /* absent where an error was reported */
            end--;
    }
    size_t n = 0;
    while (p < end) {
        char c = *p++;
        if (c == '\\' && quote == '"' && p < end) {
            c = *p++;
            if (c == 'n') {
                c = '\n';
            } else if (c == 't') {
                c = '\t';
            } else if (c == 'x' && end - p >= 2) {
                c = (char)(hex_digit(p[0]) * 16 + hex_digit(p[1]));
                p += 2;
            }
        }
        room[n++] = c;
    }
    return n;
}
