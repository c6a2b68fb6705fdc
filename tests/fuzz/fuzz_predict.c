/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From any nest to its prediction, with an effort that is soon spent: a curve whose miss ratios are
 * ratios, or a message. The first bytes choose the team and the symbols' values, the rest is the
 * nest's text.
 */
#include "nest_target.h"
#include "study/pipeline.h"

enum { CHOICES = 4, EFFORT = 1000000 };

static int64_t number(const uint8_t *choice, uint32_t symbol)
{
    uint8_t mine = choice[1 + symbol % 2];
    return mine < 200 ? mine % 50 : choice[3] << 22;
}

static void predict(fuzz_nest *f)
{
    uint32_t team = 1 + f->choice[0] % 16;
    plussi_request request = {.team = &team,
                              .n_teams = 1,
                              .binding = f->binding,
                              .n_bindings = f->n_bindings,
                              .line_bytes = 64,
                              .effort = EFFORT};
    plussi_result result;
    plussi_result_init(&result, &f->ctx.mem);
    if (plussi_pipeline_predict(&f->ctx, f->nest, &request, &result) == PLUSS_OK) {
        require(result.n == 1, "one curve for one team");
        for (double lines = 1; lines < 1e9; lines *= 3) {
            double miss = plussi_mrc_at(&result.curve[0].mrc, lines);
            require(miss >= 0 && miss <= 1, "a miss ratio is a ratio");
        }
    } else {
        require(f->ctx.n_diags > 0, "no fault without a message");
    }
    plussi_result_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    with_nest(data, size, CHOICES, number, predict);
    return 0;
}
