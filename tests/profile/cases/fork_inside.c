/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fork before a region, and in the serial part of one. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static double a[64];

static void work(double *x)
{
#pragma omp parallel for num_threads(1) schedule(static)
    for (int i = 0; i < 64; i++)
        x[i] += 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
#pragma omp parallel for num_threads(1) schedule(static)
    for (int i = 0; i < 64; i++)
        x[i] += 1;
}

static void other(double *x)
{
#pragma omp parallel for num_threads(1) schedule(static)
    for (int i = 0; i < 8; i++)
        x[i] += 1;
}

int main(void)
{
    work(a);
    pid_t child = fork();
    if (child == 0) {
        other(a);
        return 0;
    }
    waitpid(child, NULL, 0);
    work(a);
    printf("%g\n", a[63]);
    return 0;
}
