/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * truth NEST KERNEL SIZE TEAM SCHEDULE FIRST_SEED LAST_SEED NAME=VALUE... [ARRAY@FILE...]
 *
 * Walks the nest in NEST (object file or text) once a seed in uniform interleaving, and prints the
 * table with its exact curve (truth_file.h). ARRAY@FILE: what an index array holds, one integer a
 * line. Memory follows the footprint, time the accesses.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "truth_file.h"

static void one_seed(pluss_context *ctx, const pluss_nest *nest, const pluss_options *options,
                     truth *t, double *sum, double *sum2)
{
    pluss_result *result;
    harness_must(ctx, pluss_simulate(ctx, nest, options, &result));
    const pluss_curve *curve = pluss_result_get(result, 0);
    pluss_curve_info info = {.size = sizeof info};
    harness_must(ctx, pluss_curve_get_info(curve, &info));
    if (info.unknowns)
        harness_die("%s: %u constructs are not described: no exact curve", t->kernel,
                    info.unknowns);
    if (t->n == 0) {
        uint64_t lines[TRUTH_MAX_POINTS];
        t->accesses = (uint64_t)info.accesses;
        t->footprint = info.footprint_lines;
        t->n = truth_grid(t->footprint, 1, 1, lines);
        for (size_t i = 0; i < t->n; i++)
            t->point[i].lines = lines[i];
    } else if (t->accesses != (uint64_t)info.accesses || t->footprint != info.footprint_lines) {
        harness_die("two seeds differ in accesses or footprint: %s", t->kernel);
    }
    for (size_t i = 0; i < t->n; i++) {
        double miss = pluss_curve_at(curve, t->point[i].lines * 64);
        sum[i] += miss;
        sum2[i] += miss * miss;
    }
    pluss_result_free(result);
}

static void join(char *list, size_t room, const char *word, size_t length)
{
    size_t n = strlen(list);
    if (n + length + 2 > room)
        harness_die("the list is too long: %s %s", list, word);
    snprintf(list + n, room - n, "%s%.*s", n ? " " : "", (int)length, word);
}

int main(int argc, char **argv)
{
    if (argc < 8)
        harness_die(
            "usage: truth NEST KERNEL SIZE TEAM SCHEDULE FIRST_SEED LAST_SEED NAME=VALUE...");
    static truth t;
    static double sum[TRUTH_MAX_POINTS], sum2[TRUTH_MAX_POINTS];
    harness_case c = {.nest_path = argv[1]};
    snprintf(t.kernel, sizeof t.kernel, "%s", argv[2]);
    snprintf(t.size, sizeof t.size, "%s", argv[3]);
    snprintf(t.schedule, sizeof t.schedule, "%s", argv[5]);
    t.team = c.team = harness_team(argv[4]);
    harness_schedule(argv[5], &c);
    t.first_seed = strtoull(argv[6], NULL, 10);
    t.last_seed = strtoull(argv[7], NULL, 10);
    if (t.last_seed < t.first_seed)
        harness_die("no seeds");
    int first_array = 8;
    for (; first_array < argc && !strchr(argv[first_array], '@'); first_array++) {
        harness_bind(argv[first_array], &c);
        join(t.symbols, sizeof t.symbols, argv[first_array], strlen(argv[first_array]));
    }
    harness_open(&c);
    harness_fill(argv + first_array, (size_t)(argc - first_array), &c);
    for (int i = first_array; i < argc; i++)
        join(t.contents, sizeof t.contents, argv[i], strcspn(argv[i], "@"));
    for (uint64_t seed = t.first_seed; seed <= t.last_seed; seed++) {
        harness_seed(&c, seed);
        one_seed(c.ctx, c.nest, c.options, &t, sum, sum2);
    }
    double n = (double)(t.last_seed - t.first_seed + 1);
    for (size_t i = 0; i < t.n; i++) {
        t.point[i].miss = sum[i] / n;
        double variance = n > 1 ? (sum2[i] - sum[i] * sum[i] / n) / (n - 1) : 0;
        t.point[i].sd = variance > 0 ? sqrt(variance) : 0;
    }
    truth_write(&t, stdout);
    harness_close(&c);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
