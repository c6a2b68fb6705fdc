/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static char *read_whole(const char *path, size_t *length)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t used = 0, room = 0;
    int error = file ? 0 : errno;
    while (file && !error) {
        if (used == room) {
            room = room ? 2 * room : 65536;
            text = cli_grow(text, room - 1, 1);
        }
        errno = 0;
        size_t got = fread(text + used, 1, room - used, file);
        used += got;
        if (got == 0) {
            error = ferror(file) ? (errno ? errno : EIO) : 0;
            break;
        }
    }
    if (file)
        fclose(file);
    if (error) {
        fprintf(stderr, "%s: error: cannot be read: %s\n", path, strerror(error));
        free(text);
        return NULL;
    }
    *length = used;
    return text;
}

pluss_result *cli_read_result(pluss_context *ctx, const char *path)
{
    size_t length;
    pluss_result *result = NULL;
    char *text = read_whole(path, &length);
    if (text && pluss_result_read(ctx, text, length, path, &result))
        result = NULL;
    free(text);
    return result;
}

static pluss_result *read_either(pluss_context *ctx, const cli_options *options, const char *path)
{
    return cli_is_trace(options, path) ? cli_simulate_trace(ctx, options, path)
                                       : cli_read_result(ctx, path);
}

/* Levels for what is simulated. -1: go on; else the exit status. */
static int prepare(cli_options *options)
{
    int status = cli_store_pipes(options);
    if (status >= 0)
        return status;
    if (cli_is_trace(options, options->file[0]) || cli_is_trace(options, options->file[1]))
        return cli_use_levels(options);
    if (options->n_given) /* all that it takes of the library's options is for traces */
        return cli_usage(options, "--%s is for traces, and neither file is one",
                         options->given[0].name);
    return -1;
}

static bool has_levels(const pluss_result *result)
{
    pluss_level_info level = {.size = sizeof level};
    return pluss_result_get_level(result, 0, &level) == PLUSS_OK;
}

/* Where one of them has curves alone, levels of both are made from those. */
static bool give_levels(pluss_context *ctx, const cli_options *options, pluss_result *a,
                        pluss_result *b)
{
    return (has_levels(a) && has_levels(b)) ||
           (pluss_result_derive_levels(ctx, a, options->request) == PLUSS_OK &&
            pluss_result_derive_levels(ctx, b, options->request) == PLUSS_OK);
}

int cli_compare_files(cli_options *options, cli_read_fn read, bool changes)
{
    pluss_context *ctx = cli_context();
    cli_begin_part(0, 0.5);
    pluss_result *a = read(ctx, options, options->file[0]);
    cli_begin_part(0.5, 0.5);
    pluss_result *b = a ? read(ctx, options, options->file[1]) : NULL;
    const pluss_compare_options how = {.size = sizeof how,
                                       .grid = options->grid,
                                       .a_name = options->file[0],
                                       .b_name = options->file[1]};
    pluss_comparison *comparison = NULL;
    pluss_comparison_info info = {.size = sizeof info};
    pluss_report *report = NULL;
    int status = CLI_INPUT;
    if (a && b && (!(changes || options->fail) || give_levels(ctx, options, a, b)) &&
        !pluss_result_compare(ctx, a, b, &how, &comparison) &&
        !pluss_comparison_get_info(comparison, &info)) {
        double most = fmax(info.greatest_mean_abs, info.greatest_of_levels);
        bool above = options->tolerance >= 0 && 100 * most > options->tolerance;
        pluss_status made = changes ? pluss_comparison_report_changes(ctx, comparison, &report)
                                    : pluss_comparison_report(ctx, comparison, &report);
        status = cli_write_report(ctx, options, made, report, above ? CLI_NO : CLI_OK);
        int changed = cli_check_changes(options, comparison);
        status = status == CLI_OK || changed == CLI_INPUT ? changed : status;
    }
    pluss_comparison_free(comparison);
    pluss_result_free(a);
    pluss_result_free(b);
    pluss_context_free(ctx);
    return status;
}

int cli_compare(cli_options *options)
{
    int status = prepare(options);
    return status < 0 ? cli_compare_files(options, read_either, false) : status;
}
