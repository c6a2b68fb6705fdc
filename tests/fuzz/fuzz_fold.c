/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a trace to be folded, and, after a line `objects`, as its objects: no crash; a nest
 * whose text is read back, or one message says why not.
 */
#include <string.h>

#include "any_target.h"
#include "trace/fold.h"

static const char mark[] = "\nobjects\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char trace[PATH_ROOM], objects[PATH_ROOM];
    const uint8_t *end = size ? memmem(data, size, mark, sizeof mark - 1) : NULL;
    size_t first = end ? (size_t)(end - data) + 1 : size;
    size_t rest = end ? first + sizeof mark - 2 : size;
    put_file("trace", data, first, trace);
    put_file("trace.objects", data + rest, size - rest, objects);
    plussi_ctx ctx;
    plussi_nest *nest = NULL, *again = NULL;
    plussi_ctx_init(&ctx, NULL);
    const char *path = trace;
    pluss_status status =
        plussi_fold(&ctx, &(plussi_fold_request){.trace = &path, .n_traces = 1}, &nest);
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
