/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
double work(int);
static double b[64];
int main(void)
{
    double s = work(200);
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < 64; i++)
        b[i] += i;
    printf("%g\n", s + b[3]);
}
