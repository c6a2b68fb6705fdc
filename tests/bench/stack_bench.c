/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Time and memory of stack algorithms on short and long traces with few and many lines.
 *
 *     stack_bench [FACTOR]      FACTOR times as many accesses; default 1
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../oracle/stacks.h"
#include "base/rng.h"

/* ---- memory in use ------------------------------------------------------------------------------
 */

static size_t in_use, most;

static void *resize(void *user, void *ptr, size_t bytes)
{
    (void)user;
    in_use -= ptr ? malloc_usable_size(ptr) : 0;
    if (bytes == 0) {
        free(ptr);
        return NULL;
    }
    void *made = realloc(ptr, bytes);
    in_use += malloc_usable_size(made ? made : ptr);
    most = in_use > most ? in_use : most;
    return made;
}

/* ---- traces -------------------------------------------------------------------------------------
 */

typedef enum shape { PRODUCT, UNIFORM, CYCLIC, SKEWED } shape;
static const char *const shapes[] = {"matrix product", "uniform", "cyclic", "skewed"};

/* C += A B of n x n, in lines of 8 elements: three accesses at a time. */
static uint64_t product_line(uint64_t k, uint64_t n)
{
    const uint64_t turn = k / 3, i = turn / (n * n) % n, j = turn / n % n, l = turn % n;
    const uint64_t row = n / 8, part = n * row;
    switch (k % 3) {
    case 0:
        return i * row + l / 8;
    case 1:
        return part + l * row + j / 8;
    default:
        return 2 * part + i * row + j / 8;
    }
}

static uint64_t *make_trace(shape kind, uint64_t accesses, uint64_t lines)
{
    uint64_t *trace = malloc(accesses * sizeof *trace);
    plussi_rng rng;
    plussi_rng_seed(&rng, 17, kind);
    for (uint64_t k = 0; trace && k < accesses; k++)
        switch (kind) {
        case PRODUCT:
            trace[k] = product_line(k, lines);
            break;
        case UNIFORM:
            trace[k] = plussi_rng_below(&rng, lines);
            break;
        case CYCLIC:
            trace[k] = k % lines;
            break;
        case SKEWED:
            trace[k] = plussi_rng_below(
                &rng, 1 + plussi_rng_below(&rng, 1 + plussi_rng_below(&rng, lines)));
            break;
        }
    return trace;
}

/* ---- measurements -------------------------------------------------------------------------------
 */

typedef struct measured {
    double nanoseconds, megabytes;
    uint64_t sum; /* of all distances: all algorithms agree */
} measured;

static measured measure(const stack_algorithm *a, const uint64_t *trace, uint64_t accesses)
{
    const plussi_mem mem = {resize, NULL};
    most = in_use = 0;
    const clock_t start = clock();
    stack *s = a->make(&mem, accesses);
    measured m = {0};
    if (!s)
        exit(1);
    for (uint64_t k = 0; k < accesses; k++)
        m.sum += a->touch(s, trace[k]);
    m.nanoseconds = 1e9 * (double)(clock() - start) / CLOCKS_PER_SEC / (double)accesses;
    m.megabytes = (double)most / 1e6;
    a->free(s);
    return m;
}

static void compare(shape kind, uint64_t accesses, uint64_t lines, uint64_t depth)
{
    uint64_t *trace = make_trace(kind, accesses, lines);
    measured m[STACK_ALGORITHMS];
    int best = 0;
    if (!trace)
        exit(1);
    printf("%-14s %9lu accesses %8lu lines ", shapes[kind], accesses,
           kind == PRODUCT ? 3 * lines * lines / 8 : lines);
    for (int a = 0; a < STACK_ALGORITHMS; a++) {
        /* the list's search is too slow where stacks are deep */
        if (a == 1 && accesses * depth > 2000000000) {
            printf("          -         ");
            continue;
        }
        m[a] = measure(&stack_algorithms[a], trace, accesses);
        if (m[a].sum != m[0].sum) {
            printf("\n%s disagrees\n", stack_algorithms[a].name);
            exit(1);
        }
        if (m[a].nanoseconds < m[best].nanoseconds)
            best = a;
        printf(" %7.1f ns %6.1f MB", m[a].nanoseconds, m[a].megabytes);
        fflush(stdout);
    }
    printf("  %s\n", stack_algorithms[best].name);
    free(trace);
}

int main(int argc, char **argv)
{
    const uint64_t factor = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const uint64_t few = 200000 * factor, many = 4000000 * factor;
    printf("%-51s", "");
    for (int a = 0; a < STACK_ALGORITHMS; a++)
        printf(" %-20s", stack_algorithms[a].name);
    printf("fastest\n");
    for (int length = 0; length < 2; length++) {
        const uint64_t n = length ? many : few;
        compare(PRODUCT, n, 64, 600);
        compare(PRODUCT, n, 800, 800 * 100);
        compare(UNIFORM, n, 30, 15);
        compare(UNIFORM, n, 1000, 500);
        compare(UNIFORM, n, 100000, 50000);
        compare(CYCLIC, n, 1000, 1000);
        compare(CYCLIC, n, 100000, 100000);
        compare(SKEWED, n, 100000, 20000);
    }
    return 0;
}
