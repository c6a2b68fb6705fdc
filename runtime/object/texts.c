/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "object/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plussi_texts_init(plussi_texts *texts, const plussi_mem *mem)
{
    *texts = (plussi_texts){.mem = *mem};
}

static void free_text(const plussi_mem *mem, plussi_text *text)
{
    plussi_free(mem, text->text);
    plussi_free(mem, text->origin);
}

void plussi_texts_free(plussi_texts *texts)
{
    for (size_t i = 0; i < texts->n; i++)
        free_text(&texts->mem, &texts->text[i]);
    for (size_t i = 0; i < texts->n_linked; i++)
        plussi_free(&texts->mem, texts->linked[i].symbol);
    plussi_free(&texts->mem, texts->text);
    plussi_free(&texts->mem, texts->linked);
    *texts = (plussi_texts){.mem = texts->mem};
}

pluss_status plussi_texts_add(plussi_texts *texts, const char *text, size_t length,
                              const char *name, size_t number)
{
    const plussi_mem *mem = &texts->mem;
    pluss_status status =
        plussi_grow(mem, &texts->text, &texts->cap, texts->n, sizeof *texts->text);
    if (status)
        return status;
    size_t name_length = strlen(name), room = name_length + 24;
    plussi_text added = {.text = plussi_strndup(mem, text, length),
                         .length = length,
                         .origin = plussi_alloc(mem, room, 1)};
    if (!added.text || !added.origin) {
        free_text(mem, &added);
        return PLUSS_ENOMEM;
    }
    memcpy(added.origin, name, name_length + 1);
    if (number > 0)
        snprintf(added.origin + name_length, room - name_length, "#%zu", number);
    texts->text[texts->n++] = added;
    return PLUSS_OK;
}

static int compare_text(const plussi_text *a, const plussi_text *b)
{
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return memcmp(a->text, b->text, a->length);
}

/* Pointers into one array: equal texts keep their order. */
static int compare_entry(const void *a, const void *b)
{
    const plussi_text *x = *(plussi_text *const *)a, *y = *(plussi_text *const *)b;
    int order = compare_text(x, y);
    return order ? order : (x > y) - (x < y);
}

pluss_status plussi_texts_unique(plussi_texts *texts)
{
    if (texts->n < 2)
        return PLUSS_OK;
    plussi_text **sorted = plussi_alloc(&texts->mem, texts->n, sizeof *sorted);
    if (!sorted)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < texts->n; i++)
        sorted[i] = &texts->text[i];
    qsort(sorted, texts->n, sizeof *sorted, compare_entry);
    const plussi_text *kept = sorted[0];
    for (size_t i = 1; i < texts->n; i++) {
        if (compare_text(kept, sorted[i]) != 0) {
            kept = sorted[i];
            continue;
        }
        /* stays in place, so that the others' addresses do not change; dropped below */
        plussi_free(&texts->mem, sorted[i]->origin);
        sorted[i]->origin = NULL;
    }
    plussi_free(&texts->mem, sorted);
    size_t n = 0;
    for (size_t i = 0; i < texts->n; i++) {
        if (texts->text[i].origin)
            texts->text[n++] = texts->text[i];
        else
            free_text(&texts->mem, &texts->text[i]);
    }
    texts->n = n;
    return PLUSS_OK;
}
