/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Regions, and the collector to which the calling thread writes.
 *
 * A run has a member for each thread number of its teams; the system thread with number k makes and
 * uses thread k's, so that the access path uses only thread-local and private memory. At the end of
 * a run its collectors are added to the sums for its (region, symbol values, team), in thread
 * order. The list of sums and that of open runs are the only shared state; their lock is taken
 * where regions begin and end.
 */
#include "rt/follow.h"
#include "rt/hold_signals.h"
#include "rt/own_memory.h"
#include "rt/run_state.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifndef PLUSSI_VERSION
#define PLUSSI_VERSION "0"
#endif

enum { MAX_DEPTH = 16, MAX_DIMS = 8, FIRST_PRIORITY = 101 };

/* The worksharing loop in which the calling thread is. */
typedef struct loop_place {
    uint32_t loop, time, dims;
    bool open;
    int64_t first[MAX_DIMS], step[MAX_DIMS];
    uint64_t trips[MAX_DIMS], index;
    uint64_t lo, hi; /* the current chunk so far */
} loop_place;

/* The state of the calling thread. */
typedef struct place {
    pluss_rt_run *run;
    plussi_member *member; /* NULL: its accesses count as lost */
    uint32_t thread;
    bool owns; /* it has set run->busy[thread] */
    bool team; /* inside a team */
} place;

static _Thread_local place here;
static _Thread_local place outside[MAX_DEPTH]; /* its states in outer regions, outermost first */
static _Thread_local uint32_t depth;
static _Thread_local uint32_t ignored; /* open regions that are not recorded by themselves */
static _Thread_local const pluss_rt_region *ignored_region; /* the only one; NULL: there are more */
static _Thread_local uint32_t inner;                        /* nested thread_begin inside a team */
static _Thread_local loop_place loop;
/* here's collector on the fast path; NULL: the slow path is taken. */
static _Thread_local plussi_collector *collecting __attribute__((tls_model("initial-exec")));
/* The same where it follows lines; of accesses of called functions. */
static _Thread_local plussi_collector *following __attribute__((tls_model("initial-exec")));
static _Thread_local struct {
    plussi_near_set *near; /* NULL: the slow path is taken */
    plussi_collector *collector;
    plussi_ref_tally *tally;
    /* In the frame that records an access of this thread; NULL: none does. What comes in between is
     * a signal handler. */
    const volatile uintptr_t *recording;
} calling __attribute__((tls_model("initial-exec")));
static _Thread_local plussi_stamps *stamping __attribute__((tls_model("initial-exec")));

static _Thread_local plussi_fill *filling __attribute__((tls_model("initial-exec")));

__thread pluss_rt_count pluss_rt_counted;
static _Thread_local uint64_t settled; /* of these, those that a run or the serial part has */

static _Thread_local bool records_serial; /* what it does outside of regions */

static pluss_rt_run nothing; /* result of enter for a region that is not recorded */

/* What was counted since the last time was counted here. */
void plussi_run_settle(void)
{
    uint64_t new = pluss_rt_counted.accesses - settled;
    if (!new)
        return;
    settled += new;
    atomic_fetch_add_explicit(here.run ? &here.run->outside : &plussi_runs.sums.serial, new,
                              memory_order_relaxed);
}

static void go_to(place p)
{
    plussi_run_settle();
    here = p;
    plussi_collector *const all = p.member ? p.member->collector : NULL;
    plussi_collector *const direct = all && !p.member->touches ? all : NULL;
    collecting = ignored == 0 && direct && !direct->follow ? direct : NULL;
    stamping = p.member && ignored == 0 && inner == 0 ? p.member->stamps : NULL;
    filling = p.member && ignored == 0 ? p.member->fill : NULL;
    following = ignored == 0 && direct && direct->follow ? direct : NULL;
    calling.collector = direct && direct->follow && p.run->called && !filling ? direct : NULL;
    calling.near = calling.collector ? all->follow->near : NULL;
    calling.tally = calling.collector ? &all->ref[all->n_refs - 1] : NULL;
    pluss_rt_counted.called = p.run ? all && p.run->called : records_serial && ignored == 0;
}

/* ---- the process ------------------------------------------------------------------------------
 */

static sigset_t signals_before_fork; /* guarded by the runs' lock */

static void lock_all(void)
{
    const sigset_t before = plussi_block_signals();
    pthread_mutex_lock(&plussi_runs.lock);
    signals_before_fork = before;
}

static void unlock_all(void)
{
    const sigset_t before = signals_before_fork;
    pthread_mutex_unlock(&plussi_runs.lock);
    plussi_unblock_signals(&before);
}

/* The parent writes its own. */
static void forget_record(void)
{
    plussi_run_settle();
    plussi_sums_clear(&plussi_runs.sums);
    plussi_run_clock_restart();
    for (pluss_rt_run *run = plussi_runs.open; run; run = run->next)
        run->abandoned = true;
    plussi_runs.open = NULL;
    plussi_runs.forked = true;
    plussi_record_path_forked();
    depth = ignored = inner = 0;
    go_to((place){0});
    plussi_sidecar_forget();
    plussi_stamps_forget();
    plussi_stops_forget();
    plussi_runs_forget();
    plussi_collectors_forget();
}

/* A child process starts without a record. */
static void start_child(void)
{
    if (atomic_load(&plussi_runs.started))
        forget_record();
    plussi_runs.lock = (pthread_mutex_t)PLUSSI_RUNS_LOCK; /* its owner was the parent's thread */
    plussi_unblock_signals(&signals_before_fork);
}

/* Before anything of the program is recorded, as it allocates. */
__attribute__((constructor(FIRST_PRIORITY))) static void watch_forks(void)
{
    pthread_atfork(lock_all, unlock_all, start_child);
}

static void start_process(void)
{
    if (!atomic_load_explicit(&plussi_runs.started, memory_order_relaxed))
        atomic_store(&plussi_runs.started, true);
}

/* ---- loops ------------------------------------------------------------------------------------
 */

static void put_chunk(plussi_member *m)
{
    PLUSSI_KEEP_ERRNO;
    if (!loop.open || loop.lo == loop.hi || !m)
        return;
    if (m->n_chunks == m->cap_chunks) {
        size_t cap = m->cap_chunks ? 2 * m->cap_chunks : 16;
        plussi_chunk_entry *grown = plussi_realloc(&plussi_own, m->chunk, cap, sizeof *grown);
        if (!grown) {
            atomic_fetch_add_explicit(&here.run->lost, 1, memory_order_relaxed);
            return;
        }
        m->chunk = grown;
        m->cap_chunks = cap;
    }
    m->chunk[m->n_chunks++] = (plussi_chunk_entry){loop.loop, loop.time, loop.lo, loop.hi};
}

/* The thread has left its loop. */
static void leave_loop(void)
{
    put_chunk(here.member);
    loop.open = false;
    loop.lo = loop.hi = 0;
    if (here.member && here.member->touches)
        plussi_touch_log_cut(here.member->touches);
}

static bool next_time(plussi_member *m, uint32_t number, uint32_t *time)
{
    if (number >= m->n_times) {
        uint32_t *grown = plussi_realloc(&plussi_own, m->times, number + 1u, sizeof *grown);
        if (!grown)
            return false;
        memset(grown + m->n_times, 0, (number + 1u - m->n_times) * sizeof *grown);
        m->times = grown;
        m->n_times = number + 1u;
    }
    *time = m->times[number]++;
    return true;
}

void pluss_rt_loop(uint32_t number, uint32_t dim, int64_t first, int64_t last, int64_t step)
{
    PLUSSI_KEEP_ERRNO;
    if (!here.member || ignored || inner || dim >= MAX_DIMS || step == 0)
        return;
    if (dim == 0) {
        leave_loop();
        loop.loop = number;
        loop.open = next_time(here.member, number, &loop.time);
    }
    uint64_t apart = step > 0 ? (uint64_t)last - (uint64_t)first : (uint64_t)first - (uint64_t)last;
    uint64_t stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
    bool any = step > 0 ? first < last : first > last;
    loop.first[dim] = first;
    loop.step[dim] = step;
    loop.trips[dim] = any ? (apart - 1) / stride + 1 : 0;
    loop.dims = dim + 1;
}

void pluss_rt_iteration(uint32_t dim, int64_t value)
{
    if (!loop.open || ignored || inner || dim >= loop.dims)
        return;
    uint64_t apart = (uint64_t)value - (uint64_t)loop.first[dim];
    uint64_t at =
        loop.step[dim] > 0 ? apart / (uint64_t)loop.step[dim] : -apart / -(uint64_t)loop.step[dim];
    loop.index = dim == 0 ? at : loop.index * loop.trips[dim] + at;
    if (dim + 1 < loop.dims)
        return;
    if (filling) {
        PLUSSI_KEEP_ERRNO;
        plussi_fill_begin(filling, loop.loop, loop.time, loop.index);
    }
    if (loop.lo != loop.hi && loop.index == loop.hi) {
        loop.hi++;
        return;
    }
    put_chunk(here.member);
    loop.lo = loop.index;
    loop.hi = loop.index + 1;
}

/* ---- regions ----------------------------------------------------------------------------------
 */

static void finish_run(pluss_rt_run *run)
{
    PLUSSI_HOLD_SIGNALS; /* handlers touch lines, and may begin regions: memory for them */
    pthread_mutex_lock(&plussi_runs.lock);
    if (!run->abandoned) {
        plussi_run_unlink(run);
        const uint64_t now = plussi_run_clock_end(run);
        plussi_run_add_up(run, false);
        plussi_run_clock_added(run, now);
    }
    pthread_mutex_unlock(&plussi_runs.lock);
    plussi_run_free(run);
}

/* ---- outside of regions: the program's first thread, in functions that record what they access
 * ----
 */

__attribute__((constructor)) static void start_serial(void)
{
    PLUSSI_KEEP_ERRNO;
    const char *wanted = getenv("PLUSS_RECORD_SERIAL");
    char *path = plussi_record_path();
    records_serial = path && !(wanted && strcmp(wanted, "0") == 0);
    pluss_rt_counted.called = records_serial;
    plussi_free(&plussi_own, path);
}

enum { RECORDING_MARK = 0x5a17c0de };

static inline void begin_recording(volatile uintptr_t *mark)
{
    *mark = (uintptr_t)mark ^ RECORDING_MARK;
    calling.recording = mark;
    atomic_signal_fence(memory_order_seq_cst);
}

static inline void end_recording(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    calling.recording = NULL;
}

/* A handler may have left the interrupted code by a jump. Then the frame is above this one, or
 * another one is in its place, unless the handler has a stack of its own. */
static __attribute__((noinline, cold, no_sanitize("address"))) bool is_interrupted(void)
{
    const volatile uintptr_t *mark = calling.recording, *frame = __builtin_frame_address(0);
    stack_t stack = {.ss_flags = SS_DISABLE};
    if ((frame < mark && *mark == ((uintptr_t)mark ^ RECORDING_MARK)) ||
        (sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK)))
        return true;
    calling.recording = NULL;
    return false;
}

bool plussi_run_records(void)
{
    return calling.recording && is_interrupted();
}

static bool push_place(place p)
{
    if (depth == MAX_DEPTH)
        return false;
    outside[depth++] = here;
    go_to(p);
    return true;
}

static void pop_place(void)
{
    leave_loop();
    if (here.owns)
        atomic_store(&here.run->busy[here.thread], false);
    place p = depth ? outside[--depth] : (place){0};
    go_to(p);
}

/* What it accesses is that of a function that the open region calls. NULL: its end. */
static void ignore_run(const pluss_rt_region *region)
{
    ignored = region ? ignored + 1 : ignored - 1;
    ignored_region = region && ignored == 1 ? region : NULL;
    if (here.member && here.member->fill)
        here.member->fill->failed = true; /* its accesses are in none of the unknowns */
    go_to(here);
}

static pluss_rt_run *begin_run(const pluss_rt_region *region, const int64_t *symbols,
                               const void *const *bases, uint32_t how)
{
    PLUSSI_HOLD_SIGNALS; /* as in finish_run */
    if (pthread_mutex_lock(&plussi_runs.lock) != 0)
        return NULL;
    const bool known = here.run && !here.team && !plussi_run_records();
    if (here.run)
        plussi_run_surround(here.run, known);
    if (known)
        plussi_run_pause(here.run);
    pluss_rt_run *run = plussi_run_new(region, symbols, bases, how);
    if (!run)
        plussi_runs.sums.lost_runs++;
    pthread_mutex_unlock(&plussi_runs.lock);
    if (!run)
        return NULL;
    run->outer = here.run;
    atomic_store(&run->busy[0], true);
    push_place((place){.run = run, .member = plussi_run_member(run, 0), .owns = true});
    return run;
}

/* Begins a run of what is outside of regions. False: no memory, or in a signal handler that
 * interrupted this library. */
static bool begin_serial(void)
{
    static const pluss_rt_ref any = {1, 1};
    static const pluss_rt_region region = {
        .size = sizeof region, .name = PLUSSI_SERIAL_PARTS, .file = "", .n_refs = 1, .ref = &any};
    PLUSSI_KEEP_ERRNO;
    PLUSSI_HOLD_SIGNALS;
    start_process();
    /* what was counted since the last region is this run's */
    const uint64_t before = settled;
    settled = pluss_rt_counted.accesses;
    const uint32_t how = PLUSS_RT_PROFILE | PLUSS_RT_COUNTED | PLUSS_RT_CALLED | PLUSSI_RUN_SERIAL;
    if (!begin_run(&region, NULL, NULL, how))
        pluss_rt_counted.called = 0;
    settled = before;
    return pluss_rt_counted.called;
}

void plussi_run_end_serial(void)
{
    pluss_rt_run *run = here.run;
    if (!run || !run->serial || here.team || plussi_run_records())
        return;
    pop_place();
    finish_run(run);
}

pluss_rt_run *pluss_rt_region_begin(const pluss_rt_region *region, const int64_t *symbols,
                                    const void *const *bases)
{
    PLUSSI_KEEP_ERRNO;
    start_process();
    plussi_run_end_serial();
    if (here.run || ignored) {
        ignore_run(region); /* inside another region, which alone is recorded */
        return NULL;
    }
    return begin_run(region, symbols, bases, PLUSS_RT_PROFILE);
}

void pluss_rt_region_end(pluss_rt_run *run)
{
    PLUSSI_KEEP_ERRNO;
    if (run) {
        if (here.run == run)
            pop_place();
        finish_run(run);
    } else if (ignored) {
        ignore_run(NULL);
    }
}

/* Drops regions that were left by a jump: their frames are gone. */
static void drop_stale(const pluss_rt_region *region, const void *frame)
{
    while (here.run && !here.team && !here.run->shared && here.run->frame &&
           ((uintptr_t)here.run->frame < (uintptr_t)frame ||
            (here.run->frame == frame && here.run->known->told == region))) {
        ignored = 0;
        pluss_rt_region_end(here.run);
    }
}

pluss_rt_run *pluss_rt_enter(const pluss_rt_region *region, const int64_t *symbols,
                             const void *const *bases, uint32_t how)
{
    PLUSSI_KEEP_ERRNO;
    start_process();
    const void *frame = __builtin_frame_address(0);
    plussi_run_end_serial();
    drop_stale(region, frame);
    pluss_rt_run *run = NULL;
    if (!here.team && !ignored && depth < MAX_DEPTH)
        run = begin_run(region, symbols, bases, how);
    if (run) {
        int threads = omp_get_max_threads ? omp_get_max_threads() : 0;
        run->default_team = threads > 0 ? (uint32_t)threads : 0;
        run->frame = frame;
        return run;
    }
    ignore_run(region);
    return &nothing;
}

/* The open run of such a team without its thread `thread`; else a new one. */
static pluss_rt_run *join_run(const pluss_rt_region *region, const int64_t *symbols,
                              const void *const *bases, uint32_t how, uint32_t thread,
                              uint32_t team)
{
    pluss_rt_run *found = NULL;
    for (pluss_rt_run *run = plussi_runs.open; run; run = run->next) /* the oldest is last */
        if (run->shared && run->known->told == region && run->outer == here.run &&
            atomic_load(&run->team) == team && run->joined < team &&
            !atomic_load(&run->busy[thread]))
            found = run;
    if (!found) {
        found = plussi_run_new(region, symbols, bases, how);
        if (!found)
            return NULL;
        found->shared = found->apart_from_outer = true;
        found->outer = here.run;
        atomic_store(&found->team, team);
    }
    atomic_store(&found->busy[thread], true); /* permanently */
    found->joined++;
    return found;
}

/* Pauses the run in whose team this one begins once all threads have left it for this one, unless
 * one of them is back. lock is held. */
static void pause_team(pluss_rt_run *run, uint32_t team)
{
    run->apart_from_outer = run->apart_from_outer && !plussi_run_records();
    if (here.run && run->joined == team && run->left == 0 && run->apart_from_outer)
        plussi_run_pause(here.run);
}

pluss_rt_run *pluss_rt_enter_team(const pluss_rt_region *region, const int64_t *symbols,
                                  const void *const *bases, uint32_t how, uint32_t thread,
                                  uint32_t team)
{
    PLUSSI_KEEP_ERRNO;
    start_process();
    plussi_run_end_serial();
    PLUSSI_HOLD_SIGNALS; /* until another run is here: the last one to come pauses this one */
    pluss_rt_run *run = NULL;
    if (!ignored && !inner && depth < MAX_DEPTH && thread < team && team <= PLUSSI_MAX_TEAM) {
        pthread_mutex_lock(&plussi_runs.lock);
        if (here.run)
            plussi_run_surround(here.run, false);
        run = join_run(region, symbols, bases, how, thread, team);
        if (run)
            pause_team(run, team);
        else
            plussi_runs.sums.lost_runs++;
        pthread_mutex_unlock(&plussi_runs.lock);
    }
    if (!run) {
        ignore_run(region);
        return &nothing;
    }
    put_chunk(here.member); /* of an outer loop */
    loop.open = false;
    push_place((place){
        .run = run, .member = plussi_run_member(run, thread), .thread = thread, .team = team > 1});
    if (stamping)
        plussi_stamps_team(stamping, PLUSSI_STAMP_BEGIN, 0);
    return run;
}

void pluss_rt_leave(pluss_rt_run *run)
{
    PLUSSI_KEEP_ERRNO;
    if (!run)
        return;
    if (run == &nothing) {
        if (ignored)
            ignore_run(NULL);
        return;
    }
    if (!run->shared) {
        pluss_rt_region_end(run);
        return;
    }
    PLUSSI_HOLD_SIGNALS; /* the outer run may be paused until this one is left */
    if (here.run == run) {
        if (stamping)
            plussi_stamps_team(stamping, PLUSSI_STAMP_END, 0);
        pop_place();
    }
    pthread_mutex_lock(&plussi_runs.lock);
    bool last = ++run->left == atomic_load(&run->team);
    pthread_mutex_unlock(&plussi_runs.lock);
    if (last || (run->abandoned && run->left == 1))
        finish_run(run);
}

/* The current parallel construct of the run. */
static uint32_t this_fork(pluss_rt_run *run)
{
    uint32_t forks = atomic_load(&run->forks);
    return forks ? forks - 1 : 0;
}

void pluss_rt_thread_begin(pluss_rt_run *run, uint32_t thread, uint32_t team)
{
    PLUSSI_KEEP_ERRNO;
    if (!run || run == &nothing)
        return;
    if (here.team) {
        inner++; /* a nested team: its accesses are the outer thread's */
        if (filling)
            filling->failed = true; /* those of its other threads are not known in order */
        go_to(here);
        return;
    }
    place p = {.run = run, .thread = thread, .team = true};
    if (thread < team && team <= PLUSSI_MAX_TEAM) {
        unsigned seen = atomic_load(&run->team);
        while (seen < team && !atomic_compare_exchange_weak(&run->team, &seen, team)) {
        }
        /* Two system threads with one number (nested teams): the second would race, so that it
         * counts as lost. The thread that began the region may be thread 0 twice, one after the
         * other. */
        PLUSSI_HOLD_SIGNALS;
        bool mine = here.run == run && here.owns && here.thread == thread;
        if (mine || !atomic_exchange(&run->busy[thread], true)) {
            p.member = plussi_run_member(run, thread);
            p.owns = !mine;
        }
    }
    if (here.run == run) {
        leave_loop();
        run->teams++; /* by its first thread alone */
    }
    push_place(p);
    if (filling && thread == 0) { /* executions of a loop are numbered by each thread */
        filling->failed = filling->failed || (run->filled_team && run->filled_team != team);
        run->filled_team = team;
    }
    if (stamping)
        plussi_stamps_team(stamping, PLUSSI_STAMP_BEGIN, this_fork(run));
}

void pluss_rt_thread_end(pluss_rt_run *run)
{
    PLUSSI_KEEP_ERRNO;
    if (!run || run == &nothing)
        return;
    if (inner) {
        inner--;
        go_to(here);
    } else if (here.run == run && here.team) {
        if (stamping)
            plussi_stamps_team(stamping, PLUSSI_STAMP_END, this_fork(run));
        pop_place();
    }
}

/* ---- time stamps ------------------------------------------------------------------------------
 */

void pluss_rt_fork(pluss_rt_run *run)
{
    PLUSSI_KEEP_ERRNO;
    if (!run || run == &nothing || here.run != run || here.team || !stamping)
        return;
    plussi_stamps_team(stamping, PLUSSI_STAMP_FORK, atomic_fetch_add(&run->forks, 1));
}

void pluss_rt_mark(uint32_t kind, uint32_t loop_number)
{
    PLUSSI_KEEP_ERRNO;
    static const uint32_t as[] = {[PLUSS_RT_AT_LOOP] = PLUSSI_STAMP_LOOP,
                                  [PLUSS_RT_LOOP_DONE] = PLUSSI_STAMP_DONE,
                                  [PLUSS_RT_AT_BARRIER] = PLUSSI_STAMP_BARRIER,
                                  [PLUSS_RT_AFTER_BARRIER] = PLUSSI_STAMP_GO};
    if (stamping && kind <= PLUSS_RT_AFTER_BARRIER)
        plussi_stamps_mark(stamping, as[kind], loop_number);
}

void pluss_rt_stamp(void)
{
    plussi_stamps *s = stamping;
    if (__builtin_expect(!s, 0))
        return;
    uint64_t begun = atomic_load_explicit(&s->begun, memory_order_relaxed) + 1;
    atomic_store_explicit(&s->begun, begun, memory_order_relaxed);
    if (__builtin_expect(begun >= s->next, 0)) {
        PLUSSI_KEEP_ERRNO;
        plussi_stamps_due(s);
    }
}

void pluss_rt_symbol(uint32_t symbol, int64_t value)
{
    if (here.run && !ignored && symbol < here.run->region->n_symbols)
        __atomic_store_n(&here.run->symbols[symbol], value, __ATOMIC_RELAXED);
}

void pluss_rt_decision(uint32_t symbol, int64_t taken)
{
    if (!here.run || ignored || symbol >= here.run->region->n_symbols)
        return;
    int64_t before = PLUSS_RT_UNDECIDED, *at = &here.run->symbols[symbol];
    if (!__atomic_compare_exchange_n(at, &before, taken, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED) &&
        before != taken)
        __atomic_store_n(at, PLUSS_RT_UNKNOWN, __ATOMIC_RELAXED);
}

void pluss_rt_base(uint32_t array, const void *address)
{
    if (here.run && !ignored && array < here.run->region->n_arrays)
        __atomic_store_n(&here.run->bases[array], (uint64_t)(uintptr_t)address, __ATOMIC_RELAXED);
}

/* ---- accesses ---------------------------------------------------------------------------------
 */

/* The line of this byte of an access. */
static void log_touch(plussi_member *m, uint32_t ref, uint64_t address, uint64_t byte)
{
    const uint64_t line = (address + byte) / PLUSS_RT_LINE_BYTES;
    const uint64_t first =
        line == address / PLUSS_RT_LINE_BYTES ? address % PLUSS_RT_LINE_BYTES : 0;
    plussi_touch_log_add(m->touches, plussi_touch_entry(line, first, ref));
}

static void collect(plussi_collector *c, uint32_t ref, const pluss_rt_ref *shape, uint64_t address)
{
    if (c->follow)
        plussi_follow(c, ref, shape, address);
    else
        plussi_collect(c, ref, shape, address);
}

static void collect_and_log(plussi_member *m, uint32_t ref, uint64_t address)
{
    const pluss_rt_ref *shape = &m->collector->shape[ref];
    uint64_t end = shape->width - 1u;
    collect(m->collector, ref, shape, address);
    if ((address & (shape->stride_gcd - 1u)) + shape->width > shape->stride_gcd)
        for (uint64_t byte = 0; byte < end; byte += PLUSS_RT_LINE_BYTES)
            log_touch(m, ref, address, byte);
    log_touch(m, ref, address, end);
}

/* Of a region in a function that the open region calls: one of its accesses that no description
 * has. */
static void access_ignored(uint32_t ref, uint64_t address)
{
    const pluss_rt_region *told = ignored_region;
    if (told->size < sizeof *told || ref < told->n_described)
        settled--;
    pluss_rt_called((const void *)(uintptr_t)address, told->ref[ref].width);
}

static __attribute__((noinline, cold)) void access_slowly(uint32_t ref, uint64_t address)
{
    PLUSSI_KEEP_ERRNO;
    pluss_rt_run *run = here.run;
    if (ignored) {
        if (run && run->counted && ignored_region && ref < ignored_region->n_refs)
            access_ignored(ref, address);
        return;
    }
    if (!run || run->by == PLUSSI_BY_BIND)
        return;
    if (!here.member || ref >= run->region->n_refs)
        atomic_fetch_add_explicit(&run->lost, 1, memory_order_relaxed);
    else if (here.member->touches)
        collect_and_log(here.member, ref, address);
    else
        collect(here.member->collector, ref, &run->region->ref[ref], address);
}

/* Of a program whose functions record what they access, signal handlers among them, which may end
 * the run until this thread records. */
static void follow_access(uint32_t ref, uint64_t address)
{
    volatile uintptr_t mark;
    if (__builtin_expect(calling.recording != NULL, 0) && is_interrupted())
        return;
    begin_recording(&mark);
    plussi_collector *c = following;
    const bool follows = c && ref < c->n_refs;
    if (__builtin_expect(follows, 1))
        plussi_follow(c, ref, &c->shape[ref], address);
    end_recording();
    if (__builtin_expect(!follows, 0))
        access_slowly(ref, address);
}

void pluss_rt_access(uint32_t ref, const void *address)
{
    plussi_collector *c = collecting;
    if (__builtin_expect(c && ref < c->n_refs, 1))
        plussi_collect(c, ref, &c->shape[ref], (uint64_t)(uintptr_t)address);
    else if (__builtin_expect(following != NULL, 1))
        follow_access(ref, (uint64_t)(uintptr_t)address);
    else
        access_slowly(ref, (uint64_t)(uintptr_t)address);
}

/* A line that it touches. */
static void touch_called(plussi_member *m, uint64_t address)
{
    static const pluss_rt_ref byte = {1, 1};
    const uint32_t ref = m->collector->n_refs - 1;
    collect(m->collector, ref, &byte, address);
    if (m->touches)
        log_touch(m, ref, address, 0);
}

static void fill_access(uint32_t unknown, bool write, uint64_t address, uint32_t bytes)
{
    PLUSSI_KEEP_ERRNO;
    plussi_fill_access(filling, unknown, write, address, bytes);
}

static __attribute__((noinline)) void record_called(uint64_t address, uint32_t bytes, bool store)
{
    const uint64_t last = address + bytes - 1;
    if (__builtin_expect(!here.run, 0) && !begin_serial())
        return;
    if (filling && loop.open)
        fill_access(filling->called, store, address, bytes);
    for (; address < last / PLUSS_RT_LINE_BYTES * PLUSS_RT_LINE_BYTES;
         address = (address / PLUSS_RT_LINE_BYTES + 1) * PLUSS_RT_LINE_BYTES)
        touch_called(here.member, address);
    touch_called(here.member, address);
}

static __attribute__((noinline)) void call_slowly(uint64_t address, uint32_t bytes, bool store)
{
    volatile uintptr_t mark;
    if (!pluss_rt_counted.called ||
        (__builtin_expect(calling.recording != NULL, 0) && is_interrupted()))
        return;
    begin_recording(&mark);
    if (calling.collector && address % PLUSS_RT_LINE_BYTES + bytes <= PLUSS_RT_LINE_BYTES)
        plussi_follow_line(calling.collector, calling.tally, address / PLUSS_RT_LINE_BYTES);
    else
        record_called(address, bytes, store);
    end_recording();
}

/* The line of an access that is in one line, the later one of its set; NULL: it is another one. */
static inline __attribute__((always_inline)) plussi_near_set *
find_near(plussi_near_set *near, uint64_t address, uint32_t bytes_and_store)
{
    const uint64_t line = address / PLUSS_RT_LINE_BYTES;
    plussi_near_set *const set = near + plussi_near_number(line);
    const uint64_t end = address % PLUSS_RT_LINE_BYTES + (bytes_and_store & ~PLUSS_RT_STORE);
    return end <= PLUSS_RT_LINE_BYTES && set->key[0] == line + 1 ? set : NULL;
}

/* As plussi_follow_line, of which this is the usual case. What `calling` has may be freed by a
 * signal handler until this thread records: it is read after that. */
void pluss_rt_called(const void *at, uint32_t bytes)
{
    const uint64_t address = (uint64_t)(uintptr_t)at;
    volatile uintptr_t mark;
    if (__builtin_expect(calling.near && !calling.recording, 1)) {
        begin_recording(&mark);
        plussi_near_set *set = calling.near;
        uint64_t *bins = set ? calling.tally->bins : NULL;
        if (__builtin_expect(bins && (set = find_near(set, address, bytes)), 1)) {
            const uint64_t now = ++calling.collector->clock, interval = now - set->clock[0];
            set->clock[0] = now;
            bins[plussi_bin_of(interval, PLUSSI_FINE_BITS)]++;
            end_recording();
            return;
        }
        end_recording();
    }
    call_slowly(address, bytes & ~PLUSS_RT_STORE, (bytes & PLUSS_RT_STORE) != 0);
}

/* NULL: the interval has none yet. */
static inline __attribute__((always_inline)) uint64_t *find_count(plussi_ref_tally *tally,
                                                                  uint64_t interval)
{
    if (__builtin_expect(tally->bins != NULL, 1))
        return tally->bins + plussi_bin_of(interval, PLUSSI_FINE_BITS);
    struct plussi_recent *recent = &tally->recent[interval % PLUSSI_RECENT_INTERVALS];
    return recent->interval == interval ? &recent->count : NULL;
}

/* Counts an access to a line that was touched a short while ago; false: it is another one. This
 * thread records. */
static inline __attribute__((always_inline)) bool count_near(plussi_near_set *near,
                                                             plussi_ref_tally *tally,
                                                             uint64_t *clock, uint64_t address,
                                                             uint32_t bytes)
{
    plussi_near_set *const set = find_near(near, address, bytes);
    if (__builtin_expect(!set, 0))
        return false;
    const uint64_t interval = *clock + 1 - set->clock[0];
    uint64_t *const count = find_count(tally, interval);
    if (__builtin_expect(!count, 0))
        return false;
    set->clock[0] = ++*clock;
    ++*count;
    return true;
}

/* Those after the first `done` of four. */
static __attribute__((noinline)) void call_rest(const void *a, const void *b, const void *c,
                                                const void *d, uint64_t ab, uint64_t cd,
                                                unsigned done)
{
    const void *const address[4] = {a, b, c, d};
    const uint32_t bytes[4] = {(uint32_t)ab, (uint32_t)(ab >> 32), (uint32_t)cd,
                               (uint32_t)(cd >> 32)};
    volatile uintptr_t mark;
    if (__builtin_expect(calling.near && !calling.recording, 1)) {
        begin_recording(&mark);
        plussi_collector *const collector = calling.collector;
        for (; collector && done < 4 && bytes[done]; done++) {
            const uint64_t at = (uintptr_t)address[done];
            if (at % PLUSS_RT_LINE_BYTES + (bytes[done] & ~PLUSS_RT_STORE) > PLUSS_RT_LINE_BYTES)
                break;
            plussi_follow_line(collector, calling.tally, at / PLUSS_RT_LINE_BYTES);
        }
        end_recording();
    }
    for (; done < 4 && bytes[done]; done++)
        pluss_rt_called(address[done], bytes[done]);
}

/* The usual case of as many accesses as are after short intervals. */
void pluss_rt_called_four(const void *a, const void *b, const void *c, const void *d, uint64_t ab,
                          uint64_t cd)
{
    volatile uintptr_t mark;
    unsigned done = 0;
    if (__builtin_expect(calling.near && !calling.recording, 1)) {
        begin_recording(&mark);
        plussi_near_set *const near = calling.near;
        plussi_ref_tally *const tally = calling.tally;
        uint64_t *const clock = near ? &calling.collector->clock : NULL;
        if (near && count_near(near, tally, clock, (uintptr_t)a, (uint32_t)ab)) {
            done = 1;
            if (count_near(near, tally, clock, (uintptr_t)b, (uint32_t)(ab >> 32))) {
                done = (uint32_t)cd ? 2 : 4;
                if (cd && count_near(near, tally, clock, (uintptr_t)c, (uint32_t)cd)) {
                    done = cd >> 32 ? 3 : 4;
                    if (cd >> 32 &&
                        count_near(near, tally, clock, (uintptr_t)d, (uint32_t)(cd >> 32)))
                        done = 4;
                }
            }
        }
        end_recording();
    }
    if (__builtin_expect(done < 4, 0))
        call_rest(a, b, c, d, ab, cd, done);
}

/* The next accesses of a loop. */
typedef struct loop_accesses {
    const pluss_rt_stream *stream;
    uint32_t n, next;    /* the next one's stream, */
    uint64_t iterations; /* with that many left */
    bool short_steps;    /* all are 0 or powers of two, up or down, several to a line */
    uint64_t address[PLUSS_RT_STREAMS];
} loop_accesses;

enum {
    LOOP_AT_A_TIME = 256, /* handlers' accesses are dropped while as many are recorded */
    STAY_TOGETHER = 8     /* streams that are counted together at most */
};

static uint64_t size_of_step(const pluss_rt_stream *stream)
{
    return stream->step < 0 ? -(uint64_t)stream->step : (uint64_t)stream->step;
}

static loop_accesses begin_loop(uint64_t iterations, uint32_t n, const pluss_rt_stream *stream)
{
    loop_accesses l = {.stream = stream, .n = n, .iterations = iterations, .short_steps = true};
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t size = size_of_step(&stream[k]);
        l.address[k] = (uint64_t)(uintptr_t)stream[k].address;
        l.short_steps = l.short_steps && (size & (size - 1)) == 0 && size < PLUSS_RT_LINE_BYTES / 2;
    }
    return l;
}

static void pass_access(loop_accesses *l)
{
    l->address[l->next] += (uint64_t)l->stream[l->next].step;
    if (++l->next == l->n) {
        l->next = 0;
        l->iterations--;
    }
}

/* The number of iterations after the next one in which all streams stay in its lines; 0: one of
 * them is in two lines. */
static uint64_t count_in_lines(const loop_accesses *l)
{
    uint64_t least = l->iterations - 1;
    for (uint32_t k = 0; k < l->n; k++) {
        const uint64_t before = l->address[k] % PLUSS_RT_LINE_BYTES,
                       end = before + ((uint32_t)l->stream[k].bytes & ~PLUSS_RT_STORE);
        if (end > PLUSS_RT_LINE_BYTES)
            return 0;
        const uint64_t room = l->stream[k].step < 0 ? before : PLUSS_RT_LINE_BYTES - end;
        const uint64_t size = size_of_step(&l->stream[k]);
        const uint64_t more = size ? room >> __builtin_ctzll(size) : least;
        least = more < least ? more : least;
    }
    return least;
}

/* Counts that many iterations, in which all streams stay in the lines of the one before. Each
 * access is to the line of the last one before it with the same line, an iteration before at the
 * most. False: not all of the lines are near. This thread records. */
static bool count_stay(loop_accesses *l, uint64_t iterations)
{
    const uint32_t n = l->n;
    uint64_t *const clock = &calling.collector->clock, *count[STAY_TOGETHER];
    plussi_near_set *set[STAY_TOGETHER];
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t line = l->address[k] / PLUSS_RT_LINE_BYTES;
        set[k] = calling.near + plussi_near_number(line);
        if (set[k]->key[0] != line + 1)
            return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t back = 1;
        while (set[(k + n - back) % n] != set[k])
            back++;
        count[k] = find_count(calling.tally, back);
        if (!count[k])
            return false;
    }
    *clock += iterations * n;
    for (uint32_t k = 0; k < n; k++) {
        *count[k] += iterations;
        set[k]->clock[0] = *clock - (n - 1 - k);
        l->address[k] += iterations * (uint64_t)l->stream[k].step;
    }
    l->iterations -= iterations;
    return true;
}

/* Those that are to one line each, as many as there are in a row. */
static void call_some(loop_accesses *l)
{
    volatile uintptr_t mark;
    if (!calling.near || calling.recording)
        return;
    begin_recording(&mark);
    plussi_collector *const collector = calling.collector;
    plussi_near_set *const near = calling.near;
    plussi_ref_tally *const tally = calling.tally;
    const bool stays = near && l->short_steps && l->n <= STAY_TOGETHER;
    uint64_t in_lines = 0; /* iterations, from the next one on */
    for (unsigned k = 0; near && k < LOOP_AT_A_TIME && l->iterations; k++) {
        if (stays && l->next == 0 && in_lines-- == 0)
            in_lines = count_in_lines(l);
        const uint64_t address = l->address[l->next];
        const uint32_t bytes = (uint32_t)l->stream[l->next].bytes;
        if (address % PLUSS_RT_LINE_BYTES + (bytes & ~PLUSS_RT_STORE) > PLUSS_RT_LINE_BYTES)
            break;
        if (!count_near(near, tally, &collector->clock, address, bytes))
            plussi_follow_line(collector, tally, address / PLUSS_RT_LINE_BYTES);
        pass_access(l);
        if (l->next == 0 && in_lines > 1 && count_stay(l, in_lines))
            in_lines = 0;
    }
    end_recording();
}

void pluss_rt_called_loop(uint64_t iterations, uint32_t n, const pluss_rt_stream *stream)
{
    if (!pluss_rt_counted.called || n == 0 || n > PLUSS_RT_STREAMS)
        return;
    for (loop_accesses l = begin_loop(iterations, n, stream); l.iterations;) {
        call_some(&l);
        if (!l.iterations)
            break;
        const uint32_t bytes = (uint32_t)stream[l.next].bytes;
        call_slowly(l.address[l.next], bytes & ~PLUSS_RT_STORE, (bytes & PLUSS_RT_STORE) != 0);
        pass_access(&l);
    }
}

/* The next accesses, where they are followed. */
static void follow_some(loop_accesses *l)
{
    volatile uintptr_t mark;
    if (!following || (calling.recording && is_interrupted()))
        return;
    begin_recording(&mark);
    plussi_collector *const c = following;
    for (unsigned k = 0; c && k < LOOP_AT_A_TIME && l->iterations; k++) {
        const uint32_t ref = (uint32_t)l->stream[l->next].bytes;
        if (ref >= c->n_refs)
            break;
        plussi_follow(c, ref, &c->shape[ref], l->address[l->next]);
        pass_access(l);
    }
    end_recording();
}

void pluss_rt_access_loop(uint64_t iterations, uint32_t n, const pluss_rt_stream *stream)
{
    if (n == 0 || n > PLUSS_RT_STREAMS)
        return;
    for (loop_accesses l = begin_loop(iterations, n, stream); l.iterations;) {
        follow_some(&l);
        if (!l.iterations)
            break;
        pluss_rt_access((uint32_t)stream[l.next].bytes, (const void *)(uintptr_t)l.address[l.next]);
        pass_access(&l);
    }
}

void pluss_rt_fill(uint32_t unknown, uint32_t write, const void *address, uint32_t bytes)
{
    if (filling && loop.open)
        fill_access(unknown, write, (uint64_t)(uintptr_t)address, bytes);
}

void pluss_rt_fill_called(uint32_t unknown)
{
    if (filling)
        filling->called = unknown;
}

void pluss_rt_done(uint32_t inner_loop)
{
    PLUSSI_KEEP_ERRNO;
    if (filling && loop.open)
        plussi_fill_done(filling, inner_loop);
}

/* ---- queries --------------------------------------------------------------------------
 */

plussi_known *plussi_run_known(const pluss_rt_run *run)
{
    if (!run || run == &nothing || here.run != run || here.thread != 0 || ignored || inner)
        return NULL;
    return run->known;
}

void pluss_rt_lost(pluss_rt_run *run, uint64_t accesses)
{
    if (run && run != &nothing)
        atomic_fetch_add_explicit(&run->lost, accesses, memory_order_relaxed);
}

void plussi_run_sampled(pluss_rt_run *run, plussi_sampled *sampled)
{
    pthread_mutex_lock(&plussi_runs.lock);
    plussi_sampled **end = &run->sampled;
    while (*end)
        end = &(*end)->next;
    sampled->next = NULL;
    *end = sampled;
    pthread_mutex_unlock(&plussi_runs.lock);
}

void plussi_run_was_sampled(pluss_rt_run *run, uint64_t since)
{
    pthread_mutex_lock(&plussi_runs.lock);
    plussi_run_clock_sampled(run, since);
    pthread_mutex_unlock(&plussi_runs.lock);
}

int pluss_rt_write(const char *path)
{
    plussi_run_end_serial();
    pthread_mutex_lock(&plussi_runs.lock);
    plussi_outfile sidecar = {0};
    plussi_run_settle();
    plussi_run_clock_total(&plussi_runs.sums);
    int error = plussi_sums_write(&plussi_runs.sums, path, &sidecar);
    pthread_mutex_unlock(&plussi_runs.lock);
    return error;
}

int pluss_rt_text(char **text, size_t *length)
{
    plussi_run_end_serial();
    PLUSSI_HOLD_SIGNALS;
    pthread_mutex_lock(&plussi_runs.lock);
    plussi_run_settle();
    plussi_run_clock_total(&plussi_runs.sums);
    int error = plussi_sums_text(&plussi_runs.sums, text, length);
    pthread_mutex_unlock(&plussi_runs.lock);
    return error;
}

void pluss_rt_reset(void)
{
    plussi_run_end_serial();
    PLUSSI_HOLD_SIGNALS;
    pthread_mutex_lock(&plussi_runs.lock);
    plussi_run_settle();
    plussi_sums_clear(&plussi_runs.sums);
    plussi_run_clock_restart();
    pthread_mutex_unlock(&plussi_runs.lock);
}

const char *pluss_rt_version(void)
{
    return PLUSSI_VERSION;
}
