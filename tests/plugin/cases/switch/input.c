/* SPDX-License-Identifier: GPL-3.0-or-later */
double a[100], b[100], c[100];

void choose(int n, int kind)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        switch (kind) {
        case 0:
            a[i] = 0;
            break;
        case 1:
        case 2:
            b[i] = 0;
            break;
        default:
            c[i] = 0;
        }
}
