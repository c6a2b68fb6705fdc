/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * libpluss-rt: what an instrumented program links. It collects, for every region that runs, the
 * values that its symbols had, how often it ran, and (where accesses are instrumented) the private
 * reuse intervals of every reference, thread by thread, without a lock on the access path.
 *
 * Calls written by hand (another language's tracing):
 *
 *     run = pluss_rt_region_begin(&region, symbols, bases);   the thread that meets the region
 *         pluss_rt_thread_begin(run, k, T);                   thread k of each team, on its own
 *             pluss_rt_access(ref, address);
 *         pluss_rt_thread_end(run);
 *     pluss_rt_region_end(run);
 *
 * Accesses between region_begin and region_end on the thread that called them, outside of any team,
 * count as thread 0's. Accesses outside of a region are ignored. A region that begins inside of
 * another one is ignored, with all that is done until its region_end (NULL). Different threads may
 * run regions at the same time. A NULL run (no memory) is accepted everywhere; what was lost is
 * then said in the record.
 *
 * The GCC plugin emits the calls of the last section.
 *
 * The record goes to the file named by the environment variable PLUSS_RECORD when the program
 * exits (nothing is written when it is not set), or where pluss_rt_write says: whole, or not at
 * all. A region that is running at that time (exit was called in it) is recorded as far as it got.
 * A child process made by fork has recorded nothing; if it records something itself, that goes to
 * the file's name with a dot and its process id after it.
 *
 * A record may have a sidecar file (trace/format.h). With PLUSS_INTERLEAVE=tsc, the lines that each
 * thread touches go there, in sections with the time at which they began and ended
 * (rt/touch_log.h). With PLUSS_STAMPS=tsc the times at which it began its iterations do, where the
 * program was made for it (rt/stamps.h).
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

/* What the emitter knows of a reference. stride_gcd: greatest common divisor of the byte strides of
 * its subscripts and of the line size, a power of two, 1 ... PLUSS_RT_LINE_BYTES. Whether the
 * access can straddle a line, and so how many accesses each of its executions counts as, follows
 * from it (docs/nest-format.md, "References"). */
typedef struct pluss_rt_ref {
    uint32_t width; /* bytes accessed, >= 1 */
    uint32_t stride_gcd;
} pluss_rt_ref;

/* One a region, with static storage: the runtime keeps the pointer. */
typedef struct pluss_rt_region {
    size_t size; /* sizeof(pluss_rt_region), for later growth */
    const char *name, *file;
    uint32_t line;
    uint32_t n_refs, n_symbols, n_arrays;
    const pluss_rt_ref *ref;
    const char *const *symbol; /* names, n_symbols */
    const char *const *array;  /* names, n_arrays */
} pluss_rt_region;

typedef struct pluss_rt_run pluss_rt_run;

/* symbols: n_symbols values; bases: n_arrays addresses (NULL: not known). Both may be NULL. */
PLUSS_RT_API pluss_rt_run *pluss_rt_region_begin(const pluss_rt_region *region,
                                                 const int64_t *symbols, const void *const *bases);
PLUSS_RT_API void pluss_rt_region_end(pluss_rt_run *run);

/* The calling thread is thread `thread` (0 ... team - 1) of a team until thread_end. */
PLUSS_RT_API void pluss_rt_thread_begin(pluss_rt_run *run, uint32_t thread, uint32_t team);
PLUSS_RT_API void pluss_rt_thread_end(pluss_rt_run *run);

/* One execution of reference ref (0 ... n_refs - 1) of the current region. */
PLUSS_RT_API void pluss_rt_access(uint32_t ref, const void *address);

/* So many accesses of the run were made which could not be told: the record says that they are
 * missing. From any thread; NULL is accepted. */
PLUSS_RT_API void pluss_rt_lost(pluss_rt_run *run, uint64_t accesses);

/* Writes the record of all that ended so far (docs/record-format.md). 0, or an errno. */
PLUSS_RT_API int pluss_rt_write(const char *path);
/* The same, in memory: *length bytes, which the caller frees with free(). 0, or an errno. */
PLUSS_RT_API int pluss_rt_text(char **text, size_t *length);

/* Forgets all that was recorded. No region may be running. */
PLUSS_RT_API void pluss_rt_reset(void);

PLUSS_RT_API const char *pluss_rt_version(void);

/* ---- what the GCC plugin emits ------------------------------------------------------------------
 *
 * As region_begin and region_end, with these differences. What enter gives goes to leave, once; it
 * is not NULL, and leave (NULL) does nothing. A region that begins in another one's serial part is
 * recorded on its own, and the other one goes on after it; one that begins in a team is ignored.
 */

/* PLUSS_RT_PROFILE: accesses follow; PLUSS_RT_BIND: they do not; PLUSS_RT_TIME: nor here, but time
 * stamps. */
enum { PLUSS_RT_BIND, PLUSS_RT_PROFILE, PLUSS_RT_TIME };
#define PLUSS_RT_UNKNOWN INT64_MIN         /* a symbol whose value is not known, or not yet */
#define PLUSS_RT_UNDECIDED (INT64_MIN + 1) /* a branch that the run has not come to */

PLUSS_RT_API pluss_rt_run *pluss_rt_enter(const pluss_rt_region *region, const int64_t *symbols,
                                          const void *const *bases, uint32_t how);
/* Of a region that all threads of a team execute, which was made elsewhere: each calls it. Those
 * that belong together find each other by their numbers. */
PLUSS_RT_API pluss_rt_run *pluss_rt_enter_team(const pluss_rt_region *region,
                                               const int64_t *symbols, const void *const *bases,
                                               uint32_t how, uint32_t thread, uint32_t team);
PLUSS_RT_API void pluss_rt_leave(pluss_rt_run *run);

/* A symbol's value or an array's address, where it becomes known inside of the region. */
PLUSS_RT_API void pluss_rt_symbol(uint32_t symbol, int64_t value);
PLUSS_RT_API void pluss_rt_base(uint32_t array, const void *address);
/* Whether a branch is taken (0, 1), each time that the run comes to it, of a symbol that was
 * UNDECIDED at first: unknown where it goes both ways; 0 where the run does not come to it, since
 * nothing depends on it then. */
PLUSS_RT_API void pluss_rt_decision(uint32_t symbol, int64_t taken);

/* The calling thread comes to a worksharing loop: first ... last by step is its range in dimension
 * `dim` of the collapsed ones, called from 0 upwards; `last` is the first value that is not in it.
 * Then, at the start of each of its iterations, the value of each dimension's variable. */
PLUSS_RT_API void pluss_rt_loop(uint32_t loop, uint32_t dim, int64_t first, int64_t last,
                                int64_t step);
PLUSS_RT_API void pluss_rt_iteration(uint32_t dim, int64_t value);

/* Time stamps. `fork`: the thread that met the region is about to make a team. `mark`: the calling
 * thread is where `kind` says (of a loop: of this one). `stamp`: it begins an iteration of the loop
 * that it is at. */
enum { PLUSS_RT_AT_LOOP, PLUSS_RT_LOOP_DONE, PLUSS_RT_AT_BARRIER, PLUSS_RT_BEHIND_BARRIER };
PLUSS_RT_API void pluss_rt_fork(pluss_rt_run *run);
PLUSS_RT_API void pluss_rt_mark(uint32_t kind, uint32_t loop);
PLUSS_RT_API void pluss_rt_stamp(void);

#ifdef __cplusplus
}
#endif
#endif
