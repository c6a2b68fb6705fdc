/* SPDX-License-Identifier: GPL-3.0-or-later
 * Numbers of which each thread has its own are no symbols. */
static __thread int t;
double x[1000];
int own0;
#pragma omp threadprivate(own0)
void f(int n)
{
#pragma omp parallel
    {
        int own[4];
        own[n & 3] = n;
        for (int k = 0; k < t; k++)
            x[k] = 1;
        for (int k = 0; k < own0; k++)
            x[k] = 1;
        for (int k = 0; k < own[1]; k++)
            x[k] = 1;
    }
}
