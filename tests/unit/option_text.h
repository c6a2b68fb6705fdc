/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Options out of words: "threads=1,3 define=n=12 explain".
 */
#ifndef TESTS_UNIT_OPTION_TEXT_H
#define TESTS_UNIT_OPTION_TEXT_H

#include <stdio.h>
#include <string.h>

#include "pluss.h"

/* The status of the first word that is refused. */
static inline pluss_status set_options(pluss_context *ctx, pluss_options *options,
                                       const char *words)
{
    pluss_status status = PLUSS_OK;
    while (!status && *words) {
        char word[200];
        size_t length = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        char *text = strchr(word, '=');
        if (text)
            *text++ = '\0';
        status = pluss_options_set(ctx, options, word, text);
        words += length + strspn(words + length, " ");
    }
    return status;
}

static inline pluss_status make_options(pluss_context *ctx, const char *words, pluss_options **out)
{
    pluss_options *options = NULL;
    pluss_status status = pluss_options_new(ctx, &options);
    if (!status)
        status = set_options(ctx, options, words);
    if (status)
        pluss_options_free(options);
    else
        *out = options;
    return status;
}

#endif
