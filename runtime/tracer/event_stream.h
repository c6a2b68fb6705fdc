/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The events of a thread of the program, from its accesses to tokens of the packed format, or lines
 * of text, in its own memory (event_stream.c). Segments of them, of a hundred accesses or up to a
 * mark, go into the file under a lock (trace_file.c): so the order between threads is that of
 * segments. An access as expected, which most are, costs some thirty instructions and no lock.
 */
#ifndef PLUSSI_TRACER_EVENT_STREAM_H
#define PLUSSI_TRACER_EVENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUSSI_TRACER_EXACT_TLS __attribute__((tls_model("initial-exec")))

enum {
    PLUSSI_TRACER_SEGMENT = 128, /* accesses, at most */
    PLUSSI_TRACER_LEFT = 0xffff, /* bits of `budget` */
    PLUSSI_TRACER_NEAR = 256,
    PLUSSI_TRACER_TOKENS = 1 << 14, /* bytes of a segment, at most */
    PLUSSI_TRACER_EVENT = 128       /* bytes that an event takes with its site and name, at most */
};

/* What makes accesses of one kind: trace/packed_format.h's, with the expected address at hand. */
typedef struct plussi_tracer_site {
    uintptr_t pc; /* 0: no site */
    uint64_t expected, stride;
    uint32_t shape; /* bytes * 2 + write */
    struct plussi_tracer_site *next;
    uint32_t number;
} plussi_tracer_site;

typedef struct plussi_tracer_stream {
    plussi_tracer_site *at; /* the latest access's */
    /* How many more accesses are in the segment, below all that it and those before it may have,
     * << 16; so one word tells how many there were. */
    uint64_t budget;
    bool is_busy;  /* an access or a mark is taken; if so by a signal's handler, it is left out */
    bool iterates; /* iterations of a loop of Rayon are executed */
    /* While it iterates: where the loop's part of the stack begins, which grows downwards; else 0.
     * Variables there are left out: where they are depends on who executes what. */
    uintptr_t bottom;
    const void *left_out[2]; /* addresses: the bounds of a chunk, which libgomp writes */
    /* Sites by their keys: the next one is not waited for, which the latest one tells. */
    plussi_tracer_site *near[PLUSSI_TRACER_NEAR];
    /* ---- what an access as expected does not need */
    bool is_free;    /* its thread has ended */
    bool in_team;    /* it has a team's number */
    uint32_t number; /* of the stream */
    uint32_t thread; /* + 1; 0: it has no number yet */
    uint32_t named;  /* the thread that the file's events of the stream are of */
    uint32_t n_sites, n_slots;
    plussi_tracer_site none;                /* before the first */
    plussi_tracer_site *chunk;              /* where the next site will be */
    plussi_tracer_site **slot;              /* sites by their keys */
    uint64_t run_budget;                    /* budget where the run of accesses as expected began */
    uint64_t committed;                     /* accesses that are in the file */
    uint64_t marks;                         /* that are not */
    size_t used;                            /* bytes of tokens that are not */
    struct plussi_tracer_stream *following; /* in the list of all */
    char token[PLUSSI_TRACER_TOKENS];
} plussi_tracer_stream;

/* The calling thread's; one without a budget where it has none yet. */
extern __thread plussi_tracer_stream *plussi_tracer_self PLUSSI_TRACER_EXACT_TLS
    __attribute__((visibility("hidden")));

/* Whose accesses are to be traced now: above 0 while the function to be traced is executed, or
 * where none is named; far below where no trace is written (any more). */
typedef enum plussi_tracer_gates {
    PLUSSI_TRACER_CLOSED = 0,
    PLUSSI_TRACER_OF_ITERATIONS = 1, /* a loop of Rayon is executed: threads that iterate */
    PLUSSI_TRACER_OF_ALL = 2
} plussi_tracer_gates;
extern int plussi_tracer_gate __attribute__((visibility("hidden")));

static inline bool plussi_tracer_is_chosen(void)
{
    return __atomic_load_n(&plussi_tracer_gate, __ATOMIC_RELAXED) > PLUSSI_TRACER_CLOSED;
}

/* Accesses of a stream so far, where its budget is this. */
static inline uint64_t plussi_tracer_count_taken(uint64_t budget)
{
    return (budget >> 16) - (budget & PLUSSI_TRACER_LEFT);
}

static inline unsigned plussi_tracer_near(uintptr_t pc, uint64_t shape)
{
    return (unsigned)(pc + shape) % PLUSSI_TRACER_NEAR;
}

/* Whether the thread's accesses are to be traced now. */
static inline __attribute__((always_inline)) bool
plussi_tracer_is_wanted(const plussi_tracer_stream *s)
{
    return __atomic_load_n(&plussi_tracer_gate, __ATOMIC_RELAXED) + (int)s->iterates >=
           PLUSSI_TRACER_OF_ALL;
}

/* An address below all variables of the function that makes the access, on its stack. */
static inline __attribute__((always_inline)) uintptr_t plussi_tracer_stack_pointer(void)
{
#ifdef __x86_64__
    uintptr_t sp;
    __asm__("mov %%rsp, %0" : "=r"(sp));
    return sp;
#else
    return (uintptr_t)__builtin_frame_address(0);
#endif
}

static inline __attribute__((always_inline)) bool
plussi_tracer_is_left_out(const plussi_tracer_stream *s, uintptr_t address)
{
    return (address < s->bottom && address >= plussi_tracer_stack_pointer()) ||
           address == (uintptr_t)s->left_out[0] || address == (uintptr_t)s->left_out[1];
}

/* An access of the calling thread of any number of bytes; more than 65535 are several. pc: a return
 * address. */
void plussi_tracer_take_access(uintptr_t address, size_t bytes, bool is_write, uintptr_t pc);

/* The same of at most 16 bytes. */
static inline __attribute__((always_inline)) void
plussi_tracer_access(const void *at, size_t bytes, bool is_write, const void *pc)
{
    if (!plussi_tracer_is_chosen())
        return;
    plussi_tracer_stream *s = plussi_tracer_self;
    const uint32_t shape = (uint32_t)bytes * 2 + is_write;
    if ((s->budget & PLUSSI_TRACER_LEFT) && !s->is_busy) {
        s->is_busy = true;
        __atomic_signal_fence(__ATOMIC_SEQ_CST); /* so that trace_file.c sees it at the end */
        plussi_tracer_site *site = s->near[plussi_tracer_near((uintptr_t)pc, shape)];
        bool taken = site->pc == (uintptr_t)pc && site->expected == (uintptr_t)at &&
                     site->shape == shape && s->at->next == site && plussi_tracer_is_wanted(s) &&
                     !plussi_tracer_is_left_out(s, (uintptr_t)at);
        if (taken) {
            site->expected += site->stride;
            s->at = site;
            __atomic_store_n(&s->budget, s->budget - 1, __ATOMIC_RELAXED);
        }
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        s->is_busy = false;
        if (taken)
            return;
    }
    plussi_tracer_take_access((uintptr_t)at, bytes, is_write, (uintptr_t)pc);
}

/* Ends the run of accesses as expected: all tokens are there. */
void plussi_tracer_put_run(plussi_tracer_stream *s);
/* Events from now on are of this thread. */
void plussi_tracer_put_name(plussi_tracer_stream *s, uint32_t thread);

/* Events that are no accesses, numbered as trace/foreign.h has them. */
typedef enum plussi_tracer_mark {
    PLUSSI_TRACER_REGION = 2, /* its number */
    PLUSSI_TRACER_LEAVE,
    PLUSSI_TRACER_BARRIER,
    PLUSSI_TRACER_CHUNK /* first and end */
} plussi_tracer_mark;
/* One of that thread; there is room for it. */
void plussi_tracer_put_mark(plussi_tracer_stream *s, uint32_t thread, plussi_tracer_mark mark,
                            uint64_t a, uint64_t b);
/* The calling thread's stream, made if there is none. NULL: there is no memory. */
plussi_tracer_stream *plussi_tracer_get_stream(void);

#endif
