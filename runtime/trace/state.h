/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The walker's state. Inside of the walker only.
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

/* Where a thread is in one of the collapsed loops. */
typedef struct walk_level {
    int64_t lo;
    uint64_t trips, at;
} walk_level;

typedef struct walk_thread {
    uint32_t number;
    uint32_t step;
    uint32_t entry;                  /* next entry of the present REFS or FLAT */
    bool inside;                     /* of the present FLAT */
    bool joined;                     /* waits at the end of the region */
    bool waits;                      /* at a barrier, or joined */
    uint64_t seen;                   /* walk->epoch when it was last run */
    uint64_t left;                   /* FLAT, ROW_FLAT: iterations not yet finished */
    uint64_t row_left;               /* ROW: iterations of the row, the present one too */
    uint64_t rest[PLUSSI_MAX_SLOTS]; /* LOOP: iterations after the present one */
    int64_t iv[PLUSSI_MAX_SLOTS];
    flat_access *flat; /* room for most_flat */
    /* the present worksharing loop */
    plussi_iterset set;
    uint64_t position, count; /* in the iteration set; not used on demand */
    uint64_t next, end;       /* of the present run: iterations not yet in a row */
    uint64_t row_at;          /* the iteration that the levels are at */
    walk_level *level;        /* room for most_levels */
    uint64_t encounter;       /* its number, if it is in a pool */
    uint64_t n_encounters;    /* pools met in this phase */
} walk_thread;

/* What the threads of a team share about a construct whose work is dispatched. */
typedef struct walk_pool {
    uint32_t step;
    uint32_t passed; /* threads that are through with it */
    bool taken;      /* SINGLE */
    bool stolen;     /* RAYON: shares holds who executes what */
    plussi_dispatch dispatch;
    plussi_itersets sets;
    uint64_t time; /* RECORDED: which execution of the loop */
} walk_pool;

struct plussi_walk {
    plussi_ctx *ctx;
    plussi_effort *effort; /* NULL: not bounded */
    const plussi_bound *bound;
    step_program program;
    uint64_t seed;
    uint32_t line_shift;
    plussi_replay *replay;          /* of RECORDED loops; NULL: none */
    uint64_t *times;                /* by loop id: executions so far, of RECORDED loops */
    uint32_t *count_slots;          /* work.c: by loop id; NULL: no loop needs it */
    const plussi_walk_watch *watch; /* NULL: the walk does not count */
    pluss_status status;
    bool ended, fresh; /* fresh: nothing was asked for yet */
    uint64_t phase, instance, repetition;
    int64_t *base; /* present base of each array */

    walk_thread serial; /* executes what is outside of parallel regions */
    bool parallel;      /* in a region: the team's threads execute, serial code: at the FORK */
    uint32_t team,
        active; /* of the region; threads with this number and above have nothing to do */
    walk_thread *thread;
    flat_access *flat; /* of all threads */
    walk_level *level;
    uint32_t n_threads;         /* that there is room for */
    uint64_t epoch, fork_epoch; /* counts forks and barriers */
    uint32_t n_waiting, n_joined;

    walk_pool
        *pool; /* a queue: those that not all threads are through with, from pool[first_pool] */
    size_t first_pool, n_pools, cap_pools;
    uint64_t first_encounter; /* number of pool[first_pool] */
};

typedef enum walk_stop {
    STOP_FULL,  /* no more room: an access follows */
    STOP_CLAIM, /* would take work on demand, but must be asked anew first */
    STOP_WAIT,  /* at a barrier or the region's end */
    STOP_FORK,  /* serial code at a parallel region */
    STOP_END,
    STOP_FAIL
} walk_stop;

/* run.c: executes until it must stop; *n accesses are in buf. With cap 0 it tells what comes next.
 */
walk_stop plussi_walk_run(plussi_walk *w, walk_thread *t, plussi_access *buf, size_t cap,
                          size_t *n);
/* false: the effort does not suffice, and the walk has failed. */
bool plussi_walk_pay(plussi_walk *w, uint64_t steps);
pluss_status plussi_walk_fail(plussi_walk *w, const plussi_bound_node *node, pluss_status status,
                              const char *what);

/* The same, of a value that is not in an array's contents. */
void plussi_walk_fault(plussi_walk *w, const plussi_bound_node *node, const plussi_cexpr *x,
                       const int64_t *iv);

/* rows.c: worksharing loops. begin: counts the iterations of the (collapsed) loop for t. */
bool plussi_rows_begin(plussi_walk *w, walk_thread *t, const step *s, uint64_t *n);
bool plussi_rows_seek(plussi_walk *w, walk_thread *t, const step *s, uint64_t target);
/* First value and trip count of a loop; false: failed. */
bool plussi_walk_trips(plussi_walk *w, const plussi_bound_node *loop, const int64_t *iv,
                       int64_t *lo, uint64_t *trips);
/* A thread's iterations of the loop at SHARE step s: sets it up, meets or makes the pool. */
bool plussi_iterset_begin(plussi_walk *w, walk_thread *t, uint32_t at);

/* pool.c */
walk_pool *plussi_pool_meet(plussi_walk *w, walk_thread *t, uint32_t at, bool *is_new);
walk_pool *plussi_pool_find(plussi_walk *w, uint64_t encounter);
void plussi_pool_pass(plussi_walk *w, uint64_t encounter);
void plussi_pool_clear(plussi_walk *w);

/* work.c. prepare: at the start. work: accesses of iterations [lo, hi) of the loop at a SHARE step,
 * branches by their probability. t is used up to its IVs. */
PLUSS_NODISCARD pluss_status plussi_work_prepare(plussi_walk *w);
double plussi_walk_work(plussi_walk *w, walk_thread *t, const step *s, uint64_t lo, uint64_t hi);
/* All iterations of the loop at a SHARE step are of that many accesses; negative: they differ. */
double plussi_walk_each(plussi_walk *w, walk_thread *t, const step *s, uint64_t lo);

#endif
