/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The end of a loop that a function sets through a pointer: nothing in the loop changes it. */
static inline void find_part(long *from, long *to, long k, const long *rows, long n)
{
    if (k == 0) {
        *from = 0;
        *to = rows ? rows[1] : n;
    } else {
        *from = rows ? rows[k] : k * n;
        *to = rows ? rows[k + 1] : (k + 1) * n;
    }
}

void sum(double *restrict s, const double *restrict x, const long *restrict rows, long m, long n)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (long k = 0; k < m; k++) {
        long p, end;
        find_part(&p, &end, k, rows, n);
        for (; p < end; p++)
            s[p] += x[p];
    }
}
