/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * accuracy OBJECTS SEEDS MODEL[,MODEL...] TABLE[:KERNEL]...
 *
 * Predicts every case of tables of exact curves (truth_file.h) and compares on both grids. OBJECTS
 * is the folder of the kernels' objects (KERNEL.o); a kernel's figure is the mean over model seeds
 * 1 to SEEDS (models that draw nothing run once; ri-random, which walks every access, at most
 * twice, and not above 1e8 accesses). MODEL is a name, or NAME@T0: private reuse intervals
 * collected at T0 threads, evaluated at the truth's team (the symbolic use).
 *
 * Prints CSV:
 * kernel,size,team,schedule,model,seeds,mae_strict,max_strict,mae_paper,truth_sd,ms,points,in_95,mae_mean
 * (points of miss ratio; truth_sd: mean standard deviation of the truth's mean over its seeds; ms:
 * time of one prediction; points: strict sizes of at least 64 lines that a standard error is stated
 * for, all seeds together; in_95: how many of them differ by at most 1.96 standard errors;
 * mae_mean: as mae_strict, of the mean of all seeds' curves: what sampling does not explain), then
 * a table on stderr: mean and worst kernel by size, team, schedule and model.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "truth_file.h"

enum { MAX_MODELS = 16, MAX_GROUPS = 512 };
enum { WALKED_SEEDS = 2, WALKED_ACCESSES = 100000000 }; /* at most, of ri-random */

/* Points at which a standard error is stated, and those whose interval of 95 % holds the truth. */
typedef struct coverage {
    size_t points, in;
} coverage;

typedef struct group {
    char key[160], worst_kernel[64];
    double sum, worst, ms, noise;
    size_t n;
    coverage held;
} group;

static group groups[MAX_GROUPS];
static size_t n_groups;

static void add_to_group(const truth *t, const char *model, double mae, double ms, double noise,
                         const coverage *held)
{
    char key[160];
    snprintf(key, sizeof key, "%-10s T=%-3" PRIu32 " %-10s %s", t->size, t->team, t->schedule,
             model);
    size_t g = 0;
    while (g < n_groups && strcmp(groups[g].key, key) != 0)
        g++;
    if (g == MAX_GROUPS)
        return;
    if (g == n_groups)
        strcpy(groups[n_groups++].key, key);
    groups[g].n++;
    groups[g].sum += mae;
    groups[g].ms += ms;
    groups[g].noise += noise;
    groups[g].held.points += held->points;
    groups[g].held.in += held->in;
    if (mae >= groups[g].worst) {
        groups[g].worst = mae;
        snprintf(groups[g].worst_kernel, sizeof groups[g].worst_kernel, "%s", t->kernel);
    }
}

/* The curve at the sizes of the strict grid is added to sum. */
static void add_curve(const truth *t, const pluss_curve *curve, double *sum)
{
    uint64_t lines[TRUTH_MAX_POINTS];
    size_t n = truth_grid(t->footprint, 1, 0, lines);
    for (size_t i = 0; i < n; i++)
        sum[i] += pluss_curve_at(curve, lines[i] * 64);
}

static double mae_of_mean(const truth *t, const double *sum, unsigned seeds)
{
    uint64_t lines[TRUTH_MAX_POINTS];
    size_t n = truth_grid(t->footprint, 1, 0, lines);
    double off = 0;
    for (size_t i = 0; i < n; i++)
        off += fabs(sum[i] / seeds - truth_at(t, lines[i]));
    return off / (double)n;
}

static double mae(const truth *t, const pluss_curve *curve, int strict, double *max)
{
    uint64_t lines[TRUTH_MAX_POINTS];
    size_t n = truth_grid(t->footprint, strict, !strict, lines);
    double sum = 0;
    *max = 0;
    for (size_t i = 0; i < n; i++) {
        double d = fabs(pluss_curve_at(curve, lines[i] * 64) - truth_at(t, lines[i]));
        sum += d;
        *max = fmax(*max, d);
    }
    return sum / (double)n;
}

static void add_coverage(harness_case *c, const truth *t, const pluss_curve *curve, coverage *held)
{
    enum { LEAST_LINES = 64 };
    uint64_t lines[TRUTH_MAX_POINTS];
    size_t n = truth_grid(t->footprint, 1, 0, lines), k = 0;
    pluss_curve_info info = {.size = sizeof info};
    harness_must(c->ctx, pluss_curve_get_info(curve, &info));
    for (size_t i = 0; i < n; i++) {
        while (k < info.n_error_points && info.error_size_lines[k] < (double)lines[i])
            k++;
        if (lines[i] < LEAST_LINES || k == info.n_error_points)
            continue;
        double d = fabs(pluss_curve_at(curve, lines[i] * 64) - truth_at(t, lines[i]));
        held->points++;
        held->in += d <= 1.96 * info.error[k];
    }
}

static void one_case(const char *objects, const truth *t, const char *spec, unsigned seeds)
{
    bool walked = strcmp(spec, "ri-random") == 0;
    if (walked && t->accesses > WALKED_ACCESSES)
        return;
    if (walked && seeds > WALKED_SEEDS)
        seeds = WALKED_SEEDS;
    harness_case c = {.team = t->team};
    char path[4096], model[64], symbols[sizeof t->symbols];
    snprintf(path, sizeof path, "%s/%s.o", objects, t->kernel);
    c.nest_path = path;
    harness_schedule(t->schedule, &c);
    snprintf(symbols, sizeof symbols, "%s", t->symbols);
    char *rest = NULL;
    for (char *s = strtok_r(symbols, " ", &rest); s; s = strtok_r(NULL, " ", &rest))
        harness_bind(s, &c);
    harness_open(&c);
    snprintf(model, sizeof model, "%s", spec);
    char *at = strchr(model, '@');
    if (at) {
        *at = '\0';
        harness_set(&c, "collect", at + 1);
    }
    harness_set(&c, "model", model);
    if (strcmp(model, "cri") == 0 || strcmp(model, "cri-line") == 0) /* they draw nothing */
        seeds = 1;
    double strict = 0, paper = 0, worst = 0, max, start = harness_seconds();
    double sum[TRUTH_MAX_POINTS] = {0};
    coverage held = {0};
    for (unsigned seed = 1; seed <= seeds; seed++) {
        harness_seed(&c, seed);
        pluss_result *result;
        pluss_status status = pluss_predict(c.ctx, c.nest, c.options, &result);
        if (status == PLUSS_EUNSUPPORTED) {
            fprintf(stderr, "%s: %s cannot take it\n", t->kernel, spec);
            harness_close(&c);
            return;
        }
        harness_must(c.ctx, status);
        strict += mae(t, pluss_result_get(result, 0), 1, &max);
        worst = fmax(worst, max);
        paper += mae(t, pluss_result_get(result, 0), 0, &max);
        add_coverage(&c, t, pluss_result_get(result, 0), &held);
        add_curve(t, pluss_result_get(result, 0), sum);
        pluss_result_free(result);
    }
    double ms = 1e3 * (harness_seconds() - start) / seeds, noise = 0;
    for (size_t i = 0; i < t->n; i++)
        noise += t->point[i].sd / sqrt((double)(t->last_seed - t->first_seed + 1)) / (double)t->n;
    printf("%s,%s,%" PRIu32 ",\"%s\",%s,%u,%.3f,%.3f,%.3f,%.3f,%.1f,%zu,%zu,%.3f\n", t->kernel,
           t->size, t->team, t->schedule, spec, seeds, 100 * strict / seeds, 100 * worst,
           100 * paper / seeds, 100 * noise, ms, held.points, held.in,
           100 * mae_of_mean(t, sum, seeds));
    fflush(stdout);
    add_to_group(t, spec, 100 * strict / seeds, ms, 100 * noise, &held);
    harness_close(&c);
}

/* All curves of a table. 0, or -1 after a message. */
static int compare_table(const char *objects, const char *name, char **models, size_t n_models,
                         unsigned seeds)
{
    static truth t;
    truth_table table;
    int more;
    if (truth_open(name, &table))
        return -1;
    while ((more = truth_next(&table, &t)) == 1)
        for (size_t m = 0; m < n_models && !t.contents[0]; m++)
            one_case(objects, &t, models[m],
                     seeds); /* with contents the nest alone is not enough */
    truth_close(&table);
    return more;
}

int main(int argc, char **argv)
{
    if (argc < 5)
        harness_die("usage: accuracy OBJECTS SEEDS MODEL[,MODEL...] TABLE[:KERNEL]...");
    unsigned seeds = harness_team(argv[2]);
    char *models[MAX_MODELS], *rest = NULL;
    size_t n_models = 0;
    for (char *m = strtok_r(argv[3], ",", &rest); m && n_models < MAX_MODELS;
         m = strtok_r(NULL, ",", &rest))
        models[n_models++] = m;
    puts("kernel,size,team,schedule,model,seeds,mae_strict,max_strict,mae_paper,truth_sd,ms,points,"
         "in_95,mae_mean");
    for (int i = 4; i < argc; i++)
        if (compare_table(argv[1], argv[i], models, n_models, seeds))
            return EXIT_FAILURE;
    fprintf(stderr,
            "\nmean absolute error, points, strict grid (8 sizes an octave, 1 line to the "
            "footprint), mean over model seeds 1..%u;\ntruth: standard error of the exact curves; "
            "in 95: sizes from 64 lines on where 1.96 stated errors hold the truth\n"
            "%-40s %7s %7s  %-16s %4s %7s %7s %9s\n",
            seeds, "size, team, schedule, model", "mean", "worst", "kernel", "n", "truth", "in 95",
            "ms");
    for (size_t g = 0; g < n_groups; g++) {
        const group *x = &groups[g];
        double n = (double)x->n;
        fprintf(stderr, "%-40s %7.3f %7.3f  %-16s %4zu %7.3f ", x->key, x->sum / n, x->worst,
                x->worst_kernel, x->n, x->noise / n);
        if (x->held.points)
            fprintf(stderr, "%6.1f%%", 100 * (double)x->held.in / (double)x->held.points);
        else
            fprintf(stderr, "%7s", "-");
        fprintf(stderr, " %9.1f\n", x->ms / n);
    }
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
