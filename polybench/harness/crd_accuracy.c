/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Table 4 of Jiang, Zhang, Tian and Shen (CC 2010) measured again: histograms of concurrent reuse
 * distances, predicted by the model crd from what each thread does alone, against exact ones.
 *
 *     crd_accuracy TRACE ACCESSES SEEDS     TRACE: a file for the traces, which is written again
 * and again; ACCESSES of each thread
 *
 * The generator is that of runtime/trace/generate.h.
 *
 * Accuracy is 1 - E / 2, E the sum over all distances (bins of width 1; first touches are one more)
 * of the absolute difference of the two histograms, each divided by its accesses.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/pipeline.h"
#include "trace/generate.h"

enum { MOST_LINES = 8192, ROWS = 9, COLUMNS = 6 }; /* lines: of all threads of a trace */

/* Weights of the parts of a mixture. */
typedef struct mixture {
    const char *name;
    uint32_t uniform, exponential, normal, threads;
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
    uint32_t n1, n2;
} columns[COLUMNS] = {{0, 200, 100},   {0, 200, 200},   {0.1, 200, 100},
                      {0.1, 200, 200}, {0.2, 200, 100}, {0.2, 200, 200}};

static void must(pluss_status status)
{
    if (status) {
        fprintf(stderr, "crd_accuracy: %s\n", plussi_status_text(status));
        exit(1);
    }
}

static int put(void *user, const char *data, size_t length)
{
    return fwrite(data, 1, length, user) != length;
}

static void write_trace(plussi_ctx *ctx, const char *path, const mixture *m, size_t column,
                        uint64_t accesses, uint64_t seed)
{
    plussi_generation what = {.threads = m->threads,
                              .shared = columns[column].shared,
                              .uniform = m->uniform,
                              .exponential = m->exponential,
                              .normal = m->normal,
                              .accesses = accesses,
                              .seed = seed};
    for (uint32_t i = 0; i < m->threads; i++)
        what.lines[i] = i < m->threads / 2 ? columns[column].n1 : columns[column].n2;
    FILE *out = fopen(path, "wb");
    must(out ? PLUSS_OK : PLUSS_EIO);
    must(plussi_generate_trace(ctx, &what, &(const plussi_ask){0}, put, out));
    must(fclose(out) == 0 ? PLUSS_OK : PLUSS_EIO);
}

/* ---- accuracy ----------------------------------------------------------------------------------
 */

static double compare(const plussi_histo *a, const plussi_histo *b)
{
    const double all_a = plussi_histo_total(a), all_b = plussi_histo_total(b);
    double error = fabs(a->cold / all_a - b->cold / all_b);
    for (uint64_t k = 0; k < MOST_LINES; k++)
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
