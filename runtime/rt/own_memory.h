/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Memory of the recorder's own. The program's is not touched: an access or a region may be recorded
 * inside of the program's malloc, which a signal handler has interrupted, or which is a function
 * that is recorded.
 *
 * Any function of it may be called at any time and place: in signal handlers that interrupted one
 * of them, in any number of threads, in child processes of programs with several threads. Nothing
 * waits. A function that is left by a jump out of a handler, or whose thread is gone, keeps the
 * memory that nobody uses in one arena (own_memory.c) from everyone, until the process ends.
 *
 * Where the address sanitizer is built in, all of it is malloc's, so that it sees each block.
 */
#ifndef PLUSSI_RT_OWN_MEMORY_H
#define PLUSSI_RT_OWN_MEMORY_H

#include "base/ctx.h"

enum { PLUSSI_OWN_MAPPED = 1 << 18 }; /* bytes of a block that is mapped by itself, at least */

/* Allocates, changes and frees blocks by the rules of plussi_mem: NULL where there is no memory,
 * with errno set. Blocks are aligned to 16 bytes, from 1025 bytes on to 64. O(1) but for blocks
 * that are copied or mapped. */
void *plussi_own_resize(void *user, void *block, size_t bytes);

extern const plussi_mem plussi_own; /* what the recorder allocates with */

#endif
