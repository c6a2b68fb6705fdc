/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A region whose constructs have teams of different sizes: three threads, and as many as there are.
 * Each thread of the second team sweeps lines that no other touches.
 */
double A[3000] __attribute__((aligned(64))), B[3000] __attribute__((aligned(64)));

static __attribute__((noinline)) void sweep(int n, int times)
{
    for (int t = 0; t < times; t++) {
#pragma omp parallel for num_threads(3)
        for (int i = 0; i < n; i++)
            A[i] += 1;
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            B[i] += A[n - 1 - i];
    }
}

int main(void)
{
    sweep(3000, 3);
    return B[0] == 1 + 2 + 3 ? 0 : 1;
}
