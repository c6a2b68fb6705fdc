/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/radix.h"

#include <stdbool.h>

enum { FEW = 24 /* elements that are inserted one by one */ };

static void insert_all(plussi_keyed *a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        plussi_keyed x = a[i];
        size_t at = i;
        for (; at > 0 && a[at - 1].key > x.key; at--)
            a[at] = a[at - 1];
        a[at] = x;
    }
}

/* Which bits are not the same in all keys. *sorted: they ascend as they are. */
static uint64_t find_differing_bits(const plussi_keyed *a, size_t n, bool *sorted)
{
    uint64_t bits = 0;
    *sorted = true;
    for (size_t i = 1; i < n; i++) {
        bits |= a[i].key ^ a[0].key;
        *sorted &= a[i - 1].key <= a[i].key;
    }
    return bits;
}

/* Byte by byte, the least one first. */
static void sort_by_bytes(plussi_keyed *a, plussi_keyed *spare, size_t n, uint64_t bits)
{
    plussi_keyed *from = a, *to = spare;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if ((bits >> shift & 255) == 0)
            continue;
        size_t begin[256] = {0};
        for (size_t i = 0; i < n; i++)
            begin[from[i].key >> shift & 255]++;
        for (size_t k = 0, sum = 0; k < 256; k++) {
            size_t count = begin[k];
            begin[k] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            to[begin[from[i].key >> shift & 255]++] = from[i];
        plussi_keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != a)
        memcpy(a, from, n * sizeof *a);
}

static void sort_few(plussi_keyed *a, plussi_keyed *spare, size_t n)
{
    bool sorted;
    if (n <= FEW) {
        insert_all(a, n);
        return;
    }
    const uint64_t bits = find_differing_bits(a, n, &sorted);
    if (!sorted)
        sort_by_bytes(a, spare, n, bits);
}

void plussi_radix_sort(plussi_keyed *a, plussi_keyed *spare, size_t n)
{
    enum { DIGITS = 1 << 11, MANY = DIGITS / 4 };
    uint32_t end[DIGITS] = {0};
    bool sorted = n < MANY || n > UINT32_MAX;
    const uint64_t bits = sorted ? 0 : find_differing_bits(a, n, &sorted);
    if (sorted) {
        sort_few(a, spare, n);
        return;
    }
    /* first by the highest bits: of hashes, and of values of which many are equal, little is left
     */
    const unsigned highest = 63 - (unsigned)__builtin_clzll(bits);
    const unsigned shift = highest < 10 ? 0 : highest - 10;
    for (size_t i = 0; i < n; i++)
        end[a[i].key >> shift & (DIGITS - 1)]++;
    for (uint32_t k = 0, sum = 0; k < DIGITS; k++) {
        const uint32_t count = end[k];
        end[k] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        spare[end[a[i].key >> shift & (DIGITS - 1)]++] = a[i];
    for (uint32_t k = 0, from = 0; k < DIGITS; from = end[k++])
        if (end[k] - from > 1)
            sort_few(spare + from, a + from, end[k] - from);
    memcpy(a, spare, n * sizeof *a);
}
