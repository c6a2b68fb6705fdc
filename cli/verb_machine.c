/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"

/* Puts the caches into the file that --save names, beside what it holds. */
static int save(pluss_context *ctx, const cli_options *options, const pluss_machine_info *info)
{
    cli_output out = {0};
    pluss_machine_file *file = NULL;
    const char *before = access(options->save, F_OK) == 0 ? options->save : NULL;
    pluss_status status = pluss_machine_file_read(ctx, before, &file);
    if (!status)
        status = pluss_machine_file_put_caches(ctx, file, info);
    int end = cli_exit_status(status);
    if (!status && cli_output_open(options, options->save, &out)) {
        status = pluss_machine_file_write(ctx, file, cli_output_write, &out);
        end = cli_output_close(options, &out, cli_exit_status(status));
    } else if (!status) {
        end = CLI_INPUT;
    }
    pluss_machine_file_free(file);
    return end;
}

/* This machine. */
static int report_this(pluss_context *ctx, cli_options *options)
{
    cli_machine machine;
    if (!cli_machine_read(&machine)) {
        cli_error(options, "hwloc cannot read this machine's topology");
        return CLI_INPUT;
    }
    int status = machine.n_caches ? CLI_OK : CLI_NO;
    if (status == CLI_NO)
        cli_error(options, "the system does not tell about its caches");
    pluss_machine_info info = cli_public_machine(&machine);
    pluss_report *report = NULL;
    if (status == CLI_OK && options->save)
        status = save(ctx, options, &info);
    if (status < CLI_USAGE) {
        pluss_status made = pluss_machine_report(ctx, &info, &report);
        status = cli_write_report(ctx, options, made, report, status);
    }
    free((void *)info.caches);
    cli_machine_free(&machine);
    return status;
}

/* That of --machine. */
static int report_file(pluss_context *ctx, cli_options *options)
{
    pluss_machine_file *file = NULL;
    pluss_report *report = NULL;
    int status = cli_exit_status(pluss_machine_file_read(ctx, options->machine, &file));
    if (status == CLI_OK) {
        pluss_status made = pluss_machine_file_report(ctx, file, &report);
        status = cli_write_report(ctx, options, made, report, CLI_OK);
    }
    pluss_machine_file_free(file);
    return status;
}

int cli_machine_verb(cli_options *options)
{
    if (options->machine && options->save)
        return cli_usage(options,
                         "--save keeps this machine's caches: it does not go together with "
                         "--machine");
    pluss_context *ctx = cli_context();
    int status = (options->machine ? report_file : report_this)(ctx, options);
    pluss_context_free(ctx);
    return status;
}
