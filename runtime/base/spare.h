/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Workers of a call that have nothing to do, for what can use more than one of them: work that is
 * done at the same time, and is parallel inside as well, has no more workers together than the call
 * may have. Any number of threads may take and give.
 */
#ifndef PLUSSI_BASE_SPARE_H
#define PLUSSI_BASE_SPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct plussi_spare {
    uint32_t n; /* atomic */
} plussi_spare;

/* Takes as many as there are, at most `most`, and returns their number; spare NULL: that many. */
static inline uint32_t plussi_spare_take(plussi_spare *spare, uint32_t most)
{
    if (!spare)
        return most;
    uint32_t have = __atomic_load_n(&spare->n, __ATOMIC_RELAXED);
    for (;;) {
        const uint32_t taken = have < most ? have : most;
        if (__atomic_compare_exchange_n(&spare->n, &have, have - taken, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return taken;
    }
}

/* Gives back what was taken, or a worker that has come to its end. */
static inline void plussi_spare_give(plussi_spare *spare, uint32_t n)
{
    if (spare)
        (void)__atomic_fetch_add(&spare->n, n, __ATOMIC_RELAXED);
}

#endif
