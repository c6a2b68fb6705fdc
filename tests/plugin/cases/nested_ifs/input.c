/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the compiler folds when it optimises is described alike when it does not: constants that
 * are variables in C, conditions one in another. */
static const unsigned long tiny = 64;
double a[1000];

void few(unsigned long columns, unsigned long rows, int mode)
{
    int threads = 4;
    if (columns <= tiny)
        if (rows <= tiny)
            threads = 1;
#pragma omp parallel for num_threads(threads)
    for (int i = 0; i < 1000; i++) {
        if (mode != 2)
            if (mode != 16)
                if (i < 500)
                    a[i] = 1;
    }
}
