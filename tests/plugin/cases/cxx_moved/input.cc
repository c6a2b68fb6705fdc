// SPDX-License-Identifier: GPL-3.0-or-later
// Members that are reached through references, std::move's among them: at -O1 and more g++ puts its argument in
// the call's place before the plugin sees it, at -O0 the address goes through a dozen copies.
#include <utility>

struct Array {
    double *d;
    long size;
    void swap(Array &other)
    {
        std::swap(d, other.d);
        std::swap(size, other.size);
    }
};

struct Table {
    Array a;
    long rows, columns;
    void swap(Table &other)
    {
        a.swap(other.a);
        std::swap(rows, other.rows);
        std::swap(columns, other.columns);
    }
    double &at(long i, long j) { return a.d[i * columns + j]; }
};

struct Relaxation {
    int n;
    Table now, next;
    void step();
};

void Relaxation::step()
{
#pragma omp parallel for
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n; j++)
            next.at(i, j) = now.at(i - 1, j);
    next.swap(now);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        now.at(i, 0) = 0;
}
