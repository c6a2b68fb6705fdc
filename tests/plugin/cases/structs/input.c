/* SPDX-License-Identifier: GPL-3.0-or-later */
struct point {
    double x, y;
    float w;
    int id;
} p[1000], q[1000];

void move(struct point *r, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        p[i].x += p[i].w * q[i].y;
        r[i].id = p[i].id;
        q[i] = r[i];
    }
}
