/* SPDX-License-Identifier: GPL-3.0-or-later */
/* longjmp out of a region, and into it again. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;
static double a[64];
static volatile int times;

static void leave(int n)
{
    if (times < n)
        longjmp(back, 1);
}

static void work(int n)
{
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < 64; i++)
        a[i] += 1;
    leave(n);
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < 64; i++)
        a[i] += 1;
}

int main(void)
{
    setjmp(back);
    times++;
    work(3);
    printf("%g\n", a[63]);
    return 0;
}
