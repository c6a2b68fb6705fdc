/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AXPY_H
#define AXPY_H
template <typename T> void axpy(long n, T a, const T *x, T *y)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        y[i] += a * x[i];
}

struct Field {
    double *at;
    long n;
    void clear()
    {
#pragma omp parallel for
        for (long i = 0; i < n; i++)
            at[i] = 0;
    }
};

inline void fill(double *x, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] = 1;
}
#endif
