/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Stops: rt/stamps.h. The signal handler only reads the time stamp counter; the rows go to memory
 * that was mapped before. It may run in any thread, one at a time: a signal that comes during
 * another one is dropped.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "rt/outfile.h"
#include "rt/own_memory.h"
#include "rt/sidecar.h"
#include "rt/stamps.h"
#include "rt/ticks.h"

enum { ROOM = 256 << 20 }; /* bytes; pages that are never written cost nothing */

/* A row in memory; `team` places follow. */
typedef struct row {
    uint64_t time, team;
} row;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool asked, ready; /* guarded by lock */
    uint64_t interval; /* ns; 0: none wanted */
    timer_t timer;
    const void *run;         /* the observed run */
    const atomic_uint *team; /* its number of threads so far */
    plussi_stops_thread *thread;
    char *room;
    size_t used;
} stops;
static atomic_bool taking; /* between start and end of a run's stops */
static atomic_flag at_work = ATOMIC_FLAG_INIT;

static plussi_stop_place find_place(const plussi_stamps *s)
{
    plussi_stop_place nowhere = {0, PLUSSI_NO_LOOP, 0};
    if (!s)
        return nowhere;
    uint32_t loop = atomic_load_explicit(&s->loop, memory_order_acquire);
    plussi_stop_place item = {.begun = atomic_load_explicit(&s->begun, memory_order_relaxed),
                              .loop = loop,
                              .execution =
                                  atomic_load_explicit(&s->execution, memory_order_relaxed)};
    atomic_thread_fence(memory_order_acquire);
    bool still = atomic_load_explicit(&s->loop, memory_order_relaxed) == loop &&
                 atomic_load_explicit(&s->execution, memory_order_relaxed) == item.execution;
    return still && loop != PLUSSI_NO_LOOP ? item : nowhere;
}

static void take_stop(void)
{
    uint32_t team = atomic_load_explicit(stops.team, memory_order_relaxed);
    size_t bytes = sizeof(row) + team * sizeof(plussi_stop_place);
    if (ROOM - stops.used < bytes)
        return;
    char *at = stops.room + stops.used;
    row r = {plussi_ticks(), team};
    memcpy(at, &r, sizeof r);
    at += sizeof r;
    for (uint32_t k = 0; k < team; k++, at += sizeof(plussi_stop_place)) {
        plussi_stop_place item = find_place(stops.thread(stops.run, k));
        memcpy(at, &item, sizeof item);
    }
    stops.used += bytes;
}

static void handle_signal(int number)
{
    int error = errno;
    (void)number;
    if (!atomic_flag_test_and_set(&at_work)) {
        if (atomic_load(&taking))
            take_stop();
        atomic_flag_clear(&at_work);
    }
    errno = error;
}

/* "100us" in nanoseconds; 0: invalid. */
static uint64_t interval_of(const char *text)
{
    static const struct {
        const char *name;
        double ns;
    } unit[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    char *end;
    double value = text ? strtod(text, &end) : 0;
    if (!(value > 0) || value > 1e9)
        return 0;
    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
        if (strcmp(end, unit[i].name) == 0)
            return (uint64_t)(value * unit[i].ns);
    return 0;
}

/* The program may use the signal itself: then there are no stops. */
static bool install_handler(void)
{
    struct sigaction before, own = {.sa_handler = handle_signal, .sa_flags = SA_RESTART};
    if (sigaction(SIGPROF, NULL, &before) != 0 || before.sa_handler != SIG_DFL)
        return false;
    sigfillset(&own.sa_mask);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
    stops.room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stops.room == MAP_FAILED)
        return false;
    return sigaction(SIGPROF, &own, NULL) == 0 &&
           timer_create(CLOCK_MONOTONIC, &event, &stops.timer) == 0;
}

static void set_timer(uint64_t ns)
{
    struct timespec t = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    struct itimerspec both = {t, t};
    timer_settime(stops.timer, 0, &both, NULL);
}

void plussi_stops_begin(const void *run, plussi_stops_thread *thread, const atomic_uint *team)
{
    pthread_mutex_lock(&lock);
    if (!stops.asked) {
        stops.asked = true;
        const char *asked = getenv("PLUSS_STOPS");
        stops.interval = interval_of(asked);
        stops.ready = stops.interval > 0 && install_handler();
        if (asked && *asked && !stops.ready)
            plussi_tell(stops.interval ? "PLUSS_STOPS=%s: the program uses SIGPROF: no stops"
                                       : "PLUSS_STOPS=%s is not understood: no stops",
                        asked);
    }
    if (stops.ready && !stops.run) {
        stops.run = run;
        stops.thread = thread;
        stops.team = team;
        stops.used = 0;
        atomic_store(&taking, true);
        set_timer(stops.interval);
    }
    pthread_mutex_unlock(&lock);
}

/* Writes rows in the file's format, with all of the run's team. */
static void write_rows(uint32_t number, uint32_t team)
{
    size_t n = 0, size = sizeof(plussi_stop_row) + team * sizeof(plussi_stop_place);
    uint64_t first = 0, last = 0;
    for (size_t at = 0; at < stops.used; n++) {
        row r;
        memcpy(&r, stops.room + at, sizeof r);
        at += sizeof r + r.team * sizeof(plussi_stop_place);
        first = n ? first : r.time;
        last = r.time;
    }
    char *rows = n ? plussi_alloc(&plussi_own, n, size) : NULL, *to = rows;
    if (!rows)
        return;
    for (size_t at = 0; at < stops.used; to += size) {
        row r;
        memcpy(&r, stops.room + at, sizeof r);
        memcpy(to, &r.time, sizeof r.time);
        for (uint32_t k = 0; k < team; k++) {
            plussi_stop_place item = {0, PLUSSI_NO_LOOP, 0};
            if (k < r.team)
                memcpy(&item, stops.room + at + sizeof r + k * sizeof item, sizeof item);
            memcpy(to + sizeof r.time + k * sizeof item, &item, sizeof item);
        }
        at += sizeof r + r.team * sizeof(plussi_stop_place);
    }
    plussi_trace_section head = {PLUSSI_SECTION_STOPS, (uint32_t)size, n, number, 0, first, last};
    plussi_sidecar_put(&head, rows);
    plussi_free(&plussi_own, rows);
}

void plussi_stops_end(const void *run, uint32_t number, uint32_t team, bool write)
{
    pthread_mutex_lock(&lock);
    if (stops.ready && stops.run == run) {
        set_timer(0);
        atomic_store(&taking, false);
        while (atomic_flag_test_and_set(&at_work)) /* a handler in another thread */
            sched_yield();
        atomic_flag_clear(&at_work);
        stops.run = NULL;
        if (write)
            write_rows(number, team);
    }
    pthread_mutex_unlock(&lock);
}

void plussi_stops_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    /* timers are not inherited */
    atomic_store(&taking, false);
    atomic_flag_clear(&at_work);
    stops.run = NULL;
    stops.ready = false;
}
