/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any words as steps on any nest: they are refused with a message, or the result is a valid nest
 * with as many references, which prints and parses. The first line has the steps, the rest is the
 * nest.
 */
#include <string.h>

#include "any_target.h"
#include "nest/nest.h"
#include "transform/transform.h"

static uint32_t count_references(const plussi_nest *nest)
{
    uint32_t n = 0;
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));)
            n += node->kind == PLUSSI_N_REF;
    return n;
}

static void check_made(plussi_ctx *ctx, const plussi_nest *nest, const plussi_nest *made)
{
    char *text;
    size_t length;
    plussi_nest *again = NULL;
    require(count_references(made) == count_references(nest), "references stay");
    require(plussi_nest_print(ctx, made, &text, &length) == PLUSS_OK, "what was made prints");
    require(plussi_nest_parse(ctx, text, length, NULL, &again) == PLUSS_OK, "what was made parses");
    require(plussi_nest_equal(made, again, true), "it parses to an equal nest");
    plussi_free(&ctx->mem, text);
    plussi_nest_free(again);
}

static void transform(plussi_ctx *ctx, char *words, const plussi_nest *nest)
{
    const char *step[PLUSSI_STEPS_MOST];
    size_t n = 0;
    plussi_nest *made = NULL;
    for (char *word; n < PLUSSI_STEPS_MOST && (word = strsep(&words, " "));)
        step[n++] = word;
    const size_t before = ctx->n_diags;
    pluss_status status = plussi_transform(ctx, nest, step, n, &made);
    if (status) {
        require(ctx->n_diags > before && !made, "no fault without a message");
        return;
    }
    check_made(ctx, nest, made);
    plussi_nest_free(made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    plussi_ctx ctx;
    plussi_nest *nest = NULL;
    if (!end)
        return 0;
    const size_t length = (size_t)(end - data);
    plussi_ctx_init(&ctx, NULL);
    char *words = plussi_strndup(&ctx.mem, (const char *)data, length);
    require(words != NULL, "memory");
    if (!plussi_nest_parse(&ctx, (const char *)end + 1, size - length - 1, "fuzz", &nest))
        transform(&ctx, words, nest);
    plussi_nest_free(nest);
    plussi_free(&ctx.mem, words);
    plussi_ctx_clear(&ctx);
    return 0;
}
