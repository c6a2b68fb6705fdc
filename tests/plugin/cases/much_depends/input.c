/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pointers that are loaded and stored to and fro: what one leads to depends on all others. */
struct node {
    struct node *next, *last;
    long key, n;
};

#define TURN(p, q)                                                                                 \
    if (p->key < q->key) {                                                                         \
        p->next->last = q->last;                                                                   \
        q->last->next = p->next;                                                                   \
        p = q->next->last;                                                                         \
    } else {                                                                                       \
        q = p->last->next;                                                                         \
        p->next = q;                                                                               \
    }

void turns(struct node *a, struct node *b, int n, double *restrict x)
{
#pragma omp parallel
    {
#pragma omp single
        while (a != b) {
            TURN(a, b) TURN(b, a) TURN(a, b) TURN(b, a) TURN(a, b) TURN(b, a)
        }
#pragma omp for
        for (long i = 0; i < a->n; i++)
            x[i] = 1;
    }
}
