/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Which accesses of a run are traced: those while a function is executed, of loops of Rayon those
 * of iterations.
 */
#include "tracer/tracer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

/* ---- a function --------------------------------------------------------------------------------
 */

enum { MOST_PARTS = 64 };

int plussi_tracer_gate = PLUSSI_TRACER_CLOSED;

/* What the gate is made of, under the lock. */
static struct {
    pthread_mutex_t lock;
    bool is_open;
    int executing; /* threads that are in the function to be traced */
    uint64_t loop; /* of Rayon that is executed: its number; 0: none */
} scope = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    bool asked;
    char name[256], mangled[270]; /* as C has it; as a part of C++'s and Rust's names */
    uintptr_t lo[MOST_PARTS], hi[MOST_PARTS];
    int parts;
} function;
static __thread int depth PLUSSI_TRACER_EXACT_TLS; /* functions entered since it was, it included */

static void take_symbol(void *user, const char *name, uintptr_t address, size_t bytes, bool code)
{
    (void)user;
    if (code && bytes > 0 && function.parts < MOST_PARTS &&
        plussi_tracer_is_function(name, function.name, function.mangled)) {
        function.lo[function.parts] = address;
        function.hi[function.parts++] = address + bytes;
    }
}

bool plussi_tracer_choose_function(const char *name)
{
    if (!*name || strlen(name) >= sizeof function.name)
        return false;
    strcpy(function.name, name);
    snprintf(function.mangled, sizeof function.mangled, "%zu%s", strlen(name), name);
    plussi_tracer_each_symbol(take_symbol, NULL);
    function.asked = true;
    return function.parts > 0;
}

static void set_gate(void)
{
    bool chosen = scope.is_open && (!function.asked || scope.executing > 0);
    __atomic_store_n(&plussi_tracer_gate,
                     !chosen      ? PLUSSI_TRACER_CLOSED
                     : scope.loop ? PLUSSI_TRACER_OF_ITERATIONS
                                  : PLUSSI_TRACER_OF_ALL,
                     __ATOMIC_SEQ_CST);
}

void plussi_tracer_open_gate(bool open)
{
    pthread_mutex_lock(&scope.lock);
    scope.is_open = open;
    set_gate();
    pthread_mutex_unlock(&scope.lock);
}

/* One thread more, or less. */
static void count_executing(int change)
{
    pthread_mutex_lock(&scope.lock);
    bool before = scope.executing > 0;
    scope.executing += change;
    if (before != (scope.executing > 0)) {
        set_gate();
        plussi_tracer_set_traps(!before);
    }
    pthread_mutex_unlock(&scope.lock);
}

/* The loop's number before. */
static uint64_t set_loop(uint64_t number)
{
    pthread_mutex_lock(&scope.lock);
    uint64_t latest = scope.loop;
    __atomic_store_n(&scope.loop, number, __ATOMIC_SEQ_CST);
    set_gate();
    pthread_mutex_unlock(&scope.lock);
    return latest;
}

void plussi_tracer_begin_function(uintptr_t pc)
{
    if (!function.asked)
        return;
    bool it = depth > 0;
    for (int i = 0; i < function.parts && !it; i++)
        it = pc >= function.lo[i] && pc < function.hi[i];
    if (it && depth++ == 0)
        count_executing(1);
}

void plussi_tracer_end_function(void)
{
    if (depth > 0 && --depth == 0)
        count_executing(-1);
}

/* ---- loops of Rayon ----------------------------------------------------------------------------
 */

static uint64_t times;            /* loops executed so far */
static __thread uint64_t entered; /* the latest loop of this thread: times */
/* Where the loop's part of this thread's stack begins, which grows downwards. */
static __thread uintptr_t bottom;

/* The end of the calling thread's stack; 0: not known. */
static uintptr_t find_stack_end(void)
{
    static __thread uintptr_t end;
    pthread_attr_t attributes;
    void *lowest;
    size_t bytes;
    if (end == 0 && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &lowest, &bytes) == 0)
            end = (uintptr_t)lowest + bytes;
        pthread_attr_destroy(&attributes);
    }
    return end;
}

/* from: the first number of its kind of loops; pc: of the call. */
static void begin_loop(uint64_t from, const void *pc, const void *frame)
{
    if (!plussi_tracer_is_wanted(plussi_tracer_self))
        return;
    uint64_t number = from + plussi_tracer_place((uintptr_t)pc);
    entered = __atomic_add_fetch(&times, 1, __ATOMIC_SEQ_CST);
    bottom = (uintptr_t)frame;
    plussi_tracer_enter(number);
    set_loop(number);
}

/* Around a loop, by the thread that begins it. */
PUBLIC void pluss_trace_loop_begin(void);
PUBLIC void pluss_trace_loop_begin(void)
{
    begin_loop(PLUSSI_TRACER_RAYON, __builtin_return_address(0), __builtin_frame_address(0));
}

/* The same of a tree of tasks, whose leaves are the iterations. */
PUBLIC void pluss_trace_tree_begin(void);
PUBLIC void pluss_trace_tree_begin(void)
{
    begin_loop(2 * PLUSSI_TRACER_RAYON, __builtin_return_address(0), __builtin_frame_address(0));
}

/* The same where each thread takes the next iteration. */
PUBLIC void pluss_trace_queue_begin(void);
PUBLIC void pluss_trace_queue_begin(void)
{
    begin_loop(3 * PLUSSI_TRACER_RAYON, __builtin_return_address(0), __builtin_frame_address(0));
}

PUBLIC void pluss_trace_loop_end(void);
PUBLIC void pluss_trace_loop_end(void)
{
    if (__atomic_load_n(&scope.loop, __ATOMIC_RELAXED) != 0 && set_loop(0) != 0)
        plussi_tracer_leave_all();
}

/* Around iterations first ... end - 1 of it, by the thread that executes them. */
PUBLIC void pluss_trace_iterations_begin(uint64_t first, uint64_t end);
PUBLIC void pluss_trace_iterations_begin(uint64_t first, uint64_t end)
{
    uint64_t number = __atomic_load_n(&scope.loop, __ATOMIC_SEQ_CST);
    plussi_tracer_stream *s = number ? plussi_tracer_get_stream() : NULL;
    if (!s)
        return;
    s->iterates = true;
    if (entered != times) {
        entered = times;
        bottom = find_stack_end();
        plussi_tracer_enter(number);
    }
    s->bottom = bottom;
    plussi_tracer_chunk(first, end);
}

/* What was traced goes into the file before the loop ends, and others are told. */
PUBLIC void pluss_trace_iterations_end(void);
PUBLIC void pluss_trace_iterations_end(void)
{
    plussi_tracer_stream *s = plussi_tracer_self;
    if (!s->iterates)
        return;
    s->iterates = false;
    s->bottom = 0;
    plussi_tracer_commit();
}
