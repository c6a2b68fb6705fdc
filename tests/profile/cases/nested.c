/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Teams inside of teams, and a region that begins inside of another one's team, or in its serial
 * part. */
#include <omp.h>
#include <stdio.h>

static double a[64], b[64], c[64];

static void inner(double *x)
{
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < 64; i++)
        x[i] += 1;
}

int main(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int k = omp_get_thread_num();
#pragma omp parallel for num_threads(2) schedule(static)
        for (int i = 0; i < 64; i++)
            if (i % 2 == k)
                a[i] = i;
        if (k == 0)
            inner(b);
    }
    inner(c);
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < 64; i++)
        a[i] += c[i];
    printf("%g %g %g\n", a[63], b[63], c[63]);
    return 0;
}
