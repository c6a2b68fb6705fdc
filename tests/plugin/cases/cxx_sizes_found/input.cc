/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors that serial code fills under a condition: their sizes are symbols. A struct that is
   stored holds no pointers of another type, nor is a pointer to one struct stored over one to
   another: the deque's size stays what it was. */
#include <algorithm>
#include <deque>
#include <vector>
struct Item {
    char text[24];
};
struct Record {
    int a, b;
    double c;
};
void fill(const int *l, int n, double *a)
{
    std::vector<int> ids;
    ids.reserve(n);
    for (int i = 0; i < n; i++)
        if (l[i] > 4)
            ids.emplace_back(i);
    int tasks = static_cast<int>(ids.size());
#pragma omp parallel for schedule(static, 2)
    for (int t = 0; t < tasks; t++)
        a[t] += ids[t];
}
void grow(const int *l, int n, double *a)
{
    std::vector<int> ids;
    for (int i = 0; i < n; i++)
        if (l[i] > 4)
            ids.push_back(i);
#pragma omp parallel for schedule(static, 2)
    for (size_t t = 0; t < ids.size(); t++)
        a[t] += ids[t];
}
long blocks(std::deque<Item> &items, int most)
{
    long n = 0;
    for (long at = 0; at < (long)items.size(); at += most) {
        long size = std::min((long)most, (long)(items.size() - at));
        std::vector<Record> all(size);
#pragma omp parallel for reduction(+ : n)
        for (long i = 0; i < size; ++i) {
            all[i].a = i;
            n += all[i].b;
        }
    }
    return n;
}
