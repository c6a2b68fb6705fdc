/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Regions that were met, in copies: the descriptions are in programs and shared libraries, and
 * those may be gone when the record is written. Guarded by the lock of the runs.
 */
#ifndef PLUSSI_RT_KNOWN_H
#define PLUSSI_RT_KNOWN_H

#include <stdatomic.h>

#include "rt/rt.h"

typedef struct plussi_known {
    pluss_rt_region region;       /* a copy, whole */
    const pluss_rt_region *told;  /* where it was */
    const char *object;           /* file that it is from, one pointer a file; NULL: not known */
    atomic_uint_fast64_t sampled; /* accesses of its last sample; 0: none yet */
} plussi_known;

/* The copy of a description, made when it is first met; where another one has come to be at the
 * same address, a new one. Never freed. NULL: no memory. O(its size). */
plussi_known *plussi_known_region(const pluss_rt_region *told);

#endif
