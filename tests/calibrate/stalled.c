/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A loop that ten runs execute; in all but the first one a thread sleeps for most of the run, at
 * another iteration each time.
 */
#include <stdio.h>
#include <unistd.h>

enum { N = 1 << 16 };
static double a[N];

static void work(int run)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++) {
        if (run > 0 && i == N / 2 + 3000 * run)
            usleep(200000);
        for (int k = 0; k < 20; k++)
            a[i] += k;
    }
}

int main(void)
{
    for (int run = 0; run < 10; run++)
        work(run);
    printf("%g\n", a[N - 1]);
    return 0;
}
