// SPDX-License-Identifier: GPL-3.0-or-later
// What std::max and its like return by reference has been read: it is no other access.
#include <algorithm>
void single(const double *a, double *b, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double s = 0, t = a[i] * 2;
        s = std::max(s, t);
        b[i] = std::clamp(s, a[i], a[i + 1]);
    }
}
int most(const int *e, const int *f, int n)
{
    int most = 0;
#pragma omp parallel for reduction(max : most)
    for (int i = 0; i < n; i++)
        most = std::max(most, std::min(e[i], f[i]));
    return most;
}
void bounds(double *a, int n, int m)
{
    int size = std::max(n, 8);
#pragma omp parallel for
    for (int i = 0; i < std::min(n, m); i++)
        for (int j = std::max(0, i - 2); j < std::min(size, i + 3); j++)
            a[j] = i;
}
void changed(double *a, double *b, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        const double &most = std::max(a[i], b[i]);
        a[i] = 1;
        b[i] = most;
        std::swap(a[i], b[i]);
    }
}
