/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Small functions whose exceptions and destructors have effects.
 */
#include <cstdio>
#include <stdexcept>
#include <vector>

static double a[1000];

struct Counted {
    int *n;
    explicit Counted(int *to) : n(to) { ++*n; }
    ~Counted() { *n += 10; }
};

static int risky(int i)
{
    if (i % 100 == 7)
        throw std::runtime_error("seven");
    return i;
}

static int guarded(int i)
{
    try {
        return risky(i);
    } catch (const std::exception &) {
        return -1;
    }
}

static int unwinds(int i, int *n)
{
    Counted first(n);
    Counted second(n);
    return risky(i);
}

static int rethrows(int i, int *n)
{
    try {
        return unwinds(i, n);
    } catch (...) {
        *n += 100;
        throw;
    }
}

int main()
{
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 1000; i++) {
        int n = 0;
        a[i] = guarded(i);
        try {
            a[i] += rethrows(i, &n);
        } catch (const std::runtime_error &e) {
            sum += e.what()[0];
        }
        std::vector<int> v(i % 7 + 1, i);
        sum += static_cast<long>(a[i]) + n + v.back();
    }
    for (int i = 0; i < 20; i++)
        sum += guarded(i);
    std::printf("%ld\n", sum);
}
