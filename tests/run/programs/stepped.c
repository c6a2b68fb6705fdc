/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A signal arrives after each instruction of an access that is recorded outside of regions, once
 * after the first, once after the second, and so on, and its handler executes a region. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>

#if defined __x86_64__
#include <ucontext.h>

enum { LINES = 1 << 12, TRAP = 0x100 };
static double a[LINES * 8], b[64];
static volatile long left, regions;

static void __attribute__((noinline)) copy(void)
{
#pragma omp parallel for num_threads(1)
    for (int i = 0; i < 64; i++)
        b[i] = a[i];
}

static void handle(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    if (--left)
        return;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP;
    copy();
    regions++;
}

/* Many different intervals: so far back is the touch before each second one. */
static void __attribute__((noinline)) warm_up(void)
{
    for (int far = 1; far < 700; far++) {
        for (int i = 0; i < far; i += 1)
            a[8 * (i % 256)] += 1;
        a[8 * 300] += 1;
    }
}

static void __attribute__((noinline)) step(long instructions)
{
    left = instructions;
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP);
    a[8 * 300] += 1;
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~(unsigned long long)TRAP);
}

int main(void)
{
    const struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    long steps = 0, before = -1;
    copy();
    sigaction(SIGTRAP, &action, NULL);
    while (before < regions && steps < 1000) {
        before = regions;
        warm_up();
        step(++steps);
    }
    printf("%d\n", steps > 40 && steps < 1000 && regions == steps - 1);
    return 0;
}
#else
int main(void)
{
    puts("1");
    return 0;
}
#endif
