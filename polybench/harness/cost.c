/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * cost NEST TEAM[,TEAM...] SCHEDULE RUNS MODEL NAME=VALUE...
 *
 * What one prediction costs, of all teams in one call: prints milliseconds on the clock and of
 * processor time (all threads), the least of RUNS, and the peak of the process's resident memory in
 * KB, the command itself and its libraries included.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "harness.h"

int main(int argc, char **argv)
{
    if (argc < 6)
        harness_die("usage: cost NEST TEAM[,TEAM...] SCHEDULE RUNS MODEL NAME=VALUE...");
    harness_case c = {.nest_path = argv[1], .team = 1};
    harness_schedule(argv[3], &c);
    uint32_t runs = harness_team(argv[4]);
    for (int i = 6; i < argc; i++)
        harness_bind(argv[i], &c);
    harness_open(&c);
    harness_set(&c, "model", argv[5]);
    harness_set(&c, "threads", argv[2]);
    double wall = 0, processor = 0;
    for (uint32_t i = 0; i < runs; i++) {
        pluss_result *result;
        double start = harness_seconds(), begun = harness_processor_seconds();
        harness_must(c.ctx, pluss_predict(c.ctx, c.nest, c.options, &result));
        double w = harness_seconds() - start, p = harness_processor_seconds() - begun;
        wall = i == 0 || w < wall ? w : wall;
        processor = i == 0 || p < processor ? p : processor;
        pluss_result_free(result);
    }
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("%.1f %.1f %ld\n", 1e3 * wall, 1e3 * processor, used.ru_maxrss);
    harness_close(&c);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
