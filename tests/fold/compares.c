/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Comparisons of all kinds, of registers, numbers and memory, relative to the stack and to the
 * program, signed and not, near and beyond the bounds of what is kept. compares N
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t sum;
static int64_t limit = 17;
static uint32_t edge = 0x80000000u;

#define COUNT(condition)                                                                           \
    sum = sum * 31 + ((condition) ? __LINE__ : 7)

__attribute__((noinline)) static void compare(int64_t a, int64_t b, const int64_t *at, long k)
{
    volatile int64_t local[3] = {a, b, a - b};
    COUNT(a < b);
    COUNT(a <= b);
    COUNT(a == b);
    COUNT((uint64_t)a < (uint64_t)b);
    COUNT((uint64_t)a <= (uint64_t)b);
    COUNT(a < limit);
    COUNT(a > 1000);
    COUNT(a >= -3);
    COUNT(at[k] < a);
    COUNT(a <= at[k + 1]);
    COUNT(local[0] < b);
    COUNT(local[1] <= local[2]);
    COUNT((int32_t)a < (int32_t)b);
    COUNT((uint32_t)a < (uint32_t)b);
    COUNT((uint32_t)a > edge);
    COUNT((int32_t)a <= 40);
    COUNT(a != 0);
    COUNT((int32_t)b < 0);
    COUNT(a & 64);
    COUNT(a & b);
    COUNT((const char *)at < (const char *)&local);
    for (int64_t i = a > 0 && a < 50 ? a : 0; i < (b & 31); i++)
        sum += i < at[i & 3] ? (uint64_t)i : 3;
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? atol(argv[1]) : 100;
    int64_t at[4] = {5, -9, INT64_MAX, 1 << 20};
    for (long i = 0; i < n; i++) {
        compare(i, n - i, at, i % 3);
        compare(i - n / 2, 3 * i, at, i % 2);
        compare(INT64_MIN + i, INT64_MAX - i, at, 1);
        compare(i << 33, (n - i) << 38, at, 2);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
