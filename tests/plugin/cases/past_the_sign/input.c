/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unsigned counters that pass 2^63: iterations are counted, and known by the counter's value. */
#define HALF 0x8000000000000000ULL

void up(int *seen, double *x)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (unsigned long long j = HALF - 20000; j <= HALF + 10000; j += 10000) {
        if (j == HALF - 10000)
            seen[1]++;
        else if (j == HALF + 10000)
            seen[3]++;
        else if (j != HALF + 1)
            for (int i = 0; i < 10; i++)
                x[i] = 1; /* the others: there is no such value */
        else
            for (int i = 0; i < 20; i++)
                x[i] = 1;
    }
}

void down(int *seen, unsigned long long *x)
{
#pragma omp parallel for
    for (unsigned long long j = HALF + 3; j > HALF - 3; j--) {
        if (j == HALF - 1)
            for (int i = 0; i < 10; i++)
                seen[i]++;
        x[j - HALF] = j; /* not described: the difference passes 0 */
    }
}

/* Two values, a step of more than 2^63. */
void far(int *seen)
{
#pragma omp parallel for
    for (unsigned long long j = 5; j < HALF * 2 - 1; j += HALF + 1) {
        if (j == HALF + 6)
            seen[1]++;
        if (j == 5)
            seen[0]++;
    }
}
