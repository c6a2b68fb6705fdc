/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * libpluss-trace: what a program calls that was compiled with -fsanitize=thread, by GCC, clang or
 * rustc, and is linked with this library in place of the sanitizer's. Where PLUSS_TRACE names a
 * file, every access that the compiler marked is written there as plain text
 * (docs/trace-format.md), with marks of regions, barriers and chunks of OpenMP, and objects into
 * PLUSS_TRACE.objects at exit. PLUSS_TRACE_ACCESSES bounds the trace; it is said on standard error
 * where it is cut there. Without PLUSS_TRACE nothing is written.
 */
#ifndef PLUSSI_TRACER_TRACER_H
#define PLUSSI_TRACER_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- trace_text.c -----------------------------------------------------------------------------
 */

/* An access of the calling thread; more than 65535 bytes are several. pc: a return address. */
void plussi_tracer_access(const void *address, size_t bytes, bool write, const void *pc);
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

/* ---- traced_objects.c -------------------------------------------------------------------------
 */

/* Writes the objects known: those of malloc and its kin of 64 bytes and more, the main program's
 * variables, the first thread's stack. 0: all is well. */
int plussi_tracer_write_objects(const char *path);
/* The main program's addresses: [*lo, *hi), and what its file's are moved by. */
void plussi_tracer_find_program(uintptr_t *lo, uintptr_t *hi, uintptr_t *moved);

#endif
