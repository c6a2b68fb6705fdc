/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <array>
#include <vector>

void axpy(std::vector<double> &y, const std::vector<double> &x, double a)
{
#pragma omp parallel for
    for (std::size_t i = 0; i < y.size(); i++)
        y[i] += a * x[i];
}

void fill(std::array<std::array<float, 16>, 32> &a, const float *p)
{
#pragma omp parallel for
    for (int i = 0; i < 32; ++i)
        for (int j = 0; j < 16; ++j)
            a[i][j] = p[i * 16 + j];
}

// Rows of vectors: taken to be of one length, one after another.
void rows(std::vector<std::vector<double>> &a)
{
#pragma omp parallel for
    for (std::size_t i = 0; i < a.size(); i++)
        for (std::size_t j = 0; j < a[i].size(); j++)
            a[i][j] = 0;
}
