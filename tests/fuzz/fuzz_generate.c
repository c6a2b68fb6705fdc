/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as the words of `pluss generate`: what they ask for is in its ranges, and a small one
 * of the kind is generated, and read back whole; or one message says what is wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/byte_sink.h"
#include "any_target.h"
#include "trace/generate.h"

enum { ACCESSES = 50, LINES = 500, BATCH = 512 };

static void check_ranges(const plussi_generation *g)
{
    require(g->threads >= 1 && g->threads <= PLUSSI_GENERATED_THREADS, "there are threads");
    for (uint32_t t = 0; t < g->threads; t++)
        require(g->lines[t] >= 1 && g->lines[t] <= PLUSSI_GENERATED_LINES, "threads have lines");
    require(g->shared >= 0 && g->shared <= 1, "a share is one");
    require(g->uniform || g->exponential || g->normal, "distances have a distribution");
    require(g->accesses >= 1, "there are accesses");
}

/* An access of each thread in turn, as many as there should be. */
static void read_back(plussi_ctx *ctx, const plussi_generation *g, const bytes *packed)
{
    plussi_foreign *trace = NULL;
    plussi_event event[BATCH];
    uint64_t all = 0;
    FILE *in = fmemopen(packed->at, packed->n, "rb");
    require(in && !plussi_foreign_open_stream(ctx, in, "generated", false, &trace), "it opens");
    for (size_t n = 1; n; all += n) {
        require(!plussi_foreign_next(trace, event, BATCH, &n), "what is generated can be read");
        for (size_t i = 0; i < n; i++)
            require(event[i].kind == PLUSSI_EVENT_READ && event[i].bytes == 8 &&
                        event[i].thread == (all + i) % g->threads,
                    "threads read in turn");
    }
    require(all == g->threads * g->accesses, "no access is lost");
    plussi_foreign_close(trace);
    fclose(in);
}

static void generate(plussi_ctx *ctx, plussi_generation *g)
{
    bytes packed = {0};
    g->accesses = g->accesses < ACCESSES ? g->accesses : ACCESSES;
    for (uint32_t t = 0; t < g->threads; t++)
        g->lines[t] = g->lines[t] < LINES ? g->lines[t] : LINES;
    const plussi_ask nobody = {0};
    require(!plussi_generate_trace(ctx, g, &nobody, add_bytes, &packed), "it is generated");
    read_back(ctx, g, &packed);
    free(packed.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    plussi_ctx ctx;
    plussi_generation g;
    char *text = strndup((const char *)data, size);
    require(text != NULL, "memory");
    plussi_ctx_init(&ctx, NULL);
    pluss_status status = plussi_generation_parse(&ctx, text, &g);
    require(status == PLUSS_OK || status == PLUSS_EINVAL, "bad words are bad arguments");
    require(ctx.n_diags == (status ? 1u : 0u), "one error says why");
    if (!status) {
        check_ranges(&g);
        generate(&ctx, &g);
    }
    plussi_ctx_clear(&ctx);
    free(text);
    return 0;
}
