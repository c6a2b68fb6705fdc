/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/stamps.h"

#include <pthread.h>
#include <string.h>

#include "rt/hold_signals.h"
#include "rt/own_memory.h"
#include "rt/sidecar.h"
#include "rt/ticks.h"

enum {
    BUFFER = 2048,       /* stamps */
    MOST = 1 << 22,      /* of a thread in a run */
    SPACING_NS = 2500,   /* between the stamps of short iterations, and after each */
    DOUBLES = 16,        /* 2^16 stamps of a run twice that */
    MOST_DOUBLINGS = 24, /*... until it is 16 seconds */
    MOST_STRIDE = 1 << 24
};

struct plussi_stamps_buffer {
    _Atomic(plussi_stamps_buffer *) next;
    atomic_size_t n;
    plussi_stamp_entry item[BUFFER];
};

static uint64_t start_ticks, start_ns; /* when the first stamps were wanted */
static uint64_t spacing;               /* ticks; 0: not yet */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static plussi_stamps_buffer *spare; /* of runs that have ended, for reuse */

/* ---- the clock -------------------------------------------------------------------------------
 */

/* The same moment by both clocks: the one of several readings with the shortest bracket. */
static void both_clocks(uint64_t *ticks, uint64_t *ns)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 16; i++) {
        uint64_t before = plussi_ticks(), now = plussi_nanoseconds(), after = plussi_ticks();
        if (after - before < least) {
            least = after - before;
            *ticks = before + least / 2;
            *ns = now;
        }
    }
}

static void start_clock(void)
{
    uint64_t ticks = 0, ns = 0;
    both_clocks(&start_ticks, &start_ns);
    do {
        both_clocks(&ticks, &ns);
    } while (ns - start_ns < 50000);
    spacing = (uint64_t)((double)(ticks - start_ticks) / (double)(ns - start_ns) * SPACING_NS) + 1;
}

bool plussi_stamps_enabled(void)
{
    pthread_mutex_lock(&lock);
    bool wanted = plussi_sidecar_enabled(PLUSSI_SIDECAR_STAMPS);
    if (wanted && spacing == 0)
        start_clock();
    pthread_mutex_unlock(&lock);
    return wanted;
}

void plussi_stamps_clock(void)
{
    uint64_t ticks = 0, ns = 0;
    pthread_mutex_lock(&lock);
    if (spacing) {
        both_clocks(&ticks, &ns);
        ns -= start_ns;
        plussi_sidecar_put(
            &(plussi_trace_section){PLUSSI_SECTION_CLOCK, sizeof ns, 1, 0, 0, start_ticks, ticks},
            &ns);
    }
    pthread_mutex_unlock(&lock);
}

void plussi_stamps_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    spacing = 0;
    spare = NULL; /* another thread may have been changing it */
}

/* ---- sections --------------------------------------------------------------------------------
 */

void plussi_stamps_write(const plussi_stamps *s)
{
    plussi_stamps_buffer *b = atomic_load_explicit(&s->first, memory_order_acquire);
    for (; b; b = atomic_load_explicit(&b->next, memory_order_acquire)) {
        size_t n = atomic_load_explicit(&b->n, memory_order_acquire);
        if (n == 0)
            break;
        plussi_trace_section head = {
            PLUSSI_SECTION_STAMPS, sizeof *b->item,    n, s->run, s->thread,
            b->item[0].time,       b->item[n - 1].time};
        plussi_sidecar_put(&head, b->item);
        if (n < BUFFER)
            break;
    }
}

void plussi_stamps_chunks(uint32_t run, uint32_t thread, const plussi_chunk_entry *chunk, size_t n)
{
    plussi_trace_section head = {PLUSSI_SECTION_CHUNKS, sizeof *chunk, n, run, thread, 0, 0};
    if (n)
        plussi_sidecar_put(&head, chunk);
}

/* ---- a thread's stamps ------------------------------------------------------------------------
 */

plussi_stamps *plussi_stamps_new(uint32_t run, uint32_t thread)
{
    plussi_stamps *s = plussi_calloc(&plussi_own, 1, sizeof *s);
    if (!s)
        return NULL;
    s->run = run;
    s->thread = thread;
    s->next = UINT64_MAX;
    atomic_init(&s->loop, PLUSSI_NO_LOOP);
    return s;
}

void plussi_stamps_free(plussi_stamps *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&lock);
    for (plussi_stamps_buffer *b = atomic_load(&s->first), *next; b; b = next) {
        next = atomic_load(&b->next);
        atomic_store(&b->next, spare);
        spare = b;
    }
    pthread_mutex_unlock(&lock);
    plussi_free(&plussi_own, s->times);
    plussi_free(&plussi_own, s);
}

/* Never waits: if another thread uses the spare ones it allocates. */
static plussi_stamps_buffer *take_buffer(void)
{
    PLUSSI_HOLD_SIGNALS;
    plussi_stamps_buffer *b = NULL;
    if (pthread_mutex_trylock(&lock) == 0) {
        b = spare;
        spare = b ? atomic_load(&b->next) : NULL;
        pthread_mutex_unlock(&lock);
    }
    return b ? b : plussi_alloc(&plussi_own, 1, sizeof *b);
}

static bool make_room(plussi_stamps *s)
{
    plussi_stamps_buffer *b = s->n < MOST ? take_buffer() : NULL;
    if (!b) {
        s->lost = true;
        return false;
    }
    atomic_init(&b->next, NULL);
    atomic_init(&b->n, 0);
    atomic_store_explicit(s->end ? &s->end->next : &s->first, b, memory_order_release);
    s->end = b;
    return true;
}

static void add_stamp(plussi_stamps *s, plussi_stamp_entry item)
{
    size_t n = s->end ? atomic_load_explicit(&s->end->n, memory_order_relaxed) : BUFFER;
    if (n == BUFFER) {
        if (s->lost || !make_room(s))
            return;
        n = 0;
    }
    s->end->item[n] = item;
    s->n++;
    atomic_store_explicit(&s->end->n, n + 1, memory_order_release);
}

static uint32_t with_kind(uint32_t kind, uint32_t loop)
{
    return kind << PLUSSI_STAMP_LOOP_BITS | (loop & ((1u << PLUSSI_STAMP_LOOP_BITS) - 1));
}

void plussi_stamps_team(plussi_stamps *s, uint32_t kind, uint32_t time)
{
    add_stamp(s, (plussi_stamp_entry){plussi_ticks(), 0, with_kind(kind, PLUSSI_NO_LOOP), time});
}

/* The thread reaches a loop. Meanwhile others see it outside of loops. */
static bool enter_loop(plussi_stamps *s, uint32_t loop)
{
    if (loop >= s->n_times) {
        uint32_t *grown = plussi_realloc(&plussi_own, s->times, loop + 1u, sizeof *grown);
        if (!grown)
            return false;
        memset(grown + s->n_times, 0, (loop + 1u - s->n_times) * sizeof *grown);
        s->times = grown;
        s->n_times = loop + 1u;
    }
    atomic_store_explicit(&s->begun, 0, memory_order_relaxed);
    atomic_store_explicit(&s->execution, s->times[loop]++, memory_order_relaxed);
    atomic_store_explicit(&s->loop, loop, memory_order_release);
    s->next = s->stride = 1;
    return true;
}

void plussi_stamps_mark(plussi_stamps *s, uint32_t kind, uint32_t loop)
{
    uint32_t none = PLUSSI_NO_LOOP;
    bool of_loop = kind == PLUSSI_STAMP_LOOP || kind == PLUSSI_STAMP_DONE;
    if (kind == PLUSSI_STAMP_LOOP && !enter_loop(s, loop)) {
        s->lost = true;
        return;
    }
    plussi_stamp_entry item = {.time = plussi_ticks(),
                               .kind_loop = with_kind(kind, of_loop ? loop : none)};
    if (of_loop) {
        item.begun = atomic_load_explicit(&s->begun, memory_order_relaxed);
        item.execution = atomic_load_explicit(&s->execution, memory_order_relaxed);
    }
    if (kind != PLUSSI_STAMP_LOOP) {
        atomic_store_explicit(&s->loop, none, memory_order_release);
        s->next = UINT64_MAX;
    }
    s->last = item.time;
    add_stamp(s, item);
}

void plussi_stamps_due(plussi_stamps *s)
{
    uint64_t now = plussi_ticks(), took = now - s->last,
             begun = atomic_load_explicit(&s->begun, memory_order_relaxed);
    uint64_t doublings = s->n >> DOUBLES;
    uint64_t apart = spacing << (doublings < MOST_DOUBLINGS ? doublings : MOST_DOUBLINGS);
    uint32_t loop = atomic_load_explicit(&s->loop, memory_order_relaxed);
    add_stamp(s, (plussi_stamp_entry){now, begun, with_kind(PLUSSI_STAMP_ITER, loop),
                                      atomic_load_explicit(&s->execution, memory_order_relaxed)});
    /* `stride` iterations have passed since the last one, except at the first */
    if (took < apart && s->stride < MOST_STRIDE && begun > 1)
        s->stride *= 2;
    else if (took > 2 * apart && s->stride > 1)
        s->stride = took / apart < s->stride ? s->stride / (took / apart) : 1;
    s->last = now;
    s->next = begun + s->stride;
}
