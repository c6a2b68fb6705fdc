// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors, accessors, a template, a lambda, references.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

void *operator new(std::size_t n)
{
    return std::aligned_alloc(64, (n + 63) / 64 * 64);
}
void operator delete(void *p) noexcept
{
    std::free(p);
}
void operator delete(void *p, std::size_t) noexcept
{
    std::free(p);
}

template <typename T, int rows, int columns> struct matrix {
    std::vector<T> data;
    matrix() : data(rows * columns, 1.5) {}
    T &operator()(int i, int j) { return data[i * columns + j]; }
};

template <typename T, int n, int m, int l>
void multiply(matrix<T, n, l> &a, matrix<T, l, m> &b, matrix<T, n, m> &c)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < l; k++)
                c(i, j) += a(i, k) * b(k, j);
}

static void add(std::vector<double> &x, const std::vector<double> &y, double by)
{
    auto one = [&](std::size_t i) { x[i] += by * y[i]; };
#pragma omp parallel for schedule(static, 4)
    for (std::size_t i = 0; i < x.size(); i++)
        one(i);
}

int main()
{
    matrix<double, 20, 30> a;
    matrix<double, 30, 25> b;
    matrix<double, 20, 25> c;
    multiply(a, b, c);
    std::vector<double> x(100, 2), y(100, 3);
    add(x, y, .5);
    double sum = 0;
    for (double v : c.data)
        sum += v;
    for (double v : x)
        sum += v;
    std::printf("%.17g\n", sum);
}
