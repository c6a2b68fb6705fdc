/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * bench NEST KERNEL SIZE TEAM MOST NAME=VALUE...
 *
 * One kernel, everything measured in one run, side by side: prediction by clock and by cri (which
 * walks every thread's accesses), exact simulation of the uniform interleaving, and prediction for
 * T = 1, 2, 4 ... 256 in one call. Simulation and cri are left out (-) above MOST accesses. Prints
 * a row: kernel, size, team, accesses, milliseconds of processor time (all threads: clock uses all
 * processors, the others one) of clock, cri, simulation and the call for nine teams, simulation /
 * clock, simulated accesses a microsecond. `bench` alone prints the heading.
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

/* Median of three runs, milliseconds; a run that takes over a second stands alone. */
static double measure(harness_case *c, const char *model, double *accesses)
{
    double ms[3];
    int n = 0;
    while (n < 3) {
        pluss_result *result;
        double start = harness_processor_seconds();
        if (model)
            harness_set(c, "model", model);
        harness_must(
            c->ctx, (model ? pluss_predict : pluss_simulate)(c->ctx, c->nest, c->options, &result));
        ms[n++] = 1e3 * (harness_processor_seconds() - start);
        pluss_curve_info info = {.size = sizeof info};
        harness_must(c->ctx, pluss_curve_get_info(pluss_result_get(result, 0), &info));
        *accesses = info.accesses;
        pluss_result_free(result);
        if (ms[n - 1] > 1e3)
            return ms[n - 1];
    }
    double low = ms[0] < ms[1] ? ms[0] : ms[1], high = ms[0] < ms[1] ? ms[1] : ms[0];
    return ms[2] < low ? low : ms[2] > high ? high : ms[2];
}

static void number(double ms, int width)
{
    if (ms >= 0)
        printf(" %*.1f", width, ms);
    else
        printf(" %*s", width, "-");
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        printf("%-16s %-10s %4s %14s %9s %9s %10s %9s %9s %8s\n", "kernel", "size", "T", "accesses",
               "clock ms", "cri ms", "exact ms", "9 T ms", "exact/cl", "acc./us");
        return EXIT_SUCCESS;
    }
    if (argc < 7)
        harness_die("usage: bench [NEST KERNEL SIZE TEAM MOST NAME=VALUE...]");
    harness_case c = {.nest_path = argv[1], .team = harness_team(argv[4])};
    double most = strtod(argv[5], NULL);
    for (int i = 6; i < argc; i++)
        harness_bind(argv[i], &c);
    harness_open(&c);
    double accesses = 0, walked, cri = -1, exact = -1;
    double clock = measure(&c, "clock", &accesses);
    if (accesses <= most) {
        cri = measure(&c, "cri", &walked);
        exact = measure(&c, NULL, &walked);
    }
    harness_set(&c, "threads", "1..256x2");
    double nine = measure(&c, "clock", &walked);
    printf("%-16s %-10s %4u %14.0f", argv[2], argv[3], c.team, accesses);
    number(clock, 9);
    number(cri, 9);
    number(exact, 10);
    number(nine, 9);
    number(exact >= 0 ? exact / clock : -1, 9);
    number(exact >= 0 ? accesses / exact / 1e3 : -1, 8);
    putchar('\n');
    harness_close(&c);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
