/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays inside of an array of structs are views of it. */
struct cell {
    double v[3];
    double mass;
    float f[2][4];
};

void kick(int n, struct cell *c)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            c[i].v[d] += c[i].f[1][d] / c[i].mass;
}
