/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loops of all kinds, whose iterations take their time without a processor. Two threads.
 *   timed_program [exit | fail | idle]
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LONG = 160, SHORT = 40000, DYNAMIC = 30, TIMES = 2 };
static double a[SHORT];

/* Some 100 us and more, whatever interrupts it. */
static double work(int i)
{
    struct timespec left = {0, 100000 + i % 7 * 9000};
    while (nanosleep(&left, &left) != 0) {
    }
    return i;
}

static void loops(double *out)
{
    double sum = 0, taken = 0, parts[3] = {0};
#pragma omp parallel num_threads(2)
    {
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < LONG; i++)
            sum += work(i) + a[i];
#pragma omp single
        out[0] = sum;
#pragma omp for nowait
        for (int i = 0; i < SHORT; i++)
            a[i] = i;
#pragma omp barrier
#pragma omp for schedule(dynamic, 3) reduction(+ : taken)
        for (int i = 0; i < DYNAMIC; i++)
            taken += work(i) + a[i];
#pragma omp sections
        {
            parts[0] = work(3) + a[0];
#pragma omp section
            parts[1] = work(5) + a[1];
#pragma omp section
            parts[2] = work(7) + a[2];
        }
    }
    out[1] = taken;
    out[2] = parts[0] + parts[1] + parts[2];
}

/* The process ends within the loop. */
static void ends(double *out)
{
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < LONG; i++) {
        out[omp_get_thread_num()] += work(i);
        if (i == 20)
            exit(0);
    }
}

int main(int argc, char **argv)
{
    double out[3] = {0};
    if (argc > 1 && strcmp(argv[1], "idle") == 0)
        return 0;
    for (int t = 0; t < TIMES; t++) {
        loops(out);
        printf("%g %g %g %g\n", out[0], out[1], out[2], a[SHORT - 1]);
    }
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "exit") == 0)
        ends(out);
    return argc > 1 && strcmp(argv[1], "fail") == 0 ? 7 : 0;
}
