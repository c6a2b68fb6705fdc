/* SPDX-License-Identifier: GPL-3.0-or-later */
// Loops that call another unit's members.
#include <cstdio>
#include "field.hh"

using namespace physics;

static void transpose(Field &to, const Field &from)
{
#pragma omp parallel for collapse(2)
    for (std::size_t i = 0; i < from.rows(); i++)
        for (std::size_t j = 0; j < from.columns(); j++)
            to(j, i) = from.at(i, j);
}

static void sum_rows(std::vector<double> &sums, const Field &f)
{
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < sums.size(); i++)
        sums[i] = f.sum_row(i);
}

static void mix_all(Pair *a, const Pair *b, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = mix(a[i], b[n - 1 - i]);
}

static void gather(double *to, const double *from, int n)
{
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++)
            to[i] = halves(from, i) + twice(from, i);
    }
}

int main()
{
    const int n = 40;
    Field a(n, n), b(n, n);
    std::vector<double> sums(n), more(3 * n);
    std::vector<Pair> p(n), q(n);
    transpose(a, b);
    sum_rows(sums, a);
    mix_all(p.data(), q.data(), n);
    gather(sums.data(), more.data(), n);
    std::printf("%g %g\n", sums[3], p[1].first);
}
