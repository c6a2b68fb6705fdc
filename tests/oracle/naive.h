/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The oracle: a nest executed as docs/nest-format.md says, statement by statement, straight from
 * the description. It shares nothing with binding and walking but the description itself and the
 * rules that bound.h and walk.h print (placement, straddling, branches). Slow and simple; memory
 * grows with the number of accesses. Test code: running out of memory ends the program.
 */
#ifndef TESTS_ORACLE_NAIVE_H
#define TESTS_ORACLE_NAIVE_H

#include "nest/nest.h"

typedef struct naive_symbol_value {
    const char *name;
    int64_t value;
} naive_symbol_value;

typedef struct naive_options {
    uint32_t team, line_bytes;
    uint64_t seed; /* of branches */
    const naive_symbol_value *value;
    size_t n_values;
    plussi_schedule_kind runtime; /* what schedule(runtime) is; NONE: dynamic,1 */
    int64_t runtime_chunk;        /* <= 0: none */
    /* Addresses and distances of private copies by array id; NULL: by the placement rule. */
    const int64_t *base, *copy;
} naive_options;

typedef struct naive_access {
    uint64_t line;
    uint32_t ref;
} naive_access;

typedef struct naive_list {
    naive_access *at;
    size_t n, cap;
} naive_list;

/* Work that is handed out: the iterations of a dynamic or guided loop, or a single's one body. What
 * an iteration does may depend on the thread, so that each has its own lists. */
typedef struct naive_pool {
    const plussi_node *node;
    plussi_schedule_kind kind; /* NONE: single */
    uint64_t n, chunk;
    uint64_t range, step; /* what guided schedules divide; of collapsed loops n and 1 */
    naive_list **body;    /* [thread][iteration] */
} naive_pool;

/* What a thread does in a phase: accesses, and places where it asks pools for work. */
typedef struct naive_item {
    bool is_pool;
    naive_access access;
    size_t pool;
} naive_item;

typedef struct naive_thread {
    naive_item *item;
    size_t n, cap;
} naive_thread;

typedef struct naive_phase {
    uint32_t team;
    naive_thread *thread;
    naive_pool *pool;
    size_t n_pools;
} naive_phase;

typedef struct naive {
    uint32_t n_arrays, max_team;
    naive_phase *phase; /* those with accesses */
    size_t n_phases;
    int64_t *base;     /* by array id */
    int64_t *lo, *hi;  /* by array id: [lo, hi) touched, relative to base; both 0: nothing */
    uint64_t accesses; /* of everything once: every pool's iterations by their first thread */
} naive;

/* Only schedules static, dynamic, guided (auto, none, runtime as one of them). */
naive *naive_run(const plussi_nest *nest, const naive_options *options);
void naive_free(naive *n);

/* ---- stepping: naive_step.c --------------------------------------------------------------------
 *
 * Threads ask for their accesses one by one, in the caller's order. */
typedef struct naive_cursor naive_cursor;

naive_cursor *naive_start(const naive *n); /* in phase 0, if there is one */
/* The thread's next access in the phase; false: it waits. */
bool naive_next(naive_cursor *c, uint32_t thread, naive_access *out);
bool naive_next_phase(naive_cursor *c); /* false: the end */
uint32_t naive_team(const naive_cursor *c);
void naive_stop(naive_cursor *c);

/* ---- distances by brute force ------------------------------------------------------------------
 */

/* Accesses since the last one of the same line, 0: there is none. O(n) */
uint64_t naive_interval(const uint64_t *line, size_t at);
/* Different lines between the two, UINT64_MAX: it is the first. O(n^2) */
uint64_t naive_distance(const uint64_t *line, size_t at);

#endif
