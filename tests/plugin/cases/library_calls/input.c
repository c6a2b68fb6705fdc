/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of the C library that change nothing, or what their arguments lead to. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
double wtime(void), elapsed_seconds(void), measure(void);
int timeout(void);
typedef struct {
    double *a;
    int n;
} grid;
pthread_mutex_t lock;
static double now(void)
{
    struct timeval t;
    struct timespec s;
    gettimeofday(&t, NULL);
    clock_gettime(CLOCK_MONOTONIC, &s);
    return t.tv_sec + 1e-6 * t.tv_usec + s.tv_sec;
}
double clocks(grid *g)
{
    double t = now();
#pragma omp parallel
    for (int k = 0; k < 10; k++) {
#pragma omp master
        t += now() + wtime() - elapsed_seconds();
#pragma omp for
        for (int i = 0; i < g->n; i++)
            g->a[i] = k;
    }
    return t;
}
/* The bound is loaded anew in each turn; nothing that is called changes it. */
void arguments(grid *g, const char *text, double *r)
{
#pragma omp parallel
    for (int k = 0; k < 10; k++) {
#pragma omp for
        for (int i = 0; i < g->n; i++) {
            int e;
            double s, c;
            unsigned seed = i;
            sincos(r[i], &s, &c);
            g->a[i] = frexp(r[i], &e) + s + c + modf(r[i], &s) + rand_r(&seed);
        }
#pragma omp for
        for (int i = 0; i < g->n; i++) {
            char line[80];
            sprintf(line, "%d", i); /* not described, but it changes the line alone */
            pthread_mutex_lock(&lock);
            r[i] += strlen(text);
            pthread_mutex_unlock(&lock);
        }
    }
}
/* What these do is not known. */
int unknown(grid *g)
{
    int t = 0;
#pragma omp parallel
    for (int k = 0; k < 10; k++) {
#pragma omp master
        t += measure() + timeout();
#pragma omp for
        for (int i = 0; i < g->n; i++)
            g->a[i] = k;
    }
    return t;
}
