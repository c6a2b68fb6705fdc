/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A function with serial code and parallel work, called in another region's loop: 2 * NODES loads
 * of the list, then for each of N elements 4 * NODES accesses that are not described and a store
 * that is. */
#include <stdio.h>

enum { CALLS = 40, N = 50, NODES = 10 };

typedef struct node {
    struct node *next;
    double value;
} node;

static double a[CALLS][N], b[CALLS][N];

__attribute__((noinline)) static double work(const node *list, double *x, double *y)
{
    double sum = 0;
    for (const node *p = list; p; p = p->next)
        sum += p->value;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        for (const node *p = list; p; p = p->next)
            x[i] += p->value;
        y[i] = sum;
    }
    return sum;
}

int main(void)
{
    static node nodes[NODES];
    double sum = 0;
    for (int i = 0; i < NODES; i++)
        nodes[i] = (node){i + 1 < NODES ? &nodes[i + 1] : NULL, i};
#pragma omp parallel for reduction(+ : sum)
    for (int k = 0; k < CALLS; k++)
        sum += work(nodes, a[k], b[k]);
    sum += work(nodes, a[0], b[0]);
    printf("%g\n", sum);
    return 0;
}
