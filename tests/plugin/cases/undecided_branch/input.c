/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parallel loops behind a condition, or in a loop, that only the run decides: symbols. Inside of a
 * worksharing loop threads decide differently, and it is not known. */
extern double residual(void);
extern int verbose(int);
double a[1000], b[1000];

void branch(int n)
{
    for (int t = 0; t < 10; t++) {
        if (residual() > 1e-3) {
#pragma omp parallel for
            for (int i = 0; i < n; i++)
                a[i] = b[i];
        }
    }
}

void inner(int n)
{
    for (int t = 0; t < 10; t++)
        while (residual() > 1e-3) {
#pragma omp parallel for
            for (int i = 0; i < n; i++)
                a[i] = b[i];
        }
}

void within_region(int n)
{
#pragma omp parallel
    {
        while (verbose(0)) {
#pragma omp for
            for (int i = 0; i < n; i++)
                a[i] += b[i];
        }
    }
}

void by_iteration(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (b[i] > 0)
            a[i] = b[i];
}

/* What both ways lead to is described once. */
void either(int n, const double *p, const double *q)
{
    if (*p > 0.5 || *q > 0.5) {
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[i] = b[i];
    } else {
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            b[i] = 1;
    }
}

/* Each part has a symbol. */
void in_steps(int n, const double *p, const double *q)
{
    for (int t = 0; t < 10; t++)
        if (p[t] > 0.5 && !(q[t] > 0.5)) {
#pragma omp parallel for
            for (int i = 0; i < n; i++)
                a[i] = b[i];
        }
}
