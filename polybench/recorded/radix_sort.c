/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A radix sort like that of SPLASH-2: each thread counts the digits of its keys, ranks follow from
 * all counts, and each thread moves its keys. Subscripts are data, so that no nest describes it.
 * radix_sort KEYS: prints 1 if they are in order.
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIGIT_BITS = 5, DIGITS = 1 << DIGIT_BITS, KEY_BITS = 20 };

static void count_digits(int n, int teams, int shift, const uint32_t *key, int *count)
{
#pragma omp parallel for schedule(static)
    for (int t = 0; t < teams; t++) {
        for (int d = 0; d < DIGITS; d++)
            count[t * DIGITS + d] = 0;
        for (int i = (int)((int64_t)n * t / teams); i < (int)((int64_t)n * (t + 1) / teams); i++)
            count[t * DIGITS + (key[i] >> shift & (DIGITS - 1))]++;
    }
}

static void move_keys(int n, int teams, int shift, const uint32_t *key, int *rank, uint32_t *to)
{
#pragma omp parallel for schedule(static)
    for (int t = 0; t < teams; t++)
        for (int i = (int)((int64_t)n * t / teams); i < (int)((int64_t)n * (t + 1) / teams); i++)
            to[rank[t * DIGITS + (key[i] >> shift & (DIGITS - 1))]++] = key[i];
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 13, teams = omp_get_max_threads();
    uint32_t *key = malloc((size_t)n * sizeof *key), *other = malloc((size_t)n * sizeof *other);
    int *count = malloc((size_t)teams * DIGITS * sizeof *count);
    if (n < 1 || !key || !other || !count)
        return 2;
    uint64_t state = 88172645463325252U;
    for (int i = 0; i < n; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17; /* xorshift */
        key[i] = (uint32_t)(state & ((1 << KEY_BITS) - 1));
    }
    for (int shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
        int sum = 0;
        count_digits(n, teams, shift, key, count);
        for (int d = 0; d < DIGITS; d++)
            for (int t = 0; t < teams; t++) {
                const int here = count[t * DIGITS + d];
                count[t * DIGITS + d] = sum;
                sum += here;
            }
        move_keys(n, teams, shift, key, count, other);
        uint32_t *swap = key;
        key = other;
        other = swap;
    }
    int sorted = 1;
    for (int i = 1; i < n; i++)
        sorted &= key[i - 1] <= key[i];
    printf("%d\n", sorted);
    free(key), free(other), free(count);
    return 0;
}
