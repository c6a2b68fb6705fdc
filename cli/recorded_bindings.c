/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recorded_bindings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct item {
    pluss_block_info info;
    size_t number;
    uint32_t line_bytes;
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

static int by_region(const pluss_block_info *a, const pluss_block_info *b)
{
    int d = strcmp(a->region, b->region);
    d = d ? d : strcmp(a->file, b->file);
    return d ? d : order(a->line, b->line);
}

static int by_binding(const item *x, const item *y)
{
    const pluss_block_info *a = &x->info, *b = &y->info;
    int d = by_region(a, b);
    d = d ? d : order(a->n_symbols, b->n_symbols);
    d = d ? d : order(a->n_arrays, b->n_arrays);
    for (size_t i = 0; !d && i < a->n_symbols; i++)
        d = order((uint64_t)a->symbols[i].value, (uint64_t)b->symbols[i].value);
    for (size_t i = 0; !d && i < a->n_arrays; i++)
        d = order(a->addresses[i] % x->line_bytes, b->addresses[i] % x->line_bytes);
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
    int d = by_region(&a->first->info, &b->first->info);
    d = d ? d : order(b->runs, a->runs);
    return d ? d : by_first(x, y);
}

/* How often it ran: a run may be in several blocks, of what it did and of what was simulated. */
static uint64_t runs_of(const item *first, size_t n)
{
    uint64_t real = 0, sampled = 0;
    for (size_t i = 0; i < n; i++)
        if (first[i].info.by != PLUSS_RECORDED_SAMPLE)
            real += first[i].info.runs;
        else if (first[i].info.runs > sampled)
            sampled = first[i].info.runs;
    return real > sampled ? real : sampled;
}

/* Marks what is reported of one region's groups, the most frequent first. */
static void choose(group *g, size_t n)
{
    uint64_t runs = 0, reported = 0;
    for (size_t i = 0; i < n; i++) {
        g[i].reported = i < CLI_BINDINGS;
        runs += g[i].runs;
        reported += g[i].reported ? g[i].runs : 0;
    }
    const pluss_block_info *info = &g[0].first->info;
    if (n > CLI_BINDINGS)
        fprintf(stderr,
                "pluss run: warning: %s (%s:%u) ran with %zu sets of values: of these the %d that "
                "ran most are reported, %llu of %llu runs\n",
                info->region, info->file, info->line, n, CLI_BINDINGS, (unsigned long long)reported,
                (unsigned long long)runs);
}

static size_t take_items(const cli_options *options, const pluss_record *record,
                         uint32_t line_bytes, item **out)
{
    size_t n = 0;
    item new = {.info.size = sizeof new.info, .line_bytes = line_bytes};
    for (; !pluss_record_get_block(record, new.number, &new.info); new.number++)
        if (cli_region_wanted(options, new.info.region)) {
            *out = cli_grow(*out, n, sizeof **out);
            (*out)[n++] = new;
        }
    return n;
}

cli_recorded_bindings cli_find_bindings(const cli_options *options, const pluss_record *record,
                                        uint32_t line_bytes)
{
    item *items = NULL;
    size_t n = take_items(options, record, line_bytes, &items), n_groups = 0;
    group *groups = cli_alloc(n, sizeof *groups);
    cli_recorded_bindings found = {.binding = cli_alloc(n, sizeof *found.binding),
                                   .block = cli_alloc(n, sizeof *found.block)};
    if (n)
        qsort(items, n, sizeof *items, by_binding_and_number);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i; next < n && by_binding(&items[i], &items[next]) == 0; next++)
            found.block[next] = items[next].number;
        groups[n_groups++] = (group){&items[i], next - i, i, runs_of(&items[i], next - i), false};
    }
    if (n_groups)
        qsort(groups, n_groups, sizeof *groups, by_region_and_runs);
    for (size_t i = 0, next; i < n_groups; i = next) {
        for (next = i;
             next < n_groups && by_region(&groups[i].first->info, &groups[next].first->info) == 0;
             next++) {
        }
        choose(&groups[i], next - i);
    }
    if (n_groups)
        qsort(groups, n_groups, sizeof *groups, by_first);
    for (size_t i = 0; i < n_groups; i++)
        if (groups[i].reported)
            found.binding[found.n++] =
                (cli_recorded_binding){found.block + groups[i].at, groups[i].n};
    free(groups);
    free(items);
    return found;
}

void cli_free_bindings(cli_recorded_bindings *bindings)
{
    free(bindings->binding);
    free(bindings->block);
    *bindings = (cli_recorded_bindings){0};
}
