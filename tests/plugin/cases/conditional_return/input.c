/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions of several parts that leave a loop by a return, in a loop around parallel ones. */
extern int get(void), more(void);
extern void fail(void), say(void);
double a[1000];

int frames(int n)
{
    do {
        int format = get(), most = get();
        if (format == 2)
            return 4;
        if (format == 3 && most != 255) {
            fail();
            return 1;
        }
        if (format == 5 || most == 7) {
            fail();
            return 2;
        }
        if (n > 3 && format == 4 && most > 9)
            return 3;
        say();
        if (most > 3 && format == 4)
            say();
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[i] = 2;
    } while (more());
    return 0;
}

/* What a branch hangs on is unknown in part: the rest is no symbol of the nest. */
int partly(int n, unsigned verbose)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = 1;
    int *p = 0;
    while (more())
        p = (int *)a + get();
    if (verbose && p != 0)
        say();
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = 2;
    return 0;
}
