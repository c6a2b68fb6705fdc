// SPDX-License-Identifier: GPL-3.0-or-later
// Handlers, and functions that may not throw in the place of a destructor's call.
#include <string>
#include <vector>

struct Guard {
    std::vector<int> *v;
    explicit Guard(std::vector<int> *p) noexcept : v(p) {}
    ~Guard() noexcept { release(); }
    void release() noexcept
    {
        if (v)
            v->clear();
    }
};

void guarded(double *__restrict a, const double *__restrict b, int n, std::vector<int> *v)
{
    Guard g(v);
    std::string what;
    try {
#pragma omp parallel
        {
            Guard inner(nullptr);
#pragma omp for
            for (int i = 0; i < n; i++)
                a[i] = b[i];
        }
    } catch (const char *e) {
        what = e;
    }
}
