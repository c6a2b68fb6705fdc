/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Copies of the regions that were met: their descriptions are in programs and shared libraries,
 * which may be unloaded when the record is written. The lock of the runs guards them.
 */
#ifndef PLUSSI_RT_KNOWN_H
#define PLUSSI_RT_KNOWN_H

#include <stdatomic.h>
#include <stdbool.h>

#include "rt/rt.h"

typedef struct plussi_known {
    pluss_rt_region region;       /* a copy, whole */
    const pluss_rt_region *told;  /* its original */
    const char *object;           /* its file, one pointer a file; NULL: unknown */
    atomic_uint_fast64_t sampled; /* accesses of its last sample; 0: none yet */
    uint64_t recorded;            /* accesses of its runs, one by one */
    unsigned shift;               /* of the next run: the least that any run needed so far */
    bool ran;                     /* a run has ended: shift is known */
} plussi_known;

/* The copy of a description, made at its first use, and anew if another description has the same
 * address. Never freed. NULL: out of memory. O(its size). */
plussi_known *plussi_known_region(const pluss_rt_region *told);

#endif
