/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads of the program's own that run regions at the same time; one of them ends in a region. */
#include <pthread.h>
#include <stdio.h>

static double a[3][64];

static void work(double *x, int leave)
{
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < 64; i++)
        x[i] += 1;
    if (leave)
        pthread_exit(NULL);
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < 64; i++)
        x[i] += 1;
}

static void *go(void *x)
{
    for (int t = 0; t < 10; t++)
        work(x, 0);
    work(x, x == a[1]);
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    for (int k = 0; k < 3; k++)
        pthread_create(&thread[k], NULL, go, a[k]);
    for (int k = 0; k < 3; k++)
        pthread_join(thread[k], NULL);
    printf("%g %g %g\n", a[0][1], a[1][1], a[2][1]);
    return 0;
}
