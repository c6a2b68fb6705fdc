/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What small functions do that programs that record have in line: with effects that no description
 * has. Prints sums.
 */
#include <alloca.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, COLUMNS = 1000 };
static double a[ROWS][COLUMNS], b[ROWS][COLUMNS];

static void set(void *x, int value, size_t bytes)
{
    memset(x, value, bytes);
}

static void move(char *x, long by, size_t bytes)
{
    memmove(x + by, x, bytes);
}

static void copy(double *x, const double *y, size_t bytes)
{
    memcpy(x, y, bytes);
}

/* More of the stack than there is, unless each call gives it back. */
static double use_stack(int n)
{
    double *room = alloca((size_t)n * sizeof *room);
    room[0] = n;
    room[n - 1] = n + 1;
    return room[0] + room[n - 1];
}

static double use_array(int n)
{
    double room[n];
    room[0] = n;
    room[n - 1] = n + 1;
    return room[0] + room[n - 1];
}

/* Another unit has its own. */
__attribute__((weak)) int chosen(int i)
{
    return -i;
}

static int jumps_back(int i)
{
    jmp_buf here;
    volatile int times = 0;
    if (setjmp(here) < 3) {
        times++;
        longjmp(here, times);
    }
    return times + i;
}

static int counts(int i)
{
    static _Thread_local int calls;
    calls += i;
    return calls & 1;
}

static unsigned long sum_up(void)
{
    const unsigned char *p = (unsigned char *)a, *q = (unsigned char *)b;
    unsigned long sum = 0;
    for (size_t i = 0; i < sizeof a; i++)
        sum = sum * 31 + p[i] * 7u + q[i];
    return sum;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 777;
    double total = 0;
#pragma omp parallel for reduction(+ : total)
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++)
            b[i][j] = i + j;
        set(a[i], i, (size_t)n);
        move((char *)b[i], i % 2 ? 3 : -0, (size_t)n);
        copy(a[i] + 500, b[i], (size_t)n);
        for (int j = 0; j < 4000; j++)
            total += use_stack(n) + use_array(n);
        total += chosen(i) + jumps_back(i) + counts(2 * i);
    }
    for (int i = 0; i < ROWS; i++) {
        set(a[i] + 900, i + 1, 13);
        move((char *)a[i] + 8, -5, 101);
        total += chosen(i) + jumps_back(i);
    }
    printf("%lx %.0f\n", sum_up(), total);
    return 0;
}
