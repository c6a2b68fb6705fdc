/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss codegen: a nest as a program of its own.
 */
#include "cli.h"

/* The region asked for, or the whole of the only nest. NULL: none, reported; *alone is the
 * caller's. */
static const pluss_nest *choose(pluss_context *ctx, const cli_options *options,
                                const pluss_nests *nests, pluss_nest **alone)
{
    if (options->n_regions == 0) {
        if (pluss_nests_count(nests) == 1)
            return pluss_nests_get(nests, 0);
        cli_error(options, "%s holds %zu nests; name one with --region (pluss nests lists them)",
                  options->file[0], pluss_nests_count(nests));
        return NULL;
    }
    pluss_region_info info = {.size = sizeof info};
    for (size_t i = 0; i < pluss_nests_count(nests); i++) {
        const pluss_nest *nest = pluss_nests_get(nests, i);
        for (uint32_t r = 0; !pluss_nest_get_region(nest, r, &info); r++)
            if (cli_region_wanted(options, info.name))
                return pluss_nest_extract(ctx, nest, r, alone) == PLUSS_OK ? *alone : NULL;
    }
    return NULL; /* not reached: the caller saw that it exists */
}

static int generate(pluss_context *ctx, const cli_options *options, const pluss_nests *nests)
{
    pluss_nest *alone = NULL;
    const pluss_nest *nest = choose(ctx, options, nests, &alone);
    int status = CLI_NO;
    if (nest) {
        pluss_status done =
            pluss_nest_codegen(ctx, nest, options->language, cli_output_write, options->report);
        status = cli_output_close(options, options->report, done ? cli_exit_status(done) : CLI_OK);
    }
    pluss_nest_free(alone);
    return status;
}

int cli_codegen(cli_options *options)
{
    if (!options->has_language)
        return cli_usage(options, "--lang c or --lang rust is missing");
    if (options->n_regions > 1)
        return cli_usage(options, "one --region at most");
    pluss_context *ctx = cli_context();
    pluss_nests *nests = NULL;
    int status = CLI_INPUT;
    if (pluss_nests_read(ctx, options->file[0], &nests) == PLUSS_OK)
        status = !cli_holds_regions(options, nests)  ? CLI_INPUT
                 : cli_regions_exist(options, nests) ? generate(ctx, options, nests)
                                                     : CLI_NO;
    pluss_nests_free(nests);
    pluss_context_free(ctx);
    return status;
}
