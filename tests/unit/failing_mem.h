/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An allocator that fails once its budget of calls is used up, for allocation-failure sweeps (also
 * of what works in several threads):
 *
 *     for (long budget = 0;; budget++) { failing_mem m; failing_mem_init(&m, budget); ... &m.mem
 * ... ck_assert_int_eq(m.live, 0); if (!m.failed) break; }
 */
#ifndef TESTS_UNIT_FAILING_MEM_H
#define TESTS_UNIT_FAILING_MEM_H

#include <stdbool.h>
#include <stdlib.h>

#include "base/ctx.h"

typedef struct failing_mem {
    plussi_mem mem;
    long budget, live;
    bool alone; /* only the call at the budget's end fails */
    bool failed;
} failing_mem;

static inline void *failing_resize(void *user, void *ptr, size_t size)
{
    failing_mem *m = user;
    if (size == 0) {
        if (ptr)
            __atomic_sub_fetch(&m->live, 1, __ATOMIC_RELAXED);
        free(ptr);
        return NULL;
    }
    const long left = __atomic_fetch_sub(&m->budget, 1, __ATOMIC_RELAXED);
    if (m->alone ? left == 0 : left <= 0) {
        __atomic_store_n(&m->failed, true, __ATOMIC_RELAXED);
        return NULL;
    }
    void *p = realloc(ptr, size);
    if (p && !ptr)
        __atomic_add_fetch(&m->live, 1, __ATOMIC_RELAXED);
    return p;
}

/* Initialises in place: mem.user points at m. */
static inline void failing_mem_init(failing_mem *m, long budget)
{
    *m = (failing_mem){.mem = {failing_resize, m}, .budget = budget};
}

#endif
