/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lists whose nodes lie in no order, walked by two functions in turn: what a run of one finds in
 * the cache is what the run before left. */
#include <stdio.h>
#include <stdlib.h>

typedef struct node {
    struct node *next;
    double value, weight;
} node;

enum { LISTS = 400, NODES = 20 * LISTS };

static void add_up(node *const *list, int n, double *sum)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (const node *p = list[i]; p; p = p->next)
            sum[i] += p->value;
}

static void weigh(node *const *list, int n, const double *sum)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (node *p = list[i]; p; p = p->next)
            p->weight += sum[i];
}

int main(void)
{
    node **list = calloc(LISTS, sizeof *list), *block = calloc(NODES, sizeof *block);
    double *sum = calloc(LISTS, sizeof *sum);
    for (unsigned i = 0, seed = 1; i < NODES; i++) {
        seed = seed * 1103515245u + 12345u;
        node **to = &list[seed / 65536 % LISTS];
        block[i] = (node){*to, i, 0};
        *to = &block[i];
    }
    for (int time = 0; time < 5; time++) {
        add_up(list, LISTS, sum);
        if (time % 2)
            weigh(list, LISTS / 2, sum);
    }
    printf("%g\n", sum[LISTS / 2]);
    free(list);
    free(block);
    free(sum);
    return 0;
}
