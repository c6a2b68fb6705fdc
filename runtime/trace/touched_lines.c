/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/touched_lines.h"

#include <string.h>

#include "base/line_sample.h"
#include "base/map.h"
#include "trace/record_try.h"

enum {
    BATCH = 4096,
    ASKED_AFTER = 1 << 20, /* accesses */
    STEPS = 8,             /* an access */
    FIRST_SLOTS = 64,
    OWN_AT = 36 /* bit of a line's number from which on `own` is; above all that is placed */
};
#define OWN_LINE (UINT64_C(1) << 57)

/* A line and its number in the list, from 1. */
typedef struct listed {
    uint64_t line, number;
} listed;

PLUSSI_NUMBER_MAP(lines, listed, line, number)

typedef struct lister {
    plussi_ctx *ctx;
    const plussi_bound *bound;
    plussi_listing *listing;
    uint64_t threshold;
    uint64_t above; /* lines from this one on are those of arrays with addresses */
    listed *table;  /* base/map.h */
    size_t n_slots;
    size_t first; /* of the list's lines, the first that is this nest's */
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
    return line >= l->above || !is_own(l->bound, line)
               ? line
               : OWN_LINE | (uint64_t)l->listing->own << OWN_AT | line;
}

/* Leaves half of the lines, by their hashes. */
static void thin(lister *l)
{
    plussi_line_list *list = l->list;
    size_t kept = l->first;
    l->threshold = plussi_line_threshold(++l->listing->shift);
    memset(l->table, 0, l->n_slots * sizeof *l->table);
    for (size_t i = l->first; i < list->n; i++) {
        const plussi_ordered_line line = list->line[i];
        if (plussi_line_hash(line.line) > l->threshold)
            continue;
        list->line[kept++] = line;
        *lines_find(l->table, l->n_slots, line.line, line.line) =
            (listed){line.line, kept - l->first};
    }
    list->n = kept;
}

static pluss_status touch(lister *l, uint64_t line, uint64_t when)
{
    plussi_line_list *list = l->list;
    if (!lines_reserve(&l->ctx->mem, &l->table, &l->n_slots, FIRST_SLOTS, list->n - l->first + 1))
        return PLUSS_ENOMEM;
    listed *at = lines_find(l->table, l->n_slots, line, line);
    if (at->number) {
        list->line[l->first + at->number - 1].last = when;
        return PLUSS_OK;
    }
    TRY(plussi_grow(&l->ctx->mem, &list->line, &list->cap, list->n, sizeof *list->line));
    list->line[list->n++] = (plussi_ordered_line){line, when};
    *at = (listed){line, list->n - l->first};
    while (list->n - l->first > l->listing->most && l->listing->shift < PLUSSI_LEAST_RATE_BITS)
        thin(l);
    return PLUSS_OK;
}

static pluss_status list_all(lister *l, plussi_trace *trace)
{
    plussi_access buffer[BATCH];
    uint64_t when = 0, asked = 0;
    for (;;) {
        size_t n = 0;
        TRY(plussi_trace_next(trace, buffer, BATCH, &n));
        if (!n)
            return PLUSS_OK;
        if (!plussi_effort_pay(l->listing->effort, STEPS * n))
            return plussi_walk_refuse(l->ctx);
        for (size_t i = 0; i < n; i++, when++) {
            const uint64_t line = name_line(l, buffer[i].line);
            if (plussi_line_hash(line) <= l->threshold)
                TRY(touch(l, line, when));
        }
        if (when - asked >= ASKED_AFTER) {
            asked = when;
            TRY(plussi_ask_whether(&l->listing->ask, l->listing->stage, -1, when));
        }
    }
}

pluss_status plussi_list_touched_lines(plussi_ctx *ctx, const plussi_bound *bound,
                                       plussi_listing *listing, plussi_line_list *list)
{
    const plussi_progress in_step = {.law = PLUSSI_PROGRESS_ROUND_ROBIN};
    plussi_walk *walk = NULL;
    plussi_merge *merge = NULL;
    lister l = {.ctx = ctx,
                .bound = bound,
                .listing = listing,
                .threshold = plussi_line_threshold(listing->shift),
                .above = find_above(bound),
                .first = list->n,
                .list = list};
    TRY(plussi_walk_new_bounded(ctx, bound, 0, listing->effort, &walk));
    pluss_status status = plussi_merge_new(ctx, walk, &in_step, 0, &merge);
    if (!status)
        status = list_all(&l, plussi_merge_trace(merge));
    plussi_free(&ctx->mem, l.table);
    plussi_merge_free(merge);
    plussi_walk_free(walk);
    if (status)
        list->n = l.first;
    return status;
}
