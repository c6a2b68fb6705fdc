/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as traces to be folded, after lines `next` those of more runs with other sizes, and,
 * after a line `objects`, as the objects of the first: no crash; a nest whose text is read back, or
 * one message says why not.
 */
#include <stdio.h>
#include <string.h>

#include "any_target.h"
#include "trace/fold.h"

enum { RUNS = 8 };

/* The end of what is in front of a line, or of everything; *rest: what is after it. */
static size_t cut(const uint8_t *data, size_t size, const char *line, size_t *rest)
{
    const uint8_t *at = size ? memmem(data, size, line, strlen(line)) : NULL;
    *rest = at ? (size_t)(at - data) + strlen(line) : size;
    return at ? (size_t)(at - data) + 1 : size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const symbol[] = {"n", "m"};
    static const int64_t value[2 * RUNS] = {9,  14, 12, 11, 10, 17, 15, 13,
                                            13, 9,  17, 16, 20, 19, 23, 25};
    char trace[RUNS][PATH_ROOM], objects[PATH_ROOM];
    const char *path[RUNS];
    size_t rest, n = 0;
    size_t end = cut(data, size, "\nobjects\n", &rest);
    put_file("0.objects", data + rest, size - rest, objects);
    for (size_t at = 0; n < RUNS && (n == 0 || at < end); n++, at += rest) {
        char name[8];
        snprintf(name, sizeof name, "%zu", n);
        put_file(name, data + at, cut(data + at, end - at, "\nnext\n", &rest), trace[n]);
        path[n] = trace[n];
    }
    plussi_ctx ctx;
    plussi_nest *nest = NULL, *again = NULL;
    plussi_ctx_init(&ctx, NULL);
    plussi_fold_request request = {path, n, symbol, n > 1 ? 2 : 0, value, {0}};
    pluss_status status = plussi_fold(&ctx, &request, &nest);
    if (status) {
        require(ctx.n_diags > 0, "a refusal has a message");
    } else {
        char *text = NULL;
        size_t length = 0;
        require(!plussi_nest_print(&ctx, nest, &text, &length), "a nest is printed");
        require(!plussi_nest_parse(&ctx, text, length, NULL, &again), "its text is read");
        plussi_free(&ctx.mem, text);
    }
    plussi_nest_free(nest);
    plussi_nest_free(again);
    plussi_ctx_clear(&ctx);
    return 0;
}
