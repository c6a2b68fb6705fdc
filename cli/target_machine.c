/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The machine that reports are about: that of --machine, or this one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static pluss_machine_cache public_cache(const cli_cache *c)
{
    return (pluss_machine_cache){.name = c->label,
                                 .type = c->type == 'u'   ? PLUSS_CACHE_UNIFIED
                                         : c->type == 'd' ? PLUSS_CACHE_DATA
                                                          : PLUSS_CACHE_INSTRUCTION,
                                 .level = c->level,
                                 .bytes = c->bytes,
                                 .line_bytes = c->line_bytes,
                                 .ways = c->ways,
                                 .shared_by = c->shared_by,
                                 .count = c->count};
}

pluss_machine_info cli_public_machine(const cli_machine *machine)
{
    pluss_machine_cache *caches = cli_alloc(machine->n_caches, sizeof *caches);
    for (size_t i = 0; i < machine->n_caches; i++)
        caches[i] = public_cache(&machine->cache[i]);
    return (pluss_machine_info){.size = sizeof(pluss_machine_info),
                                .cpu = machine->cpu,
                                .cores = machine->cores,
                                .processors = machine->processors,
                                .caches = caches,
                                .n_caches = machine->n_caches};
}

/* That of --machine, if its file has caches. -1: go on; else the exit status, all being said. */
static int read_file(cli_options *options, cli_target *target)
{
    pluss_context *ctx = cli_context();
    pluss_status status = pluss_machine_file_read(ctx, options->machine, &target->file);
    pluss_context_free(ctx);
    if (status)
        return cli_exit_status(status);
    cli_must(pluss_machine_file_get_info(target->file, &target->info));
    return -1;
}

/* This machine; no levels: the system tells of no caches. The caller's. */
static pluss_machine_file *read_this(const cli_options *options, uint32_t *processors)
{
    cli_machine machine = {0};
    pluss_machine_file *file = NULL;
    (void)cli_machine_read(&machine);
    pluss_machine_info info = cli_public_machine(&machine);
    cli_must(pluss_machine_file_read(options->quiet, NULL, &file));
    if (pluss_machine_file_put_caches(options->quiet, file, &info) == PLUSS_ENOMEM)
        cli_no_memory();
    pluss_context_clear(options->quiet);
    *processors = machine.processors;
    free((void *)info.caches);
    cli_machine_free(&machine);
    return file;
}

static void use_this(cli_options *options, cli_target *target)
{
    uint32_t processors;
    pluss_machine_file_free(target->file);
    target->file = read_this(options, &processors);
    cli_must(pluss_machine_file_get_info(target->file, &target->info));
    target->info.processors = processors;
}

int cli_find_target(cli_options *options)
{
    cli_target *target = &options->target;
    int status = -1;
    if (target->known)
        return -1;
    target->info.size = sizeof target->info;
    if (options->machine)
        status = read_file(options, target);
    if (status < 0 && !target->info.n_levels)
        use_this(options, target);
    target->known = status < 0;
    return status;
}

/* Ways that --cache or the machine file leaves out are those of --machine's caches, or of this
 * machine's. -1: go on; else the exit status. */
static int add_ways(cli_options *options)
{
    uint32_t processors;
    int status = pluss_options_lack_ways(options->request) ? cli_find_target(options) : -1;
    if (status < 0 && options->target.file)
        cli_must(pluss_options_add_ways(options->quiet, options->request, options->target.file));
    if (status < 0 && options->machine && pluss_options_lack_ways(options->request)) {
        pluss_machine_file *this = read_this(options, &processors);
        cli_must(pluss_options_add_ways(options->quiet, options->request, this));
        pluss_machine_file_free(this);
    }
    return status;
}

int cli_use_levels(cli_options *options)
{
    char line[16];
    const char *given = cli_given(options, "cache");
    const pluss_machine_file_info *info = &options->target.info;
    if (given && strcmp(given, "machine") != 0)
        return add_ways(options);
    int status = cli_find_target(options);
    if (status >= 0)
        return status;
    if (!info->n_levels && given)
        return cli_usage(options, "--cache 'machine': the system does not tell about its caches");
    if (!info->n_levels)
        return -1;
    snprintf(line, sizeof line, "%u", info->line_bytes);
    if (!cli_given(options, "line"))
        cli_must(
            pluss_options_set_integer(options->quiet, options->request, "line", info->line_bytes));
    else if (!given && !cli_is_given(options, "line", line)) /* not its own: the curve alone */
        return -1;
    options->levels = true;
    cli_must(pluss_options_set_levels(options->quiet, options->request, options->target.file));
    return add_ways(options);
}
