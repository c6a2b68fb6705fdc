/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold_regions.h"

#include <string.h>

/* A loop that begins with the end of a region which its iteration before began: the nodes up to
 * that end, [loop + 1, rest), move in front of the loop, and those after the loop, which are their
 * next iteration, move to the end of its body. */
typedef struct turn {
    uint32_t loop, rest;
} turn;

static plussi_event_kind kind_of(const plussi_fold_run *run, uint32_t node)
{
    int32_t tag = run->tree->node[node].tag;
    return tag < 0 ? PLUSSI_EVENT_KINDS : (plussi_event_kind)run->tag[tag].kind;
}

/* Whether node `after` is what node `inside`, a child of the loop, is in the iteration after the
 * last. */
static bool is_next(const plussi_fold_tree *tree, uint32_t loop, uint32_t inside, uint32_t after)
{
    const plussi_fold_node *l = &tree->node[loop], *x = &tree->node[inside];
    const plussi_fold_node *y = &tree->node[after];
    const int64_t *count = &tree->number[l->first], *row = &tree->number[x->first];
    const int64_t *next = &tree->number[y->first];
    if (x->tag != y->tag || l->capped)
        return false;
    for (uint32_t k = 0; k <= l->depth; k++) {
        uint64_t value = (uint64_t)row[1] * (uint64_t)count[k] + (uint64_t)row[k ? k + 1 : 0];
        if (value != (uint64_t)next[k])
            return false;
    }
    return true;
}

static bool find_turn(const plussi_fold_run *run, turn *out)
{
    const plussi_fold_tree *tree = run->tree;
    for (uint32_t loop = 0; loop < tree->n; loop++) {
        const plussi_fold_node *l = &tree->node[loop];
        uint32_t open = 0, rest = 0;
        if (l->tag >= 0)
            continue;
        for (uint32_t at = loop + 1; at < l->end && tree->node[at].tag >= 0; at++) {
            plussi_event_kind kind = kind_of(run, at);
            open += kind == PLUSSI_EVENT_REGION;
            if (kind == PLUSSI_EVENT_LEAVE && open-- == 0) {
                rest = at + 1;
                break;
            }
        }
        bool fits = rest > 0 && rest < l->end && l->end + (rest - loop - 1) <= tree->n;
        for (uint32_t at = loop + 1; fits && at < rest; at++)
            fits = tree->node[l->end + at - loop - 1].depth == l->depth &&
                   is_next(tree, loop, at, l->end + at - loop - 1);
        if (fits) {
            *out = (turn){loop, rest};
            return true;
        }
    }
    return false;
}

/* Appends a child of a loop as it is in iteration 0, out of the loop. */
static void copy_out(plussi_fold_tree *to, const plussi_fold_tree *tree, uint32_t from)
{
    const plussi_fold_node *x = &tree->node[from];
    const int64_t *row = &tree->number[x->first];
    int64_t *out = &to->number[to->numbers];
    to->node[to->n] = (plussi_fold_node){
        .tag = x->tag, .depth = x->depth - 1, .end = to->n + 1, .first = to->numbers};
    out[0] = row[0];
    memcpy(out + 1, row + 2, (x->depth - 1) * sizeof *row);
    to->numbers += x->depth;
    to->n++;
}

static void copy_nodes(plussi_fold_tree *to, const plussi_fold_tree *tree, uint32_t from,
                       uint32_t end)
{
    for (uint32_t i = from; i < end; i++, to->n++) {
        const plussi_fold_node *x = &tree->node[i];
        to->node[to->n] = *x;
        to->node[to->n].first = to->numbers;
        memcpy(&to->number[to->numbers], &tree->number[x->first],
               plussi_fold_rows(x) * sizeof *tree->number);
        to->numbers += plussi_fold_rows(x);
    }
}

pluss_status plussi_fold_close_regions(plussi_fold_run *run)
{
    turn t;
    while (find_turn(run, &t)) {
        const plussi_fold_tree *old = run->tree;
        plussi_fold_tree *tree = plussi_fold_tree_new(&run->mem, old->n, old->numbers);
        if (!tree)
            return PLUSS_ENOMEM;
        const plussi_fold_node *loop = &old->node[t.loop];
        uint32_t moved = t.rest - t.loop - 1;
        tree->n = tree->numbers = 0;
        copy_nodes(tree, old, 0, t.loop);
        for (uint32_t i = 0; i < moved; i++)
            copy_out(tree, old, t.loop + 1 + i);
        copy_nodes(tree, old, t.loop, t.loop + 1);
        copy_nodes(tree, old, t.rest, loop->end);
        for (uint32_t i = 0; i < moved; i++) { /* an iteration later */
            copy_nodes(tree, old, t.loop + 1 + i, t.loop + 2 + i);
            plussi_fold_node *last = &tree->node[tree->n - 1];
            int64_t *row = &tree->number[last->first];
            last->end = tree->n;
            row[0] = (int64_t)((uint64_t)row[0] + (uint64_t)row[1]);
        }
        copy_nodes(tree, old, loop->end + moved, old->n);
        tree->node[t.loop + moved].end = loop->end + moved;
        plussi_free(&run->mem, run->tree);
        run->tree = tree;
    }
    return PLUSS_OK;
}
