/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bound that a function of another unit could change: between two runs of a parallel region it is
 * taken to stay, with a note, and in a worksharing loop, where other iterations read it. */
extern int n, steps;
extern double *a, b[1000];
extern void exchange(void), touch(int i);

void between(void)
{
    for (int t = 0; t < 10; t++) {
        exchange();
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            b[i] += 1;
    }
}

void inside(void)
{
#pragma omp parallel for
    for (int i = 0; i < 1000; i++) {
        touch(i);
        for (int j = 0; j < n; j++)
            b[j] += i;
    }
}

void base_between(void)
{
    while (steps > 0) {
        exchange();
#pragma omp parallel for
        for (int i = 0; i < 1000; i++)
            a[i] = b[i];
    }
}
