/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A region's run while it is open, and the state of the process. runs.c has the actions of threads.
 */
#ifndef PLUSSI_RT_RUN_STATE_H
#define PLUSSI_RT_RUN_STATE_H

#include <pthread.h>

#include "rt/keep_errno.h"
#include "rt/record.h"
#include "rt/record_path.h"
#include "rt/runs.h"
#include "rt/sidecar.h"
#include "rt/stamps.h"
#include "rt/ticks.h"
#include "rt/touch_log.h"

enum { PLUSSI_MAX_TEAM = 4096 };

/* Thread k of a run. */
typedef struct plussi_member {
    plussi_collector *collector; /* NULL: only values and addresses are recorded */
    plussi_touch_log *touches;   /* NULL: not wanted */
    plussi_stamps *stamps;       /* likewise */
    plussi_fill *fill;           /* likewise */
    plussi_chunk_entry *chunk;   /* the chunks that it executed */
    size_t n_chunks, cap_chunks;
    uint32_t *times; /* by loop, number of its executions */
    size_t n_times;
} plussi_member;

/* Made once and reused: used parts are cleared. */
struct pluss_rt_run {
    plussi_known *known;
    const pluss_rt_region *region; /* its */
    int64_t *symbols;
    uint64_t *bases;
    struct plussi_room {
        int64_t *symbols;
        uint64_t *bases;
        size_t cap_symbols, cap_bases;
    } room;
    plussi_by by;
    bool timed;   /* has time stamps */
    bool counted; /* accesses outside of its description are counted: */
    atomic_uint_fast64_t outside;
    bool called;           /* the last reference has the accesses of called functions */
    uint64_t follow_from;  /* counted: as plussi_collector_follow has it */
    unsigned follow_shift; /* likewise */
    bool paused;           /* others began in it: it is in the order of all runs in pieces, */
    size_t pieces_from;    /* from this entry on, */
    plussi_carried found;  /* which have found this, */
    plussi_tally seen;     /* and touched these lines */
    uint64_t teams;        /* parallel constructs that it has begun, outermost ones alone, */
    uint64_t teams_before; /* and by the last piece */
    bool around;           /* others began in it, and its accesses are not recorded; */
    bool parted;           /* one of them where it is not known what it had done by then */
    bool filled;           /* accesses that the description has as unknowns are kept in order */
    uint32_t filled_team;  /* threads of the team that has done so; 0: none yet */
    bool serial;           /* the program outside of regions, between two of them */
    bool shared;           /* each thread of a team enters it */
    bool abandoned;        /* began in the process from which this one was forked */
    uint32_t joined, left; /* shared: number of threads that have entered and left, */
    bool apart_from_outer; /* none of them in the midst of an access of the outer region's */
    pluss_rt_run *outer;   /* region in which it began */
    const void *frame;     /* stack frame in which it began */
    uint32_t number;
    uint64_t began;
    uint64_t start, apart;     /* nanoseconds: when it began; those that are not its own */
    uint64_t took;             /* once its clock has stopped */
    pluss_rt_run *next, *prev; /* open ones */
    atomic_uint team;          /* the largest seen */
    uint32_t default_team;     /* of constructs without num_threads, if it is smaller; 0: unknown */
    atomic_uint_fast64_t lost;
    atomic_uint forks;       /* number of parallel constructs begun */
    plussi_sampled *sampled; /* from a sampler; guarded by lock */
    /* below `team` */
    _Atomic(plussi_member *) thread[PLUSSI_MAX_TEAM];
    atomic_bool busy[PLUSSI_MAX_TEAM]; /* a system thread has this thread number at present */
};

/* The state of the process; the lock guards all but `started`. */
typedef struct plussi_open_runs {
    pthread_mutex_t lock;
    plussi_sums sums;
    pluss_rt_run *open; /* the newest; `next` goes to older ones */
    uint32_t n_began;
    bool forked;
    atomic_bool started;
    struct plussi_run_clock {
        uint64_t start;      /* of the program */
        uint64_t busy;       /* since when a run is open, if one is */
        uint64_t in_regions; /* time with an open run, until the last one ended */
        uint64_t apart;      /* spent by this library: no time of the program */
        uint64_t apart_busy; /* of it, while a run was open */
    } clock;
} plussi_open_runs;

extern plussi_open_runs plussi_runs;
/* Detects that the thread already holds it: exit may be called in a signal handler. */
#define PLUSSI_RUNS_LOCK PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP

/* ---- run_made.c -------------------------------------------------------------------------------
 */

/* Opens one; NULL: out of memory. lock is held. O(symbols + arrays). */
pluss_rt_run *plussi_run_new(const pluss_rt_region *region, const int64_t *symbols,
                             const void *const *bases, uint32_t how);
enum { PLUSSI_RUN_SERIAL = 1 << 16 };      /* added to `how` */
void plussi_run_unlink(pluss_rt_run *run); /* from the open ones; lock is held */
void plussi_run_free(pluss_rt_run *run);   /* lock is not held */
void plussi_runs_forget(void);             /* in a child process; lock is held */
/* Thread k, made at its first use; NULL: out of memory. Called by the thread with number k. */
plussi_member *plussi_run_member(pluss_rt_run *run, uint32_t thread);
/* NULL: none. Also from a signal handler. */
const plussi_stamps *plussi_run_stamps(const void *run, uint32_t k);

/* ---- run_clock.c: time of runs and of what is between them, nanoseconds; lock is held ---------
 */

void plussi_run_clock_restart(void);
void plussi_run_clock_begin(pluss_rt_run *run); /* before it is linked to the open ones */
/* Sets took: the time since it began, without that of runs inside of it and of samplers; gives the
 * time. The run is no longer open. O(open runs). */
uint64_t plussi_run_clock_end(pluss_rt_run *run);
/* The run that ended then is added up. */
void plussi_run_clock_added(const pluss_rt_run *run, uint64_t since);
void plussi_run_clock_sampled(pluss_rt_run *run, uint64_t since); /* a sampler worked in the run */
void plussi_run_clock_total(plussi_sums *sums); /* the program's time until now, open runs or not */

/* ---- runs.c: what the calling thread has counted since the last time is its run's, or serial */
void plussi_run_settle(void);
/* Ends the calling thread's run of what is outside of regions, if it is in one; lock is not held.
 */
void plussi_run_end_serial(void);
/* Was the calling thread interrupted while it recorded an access? Then it does not end the run. */
bool plussi_run_records(void);

/* ---- run_sums.c -------------------------------------------------------------------------------
 */

/* Another run begins in this one; known: in its serial part. lock is held. */
void plussi_run_surround(pluss_rt_run *run, bool known);
/* What it did until then goes into the order of runs. lock is held. */
void plussi_run_pause(pluss_rt_run *run);
/* Adds a run to the sums. `live`: its threads may still be running (after plussi_collectors_stop).
 * lock is held. */
void plussi_run_add_up(pluss_rt_run *run, bool live);

#endif
