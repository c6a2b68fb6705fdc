/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A serial loop that may return: what stands behind it is described. A value chosen before and
 * after a loop. */
int read_option(int argc, char **argv);
void use(int);

int run(int argc, char **argv, double *a, int n)
{
    int c;
    while ((c = read_option(argc, argv)) != -1) {
        if (c == 'h')
            return 1;
        use(c);
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = 2 * a[i];
    return 0;
}

void chosen(double *a, int n, int m, int flag)
{
    int shift = 0;
    if (flag > 0) {
        for (int k = 0; k < m; k++)
            use(k);
        if (m > 7)
            shift = 5;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i + shift] = 1;
}
