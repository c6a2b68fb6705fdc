/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold_terms.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

void plussi_fold_term_free(const plussi_mem *mem, plussi_fold_term *term)
{
    plussi_free(mem, term->tree);
    term->tree = NULL;
}

plussi_fold_term plussi_fold_term_access(int32_t tag, int64_t address)
{
    return (plussi_fold_term){
        .hash = mix(1, (uint64_t)tag), .tag = tag, .address = address, .accesses = 1};
}

plussi_fold_term plussi_fold_term_loop(plussi_fold_tree *tree, uint64_t accesses)
{
    uint64_t hash = mix(2, tree->n);
    for (uint32_t i = 0; i < tree->n; i++) {
        const plussi_fold_node *node = &tree->node[i];
        hash = mix(mix(hash, (uint64_t)node->tag), node->end * 2 + node->capped);
        for (uint32_t k = 1; k < plussi_fold_rows(node); k++)
            if (k != plussi_fold_row(node))
                hash = mix(hash, (uint64_t)tree->number[node->first + k]);
    }
    return (plussi_fold_term){
        .hash = hash, .tree = tree, .tag = PLUSSI_FOLD_LOOP, .accesses = accesses};
}

/* ---- three blocks ---------------------------------------------------------------------------- */

static int64_t subtract(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static bool trees_progress(const plussi_fold_tree *a, const plussi_fold_tree *b,
                           const plussi_fold_tree *c)
{
    if (!plussi_fold_same_shape(a, b) || !plussi_fold_same_shape(b, c))
        return false;
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t row = plussi_fold_row(&a->node[i]), rows = plussi_fold_rows(&a->node[i]);
        const int64_t *x = &a->number[a->node[i].first], *y = &b->number[b->node[i].first];
        const int64_t *z = &c->number[c->node[i].first];
        for (uint32_t k = 0; k < rows; k++)
            if (k % row ? x[k] != y[k] || y[k] != z[k]
                        : subtract(y[k], x[k]) != subtract(z[k], y[k]))
                return false;
    }
    return true;
}

bool plussi_fold_terms_progress(const plussi_fold_term *a, const plussi_fold_term *b,
                                const plussi_fold_term *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i].tag != b[i].tag || b[i].tag != c[i].tag)
            return false;
        if (!a[i].tree
                ? subtract(b[i].address, a[i].address) != subtract(c[i].address, b[i].address)
                : !trees_progress(a[i].tree, b[i].tree, c[i].tree))
            return false;
    }
    return true;
}

/* A node of the new loop's body: the rows of a, each with its progress to b as the outermost
 * coefficient. */
static void join_node(plussi_fold_tree *to, const plussi_fold_node *node, const int64_t *a,
                      const int64_t *b, uint32_t before)
{
    plussi_fold_node *at = &to->node[to->n];
    *at = *node;
    at->depth++;
    at->end += before;
    at->first = to->numbers;
    uint32_t row = plussi_fold_row(node);
    for (uint32_t from = 0; from < plussi_fold_rows(node); from += row) {
        int64_t *out = &to->number[to->numbers];
        memcpy(out, a + from, row * sizeof *a);
        out[row] = subtract(b[from], a[from]);
        to->numbers += row + 1;
    }
    to->n++;
}

plussi_fold_tree *plussi_fold_terms_join(const plussi_mem *mem, const plussi_fold_term *a,
                                         const plussi_fold_term *b, size_t n, bool *too_deep)
{
    uint32_t nodes = 1, numbers = 1;
    for (size_t i = 0; i < n; i++) {
        if (!a[i].tree) {
            nodes++;
            numbers += 2;
            continue;
        }
        nodes += a[i].tree->n;
        for (uint32_t k = 0; k < a[i].tree->n; k++) {
            const plussi_fold_node *node = &a[i].tree->node[k];
            *too_deep = *too_deep || node->depth + 1 >= PLUSSI_FOLD_DEPTH;
            numbers += plussi_fold_rows(node) + (node->capped ? 2 : 1);
        }
    }
    plussi_fold_tree *loop = *too_deep ? NULL : plussi_fold_tree_new(mem, nodes, numbers);
    if (!loop)
        return NULL;
    loop->node[0] = (plussi_fold_node){.tag = PLUSSI_FOLD_LOOP, .end = nodes};
    loop->number[0] = 3;
    loop->n = loop->numbers = 1;
    for (size_t i = 0; i < n; i++) {
        const plussi_fold_tree *x = a[i].tree, *y = b[i].tree;
        plussi_fold_node access = {.tag = a[i].tag, .end = 1};
        uint32_t before = loop->n;
        if (!x)
            join_node(loop, &access, &a[i].address, &b[i].address, before);
        for (uint32_t k = 0; x && k < x->n; k++)
            join_node(loop, &x->node[k], &x->number[x->node[k].first], &y->number[y->node[k].first],
                      before);
    }
    return loop;
}

/* ---- parts ------------------------------------------------------------------------------------
 */

/* Adds to the first number of each row of nodes [from, to) its outermost coefficient, `by` times.
 */
static void shift_nodes(plussi_fold_tree *loop, uint32_t from, uint32_t to, int64_t by)
{
    for (uint32_t i = from; i < to; i++) {
        uint32_t row = plussi_fold_row(&loop->node[i]);
        for (uint32_t k = 0; k < plussi_fold_rows(&loop->node[i]); k += row) {
            int64_t *number = &loop->number[loop->node[i].first + k];
            number[0] = (int64_t)((uint64_t)number[0] + (uint64_t)number[row - 1] * (uint64_t)by);
        }
    }
}

void plussi_fold_tree_shift(plussi_fold_tree *loop, int64_t by)
{
    shift_nodes(loop, 1, loop->n, -by);
}

plussi_fold_tree *plussi_fold_tree_child(const plussi_mem *mem, const plussi_fold_tree *loop,
                                         uint32_t at, int64_t iteration)
{
    uint32_t end = loop->node[at].end, numbers = 0;
    for (uint32_t i = at; i < end; i++)
        numbers += plussi_fold_rows(&loop->node[i]) - (loop->node[i].capped ? 2 : 1);
    plussi_fold_tree *child = plussi_fold_tree_new(mem, end - at, numbers);
    if (!child)
        return NULL;
    numbers = 0;
    for (uint32_t i = at; i < end; i++) {
        plussi_fold_node *node = &child->node[i - at];
        *node = loop->node[i];
        uint32_t row = plussi_fold_row(node), rows = plussi_fold_rows(node);
        const int64_t *from = &loop->number[node->first];
        node->first = numbers;
        node->end -= at;
        node->depth--;
        for (uint32_t k = 0; k < rows; k += row, numbers += row - 1) {
            memcpy(&child->number[numbers], from + k, (row - 1) * sizeof *from);
            child->number[numbers] =
                (int64_t)((uint64_t)from[k] + (uint64_t)from[k + row - 1] * (uint64_t)iteration);
        }
    }
    return child;
}

plussi_fold_tree *plussi_fold_tree_rotate(const plussi_mem *mem, const plussi_fold_tree *loop,
                                          uint32_t at)
{
    plussi_fold_tree *turned = plussi_fold_tree_copy(mem, loop);
    if (!turned)
        return NULL;
    uint32_t moved = loop->n - at;
    for (uint32_t i = 1; i < loop->n; i++) {
        plussi_fold_node *node = &turned->node[i < at ? i + moved : i - at + 1];
        *node = loop->node[i];
        node->end = i < at ? node->end + moved : node->end - at + 1;
    }
    shift_nodes(turned, 1, 1 + moved, -1);
    return turned;
}

uint64_t plussi_fold_count_iteration(const plussi_fold_tree *loop, int64_t iteration, uint64_t most)
{
    plussi_fold_cursor cursor;
    int32_t tag;
    int64_t address;
    uint64_t n = 0;
    plussi_fold_begin_iteration(&cursor, loop, iteration);
    while (n < most && plussi_fold_next(&cursor, &tag, &address))
        n++;
    return n;
}
