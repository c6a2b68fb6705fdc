/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A private variable whose address is taken elsewhere in the function. */
void use(int *);

void elsewhere(int n, double a[])
{
    int i, m = 0;
    use(&m);
    use(&i);
#pragma omp parallel for lastprivate(i, m)
    for (i = 0; i < n; i++) {
        m = 2 * i;
        a[m] = a[i];
    }
    use(&i);
    use(&m);
}

void privates(int n, double *restrict a)
{
    int i, t, f = 3;
    use(&t);
    use(&f);
#pragma omp parallel for private(t) firstprivate(f)
    for (i = 0; i < n; i++) {
        t = i + 1;
        a[t] = f;
    }
    use(&i);
}

void here(int n, double *restrict a)
{
    int t;
#pragma omp parallel for private(t)
    for (int i = 0; i < n; i++) {
        use(&t);
        a[t] = 1;
    }
}

struct pair {
    int x, y;
};
void whole(int n, double a[])
{
    struct pair p;
    use(&p.x);
#pragma omp parallel for private(p)
    for (int i = 0; i < n; i++) {
        p.x = i;
        a[p.x] = 1;
    }
}
