/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Structs and arrays copied as a whole. */
struct block {
    double v[4];
};

void move(int n, struct block *a, const struct block *b)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        struct block x = b[i];
        x.v[0] += 1;
        a[i] = x;
    }
}
