/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The trace as text. No memory is allocated: an access may be inside of malloc.
 */
#include "tracer/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 16, LINE = 96, MOST_BYTES = 65535, MOST_THREADS = 1024 };

static struct {
    int fd; /* 0: not asked for; -1: it ended */
    char path[4096];
    char text[ROOM];
    size_t length;
    uint64_t accesses, most;
    uintptr_t lo, hi, moved; /* the main program */
    uint32_t threads;
    bool alone[MOST_THREADS];  /* numbers of threads that are in no team */
    bool inside[MOST_THREADS]; /* in a region */
    pthread_mutex_t lock;
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

static __thread uint32_t thread; /* + 1; 0: it has none yet */
static __thread bool in_team;    /* it has a team's */
static __thread const void *left_out[2];

static void complain(const char *what, const char *why)
{
    char text[4400];
    int n = snprintf(text, sizeof text, "libpluss-trace: %s: %s%s%s\n", trace.path, what,
                     why ? ": " : "", why ? why : "");
    if (n > 0 && write(STDERR_FILENO, text, (size_t)n) < 0)
        return; /* nowhere to say it */
}

static void flush(void)
{
    for (size_t done = 0; trace.fd > 0 && done < trace.length;) {
        ssize_t n = write(trace.fd, trace.text + done, trace.length - done);
        if (n > 0) {
            done += (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            complain("cannot be written", strerror(errno));
            close(trace.fd);
            trace.fd = -1;
        }
    }
    trace.length = 0;
}

static void end(void)
{
    char path[sizeof trace.path + 16];
    pthread_mutex_lock(&trace.lock);
    flush();
    if (trace.fd > 0) {
        close(trace.fd);
        snprintf(path, sizeof path, "%s.objects", trace.path);
        if (plussi_tracer_write_objects(path, trace.threads) != 0)
            complain("its objects cannot be written", strerror(errno));
    }
    trace.fd = -1;
    pthread_mutex_unlock(&trace.lock);
}

/* A forked child does not write into its parent's file. */
static void forget(void)
{
    trace.fd = -1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("PLUSS_TRACE"), *most = getenv("PLUSS_TRACE_ACCESSES");
    if (!path || !*path || strlen(path) >= sizeof trace.path || trace.fd != 0)
        return;
    strcpy(trace.path, path);
    trace.most = most && *most ? strtoull(most, NULL, 10) : UINT64_MAX;
    plussi_tracer_find_program(&trace.lo, &trace.hi, &trace.moved);
    plussi_tracer_pass_sites(trace.lo, trace.hi);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        complain("cannot be written", strerror(errno));
        return;
    }
    const char *function = getenv("PLUSS_TRACE_FUNCTION");
    if (function && *function && !plussi_tracer_choose_function(function))
        complain("the program has no such function", function);
    plussi_tracer_watch_code(trace.lo, trace.hi);
    if (plussi_tracer_is_chosen())
        plussi_tracer_set_traps(true);
    atexit(end);
    pthread_atfork(NULL, NULL, forget);
    trace.fd = fd;
}

/* ---- lines --------------------------------------------------------------------------------------
 */

static void put_text(const char *text)
{
    while (*text)
        trace.text[trace.length++] = *text++;
}

static void put_number(uint64_t value, unsigned base)
{
    char *to = trace.text + trace.length;
    trace.length += (size_t)(plussi_tracer_put_number(to, value, base) - to);
}

/* Takes the lock, and begins a line with the thread; false: no trace is written. */
static bool begin_line(void)
{
    if (__atomic_load_n(&trace.fd, __ATOMIC_RELAXED) <= 0)
        return false;
    pthread_mutex_lock(&trace.lock);
    if (trace.fd <= 0 || trace.accesses >= trace.most) {
        pthread_mutex_unlock(&trace.lock);
        return false;
    }
    if (!thread) {
        thread = ++trace.threads;
        if (thread <= MOST_THREADS)
            trace.alone[thread - 1] = true;
    }
    if (trace.length > ROOM - LINE)
        flush();
    put_number(thread - 1, 10);
    return true;
}

static void end_line(void)
{
    trace.text[trace.length++] = '\n';
    pthread_mutex_unlock(&trace.lock);
}

void plussi_tracer_join_team(uint32_t number)
{
    if (__atomic_load_n(&trace.fd, __ATOMIC_RELAXED) <= 0 || number >= MOST_THREADS ||
        thread == number + 1)
        return;
    pthread_mutex_lock(&trace.lock);
    if ((!thread || in_team) && !trace.alone[number]) {
        thread = number + 1;
        in_team = true;
        if (trace.threads < thread)
            trace.threads = thread;
    }
    pthread_mutex_unlock(&trace.lock);
}

void plussi_tracer_leave_out(const void *a, const void *b)
{
    left_out[0] = a;
    left_out[1] = b;
}

uint64_t plussi_tracer_count(void)
{
    return __atomic_load_n(&trace.accesses, __ATOMIC_RELAXED);
}

uint64_t plussi_tracer_place(uintptr_t pc)
{
    return pc >= trace.lo && pc < trace.hi ? pc - trace.moved : pc;
}

static void write_access(uintptr_t address, size_t bytes, bool is_write, uintptr_t pc)
{
    if (!begin_line())
        return;
    put_text(" 0x");
    put_number(address, 16);
    put_text(" ");
    put_number(bytes, 10);
    put_text(is_write ? " w 0x" : " r 0x");
    put_number(plussi_tracer_place(pc), 16);
    bool full = ++trace.accesses == trace.most;
    end_line();
    if (full) {
        complain("the trace is cut: it has as many accesses as PLUSS_TRACE_ACCESSES says", NULL);
        end();
    }
}

void plussi_tracer_access(const void *address, size_t bytes, bool is_write, const void *pc)
{
    if (address == left_out[0] || address == left_out[1] || !plussi_tracer_is_wanted() ||
        plussi_tracer_is_local(address)) {
        if (plussi_tracer_is_chosen())
            plussi_tracer_pass_site((uintptr_t)pc);
        return;
    }
    for (size_t done = 0; done < bytes; done += MOST_BYTES)
        write_access((uintptr_t)address + done,
                     bytes - done < MOST_BYTES ? bytes - done : MOST_BYTES, is_write,
                     (uintptr_t)pc);
}

static void write_mark(const char *name, int n, uint64_t a, uint64_t b)
{
    if (!plussi_tracer_is_wanted() || !begin_line())
        return;
    put_text(name);
    for (int i = 0; i < n; i++) {
        put_text(" ");
        put_number(i ? b : a, 10);
    }
    end_line();
}

void plussi_tracer_enter(uint64_t region)
{
    write_mark(" region", 1, region, 0);
    if (thread > 0 && thread <= MOST_THREADS)
        trace.inside[thread - 1] = true;
}
void plussi_tracer_leave(void)
{
    write_mark(" leave", 0, 0, 0);
    if (thread > 0 && thread <= MOST_THREADS)
        trace.inside[thread - 1] = false;
}
void plussi_tracer_leave_all(void)
{
    uint32_t self = thread;
    for (uint32_t t = MOST_THREADS; t-- > 0;)
        if (trace.inside[t]) {
            thread = t + 1;
            plussi_tracer_leave();
        }
    thread = self;
}
void plussi_tracer_barrier(void)
{
    write_mark(" barrier", 0, 0, 0);
}
void plussi_tracer_chunk(uint64_t first, uint64_t last)
{
    write_mark(" chunk", 2, first, last);
}
