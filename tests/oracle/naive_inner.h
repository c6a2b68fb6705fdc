/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The oracle's state while it executes a nest.
 */
#ifndef TESTS_ORACLE_NAIVE_INNER_H
#define TESTS_ORACLE_NAIVE_INNER_H

#include "naive.h"

typedef struct naive_array {
    int64_t extent[PLUSSI_MAX_RANK]; /* -1: open */
    int64_t stride[PLUSSI_MAX_RANK]; /* bytes */
    int64_t lo, hi;                  /* touched, from the base; both 0: nothing */
    int64_t room_lo, room_hi;        /* for placement */
    int64_t base, copy;
    bool is_private;
} naive_array;

typedef struct naive_state {
    const plussi_nest *nest;
    const naive_options *options;
    int64_t *symbol, *iv; /* by id */
    naive_array *array;
    int64_t *base_now;
    bool measuring; /* only lo and hi are wanted: there are no addresses yet */

    uint32_t level; /* parallel regions around */
    uint32_t team, thread, max_team;
    uint64_t repetition;
    naive_phase *phase;
    size_t n_phases, cap_phases;
    size_t present;   /* phase that the thread is in */
    size_t met;       /* pools that it met there */
    naive_list *into; /* accesses go here, NULL: to the thread */
} naive_state;

void *naive_more(void *ptr, size_t n, size_t *cap, size_t size);
void *naive_cleared(size_t n, size_t size);

/* naive_expr.c */
int64_t naive_eval(naive_state *s, const plussi_expr *e);
int64_t naive_floor_div(int64_t a, int64_t b);
void naive_symbols(naive_state *s);

/* naive_place.c */
void naive_measure(naive_state *s); /* extents and strides */
void naive_place(naive_state *s);   /* addresses; lo and hi are known */
bool naive_straddles(naive_state *s, const plussi_node *ref);
void naive_swap(naive_state *s, const plussi_node *node);

#endif
