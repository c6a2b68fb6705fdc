/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Terms of the recognition of loops: accesses, and loops of them; how three blocks of terms become
 * a loop, and how a loop is taken apart.
 */
#ifndef PLUSSI_TRACE_FOLD_TERMS_H
#define PLUSSI_TRACE_FOLD_TERMS_H

#include "trace/fold_tree.h"

typedef struct plussi_fold_term {
    uint64_t hash;          /* of all but the numbers that progress: the first of each row */
    plussi_fold_tree *tree; /* a loop, owned; NULL: the access below */
    int32_t tag;
    int64_t address;
    uint64_t accesses; /* that it stands for */
} plussi_fold_term;

void plussi_fold_term_free(const plussi_mem *mem, plussi_fold_term *term);
plussi_fold_term plussi_fold_term_access(int32_t tag, int64_t address);
/* tree becomes the term's. */
plussi_fold_term plussi_fold_term_loop(plussi_fold_tree *tree, uint64_t accesses);

/* Whether n terms at each of a, b and c have the same shapes, and numbers in arithmetic
 * progression.
 */
bool plussi_fold_terms_progress(const plussi_fold_term *a, const plussi_fold_term *b,
                                const plussi_fold_term *c, size_t n);
/* The loop of three iterations whose first two are a and b, n terms each. NULL: no memory, or
 * *too_deep. */
plussi_fold_tree *plussi_fold_terms_join(const plussi_mem *mem, const plussi_fold_term *a,
                                         const plussi_fold_term *b, size_t n, bool *too_deep);
/* The loop with an iteration more in front: its numbers are counted from there, so that iteration
 * `by` of the old loop is 0 of the new one. */
void plussi_fold_tree_shift(plussi_fold_tree *loop, int64_t by);
/* The child whose first node is `at`, in this iteration, as a tree of its own. NULL: no memory. */
plussi_fold_tree *plussi_fold_tree_child(const plussi_mem *mem, const plussi_fold_tree *loop,
                                         uint32_t at, int64_t iteration);
/* The loop that begins with the child at `at` of iteration -1, and ends before it. NULL: no memory.
 */
plussi_fold_tree *plussi_fold_tree_rotate(const plussi_mem *mem, const plussi_fold_tree *loop,
                                          uint32_t at);
/* Accesses of an iteration; `most` where there are as many or more. */
uint64_t plussi_fold_count_iteration(const plussi_fold_tree *loop, int64_t iteration,
                                     uint64_t most);

#endif
