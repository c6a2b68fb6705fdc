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

/* ---- iterations of distributed loops -----------------------------------------------------------
 */

/* Accesses of an execution of nodes [from, end), which are of one loop; 0: it varies. */
static uint64_t count_accesses(const plussi_fold_run *run, uint32_t from, uint32_t end)
{
    const plussi_fold_tree *tree = run->tree;
    uint64_t sum = 0;
    for (uint32_t at = from; at < end; at = tree->node[at].end) {
        const plussi_fold_node *x = &tree->node[at];
        uint64_t n = x->tag >= 0 ? run->tag[x->tag].bytes > 0 : 0;
        if (x->tag < 0) {
            for (uint32_t k = 1; k <= x->depth; k++)
                if (tree->number[x->first + k] != 0 || x->capped || x->holed)
                    return 0;
            n = count_accesses(run, at + 1, x->end);
            if (n == 0 || __builtin_mul_overflow(n, (uint64_t)tree->number[x->first], &n))
                return 0;
        }
        sum += n;
    }
    return sum;
}

/* Splits a loop in one of `by` iterations and another of those. */
static pluss_status split_loop(plussi_fold_run *run, uint32_t loop, int64_t by)
{
    const plussi_fold_tree *old = run->tree;
    const plussi_fold_node *l = &old->node[loop];
    plussi_fold_tree *tree =
        plussi_fold_tree_new(&run->mem, old->n + 1, old->numbers + 2 * old->n + l->depth + 1);
    if (!tree)
        return PLUSS_ENOMEM;
    tree->n = tree->numbers = 0;
    copy_nodes(tree, old, 0, loop + 1);
    plussi_fold_node *outer = &tree->node[loop];
    outer->end++;
    tree->number[outer->first] /= by;
    for (uint32_t i = loop; i < l->end; i++) {
        const plussi_fold_node *x = &old->node[i];
        const int64_t *row = &old->number[x->first];
        plussi_fold_node *y = &tree->node[tree->n++];
        *y = *x;
        y->first = tree->numbers;
        y->end++;
        y->depth++;
        uint32_t inner = x->depth - l->depth; /* loops from the split one in */
        for (uint32_t at = 0; at < plussi_fold_rows(x);
             at += plussi_fold_row(x), row += plussi_fold_row(x)) {
            int64_t *out = &tree->number[tree->numbers];
            memcpy(out, row, (inner + 1) * sizeof *row);
            out[inner + 1] = inner ? (int64_t)((uint64_t)row[inner] * (uint64_t)by) : 0;
            memcpy(out + inner + 2, row + inner + 1, l->depth * sizeof *row);
            tree->numbers += plussi_fold_row(y);
        }
    }
    tree->number[tree->node[loop + 1].first] = by;
    for (uint32_t i = l->end; i < old->n; i++) {
        copy_nodes(tree, old, i, i + 1);
        tree->node[tree->n - 1].end++;
    }
    for (uint32_t i = 0; i < loop; i++) /* loops around it */
        tree->node[i].end += tree->node[i].end > loop;
    plussi_free(&run->mem, run->tree);
    run->tree = tree;
    return PLUSS_OK;
}

/* The iterations of a static chunk of that many accesses, where an iteration of the loop has n; if
 * it has more, as many loops are distributed as one as make it fit. */
static void fit_chunk(plussi_fold_run *run, uint32_t loop, uint64_t n, uint64_t share)
{
    plussi_fold_node *l = &run->tree->node[loop], *in = l;
    uint32_t collapse = 1;
    for (; share % n != 0 && in[1].tag < 0 && in[1].end == l->end; in++, collapse++) {
        n = count_accesses(run, (uint32_t)(in + 2 - run->tree->node), l->end);
        if (n == 0)
            return;
    }
    if (share % n != 0 || share / n > UINT32_MAX)
        return;
    l->chunk = (uint32_t)(share / n);
    l->collapse = collapse > 1 ? collapse : 0;
}

/* The loop with the iterations that its first access tells. */
static pluss_status fit_loop(plussi_fold_run *run, uint32_t loop)
{
    plussi_fold_node *l = &run->tree->node[loop], *in;
    uint32_t access = loop + 1;
    while (access < l->end && run->tree->node[access].tag < 0)
        access++;
    const plussi_fold_tag *tag = access < l->end ? &run->tag[run->tree->node[access].tag] : NULL;
    uint64_t unit = tag ? tag->unit : 0, share = tag ? tag->share : 0;
    uint64_t n = count_accesses(run, loop + 1, l->end), count = 0;
    if (share > 0 && n > 0)
        fit_chunk(run, loop, n, share);
    if (unit == 0 || n == 0 || share > 0)
        return PLUSS_OK;
    if (count_accesses(run, loop, l->end) > 0)
        count = (uint64_t)run->tree->number[l->first];
    if (unit > n && unit % n == 0 && count > 0 && count % (unit / n) == 0 &&
        l->depth < PLUSSI_FOLD_DEPTH - 1)
        return split_loop(run, loop, (int64_t)(unit / n));
    uint32_t collapse = 1;
    for (in = l; in[1].tag < 0 && in[1].end == l->end && n > unit; in++, collapse++)
        n = count_accesses(run, (uint32_t)(in + 2 - run->tree->node), l->end);
    if (n == unit && collapse > 1)
        l->collapse = collapse;
    return PLUSS_OK;
}

/* Whether loop b, next to loop a, goes on where that ends, with one iteration left out. */
static bool leaves_out_one(const plussi_fold_tree *tree, uint32_t a, uint32_t b)
{
    const plussi_fold_node *l = &tree->node[a], *m = &tree->node[b];
    const int64_t *count = &tree->number[l->first];
    if (m->tag >= 0 || m->depth != l->depth || m->end - b != l->end - a || l->capped || l->holed ||
        m->capped)
        return false;
    for (uint32_t i = 1; i < l->end - a; i++) {
        const plussi_fold_node *x = &l[i], *y = &m[i];
        uint32_t own = x->depth - l->depth, row = plussi_fold_row(x);
        if (x->tag != y->tag || x->depth != y->depth || x->end - a != y->end - b ||
            x->capped != y->capped)
            return false;
        for (uint32_t k = 0; k < plussi_fold_rows(x); k++) {
            const int64_t *c = &tree->number[x->first + k / row * row];
            uint64_t by = k % row > own ? (uint64_t)count[k % row - own]
                          : k % row     ? 0
                                        : (uint64_t)count[0] + 1;
            if ((uint64_t)c[k % row] + (uint64_t)c[own] * by !=
                (uint64_t)tree->number[y->first + k])
                return false;
        }
    }
    return true;
}

/* Makes one loop of two, of which the second leaves out one iteration. */
static pluss_status join_loops(plussi_fold_run *run, uint32_t a)
{
    const plussi_fold_tree *old = run->tree;
    const plussi_fold_node *l = &old->node[a], *m = &old->node[l->end];
    uint32_t row = plussi_fold_row(l), gone = m->end - l->end;
    plussi_fold_tree *tree = plussi_fold_tree_new(&run->mem, old->n, old->numbers + row);
    if (!tree)
        return PLUSS_ENOMEM;
    tree->n = tree->numbers = 0;
    copy_nodes(tree, old, 0, a + 1);
    tree->node[a].holed = true;
    for (uint32_t k = 0; k < row; k++) {
        int64_t first = old->number[l->first + k], second = old->number[m->first + k];
        tree->number[tree->node[a].first + k] =
            (int64_t)((uint64_t)first + (uint64_t)second + (k == 0));
        tree->number[tree->numbers++] = first;
    }
    copy_nodes(tree, old, a + 1, l->end);
    copy_nodes(tree, old, m->end, old->n);
    for (uint32_t i = 0; i < tree->n; i++)
        tree->node[i].end -= tree->node[i].end > l->end ? gone : 0;
    plussi_free(&run->mem, run->tree);
    run->tree = tree;
    return PLUSS_OK;
}

pluss_status plussi_fold_fit_iterations(plussi_fold_run *run)
{
    uint32_t open = 0, next;
    pluss_status status = PLUSS_OK;
    for (uint32_t at = 0; at < run->tree->n && !status; at = next) {
        const plussi_fold_node *x = &run->tree->node[at];
        plussi_event_kind kind = kind_of(run, at);
        bool waits = false;
        next = at + 1;
        open += kind == PLUSSI_EVENT_REGION;
        open -= kind == PLUSSI_EVENT_LEAVE && open > 0;
        for (uint32_t i = at; i < x->end; i++)
            waits = waits || kind_of(run, i) == PLUSSI_EVENT_BARRIER ||
                    kind_of(run, i) == PLUSSI_EVENT_REGION;
        if (x->tag >= 0 || open == 0 || waits)
            continue;
        if (x->end < run->tree->n && leaves_out_one(run->tree, at, x->end))
            status = join_loops(run, at);
        if (!status)
            status = fit_loop(run, at);
        next = run->tree->node[at].end;
    }
    return status;
}
