/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Comparisons of all kinds, of registers, numbers and memory, relative to the stack and to the
 * program, signed and not, near and beyond the bounds of what is kept; and what else is not linear.
 * With -DTRAPS a jump to an address that is read is in each function, by which it is not known
 * where jumps lead. compares N
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t sum;
static int64_t limit = 17;
static uint32_t edge = 0x80000000u;
static volatile int never;

/* Never executed, and the same to the compiler. */
#ifdef TRAPS
#define JUMP "jmp *%0"
#else
#define JUMP "prefetcht0 (%0)"
#endif
#define LEAVE()                                                                                    \
    if (never)                                                                                     \
    __asm__ volatile(JUMP ::"r"(&sum))

#define COUNT(condition) sum = sum * 31 + ((condition) ? __LINE__ : 7)

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
    LEAVE();
}

#define MIX(value) (sum = sum * 31 + (uint64_t)(value))

__attribute__((noinline)) static void operate(int64_t a, int64_t b, const int64_t *at, long k)
{
    volatile double x = (double)a, y = (double)b / 3;
    const uint64_t u = (uint64_t)a;
    MIX(a >> 3);
    MIX(u >> 5);
    MIX((uint32_t)a >> 1);
    MIX(u >> (b & 31));
    MIX(a << (b & 31));
    MIX((int32_t)((uint32_t)a * (uint32_t)b));
    MIX(a & 24);
    MIX(a & b);
    MIX(a | b);
    MIX(a ^ b);
    MIX(a / (b | 1));
    MIX(a % (b | 1));
    MIX(u / 10);
    MIX((uint32_t)a / ((uint32_t)b | 1));
    MIX((int8_t)a);
    MIX((uint16_t)b);
    MIX((uint8_t)a < (uint8_t)b);
    MIX(at[k] >> 2);
    MIX(a - b < 0 ? 5 : a + b == 0);
    MIX(u >> (at[k] & 7) & 1);
    MIX(__builtin_ctzll(u | 1 << 30));
    MIX(x < y);
    MIX(x == (double)at[0]);
    MIX(x < 1e15 && x > -1e15 ? (int64_t)(x / 7) : 3);
    for (int64_t i = 0; i < (b & 15); i++)
        MIX((i + a) / 4 + (i & 3));
    LEAVE();
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? atol(argv[1]) : 100;
    int64_t at[4] = {5, -9, INT64_MAX, 1 << 20};
    for (long i = 0; i < n; i++) {
        operate(i, n - i, at, i % 3);
        operate(i - n / 2, i << 20, at, i % 2);
        operate(i << 40, -i, at, 3);
        compare(i, n - i, at, i % 3);
        compare(i - n / 2, 3 * i, at, i % 2);
        compare(INT64_MIN + i, INT64_MAX - i, at, 1);
        compare(i << 33, (n - i) << 38, at, 2);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
