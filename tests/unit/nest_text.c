/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nest_text.h"

#include <stdio.h>
#include <string.h>

#include "suite.h"

static const char header[] = "pluss-nest 1\n";

char *messages_of(const plussi_ctx *ctx)
{
    char *all = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&all, &length);
    ck_assert_ptr_nonnull(stream);
    for (size_t i = 0; i < ctx->n_diags; i++)
        fprintf(stream, "%u:%u: %s\n", ctx->diags[i].line, ctx->diags[i].col, ctx->diags[i].text);
    fclose(stream);
    return all;
}

plussi_nest *nest_of(plussi_ctx *ctx, const char *text)
{
    size_t length = sizeof header - 1 + strlen(text);
    char *whole = malloc(length + 1);
    ck_assert_ptr_nonnull(whole);
    strcpy(whole, header);
    strcat(whole, text);
    plussi_nest *nest = NULL;
    pluss_status status = plussi_nest_parse(ctx, whole, length, "test.nest", &nest);
    if (status != PLUSS_OK)
        ck_abort_msg("%s\n%s", whole, messages_of(ctx));
    ck_assert_uint_eq(ctx->n_diags, 0);
    free(whole);
    return nest;
}

char *text_of(plussi_ctx *ctx, const plussi_nest *nest)
{
    char *text;
    size_t length;
    ck_assert_int_eq(plussi_nest_print(ctx, nest, &text, &length), PLUSS_OK);
    ck_assert_uint_eq(strlen(text), length);
    ck_assert_int_eq(strncmp(text, header, sizeof header - 1), 0);
    char *copy = strdup(text + sizeof header - 1);
    plussi_free(&ctx->mem, text);
    return copy;
}
