/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * refcount.h for programs whose kernel is not instrumented.
 */
#include "refcount.h"

#include <stdlib.h>

void refcount_array(const char *name, const void *start, size_t bytes)
{
    (void)name;
    (void)start;
    (void)bytes;
}

void refcount_start(FILE *trace)
{
    (void)trace;
    fprintf(stderr, "this program does not count references; make -C polybench counts\n");
    exit(2);
}

void refcount_print(FILE *to)
{
    (void)to;
}
