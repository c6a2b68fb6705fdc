/* SPDX-License-Identifier: GPL-3.0-or-later
 * Values that each thread computes for itself are one symbol where they are the same for all. */
#include <omp.h>
double x[1000];
int count;
int next(int);
__attribute__((const)) int rounded(int);

void apart(int *b)
{
#pragma omp parallel
    {
        int called = next(3), number = omp_get_thread_num() ^ 5, sum = called * 3;
        int loaded = (int)x[omp_get_thread_num()], chosen = b[omp_get_thread_num()] > 4 ? 3 : 7;
        int counted, captured;
#pragma omp critical
        {
            counted = count;
            count = counted + 1;
        }
#pragma omp atomic capture
        captured = count++;
        for (int i = 0; i < called; i++)
            x[i] = 1;
        for (int i = 0; i < number; i++)
            x[i] = 2;
        for (int i = 0; i < sum; i++)
            x[i] = 3;
        for (int i = 0; i < loaded; i++)
            x[i] = 4;
        for (int i = 0; i < chosen; i++)
            x[i] = 5;
        for (int i = 0; i < counted; i++)
            x[i] = 6;
        for (int i = 0; i < captured; i++)
            x[i] = 7;
    }
}

void alike(int n, int m, int *b)
{
#pragma omp parallel
    {
        int combined = n ^ m, constant = rounded(n), loaded = b[3] | 5, half = x[5] > 0 ? n | 1 : m;
        for (int i = 0; i < combined; i++)
            x[i] = 1;
        for (int i = 0; i < constant; i++)
            x[i] = 2;
        for (int i = 0; i < loaded; i++)
            x[i] += 3;
        for (int i = 0; i < half; i++)
            b[i] = 4;
    }
}

void by_one(int n)
{
#pragma omp parallel
    {
#pragma omp single
        count = next(n);
        for (int i = 0; i < count; i++)
            x[i] = 1;
    }
}

void bounds_of_a_shared_loop(void)
{
#pragma omp parallel
    {
        int end = next(1);
#pragma omp for
        for (int i = 0; i < end; i++)
            x[i] = 1;
    }
}
