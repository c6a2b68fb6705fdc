/* SPDX-License-Identifier: GPL-3.0-or-later */
void scale(int &n, double (&a)[100], const double &f)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double &x = a[i];
        x *= f;
    }
}
