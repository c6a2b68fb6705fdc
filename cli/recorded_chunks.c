/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chunks as a recorded run had them, in predictions and walks of a nest.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

bool cli_block_agrees(const pluss_block_info *block, const cli_options *options,
                      const pluss_nest *nest)
{
    for (size_t b = 0; b < options->n_bindings; b++) {
        const pluss_binding *given = &options->binding[b];
        const char *dot = strrchr(given->name, '.');
        for (size_t s = 0; s < block->n_symbols && cli_names_symbol(nest, given->name); s++)
            if ((strcmp(block->symbols[s].name, given->name) == 0 ||
                 (dot && strcmp(block->symbols[s].name, dot + 1) == 0)) &&
                block->symbols[s].value != given->value)
                return false;
    }
    return true;
}

/* false: none. */
static bool find(const pluss_record *record, const pluss_nest *nest, const cli_options *options,
                 uint32_t team, pluss_block_info *out)
{
    pluss_region_info region = {.size = sizeof region};
    *out = (pluss_block_info){.size = sizeof *out};
    if (pluss_nest_get_region(nest, 0, &region))
        return false;
    for (size_t i = 0; !pluss_record_get_block(record, i, out); i++)
        if (strcmp(out->region, region.name) == 0 && out->line == region.line &&
            strcmp(out->file, region.file ? region.file : "") == 0 && out->team == team &&
            out->n_chunks > 0 && cli_block_agrees(out, options, nest))
            return true;
    return false;
}

static pluss_status replay_team(pluss_context *ctx, const cli_options *options, cli_engine engine,
                                const pluss_nest *nest, const pluss_record *record, uint32_t team,
                                pluss_options *o, pluss_result **all)
{
    pluss_block_info block;
    if (!find(record, nest, options, team, &block)) {
        pluss_region_info region = {.size = sizeof region};
        bool named = pluss_nest_get_region(nest, 0, &region) == PLUSS_OK;
        cli_error(
            options, "%s has no run of %s with these values and %u thread%s, or not its chunks",
            options->schedule_record, named ? region.name : "this", team, team == 1 ? "" : "s");
        return PLUSS_ENOTFOUND;
    }
    cli_must(pluss_options_set_threads(ctx, o, &team, 1));
    cli_must(pluss_options_set_chunks(ctx, o, block.chunks, block.n_chunks));
    pluss_result *result = NULL;
    pluss_status status = engine(ctx, nest, o, &result);
    return status ? status : cli_append(ctx, all, result);
}

pluss_status cli_recorded_teams(pluss_context *ctx, const cli_options *options, const char *path,
                                cli_recorded_team one, cli_engine engine, const pluss_nest *nest,
                                pluss_result **out)
{
    pluss_record *record = NULL;
    pluss_result *all = NULL;
    pluss_options *o = cli_engine_options(ctx, options, nest);
    pluss_status status = pluss_record_read(ctx, path, &record);
    for (size_t i = 0; i < options->n_teams && !status; i++)
        status = one(ctx, options, engine, nest, record, options->team[i], o, &all);
    pluss_record_free(record);
    pluss_options_free(o);
    if (status)
        pluss_result_free(all);
    else
        *out = all;
    return status;
}

pluss_status cli_replay(pluss_context *ctx, const cli_options *options, cli_engine engine,
                        const pluss_nest *nest, pluss_result **out)
{
    return cli_recorded_teams(ctx, options, options->schedule_record, replay_team, engine, nest,
                              out);
}
