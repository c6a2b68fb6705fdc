/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads one after the other, each with other numbers of accesses at the same places, more of them
 * than a segment has. successive N
 */
#include <pthread.h>
#include <stdlib.h>

static int n;
static double *a, sum[8];

static void *add(void *at)
{
    const int from = *(int *)at;
    for (int i = from; i < n; i++) {
        a[i] += a[i - from];
        if (i % 7 == 3)
            sum[i % 8] += a[n - i];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int from[20];
    n = argc > 1 ? atoi(argv[1]) : 100;
    a = calloc((size_t)n + 1, sizeof *a);
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        from[i] = i;
        if (pthread_create(&thread, NULL, add, &from[i]) != 0 || pthread_join(thread, NULL) != 0)
            return 2;
    }
    free(a);
    return 0;
}
