/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Advice for large blocks that are accessed at random.
 */
#ifndef PLUSSI_BASE_HUGE_PAGES_H
#define PLUSSI_BASE_HUGE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Before the block is accessed. NULL and small ones are left alone. */
static inline void plussi_prefer_huge_pages(void *block, size_t bytes)
{
    enum { PAGE = 4096, LARGE = 1 << 22 };
    if (!block || bytes < LARGE)
        return;
    const uintptr_t from = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE;
    (void)madvise((void *)from, ((uintptr_t)block + bytes - from) / PAGE * PAGE, MADV_HUGEPAGE);
}

#endif
