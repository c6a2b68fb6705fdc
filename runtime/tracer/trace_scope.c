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

static struct {
    bool asked;
    char name[256], mangled[270]; /* as C has it; as a part of C++'s and Rust's names */
    uintptr_t lo[MOST_PARTS], hi[MOST_PARTS];
    int parts, executing; /* executing: threads that are in it */
} function;
static __thread int depth; /* functions entered since it was, it included */

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

void plussi_tracer_begin_function(uintptr_t pc)
{
    if (!function.asked)
        return;
    bool it = depth > 0;
    for (int i = 0; i < function.parts && !it; i++)
        it = pc >= function.lo[i] && pc < function.hi[i];
    if (it && depth++ == 0 && __atomic_fetch_add(&function.executing, 1, __ATOMIC_SEQ_CST) == 0)
        plussi_tracer_set_traps(true);
}

void plussi_tracer_end_function(void)
{
    if (depth > 0 && --depth == 0 &&
        __atomic_fetch_sub(&function.executing, 1, __ATOMIC_SEQ_CST) == 1)
        plussi_tracer_set_traps(false);
}

/* ---- loops of Rayon ----------------------------------------------------------------------------
 */

static struct {
    uint64_t number; /* of the loop that is executed; 0: none */
    uint64_t times;  /* loops executed so far */
} loop;
static __thread uint64_t entered; /* the latest loop of this thread: times */
static __thread bool iterates;
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

/* Around a loop, by the thread that begins it. */
PUBLIC void pluss_trace_loop_begin(void);
PUBLIC void pluss_trace_loop_begin(void)
{
    if (!plussi_tracer_is_wanted())
        return;
    uint64_t number =
        PLUSSI_TRACER_RAYON + plussi_tracer_place((uintptr_t)__builtin_return_address(0));
    __atomic_add_fetch(&loop.times, 1, __ATOMIC_SEQ_CST);
    entered = loop.times;
    bottom = (uintptr_t)__builtin_frame_address(0);
    plussi_tracer_enter(number);
    __atomic_store_n(&loop.number, number, __ATOMIC_SEQ_CST);
}

PUBLIC void pluss_trace_loop_end(void);
PUBLIC void pluss_trace_loop_end(void)
{
    if (__atomic_exchange_n(&loop.number, 0, __ATOMIC_SEQ_CST) != 0)
        plussi_tracer_leave_all();
}

/* Around iterations first ... end - 1 of it, by the thread that executes them. */
PUBLIC void pluss_trace_iterations_begin(uint64_t first, uint64_t end);
PUBLIC void pluss_trace_iterations_begin(uint64_t first, uint64_t end)
{
    uint64_t number = __atomic_load_n(&loop.number, __ATOMIC_SEQ_CST);
    if (number == 0)
        return;
    iterates = true;
    if (entered != loop.times) {
        entered = loop.times;
        bottom = find_stack_end();
        plussi_tracer_enter(number);
    }
    plussi_tracer_chunk(first, end);
}

PUBLIC void pluss_trace_iterations_end(void);
PUBLIC void pluss_trace_iterations_end(void)
{
    iterates = false;
}

bool plussi_tracer_is_local(const void *address)
{
    return iterates && address >= __builtin_frame_address(0) && (uintptr_t)address < bottom;
}

bool plussi_tracer_is_chosen(void)
{
    return !function.asked || __atomic_load_n(&function.executing, __ATOMIC_RELAXED) > 0;
}

bool plussi_tracer_is_wanted(void)
{
    return plussi_tracer_is_chosen() &&
           (iterates || __atomic_load_n(&loop.number, __ATOMIC_RELAXED) == 0);
}
