// SPDX-License-Identifier: GPL-3.0-or-later
// A scan in a template, into a reference; a sum of a class has no partial results that are described.
#include <vector>

template <class T> void sums(const std::vector<T> &a, std::vector<T> &b, T &sum)
{
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < (int)a.size(); i++) {
        sum += a[i];
#pragma omp scan inclusive(sum)
        b[i] = sum;
    }
}

template void sums(const std::vector<double> &, std::vector<double> &, double &);

struct pair {
    double x = 0, y = 0;
    pair &operator+=(const pair &o)
    {
        x += o.x;
        y += o.y;
        return *this;
    }
};
#pragma omp declare reduction(+ : pair : omp_out += omp_in)

void pairs(int n, const pair *a, pair *b)
{
    pair sum;
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < n; i++) {
        sum += a[i];
#pragma omp scan inclusive(sum)
        b[i] = sum;
    }
}
