/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A flag that one of several ways sets: what each way does before they meet, some hundred branches,
 * does not decide it. */
#define FOUR(x) x x x x
int ways(int *a, const int *t, long n, int kind, int other)
{
    int cleared = 0, met = 0;
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        a[i] = 0;
    if (kind == 3) {
        for (long i = 0; i < n; i++) {
            FOUR(FOUR(FOUR(if (i % 7 == other) met++;)))
        }
        cleared = 1;
    } else if (kind == other) {
        FOUR(FOUR(FOUR(if (met % 7 < kind) met += 3;)))
        for (long i = 0; t[i] > 1; i++)
            if (t[i] == 5)
                break;
    }
    if (!cleared) {
#pragma omp parallel for
        for (long i = 0; i < n; i++)
            a[i]++;
    }
    return met;
}

/* What a loop with two exits has come to is a value of the run. */
void found(int *a, const int *t, long n, int kind)
{
    long at = 0;
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        a[i] = 0;
    if (kind == 3) {
        for (at = 0; at < n; at++)
            if (t[at] == 5)
                break;
    }
#pragma omp parallel for
    for (long i = 0; i < at; i++)
        a[i]++;
}

/* A way that leads on to the next iteration decides nothing here. */
void skipping(double *a, const int *w, long n, long m)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        int pair = 0;
        if (w[i] <= 0)
            pair = 1;
        else if (i > 0)
            if (w[i - 1] <= 0)
                continue;
        for (long j = 0; j < m; j++)
            if (pair)
                a[i * m + j] += 1;
            else
                a[i * m + j] = 0;
    }
}
