/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that handles SIGTRAP by itself, of its own traps and of raise. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static volatile int seen;
static double a[4096], b[4096];
static void count(int number)
{
    (void)number;
    seen++;
}
static void __attribute__((noinline)) kernel(int n)
{
    for (int i = 0; i < n; i++)
        a[i & 63] += b[i];
}
int main(int argc, char **argv)
{
    struct sigaction old, action = {.sa_handler = count};
    sigaction(SIGTRAP, &action, &old);
    kernel(argc > 1 ? atoi(argv[1]) : 8);
    raise(SIGTRAP);
    __asm__ volatile("int3");
    return old.sa_handler == SIG_DFL && signal(SIGTRAP, SIG_DFL) == count && seen == 2 ? 0 : 1;
}
