/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * exactcheck FILE SYMBOL=VALUE...
 *
 * The closed-form sampler on a description against an exhaustive walk of it, access by access
 * (tests/oracle/sampler_check.h): teams of 1, 2, 3, 4, 7, 16 and 64; static, static,1, static,3 and
 * static,8. Prints how much was compared. Exit status 1: they differ; 2: usage; 3: the library
 * refuses.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../oracle/sampler_check.h"
#include "object/object.h"

enum { MAX_SYMBOLS = 32 };

static plussi_ctx ctx;

static void must(pluss_status status, const char *what)
{
    if (status == PLUSS_OK)
        return;
    for (size_t i = 0; i < ctx.n_diags; i++)
        fprintf(stderr, "%s:%u: %s\n", ctx.diags[i].file ? ctx.diags[i].file : "-",
                ctx.diags[i].line, ctx.diags[i].text);
    fprintf(stderr, "exactcheck: %s: %s\n", what, plussi_status_text(status));
    exit(3);
}

int main(int argc, char **argv)
{
    static const uint32_t team[] = {1, 2, 3, 4, 7, 16, 64};
    static const int64_t chunk[] = {0, 1, 3, 8};
    static plussi_binding binding[MAX_SYMBOLS];
    if (argc < 2 || argc - 2 > MAX_SYMBOLS) {
        fprintf(stderr, "usage: exactcheck FILE SYMBOL=VALUE...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (!equals) {
            fprintf(stderr, "exactcheck: %s is not SYMBOL=VALUE\n", argv[i]);
            return 2;
        }
        *equals = '\0';
        binding[i - 2] = (plussi_binding){argv[i], strtoll(equals + 1, NULL, 10)};
    }
    plussi_ctx_init(&ctx, NULL);
    plussi_texts texts;
    must(plussi_object_read(&ctx, argv[1], &texts), argv[1]);
    if (texts.n != 1) {
        fprintf(stderr, "exactcheck: %s holds more or less than one description\n", argv[1]);
        return 2;
    }
    plussi_nest *nest;
    must(plussi_nest_parse(&ctx, texts.text[0].text, texts.text[0].length, argv[1], &nest),
         "parse");
    uint64_t accesses = 0, mismatches = 0;
    for (size_t t = 0; t < sizeof team / sizeof *team; t++)
        for (size_t k = 0; k < sizeof chunk / sizeof *chunk; k++) {
            plussi_bind_options options = {.team = team[t],
                                           .line_bytes = 64,
                                           .binding = binding,
                                           .n_bindings = (size_t)argc - 2,
                                           .schedule = PLUSSI_SCHED_STATIC,
                                           .chunk = chunk[k],
                                           .force_schedule = true};
            plussi_bound *bound;
            sampler_report report;
            must(plussi_bind(&ctx, nest, &options, &bound), "bind");
            must(sampler_check(&ctx, bound, &report), "check");
            plussi_bound_free(bound);
            accesses += report.accesses;
            mismatches += report.mismatches;
            if (report.mismatches)
                printf("T = %" PRIu32 ", chunk %" PRId64 ": %s\n", team[t], chunk[k], report.first);
        }
    printf("%" PRIu64 " accesses, %" PRIu64 " mismatches\n", accesses, mismatches);
    plussi_nest_free(nest);
    plussi_texts_free(&texts);
    plussi_ctx_clear(&ctx);
    return mismatches > 0;
}
