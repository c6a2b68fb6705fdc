/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file -> its nests.
 */
#include "study/pipeline.h"

#include <string.h>

void plussi_found_free(const plussi_mem *mem, plussi_found *found, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        plussi_nest_free(found[i].nest);
        plussi_free(mem, found[i].origin);
        plussi_free(mem, found[i].symbol);
    }
    plussi_free(mem, found);
}

static pluss_status parse_all(plussi_ctx *ctx, plussi_texts *texts, plussi_found *found)
{
    pluss_status first = PLUSS_OK;
    for (size_t i = 0; i < texts->n; i++) {
        plussi_text *text = &texts->text[i];
        pluss_status status =
            plussi_nest_parse(ctx, text->text, text->length, text->origin, &found[i].nest);
        if (status == PLUSS_ENOMEM)
            return status;
        if (status && !first)
            first = status;
        found[i].origin = text->origin;
        text->origin = NULL;
        found[i].presence = text->presence;
        if (text->symbol) {
            found[i].symbol = plussi_strndup(&ctx->mem, text->symbol, strlen(text->symbol));
            if (!found[i].symbol)
                return PLUSS_ENOMEM;
        }
    }
    return first;
}

pluss_status plussi_pipeline_read(plussi_ctx *ctx, const char *path, plussi_found **out, size_t *n)
{
    plussi_texts texts;
    pluss_status status = plussi_object_read(ctx, path, &texts);
    if (status)
        return status;
    plussi_found *found = plussi_calloc(&ctx->mem, texts.n, sizeof *found);
    status = found ? parse_all(ctx, &texts, found) : PLUSS_ENOMEM;
    if (status && found) {
        plussi_found_free(&ctx->mem, found, texts.n);
    } else if (!status) {
        *out = found;
        *n = texts.n;
    }
    plussi_texts_free(&texts);
    return status;
}
