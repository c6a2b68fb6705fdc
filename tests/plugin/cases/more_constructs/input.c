/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simd inside of for, omp loop, copies of variables in and out, ordered simd, runtime schedules with
 * modifiers, masked, taskgroup. */
double a[100][100], b[100][100];
int last;

void simd(int n)
{
#pragma omp parallel
    {
#pragma omp for simd schedule(simd : static, 4) nowait
        for (int i = 0; i < n; i++)
            a[0][i] = b[0][i];
#pragma omp for simd collapse(2)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i][j] += b[i][j];
    }
}

void copies(int n, int shift)
{
    int k = shift + 1, end = 0;
#pragma omp parallel for firstprivate(k) lastprivate(end)
    for (int i = 0; i < n; i++) {
        int from = i + k;
        a[0][from] = b[0][i];
        end = i;
    }
#pragma omp parallel for
    for (int i = 0; i < end; i++)
        b[1][i] = 0;
}

void loops(int n)
{
#pragma omp parallel
#pragma omp loop
    for (int i = 0; i < n; i++)
        a[2][i] = 1;
#pragma omp parallel loop
    for (int i = 0; i < n; i++)
        a[3][i] = 1;
}

void runtime(int n)
{
#pragma omp parallel for schedule(nonmonotonic : runtime)
    for (int i = 0; i < n; i++)
        a[4][i] = 1;
#pragma omp parallel for schedule(monotonic : static, 2) ordered
    for (int i = 0; i < n; i++) {
        a[5][i] = 1;
#pragma omp ordered
        b[5][i] = a[5][i];
    }
}

void triangle(int n)
{
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            a[i][j] = b[j][i];
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < 2 * i + 3; j++)
            a[i][j] = 0;
}
