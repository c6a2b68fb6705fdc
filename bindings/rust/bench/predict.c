/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * predict FILE THREADS RUNS NAME=VALUE... : the least time of a prediction by the closed-form
 * sampler, through the C interface, in microseconds, and the miss ratio of 32 KiB to the last bit.
 * The same in Rust: pluss/examples/predict.rs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pluss.h"

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static pluss_status predict(const char *path, const pluss_options *options, double *us,
                            double *miss)
{
    pluss_context *ctx;
    pluss_nests *nests = NULL;
    pluss_result *result = NULL;
    pluss_status status = pluss_context_new(NULL, &ctx);
    if (status)
        return status;
    status = pluss_nests_read(ctx, path, &nests);
    if (!status) {
        double start = now_us();
        status = pluss_predict(ctx, pluss_nests_get(nests, 0), options, &result);
        *us = now_us() - start;
    }
    if (!status)
        *miss = pluss_curve_at(pluss_result_get(result, 0), 32 << 10);
    pluss_result_free(result);
    pluss_nests_free(nests);
    pluss_context_free(ctx);
    return status;
}

int main(int argc, char **argv)
{
    pluss_context *ctx;
    pluss_options *options;
    if (argc < 4 || pluss_context_new(NULL, &ctx) || pluss_options_new(ctx, &options) ||
        pluss_options_set(ctx, options, "threads", argv[2]) ||
        pluss_options_set(ctx, options, "model", "clock"))
        return 2;
    for (int i = 4; i < argc; i++)
        if (pluss_options_set(ctx, options, "define", argv[i]))
            return 2;
    double least = 0, us, miss = 0;
    for (int run = 0; run < atoi(argv[3]); run++) {
        pluss_status status = predict(argv[1], options, &us, &miss);
        if (status) {
            fprintf(stderr, "%s\n", pluss_status_text(status));
            return 1;
        }
        least = run == 0 || us < least ? us : least;
    }
    pluss_options_free(options);
    pluss_context_free(ctx);
    uint64_t bits;
    memcpy(&bits, &miss, sizeof bits);
    printf("%.1f %016" PRIx64 "\n", least, bits);
    return 0;
}
