/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nest/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nest/words.h"

void plussi_text_init(plussi_text *text, plussi_ctx *ctx)
{
    *text = (plussi_text){.ctx = ctx, .status = PLUSS_OK};
}

void plussi_text_put(plussi_text *text, const char *s, size_t n)
{
    if (text->status != PLUSS_OK)
        return;
    if (n > PLUSSI_MAX_TEXT - text->length) {
        text->status =
            plussi_fail(text->ctx, PLUSS_ELIMIT, NULL,
                        "the nest's text exceeds PLUSSI_MAX_TEXT = %d bytes", PLUSSI_MAX_TEXT);
        return;
    }
    if (text->length + n + 1 > text->cap) {
        size_t cap = text->cap ? text->cap * 2 : 1024;
        while (cap < text->length + n + 1)
            cap *= 2;
        char *grown = plussi_realloc(&text->ctx->mem, text->bytes, cap, 1);
        if (!grown) {
            text->status = PLUSS_ENOMEM;
            return;
        }
        text->bytes = grown;
        text->cap = cap;
    }
    memcpy(text->bytes + text->length, s, n);
    text->length += n;
    for (size_t back = 0; back < n; back++)
        if (s[n - 1 - back] == '\n') {
            text->line_start = text->length - back;
            break;
        }
}

void plussi_text_puts(plussi_text *text, const char *s)
{
    plussi_text_put(text, s, strlen(s));
}

void plussi_text_format(plussi_text *text, const char *format, ...)
{
    char room[64];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(room, sizeof room, format, args);
    va_end(args);
    if (n > 0)
        plussi_text_put(text, room, (size_t)n < sizeof room ? (size_t)n : sizeof room - 1);
}

void plussi_text_name(plussi_text *text, const char *name)
{
    if (!name)
        name = "";
    bool plain = plussi_name_is_plain(name);
    if (!plain)
        plussi_text_puts(text, "`");
    plussi_text_puts(text, name);
    if (!plain)
        plussi_text_puts(text, "`");
}

void plussi_text_string(plussi_text *text, const char *s)
{
    plussi_text_puts(text, "\"");
    for (; *s; s++) {
        size_t plain = 0;
        while ((unsigned char)s[plain] >= 0x20 && s[plain] != 0x7f && s[plain] != '"' &&
               s[plain] != '\\')
            plain++;
        plussi_text_put(text, s, plain);
        s += plain;
        if (!*s)
            break;
        if (*s == '\n')
            plussi_text_puts(text, "\\n");
        else if (*s == '\t')
            plussi_text_puts(text, "\\t");
        else if (*s == '"' || *s == '\\')
            plussi_text_format(text, "\\%c", *s);
        else
            plussi_text_format(text, "\\x%02x", (unsigned char)*s);
    }
    plussi_text_puts(text, "\"");
}

void plussi_text_number(plussi_text *text, double number)
{
    char room[64];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(room, sizeof room, "%.*g", digits, number);
        if (strtod(room, NULL) == number)
            break;
    }
    /* the locale's separator is no digit, sign or exponent */
    bool point = false;
    for (const char *p = room; *p; p++) {
        bool plain = (*p >= '0' && *p <= '9') || *p == 'e' || *p == '+' || *p == '-';
        if (plain)
            plussi_text_put(text, p, 1);
        else if (!point)
            plussi_text_puts(text, ".");
        point = point || !plain;
    }
}

pluss_status plussi_text_finish(plussi_text *text, char **out, size_t *length)
{
    if (text->status == PLUSS_OK && !text->bytes)
        plussi_text_put(text, "", 0);
    if (text->status != PLUSS_OK) {
        plussi_free(&text->ctx->mem, text->bytes);
        return text->status;
    }
    text->bytes[text->length] = '\0';
    *out = text->bytes;
    if (length)
        *length = text->length;
    return PLUSS_OK;
}
