/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table of four megabytes that is looked up at random, and walked in between, in a function that
 * is called: more lines than are followed once the program has made many accesses. */
#include <stdio.h>
#include <stdlib.h>

enum { ENTRIES = 1 << 19 };

__attribute__((noinline)) static unsigned long look_up(const unsigned long *table, unsigned seed)
{
    unsigned long sum = 0;
    for (int i = 0; i < 16; i++) {
        seed = seed * 1664525u + 1013904223u;
        sum += table[seed >> 13] + table[seed % 512];
    }
    return sum;
}

__attribute__((noinline)) static void walk(unsigned long *table, int from)
{
    for (int i = from; i < ENTRIES; i += 16)
        table[i]++;
}

static unsigned long look_all_up(const unsigned long *table, unsigned from)
{
    unsigned long sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static, 1)
    for (unsigned i = 0; i < 4000; i++)
        sum += look_up(table, from + i);
    return sum;
}

int main(void)
{
    unsigned long *table = calloc(ENTRIES, sizeof *table), sum = 0;
    for (int time = 0; time < 4; time++) {
        walk(table, time);
        sum += look_all_up(table, 4000u * (unsigned)time);
    }
    printf("%lu\n", sum);
    free(table);
    return 0;
}
