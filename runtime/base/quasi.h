/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Points that fill the unit cube evenly: on each axis the multiples of the square root of a prime,
 * modulo 1 (Richtmyer 1951), from a random start (Cranley and Patterson 1976). Each point by itself
 * is uniformly distributed, so that means over the points are unbiased; together they leave smaller
 * gaps than independent ones, on every axis and, but for a few combinations of axes, jointly.
 * Nothing is stored: a point is known by its number.
 */
#ifndef PLUSSI_BASE_QUASI_H
#define PLUSSI_BASE_QUASI_H

#include <math.h>

#include "base/rng.h"

enum { PLUSSI_QUASI_AXES = 32 };

typedef struct plussi_quasi {
    uint64_t seed; /* of the sequence */
    uint64_t turn; /* number of the point */
} plussi_quasi;

/* The point's coordinate on an axis, in (0, 1). */
static inline double plussi_quasi_at(const plussi_quasi *point, uint32_t axis)
{
    static const uint8_t prime[PLUSSI_QUASI_AXES] = {
        2,  3,  5,  7,  11, 13, 17, 19, 23, 29,  31,  37,  41,  43,  47,  53,
        59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131};
    const double start = (double)(plussi_mix(point->seed, axis) >> 11) * 0x1p-53;
    const double at = start + (double)point->turn * sqrt(prime[axis]), within = at - floor(at);
    return within > 0 ? within : 0x1p-54;
}

#endif
