/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shared.h"

double A[100];
int n = 100;
const char file_of_one[] = __FILE__;

void one(void)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        A[i] = A[i] + 1;
    shared(A, n);
}

/* Nobody calls it. */
void forgotten(void)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        A[i] = 3;
}
