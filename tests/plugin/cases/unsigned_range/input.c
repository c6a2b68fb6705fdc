/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 2 <= kind && kind <= 5 is kind - 2u <= 3u when the compiler optimises, which is false for 0. */
double a[100];

void ranges(unsigned kind, unsigned n)
{
#pragma omp parallel
    {
        if (kind - 2u <= 3u) {
#pragma omp for
            for (unsigned i = 0; i < n; i++)
                a[i] = 0;
        }
#pragma omp for
        for (unsigned i = 0; i < 100; i++)
            if (i - 1u < 98u)
                a[i] = 1;
    }
}

extern int omp_get_thread_num(void);

void threads(unsigned n)
{
#pragma omp parallel
    {
        if (omp_get_thread_num() < 0)
            a[0] = 1;
        if (omp_get_thread_num() > 3 || omp_get_thread_num() < 0)
            a[1] = 1;
    }
}
