/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A region in a shared library, and the program that calls it.
 */
#ifdef LIBRARY
double sum(const double *p, int n)
{
    double s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}
#else
#include <stdio.h>
double sum(const double *p, int n);
static double data[1000];
int main(void)
{
    printf("%g\n", sum(data, 777));
    return 0;
}
#endif
