/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The counts of a random program (counting.h), which go to the file that RANDOM_COUNTS names. */
#include "counting.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINES = 1200, ARRAYS = 32, THREADS = 8 };

static unsigned long count[THREADS][LINES][ARRAYS][2];
static _Thread_local int paused;

void count_access(int line, int array, int write)
{
    if (!paused)
        count[omp_get_thread_num()][line][array][write]++;
}

void count_pause(int pause)
{
    paused = pause;
}

void count_end(void)
{
    const char *path = getenv("RANDOM_COUNTS");
    FILE *out = path ? fopen(path, "w") : NULL;
    for (int t = 0; out && t < THREADS; t++)
        for (int l = 0; l < LINES; l++)
            for (int a = 0; a < ARRAYS; a++)
                for (int w = 0; w < 2; w++)
                    if (count[t][l][a][w])
                        fprintf(out, "%d %d %d %d %lu\n", l, a, w, t, count[t][l][a][w]);
    if (out)
        fclose(out);
}

void fill_record(struct record *r, int value)
{
    r->x = r->y = r->d = r->in.a = r->in.b = value;
    for (int i = 0; i < 3; i++) {
        r->q[i] = value;
        for (int j = 0; j < 3; j++)
            r->m[i][j] = value;
    }
}

unsigned sum_record(const struct record *r)
{
    unsigned sum = r->x + r->y + (unsigned)r->d + r->in.a + r->in.b;
    for (int i = 0; i < 3; i++) {
        sum = sum * 3 + r->q[i];
        for (int j = 0; j < 3; j++)
            sum = sum * 3 + r->m[i][j];
    }
    return sum;
}
