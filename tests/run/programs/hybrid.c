/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A region with affine references and others: a hash table, lists, a branch on real numbers, a
 * function that is called through a pointer, and one that a function of the C library calls after it. With -DORDER it prints each access of the region instead, as a trace of
 * one thread in plain text. Everything is at the same place in its line in both. */
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 60, COLUMNS = 12, TABLE = 1024 };

typedef struct node {
    struct node *next;
    long value;
} node;

static _Alignas(64) double a[ROWS][COLUMNS], b[ROWS][COLUMNS];
static _Alignas(64) unsigned table[TABLE];
static _Alignas(64) long marks[ROWS][4];
static _Alignas(64) node nodes[ROWS * 4], *lists[ROWS];

#ifdef ORDER
#define SEE(x, letter) (printf("0 %lu %zu " letter "\n", (unsigned long)&(x), sizeof(x)))
#else
#define SEE(x, letter) ((void)0)
#endif
#define GET(x) (SEE(x, "r"), (x))
#define PUT(x, value) (SEE(x, "w"), (x) = (value))

static void visit(node *n, int depth)
{
    if (depth > 0 && n) {
        PUT(n->value, GET(n->value) + depth);
        visit(GET(n->next), depth - 1);
    }
}
static void (*volatile visitor)(node *, int) = visit;

static int compare(const void *x, const void *y)
{
    const long *p = x, *q = y;
    return (GET(*p) > GET(*q)) - (GET(*p) < GET(*q));
}

static __attribute__((noinline)) void work(unsigned seed, int columns)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < columns; j++) {
            double s = GET(b[i][j]);
            unsigned *at = &table[((i * 31u + j) * 2654435761u + seed) >> 22];
            PUT(*at, GET(*at) + 1);
            PUT(a[i][j], s * 2);
        }
        for (int j = i % COLUMNS; j >= 0; j -= 2)
            if (GET(a[i][j]) > 1)
                PUT(b[i][j], 0);
        for (node *p = GET(lists[i]); p; p = GET(p->next))
            PUT(p->value, GET(p->value) + 3);
        if (i % 3 == 0)
            visitor(&nodes[i * 5 % (ROWS * 4)], i % 7);
        qsort(marks[i], 4, sizeof marks[i][0], compare);
    }
}

int main(void)
{
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < i * 7 % 5; k++) {
            node *n = &nodes[(i * 4 + k) * 37 % (ROWS * 4)];
            n->next = lists[i];
            lists[i] = n;
        }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            b[i][j] = (i + j) % 3 ? 1.5 : 0.1;
    for (int i = 0; i < ROWS * 4; i++)
        marks[i / 4][i % 4] = i * 7 % 11;
    work(7, COLUMNS);
    long sum = 0;
    for (int i = 0; i < ROWS * 4; i++)
        sum += nodes[i].value * (i % 17);
    for (int i = 0; i < TABLE; i++)
        sum += table[i] * (i % 13);
    for (int i = 0; i < ROWS * 4; i++)
        sum += marks[i / 4][i % 4] * (i % 11);
#ifndef ORDER
    printf("%ld\n", sum);
#endif
    return 0;
}
