/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as the lines of TRACE.objects of eight runs, those of the next run after each line
 * `next`, from which the sizes are found that a folded nest holds for: no crash; one message says
 * why they are not found, or the nest with its conditions is printed, read back and bound at sizes
 * near to the runs' and far from them.
 */
#include <stdio.h>
#include <string.h>

#include "any_target.h"
#include "bound/bound.h"
#include "trace/fold_limits.h"

enum { RUNS = 8 };

static plussi_nest *parse(plussi_ctx *ctx, const char *text, size_t length)
{
    plussi_nest *nest = NULL;
    require(!plussi_nest_parse(ctx, text, length, NULL, &nest), "a nest is read");
    return nest;
}

static void bind(plussi_ctx *ctx, const plussi_nest *nest, int64_t n, int64_t m)
{
    const plussi_binding binding[] = {{"n", n}, {"m", m}};
    plussi_bound *bound = NULL;
    pluss_status status = plussi_bind(
        ctx, nest,
        &(plussi_bind_options){.team = 2, .line_bytes = 64, .binding = binding, .n_bindings = 2},
        &bound);
    require(!status == (bound != NULL), "a nest is bound or refused");
    plussi_bound_free(bound);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char folded[] = "pluss-nest 1\nsymbol n\nsymbol m\narray b8 a[]\nregion folded\n"
                                 "for i0 in 0..n {\n  write a[i0 + m]\n}\n";
    static const char *const symbol[] = {"n", "m"};
    static const int64_t value[2 * RUNS] = {9,  14, 12, 11, 10, 17, 15, 13,
                                            13, 9,  17, 16, 20, 19, 23, 25};
    static char trace[RUNS][PATH_ROOM];
    const char *path[RUNS];
    const uint8_t *from = data, *end = data + size;
    for (int run = 0; run < RUNS; run++) {
        static const char next[] = "\nnext\n";
        const uint8_t *at =
            from < end ? memmem(from, (size_t)(end - from), next, strlen(next)) : NULL;
        char name[16], objects[PATH_ROOM];
        snprintf(name, sizeof name, "%d.objects", run);
        put_file(name, from, (size_t)((at ? at + 1 : end) - from), objects);
        snprintf(trace[run], PATH_ROOM, "%.*s", (int)(strlen(objects) - strlen(".objects")),
                 objects);
        path[run] = trace[run];
        from = at ? at + strlen(next) : end;
    }
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *nest = parse(&ctx, folded, strlen(folded)), *again = NULL;
    plussi_fold_request request = {path, RUNS, symbol, 2, value, {0}};
    pluss_status status = plussi_fold_limit(&ctx, &request, size % 2 ? 16 : 0, nest);
    if (status) {
        require(ctx.n_diags > 0, "a refusal has a message");
    } else {
        char *text = NULL;
        size_t length = 0;
        require(!plussi_nest_print(&ctx, nest, &text, &length), "a nest is printed");
        again = parse(&ctx, text, length);
        bind(&ctx, again, 11, 12);
        bind(&ctx, again, 4000, 0);
        bind(&ctx, again, (int64_t)1 << 40, (int64_t)1 << 40);
        plussi_free(&ctx.mem, text);
    }
    plussi_nest_free(nest);
    plussi_nest_free(again);
    plussi_ctx_clear(&ctx);
    return 0;
}
