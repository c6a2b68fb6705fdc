/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef PLUSSI_RT_TICKS_H
#define PLUSSI_RT_TICKS_H

#include <stdint.h>
#include <time.h>

static inline uint64_t plussi_nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Ticks of the processor's time stamp counter; without one, nanoseconds. */
static inline uint64_t plussi_ticks(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#else
    return plussi_nanoseconds();
#endif
}

#endif
