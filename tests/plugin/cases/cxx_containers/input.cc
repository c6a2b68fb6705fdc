// SPDX-License-Identifier: GPL-3.0-or-later
// std::array, at() and operator() with checks, range-for, captured references.
#include <array>
#include <cstddef>
#include <vector>

std::array<double, 100> fixed;
std::array<std::array<float, 8>, 100> table;

void arrays(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        fixed[i] = 1;
        for (std::size_t k = 0; k < 8; k++)
            table[i][k] += 2;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        fixed.at(i) = fixed[n - i - 1];
}

void ranges(std::vector<double> &v, const std::array<double, 100> &w)
{
#pragma omp parallel for
    for (double &x : v)
        x = 0;
#pragma omp parallel for
    for (int i = 0; i < 100; i++)
        for (double y : w)
            v[i] += y;
}

template <class F> void for_each(int n, F f)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
        f(i);
}

void closures(std::vector<double> &v, double *p, int n)
{
    for_each(n, [&](int i) { v[i] = p[2 * i]; });
}
