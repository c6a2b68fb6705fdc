/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that are marked are described as if they were parallel, and no others of their function. */
#define N 200
double x[N], y[N];
int row[N + 1], col[N * N];

void marked(int n)
{
    for (int s = 0; s < 10; s++)
        /* not the outermost */
#pragma pluss parallel(dynamic, 4)
        for (int i = 0; i < n; i++)
            for (int j = row[i]; j < row[i + 1]; j++)
                y[i] += x[col[j]];
}

void first_only(int n)
{
#pragma pluss parallel
    for (int i = 0;
         i < n;
         i++)
        x[i] = 0;
    for (int i = 0; i < n; i++)
        y[i] = 0;
}

void under_a_condition(int n, int again)
{
    if (again)
#pragma pluss parallel(guided)
        for (int i = 0; i < n; i++)
            x[i] = y[i];
}

void not_described(const char *s, char *to)
{
#pragma pluss parallel
    while (*s)
        *to++ = *s++;
}

void no_loop(int n)
{
    for (int i = 0; i < n; i++)
        x[i] = 0;
#pragma pluss parallel
}

void unmarked(int n)
{
    for (int i = 0; i < n; i++)
        x[i] = 0;
}
