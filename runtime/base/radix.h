/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sorting by numbers: radix sort, least significant byte first. Stable, so that an order by several
 * keys is a sort by each of them, the least important one first.
 */
#ifndef PLUSSI_BASE_RADIX_H
#define PLUSSI_BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* An element of another array, by its index there. */
typedef struct plussi_keyed {
    uint64_t key;
    uint32_t index;
} plussi_keyed;

/* Sorts n elements by ascending key; spare: room for as many. O(n) for each byte in which keys
 * differ. */
void plussi_radix_sort(plussi_keyed *a, plussi_keyed *spare, size_t n);

/* A key in the order of numbers that are not negative, nor NaN. */
static inline uint64_t plussi_radix_of_double(double value)
{
    uint64_t key;
    memcpy(&key, &value, sizeof key);
    return value > 0 ? key : 0;
}

#endif
