// SPDX-License-Identifier: GPL-3.0-or-later
#include "axpy.h"

static double x[64], y[64];
static float f[64], g[64];

double left()
{
    Field{x, 64}.clear();
    fill(x, 64);
    axpy(64, 2.0, x, y);
    axpy(64, 2.0f, f, g);
    return y[63];
}

extern "C" void c_name(double *a)
{
#pragma omp parallel for
    for (int i = 0; i < 8; i++)
        a[i] = 1;
}

void renamed(double *a) __asm__("another_name");
void renamed(double *a)
{
#pragma omp parallel for
    for (int i = 0; i < 8; i++)
        a[i] = 2;
}
