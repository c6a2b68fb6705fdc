/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold_tree.h"

#include <string.h>

enum { EMPTY_STEPS = 1 << 14 }; /* without an access, after which a cursor ends */

plussi_fold_tree *plussi_fold_tree_new(const plussi_mem *mem, uint32_t n, uint32_t numbers)
{
    size_t head = sizeof(plussi_fold_tree) + numbers * sizeof(int64_t);
    plussi_fold_tree *tree = plussi_calloc(mem, 1, head + n * sizeof(plussi_fold_node));
    if (tree)
        *tree = (plussi_fold_tree){
            .n = n,
            .numbers = numbers,
            .number = (int64_t *)(tree + 1),
            .node = (plussi_fold_node *)((char *)tree + head),
        };
    return tree;
}

plussi_fold_tree *plussi_fold_tree_copy(const plussi_mem *mem, const plussi_fold_tree *tree)
{
    plussi_fold_tree *copy = plussi_fold_tree_new(mem, tree->n, tree->numbers);
    if (copy) {
        memcpy(copy->node, tree->node, tree->n * sizeof *tree->node);
        memcpy(copy->number, tree->number, tree->numbers * sizeof *tree->number);
    }
    return copy;
}

bool plussi_fold_same_shape(const plussi_fold_tree *a, const plussi_fold_tree *b)
{
    if (a->n != b->n || a->numbers != b->numbers)
        return false;
    for (uint32_t i = 0; i < a->n; i++) {
        const plussi_fold_node *x = &a->node[i], *y = &b->node[i];
        if (x->tag != y->tag || x->depth != y->depth || x->end != y->end || x->capped != y->capped)
            return false;
    }
    return true;
}

/* ---- cursors --------------------------------------------------------------------------------- */

/* Unsigned arithmetic, as it may wrap. */
static int64_t evaluate(const plussi_fold_cursor *cursor, const int64_t *row)
{
    uint64_t value = (uint64_t)row[0];
    for (uint32_t k = 1; k <= cursor->depth; k++)
        value += (uint64_t)row[k] * (uint64_t)cursor->index[cursor->depth - k];
    return (int64_t)value;
}

void plussi_fold_begin(plussi_fold_cursor *cursor, const plussi_fold_tree *tree)
{
    cursor->tree = tree;
    cursor->at = cursor->depth = cursor->least = 0;
}

void plussi_fold_begin_iteration(plussi_fold_cursor *cursor, const plussi_fold_tree *tree,
                                 int64_t iteration)
{
    cursor->tree = tree;
    cursor->at = cursor->depth = cursor->least = 1;
    cursor->loop[0] = 0;
    cursor->index[0] = iteration;
}

bool plussi_fold_next(plussi_fold_cursor *c, int32_t *tag, int64_t *address)
{
    for (int steps = 0; steps < EMPTY_STEPS; steps++) {
        uint32_t inner = c->depth - 1;
        if (c->depth > c->least && c->at == c->tree->node[c->loop[inner]].end) {
            if (++c->index[inner] < c->count[inner])
                c->at = c->loop[inner] + 1;
            else
                c->depth--;
            continue;
        }
        if (c->at == (c->least ? c->tree->node[0].end : c->tree->n))
            return false;
        const plussi_fold_node *node = &c->tree->node[c->at];
        const int64_t *row = &c->tree->number[node->first];
        if (node->tag >= 0) {
            c->at++;
            *tag = node->tag;
            *address = evaluate(c, row);
            return true;
        }
        int64_t count = evaluate(c, row);
        if (node->capped) {
            int64_t cap = evaluate(c, row + plussi_fold_row(node));
            count = cap < count ? cap : count;
        }
        if (count <= 0) {
            c->at = node->end;
            continue;
        }
        c->loop[c->depth] = c->at++;
        c->count[c->depth] = count;
        c->index[c->depth++] = 0;
    }
    return false;
}
