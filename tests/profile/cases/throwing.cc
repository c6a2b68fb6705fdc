/* SPDX-License-Identifier: GPL-3.0-or-later */
// A region that is left by an exception, and a loop in it that is left by break.
#include <cstdio>
#include <stdexcept>

static double a[64];

static void work(int n, int what)
{
    for (int t = 0; t < n; t++) {
#pragma omp parallel for num_threads(2) schedule(static)
        for (int i = 0; i < 64; i++)
            a[i] += 1;
        if (what == 1 && t == 1)
            throw std::runtime_error("thrown");
        if (what == 2 && t == 1)
            break;
    }
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < 64; i++)
        a[i] += 1;
}

int main()
{
    for (int what = 0; what < 4; what++)
        try {
            work(3, what % 3);
        } catch (const std::exception &e) {
            std::printf("%s\n", e.what());
        }
    std::printf("%g\n", a[63]);
}
