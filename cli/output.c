/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

bool cli_output_open(const cli_options *options, cli_output *out)
{
    cli_progress_clear();
    *out = (cli_output){.stream = stdout, .name = "standard output"};
    if (!options->output || strcmp(options->output, "-") == 0)
        return true;
    out->name = options->output;
    out->stream = fopen(options->output, "we");
    if (!out->stream)
        cli_error(options, "%s: cannot be written: %s", out->name, strerror(errno));
    return out->stream != NULL;
}

static void note_error(cli_output *out)
{
    if (!out->error)
        out->error = errno ? errno : EIO;
}

int cli_output_write(void *output, const char *data, size_t length)
{
    cli_output *out = output;
    errno = 0;
    if (fwrite(data, 1, length, out->stream) != length)
        note_error(out);
    return out->error;
}

void cli_output_print(cli_output *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    errno = 0;
    if (vfprintf(out->stream, format, args) < 0)
        note_error(out);
    va_end(args);
}

int cli_output_close(const cli_options *options, cli_output *out, int status)
{
    errno = 0;
    if (fflush(out->stream) != 0)
        note_error(out);
    if (out->stream != stdout && fclose(out->stream) != 0)
        note_error(out);
    if (!out->error)
        return status;
    cli_error(options, "%s: cannot be written: %s", out->name, strerror(out->error));
    if (out->stream == stdout)
        clearerr(stdout); /* said once is enough */
    return CLI_INPUT;
}

void cli_sharers_text(uint32_t sharers, char out[48])
{
    *out = '\0';
    if (sharers == 1)
        strcpy(out, ", each thread's cache");
    else if (sharers)
        snprintf(out, 48, ", caches of %u threads each", sharers);
}
