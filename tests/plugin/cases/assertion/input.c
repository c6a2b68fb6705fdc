/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What does not return is not described: the run that succeeds is. */
#include <assert.h>
#include <stdlib.h>

void check(int n, double *a)
{
    for (int t = 0; t < 3; t++) {
        if (n > 1000000)
            abort();
#pragma omp parallel for
        for (int i = 0; i < n; i++) {
            assert(a[i] >= 0);
            a[i] -= 1;
        }
    }
}
