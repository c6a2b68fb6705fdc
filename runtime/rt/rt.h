/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * libpluss-rt, which instrumented programs link. For every region that runs it collects the values
 * of its symbols, the number of its runs and (if accesses are instrumented) the private reuse
 * intervals of every reference, thread by thread, without a lock on the access path.
 *
 * Calls written by hand (another language's tracing):
 *
 *     run = pluss_rt_region_begin(&region, symbols, bases);   the thread that meets the region
 *         pluss_rt_thread_begin(run, k, T);                   thread k of each team, on its own
 *             pluss_rt_access(ref, address);
 *         pluss_rt_thread_end(run);
 *     pluss_rt_region_end(run);
 *
 * Accesses between region_begin and region_end by the thread that called them, outside of any team,
 * count as thread 0's. Accesses outside of a region are ignored. A region inside another one is
 * ignored, with everything up to its region_end (NULL). Different threads may run regions at the
 * same time. A NULL run (out of memory) is accepted everywhere; the record then states what was
 * lost.
 *
 * The GCC plugin emits the calls of the last section.
 *
 * When the program exits, the record goes to the file named by the environment variable
 * PLUSS_RECORD (if unset, nothing is written), or to the argument of pluss_rt_write: complete, or
 * not at all. A region that is running at that time (exit was called in it) is recorded as far as
 * it got. A child process made by fork starts without a record; its own goes to the same name
 * followed by a dot and its process id.
 *
 * A record may have a sidecar file (trace/format.h). With PLUSS_INTERLEAVE=tsc it holds the lines
 * that each thread touches, in sections with their start and end times (rt/touch_log.h). With
 * PLUSS_STAMPS=tsc it holds the start times of iterations, for programs built for that
 * (rt/stamps.h).
 */
#ifndef PLUSS_RT_H
#define PLUSS_RT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PLUSS_RT_API __attribute__((visibility("default")))
#else
#define PLUSS_RT_API
#endif

enum { PLUSS_RT_LINE_BYTES = 64 };

/* A reference as the emitter describes it. stride_gcd: greatest common divisor of the byte strides
 * of its subscripts and of the line size, a power of two, 1 ... PLUSS_RT_LINE_BYTES. It decides
 * whether the access can straddle a line, and so the number of accesses of each execution
 * (docs/nest-format.md, "References"). */
typedef struct pluss_rt_ref {
    uint32_t width; /* bytes accessed, >= 1 */
    uint32_t stride_gcd;
} pluss_rt_ref;

/* One for each region, in static storage: the runtime keeps the pointer. */
typedef struct pluss_rt_region {
    size_t size; /* sizeof(pluss_rt_region), for later growth */
    const char *name, *file;
    uint32_t line;
    uint32_t n_refs, n_symbols, n_arrays;
    const pluss_rt_ref *ref;
    const char *const *symbol; /* names, n_symbols */
    const char *const *array;  /* names, n_arrays */
    /* of the references those of its description, which come first; others are counted in
     * pluss_rt_counted, too. Where `size` ends before it: all. */
    uint32_t n_described;
} pluss_rt_region;

typedef struct pluss_rt_run pluss_rt_run;

/* symbols: n_symbols values; bases: n_arrays addresses (NULL: unknown). Both may be NULL. */
PLUSS_RT_API pluss_rt_run *pluss_rt_region_begin(const pluss_rt_region *region,
                                                 const int64_t *symbols, const void *const *bases);
PLUSS_RT_API void pluss_rt_region_end(pluss_rt_run *run);

/* The calling thread is thread `thread` (0 ... team - 1) of a team until thread_end. */
PLUSS_RT_API void pluss_rt_thread_begin(pluss_rt_run *run, uint32_t thread, uint32_t team);
PLUSS_RT_API void pluss_rt_thread_end(pluss_rt_run *run);

/* One execution of reference ref (0 ... n_refs - 1) of the current region. */
PLUSS_RT_API void pluss_rt_access(uint32_t ref, const void *address);

/* That many accesses of the run could not be reported: the record lists them as lost. From any
 * thread; NULL is accepted. */
PLUSS_RT_API void pluss_rt_lost(pluss_rt_run *run, uint64_t accesses);

/* Writes the record of everything that has ended (docs/record-format.md). 0 or an errno. */
PLUSS_RT_API int pluss_rt_write(const char *path);
/* The same, in memory: *length bytes, which the caller frees with free(). 0, or an errno. */
PLUSS_RT_API int pluss_rt_text(char **text, size_t *length);

/* Clears all records. No region may be running. */
PLUSS_RT_API void pluss_rt_reset(void);

PLUSS_RT_API const char *pluss_rt_version(void);

/* ---- what the GCC plugin emits ------------------------------------------------------------------
 *
 * As region_begin and region_end, with these differences. The result of enter goes to leave, once;
 * it is not NULL, and leave (NULL) does nothing. A region that begins in the serial part of another
 * one is recorded separately, and the other one goes on after it; one that begins in a team is
 * ignored.
 */

/* PLUSS_RT_PROFILE: accesses follow; PLUSS_RT_BIND: none; PLUSS_RT_TIME: time stamps instead.
 * PLUSS_RT_COUNTED, added to one of them: the code around counts what the region's description does
 * not have. PLUSS_RT_CALLED, added to PROFILE: the region's last reference stands for the accesses
 * of functions that it calls (pluss_rt_called). PLUSS_RT_FILLED, added to PROFILE: what the
 * region's description has as unknowns is told in its order, too (pluss_rt_fill). */
enum {
    PLUSS_RT_BIND,
    PLUSS_RT_PROFILE,
    PLUSS_RT_TIME,
    PLUSS_RT_COUNTED = 4,
    PLUSS_RT_CALLED = 8,
    PLUSS_RT_FILLED = 16
};

/* The calling thread's loads and stores that no description has: the program adds to it. What is
 * added between a region's begin and end counts as that run's, the rest as the serial part's. A
 * structure, which no pointer to a number of the program's may lead to. */
typedef struct pluss_rt_count {
    uint64_t accesses;
    uint32_t called; /* not 0: pluss_rt_called records; the program reads it */
} pluss_rt_count;
#if defined(__GNUC__)
extern PLUSS_RT_API __thread pluss_rt_count pluss_rt_counted
    __attribute__((tls_model("initial-exec")));
#endif
#define PLUSS_RT_UNKNOWN INT64_MIN         /* a symbol whose value is unknown */
#define PLUSS_RT_UNDECIDED (INT64_MIN + 1) /* a branch that the run has not reached */
/* A symbol's value that the run has not computed, an array's address that it has not loaded: what
 * depends on it has not been executed. */
#define PLUSS_RT_UNREACHED (INT64_MIN + 2)
#define PLUSS_RT_UNTOUCHED ((const void *)1)

PLUSS_RT_API pluss_rt_run *pluss_rt_enter(const pluss_rt_region *region, const int64_t *symbols,
                                          const void *const *bases, uint32_t how);
/* For a region that all threads of a team execute and that was compiled separately: each thread
 * calls it. Threads of one team are matched by their numbers. */
PLUSS_RT_API pluss_rt_run *pluss_rt_enter_team(const pluss_rt_region *region,
                                               const int64_t *symbols, const void *const *bases,
                                               uint32_t how, uint32_t thread, uint32_t team);
PLUSS_RT_API void pluss_rt_leave(pluss_rt_run *run);

/* An access of `bytes` >= 1, plus PLUSS_RT_STORE if it is a store, one of those counted in
 * pluss_rt_counted, of a function that may have been called in a region. */
#define PLUSS_RT_STORE 0x80000000u
PLUSS_RT_API void pluss_rt_called(const void *address, uint32_t bytes);
/* Two to four such accesses, one after the other. The sizes of a and c are the lower halves of ab
 * and cd; 0: there is none, nor any after it. */
PLUSS_RT_API void pluss_rt_called_four(const void *a, const void *b, const void *c, const void *d,
                                       uint64_t ab, uint64_t cd);

/* A loop's accesses: in each iteration one of each stream, in their order. `bytes` is that of
 * pluss_rt_called; for access_loop the number of the reference. n <= PLUSS_RT_STREAMS. */
enum { PLUSS_RT_STREAMS = 16 };
typedef struct pluss_rt_stream {
    const void *address; /* in the first iteration */
    int64_t step;        /* bytes, from each iteration to the next */
    uint64_t bytes;
} pluss_rt_stream;
PLUSS_RT_API void pluss_rt_called_loop(uint64_t iterations, uint32_t n,
                                       const pluss_rt_stream *stream);
PLUSS_RT_API void pluss_rt_access_loop(uint64_t iterations, uint32_t n,
                                       const pluss_rt_stream *stream);

/* A symbol's value or an array's address that becomes known inside the region. */
PLUSS_RT_API void pluss_rt_symbol(uint32_t symbol, int64_t value);
PLUSS_RT_API void pluss_rt_base(uint32_t array, const void *address);
/* Called whenever a branch is taken or not (1, 0), for a symbol that was UNDECIDED at first: the
 * value is unknown if the branch goes both ways, and 0 if the run does not reach it, as then
 * nothing depends on it. */
PLUSS_RT_API void pluss_rt_decision(uint32_t symbol, int64_t taken);

/* The calling thread reaches a worksharing loop: first ... last by step is its range in dimension
 * `dim` of the collapsed ones, called from 0 upwards; `last` is the first value outside. Then, at
 * the start of each of its iterations, the value of each dimension's variable. */
PLUSS_RT_API void pluss_rt_loop(uint32_t loop, uint32_t dim, int64_t first, int64_t last,
                                int64_t step);
PLUSS_RT_API void pluss_rt_iteration(uint32_t dim, int64_t value);

/* In an iteration of a worksharing loop: an access of `bytes` >= 1 that unknown number `unknown` of
 * the description stands for (UINT32_MAX: it cannot be told, and all of them stay unknown);
 * pluss_rt_called is called for those that this unknown stands for; an iteration of this loop
 * inside of the worksharing loop has ended. */
PLUSS_RT_API void pluss_rt_fill(uint32_t unknown, uint32_t write, const void *address,
                                uint32_t bytes);
PLUSS_RT_API void pluss_rt_fill_called(uint32_t unknown);
PLUSS_RT_API void pluss_rt_done(uint32_t loop);

/* Time stamps. `fork`: the thread that met the region is about to start a team. `mark`: the calling
 * thread is at `kind` (of a loop: of this one). `stamp`: it begins an iteration of its loop. */
enum { PLUSS_RT_AT_LOOP, PLUSS_RT_LOOP_DONE, PLUSS_RT_AT_BARRIER, PLUSS_RT_AFTER_BARRIER };
PLUSS_RT_API void pluss_rt_fork(pluss_rt_run *run);
PLUSS_RT_API void pluss_rt_mark(uint32_t kind, uint32_t loop);
PLUSS_RT_API void pluss_rt_stamp(void);

#ifdef __cplusplus
}
#endif
#endif
