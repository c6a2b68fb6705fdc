/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * libpluss-trace: what a program calls that was compiled with -fsanitize=thread, by GCC, clang or
 * rustc, and is linked with this library in place of the sanitizer's. Where PLUSS_TRACE names a
 * file, every access that the compiler marked is written there as plain text, or packed where
 * PLUSS_TRACE_FORMAT is `packed` (docs/trace-format.md), with marks of regions, barriers and chunks
 * of OpenMP, and objects into PLUSS_TRACE.objects at exit. PLUSS_TRACE_FUNCTION names the function
 * to be traced, with all that any thread does meanwhile. PLUSS_TRACE_ACCESSES bounds the trace; it
 * is said on standard error where it is cut there. Without PLUSS_TRACE nothing is written.
 */
#ifndef PLUSSI_TRACER_TRACER_H
#define PLUSSI_TRACER_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tracer/event_stream.h"
#include "tracer/tracing.h"

/* ---- event_stream.c: streams of the threads' events ---------------------------------------------
 */

/* The calling thread has none from now on; s is as new, but for its sites. */
void plussi_tracer_end_stream(plussi_tracer_stream *s);

/* ---- trace_file.c: their segments in the file ---------------------------------------------------
 */

/* What the stream has goes into the file, and it gets a budget, and a number if it has none. false:
 * no trace is written (any more). */
bool plussi_tracer_begin_segment(plussi_tracer_stream *s);
/* A stream whose thread has ended becomes the calling thread's; NULL: there is none. */
plussi_tracer_stream *plussi_tracer_reuse_stream(void);
void plussi_tracer_add_stream(plussi_tracer_stream *s);
/* One more site of all streams; false: there are as many as the format allows. */
bool plussi_tracer_count_site(void);
bool plussi_tracer_writes_text(void);
/* An access of a signal's handler is left out, which is said at the end. */
void plussi_tracer_drop(void);
/* Ends the trace, and says why. */
void plussi_tracer_cut(const char *why);
/* What the calling thread has taken goes into the file: before it may tell others of it. */
void plussi_tracer_commit(void);
/* From now on accesses of the calling thread at these addresses are left out: the bounds of its
 * chunk, which a runtime library writes, not the program. NULL: none are. */
void plussi_tracer_leave_out(const void *a, const void *b);
/* The calling thread has this number in the trace, unless another has it that is in no team.
 * Threads without a number in a team are numbered as they come. */
void plussi_tracer_join_team(uint32_t number);
/* A mark of it. */
void plussi_tracer_enter(uint64_t region);
void plussi_tracer_leave(void);
void plussi_tracer_barrier(void);
void plussi_tracer_chunk(uint64_t first, uint64_t end);
/* All threads leave the region that they have entered. */
void plussi_tracer_leave_all(void);
/* Accesses traced so far. O(threads). */
uint64_t plussi_tracer_count(void);
/* An address of code as the trace has it: in the main program, that of its file. */
uint64_t plussi_tracer_place(uintptr_t pc);

/* ---- trace_scope.c ----------------------------------------------------------------------------
 */

/* Regions of a number from this on are loops of Rayon, which mark themselves by
 * pluss_trace_loop_begin and so on; the rest is where the loop is in the program. From twice this
 * on they are trees of tasks, from three times loops whose iterations are taken from a queue. */
#define PLUSSI_TRACER_RAYON ((uint64_t)1 << 48)

/* A trace is written from now on, or no more. */
void plussi_tracer_open_gate(bool open);
/* From now on while this function is executed alone. A name of C, or one of a path in C++ or Rust.
 * false: the program has none. */
bool plussi_tracer_choose_function(const char *name);
/* The calling thread enters the function that has this pc, leaves the latest it has entered. */
void plussi_tracer_begin_function(uintptr_t pc);
void plussi_tracer_end_function(void);

/* ---- traced_objects.c -------------------------------------------------------------------------
 */

/* Writes the objects known: those of malloc and its kin of 64 bytes and more, the main program's
 * variables, the first thread's stack; then the sites. 0: all is well. */
int plussi_tracer_write_objects(const char *path, uint32_t threads);
/* Calls take with each of the main program's symbols that has an address. */
void plussi_tracer_each_symbol(plussi_tracer_symbol_fn take, void *user);
/* The main program's addresses: [*lo, *hi), and what its file's are moved by. */
void plussi_tracer_find_program(uintptr_t *lo, uintptr_t *hi, uintptr_t *moved);

/* ---- traced_sites.c ---------------------------------------------------------------------------
 */

/* Remembers sites of a program at [lo, hi) whose accesses are left out. */
void plussi_tracer_pass_sites(uintptr_t lo, uintptr_t hi);
void plussi_tracer_pass_site(uintptr_t pc);
/* Writes a line `site PC FUNCTION` for each call that marks an access, in functions of the program,
 * but for those passed. */
void plussi_tracer_write_sites(FILE *out);

/* ---- unused_calls.c ---------------------------------------------------------------------------
 */

/* The program's calls of this library that tell of accesses and functions have no effect from now
 * on. Where its code cannot be read or written, they are made. */
void plussi_tracer_remove_calls(void);

/* ---- code_traps.c -----------------------------------------------------------------------------
 */

/* Finds the instructions to be watched (watched_code.h) in the functions of a program at [lo, hi)
 * that are traced, and in those that they call and that call none. Where its code cannot be read or
 * written, none are. */
void plussi_tracer_watch_code(uintptr_t lo, uintptr_t hi);
/* They are watched from now on, or no more. */
void plussi_tracer_set_traps(bool set);
/* Writes a line of how many there are and that many threads were traced, and one for each that was
 * executed: docs/folding.md. */
void plussi_tracer_write_watches(FILE *out, uint32_t threads);

#endif
