/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * coverage FOLDER MEMBERS SEEDS [FAMILY...]
 *
 * Whether stated errors are honest: families of nests that are hard to predict (adversarial.h),
 * MEMBERS of each, model seeds 1 to SEEDS, against the mean of exact curves of the uniform
 * interleaving. So many of these that the mean is known to .05 points at every size, or 2e7
 * accesses are walked. FOLDER keeps nests and exact curves for the next time.
 *
 * Prints a table: of each family, at sizes of 64 lines and more of the strict grid, mean and worst
 * difference (points), mean half width of the 95 % interval, the share of the points in it, the
 * least share of a member; at sizes where single exact curves differ by .1 points or more, their
 * standard deviation and the stated one. FOLDER/points.csv has every point. Exit status 1: one
 * share or deviation is not as it has to be.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adversarial.h"
#include "harness.h"
#include "truth_file.h"

enum { LEAST_LINES = 64, LEAST_RUNS = 8, MOST_RUNS = 400, TEXT = 4096 };
static const double most_accesses = 2e7, known_to = .0005, tells = .001;

typedef struct tally {
    size_t points, in;
    double off, worst, width, truth, ms;
    double least; /* share of a member */
    size_t told;
    double sd, spread;
} tally;

static void add(tally *sum, const tally *x)
{
    sum->points += x->points;
    sum->in += x->in;
    sum->off += x->off;
    sum->worst = fmax(sum->worst, x->worst);
    sum->width += x->width;
    sum->truth += x->truth;
    sum->ms += x->ms;
    sum->told += x->told;
    sum->sd += x->sd;
    sum->spread += x->spread;
    if (x->points)
        sum->least = fmin(sum->least, (double)x->in / (double)x->points);
}

/* The file is written, unless it holds the text already. */
static bool is_new(const char *path, const char *text)
{
    char old[TEXT] = "";
    FILE *file = fopen(path, "re");
    if (file) {
        old[fread(old, 1, sizeof old - 1, file)] = '\0';
        fclose(file);
    }
    if (strcmp(old, text) == 0)
        return false;
    file = fopen(path, "we");
    if (!file || fputs(text, file) < 0 || fclose(file))
        harness_die("%s cannot be written", path);
    return true;
}

/* ---- exact curves ------------------------------------------------------------------------------
 */

/* Standard error of the mean where it is greatest. */
static double uncertainty(const truth *t, const double *squares, double n)
{
    double most = 0;
    for (size_t i = 0; i < t->n; i++)
        if (t->point[i].lines >= LEAST_LINES)
            most = fmax(most, squares[i]);
    return sqrt(most / (n - 1) / n);
}

static void walk(harness_case *c, truth *t)
{
    double squares[TRUTH_MAX_POINTS] = {0};
    uint64_t lines[TRUTH_MAX_POINTS];
    for (uint64_t seed = 1;; seed++) {
        pluss_result *result;
        harness_seed(c, seed);
        harness_must(c->ctx, pluss_simulate(c->ctx, c->nest, c->options, &result));
        const pluss_curve *curve = pluss_result_get(result, 0);
        pluss_curve_info info = {.size = sizeof info};
        harness_must(c->ctx, pluss_curve_get_info(curve, &info));
        t->accesses = (uint64_t)info.accesses;
        t->footprint = info.footprint_lines;
        t->n = truth_grid(t->footprint, 1, 1, lines);
        for (size_t i = 0; i < t->n; i++) { /* Welford's running variance */
            truth_point *p = &t->point[i];
            p->lines = lines[i];
            double d = pluss_curve_at(curve, p->lines * 64) - p->miss;
            p->miss += d / (double)seed;
            squares[i] += d * (pluss_curve_at(curve, p->lines * 64) - p->miss);
        }
        pluss_result_free(result);
        t->last_seed = seed;
        if (seed >= MOST_RUNS || (double)seed * (double)t->accesses > most_accesses ||
            (seed >= LEAST_RUNS && uncertainty(t, squares, (double)seed) <= known_to))
            break;
    }
    for (size_t i = 0; i < t->n && t->last_seed > 1; i++)
        t->point[i].sd = sqrt(squares[i] / (double)(t->last_seed - 1));
}

/* The curve that an earlier run left in a table of its own. */
static bool read_again(const char *path, truth *t)
{
    truth_table table;
    if (access(path, R_OK) != 0 || truth_open(path, &table))
        return false;
    bool good = truth_next(&table, t) == 1;
    truth_close(&table);
    return good;
}

static void exact(const char *path, bool again, harness_case *c, const char *family, truth *t)
{
    if (!again && read_again(path, t))
        return;
    memset(t, 0, sizeof *t);
    snprintf(t->kernel, sizeof t->kernel, "%s", family);
    strcpy(t->size, "-");
    strcpy(t->schedule, "static");
    t->team = c->team;
    t->first_seed = 1;
    walk(c, t);
    FILE *file = fopen(path, "we");
    if (!file)
        harness_die("%s cannot be written", path);
    truth_write(t, file);
    if (fclose(file))
        harness_die("%s cannot be written", path);
}

/* ---- predictions against them ------------------------------------------------------------------
 */

static void compare(harness_case *c, const truth *t, const char *name, tally *x, FILE *points)
{
    pluss_result *result;
    double start = harness_processor_seconds();
    harness_must(c->ctx, pluss_predict(c->ctx, c->nest, c->options, &result));
    x->ms += 1e3 * (harness_processor_seconds() - start);
    const pluss_curve *curve = pluss_result_get(result, 0);
    pluss_curve_info info = {.size = sizeof info};
    harness_must(c->ctx, pluss_curve_get_info(curve, &info));
    uint64_t lines[TRUTH_MAX_POINTS];
    size_t n = truth_grid(t->footprint, 1, 0, lines), k = 0, m = 0;
    for (size_t i = 0; i < n; i++) {
        while (k < info.n_error_points && info.error_size_lines[k] < (double)lines[i])
            k++;
        while (t->point[m].lines < lines[i])
            m++;
        if (lines[i] < LEAST_LINES || k == info.n_error_points)
            continue;
        double miss = pluss_curve_at(curve, lines[i] * 64), sd = t->point[m].sd;
        double d = fabs(miss - t->point[m].miss), spread = info.spread ? info.spread[k] : 0;
        x->points++;
        x->in += d <= 1.96 * info.error[k];
        x->off += d;
        x->worst = fmax(x->worst, d);
        x->width += 1.96 * info.error[k];
        x->truth += sd / sqrt((double)t->last_seed);
        if (sd >= tells) {
            x->told++;
            x->sd += sd;
            x->spread += spread;
        }
        fprintf(points, "%s,%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n",
                name, t->team, info.seed, lines[i], t->point[m].miss,
                sd / sqrt((double)t->last_seed), sd, miss, info.error[k], spread);
    }
    pluss_result_free(result);
}

static tally one_nest(const char *folder, size_t family, uint64_t member, unsigned seeds,
                      FILE *points)
{
    static truth t;
    static char text[TEXT], nest[4096], curve[4096];
    char name[64];
    harness_case c = {.nest_path = nest};
    tally x = {.least = 1};
    snprintf(name, sizeof name, "%s-%02" PRIu64, adversarial_family(family), member);
    snprintf(nest, sizeof nest, "%s/%s.nest", folder, name);
    snprintf(curve, sizeof curve, "%s/%s", folder, name);
    adversarial_nest(family, member, text, sizeof text, &c.team);
    bool again = is_new(nest, text);
    harness_open(&c);
    exact(curve, again, &c, adversarial_family(family), &t);
    for (unsigned seed = 1; seed <= seeds; seed++) {
        harness_seed(&c, seed);
        compare(&c, &t, name, &x, points);
    }
    harness_close(&c);
    x.least = x.points ? (double)x.in / (double)x.points : 1;
    return x;
}

static void print(const char *name, const tally *x, size_t predictions)
{
    double n = (double)x->points;
    printf("%-12s %6zu %6.2f %6.2f %6.2f %6.2f %7.1f%% %5.0f%% ", name, x->points, 100 * x->off / n,
           100 * x->worst, 100 * x->truth / n, 100 * x->width / n, 100 * (double)x->in / n,
           100 * x->least);
    if (x->told)
        printf("%6zu %6.2f %6.2f", x->told, 100 * x->sd / (double)x->told,
               100 * x->spread / (double)x->told);
    else
        printf("%6s %6s %6s", "-", "-", "-");
    printf(" %7.1f\n", x->ms / (double)predictions);
    fflush(stdout);
}

static bool wanted(const char *family, int n, char **names)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], family) == 0)
            return true;
    return n == 0;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        harness_die("usage: coverage FOLDER MEMBERS SEEDS [FAMILY...]");
    unsigned members = harness_team(argv[2]), seeds = harness_team(argv[3]);
    char path[4096];
    snprintf(path, sizeof path, "%s/points.csv", argv[1]);
    FILE *points = fopen(path, "we");
    if (!points)
        harness_die("%s cannot be written", path);
    fputs("nest,team,seed,lines,exact,exact_error,exact_sd,miss,error,spread\n", points);
    printf("%-12s %6s %6s %6s %6s %6s %8s %6s %6s %6s %6s %7s\n", "family", "points", "off",
           "worst", "truth", "width", "in 95", "least", "told", "sd", "spread", "ms");
    tally all = {.least = 1};
    size_t n = 0;
    bool good = true;
    for (size_t f = 0; adversarial_family(f); f++) {
        tally x = {.least = 1};
        if (!wanted(adversarial_family(f), argc - 4, argv + 4))
            continue;
        for (uint64_t member = 1; member <= members; member++) {
            tally one = one_nest(argv[1], f, member, seeds, points);
            add(&x, &one);
        }
        print(adversarial_family(f), &x, (size_t)members * seeds);
        good = good && (double)x.in >= .85 * (double)x.points;
        add(&all, &x);
        n += (size_t)members * seeds;
    }
    print("all", &all, n);
    good = good && (double)all.in >= .93 * (double)all.points &&
           (double)all.in <= .99 * (double)all.points;
    if (fclose(points) || fflush(stdout))
        harness_die("%s cannot be written", path);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
