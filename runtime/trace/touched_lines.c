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
    plussi_line_names names;
    plussi_listing *listing;
    uint64_t threshold;
    listed *table; /* base/map.h */
    size_t n_slots;
    plussi_line_part *part; /* all of them, */
    size_t n_parts, at;     /* and the one that the walk is in */
    plussi_line_list *list;
} lister;

/* Does the array have an address of the program's? */
static bool is_placed(const plussi_bound_array *array)
{
    return array->decl->base_kind == PLUSSI_BASE_ADDRESS;
}

uint64_t plussi_array_first_line(const plussi_bound *bound, const plussi_bound_array *array)
{
    return (uint64_t)(array->base + array->room_lo) / bound->line_bytes;
}

uint64_t plussi_array_last_line(const plussi_bound *bound, const plussi_bound_array *array)
{
    const int64_t copies = array->is_private ? (int64_t)bound->max_team - 1 : 0;
    return (uint64_t)(array->base + array->room_hi - 1 + copies * array->copy_bytes) /
           bound->line_bytes;
}

plussi_line_names plussi_line_names_of(const plussi_bound *bound, uint32_t own)
{
    plussi_line_names names = {.bound = bound, .own = own};
    for (uint32_t i = 0; i < bound->n_arrays; i++) {
        const plussi_bound_array *a = &bound->array[i];
        if (!a->over && !is_placed(a) && plussi_array_last_line(bound, a) >= names.above)
            names.above = plussi_array_last_line(bound, a) + 1;
    }
    return names;
}

/* Of a line below `above`. */
static bool is_own(const plussi_bound *bound, uint64_t line)
{
    for (uint32_t i = 0; i < bound->n_arrays; i++) {
        const plussi_bound_array *a = &bound->array[i];
        if (!a->over && is_placed(a) && line >= plussi_array_first_line(bound, a) &&
            line <= plussi_array_last_line(bound, a))
            return false;
    }
    return true;
}

uint64_t plussi_name_line(const plussi_line_names *names, uint64_t line)
{
    return line >= names->above || !is_own(names->bound, line)
               ? line
               : OWN_LINE | names->own << OWN_AT | line;
}

/* Leaves half of the lines, by their hashes. */
static void thin(lister *l)
{
    plussi_line_list *list = l->list;
    size_t kept = l->part[0].first;
    l->threshold = plussi_line_threshold(++l->listing->shift);
    for (size_t k = 0; k <= l->at; k++) {
        plussi_line_part *p = &l->part[k];
        p->n = plussi_thin_lines(list->line + kept, list->line + p->first, p->n, l->threshold);
        p->first = kept;
        kept += p->n;
    }
    list->n = kept;
    memset(l->table, 0, l->n_slots * sizeof *l->table);
    const plussi_line_part *now = &l->part[l->at];
    for (size_t i = 0; i < now->n; i++) {
        const uint64_t line = list->line[now->first + i].line;
        *lines_find(l->table, l->n_slots, line, line) = (listed){line, i + 1};
    }
}

/* Goes to the part in which that many parallel constructs have begun. */
static void enter_part(lister *l, uint64_t teams)
{
    const size_t before = l->at;
    while (l->at + 1 < l->n_parts && teams > l->part[l->at].teams) {
        l->part[++l->at].first = l->list->n;
        l->part[l->at].n = 0;
    }
    if (l->at > before && l->n_slots)
        memset(l->table, 0, l->n_slots * sizeof *l->table);
}

static pluss_status touch(lister *l, uint64_t line, uint64_t when)
{
    plussi_line_list *list = l->list;
    plussi_line_part *part = &l->part[l->at];
    if (!lines_reserve(&l->ctx->mem, &l->table, &l->n_slots, FIRST_SLOTS, part->n + 1))
        return PLUSS_ENOMEM;
    listed *at = lines_find(l->table, l->n_slots, line, line);
    if (at->number) {
        list->line[part->first + at->number - 1].last = when;
        return PLUSS_OK;
    }
    TRY(plussi_grow(&l->ctx->mem, &list->line, &list->cap, list->n, sizeof *list->line));
    list->line[list->n++] = (plussi_ordered_line){line, when};
    *at = (listed){line, ++part->n};
    while (list->n - l->part[0].first > l->listing->most &&
           l->listing->shift < PLUSSI_LEAST_RATE_BITS)
        thin(l);
    return PLUSS_OK;
}

static pluss_status list_all(lister *l, const plussi_walk *walk, plussi_trace *trace)
{
    plussi_access buffer[BATCH];
    uint64_t when = 0, asked = 0;
    for (;;) {
        size_t n = 0;
        TRY(plussi_trace_next(trace, buffer, BATCH, &n));
        enter_part(l, n ? plussi_walk_instance(walk) : UINT64_MAX); /* all n are of one phase */
        if (!n) {
            l->part[l->n_parts - 1].teams = plussi_walk_instance(walk);
            return PLUSS_OK;
        }
        if (!plussi_effort_pay(l->listing->effort, STEPS * n))
            return plussi_walk_refuse(l->ctx);
        for (size_t i = 0; i < n; i++, when++) {
            const uint64_t line = plussi_name_line(&l->names, buffer[i].line);
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
    plussi_line_part whole;
    lister l = {.ctx = ctx,
                .names = plussi_line_names_of(bound, listing->own),
                .listing = listing,
                .threshold = plussi_line_threshold(listing->shift),
                .part = listing->part ? listing->part : &whole,
                .n_parts = listing->part ? listing->n_parts : 1,
                .list = list};
    const size_t before = list->n;
    l.part[0].first = before;
    l.part[0].n = 0;
    TRY(plussi_walk_new_bounded(ctx, bound, 0, listing->effort, &walk));
    pluss_status status = plussi_merge_new(ctx, walk, &in_step, 0, &merge);
    if (!status)
        status = list_all(&l, walk, plussi_merge_trace(merge));
    plussi_free(&ctx->mem, l.table);
    plussi_merge_free(merge);
    plussi_walk_free(walk);
    if (status)
        list->n = before;
    return status;
}
