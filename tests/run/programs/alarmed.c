/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A signal interrupts what is recorded outside of regions; its handler executes a region, too, and
 * ends the program the third time. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum { N = 1 << 16 };
static double a[N], sum[64];

static void handle(int signal)
{
    static int times;
#pragma omp parallel for
    for (int i = 0; i < 64; i++)
        sum[i] += a[i * signal];
    if (++times == 3)
        exit(sum[0] > 0 ? 7 : 8);
}

static double __attribute__((noinline)) walk(unsigned n)
{
    double all = 0;
    for (unsigned k = 0, seed = 1; k < n; k++) {
        seed = seed * 1103515245u + 12345u;
        a[seed / 65536 % N] += 1;
        all += a[(seed >> 4) % N];
    }
    return all;
}

int main(void)
{
    const struct itimerval soon = {{0, 5000}, {0, 5000}};
    a[0] = 1;
#pragma omp parallel for
    for (int i = 0; i < 64; i++)
        sum[i] = a[i];
    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &soon, NULL);
    for (;;)
        if (walk(1 << 20) < 0)
            return 1;
}
