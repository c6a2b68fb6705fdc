/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts the references that a kernel really makes to its arrays, one total a parallel loop and one
 * for the serial code around the loops: the measure of the hand counts in the kernels' headers.
 *
 * The kernel is compiled with -fsanitize=thread at -O0, which puts a call before every load and
 * store, and linked with refcount.c in the sanitizer's place; loops are told apart by the outlined
 * function that GOMP_parallel gets. A team of one; nothing else is counted.
 */
#ifndef POLYBENCH_REFCOUNT_H
#define POLYBENCH_REFCOUNT_H

#include <stddef.h>
#include <stdio.h>

/* counted_calls.c tells these: a reference, by one letter for each access, r or w; a parallel loop.
 */
void refcount_access(const void *address, const char *kind);
void refcount_enter(void (*body)(void *));
void refcount_leave(void);

void refcount_array(const char *name, const void *start, size_t bytes);
/* trace: where to print each reference, as "NAME OFFSET r" or w, with OFFSET in units of 8 bytes;
 * NULL: nowhere. */
void refcount_start(FILE *trace);
void refcount_print(FILE *to); /* "serial N", then "loop 1 N" ... in order of first execution */

#endif
