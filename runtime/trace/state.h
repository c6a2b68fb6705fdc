/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The walker's state. Internal to the walker.
 */
#ifndef PLUSSI_TRACE_STATE_H
#define PLUSSI_TRACE_STATE_H

#include "base/effort.h"
#include "team/iterset.h"
#include "team/recorded_iterset.h"
#include "trace/steps.h"
#include "trace/walk.h"

/* One access of a flat loop's iteration. */
typedef struct flat_access {
    uint64_t address, increment;
    uint32_t ref;
} flat_access;

/* State of a thread in one of the collapsed loops. */
typedef struct walk_level {
    int64_t lo;
    uint64_t trips, at;
} walk_level;

typedef struct walk_thread {
    uint32_t number;
    uint32_t step;
    uint32_t entry;                  /* next entry of the current REFS or FLAT */
    bool inside;                     /* within the current FLAT */
    bool joined;                     /* waits at the end of the region */
    bool waits;                      /* at a barrier, or joined */
    uint64_t seen;                   /* walk->epoch of its last call */
    uint64_t left;                   /* FLAT, ROW_FLAT: iterations not yet finished */
    uint64_t row_left;               /* ROW: iterations of the row, including the current one */
    uint64_t rest[PLUSSI_MAX_SLOTS]; /* LOOP: iterations after the current one */
    int64_t iv[PLUSSI_MAX_SLOTS];
    flat_access *flat; /* space for most_flat */
    /* the current worksharing loop */
    plussi_iterset set;
    uint64_t position, count; /* in the iteration set; not used on demand */
    uint64_t next, end;       /* of the current run: iterations not yet in a row */
    uint64_t row_at;          /* iteration of the levels */
    walk_level *level;        /* space for most_levels */
    uint64_t encounter;       /* its number, if it has a pool */
    uint64_t n_encounters;    /* pools met in this phase */
} walk_thread;

/* What the threads of a team share about a dispatched construct. */
typedef struct walk_pool {
    uint32_t step;
    uint32_t passed; /* threads that have left it */
    bool taken;      /* SINGLE */
    bool stolen;     /* RAYON: `shares` holds the iteration sets */
    plussi_dispatch dispatch;
    plussi_itersets sets;
    uint64_t time; /* RECORDED: number of the loop's execution */
} walk_pool;

struct plussi_walk {
    plussi_ctx *ctx;
    plussi_effort *effort; /* NULL: no bound */
    const plussi_bound *bound;
    step_program program;
    uint64_t seed;
    uint32_t line_shift;
    plussi_replay *replay;          /* of RECORDED loops; NULL: none */
    uint64_t *times;                /* by loop id: executions so far, of RECORDED loops */
    uint32_t *count_slots;          /* work.c: by loop id; NULL: no loop needs it */
    const plussi_walk_watch *watch; /* NULL: the walk does not count */
    pluss_status status;
    bool ended, fresh; /* fresh: no access was requested yet */
    uint64_t phase, instance, repetition;
    int64_t *base; /* current base of each array */

    walk_thread serial; /* executes the code outside of parallel regions */
    bool parallel; /* inside a region: the team's threads execute; the serial thread is at the FORK
                    */
    uint32_t team, active; /* of the region; threads from `active` on have nothing to do */
    walk_thread *thread;
    flat_access *flat; /* of all threads */
    walk_level *level;
    uint32_t n_threads;         /* allocated threads */
    uint64_t epoch, fork_epoch; /* number of forks and barriers so far */
    uint32_t n_waiting, n_joined;

    walk_pool *pool; /* queue, from pool[first_pool]: those that some thread has yet to leave */
    size_t first_pool, n_pools, cap_pools;
    uint64_t first_encounter; /* number of pool[first_pool] */
};

typedef enum walk_stop {
    STOP_FULL,  /* the buffer is full: an access follows */
    STOP_CLAIM, /* would take a chunk, but only at the start of a call */
    STOP_WAIT,  /* at a barrier or the region's end */
    STOP_FORK,  /* serial code at a parallel region */
    STOP_END,
    STOP_FAIL
} walk_stop;

/* run.c: executes until it must stop; *n accesses are in buf. With cap 0 it finds out what comes
 * next. */
walk_stop plussi_walk_run(plussi_walk *w, walk_thread *t, plussi_access *buf, size_t cap,
                          size_t *n);
/* false: the effort does not suffice, and the walk has failed. */
bool plussi_walk_pay(plussi_walk *w, uint64_t steps);
pluss_status plussi_walk_fail(plussi_walk *w, const plussi_bound_node *node, pluss_status status,
                              const char *what);

/* The same, for a value outside of an array's contents. */
void plussi_walk_fault(plussi_walk *w, const plussi_bound_node *node, const plussi_cexpr *x,
                       const int64_t *iv);

/* rows.c: worksharing loops (rows of collapsed ones). begin: counts the iterations of the
 * (collapsed) loop for t. */
bool plussi_rows_begin(plussi_walk *w, walk_thread *t, const step *s, uint64_t *n);
bool plussi_rows_seek(plussi_walk *w, walk_thread *t, const step *s, uint64_t target);
/* First value and trip count of a loop; false: failed. */
bool plussi_walk_trips(plussi_walk *w, const plussi_bound_node *loop, const int64_t *iv,
                       int64_t *lo, uint64_t *trips);
/* A thread's iterations of the loop at ITERSET step s: prepares them; meets or makes the pool. */
bool plussi_iterset_begin(plussi_walk *w, walk_thread *t, uint32_t at);

/* pool.c */
walk_pool *plussi_pool_meet(plussi_walk *w, walk_thread *t, uint32_t at, bool *is_new);
walk_pool *plussi_pool_find(plussi_walk *w, uint64_t encounter);
void plussi_pool_pass(plussi_walk *w, uint64_t encounter);
void plussi_pool_clear(plussi_walk *w);

/* work.c. prepare: at the start. work: accesses of iterations [lo, hi) of the loop at an ITERSET
 * step, with branches by their probability. Overwrites t's IVs. */
PLUSS_NODISCARD pluss_status plussi_work_prepare(plussi_walk *w);
double plussi_walk_work(plussi_walk *w, walk_thread *t, const step *s, uint64_t lo, uint64_t hi);
/* Accesses of every iteration of the loop at an ITERSET step; negative: they differ. */
double plussi_walk_each(plussi_walk *w, walk_thread *t, const step *s, uint64_t lo);

#endif
