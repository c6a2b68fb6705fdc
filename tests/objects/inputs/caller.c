/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "shared.h"

void one(void);
extern double A[100];
double B[100];

/* Inlined at -O2: what is left of it is the function that GCC makes of the loop. */
static void inlined(void)
{
#pragma omp parallel for
    for (int i = 0; i < 100; i++)
        B[i] = i;
}

int main(void)
{
    one();
    inlined();
#pragma omp parallel for
    for (int i = 0; i < 100; i++)
        B[i] += A[i];
    shared(B, 100);
    printf("%g\n", B[99]);
    return 0;
}
