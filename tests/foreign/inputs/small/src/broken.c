/* SPDX-License-Identifier: GPL-3.0-or-later */
void broken(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        undeclared[i] = 0;
}
