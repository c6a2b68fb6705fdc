/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Overflow-checked 64-bit arithmetic (true: overflow; *out may have changed), floor division,
 * saturating forms and closed integer intervals.
 */
#ifndef PLUSSI_BASE_ARITH_H
#define PLUSSI_BASE_ARITH_H

#include <stdbool.h>
#include <stdint.h>

#define plussi_add_over(a, b, out) __builtin_add_overflow(a, b, out)
#define plussi_sub_over(a, b, out) __builtin_sub_overflow(a, b, out)
#define plussi_mul_over(a, b, out) __builtin_mul_overflow(a, b, out)

/* floor(a / b), b != 0, not (INT64_MIN / -1). */
static inline int64_t plussi_floordiv(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q - (a % b != 0 && ((a < 0) != (b < 0)));
}

/* ceil(a / b), same domain. */
static inline int64_t plussi_ceildiv(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q + (a % b != 0 && ((a < 0) == (b < 0)));
}

/* a - b * floor(a / b): in [0, b) for b > 0. */
static inline int64_t plussi_floormod(int64_t a, int64_t b)
{
    int64_t r = a % b;
    return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}

/* |v|, also for INT64_MIN. */
static inline uint64_t plussi_magnitude(int64_t v)
{
    return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* Greatest common divisor; gcd(a, 0) = a. */
static inline uint64_t plussi_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static inline int64_t plussi_saturate(__int128 v)
{
    return v < INT64_MIN ? INT64_MIN : v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static inline int64_t plussi_min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t plussi_max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Closed interval of integers; empty when lo > hi. */
typedef struct plussi_interval {
    int64_t lo, hi;
} plussi_interval;

static inline bool plussi_interval_empty(plussi_interval v)
{
    return v.lo > v.hi;
}

static inline plussi_interval plussi_interval_meet(plussi_interval a, plussi_interval b)
{
    return (plussi_interval){plussi_max64(a.lo, b.lo), plussi_min64(a.hi, b.hi)};
}

/* { k * x : x in v }; the caller knows that it does not overflow. */
static inline plussi_interval plussi_interval_scale(plussi_interval v, int64_t k)
{
    return k >= 0 ? (plussi_interval){k * v.lo, k * v.hi} : (plussi_interval){k * v.hi, k * v.lo};
}

#endif
