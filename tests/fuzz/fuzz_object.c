/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as an object file, archive or text: no crash; either texts that are whole and differ
 * from each other, or an error that is explained.
 */
#include <string.h>

#include "any_target.h"
#include "object/object.h"

static void check_texts(const plussi_texts *texts)
{
    for (size_t i = 0; i < texts->n; i++) {
        const plussi_text *text = &texts->text[i];
        require(strlen(text->text) == text->length, "a text ends where it says");
        require(strncmp(text->origin, "fuzz", 4) == 0, "a text's origin names the file");
        for (size_t j = 0; j < i && texts->n < 100; j++)
            require(strcmp(texts->text[j].text, text->text) != 0, "no two texts are equal");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    plussi_ctx ctx;
    plussi_texts texts;
    plussi_ctx_init(&ctx, NULL);
    pluss_status status = plussi_object_read_image(&ctx, data, size, "fuzz", &texts);
    if (status == PLUSS_OK) {
        check_texts(&texts);
        plussi_texts_free(&texts);
    } else {
        require(status == PLUSS_EFORMAT, "bad bytes are a bad format");
        require(ctx.n_diags == 1 && ctx.diags[0].severity == PLUSSI_ERROR, "one error says why");
    }
    plussi_ctx_clear(&ctx);
    return 0;
}
