/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/recorded_words.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN = 24 /* of the unexpected text */ };

bool plussi_words_line(plussi_words *w)
{
    do {
        if (w->end >= w->limit)
            return false;
        const char *next = w->line ? w->end + 1 : w->end;
        if (next >= w->limit)
            return false;
        w->start = w->at = next;
        const char *end = memchr(w->at, '\n', (size_t)(w->limit - w->at));
        w->end = end ? end : w->limit;
        w->line++;
    } while (!plussi_words_more(w));
    return true;
}

static const char *skip_space(const plussi_words *w)
{
    const char *p = w->at;
    while (p < w->end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

bool plussi_words_more(const plussi_words *w)
{
    return skip_space(w) < w->end;
}

static bool is_separator(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ':' || c == '-' || c == '"';
}

size_t plussi_words_peek(const plussi_words *w, const char **word)
{
    const char *p = skip_space(w), *end = p;
    while (end < w->end && !is_separator(*end))
        end++;
    *word = p;
    return (size_t)(end - p);
}

pluss_status plussi_words_expected(const plussi_words *w, const char *what)
{
    char found[SHOWN + 1];
    const char *p = skip_space(w);
    size_t n = 0;
    for (; n < SHOWN && p + n < w->end && p[n] != ' '; n++)
        found[n] = p[n] < ' ' || p[n] == 127 ? '?' : p[n];
    found[n] = '\0';
    plussi_loc loc = {w->file, w->line, (uint32_t)(p - w->start) + 1};
    if (n == 0)
        return plussi_fail(w->ctx, PLUSS_EFORMAT, &loc, "found the line's end, expected %s", what);
    return plussi_fail(w->ctx, PLUSS_EFORMAT, &loc, "found '%s', expected %s", found, what);
}

bool plussi_words_is(const plussi_words *w, const char *word)
{
    const char *next;
    size_t n = plussi_words_peek(w, &next), length = strlen(word);
    /* a word with a hyphen is not split at it */
    if (n < length && (size_t)(w->end - next) >= length)
        n = length;
    return n == length && memcmp(next, word, n) == 0 &&
           (next + n == w->end || is_separator(next[n]));
}

bool plussi_words_take(plussi_words *w, const char *word)
{
    if (!plussi_words_is(w, word))
        return false;
    w->at = skip_space(w) + strlen(word);
    return true;
}

pluss_status plussi_words_keyword(plussi_words *w, const char *word)
{
    char what[40];
    if (plussi_words_take(w, word))
        return PLUSS_OK;
    size_t n = strlen(word) < sizeof what - 3 ? strlen(word) : sizeof what - 3;
    what[0] = '\'';
    memcpy(what + 1, word, n);
    memcpy(what + 1 + n, "'", 2);
    return plussi_words_expected(w, what);
}

pluss_status plussi_words_mark(plussi_words *w, char mark)
{
    char what[] = "'?' at once";
    what[1] = mark;
    if (w->at >= w->end || *w->at != mark)
        return plussi_words_expected(w, what);
    w->at++;
    return PLUSS_OK;
}

pluss_status plussi_words_u64(plussi_words *w, uint64_t most, uint64_t *out)
{
    const char *word;
    size_t n = plussi_words_peek(w, &word);
    uint64_t value = 0;
    if (n == 0 || n > 20)
        return plussi_words_expected(w, "a number");
    for (size_t i = 0; i < n; i++) {
        if (word[i] < '0' || word[i] > '9')
            return plussi_words_expected(w, "a number");
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(word[i] - '0'), &value))
            return plussi_words_expected(w, "a number of 64 bits");
    }
    if (value > most)
        return plussi_words_expected(w, "a smaller number");
    w->at = word + n;
    *out = value;
    return PLUSS_OK;
}

pluss_status plussi_words_i64(plussi_words *w, int64_t *out)
{
    const char *p = skip_space(w);
    bool negative = p < w->end && *p == '-';
    uint64_t value;
    plussi_words digits = *w;
    digits.at = p + negative;
    if (negative && (digits.at >= w->end || *digits.at == ' '))
        return plussi_words_expected(w, "a number");
    pluss_status status = plussi_words_u64(&digits, (uint64_t)INT64_MAX + negative, &value);
    if (status)
        return status;
    w->at = digits.at;
    *out = negative ? (int64_t)-value : (int64_t)value;
    return PLUSS_OK;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The character after a backslash at p; its length, 0: no known escape. */
static size_t read_escape(const char *p, const char *end, char *out)
{
    if (p == end)
        return 0;
    switch (*p) {
    case '"':
    case '\\':
        *out = *p;
        return 1;
    case 'n':
        *out = '\n';
        return 1;
    case 't':
        *out = '\t';
        return 1;
    case 'x': {
        int high = end - p > 2 ? hex_digit(p[1]) : -1, low = end - p > 2 ? hex_digit(p[2]) : -1;
        *out = (char)(high * 16 + low);
        return high >= 0 && low >= 0 && *out ? 3 : 0;
    }
    default:
        return 0;
    }
}

pluss_status plussi_words_string(plussi_words *w, const char **out)
{
    const char *p = skip_space(w);
    if (p == w->end || *p != '"')
        return plussi_words_expected(w, "a string");
    w->at = p++;
    char *copy = plussi_arena_alloc(w->arena, (size_t)(w->end - p) + 1, 1), *to = copy;
    if (!copy)
        return PLUSS_ENOMEM;
    for (; p < w->end && *p != '"'; to++) {
        if (*p != '\\' && *p) {
            *to = *p++;
            continue;
        }
        size_t n = *p ? read_escape(p + 1, w->end, to) : 0;
        if (n == 0) {
            w->at = p;
            return plussi_words_expected(
                w, "no NUL, and \\\", \\\\, \\n, \\t or \\xHH after a backslash");
        }
        p += 1 + n;
    }
    if (p == w->end)
        return plussi_words_expected(w, "a string that ends on its line");
    *to = '\0';
    w->at = p + 1;
    *out = copy;
    return PLUSS_OK;
}

pluss_status plussi_words_end(const plussi_words *w)
{
    return plussi_words_more(w) ? plussi_words_expected(w, "the line's end") : PLUSS_OK;
}
