/* SPDX-License-Identifier: GPL-3.0-or-later */
// Operators and members of templates are put in their calls' place.
#include <vector>

template <typename T> struct Matrix {
    int n, m;
    std::vector<T> data;
    T &operator()(int i, int j) { return data[(std::size_t)i * m + j]; }
    const T &operator()(int i, int j) const { return data[(std::size_t)i * m + j]; }
};

template <typename T> void gemm(Matrix<T> &C, const Matrix<T> &A, const Matrix<T> &B)
{
#pragma omp parallel for
    for (int i = 0; i < C.n; i++)
        for (int j = 0; j < C.m; j++)
            for (int k = 0; k < A.m; k++)
                C(i, j) += A(i, k) * B(k, j);
}
template void gemm<double>(Matrix<double> &, const Matrix<double> &, const Matrix<double> &);
