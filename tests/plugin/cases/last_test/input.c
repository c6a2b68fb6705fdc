/* SPDX-License-Identifier: GPL-3.0-or-later
 * The test that a loop around parallel loops ends with loads once more, last of all. */
int first[64], end[64];
double x[64];
void f(int k)
{
    for (int i = first[k]; i < end[k]; i++) {
#pragma omp parallel for
        for (int j = 0; j < 8; j++)
            x[i + j] = 1;
    }
}
