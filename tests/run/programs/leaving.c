/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A signal's handler jumps out of what is recorded outside of regions, again and again, wherever
 * it is; then a deeper function and a shallower one go on. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum { N = 1 << 16, JUMPS = 40, WALK = 1 << 20 };
static double a[N], sum[64];
static sigjmp_buf again;
static volatile sig_atomic_t jumps;

static void handle(int signal)
{
    a[signal] += 1;
    jumps++;
    siglongjmp(again, 1);
}

static double __attribute__((noinline)) walk(unsigned n)
{
    double all = 0;
    for (unsigned k = 0, seed = 1; k < n; k++) {
        seed = seed * 1103515245u + 12345u;
        all += a[seed / 65536 % N] + a[(seed >> 4) % N];
    }
    return all;
}

static double __attribute__((noinline)) deeper(unsigned n, unsigned depth)
{
    volatile char room[64] = {0};
    return depth ? room[depth % 64] + deeper(n, depth - 1) + room[1] : walk(n);
}

int main(void)
{
    const struct itimerval soon = {{0, 2000}, {0, 2000}}, never = {{0}};
#pragma omp parallel for
    for (int i = 0; i < 64; i++)
        sum[i] = a[i];
    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &soon, NULL);
    sigsetjmp(again, 1);
    while (jumps < JUMPS)
        if (deeper(1 << 24, (unsigned)jumps % 7) < 0)
            return 1;
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%d\n", deeper(WALK, 20) >= 0 && walk(WALK) >= 0);
    return 0;
}
