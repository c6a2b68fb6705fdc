// SPDX-License-Identifier: GPL-3.0-or-later
#include <vector>

template <class T> void scale(std::vector<T> &v, T by)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < (long)v.size(); i++)
        v[i] *= by;
}

void both(std::vector<float> &f, std::vector<double> &d)
{
    scale(f, 2.0f);
    scale(d, 2.0);
}
