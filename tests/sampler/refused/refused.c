/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions without a sampler: a store that a sampler does not make, or a value that it cannot have,
 * feeds a bound or a branch. What the compiler says of them: expected.err. */
int growing, steps;
void work(void);
int verbose(void);

void bound_in_memory(int n, double *a)
{
    for (int t = 0; t < n; t++) {
#pragma omp parallel for
        for (int i = 0; i < growing; i++)
            a[i] += t;
        growing += t;
    }
}

void bound_behind_a_call(int n, double *a)
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[i] += t;
        work();
    }
}

void until_converged(int n, double *a)
{
    double change;
    do {
        change = 0;
#pragma omp parallel for reduction(+ : change)
        for (int i = 0; i < n; i++) {
            a[i] *= .5;
            change += a[i];
        }
    } while (change > 1e-3);
}

void asked(int n, double *a)
{
    for (int t = 0; t < n; t++)
        if (verbose()) {
#pragma omp parallel for
            for (int i = 0; i < n; i++)
                a[i] += t;
        }
}
