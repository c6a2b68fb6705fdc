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
    uint64_t above;        /* lines from this one on are those of arrays with addresses */
    plussi_linemap number; /* of each line that is followed, in the list, from 1 */
    size_t first;          /* of the list's lines, the first that is this nest's */
    plussi_line_list *list;
} lister;

/* Does the array have an address of the program's? */
static bool is_placed(const plussi_bound_array *array)
{
    return array->decl->base_kind == PLUSSI_BASE_ADDRESS;
}

static uint64_t first_line(const plussi_bound *bound, const plussi_bound_array *array)
{
    return (uint64_t)(array->base + array->room_lo) / bound->line_bytes;
}

/* The last one; of all copies, if it is private. */
static uint64_t last_line(const plussi_bound *bound, const plussi_bound_array *array)
{
    const int64_t copies = array->is_private ? (int64_t)bound->max_team - 1 : 0;
    return (uint64_t)(array->base + array->room_hi - 1 + copies * array->copy_bytes) /
           bound->line_bytes;
}

static uint64_t find_above(const plussi_bound *bound)
{
    uint64_t above = 0;
    for (uint32_t i = 0; i < bound->n_arrays; i++) {
        const plussi_bound_array *a = &bound->array[i];
        if (!a->over && !is_placed(a) && last_line(bound, a) >= above)
            above = last_line(bound, a) + 1;
    }
    return above;
}

/* Of a line below `above`. */
static bool is_own(const plussi_bound *bound, uint64_t line)
{
    for (uint32_t i = 0; i < bound->n_arrays; i++) {
        const plussi_bound_array *a = &bound->array[i];
        if (!a->over && is_placed(a) && line >= first_line(bound, a) && line <= last_line(bound, a))
            return false;
    }
    return true;
}

static inline uint64_t name_line(const lister *l, uint64_t line)
{
    return line >= l->above || !is_own(l->bound, line) ? line : OWN_LINE | l->own << OWN_AT | line;
}

static pluss_status add_line(lister *l, uint64_t line, uint64_t *number, uint64_t when)
{
    plussi_line_list *list = l->list;
    TRY(plussi_grow(&l->ctx->mem, &list->line, &list->cap, list->n, sizeof *list->line));
    list->line[list->n++] = (plussi_ordered_line){line, when};
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
            const uint64_t line = name_line(l, buffer[i].line);
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
                .above = find_above(bound),
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
