/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scan is two loops over the same iterations, with each thread's partial results between them. */
double inclusive(int n, const double *a, double *b)
{
    double sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < n; i++) {
        sum += a[i];
#pragma omp scan inclusive(sum)
        b[i] = sum;
    }
    return sum;
}

/* The input phase comes second in the source. */
int exclusive(int n, const int *a, int *b, int *c)
{
    int sum = 0, most = -1;
#pragma omp parallel
    {
#pragma omp for reduction(inscan, + : sum) reduction(inscan, max : most) nowait
        for (int i = n - 1; i >= 2; i -= 3) {
            b[i] = sum;
            c[i] = most;
#pragma omp scan exclusive(sum, most)
            sum += a[i];
            most = a[i + 1] > most ? a[i + 1] : most;
        }
#pragma omp for
        for (int i = 0; i < n; i++)
            c[i]++;
    }
    return sum + most;
}

/* Vectors keep their partial results in registers; shared ones do as loops do. */
void vectors(int n, const float *a, float *b)
{
    float sum = 0;
#pragma omp parallel for simd reduction(inscan, + : sum)
    for (int i = 0; i < n; i++) {
        sum += a[i];
#pragma omp scan inclusive(sum)
        b[i] = sum;
    }
#pragma omp parallel for
    for (int r = 0; r < n; r++) {
        float row = 0;
#pragma omp simd reduction(inscan, + : row)
        for (int i = 0; i < 64; i++) {
            row += a[i];
#pragma omp scan inclusive(row)
            b[r * 64 + i] = row;
        }
    }
}
