/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results that a function in line gives by pointers: what is between two bounds that it chooses. */
#include <stdint.h>

static inline void get_part(int64_t *begin, int64_t *end, int64_t k, int64_t first, int64_t last,
                            const int64_t *slice, int t, const int64_t *p)
{
    int64_t p0 = p[k], p1 = p[k + 1];
    if (k == first) {
        *begin = slice[t];
        *end = p1 < slice[t + 1] ? p1 : slice[t + 1];
    } else if (k == last) {
        *begin = p0;
        *end = slice[t + 1];
    } else {
        *begin = p0;
        *end = p1;
    }
}

void add(int n, const int64_t *first, const int64_t *last, const int64_t *slice, const int64_t *p,
         const int64_t *row, double *x, const double *y)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (int t = 0; t < n; t++)
        for (int64_t k = first[t]; k <= last[t]; k++) {
            int64_t begin, end;
            get_part(&begin, &end, k, first[t], last[t], slice, t, p);
            for (int64_t q = begin; q < end; q++)
                x[row[q]] += y[q];
        }
}

/* The bytes that the loop stores are taken to be no part of its bounds; what it does with one of
 * them is a branch on data, and the reason says so. */
void mark(int n, const int64_t *first, const int64_t *last, const int64_t *slice, const int64_t *p,
          const int64_t *row, int8_t *there, double *x, const double *y)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (int t = 0; t < n; t++)
        for (int64_t k = first[t]; k <= last[t]; k++) {
            int64_t begin, end;
            get_part(&begin, &end, k, first[t], last[t], slice, t, p);
            for (int64_t q = begin; q < end; q++)
                if (there[row[q]]) {
                    x[row[q]] += y[q];
                } else {
                    x[row[q]] = y[q];
                    there[row[q]] = 1;
                }
        }
}
