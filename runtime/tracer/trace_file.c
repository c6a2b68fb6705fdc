/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The trace's file: what the environment asks for, segments of the threads' streams one after the
 * other, marks, the end. No memory of malloc's is taken.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/packed_format.h"
#include "tracer/event_stream.h"
#include "tracer/tracer.h"

enum { MOST_THREADS = 1024, WAITS = 10000, NEAR_END = 1 << 16 };

static struct {
    int fd; /* 0: not asked for; -1: it ended */
    bool is_text;
    bool has_dropped; /* accesses of signals' handlers */
    bool is_ending;   /* somebody writes the end */
    char path[4096];
    char block[PLUSSI_PACKED_BLOCK];
    size_t length;
    uint64_t events, written; /* in the block; before it */
    uint64_t granted, most;   /* accesses that segments may have */
    uint32_t stream;          /* of the latest segment */
    uintptr_t lo, hi, moved;  /* the main program */
    uint32_t threads, streams, sites;
    plussi_tracer_stream *first;
    bool alone[MOST_THREADS];  /* numbers of threads that are in no team */
    bool inside[MOST_THREADS]; /* in a region */
    pthread_key_t key;         /* so that a thread's end is told */
    pthread_mutex_t lock;
} trace = {.lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP};

bool plussi_tracer_writes_text(void)
{
    return trace.is_text;
}

void plussi_tracer_drop(void)
{
    __atomic_store_n(&trace.has_dropped, true, __ATOMIC_RELAXED);
}

/* ---- bytes ------------------------------------------------------------------------------------
 */

static void complain(const char *what, const char *why)
{
    char text[4400];
    int n = snprintf(text, sizeof text, "libpluss-trace: %s: %s%s%s\n", trace.path, what,
                     why ? ": " : "", why ? why : "");
    if (n > 0 && write(STDERR_FILENO, text, (size_t)n) < 0)
        return; /* nowhere to say it */
}

static void close_file(void)
{
    if (trace.fd > 0)
        close(trace.fd);
    __atomic_store_n(&trace.fd, -1, __ATOMIC_SEQ_CST);
}

static void write_bytes(const char *bytes, size_t n)
{
    for (size_t done = 0; trace.fd > 0 && done < n;) {
        ssize_t some = write(trace.fd, bytes + done, n - done);
        if (some > 0) {
            done += (size_t)some;
        } else if (some == 0 || errno != EINTR) {
            complain("cannot be written", strerror(errno));
            close_file();
            plussi_tracer_open_gate(false);
        }
    }
}

static void write_block(void)
{
    char head[PLUSSI_PACKED_BLOCK_HEAD];
    if (!trace.is_text) {
        plussi_packed_put_block_head(head, trace.block, trace.length,
                                     trace.length ? trace.events : trace.written);
        write_bytes(head, sizeof head);
    }
    write_bytes(trace.block, trace.length);
    trace.written += trace.events;
    trace.events = 0;
    trace.length = 0;
}

/* ---- segments: all but the first under the lock -----------------------------------------------
 */

uint64_t plussi_tracer_count(void)
{
    uint64_t n = 0;
    for (const plussi_tracer_stream *s = __atomic_load_n(&trace.first, __ATOMIC_ACQUIRE); s;
         s = s->following)
        n += plussi_tracer_count_taken(__atomic_load_n(&s->budget, __ATOMIC_RELAXED));
    return n;
}

static void commit(plussi_tracer_stream *s)
{
    enum { CHANGE = 24 }; /* bytes */
    const uint64_t taken = plussi_tracer_count_taken(s->budget),
                   events = taken - s->committed + s->marks;
    if (!trace.is_text)
        plussi_tracer_put_run(s);
    if (s->used == 0)
        return;
    if (trace.length + s->used + CHANGE > sizeof trace.block || trace.events + events > UINT32_MAX)
        write_block();
    char *to = trace.block + trace.length;
    if (!trace.is_text && trace.stream != s->number) {
        to = plussi_packed_put_token(to, PLUSSI_PACKED_OTHER, PLUSSI_PACKED_STREAM);
        to = plussi_packed_put_number(to, s->number);
        trace.stream = s->number;
    }
    memcpy(to, s->token, s->used);
    trace.length = (size_t)(to - trace.block) + s->used;
    trace.events += events;
    s->committed = taken;
    s->marks = 0;
    s->used = 0;
}

static void set_budget(plussi_tracer_stream *s, uint64_t left)
{
    const uint64_t taken = plussi_tracer_count_taken(s->budget);
    trace.granted -= s->budget & PLUSSI_TRACER_LEFT;
    trace.granted += left;
    s->run_budget = (taken + left) << 16 | left;
    __atomic_store_n(&s->budget, s->run_budget, __ATOMIC_RELAXED);
}

/* One whose thread has ended; NULL: there is none. */
plussi_tracer_stream *plussi_tracer_reuse_stream(void)
{
    pthread_mutex_lock(&trace.lock);
    plussi_tracer_stream *s = trace.first;
    while (s && !s->is_free)
        s = s->following;
    if (s) {
        s->is_free = false;
        pthread_setspecific(trace.key, s);
    }
    pthread_mutex_unlock(&trace.lock);
    return s;
}

void plussi_tracer_add_stream(plussi_tracer_stream *s)
{
    pthread_mutex_lock(&trace.lock);
    s->number = s->named = trace.streams++;
    s->following = trace.first;
    __atomic_store_n(&trace.first, s, __ATOMIC_RELEASE);
    pthread_setspecific(trace.key, s);
    pthread_mutex_unlock(&trace.lock);
}

/* Its thread ends. */
static void free_stream(void *stream)
{
    plussi_tracer_stream *s = stream;
    s->is_busy = true;
    pthread_mutex_lock(&trace.lock);
    commit(s);
    set_budget(s, 0);
    plussi_tracer_end_stream(s);
    s->is_free = true;
    pthread_mutex_unlock(&trace.lock);
    s->is_busy = false;
}

/* Under the lock: what it has goes into the file, and it has a number, but no budget. */
static void end_segment(plussi_tracer_stream *s)
{
    commit(s);
    set_budget(s, 0);
    if (!s->thread) {
        s->thread = ++trace.threads;
        if (s->thread <= MOST_THREADS)
            trace.alone[s->thread - 1] = true;
    }
    plussi_tracer_put_name(s, s->thread - 1);
}

bool plussi_tracer_begin_segment(plussi_tracer_stream *s)
{
    pthread_mutex_lock(&trace.lock);
    end_segment(s);
    const uint64_t free = trace.most - trace.granted;
    /* near the end one by one, so that none are left to a thread that makes no more */
    set_budget(s, free > NEAR_END ? PLUSSI_TRACER_SEGMENT : free > 0);
    bool begins = trace.fd > 0 && free > 0;
    pthread_mutex_unlock(&trace.lock);
    if (free == 0)
        plussi_tracer_cut("it has as many accesses as PLUSS_TRACE_ACCESSES says");
    return begins;
}

bool plussi_tracer_count_site(void)
{
    return __atomic_fetch_add(&trace.sites, 1, __ATOMIC_RELAXED) < PLUSSI_PACKED_SITES;
}

/* ---- marks ------------------------------------------------------------------------------------
 */

static bool is_open(void)
{
    return __atomic_load_n(&trace.fd, __ATOMIC_RELAXED) > 0;
}

void plussi_tracer_join_team(uint32_t number)
{
    plussi_tracer_stream *s =
        is_open() && number < MOST_THREADS ? plussi_tracer_get_stream() : NULL;
    if (!s || s->thread == number + 1)
        return;
    s->is_busy = true;
    pthread_mutex_lock(&trace.lock);
    if ((!s->thread || s->in_team) && !trace.alone[number]) {
        commit(s);
        s->thread = number + 1;
        s->in_team = true;
        plussi_tracer_put_name(s, number);
        if (trace.threads < s->thread)
            trace.threads = s->thread;
    }
    pthread_mutex_unlock(&trace.lock);
    s->is_busy = false;
}

void plussi_tracer_leave_out(const void *a, const void *b)
{
    plussi_tracer_stream *s = is_open() ? plussi_tracer_get_stream() : NULL;
    if (s) {
        s->left_out[0] = a;
        s->left_out[1] = b;
    }
}

void plussi_tracer_commit(void)
{
    plussi_tracer_stream *s = plussi_tracer_self;
    if (!is_open() || s->committed == plussi_tracer_count_taken(s->budget))
        return;
    s->is_busy = true;
    pthread_mutex_lock(&trace.lock);
    end_segment(s);
    pthread_mutex_unlock(&trace.lock);
    s->is_busy = false;
}

/* What a thread did before is in the file before what those do that it creates. */
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*body)(void *), void *argument)
{
    static __typeof__(&pthread_create) real;
    if (!real && !(real = (__typeof__(real))dlsym(RTLD_NEXT, "pthread_create")))
        abort();
    plussi_tracer_commit();
    return real(thread, attributes, body, argument);
}

/* The calling thread's stream, if its marks are to be written, with the lock; NULL: they are not.
 */
static plussi_tracer_stream *begin_mark(void)
{
    plussi_tracer_stream *s = is_open() ? plussi_tracer_get_stream() : NULL;
    if (!s || !plussi_tracer_is_wanted(s))
        return NULL;
    s->is_busy = true;
    pthread_mutex_lock(&trace.lock);
    end_segment(s);
    return s;
}

static void end_mark(plussi_tracer_stream *s)
{
    commit(s);
    pthread_mutex_unlock(&trace.lock);
    s->is_busy = false;
}

static void write_mark(plussi_tracer_mark mark, uint64_t a, uint64_t b)
{
    plussi_tracer_stream *s = begin_mark();
    if (!s)
        return;
    plussi_tracer_put_mark(s, s->thread - 1, mark, a, b);
    if (s->thread <= MOST_THREADS && mark <= PLUSSI_TRACER_LEAVE)
        trace.inside[s->thread - 1] = mark == PLUSSI_TRACER_REGION;
    end_mark(s);
}

void plussi_tracer_enter(uint64_t region)
{
    write_mark(PLUSSI_TRACER_REGION, region, 0);
}
void plussi_tracer_leave(void)
{
    write_mark(PLUSSI_TRACER_LEAVE, 0, 0);
}
void plussi_tracer_barrier(void)
{
    write_mark(PLUSSI_TRACER_BARRIER, 0, 0);
}
void plussi_tracer_chunk(uint64_t first, uint64_t end)
{
    write_mark(PLUSSI_TRACER_CHUNK, first, end);
}

void plussi_tracer_leave_all(void)
{
    plussi_tracer_stream *s = begin_mark();
    if (!s)
        return;
    for (uint32_t t = MOST_THREADS; t-- > 0;)
        if (trace.inside[t]) {
            plussi_tracer_put_mark(s, t, PLUSSI_TRACER_LEAVE, 0, 0);
            commit(s);
            trace.inside[t] = false;
        }
    plussi_tracer_put_name(s, s->thread - 1);
    end_mark(s);
}

/* ---- begin and end ----------------------------------------------------------------------------
 */

/* No thread takes an access any more. A thread that is taking one has said so before it asked
 * whether it is to; the system's barrier makes that seen. */
static void stop_all(void)
{
    plussi_tracer_open_gate(false);
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    for (const plussi_tracer_stream *s = trace.first; s; s = s->following)
        for (int i = 0;
             i < WAITS && s != plussi_tracer_self && __atomic_load_n(&s->is_busy, __ATOMIC_RELAXED);
             i++)
            sched_yield();
}

static void end(void)
{
    char path[sizeof trace.path + 16];
    if (!is_open())
        return;
    if (__atomic_exchange_n(&trace.is_ending, true, __ATOMIC_SEQ_CST)) {
        while (is_open() && plussi_tracer_self->is_busy == false)
            sched_yield(); /* the program ends while another thread cuts the trace */
        return;
    }
    stop_all();
    pthread_mutex_lock(&trace.lock);
    for (plussi_tracer_stream *s = trace.first; s; s = s->following)
        commit(s);
    if (trace.events) /* else no more than names */
        write_block();
    trace.length = 0;
    write_block();
    if (trace.has_dropped)
        complain("accesses of signals' handlers that interrupt the tracing of others are left out",
                 NULL);
    if (trace.fd > 0) {
        snprintf(path, sizeof path, "%s.objects", trace.path);
        if (plussi_tracer_write_objects(path, trace.threads) != 0)
            complain("its objects cannot be written", strerror(errno));
        close_file();
    }
    pthread_mutex_unlock(&trace.lock);
}

void plussi_tracer_cut(const char *why)
{
    if (!__atomic_load_n(&trace.is_ending, __ATOMIC_SEQ_CST))
        complain("the trace is cut", why);
    end();
}

/* A forked child does not write into its parent's file. */
static void forget(void)
{
    trace.fd = -1;
    __atomic_store_n(&plussi_tracer_gate, PLUSSI_TRACER_CLOSED, __ATOMIC_SEQ_CST);
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("PLUSS_TRACE"), *most = getenv("PLUSS_TRACE_ACCESSES");
    const char *format = getenv("PLUSS_TRACE_FORMAT");
    if (!path || !*path) {
        plussi_tracer_remove_calls();
        return;
    }
    if (strlen(path) >= sizeof trace.path || trace.fd != 0)
        return;
    strcpy(trace.path, path);
    trace.is_text = !format || strcmp(format, "text") == 0;
    if (!trace.is_text && strcmp(format, "packed") != 0) {
        complain("PLUSS_TRACE_FORMAT is neither text nor packed", format);
        return;
    }
    trace.most = most && *most ? strtoull(most, NULL, 10) : UINT64_MAX;
    plussi_tracer_find_program(&trace.lo, &trace.hi, &trace.moved);
    plussi_tracer_pass_sites(trace.lo, trace.hi);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || pthread_key_create(&trace.key, free_stream) != 0) {
        complain("cannot be written", strerror(errno));
        return;
    }
    const char *function = getenv("PLUSS_TRACE_FUNCTION");
    bool has_function = function && *function;
    if (has_function && !plussi_tracer_choose_function(function))
        complain("the program has no such function", function);
    plussi_tracer_watch_code(trace.lo, trace.hi);
    if (!has_function)
        plussi_tracer_set_traps(true);
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    atexit(end);
    pthread_atfork(NULL, NULL, forget);
    trace.fd = fd;
    if (!trace.is_text) {
        char head[PLUSSI_PACKED_HEAD];
        plussi_packed_put_head(head);
        write_bytes(head, sizeof head);
    }
    plussi_tracer_open_gate(true);
}

uint64_t plussi_tracer_place(uintptr_t pc)
{
    return pc >= trace.lo && pc < trace.hi ? pc - trace.moved : pc;
}
