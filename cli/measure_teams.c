/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What parallel constructs and barriers cost. They are those of libgomp, which is loaded for this:
 * GCC's code for a parallel construct is one call of GOMP_parallel, for a barrier one of
 * GOMP_barrier. In time of day, as most of it is waiting.
 */
#include <dlfcn.h>

#include "measure.h"

typedef struct library {
    void (*parallel)(void (*body)(void *), void *data, unsigned threads, unsigned flags);
    void (*barrier)(void);
} library;

enum { RUNS = 48, TIMES = 64 };

static void meet(void *data)
{
    const library *l = data;
    for (int i = 0; l && i < TIMES; i++)
        l->barrier();
}

/* Of a construct whose body meets TIMES times, or not at all. */
static pluss_measured measure(const library *l, bool meets, unsigned threads, double cycle_ns)
{
    double ns[RUNS];
    l->parallel(meet, NULL, threads, 0); /* makes threads */
    for (int r = 0; r < RUNS; r++) {
        const double start = cli_clock_ns();
        if (meets)
            l->parallel(meet, (void *)l, threads, 0);
        else
            for (int i = 0; i < TIMES; i++)
                l->parallel(meet, NULL, threads, 0);
        ns[r] = (cli_clock_ns() - start) / TIMES;
    }
    return cli_in_cycles(cli_summarize(ns, RUNS), cycle_ns);
}

size_t cli_measure_teams(double cycle_ns, uint32_t processors, pluss_team_cost out[CLI_TEAMS])
{
    void *handle = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL);
    void *parallel = handle ? dlsym(handle, "GOMP_parallel") : NULL;
    void *barrier = handle ? dlsym(handle, "GOMP_barrier") : NULL;
    library l;
    size_t n = 0;
    if (!parallel || !barrier) /* its threads stay: it is not closed */
        return 0;
    *(void **)(void *)&l.parallel = parallel;
    *(void **)(void *)&l.barrier = barrier;
    for (uint32_t threads = 1; n < CLI_TEAMS;
         threads = 2 * threads < processors ? 2 * threads : processors) {
        out[n++] = (pluss_team_cost){threads, measure(&l, false, threads, cycle_ns),
                                     measure(&l, true, threads, cycle_ns)};
        if (threads == processors)
            break;
    }
    return n;
}
