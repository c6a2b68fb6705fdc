// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors and owned arrays that change places between sweeps: local ones, references, members, pointers to vectors.
#include <memory>
#include <utility>
#include <vector>
void local(int n, int steps, double *out)
{
    std::vector<double> a(n, 1.0), b(n);
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            b[i] = a[i - 1] + a[i + 1];
        std::swap(a, b);
    }
    out[0] = a[n / 2];
}
void references(std::vector<double> &a, std::vector<double> &b, int steps)
{
    for (int t = 0; t < steps; t++) {
        int n = a.size();
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            b[i] = a[i - 1] + a[i + 1];
        a.swap(b);
    }
}
struct Solver {
    std::vector<double> u, v;
    int n;
    void run(int steps)
    {
        for (int t = 0; t < steps; t++) {
#pragma omp parallel for
            for (int i = 1; i < n - 1; i++)
                v[i] = u[i - 1] + u[i + 1];
            std::swap(u, v);
        }
    }
};
void run(Solver &s) { s.run(3); }
void owned(int n, int steps, double *out)
{
    std::unique_ptr<double[]> a(new double[n]()), b(new double[n]());
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            b[i] = a[i - 1] + a[i + 1];
        std::swap(a, b);
    }
    out[1] = a[3];
}
void pointers(std::vector<double> *a, std::vector<double> *b, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            (*b)[i] = (*a)[i - 1] + (*a)[i + 1];
        std::swap(a, b);
    }
}
