/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

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

int cli_machine_verb(cli_options *options)
{
    cli_machine machine;
    if (!cli_machine_read(&machine)) {
        cli_error(options, "hwloc cannot read this machine's topology");
        return CLI_INPUT;
    }
    int status = machine.n_caches ? CLI_OK : CLI_NO;
    if (status == CLI_NO)
        cli_error(options, "the system does not tell about its caches");
    pluss_machine_cache *caches = cli_alloc(machine.n_caches, sizeof *caches);
    for (size_t i = 0; i < machine.n_caches; i++)
        caches[i] = public_cache(&machine.cache[i]);
    pluss_machine_info info = {.size = sizeof info,
                               .cpu = machine.cpu,
                               .cores = machine.cores,
                               .processors = machine.processors,
                               .caches = caches,
                               .n_caches = machine.n_caches};
    pluss_context *ctx = cli_context();
    pluss_report *report = NULL;
    pluss_status made = pluss_machine_report(ctx, &info, &report);
    status = cli_write_report(ctx, options, made, report, status);
    pluss_context_free(ctx);
    free(caches);
    cli_machine_free(&machine);
    return status;
}
