/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The private reuse intervals that the library collects, printed as a generated sampler prints its
 * own: pri FILE THREADS [NAME VALUE]...
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "pluss.h"

static void print_refs(const pluss_pri *pri)
{
    pluss_pri_info info = {.size = sizeof info};
    printf("{\"refs\": [\n");
    for (uint32_t i = 0; pluss_pri_get(pri, i, &info) == PLUSS_OK; i++) {
        printf("%s{\"ref\": %" PRIu32 ", \"cold\": %.17g, \"thread_first\": %.17g, \"bins\": [",
               i ? ",\n" : "", i, info.cold, info.thread_first);
        for (size_t k = 0; k < info.n_bins; k++)
            printf("%s[%" PRIu64 ", %.17g]", k ? ", " : "", info.interval[k], info.weight[k]);
        printf("]}");
    }
    printf("]}\n");
}

static int fail(const pluss_context *ctx)
{
    pluss_diagnostic d = {.size = sizeof d};
    for (size_t i = 0; pluss_context_diagnostic(ctx, i, &d) == PLUSS_OK; i++)
        fprintf(stderr, "%s\n", d.text);
    return 1;
}

int main(int argc, char **argv)
{
    pluss_context *ctx;
    pluss_options *options;
    if (argc < 3 || pluss_context_new(NULL, &ctx) != PLUSS_OK ||
        pluss_options_new(ctx, &options) != PLUSS_OK ||
        pluss_options_set(ctx, options, "threads", argv[2]) != PLUSS_OK)
        return 2;
    for (int i = 3; i + 1 < argc; i += 2)
        if (pluss_options_set_binding(ctx, options, argv[i], atoll(argv[i + 1])) != PLUSS_OK)
            return 2;
    pluss_nests *nests = NULL;
    pluss_pri *pri = NULL;
    int status = 0;
    if (pluss_nests_read(ctx, argv[1], &nests) != PLUSS_OK ||
        pluss_pri_collect(ctx, pluss_nests_get(nests, 0), options, &pri) != PLUSS_OK)
        status = fail(ctx);
    else
        print_refs(pri);
    pluss_options_free(options);
    pluss_pri_free(pri);
    pluss_nests_free(nests);
    pluss_context_free(ctx);
    return status;
}
