/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One loop whose lines are each thread's own, and one in which all threads read the same ones.
 */
#include <stdio.h>

enum { N = 512 };
static double own[N], all[N], sum[N];

int main(void)
{
    for (int i = 0; i < N; i++)
        all[i] = i;
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        own[i] = own[i] + 1;
#pragma omp parallel for
    for (int i = 0; i < N; i += 8)
        for (int j = 0; j < N; j++)
            sum[i] += all[j];
    printf("%g\n", own[0] + sum[0]);
    return 0;
}
