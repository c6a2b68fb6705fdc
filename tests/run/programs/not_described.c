/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three regions: one is described, one has a loop that is not, one calls what no one knows. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 4000 };
static double a[N], b[N], x[N];

static struct node {
    struct node *next;
    double value;
} * head;

static void plain(int n)
{
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
        b[i] = a[i - 1] + a[i + 1];
}

static void list(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (const struct node *p = head; p; p = p->next)
            sum += p->value;
        x[i] = sum + a[i];
    }
}

static double next_three(const double *p, int i)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += p[(i + k) % N];
    return sum;
}

static double (*volatile called)(const double *, int) = next_three;

static void calls(int n)
{
    double (*f)(const double *, int) = called;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] += f(a, i);
}

int main(void)
{
    for (int i = 0; i < 10; i++) {
        struct node *p = malloc(sizeof *p);
        p->next = head;
        p->value = i;
        head = p;
    }
    for (int i = 0; i < N; i++)
        a[i] = i;
    for (int k = 0; k < 3; k++)
        plain(N);
    for (int k = 0; k < 5; k++)
        list(N);
    calls(N);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += x[i];
    printf("%g\n", sum);
    return 0;
}
