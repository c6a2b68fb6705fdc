/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a nest's text: no crash, and what parses round-trips to the byte.
 */
#include <string.h>

#include "any_target.h"
#include "nest/nest.h"

static char *print(plussi_ctx *ctx, const plussi_nest *nest, size_t *length)
{
    char *text;
    require(plussi_nest_print(ctx, nest, &text, length) == PLUSS_OK, "a valid nest prints");
    return text;
}

static void check_round_trip(plussi_ctx *ctx, const plussi_nest *nest)
{
    size_t length, length_again;
    char *text = print(ctx, nest, &length);
    plussi_nest *again;
    require(plussi_nest_parse(ctx, text, length, NULL, &again) == PLUSS_OK, "a print parses");
    require(plussi_nest_equal(nest, again, true), "it parses to an equal nest");
    char *text_again = print(ctx, again, &length_again);
    require(length == length_again && memcmp(text, text_again, length) == 0, "it prints the same");
    plussi_free(&ctx->mem, text_again);
    plussi_free(&ctx->mem, text);
    plussi_nest_free(again);
}

static void check_copy(plussi_ctx *ctx, const plussi_nest *nest)
{
    plussi_nest *copy;
    require(plussi_nest_new(ctx, &copy) == PLUSS_OK, "memory");
    require(plussi_nest_append(ctx, copy, nest) == PLUSS_OK, "a valid nest can be appended");
    require(plussi_nest_equal(nest, copy, true), "a copy is equal");
    plussi_nest_free(copy);
}

static void check_regions(plussi_ctx *ctx, const plussi_nest *nest)
{
    for (const plussi_region *r = nest->first_region; r; r = r->next) {
        char *text;
        size_t length;
        plussi_nest *alone;
        require(plussi_nest_print_region(ctx, nest, r, &text, &length) == PLUSS_OK,
                "a region prints");
        require(plussi_nest_parse(ctx, text, length, NULL, &alone) == PLUSS_OK,
                "a region's print parses");
        require(alone->n_regions == 1, "it is one region");
        plussi_free(&ctx->mem, text);
        plussi_nest_free(alone);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *nest = NULL;
    pluss_status status = plussi_nest_parse(&ctx, (const char *)data, size, "fuzz", &nest);
    if (status == PLUSS_OK) {
        require(ctx.n_diags == 0, "no message without a fault");
        check_round_trip(&ctx, nest);
        check_copy(&ctx, nest);
        check_regions(&ctx, nest);
        plussi_nest_free(nest);
    } else {
        require(ctx.n_diags > 0 && !nest, "no fault without a message");
    }
    plussi_ctx_clear(&ctx);
    return 0;
}
