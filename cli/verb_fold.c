/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss fold: the nest behind traces, or behind runs of a program that are traced for it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

/* Symbols, and the values of each run. */
typedef struct sizes {
    char *text; /* what the names are in */
    const char **symbol;
    size_t n_symbols, n_runs;
    int64_t *value; /* value[run * n_symbols + symbol] */
} sizes;

static void free_sizes(sizes *s)
{
    free(s->text);
    free(s->symbol);
    free(s->value);
}

/* NAME=A,B,...; the values of symbol number `symbol`. */
static bool read_values(char *text, size_t symbol, sizes *s)
{
    size_t n = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest), n++) {
        uint64_t value;
        if (n == s->n_runs || !cli_read_count(word, INT32_MAX, &value))
            return false;
        s->value[n * s->n_symbols + symbol] = (int64_t)value;
    }
    return n == s->n_runs;
}

/* NAME=A,B,...:NAME=... */
static bool read_sizes(const char *text, sizes *s)
{
    *s = (sizes){.text = cli_text("%s", text), .n_symbols = 1, .n_runs = 1};
    for (const char *c = text; *c; c++)
        s->n_symbols += *c == ':';
    for (const char *c = text; *c && *c != ':'; c++)
        s->n_runs += *c == ',';
    s->symbol = cli_alloc(s->n_symbols, sizeof *s->symbol);
    s->value = cli_alloc(s->n_runs * s->n_symbols, sizeof *s->value);
    size_t i = 0;
    char *rest = NULL;
    for (char *one = strtok_r(s->text, ":", &rest); one; one = strtok_r(NULL, ":", &rest), i++) {
        char *values = strchr(one, '=');
        if (!values || values == one)
            return false;
        *values = 0;
        s->symbol[i] = one;
        if (!read_values(values + 1, i, s))
            return false;
    }
    return i == s->n_symbols;
}

/* ---- from traces to a nest ----------------------------------------------------------------------
 */

static int fold(const cli_options *options, const char *const *trace, size_t n_traces,
                const sizes *s)
{
    pluss_context *ctx = cli_context();
    pluss_nest *nest = NULL;
    pluss_status status =
        pluss_nest_fold(ctx, trace, n_traces, s->symbol, s->n_symbols, s->value, &nest);
    int end = status == PLUSS_EUNSUPPORTED ? CLI_NO : cli_exit_status(status);
    if (!status) {
        status = pluss_nest_write(ctx, nest, cli_output_write, options->report);
        end = cli_output_close(options, options->report, status ? cli_exit_status(status) : CLI_OK);
    }
    pluss_nest_free(nest);
    pluss_context_free(ctx);
    return end;
}

/* ---- runs ---------------------------------------------------------------------------------------
 */

/* The argument with the run's values for {NAME}; *used: there is one. */
static char *fill_in(const char *argument, const sizes *s, size_t run, bool *used)
{
    char *text = cli_text("%s", "");
    while (*argument) {
        char *longer = NULL;
        for (size_t i = 0; i < s->n_symbols && *argument == '{' && !longer; i++) {
            size_t length = strlen(s->symbol[i]);
            if (strncmp(argument + 1, s->symbol[i], length) == 0 && argument[length + 1] == '}') {
                longer = cli_text("%s%lld", text, (long long)s->value[run * s->n_symbols + i]);
                argument += length + 2;
                *used = true;
            }
        }
        if (!longer)
            longer = cli_text("%s%c", text, *argument++);
        free(text);
        text = longer;
    }
    return text;
}

/* The command of a run: where no argument has {NAME}, NAME=VALUE of each symbol follows. */
static char **make_command(const cli_options *options, const sizes *s, size_t run)
{
    char **argv = cli_alloc(options->n_files + s->n_symbols + 1, sizeof *argv);
    bool used = false;
    size_t n = 0;
    for (; n < options->n_files; n++)
        argv[n] = n ? fill_in(options->file[n], s, run, &used) : cli_text("%s", options->file[n]);
    for (size_t i = 0; i < s->n_symbols && !used; i++)
        argv[n++] = cli_text("%s=%lld", s->symbol[i], (long long)s->value[run * s->n_symbols + i]);
    argv[n] = NULL;
    return argv;
}

/* Runs the program and traces it. -1: go on. */
static int trace_run(cli_options *options, const sizes *s, size_t run, const char *path)
{
    int ended = 0, status = -1;
    char **argv = make_command(options, s, run);
    struct stat file;
    if (!cli_spawn(options, argv, path, &ended))
        status = CLI_INPUT;
    else if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
        status = cli_end_as(ended);
    else if (stat(path, &file) != 0)
        status = CLI_NO;
    if (status == CLI_NO)
        cli_error(options,
                  options->valgrind ? "%s left no trace"
                                    : "%s left no trace; was it compiled with -fsanitize=thread "
                                      "and linked with libpluss-trace? Else --valgrind traces it",
                  argv[0]);
    for (char **a = argv; *a; a++)
        free(*a);
    free(argv);
    return status;
}

static int fold_program(cli_options *options, const sizes *s)
{
    char *folder = cli_make_folder(options);
    if (!folder)
        return CLI_INPUT;
    size_t n = s->n_runs;
    char **path = cli_alloc(n, sizeof *path), **objects = cli_alloc(n, sizeof *objects);
    int status = -1;
    options->silent = options->traces = true;
    for (size_t i = 0; i < n; i++) {
        path[i] = cli_text("%s/%zu", folder, i);
        objects[i] = cli_text("%s.objects", path[i]);
        cli_remember(path[i]);
        cli_remember(objects[i]);
    }
    for (size_t i = 0; i < n && status < 0; i++)
        status = trace_run(options, s, i, path[i]);
    if (status < 0)
        status = fold(options, (const char *const *)path, n, s);
    for (size_t i = 0; i < n; i++) {
        unlink(path[i]);
        unlink(objects[i]);
        cli_forget(path[i]);
        cli_forget(objects[i]);
        free(path[i]);
        free(objects[i]);
    }
    free(path);
    free(objects);
    cli_remove_folder(folder);
    return status;
}

/* -------------------------------------------------------------------------------------------------
 */

static bool is_program(const char *path)
{
    struct stat file;
    return !strchr(path, '/')
               ? access(path, F_OK) != 0
               : stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

int cli_fold(cli_options *options)
{
    sizes s = {.n_runs = 1};
    if (options->sizes && !read_sizes(options->sizes, &s)) {
        free_sizes(&s);
        return cli_usage(options,
                         "--sizes '%s': NAME=N,N,... of each symbol, as many each, with ':' "
                         "between them, as in n=20,24,28,36:m=9,12,8,14",
                         options->sizes);
    }
    bool program = is_program(options->file[0]);
    int status =
        program ? fold_program(options, &s)
        : options->sizes && s.n_runs != options->n_files
            ? cli_usage(options, "%zu traces, but sizes of %zu runs", options->n_files, s.n_runs)
            : fold(options, options->file, options->n_files, &s);
    free_sizes(&s);
    return status;
}
