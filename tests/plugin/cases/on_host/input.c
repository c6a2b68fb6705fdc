/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Target regions, teams, distributed loops and taskloops as the host executes them; cancellation as
 * if it did not happen. */
#define N 1000
double a[N], b[N], m[N][N];
void regions(int n, double *p, double *q)
{
#pragma omp target map(tofrom : p[0 : n]) map(to : q[0 : n])
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        p[i] += q[i];
#pragma omp target data map(p[0 : n])
    {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++)
            p[i] = 0;
#pragma omp target update from(p[0 : n])
#pragma omp target teams distribute
        for (int i = 0; i < N; i++)
#pragma omp parallel for
            for (int j = 0; j < n; j++)
                m[i][j] = 0;
    }
}
void teams(int n, int many)
{
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for schedule(static, 4)
    for (int i = 0; i < n; i++)
        a[i] = 0;
#pragma omp teams
#pragma omp distribute
    for (int i = 2; i < N; i++)
#pragma omp parallel for
        for (int j = 0; j < n; j++)
            m[i][j] = 1;
#pragma omp teams num_teams(many)
#pragma omp distribute parallel for simd
    for (int i = 0; i < n; i++)
        b[i] = 0;
}
void tasks(int n)
{
#pragma omp parallel
#pragma omp single
    {
        a[0] = 0;
#pragma omp taskloop grainsize(8)
        for (int i = 0; i < n; i++)
            a[i] += b[i];
#pragma omp taskloop num_tasks(20) collapse(2)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < N; j++)
                m[i][j] = 2;
        b[0] = 0;
    }
#pragma omp parallel master taskloop
    for (int i = n; i > 0; i -= 2)
        a[i] = 3;
#pragma omp parallel master taskloop simd nogroup
    for (int i = 0; i < n; i++)
        a[i] = 4;
}
void cancelled(int n, double limit)
{
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < n; i++) {
#pragma omp cancellation point for
            a[i] = b[i];
            if (b[i] > limit) {
#pragma omp cancel for
            }
        }
    }
}
/* What is still refused. */
void refused(int n, int times)
{
#pragma omp target nowait
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = 0;
#pragma omp parallel
#pragma omp single
    for (int t = 0; t < times; t++)
#pragma omp taskloop
        for (int i = 0; i < n; i++)
            a[i] = 0;
#pragma omp teams
#pragma omp distribute parallel for dist_schedule(static, 10)
    for (int i = 0; i < n; i++)
        a[i] = 0;
#pragma omp taskloop
    for (int i = 0; i < n; i++)
        a[i] = 0;
#pragma omp parallel
#pragma omp target
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
