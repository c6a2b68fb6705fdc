// SPDX-License-Identifier: GPL-3.0-or-later
// Steps and bounds of another type than the counter, and parameters that std::min refers to: the front end computes
// or loads them anew wherever they are needed, into one temporary.
#include <algorithm>
#include <cstddef>
extern double *A, *B;
void transpose(std::size_t n, std::size_t m, int bs)
{
#pragma omp parallel for
    for (std::size_t ii = 0; ii < n; ii += bs)
        for (std::size_t jj = 0; jj < m; jj += bs)
            for (std::size_t i = ii; i < std::min(ii + bs, n); i++)
                for (std::size_t j = jj; j < std::min(jj + bs, m); j++)
                    B[j * n + i] = A[i * m + j];
}
void collapsed(int n, int m, int bs)
{
#pragma omp parallel for collapse(2)
    for (int ii = 0; ii < n; ii += bs)
        for (int jj = 0; jj < m; jj += bs)
            for (int i = ii; i < std::min(ii + bs, n); i++)
                for (int j = jj; j < std::min(jj + bs, m); j++)
                    B[j * n + i] = A[i * m + j];
}
void wide(long n, long m, int bs)
{
#pragma omp parallel for
    for (long ii = 0; ii < n; ii += bs)
        for (long jj = m; jj > 0; jj -= bs)
            A[ii * m + jj] = 1;
}
// not the same on all ways
void grows(long n, long m, int bs)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        long by = bs;
        for (long j = 0; j < m; j += by) {
            A[i * m + j] = 1;
            by = by + bs;
        }
    }
}
