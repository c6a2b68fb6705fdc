/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loops outside of regions that one call of the library can tell, and others: down, with other
 * steps, that do not run at all, within one another, with a call, with branches, with an end that
 * data decide.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct pair {
    double value;
    int number;
};

static double *a, *b;
static float *f;
static unsigned char *bytes;
static struct pair *pairs;

__attribute__((noinline)) static void fill(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        a[i] = i;
    for (unsigned i = n; i-- > 0;)
        b[i] = a[n - 1 - i];
    for (unsigned i = 0; i <= n - 1; i += 3)
        f[i] = (float)(b[i] + a[i]);
    for (double *at = a + n - 1; at >= a; at -= 5)
        *at = sqrt(*at);
    for (unsigned i = 0; i != 2 * n; i += 2)
        pairs[i / 2].value += pairs[i / 2].number + bytes[i];
    for (unsigned char *at = bytes; at < bytes + n; at++)
        *at = 1;
}

__attribute__((noinline)) static double sum_up(int n, int few)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < few; j++)
            sum += a[j] * f[i] + a[j + 1];
    for (int i = 0; i < n; i += 1 + few)
        for (int j = few; j > 0; j--)
            b[i] += a[i + j] * b[j];
    for (int i = 0; i < n; i++)
        if (a[i] > 5)
            sum += b[i];
    for (int i = 0; i < n && a[i] < 9; i++)
        sum += f[i];
    int i = 0;
    do
        sum += bytes[i];
    while (++i < few);
    return sum;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 700;
    a = aligned_alloc(64, 8192 * sizeof *a);
    b = aligned_alloc(64, 8192 * sizeof *b);
    f = aligned_alloc(64, 8192 * sizeof *f);
    bytes = aligned_alloc(64, 8192);
    pairs = aligned_alloc(64, 8192 * sizeof *pairs);
    for (int i = 0; i < 8192; i++) {
        a[i] = b[i] = f[i] = bytes[i] = i % 50;
        pairs[i] = (struct pair){i, i};
    }
    fill(n);
    double sum = sum_up(n, 40) + sum_up(3, 0);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        int at = i;
        for (int k = 0; k < 4; k++)
            at = (int)pairs[at % n].value % 8192;
        for (int k = 0; k < 30; k++)
            sum += a[at + k] * b[k];
    }
    printf("%g\n", sum);
    return 0;
}
