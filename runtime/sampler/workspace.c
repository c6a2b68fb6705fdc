/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The workspace of one analysis thread; the order of two cursors.
 */
#include <string.h>

#include "sampler/workspace.h"

/* ---- order --------------------------------------------------------------------------------------
 */

uint32_t plussi_common_loops(const plussi_plan_node *a, const plussi_plan_node *b)
{
    if (a->parent == b->parent)
        return a->depth;
    uint32_t n = a->depth < b->depth ? a->depth : b->depth, i = 0;
    while (i < n && a->loops[i] == b->loops[i])
        i++;
    return i;
}

int plussi_engine_order(plussi_workspace *workspace, const plussi_cursor *a, const plussi_cursor *b)
{
    const plussi_engine *e = workspace->engine;
    const plussi_plan_node *x = e->leaf[a->leaf], *y = e->leaf[b->leaf];
    uint32_t common = plussi_common_loops(x, y);
    for (uint32_t i = 0; i < common; i++) {
        const plussi_plan_node *loop = x->loops[i];
        int64_t v = a->iv[loop->slot], w = b->iv[loop->slot];
        if (v == w)
            continue;
        if (loop->ws) {
            plussi_thread_set own;
            uint64_t p = 0, r = 0;
            plussi_thread_set_at(e, loop, a->iv, (uint32_t)a->iv[0], &own);
            if (!own.set.ascending && loop->collapse == 1) {
                int64_t lo = plussi_value(loop->lo, a->iv);
                (void)!plussi_iterset_position(&own.set, (uint64_t)((v - lo) / loop->step), &p);
                (void)!plussi_iterset_position(&own.set, (uint64_t)((w - lo) / loop->step), &r);
                return p < r ? -1 : 1;
            }
        }
        return (v < w) == (loop->step > 0) ? -1 : 1;
    }
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return a->touch < b->touch ? -1 : a->touch > b->touch;
}

/* ---- packed cursors -----------------------------------------------------------------------------
 */

uint32_t plussi_engine_packed_words(const plussi_engine *engine)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < engine->n_leaves; i++)
        depth = engine->leaf[i]->depth > depth ? engine->leaf[i]->depth : depth;
    return 2 + depth;
}

void plussi_engine_pack(const plussi_engine *engine, const plussi_cursor *cursor, int64_t *words)
{
    const plussi_plan_node *leaf = engine->leaf[cursor->leaf];
    words[0] = (int64_t)((uint64_t)cursor->touch << 32 | cursor->leaf);
    words[1] = cursor->iv[0];
    for (uint32_t i = 0; i < leaf->depth; i++)
        words[2 + i] = cursor->iv[leaf->loops[i]->slot];
}

void plussi_engine_unpack(const plussi_engine *engine, const int64_t *words, plussi_cursor *out)
{
    out->leaf = (uint32_t)words[0];
    out->touch = (uint32_t)((uint64_t)words[0] >> 32);
    out->iv[0] = words[1];
    const plussi_plan_node *leaf = engine->leaf[out->leaf];
    for (uint32_t i = 0; i < leaf->depth; i++)
        out->iv[leaf->loops[i]->slot] = words[2 + i];
}

/* ---- life ---------------------------------------------------------------------------------------
 */

pluss_status plussi_workspace_new(plussi_ctx *ctx, const plussi_engine *engine,
                                  plussi_workspace **out)
{
    plussi_workspace *q = plussi_calloc(&ctx->mem, 1, sizeof *q);
    if (!q)
        return PLUSS_ENOMEM;
    q->mem = ctx->mem;
    q->engine = engine;
    size_t words = ((size_t)engine->team + 63) / 64;
    q->length =
        plussi_alloc(&q->mem, (size_t)PLUSSI_WORKSPACE_PHASES * engine->team, sizeof *q->length);
    q->busy = plussi_alloc(&q->mem, PLUSSI_WORKSPACE_PHASES * words, sizeof *q->busy);
    plussi_arena_init(&q->sums.arena, &q->mem);
    q->sums.of = plussi_calloc(&q->mem, engine->n_nodes, sizeof(*q->sums.of));
    q->hint = plussi_calloc(&q->mem, engine->n_leaves, sizeof(*q->hint));
    if (!q->length || !q->busy || !q->sums.of || !q->hint) {
        plussi_workspace_free(q);
        return PLUSS_ENOMEM;
    }
    for (uint32_t i = 0; i < PLUSSI_WORKSPACE_PHASES; i++) {
        q->phase[i].number = UINT64_MAX;
        q->phase[i].length = q->length + (size_t)i * engine->team;
        q->phase[i].busy = q->busy + i * words;
    }
    *out = q;
    return PLUSS_OK;
}

void plussi_workspace_free(plussi_workspace *q)
{
    if (!q)
        return;
    for (uint32_t i = 0; i < PLUSSI_WORKSPACE_PHASES; i++)
        plussi_free(&q->mem, q->phase[i].item);
    plussi_arena_free(&q->sums.arena);
    plussi_free(&q->mem, q->sums.of);
    plussi_free(&q->mem, q->length);
    plussi_free(&q->mem, q->busy);
    plussi_free(&q->mem, q->hint);
    plussi_free(&q->mem, q);
}

bool plussi_workspace_failed(const plussi_workspace *q)
{
    return q->failed;
}
