/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <vector>

void ones(std::vector<int> &v)
{
#pragma omp parallel for
    for (auto it = v.begin(); it < v.end(); ++it)
        *it = 1;
}

double sums(int n, const std::vector<double> &w, double *s)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        s[i] = 0;
        for (double x : w)
            s[i] += x;
    }
    return s[0];
}
