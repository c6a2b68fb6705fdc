// SPDX-License-Identifier: GPL-3.0-or-later
// A member that is a pointer, on which the function leaves: its parallel loops are described under
// the way that goes on.
#include <cstdlib>
#include <new>
struct v {
    double *d;
    int n;
    int make(int m)
    {
        if (d)
            return -2;
        d = new (std::nothrow) double[m];
        if (!d)
            return -1;
        n = m;
        return 0;
    }
};
int has_status(int n, double *x, v &w)
{
    int s = w.make(n);
    if (s)
        return s;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] = w.d[i];
    return 0;
}
int returns(int n, double *x, v &w)
{
    if (w.d || n < 3)
        return 1;
    w.d = new double[n];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] = w.d[i];
    if (n > 5)
        std::exit(3);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] += w.d[i];
    return 0;
}
void in_a_loop(int n, double *x, v *w)
{
    for (int k = 0; k < 4; k++) {
        if (w[k].d)
            continue;
        w[k].d = new double[n];
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            x[i] += w[k].d[i];
    }
}
void in_steps(int n, int steps, double *x, v &w)
{
    for (int k = 0; k < steps; k++) {
        if (w.d)
            return;
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            x[i] += k;
    }
}
void in_team(int n, double *x, v &w)
{
#pragma omp parallel
    {
        if (!w.d) {
#pragma omp for
            for (int i = 0; i < n; i++)
                x[i] += 1;
        }
    }
}
