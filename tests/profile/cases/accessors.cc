/* SPDX-License-Identifier: GPL-3.0-or-later */
// Accesses in functions that are called: accessors, operators, a lambda, std::vector.
#include <cstdio>
#include <vector>

struct matrix {
    int n;
    double *cell;
    double at(int i, int j) const { return cell[i * n + j]; }
    double &operator()(int i, int j) { return cell[i * n + j]; }
};

static inline void put(double *x, int i, double value)
{
    if (i >= 0)
        x[i] = value;
}

static double work(matrix &a, std::vector<double> &v, double *out, int n)
{
    auto twice = [&](int i) { return 2 * v[i]; };
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a(i, j) = a.at(j, i) + v[j];
        put(out, i, twice(i));
    }
    return out[n - 1];
}

int main()
{
    const int n = 12;
    static double cells[n * n], out[n];
    std::vector<double> v(n, 1.5);
    matrix a = {n, cells};
    double r = work(a, v, out, n);
    std::printf("%g %g\n", r, cells[n]);
}
