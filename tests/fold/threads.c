/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two threads without OpenMP, each with half of the additions: two reads and a write each. threads
 * N
 */
#include <pthread.h>
#include <stdlib.h>

static int n;
static double *a, *b, constant[16];

__attribute__((noinline)) static void *add(void *half)
{
    int from = half ? n / 2 : 0, to = half ? n : n / 2;
    for (int i = from; i < to; i++)
        b[i] = a[i] + constant[i % 16];
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[2];
    n = argc > 1 ? atoi(argv[1]) : 8;
    a = calloc((size_t)n, sizeof *a);
    b = calloc((size_t)n, sizeof *b);
    constant[n % 16] = n;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, add, i ? &n : NULL) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    free(a);
    free(b);
    return 0;
}
