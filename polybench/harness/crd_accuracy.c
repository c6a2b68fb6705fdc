/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Table 4 of Jiang, Zhang, Tian and Shen (CC 2010) measured again: histograms of concurrent reuse
 * distances, predicted by the model crd from what each thread does alone, against exact ones.
 *
 *     crd_accuracy TRACE ACCESSES SEEDS     TRACE: a file for the traces, which is written again
 * and again; ACCESSES of each thread
 *
 * The generator (section 4.1 of the paper). Thread i has n_i lines, in a stack that begins in
 * random order. Each access draws a distance, takes the line at that place from the top, and puts
 * it on top. Distances of `random` are uniform below n_i, those of `expon.` are k with a
 * probability proportional to 0.97^k, those of `normal` are normal of mean 100 and deviation 33,
 * rounded; what is not below n_i is drawn again. A mixture draws each distance from one of its
 * parts, chosen at random. The first s n_1 lines of every thread are the same ones, which are
 * shared by all. Threads make one access each in turn.
 *
 * Accuracy is 1 - E / 2, E the sum over all distances (bins of width 1; first touches are one more)
 * of the absolute difference of the two histograms, each divided by its accesses.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "study/pipeline.h"
#include "trace/packed.h"

enum { MOST_LINES = 1024, MOST_THREADS = 8, ROWS = 9, COLUMNS = 6 };

/* Weights of the parts of a mixture. */
typedef struct mixture {
    const char *name;
    int uniform, exponential, normal;
    size_t threads;
    double paper[COLUMNS];
} mixture;

static const mixture rows[ROWS] = {
    {"random", 1, 0, 0, 2, {94.9, 93.3, 91.3, 90.0, 89.7, 79.8}},
    {"expon.", 0, 1, 0, 2, {93.2, 92.3, 91.1, 92.2, 93.4, 90.1}},
    {"normal", 0, 0, 1, 2, {95.9, 94.6, 94.4, 80.8, 93.4, 91.6}},
    {"random+expon.", 1, 1, 0, 2, {94.0, 93.3, 88.5, 87.2, 84.0, 79.0}},
    {"random+normal", 1, 0, 1, 2, {93.9, 93.5, 87.4, 90.9, 91.6, 89.1}},
    {"expon.+normal", 0, 1, 1, 2, {93.6, 94.2, 92.5, 79.9, 92.2, 89.9}},
    {"2random+expon.+normal", 2, 1, 1, 4, {88.2, 88.5, 83.3, 82.0, 82.5, 81.6}},
    {"random+2expon.+normal", 1, 2, 1, 4, {89.0, 84.8, 70.1, 72.8, 85.3, 83.5}},
    {"random+expon.+2normal", 1, 1, 2, 4, {85.0, 85.9, 84.1, 80.0, 81.2, 81.2}},
};
static const struct {
    double shared;
    size_t n1, n2;
} columns[COLUMNS] = {{0, 200, 100},   {0, 200, 200},   {0.1, 200, 100},
                      {0.1, 200, 200}, {0.2, 200, 100}, {0.2, 200, 200}};

static void must(pluss_status status)
{
    if (status) {
        fprintf(stderr, "crd_accuracy: %s\n", plussi_status_text(status));
        exit(1);
    }
}

/* ---- the generator -----------------------------------------------------------------------------
 */

typedef struct generator {
    uint64_t line[MOST_LINES]; /* the stack, the top first */
    size_t n;
} generator;

static void begin(generator *g, plussi_rng *rng, size_t thread, size_t n, size_t shared)
{
    g->n = n;
    for (size_t i = 0; i < n; i++) {
        const size_t at = (size_t)plussi_rng_below(rng, i + 1);
        g->line[i] = g->line[at];
        g->line[at] = i < shared ? i : (thread + 1) * MOST_LINES + i;
    }
}

static double draw_real(const mixture *m, plussi_rng *rng, size_t n)
{
    const int all = m->uniform + m->exponential + m->normal;
    const int part = (int)plussi_rng_below(rng, (uint64_t)all);
    if (part < m->uniform)
        return (double)plussi_rng_below(rng, n);
    const double u = 1 - plussi_rng_unit(rng);
    if (part < m->uniform + m->exponential)
        return floor(log(u) / log(0.97));
    return round(100 + 33 * sqrt(-2 * log(u)) * cos(2 * M_PI * plussi_rng_unit(rng)));
}

static uint64_t next_line(generator *g, const mixture *m, plussi_rng *rng)
{
    double distance;
    do
        distance = draw_real(m, rng, g->n);
    while (!(distance >= 0 && distance < (double)g->n));
    const size_t at = (size_t)distance;
    const uint64_t line = g->line[at];
    memmove(g->line + 1, g->line, at * sizeof *g->line);
    g->line[0] = line;
    return line;
}

static int put(void *user, const char *data, size_t length)
{
    return fwrite(data, 1, length, user) != length;
}

static void write_trace(plussi_ctx *ctx, const char *path, const mixture *m, size_t column,
                        uint64_t accesses, uint64_t seed)
{
    static generator g[MOST_THREADS];
    plussi_rng rng;
    plussi_packer *packer = NULL;
    FILE *out = fopen(path, "wb");
    must(out ? PLUSS_OK : PLUSS_EIO);
    plussi_rng_seed(&rng, seed, 0);
    must(plussi_packer_new(ctx, put, out, &packer));
    for (size_t i = 0; i < m->threads; i++)
        begin(&g[i], &rng, i, i < m->threads / 2 ? columns[column].n1 : columns[column].n2,
              (size_t)(columns[column].shared * (double)columns[column].n1 + 0.5));
    for (uint64_t k = 0; k < accesses; k++)
        for (size_t i = 0; i < m->threads; i++) {
            const plussi_event event = {.address = 64 * next_line(&g[i], m, &rng),
                                        .site = 1,
                                        .thread = (uint32_t)i,
                                        .bytes = 8};
            must(plussi_packer_add(packer, &event, 1));
        }
    must(plussi_packer_finish(packer));
    plussi_packer_free(packer);
    must(fclose(out) == 0 ? PLUSS_OK : PLUSS_EIO);
}

/* ---- accuracy ----------------------------------------------------------------------------------
 */

static double compare(const plussi_histo *a, const plussi_histo *b)
{
    const double all_a = plussi_histo_total(a), all_b = plussi_histo_total(b);
    double error = fabs(a->cold / all_a - b->cold / all_b);
    for (uint64_t k = 0; k < MOST_THREADS * MOST_LINES; k++)
        error += fabs(plussi_histo_get(a, k) / all_a - plussi_histo_get(b, k) / all_b);
    return 100 * (1 - error / 2);
}

static double measure(plussi_ctx *ctx, const char *path)
{
    plussi_request request;
    plussi_result result;
    plussi_request_init(&request, &ctx->mem);
    plussi_result_init(&result, &ctx->mem);
    request.profiles = true;
    must(plussi_pipeline_simulate_trace(ctx, path, &request, &result));
    request.model = "crd";
    must(plussi_pipeline_predict_trace(ctx, path, &request, &result));
    const double accuracy = compare(&result.profile[0].histo, &result.profile[1].histo);
    plussi_result_free(&result);
    plussi_request_free(&request);
    return accuracy;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: crd_accuracy TRACE ACCESSES SEEDS\n");
        return 2;
    }
    const uint64_t accesses = strtoull(argv[2], NULL, 10), seeds = strtoull(argv[3], NULL, 10);
    double sum = 0, of_paper = 0, least = 100;
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    printf("accuracy in percent (the paper's), mean of %llu seeds, %llu accesses a thread\n",
           (unsigned long long)seeds, (unsigned long long)accesses);
    printf("%-22s %s\n", "n1=200, s, n2",
           "0, 100       0, 200       10%, 100     10%, 200     20%, 100     20%, 200");
    for (size_t r = 0; r < ROWS; r++) {
        printf("%-22s", rows[r].name);
        for (size_t c = 0; c < COLUMNS; c++) {
            double mean = 0;
            for (uint64_t seed = 1; seed <= seeds; seed++) {
                write_trace(&ctx, argv[1], &rows[r], c, accesses, seed);
                mean += measure(&ctx, argv[1]) / (double)seeds;
            }
            printf(" %4.1f (%4.1f)%s", mean, rows[r].paper[c],
                   mean < rows[r].paper[c] - 3 ? "!" : " ");
            fflush(stdout);
            sum += mean;
            of_paper += rows[r].paper[c];
            least = fmin(least, mean - rows[r].paper[c]);
        }
        printf("\n");
    }
    printf("mean %.1f (%.1f); least difference from the paper %.1f points\n",
           sum / (ROWS * COLUMNS), of_paper / (ROWS * COLUMNS), least);
    plussi_ctx_clear(&ctx);
    return 0;
}
