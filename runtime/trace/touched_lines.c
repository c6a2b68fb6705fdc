/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/touched_lines.h"

#include "base/line_sample.h"
#include "base/linemap.h"
#include "trace/record_try.h"

enum {
    BATCH = 4096,
    OWN_AT = 36 /* bit of a line's number from which on `own` is; above all that is placed */
};
#define OWN_LINE (UINT64_C(1) << 57)

typedef struct lister {
    plussi_ctx *ctx;
    const plussi_bound *bound;
    uint64_t threshold, own;
    plussi_linemap number; /* of each line that is followed, in the list, from 1 */
    size_t first;          /* of the list's lines, the first that is this nest's */
    plussi_line_list *list;
} lister;

/* Is the line one of an array that has an address of the program's? */
static bool is_placed(const plussi_bound *bound, uint64_t line)
{
    for (uint32_t i = 0; i < bound->n_arrays; i++) {
        const plussi_bound_array *a = &bound->array[i];
        if (a->over || a->decl->base_kind != PLUSSI_BASE_ADDRESS)
            continue;
        const uint64_t lo = (uint64_t)(a->base + a->room_lo) / bound->line_bytes;
        const uint64_t hi = (uint64_t)(a->base + a->room_hi - 1) / bound->line_bytes;
        if (line >= lo && line <= hi)
            return true;
    }
    return false;
}

static pluss_status add_line(lister *l, uint64_t line, uint64_t *number, uint64_t when)
{
    plussi_line_list *list = l->list;
    TRY(plussi_grow(&l->ctx->mem, &list->line, &list->cap, list->n, sizeof *list->line));
    const uint64_t name = is_placed(l->bound, line) ? line : OWN_LINE | l->own << OWN_AT | line;
    list->line[list->n++] = (plussi_ordered_line){name, when};
    *number = list->n - l->first;
    return PLUSS_OK;
}

static pluss_status list_all(lister *l, plussi_trace *trace)
{
    plussi_access buffer[BATCH];
    uint64_t when = 0;
    for (;;) {
        size_t n = 0;
        TRY(plussi_trace_next(trace, buffer, BATCH, &n));
        if (!n)
            return PLUSS_OK;
        for (size_t i = 0; i < n; i++, when++) {
            const uint64_t line = buffer[i].line;
            if (plussi_line_hash(line) > l->threshold)
                continue;
            uint64_t *number = plussi_linemap_at(&l->number, line);
            if (!number)
                return PLUSS_ENOMEM;
            if (*number)
                l->list->line[l->first + *number - 1].last = when;
            else
                TRY(add_line(l, line, number, when));
        }
    }
}

pluss_status plussi_list_touched_lines(plussi_ctx *ctx, const plussi_bound *bound, uint32_t own,
                                       unsigned shift, plussi_effort *effort,
                                       plussi_line_list *list)
{
    const plussi_progress in_step = {.law = PLUSSI_PROGRESS_ROUND_ROBIN};
    plussi_walk *walk = NULL;
    plussi_merge *merge = NULL;
    lister l = {.ctx = ctx,
                .bound = bound,
                .threshold = plussi_line_threshold(shift),
                .own = own,
                .first = list->n,
                .list = list};
    TRY(plussi_walk_new_bounded(ctx, bound, 0, effort, &walk));
    pluss_status status = plussi_merge_new(ctx, walk, &in_step, 0, &merge);
    plussi_linemap_init(&l.number, &ctx->mem);
    if (!status)
        status = list_all(&l, plussi_merge_trace(merge));
    plussi_linemap_free(&l.number);
    plussi_merge_free(merge);
    plussi_walk_free(walk);
    if (status)
        list->n = l.first;
    return status;
}
