/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * spread OBJECTS TABLE[:KERNEL]...
 *
 * How far single runs are from their mean under uniform progress: what the model clock tells of it
 * against the standard deviation over seeds in truth tables of ten seeds or more. OBJECTS is the
 * folder of the kernels' objects (KERNEL.o).
 *
 * Prints CSV: kernel,size,team,schedule,lines,measured,told (points of miss ratio), one line a size
 * of the strict grid; then a table on stderr, by size, team and schedule: of the sizes where 0.2
 * points or more were measured, how many are told within a factor of 1.5, and the means; of the
 * others, how many are told within 0.15 points; processor time against a prediction without.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "truth_file.h"

enum { LEAST_SEEDS = 10, MAX_GROUPS = 128 };
static const double tells = .002, near = .0015, factor = 1.5;

typedef struct group {
    char key[128];
    size_t cases, large, held, small, close;
    double measured, told, off, with, without;
} group;

static group *group_of(const truth *t)
{
    static group groups[MAX_GROUPS];
    char key[sizeof groups->key];
    size_t g = 0;
    if (!t)
        return groups;
    snprintf(key, sizeof key, "%-6s T=%-3" PRIu32 " %s", t->size, t->team, t->schedule);
    while (g + 1 < MAX_GROUPS && groups[g].key[0] && strcmp(groups[g].key, key) != 0)
        g++;
    strcpy(groups[g].key, key);
    return &groups[g];
}

static void compare(const truth *t, const pluss_curve_info *info, group *g)
{
    uint64_t lines[TRUTH_MAX_POINTS];
    size_t n = truth_grid(t->footprint, 1, 0, lines), k = 0, m = 0;
    for (size_t i = 0; i < n; i++) {
        while (k < info->n_error_points && info->error_size_lines[k] < (double)lines[i])
            k++;
        while (t->point[m].lines < lines[i])
            m++;
        if (k == info->n_error_points)
            continue;
        double measured = t->point[m].sd, told = info->spread[k];
        bool large = measured >= tells;
        g->large += large;
        g->held += large && told <= factor * measured && measured <= factor * told;
        g->measured += large ? measured : 0;
        g->told += large ? told : 0;
        g->small += !large;
        g->close += !large && fabs(told - measured) <= near;
        g->off += large ? 0 : fabs(told - measured);
        printf("%s,%s,%" PRIu32 ",\"%s\",%" PRIu64 ",%.3f,%.3f\n", t->kernel, t->size, t->team,
               t->schedule, lines[i], 100 * measured, 100 * told);
    }
}

static pluss_result *predict(harness_case *c, double *seconds)
{
    pluss_result *result;
    double start = harness_processor_seconds();
    harness_must(c->ctx, pluss_predict(c->ctx, c->nest, c->options, &result));
    *seconds += harness_processor_seconds() - start;
    return result;
}

static void one_case(const char *objects, const truth *t)
{
    harness_case c = {.team = t->team};
    char path[4096], symbols[sizeof t->symbols], *rest = NULL;
    group *g = group_of(t);
    snprintf(path, sizeof path, "%s/%s.o", objects, t->kernel);
    c.nest_path = path;
    harness_schedule(t->schedule, &c);
    strcpy(symbols, t->symbols);
    for (char *s = strtok_r(symbols, " ", &rest); s; s = strtok_r(NULL, " ", &rest))
        harness_bind(s, &c);
    harness_open(&c);
    pluss_result_free(predict(&c, &g->without));
    harness_set(&c, "spread", NULL);
    pluss_result *result = predict(&c, &g->with);
    pluss_curve_info info = {.size = sizeof info};
    harness_must(c.ctx, pluss_curve_get_info(pluss_result_get(result, 0), &info));
    if (info.spread) {
        g->cases++;
        compare(t, &info, g);
    }
    fflush(stdout);
    pluss_result_free(result);
    harness_close(&c);
}

static int compare_table(const char *objects, const char *name)
{
    static truth t;
    truth_table table;
    int more;
    if (truth_open(name, &table))
        return -1;
    while ((more = truth_next(&table, &t)) == 1)
        if (!t.contents[0] && t.last_seed - t.first_seed + 1 >= LEAST_SEEDS)
            one_case(objects, &t);
    truth_close(&table);
    return more;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        harness_die("usage: spread OBJECTS TABLE[:KERNEL]...");
    puts("kernel,size,team,schedule,lines,measured,told");
    for (int i = 2; i < argc; i++)
        if (compare_table(argv[1], argv[i]))
            return EXIT_FAILURE;
    fprintf(stderr, "%-28s %5s | %6s %6s %8s %6s | %6s %6s %6s | %s\n", "size, team, schedule",
            "cases", ">= .2", "held", "measured", "told", "others", "close", "off", "time");
    for (const group *g = group_of(NULL); g->key[0]; g++)
        fprintf(stderr,
                "%-28s %5zu | %6zu %5.1f%% %8.2f %6.2f | %6zu %5.1f%% %6.3f | x%.2f (%.1f ms)\n",
                g->key, g->cases, g->large, 100. * (double)g->held / (double)g->large,
                100 * g->measured / (double)g->large, 100 * g->told / (double)g->large, g->small,
                100. * (double)g->close / (double)g->small, 100 * g->off / (double)g->small,
                g->with / g->without, 1e3 * g->without / (double)g->cases);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
