/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/bisect.h"
#include "object/object.h"

#include <stdlib.h>
#include <string.h>

pluss_status plussi_linked_add(plussi_ctx *ctx, plussi_texts *texts, const char *record,
                               size_t length, const char *name)
{
    const char *end = memchr(record, '\n', length);
    if (!end || end == record) {
        plussi_loc loc = {.file = name};
        return plussi_fail(ctx, PLUSS_EFORMAT, &loc,
                           "a record in " PLUSSI_SYMBOLS_SECTION " names no symbol");
    }
    pluss_status status = plussi_grow(&texts->mem, &texts->linked, &texts->cap_linked,
                                      texts->n_linked, sizeof *texts->linked);
    if (status)
        return status;
    char *symbol = plussi_strndup(&texts->mem, record, length);
    if (!symbol)
        return PLUSS_ENOMEM;
    size_t at = (size_t)(end - record);
    symbol[at] = '\0';
    texts->linked[texts->n_linked++] =
        (plussi_linked){.symbol = symbol, .heading = symbol + at + 1};
    return PLUSS_OK;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static int compare_symbol(const void *a, const void *b)
{
    const plussi_linked *x = a, *y = b;
    return strcmp(x->symbol, y->symbol);
}

void plussi_linked_sort(plussi_texts *texts, size_t first)
{
    if (texts->n_linked > first)
        qsort(texts->linked + first, texts->n_linked - first, sizeof *texts->linked,
              compare_symbol);
}

/* As strcmp(symbol, the first `length` bytes of function). */
static int compare_prefix(const char *symbol, const char *function, size_t length)
{
    int order = strncmp(symbol, function, length);
    return order ? order : symbol[length] != '\0';
}

static void add_linked(plussi_texts *texts, size_t first, const char *function, size_t length)
{
    const plussi_linked *linked = texts->linked;
    PLUSSI_BISECT(size_t, i, first, texts->n_linked,
                  compare_prefix(linked[i].symbol, function, length) >= 0);
    for (; i < texts->n_linked && !compare_prefix(linked[i].symbol, function, length); i++)
        texts->linked[i].presence = PLUSSI_PRESENT;
}

void plussi_linked_found(plussi_texts *texts, size_t first, const char *function)
{
    size_t length = 0;
    do {
        length += strcspn(function + length, ".");
        add_linked(texts, first, function, length);
    } while (function[length++] == '.');
}

void plussi_linked_rest_absent(plussi_texts *texts, size_t first)
{
    for (size_t i = first; i < texts->n_linked; i++)
        if (texts->linked[i].presence != PLUSSI_PRESENT)
            texts->linked[i].presence = PLUSSI_ABSENT;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static const char *first_heading(const plussi_text *text, size_t *length)
{
    const char *at =
        strncmp(text->text, "region ", 7) ? strstr(text->text, "\nregion ") : text->text;
    if (!at)
        return NULL;
    at += *at == '\n';
    *length = strcspn(at, "\n");
    return at;
}

static int compare_heading(const void *a, const void *b)
{
    const plussi_linked *x = a, *y = b;
    int order = strcmp(x->heading, y->heading);
    return order ? order : strcmp(x->symbol, y->symbol);
}

/* Present in one object is present; absent only if in all objects. */
static plussi_presence best_presence(plussi_presence a, plussi_presence b)
{
    if (a == PLUSSI_PRESENT || b == PLUSSI_PRESENT)
        return PLUSSI_PRESENT;
    return a == PLUSSI_ABSENT && b == PLUSSI_ABSENT ? PLUSSI_ABSENT : PLUSSI_PRESENCE_UNKNOWN;
}

static void resolve_text(plussi_texts *texts, plussi_text *text)
{
    size_t length;
    const char *heading = first_heading(text, &length);
    if (!heading)
        return;
    PLUSSI_BISECT(size_t, i, 0, texts->n_linked,
                  compare_prefix(texts->linked[i].heading, heading, length) >= 0);
    bool any = false;
    for (; i < texts->n_linked; i++) {
        plussi_linked *linked = &texts->linked[i];
        if (compare_prefix(linked->heading, heading, length) != 0)
            break;
        text->presence = any ? best_presence(text->presence, linked->presence) : linked->presence;
        if (!any)
            text->symbol = linked->symbol;
        any = true;
    }
}

void plussi_linked_resolve(plussi_texts *texts)
{
    if (texts->n_linked == 0)
        return;
    qsort(texts->linked, texts->n_linked, sizeof *texts->linked, compare_heading);
    for (size_t i = 0; i < texts->n; i++)
        resolve_text(texts, &texts->text[i]);
}
