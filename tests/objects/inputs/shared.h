/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same function in several units. */
#ifndef SHARED_H
#define SHARED_H
static inline void shared(double *x, int n)
{
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < n; i++)
        x[i] = x[i] * 7;
}
#endif
