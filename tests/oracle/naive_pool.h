/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The oracle of a stealing pool: Rayon's join, written again from its source and from
 * docs/models.md
 * ("Rayon's pools"), event by event, for small teams. It asks its user for every choice, so that
 * all runs can be enumerated with their probabilities, or runs be drawn without the library.
 */
#ifndef TESTS_ORACLE_NAIVE_POOL_H
#define TESTS_ORACLE_NAIVE_POOL_H

#include "team/stealing_pool.h"

enum { NAIVE_POOL_TEAM = 4, NAIVE_POOL_PIECES = 64 };

typedef struct naive_pool_user {
    uint32_t (*choose)(void *user, uint32_t n); /* of 0 ... n - 1, all as likely */
    double (*normal)(void *user);
    void *user;
} naive_pool_user;

typedef struct naive_pool_piece {
    uint32_t thread;
    uint64_t lo, hi;
    double begin, end;
} naive_pool_piece;

/* The pieces of a run in the order in which they are begun. work: accesses of each iteration. The
 * slice is endless: a thread gets a core when it is left. */
typedef struct naive_pool_run {
    size_t n;
    naive_pool_piece piece[NAIVE_POOL_PIECES];
} naive_pool_run;

void naive_pool_draw(const plussi_pool_loop *loop, uint32_t team, const plussi_pool *cost,
                     const double *work, const naive_pool_user *user, naive_pool_run *out);

#endif
