/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From any nest to its prediction, with an effort that is soon spent: a curve whose miss ratios are
 * ratios, or a message. The first bytes choose the team and the symbols' values, the rest is the
 * nest's text.
 */
#include <stdio.h>
#include <stdlib.h>

#include "study/pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHOICES = 4, MAX_BINDINGS = 16, EFFORT = 4000000 };

static void require(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static void predict(plussi_ctx *ctx, const plussi_nest *nest, const uint8_t choice[CHOICES])
{
    plussi_binding binding[MAX_BINDINGS];
    uint32_t team = 1 + choice[0] % 16;
    plussi_request request = {.team = &team,
                              .n_teams = 1,
                              .binding = binding,
                              .line_bytes = 64,
                              .cores = 1,
                              .effort = EFFORT};
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next)
        if (!s->value && request.n_bindings < MAX_BINDINGS)
            binding[request.n_bindings++] =
                (plussi_binding){s->name, choice[1 + s->id % 2] < 200 ? choice[1 + s->id % 2] % 50
                                                                      : choice[3] << 22};
    plussi_result result;
    plussi_result_init(&result, &ctx->mem);
    if (plussi_pipeline_predict(ctx, nest, &request, &result) == PLUSS_OK) {
        require(result.n == 1, "one curve for one team");
        for (double lines = 1; lines < 1e9; lines *= 3) {
            double miss = plussi_mrc_at(&result.curve[0].mrc, lines);
            require(miss >= 0 && miss <= 1, "a miss ratio is a ratio");
        }
    } else {
        require(ctx->n_diags > 0, "no fault without a message");
    }
    plussi_result_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < CHOICES)
        return 0;
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *nest = NULL;
    if (plussi_nest_parse(&ctx, (const char *)data + CHOICES, size - CHOICES, "fuzz", &nest) ==
        PLUSS_OK) {
        predict(&ctx, nest, data);
        plussi_nest_free(nest);
    }
    plussi_ctx_clear(&ctx);
    return 0;
}
