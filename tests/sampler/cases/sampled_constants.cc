/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Branches that the compiler decides: what stands behind them is sampled. Loops that are never
 * entered, or that no access hangs on, end in a sampler too. */
#include <cstdio>

alignas(64) static int p[200], v[200];
enum { DEBUG = 0 };

template <bool USE, int WAY> __attribute__((noinline)) unsigned sum(int n)
{
    unsigned s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++) {
        if (USE)
            s += v[i];
        else
            s += p[i + 1];
        if (DEBUG && n > 3)
            s += p[0];
        else if (!USE || WAY == 2)
            s += p[i + 2];
        switch (WAY) {
        case 0:
            s += p[i + 3];
            break;
        case 1 ... 4:
            s += v[i + 4];
            break;
        default:
            s += v[5];
        }
        if (DEBUG)
            continue;
        s += DEBUG ? p[i] : v[i + 7];
        switch (sizeof(long)) {
        case 4:
            p[i + 100]++;
            break;
        case 8:
            v[i + 100]++;
            break;
        }
        do {
            if (WAY == 9)
                goto skipped;
            s += v[i + 9];
        } while (0);
    skipped:
        if (0u > (unsigned)i)
            for (short j = i; j < 8; j = j + 2)
                s += v[j];
        for (int j = 0;; j++)
            for (int k = 0; k < n; k++)
                if (j + k > 15)
                    goto out;
    out:
        s++;
    }
    return s;
}

/* Of one case, or a range, the compiler makes a condition. */
__attribute__((noinline)) unsigned chosen(int n, int k)
{
    unsigned s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++) {
        switch (k) {
        case 2:
            s += v[i];
            break;
        default:
            s += p[i];
        }
        switch (k + i) {
        case 5 ... 8:
            s += v[i + 20];
            break;
        default:
            p[i + 20] = 1;
        }
        switch (i) {
        case 3:
            n = n;
        }
    }
    return s;
}

int main()
{
    printf("%u\n", sum<true, 0>(14) + sum<false, 2>(13) + sum<true, 9>(12) + sum<false, 9>(11) + chosen(10, 2) + chosen(10, 3));
    return 0;
}
