/* SPDX-License-Identifier: GPL-3.0-or-later; a structure of counters for each thread */
#include <omp.h>
struct stat {
    long hits, misses;
    double sum;
};
struct stat stats[64];
void tally(int n, const int *restrict key, const double *restrict value)
{
#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < n; i++) {
            stats[me].hits += key[i];
            stats[me].sum += value[i];
        }
    }
}
