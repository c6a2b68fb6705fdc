/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that may fail: what follows each is reached with it and without it. It is described once, not for each of the
 * 2^16 ways there. */
int read_part(int k), flag(int k);

#define STEP(k)              \
    if (flag(k)) {           \
        if (!read_part(k))   \
            return -1;       \
        if (flag(-k))        \
            read_part(-k);   \
    }
#define STEPS(k) STEP(k) STEP(k + 1) STEP(k + 2) STEP(k + 3) STEP(k + 4) STEP(k + 5) STEP(k + 6) STEP(k + 7)

int load(double *restrict to, const double *restrict from, int n)
{
    STEPS(1)
    STEPS(11)
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        to[i] = from[i];
    return 0;
}
