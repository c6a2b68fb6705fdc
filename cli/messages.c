/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

void cli_no_memory(void)
{
    static const char text[] = "pluss: error: out of memory\n";
    cli_clear_status();
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    cli_remove_pending();
    _exit(CLI_INPUT);
}

void *cli_alloc(size_t n, size_t size)
{
    void *room = calloc(n ? n : 1, size);
    if (!room)
        cli_no_memory();
    return room;
}

void *cli_grow(void *list, size_t n, size_t size)
{
    void *room = reallocarray(list, n + 1, size);
    if (!room)
        cli_no_memory();
    return room;
}

char *cli_text(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        cli_no_memory();
    va_end(args);
    return text;
}

static void say(const cli_options *options, const char *format, va_list args)
{
    cli_clear_status();
    fprintf(stderr, "pluss %s: error: ", options->verb);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void cli_error(const cli_options *options, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(options, format, args);
    va_end(args);
}

int cli_usage(const cli_options *options, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(options, format, args);
    va_end(args);
    fprintf(stderr, "Try 'pluss %s --help'.\n", options->verb);
    return CLI_USAGE;
}

/* Each team binds anew, and would warn anew: whether this was said already. */
static bool said_before(const pluss_diagnostic *d)
{
    static char **said;
    static size_t n;
    char *line = cli_text("%s:%u:%u:%s", d->file ? d->file : "", d->line, d->col, d->text);
    for (size_t i = 0; i < n; i++)
        if (strcmp(said[i], line) == 0) {
            free(line);
            return true;
        }
    said = cli_grow(said, n, sizeof *said);
    said[n++] = line;
    return false;
}

void cli_print_diagnostic(void *user, const pluss_diagnostic *diagnostic)
{
    (void)user;
    static const char *const severity[] = {"note", "warning", "error"};
    if ((diagnostic->status == PLUSS_ECANCELLED && cli_interrupted()) || said_before(diagnostic))
        return;
    cli_clear_status();
    if (diagnostic->file)
        fprintf(stderr, "%s:", diagnostic->file);
    else
        fprintf(stderr, "pluss:");
    if (diagnostic->file && diagnostic->line) {
        fprintf(stderr, "%u:", diagnostic->line);
        if (diagnostic->col)
            fprintf(stderr, "%u:", diagnostic->col);
    }
    fprintf(stderr, " %s: %s\n", severity[diagnostic->severity], diagnostic->text);
}

pluss_context *cli_context(void)
{
    pluss_context_options options = {
        .size = sizeof options, .log = cli_print_diagnostic, .ask = cli_show_status};
    pluss_context *ctx = NULL;
    if (pluss_context_new(&options, &ctx))
        cli_no_memory();
    return ctx;
}

int cli_tell_missing(pluss_status status)
{
    if (status == PLUSS_EUNBOUND)
        fputs(cli_how_to_bind, stderr);
    return cli_exit_status(status);
}

int cli_exit_status(pluss_status status)
{
    switch (status) {
    case PLUSS_OK:
        return CLI_OK;
    case PLUSS_EUNBOUND: /* a -D is missing */
    case PLUSS_EINVAL:
    case PLUSS_ENOTFOUND:
        return CLI_USAGE;
    default:
        return CLI_INPUT;
    }
}
