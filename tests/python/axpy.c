/* SPDX-License-Identifier: GPL-3.0-or-later */
static double x[4096], y[4096];
int main(int argc, char **argv)
{
    int n = argc > 1 ? 2048 : 4096;
    (void)argv;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        y[i] += 2 * x[i];
    return 0;
}
