/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "measure.h"

/* Writes the file that --save names. */
static int write_file(pluss_context *ctx, const cli_options *options,
                      const pluss_machine_file *file)
{
    cli_output out = {0};
    if (!cli_output_open(options, options->save, &out))
        return CLI_INPUT;
    pluss_status status = pluss_machine_file_write(ctx, file, cli_output_write, &out);
    return cli_output_close(options, &out, cli_exit_status(status));
}

/* Puts the caches, and what is measured, beside what the file that --save names holds. */
static int complete(pluss_context *ctx, const cli_options *options, const pluss_machine_info *info,
                    pluss_machine_file **file)
{
    const char *before = options->save && access(options->save, F_OK) == 0 ? options->save : NULL;
    pluss_status status = pluss_machine_file_read(ctx, before, file);
    if (!status)
        status = pluss_machine_file_put_caches(ctx, *file, info);
    int end = cli_exit_status(status);
    if (end == CLI_OK && options->measure)
        end = cli_measure_machine(ctx, options, info->processors, *file);
    return end == CLI_OK && options->save ? write_file(ctx, options, *file) : end;
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
    pluss_machine_file *file = NULL;
    pluss_report *report = NULL;
    if (status == CLI_OK && (options->save || options->measure))
        status = complete(ctx, options, &info, &file);
    if (status < CLI_USAGE) {
        pluss_status made = options->measure && file ? pluss_machine_file_report(ctx, file, &report)
                                                     : pluss_machine_report(ctx, &info, &report);
        status = cli_write_report(ctx, options, made, report, status);
    }
    pluss_machine_file_free(file);
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
    if (options->machine && (options->save || options->measure))
        return cli_usage(options, "--save and --measure are about this machine: they do not go "
                                  "together with --machine");
    pluss_context *ctx = cli_context();
    int status = (options->machine ? report_file : report_this)(ctx, options);
    pluss_context_free(ctx);
    return status;
}
