/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The regions of a file, and those of them that --region names.
 */
#include <string.h>

#include "cli.h"

bool cli_region_wanted(const cli_options *options, const char *name)
{
    for (size_t i = 0; i < options->n_regions; i++)
        if (strcmp(options->region[i], name) == 0)
            return true;
    return options->n_regions == 0;
}

static bool has_region(const pluss_nests *nests, const char *name)
{
    pluss_region_info region = {.size = sizeof region};
    for (size_t n = 0; n < pluss_nests_count(nests); n++)
        for (uint32_t r = 0; !pluss_nest_get_region(pluss_nests_get(nests, n), r, &region); r++)
            if (strcmp(region.name, name) == 0)
                return true;
    return false;
}

bool cli_holds_regions(const cli_options *options, const pluss_nests *nests)
{
    pluss_region_info info = {.size = sizeof info};
    for (size_t i = 0; i < pluss_nests_count(nests); i++)
        if (!pluss_nest_get_region(pluss_nests_get(nests, i), 0, &info))
            return true;
    if (pluss_nests_is_trace(nests))
        cli_error(options, "%s is a trace; pluss fold finds the nest behind it", options->file[0]);
    else
        cli_error(options, "%s holds no loop nests; was it compiled with pluss cc?",
                  options->file[0]);
    return false;
}

bool cli_regions_exist(const cli_options *options, const pluss_nests *nests)
{
    for (size_t i = 0; i < options->n_regions; i++)
        if (!has_region(nests, options->region[i])) {
            cli_error(options, "%s has no region '%s'; pluss nests lists them", options->file[0],
                      options->region[i]);
            return false;
        }
    return true;
}

const pluss_nest *cli_choose_nest(pluss_context *ctx, const cli_options *options,
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

int cli_on_nests(cli_options *options, bool named, cli_nests_verb *run)
{
    pluss_context *ctx = cli_context();
    pluss_nests *nests = NULL;
    int status = CLI_INPUT;
    if (pluss_nests_read(ctx, options->file[0], &nests) == PLUSS_OK)
        status = !cli_holds_regions(options, nests)            ? CLI_INPUT
                 : named && !cli_regions_exist(options, nests) ? CLI_NO
                                                               : run(ctx, options, nests);
    pluss_nests_free(nests);
    pluss_context_free(ctx);
    return status;
}

int cli_on_one_region(cli_options *options, cli_nests_verb *run)
{
    return options->n_regions > 1 ? cli_usage(options, "one --region at most")
                                  : cli_on_nests(options, true, run);
}
