/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Regions, their runs, and which collector the calling thread writes to.
 *
 * A run has a collector for each thread number of its teams; thread k's is made and used by
 * whichever system thread plays k, so the access path touches thread-local and own memory alone.
 * When a run ends its collectors are added to the sums for its (region, symbol values, team), in
 * thread order. The list of sums is the only shared state; its lock is taken at begin and end.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "rt/record.h"
#include "rt/runs.h"

#ifndef PLUSSI_VERSION
#define PLUSSI_VERSION "0"
#endif

enum { MAX_TEAM = 4096 };

struct pluss_rt_run {
    const pluss_rt_region *region;
    pluss_rt_run *outer; /* the caller's run before this one */
    int64_t *symbols;
    uint64_t *bases;
    _Atomic(plussi_collector *) thread[MAX_TEAM];
    atomic_bool busy[MAX_TEAM]; /* a system thread is playing this thread number now */
    atomic_uint team;           /* the largest seen */
    atomic_uint_fast64_t lost;
};

/* The calling thread's place: which run and collector it writes to; saved by thread_begin. */
typedef struct place {
    pluss_rt_run *run;
    plussi_collector *collector; /* NULL: what it does is counted as lost */
    uint32_t thread;
    bool owns; /* it set run->busy[thread] */
} place;

static _Thread_local place here;
static _Thread_local place before; /* of the thread that is inside thread_begin ... thread_end */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static plussi_sums sums; /* guarded by lock */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void write_at_exit(void)
{
    const char *path = getenv("PLUSS_RECORD");
    if (path && *path)
        pluss_rt_write(path);
}

static void lock_all(void)
{
    pthread_mutex_lock(&lock);
}
static void unlock_all(void)
{
    pthread_mutex_unlock(&lock);
}

/* A child process has recorded nothing yet: what its parent did is the parent's to write. */
static void forget_in_child(void)
{
    plussi_sums_clear(&sums);
    pthread_mutex_unlock(&lock);
}

static void start(void)
{
    atexit(write_at_exit);
    pthread_atfork(lock_all, unlock_all, forget_in_child);
}

static void run_free(pluss_rt_run *run)
{
    for (uint32_t k = 0; k < MAX_TEAM; k++)
        plussi_collector_free(atomic_load_explicit(&run->thread[k], memory_order_relaxed));
    free(run->symbols);
    free(run->bases);
    free(run);
}

static plussi_collector *collector_of(pluss_rt_run *run, uint32_t thread)
{
    plussi_collector *c = atomic_load_explicit(&run->thread[thread], memory_order_acquire);
    if (!c) {
        c = plussi_collector_new(run->region->n_refs);
        atomic_store_explicit(&run->thread[thread], c, memory_order_release);
    }
    return c;
}

pluss_rt_run *pluss_rt_region_begin(const pluss_rt_region *region, const int64_t *symbols,
                                    const void *const *bases)
{
    pthread_once(&once, start);
    if (here.run)
        return NULL; /* inside another region: the outer one is what is recorded */
    pluss_rt_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    run->region = region;
    run->symbols = calloc(region->n_symbols + 1u, sizeof *run->symbols);
    run->bases = calloc(region->n_arrays + 1u, sizeof *run->bases);
    if (!run->symbols || !run->bases) {
        run_free(run);
        return NULL;
    }
    for (uint32_t i = 0; symbols && i < region->n_symbols; i++)
        run->symbols[i] = symbols[i];
    for (uint32_t i = 0; bases && i < region->n_arrays; i++)
        run->bases[i] = (uint64_t)(uintptr_t)bases[i];
    atomic_store(&run->team, 1);
    here = (place){.run = run, .collector = collector_of(run, 0), .owns = true};
    atomic_store(&run->busy[0], true);
    return run;
}

void pluss_rt_region_end(pluss_rt_run *run)
{
    if (!run)
        return;
    here = (place){0};
    uint32_t team = atomic_load(&run->team);
    plussi_collector *thread[MAX_TEAM] = {0};
    for (uint32_t k = 0; k < team; k++)
        thread[k] = atomic_load_explicit(&run->thread[k], memory_order_acquire);
    plussi_collect_shared(thread, team);
    pthread_mutex_lock(&lock);
    plussi_sum *sum =
        plussi_sums_find(&sums, run->region, run->symbols, run->bases, team, PLUSSI_BY_PROFILE);
    if (sum) {
        plussi_sums_ran(&sums, sum, run->bases);
        sum->runs++;
        for (uint32_t k = 0; k < team; k++)
            if (thread[k])
                plussi_collector_merge(sum->thread[k], thread[k]);
        sum->lost += atomic_load(&run->lost);
    } else {
        sums.lost_runs++;
    }
    pthread_mutex_unlock(&lock);
    run_free(run);
}

void pluss_rt_thread_begin(pluss_rt_run *run, uint32_t thread, uint32_t team)
{
    if (!run)
        return;
    if (before.run)
        return; /* a team inside a team: its accesses are the outer thread's */
    before = here.run ? here : (place){.run = run};
    if (thread >= MAX_TEAM || team > MAX_TEAM) {
        here = (place){.run = run};
        return;
    }
    unsigned seen = atomic_load(&run->team);
    while (seen < team && !atomic_compare_exchange_weak(&run->team, &seen, team)) {
    }
    /* Two system threads with one number (teams inside teams): the second would race; it is counted
     * as lost instead. The thread that began the region may play thread 0 twice, in turn. */
    bool mine = before.collector && before.collector == collector_of(run, thread);
    if (!mine && atomic_exchange(&run->busy[thread], true))
        here = (place){.run = run};
    else
        here = (place){.run = run, .collector = collector_of(run, thread)};
    here.owns = here.collector && !mine;
    here.thread = thread;
}

void pluss_rt_thread_end(pluss_rt_run *run)
{
    if (!run || before.run != run)
        return;
    if (here.owns)
        atomic_store(&run->busy[here.thread], false);
    here = before.collector ? before : (place){0};
    before = (place){0};
}

void pluss_rt_access(uint32_t ref, const void *address)
{
    pluss_rt_run *run = here.run;
    if (!run)
        return;
    if (!here.collector || ref >= run->region->n_refs) {
        atomic_fetch_add_explicit(&run->lost, 1, memory_order_relaxed);
        return;
    }
    plussi_collect(here.collector, ref, &run->region->ref[ref], (uint64_t)(uintptr_t)address);
}

bool plussi_runs_inside(void)
{
    return here.run != NULL;
}

void plussi_runs_lost(void)
{
    pthread_once(&once, start);
    pthread_mutex_lock(&lock);
    sums.lost_runs++;
    pthread_mutex_unlock(&lock);
}

void plussi_runs_sampled(const pluss_rt_region *region, const int64_t *symbols,
                         const uint64_t *bases, uint32_t team, plussi_collector *const *thread,
                         uint64_t lost)
{
    pthread_once(&once, start);
    pthread_mutex_lock(&lock);
    plussi_sum *sum = plussi_sums_find(&sums, region, symbols, bases, team, PLUSSI_BY_SAMPLE);
    if (sum) {
        sum->runs++;
        sum->lost += lost;
        for (uint32_t k = 0; k < team; k++)
            if (thread[k])
                plussi_collector_merge(sum->thread[k], thread[k]);
    } else {
        sums.lost_runs++;
    }
    pthread_mutex_unlock(&lock);
}

int pluss_rt_write(const char *path)
{
    pthread_mutex_lock(&lock);
    int error = plussi_sums_write(&sums, path);
    pthread_mutex_unlock(&lock);
    return error;
}

void pluss_rt_reset(void)
{
    pthread_mutex_lock(&lock);
    plussi_sums_clear(&sums);
    pthread_mutex_unlock(&lock);
}

const char *pluss_rt_version(void)
{
    return PLUSSI_VERSION;
}
