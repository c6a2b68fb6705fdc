/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold_refusal.h"

#include <inttypes.h>
#include <stdio.h>

#include "trace/fold_nest.h"

enum { TEXT = 256 };

pluss_status plussi_fold_refuse(plussi_ctx *ctx, const plussi_fold_run *run, const char *path)
{
    const plussi_fold_tag *worst = NULL;
    uint64_t strange = 0;
    for (size_t i = 0; i < run->n_tags; i++) {
        strange += run->tag[i].strange;
        if (run->tag[i].bytes && (!worst || run->tag[i].strange > worst->strange))
            worst = &run->tag[i];
    }
    plussi_loc loc = {.file = path};
    if (!worst)
        return plussi_fail(ctx, PLUSS_EUNSUPPORTED, &loc, "there are no accesses");
    const char *name = run->object[worst->object].name;
    return plussi_fail(ctx, PLUSS_EUNSUPPORTED, &loc,
                       "does not fold into loops: %.1f %% of %" PRIu64
                       " accesses have irregular addresses, most of them (%.1f %% of its %" PRIu64
                       ") at site 0x%" PRIx64 "%s%s",
                       100.0 * (double)strange / (double)run->accesses, run->accesses,
                       100.0 * (double)worst->strange / (double)worst->accesses, worst->accesses,
                       worst->site, name ? " in " : "", name ? name : "");
}

/* ---- runs that differ in shape ------------------------------------------------------------------
 */

typedef struct difference {
    size_t a, b;   /* runs */
    uint32_t node; /* before which they agree */
    bool is_found;
} difference;

/* Two runs differ if one has a node that the other has not, or has another. */
static bool differ_at(const plussi_fold_run *a, const plussi_fold_run *b, uint32_t node)
{
    return node < a->tree->n || node < b->tree->n;
}

static difference find_difference(const plussi_fold_run *run, size_t n_runs)
{
    difference found = {.is_found = false};
    for (size_t a = 0; a < n_runs; a++)
        for (size_t b = a + 1; b < n_runs; b++) {
            if (!run[a].tree || !run[b].tree)
                continue;
            uint32_t node = plussi_fold_runs_agree(&run[a], &run[b]);
            if (differ_at(&run[a], &run[b], node) && (!found.is_found || node > found.node))
                found = (difference){a, b, node, true};
        }
    return found;
}

static void describe_sizes(char *text, const char *const *symbol, size_t n_symbols,
                           const int64_t *value)
{
    size_t length = 0;
    text[0] = 0;
    for (size_t i = 0; i < n_symbols && length < TEXT; i++)
        length += (size_t)snprintf(text + length, TEXT - length, "%s%s=%" PRId64, i ? "," : "",
                                   symbol[i], value[i]);
}

/* The first access from this node on: of the node itself, or in the loop that it is. */
static void describe_access(char *text, const plussi_fold_run *run, uint32_t node)
{
    const plussi_fold_tag *tag = NULL;
    uint32_t i = node;
    for (; i < run->tree->n && !(tag && tag->bytes); i++)
        tag = run->tree->node[i].tag < 0 ? NULL : &run->tag[run->tree->node[i].tag];
    if (!tag || !tag->bytes) {
        snprintf(text, TEXT, "no more accesses");
        return;
    }
    const char *name = run->object[tag->object].name;
    snprintf(text, TEXT, "%sa %s of %d bytes at site 0x%" PRIx64 "%s%.80s",
             i > node + 1 ? "a loop with " : "", tag->kind == PLUSSI_EVENT_WRITE ? "write" : "read",
             tag->bytes, tag->site, name ? " in " : "", name ? name : "");
}

pluss_status plussi_fold_refuse_shapes(plussi_ctx *ctx, const plussi_fold_run *run, size_t n_runs,
                                       size_t least, size_t n_fitted, const char *const *symbol,
                                       size_t n_symbols, const int64_t *value)
{
    difference d = find_difference(run, n_runs);
    char size[2][TEXT], access[2][TEXT];
    if (!d.is_found)
        return plussi_fail(ctx, PLUSS_EUNSUPPORTED, NULL,
                           "the loops of the runs differ in shape: no %zu of %zu runs are alike",
                           least, n_fitted);
    describe_sizes(size[0], symbol, n_symbols, &value[d.a * n_symbols]);
    describe_sizes(size[1], symbol, n_symbols, &value[d.b * n_symbols]);
    describe_access(access[0], &run[d.a], d.node);
    describe_access(access[1], &run[d.b], d.node);
    return plussi_fail(ctx, PLUSS_EUNSUPPORTED, NULL,
                       "the loops of the runs differ in shape: no %zu of %zu runs are alike; where "
                       "they first differ the run of %s has %s, that of %s %s",
                       least, n_fitted, size[0], access[0], size[1], access[1]);
}
