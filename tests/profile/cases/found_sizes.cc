// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors that serial code fills under a condition: their sizes and places are known where the
// region begins.
#include <cstdio>
#include <vector>

static double a[300];

static long fill(const std::vector<int> &l)
{
    std::vector<int> ids;
    ids.reserve(l.size());
    for (size_t i = 0; i < l.size(); i++)
        if (l[i] > 4)
            ids.emplace_back(i);
    int tasks = static_cast<int>(ids.size());
#pragma omp parallel for schedule(static, 2)
    for (int t = 0; t < tasks; t++)
        a[t] += ids[t];
    return tasks;
}

static long grow(const std::vector<int> &l)
{
    std::vector<int> ids;
    for (size_t i = 0; i < l.size(); i++)
        if (l[i] > 4)
            ids.push_back(i);
#pragma omp parallel for schedule(static, 2)
    for (size_t t = 0; t < ids.size(); t++)
        a[t] += ids[t];
    return ids.size();
}

int main()
{
    std::vector<int> l(250);
    for (size_t i = 0; i < l.size(); i++)
        l[i] = i * 7 % 11;
    long filled = fill(l);
    std::printf("%ld %ld\n", filled, grow(l));
    return 0;
}
