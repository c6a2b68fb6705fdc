/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pointer that is passed does not lead to a variable of the function, wherever else that one's
   address goes. Calls and stores that would race for a bound do not change it. */
void use(long *);

void own_variable(const long *n, double *x)
{
    long last[8];
    use(last);
#pragma omp parallel for
    for (long i = 0; i < 8; i++) {
        for (long j = 0; j < *n; j++)
            x[j] = 1;
        last[i] = i;
    }
    use(last);
}

long everyones[8];

void global_variable(const long *n, double *x)
{
#pragma omp parallel for
    for (long i = 0; i < 8; i++) {
        for (long j = 0; j < *n; j++)
            x[j] = 1;
        everyones[i] = i;
    }
}

void store_and_call(const long *n, long *m, double *x)
{
#pragma omp parallel for
    for (long i = 0; i < 8; i++) {
        m[i] = i;
        for (long j = 0; j < *n; j++)
            x[j] = 1;
        use(m);
    }
}
