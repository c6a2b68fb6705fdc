/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pointers that threads exchange, two or in a circle, and pointers that conditions choose. */
void pair(int n, int steps, float *in, float *out)
{
#pragma omp parallel
    {
        int count = 0;
        float *a = in, *b = out;
        do {
#pragma omp for
            for (int i = 0; i < n; i++)
                b[i] = a[i] * .5f;
            float *t = a;
            a = b;
            b = t;
            count++;
        } while (count < steps);
    }
}
void rotate(int n, int steps, float *x, float *y, float *z)
{
#pragma omp parallel
    {
        float *a = x, *b = y, *c = z;
        for (int s = 0; s < steps; s++) {
#pragma omp for
            for (int i = 0; i < n; i++)
                a[i] = b[i] + c[i];
            float *t = a;
            a = b;
            b = c;
            c = t;
        }
    }
}
void nested(int n, double *x, double *y, double *z)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double *p = i < 10 ? x : i < 20 ? y : z;
        p[i] += i;
    }
}
