/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Team sizes that change inside of a region and from one run to the next. */
#include <stdio.h>

static double a[96], b[96];

static double work(int n, int team)
{
#pragma omp parallel for num_threads(team) schedule(static)
    for (int i = 0; i < n; i++)
        a[i] = i;
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1;
    return b[n - 1];
}

int main(void)
{
    double sum = 0;
    for (int team = 1; team <= 4; team++)
        sum += work(96, team);
    printf("%g\n", sum);
    return 0;
}
