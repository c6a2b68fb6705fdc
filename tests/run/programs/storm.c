/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signals at all times: their handler touches lines that nothing else does, and executes a region,
 * while a region that is recorded is paused by others that are nested in it, and goes on.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

enum { N = 4096, M = 1 << 19, TIMES = 400 };

static double a[N], b[N], c[M], sums[64];
static int next[N];
static volatile sig_atomic_t handled;

static void handle(int signal)
{
    for (int i = 0; i < 64; i++) /* a line each, new ones each time */
        c[(handled * 64 + i) % (M / 8) * 8] += signal;
    if (handled++ % 4 == 0) {
#pragma omp parallel for
        for (int i = 0; i < 64; i++)
            sums[i] += c[i];
    }
}

static void sweep(double by)
{
#pragma omp parallel for
    for (int i = 0; i < 64; i++)
        b[i] = b[i] * by;
}

static double solve(void)
{
    double sum = 0;
    for (int time = 0; time < TIMES; time++) {
        sweep(.5);
#pragma omp parallel for reduction(+ : sum)
        for (int list = 0; list < 16; list++)
            for (int at = 16 * list, n = 0; at >= 0 && n < 20; at = next[at], n++)
                sum += a[at];
    }
    return sum;
}

int main(void)
{
    const struct itimerval often = {{0, 150}, {0, 150}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    double sum = 0;
    for (int i = 0; i < N; i++) {
        a[i] = i;
        next[i] = (i * 7919 + 13) % N;
    }
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int time = 0; time < 5 || handled < 20; time++)
        sum += solve();
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%d\n", sum > 0 && handled >= 20);
    return 0;
}
