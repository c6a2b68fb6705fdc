/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "cli.h"

/* The description or the trace; of the regions asked for alone where some are. */
static pluss_status show_text(pluss_context *ctx, const cli_options *options,
                              const pluss_nest *nest, size_t *shown)
{
    pluss_status (*write)(pluss_context *, const pluss_nest *, pluss_write_fn, void *) =
        options->annotated ? pluss_nest_write_annotated : pluss_nest_write;
    pluss_region_info info = {.size = sizeof info};
    pluss_status status = PLUSS_OK;
    for (uint32_t r = 0; !status && !pluss_nest_get_region(nest, r, &info); r++) {
        if (!cli_region_wanted(options, info.name))
            continue;
        pluss_nest *alone = NULL;
        if (options->n_regions)
            status = pluss_nest_extract(ctx, nest, r, &alone);
        if (!status)
            status = write(ctx, alone ? alone : nest, cli_output_write, options->report);
        pluss_nest_free(alone);
        ++*shown;
        if (!options->n_regions)
            break; /* that was the whole nest */
    }
    return status;
}

static pluss_status show_texts(pluss_context *ctx, const cli_options *options,
                               const pluss_nests *nests, size_t *shown)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < pluss_nests_count(nests) && !status; i++)
        status = show_text(ctx, options, pluss_nests_get(nests, i), shown);
    return status;
}

static int report_nests(pluss_context *ctx, const cli_options *options, const pluss_nests *nests,
                        int status)
{
    size_t n = pluss_nests_count(nests);
    const pluss_nest **nest = cli_alloc(n, sizeof *nest);
    for (size_t i = 0; i < n; i++)
        nest[i] = pluss_nests_get(nests, i);
    pluss_report *report = NULL;
    pluss_status made =
        pluss_nest_report(ctx, nest, n, options->region, options->n_regions, &report);
    free(nest);
    return cli_write_report(ctx, options, made, report, status);
}

static bool is_text(const cli_options *options)
{
    return options->nest_text || options->annotated;
}

static int show_all(pluss_context *ctx, const cli_options *options, const pluss_nests *nests)
{
    size_t shown = 0;
    pluss_status status = PLUSS_OK;
    if (is_text(options)) {
        status = show_texts(ctx, options, nests, &shown);
    } else {
        pluss_region_info info = {.size = sizeof info};
        for (size_t i = 0; i < pluss_nests_count(nests); i++)
            shown += pluss_nest_get_region(pluss_nests_get(nests, i), 0, &info) == PLUSS_OK;
    }
    if (shown == 0 && pluss_nests_is_trace(nests))
        cli_error(options, "%s is a trace; pluss fold finds the nest behind it", options->file[0]);
    else if (shown == 0)
        cli_error(options, "%s: no loop nests; was it compiled with pluss cc?", options->file[0]);
    int exit_status = status ? cli_exit_status(status) : shown ? CLI_OK : CLI_NO;
    return is_text(options) ? cli_output_close(options, options->report, exit_status)
                            : report_nests(ctx, options, nests, exit_status);
}

int cli_nests(cli_options *options)
{
    if (options->nest_text && options->annotated)
        return cli_usage(options, "--text and --annotated exclude each other");
    if (is_text(options) && options->format)
        return cli_usage(options, "--%s and a format of reports exclude each other",
                         options->annotated ? "annotated" : "text");
    pluss_context *ctx = cli_context();
    pluss_nests *nests = NULL;
    int status = CLI_INPUT;
    if (pluss_nests_read(ctx, options->file[0], &nests) == PLUSS_OK)
        status = pluss_nests_count(nests) > 0 && !cli_regions_exist(options, nests)
                     ? CLI_NO
                     : show_all(ctx, options, nests);
    pluss_nests_free(nests);
    pluss_context_free(ctx);
    return status;
}
