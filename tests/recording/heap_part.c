/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A library whose constructor waits for a thread, which executes a parallel loop.
 */
#include <pthread.h>
#include <stddef.h>

static double a[1000];

static void *work(void *unused)
{
#pragma omp parallel for
    for (int i = 0; i < 1000; i++)
        a[i] += i;
    return unused;
}

__attribute__((constructor)) static void wait_for_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) == 0)
        pthread_join(thread, NULL);
}
