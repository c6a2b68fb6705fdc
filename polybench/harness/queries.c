/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * queries: how many questions a second the closed-form sampler answers on one core, on gemm with
 * 1024 x 1024 matrices and 4 threads, for accesses drawn at random: the previous touch of the line,
 * the position in the phase, the access at a position. Uses the library from inside.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "harness.h"
#include "sampler/engine.h"

enum { SPOTS = 4096, ROUNDS = 200, BEST_OF = 5 };

static const char text[] =
    "pluss-nest 1\nregion gemm\narray f64 A[1024][1024], B[1024][1024], C[1024][1024]\n"
    "parallel for i in 0..1024 { for j in 0..1024 { read C[i][j] write C[i][j] }"
    " for k in 0..1024 { for j in 0..1024 {"
    " read A[i][k] read B[k][j] read C[i][j] write C[i][j] } } }";

typedef struct sample {
    plussi_cursor cursor;
    uint64_t line, phase, pos;
} sample;

static void previous(plussi_workspace *workspace, const sample *x)
{
    plussi_cursor found;
    (void)plussi_engine_prev(workspace, &x->cursor, x->line, NULL, &found);
}

static void rank(plussi_workspace *workspace, const sample *x)
{
    uint64_t phase, pos;
    plussi_engine_locate(workspace, &x->cursor, &phase, &pos);
}

static void unrank(plussi_workspace *workspace, const sample *x)
{
    plussi_cursor cursor;
    plussi_engine_unrank(workspace, (uint32_t)x->cursor.iv[0], x->phase, x->pos, &cursor);
}

static double millions_a_second(void (*ask)(plussi_workspace *workspace, const sample *x),
                                plussi_workspace *workspace, const sample *s)
{
    double best = 0;
    for (int run = 0; run < BEST_OF; run++) {
        double start = harness_processor_seconds();
        for (int round = 0; round < ROUNDS; round++)
            for (int i = 0; i < SPOTS; i++)
                ask(workspace, &s[i]);
        double rate = 1e-6 * ROUNDS * SPOTS / (harness_processor_seconds() - start);
        best = rate > best ? rate : best;
    }
    return best;
}

static void must(pluss_status status)
{
    if (status != PLUSS_OK)
        harness_die("error: status %d", (int)status);
}

int main(void)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *nest;
    plussi_bound *bound;
    plussi_engine *engine;
    plussi_workspace *workspace;
    must(plussi_nest_parse(&ctx, text, strlen(text), "gemm", &nest));
    plussi_bind_options options = {.team = 4, .line_bytes = 64};
    must(plussi_bind(&ctx, nest, &options, &bound));
    must(plussi_engine_new(&ctx, bound, NULL, &engine));
    must(plussi_workspace_new(&ctx, engine, &workspace));
    sample *s = calloc(SPOTS, sizeof *s);
    if (!s)
        harness_die("out of memory");
    plussi_rng rng;
    plussi_rng_seed(&rng, 1, 0);
    for (int i = 0; i < SPOTS; i++) {
        uint64_t number = plussi_rng_below(&rng, plussi_engine_accesses(engine));
        plussi_engine_nth(workspace, number, &s[i].cursor);
        s[i].line = plussi_engine_line(workspace, &s[i].cursor);
        plussi_engine_locate(workspace, &s[i].cursor, &s[i].phase, &s[i].pos);
    }
    printf("# gemm, N = 1024, T = 4, one core's time, best of %d: millions of queries a second\n",
           BEST_OF);
    printf("previous touch %.1f\n", millions_a_second(previous, workspace, s));
    printf("rank           %.1f\n", millions_a_second(rank, workspace, s));
    printf("unrank         %.1f\n", millions_a_second(unrank, workspace, s));
    free(s);
    plussi_workspace_free(workspace);
    plussi_engine_free(engine);
    plussi_bound_free(bound);
    plussi_nest_free(nest);
    plussi_ctx_clear(&ctx);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
