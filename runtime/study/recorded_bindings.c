/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/recorded_bindings.h"

#include <stdlib.h>
#include <string.h>

typedef struct item {
    const plussi_record_block *block;
    size_t number;
} item;

/* Blocks in a row of the sorted ones. */
typedef struct group {
    const item *first;
    size_t n, at; /* at: where its block numbers begin */
    uint64_t runs;
    bool reported;
} group;

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_region(const plussi_record_block *a, const plussi_record_block *b)
{
    int d = strcmp(a->region, b->region);
    d = d ? d : strcmp(a->file, b->file);
    return d ? d : order(a->line, b->line);
}

static int by_binding(const item *x, const item *y)
{
    const plussi_record_block *a = x->block, *b = y->block;
    int d = by_region(a, b);
    d = d ? d : order(a->n_symbols, b->n_symbols);
    d = d ? d : order(a->n_arrays, b->n_arrays);
    for (size_t i = 0; !d && i < a->n_symbols; i++)
        d = order((uint64_t)a->symbol[i].value, (uint64_t)b->symbol[i].value);
    for (size_t i = 0; !d && i < a->n_arrays; i++)
        d = order(a->address[i] % a->line_bytes, b->address[i] % b->line_bytes);
    return d;
}

static int by_binding_and_number(const void *x, const void *y)
{
    const item *a = x, *b = y;
    int d = by_binding(a, b);
    return d ? d : order(a->number, b->number);
}

static int by_first(const void *x, const void *y)
{
    const group *a = x, *b = y;
    return order(a->first->number, b->first->number);
}

/* Regions together, the most frequent before. */
static int by_region_and_runs(const void *x, const void *y)
{
    const group *a = x, *b = y;
    int d = by_region(a->first->block, b->first->block);
    d = d ? d : order(b->runs, a->runs);
    return d ? d : by_first(x, y);
}

/* How often it ran: a run may be in several blocks, of what it did and of what was simulated. */
static uint64_t runs_of(const item *first, size_t n)
{
    uint64_t real = 0, sampled = 0;
    for (size_t i = 0; i < n; i++)
        if (first[i].block->by != PLUSSI_RECORDED_SAMPLE)
            real += first[i].block->runs;
        else if (first[i].block->runs > sampled)
            sampled = first[i].block->runs;
    return real > sampled ? real : sampled;
}

/* Marks what is reported of one region's groups, the most frequent first. */
static void choose(plussi_ctx *ctx, group *g, size_t n)
{
    uint64_t runs = 0, reported = 0;
    for (size_t i = 0; i < n; i++) {
        g[i].reported = i < PLUSSI_BINDINGS;
        runs += g[i].runs;
        reported += g[i].reported ? g[i].runs : 0;
    }
    const plussi_record_block *b = g[0].first->block;
    if (n > PLUSSI_BINDINGS)
        plussi_report(ctx, PLUSSI_WARNING, PLUSS_ELIMIT, &(plussi_loc){b->file, b->line, 0},
                      "%s ran with %zu sets of values: of these the %d that ran most are reported, "
                      "%llu of %llu runs",
                      b->region, n, PLUSSI_BINDINGS, (unsigned long long)reported,
                      (unsigned long long)runs);
}

bool plussi_wants_region(const plussi_request *request, const char *region)
{
    for (size_t i = 0; i < request->n_regions; i++)
        if (strcmp(request->region[i], region) == 0)
            return true;
    return request->n_regions == 0;
}

static size_t take_items(const plussi_request *request, const plussi_record *record, item *out)
{
    size_t n = 0;
    for (size_t i = 0; i < record->n_blocks; i++)
        if (plussi_wants_region(request, record->block[i].region))
            out[n++] = (item){&record->block[i], i};
    return n;
}

/* groups: room for as many as there are items. */
static void group_items(plussi_ctx *ctx, item *items, size_t n, group *groups,
                        plussi_recorded_bindings *out)
{
    size_t n_groups = 0;
    if (n)
        qsort(items, n, sizeof *items, by_binding_and_number);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i; next < n && by_binding(&items[i], &items[next]) == 0; next++)
            out->block[next] = items[next].number;
        groups[n_groups++] = (group){&items[i], next - i, i, runs_of(&items[i], next - i), false};
    }
    if (n_groups)
        qsort(groups, n_groups, sizeof *groups, by_region_and_runs);
    for (size_t i = 0, next; i < n_groups; i = next) {
        for (next = i;
             next < n_groups && by_region(groups[i].first->block, groups[next].first->block) == 0;
             next++) {
        }
        choose(ctx, &groups[i], next - i);
    }
    if (n_groups)
        qsort(groups, n_groups, sizeof *groups, by_first);
    for (size_t i = 0; i < n_groups; i++)
        if (groups[i].reported)
            out->binding[out->n++] =
                (plussi_recorded_binding){out->block + groups[i].at, groups[i].n, groups[i].runs};
}

pluss_status plussi_find_bindings(plussi_ctx *ctx, const plussi_request *request,
                                  const plussi_record *record, plussi_recorded_bindings *out)
{
    const size_t room = record->n_blocks + 1;
    item *items = plussi_alloc(&ctx->mem, room, sizeof *items);
    group *groups = plussi_alloc(&ctx->mem, room, sizeof *groups);
    *out =
        (plussi_recorded_bindings){.binding = plussi_alloc(&ctx->mem, room, sizeof *out->binding),
                                   .block = plussi_alloc(&ctx->mem, room, sizeof *out->block)};
    bool good = items && groups && out->binding && out->block;
    if (good)
        group_items(ctx, items, take_items(request, record, items), groups, out);
    plussi_free(&ctx->mem, groups);
    plussi_free(&ctx->mem, items);
    if (!good)
        plussi_free_bindings(&ctx->mem, out);
    return good ? PLUSS_OK : PLUSS_ENOMEM;
}

void plussi_free_bindings(const plussi_mem *mem, plussi_recorded_bindings *bindings)
{
    plussi_free(mem, bindings->binding);
    plussi_free(mem, bindings->block);
    *bindings = (plussi_recorded_bindings){0};
}

static bool is_better(const plussi_record_block *a, const plussi_record_block *b, uint32_t team,
                      bool replay)
{
    bool has_a = replay ? a->n_chunks > 0 : plussi_record_has_intervals(a);
    bool has_b = replay ? b->n_chunks > 0 : plussi_record_has_intervals(b);
    bool team_a = a->default_team == team, team_b = b->default_team == team;
    if (replay && team_a != team_b)
        return team_a;
    if (has_a != has_b)
        return has_a;
    if (team_a != team_b || a->default_team != b->default_team)
        return team_a || (!team_b && a->default_team > b->default_team);
    /* without accesses, which a sampler tells and values do not */
    return a->by == PLUSSI_RECORDED_SAMPLE && b->by != PLUSSI_RECORDED_SAMPLE;
}

size_t plussi_choose_block(const plussi_request *request, const plussi_record *record,
                           const plussi_recorded_binding *binding, uint32_t team)
{
    size_t best = binding->block[0];
    for (size_t i = 1; i < binding->n; i++)
        if (is_better(&record->block[binding->block[i]], &record->block[best], team,
                      request->as_recorded))
            best = binding->block[i];
    return best;
}
