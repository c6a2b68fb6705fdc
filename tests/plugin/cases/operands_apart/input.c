/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of one value that others stand between, and fields that no register holds. */
struct image { int kind, depth, rows; long tag; unsigned limit; };
int whole, again;
void apart(int n, int m, double *a, double *b, struct image *im)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (im->kind != 17 && whole && im->kind != 19 && im->kind != 16)
            a[i] = 1;
        if (whole && m == 2)
            b[i] = 2;
        if (im->kind == 3 || im->kind == 4 || again || im->kind == 5)
            a[i] = b[i];
        if (im->kind != 1) {
            if (im->kind != 2)
                if (im->depth == 8 && im->kind != 1)
                    b[i] = 3;
        }
        if (m != 0 && n / m > 3 && again)
            b[i] = 4;
        if ((again && m > 3) || (whole && again))
            b[i] = 5;
        if (im->limit != 4294967295u && im->limit > 31)
            a[i] = 6;
    }
}
