/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Trees of loops with affine bounds and addresses: what a folded trace is. An access is a tag and
 * an address; a tag stands for all that accesses of one kind have in common (fold_run.h).
 *
 * A loop's iterations are numbered from 0. Each node has a row of numbers, c[0] to c[depth]: its
 * address, or the count of its iterations, is c[0] + sum of c[k] * i[k], where i[1] is the
 * iteration of the loop next around it and i[depth] that of the outermost. A loop that is capped
 * has two rows, and executes as many iterations as the smaller value; none where that is not
 * positive. Values are taken modulo 2^64.
 */
#ifndef PLUSSI_TRACE_FOLD_TREE_H
#define PLUSSI_TRACE_FOLD_TREE_H

#include "base/ctx.h"

enum {
    PLUSSI_FOLD_DEPTH = 20, /* loops around a node, at most */
    PLUSSI_FOLD_LOOP = -1   /* the tag of a loop */
};

typedef struct plussi_fold_node {
    int32_t tag; /* >= 0: an access */
    uint32_t depth;
    uint32_t end;      /* the node after its subtree */
    uint32_t first;    /* of its row in tree->number; the second row follows */
    uint32_t collapse; /* of a distributed loop: as many, with those in it, are distributed as one;
                          0: it alone */
    uint32_t chunk;    /* of a distributed loop: iterations of a static chunk; 0: there are none */
    bool capped;
    bool holed; /* a distributed loop, not capped: it leaves out the iteration of its second row */
} plussi_fold_node;

/* Nodes in preorder; those of depth 0, one after another, are the roots. */
typedef struct plussi_fold_tree {
    uint32_t n, numbers;
    plussi_fold_node *node;
    int64_t *number;
} plussi_fold_tree;

/* Room for n nodes and that many numbers, cleared; in one piece. NULL: no memory. */
plussi_fold_tree *plussi_fold_tree_new(const plussi_mem *mem, uint32_t n, uint32_t numbers);
plussi_fold_tree *plussi_fold_tree_copy(const plussi_mem *mem, const plussi_fold_tree *tree);
/* Whether both have the same nodes; numbers are not compared. */
bool plussi_fold_same_shape(const plussi_fold_tree *a, const plussi_fold_tree *b);

/* Numbers in a row of a node, and in all its rows. */
static inline uint32_t plussi_fold_row(const plussi_fold_node *node)
{
    return node->depth + 1;
}
static inline uint32_t plussi_fold_rows(const plussi_fold_node *node)
{
    return (node->capped || node->holed ? 2 : 1) * plussi_fold_row(node);
}

/* A position in the accesses of a tree, or of one iteration of its first root. The tree is borrowed
 * and does not change meanwhile. */
typedef struct plussi_fold_cursor {
    const plussi_fold_tree *tree;
    uint32_t at, depth, least; /* least: the depth at which it ends */
    uint32_t loop[PLUSSI_FOLD_DEPTH + 1];
    int64_t index[PLUSSI_FOLD_DEPTH + 1], count[PLUSSI_FOLD_DEPTH + 1];
} plussi_fold_cursor;

void plussi_fold_begin(plussi_fold_cursor *cursor, const plussi_fold_tree *tree);
void plussi_fold_begin_iteration(plussi_fold_cursor *cursor, const plussi_fold_tree *tree,
                                 int64_t iteration);
/* The next access; false: there are no more (or none for thousands of iterations). O(depth). */
bool plussi_fold_next(plussi_fold_cursor *cursor, int32_t *tag, int64_t *address);

#endif
