/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two loops, the second of which makes more accesses than a walk is done with soon; between them
 * and after them it says so and waits for a line of standard input. With an argument it takes
 * Ctrl-C as the wish to end well.
 */
#include <signal.h>
#include <stdio.h>

enum { QUICK = 4096, SLOW = 1 << 14, TIMES = 1 << 16 };
static double a[QUICK], b[SLOW];

static void quick(void)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < QUICK; i++)
        a[i] += i;
}

static void slow(int times)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < SLOW; i++)
        for (int t = 0; t < times; t++)
            b[i] += a[t & (QUICK - 1)];
}

static void go_on(int number)
{
    (void)number;
}

static void pause_at(const char *where)
{
    puts(where);
    fflush(stdout);
    (void)getchar();
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        sigaction(SIGINT, &(struct sigaction){.sa_handler = go_on}, NULL);
    quick();
    pause_at("quick is done");
    slow(argc > 1 ? 1 : TIMES);
    pause_at("slow is done");
    return 0;
}
