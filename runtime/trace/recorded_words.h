/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words of a record's lines. Internal to the record's reader.
 */
#ifndef PLUSSI_TRACE_RECORDED_WORDS_H
#define PLUSSI_TRACE_RECORDED_WORDS_H

#include <stdbool.h>

#include "base/ctx.h"

typedef struct plussi_words {
    plussi_ctx *ctx;
    const char *file;
    const char *at, *end;      /* of the line; at: the next byte */
    const char *start, *limit; /* of the line; of the text */
    uint32_t line;             /* from 1 */
    plussi_arena *arena;       /* of strings */
} plussi_words;

/* Goes to the next line that is not empty, at first to the first one; false: none. */
bool plussi_words_line(plussi_words *w);
/* PLUSS_EFORMAT: "found ..., expected WHAT" at the place of the next word. */
PLUSS_NODISCARD pluss_status plussi_words_expected(const plussi_words *w, const char *what);
/* The next word, which is not consumed; its length, 0 at the end of the line. */
size_t plussi_words_peek(const plussi_words *w, const char **word);
bool plussi_words_is(const plussi_words *w, const char *word); /* is next */
bool plussi_words_take(plussi_words *w, const char *word);     /* consumes the word if it is next */
PLUSS_NODISCARD pluss_status plussi_words_keyword(plussi_words *w, const char *word);
PLUSS_NODISCARD pluss_status plussi_words_mark(plussi_words *w, char mark); /* the next byte */
PLUSS_NODISCARD pluss_status plussi_words_u64(plussi_words *w, uint64_t most, uint64_t *out);
PLUSS_NODISCARD pluss_status plussi_words_i64(plussi_words *w, int64_t *out);
PLUSS_NODISCARD pluss_status plussi_words_string(plussi_words *w, const char **out);
bool plussi_words_more(const plussi_words *w);
PLUSS_NODISCARD pluss_status plussi_words_end(const plussi_words *w); /* nothing may follow */

#endif
