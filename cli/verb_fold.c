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

/* ---- from traces to a nest ----------------------------------------------------------------------
 */

/* Where a nest is written, with comments after its first line. */
typedef struct commented {
    cli_output *out;
    char *text;          /* the comments; NULL: they are written */
    bool tries;          /* there is another way if this one fails, */
    char *why;           /* the first error of which is kept here; NULL: none */
    const char *program; /* that was traced; NULL: unknown */
} commented;

static void add_comment(commented *c, const char *text)
{
    char *longer = cli_text("%s# %s\n", c->text, text);
    free(c->text);
    c->text = longer;
}

/* The text, with the source line behind each site that has one; the caller's. program: NULL: none
 * has. */
static char *add_source_lines(const char *program, const char *text)
{
    static const char site[] = "site 0x";
    char *out = cli_text("%s", "");
    for (const char *next; *text; text = next) {
        const char *found = strstr(text, site);
        next = found ? found + strlen(site) + strspn(found + strlen(site), "0123456789abcdef")
                     : text + strlen(text);
        char *line =
            found && program ? cli_source_line(program, strtoull(found + 5, NULL, 16)) : NULL;
        char *longer = cli_text("%s%.*s%s%s%s", out, (int)(next - text), text, line ? " (" : "",
                                line ? line : "", line ? ")" : "");
        free(line);
        free(out);
        out = longer;
    }
    return out;
}

/* Warnings are the nest's, too. */
static void take_diagnostic(void *user, const pluss_diagnostic *told)
{
    commented *c = user;
    char *text = add_source_lines(c->program, told->text);
    pluss_diagnostic diagnostic = *told;
    diagnostic.text = text;
    if (c->tries && diagnostic.severity == PLUSS_ERROR) {
        if (!c->why)
            c->why = cli_text("%s", text);
    } else {
        cli_print_diagnostic(NULL, &diagnostic);
        if (diagnostic.severity == PLUSS_WARNING)
            add_comment(c, text);
    }
    free(text);
}

static void add_sizes(commented *c, const cli_sizes *s)
{
    for (size_t k = 0; k < s->n_symbols; k++) {
        int64_t least = INT64_MAX, most = 0;
        for (size_t i = 0; i < s->n_runs; i++) {
            int64_t value = s->value[i * s->n_symbols + k];
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        char *text = cli_text("compared access by access: %s %lld..%lld in %zu runs", s->symbol[k],
                              (long long)least, (long long)most, s->n_runs);
        add_comment(c, text);
        free(text);
    }
}

static int write_commented(void *user, const char *data, size_t length)
{
    commented *c = user;
    const char *end = c->text ? memchr(data, '\n', length) : NULL;
    size_t first = end ? (size_t)(end - data) + 1 : 0;
    int status = first ? cli_output_write(c->out, data, first) : 0;
    if (first && !status)
        status = cli_output_write(c->out, c->text, strlen(c->text));
    if (first) {
        free(c->text);
        c->text = NULL;
    }
    return status ? status : cli_output_write(c->out, data + first, length - first);
}

/* The sizes of runs [0, n_traces / s->n_runs * s->n_runs), those of s again and again. */
static int64_t *repeat_values(const cli_sizes *s, size_t n_traces)
{
    int64_t *value = cli_alloc(n_traces * s->n_symbols + 1, sizeof *value);
    for (size_t i = 0; i < n_traces * s->n_symbols; i++)
        value[i] = s->value[i % (s->n_runs * s->n_symbols)];
    return value;
}

static void say_why(const char *why)
{
    char *text =
        cli_text("runs of three threads do not fold, those of one alone are taken: %s", why);
    cli_print_diagnostic(NULL, &(pluss_diagnostic){.severity = PLUSS_NOTE, .text = text});
    free(text);
}

/* Traces of the sizes, once, or of one thread and then of several, of a program, if it is known.
 * tries: what is wrong is said in a note, and -1 returned. */
static int fold(const cli_options *options, const char *program, const char *const *trace,
                size_t n_traces, const cli_sizes *s, bool tries)
{
    commented out = {
        .out = options->report, .text = cli_text("%s", ""), .tries = tries, .program = program};
    pluss_context_options how = {
        .size = sizeof how, .log = take_diagnostic, .log_user = &out, .ask = cli_show_status};
    pluss_context *ctx = NULL;
    pluss_nest *nest = NULL;
    int64_t *value = repeat_values(s, n_traces);
    if (pluss_context_new(&how, &ctx))
        cli_no_memory();
    add_sizes(&out, s);
    pluss_status status =
        pluss_nest_fold(ctx, trace, n_traces, s->symbol, s->n_symbols, value, &nest);
    int end = status == PLUSS_EUNSUPPORTED ? CLI_NO : cli_exit_status(status);
    if (!status) {
        status = pluss_nest_write(ctx, nest, write_commented, &out);
        end = cli_output_close(options, options->report, status ? cli_exit_status(status) : CLI_OK);
    } else if (tries) {
        say_why(out.why ? out.why : pluss_status_text(status));
        end = -1;
    }
    pluss_nest_free(nest);
    pluss_context_free(ctx);
    free(value);
    free(out.text);
    free(out.why);
    return end;
}

/* ---- runs ---------------------------------------------------------------------------------------
 */

/* The argument with the run's values for {NAME}; *used: there is one. */
static char *fill_in(const char *argument, const cli_sizes *s, size_t run, bool *used)
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
static char **make_command(const cli_options *options, const cli_sizes *s, size_t run)
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
static int trace_run(cli_options *options, const cli_sizes *s, size_t run, const char *path)
{
    int ended = 0, status = -1;
    char **argv = make_command(options, s, run);
    struct stat file;
    if (!cli_spawn(options, argv, path, &ended, NULL))
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

/* Whether the trace of one thread has one, and the other several. */
static bool has_team(const cli_options *options, const char *one, const char *several)
{
    uint32_t n = 0, team = 0;
    return pluss_trace_count_threads(options->quiet, one, &n) == PLUSS_OK &&
           pluss_trace_count_threads(options->quiet, several, &team) == PLUSS_OK && n == 1 &&
           team > 1;
}

/* Half of the work is tracing. */
static const double tracing = 0.5;

static void tell_run(size_t i, size_t n_sizes, bool teams)
{
    cli_begin_part(0, tracing);
    (void)cli_show_status(NULL, "tracing", (double)i / (double)(teams ? 2 * n_sizes : n_sizes), i);
}

/* Traces the program at each size by one thread, which tells what conditions depend on, and where
 * it has teams, whose loops one thread does not tell, by as many as are asked for: three, which
 * have equal shares of a loop less often than two, where nothing is said. -1: go on; *n: traces, at
 * most two a size. */
static int trace_runs(cli_options *options, const cli_sizes *s, char **path, size_t *n)
{
    const uint64_t asked = options->team;
    int status = -1;
    bool teams = options->sizes && (asked == 0 || (asked > 1 && !options->valgrind));
    options->team = teams ? 0 : asked;
    for (size_t i = 0; i < s->n_runs && status < 0; i++) {
        tell_run(i, s->n_runs, teams);
        status = trace_run(options, s, i, path[i]);
    }
    for (size_t i = 0; i < s->n_runs && status < 0 && teams; i++) {
        options->team = asked ? asked : 3;
        tell_run(s->n_runs + i, s->n_runs, teams);
        status = trace_run(options, s, i, path[s->n_runs + i]);
        if (i == 0 && status < 0)
            teams = has_team(options, path[0], path[s->n_runs]);
    }
    cli_clear_status();
    options->team = asked;
    *n = teams ? 2 * s->n_runs : s->n_runs;
    return status;
}

static int fold_program(cli_options *options, const cli_sizes *s)
{
    char *folder = cli_make_folder(options);
    if (!folder)
        return CLI_INPUT;
    size_t n = 2 * s->n_runs, traced;
    char **path = cli_alloc(n, sizeof *path), **objects = cli_alloc(n, sizeof *objects);
    options->silent = options->traces = true;
    for (size_t i = 0; i < n; i++) {
        path[i] = cli_text("%s/%zu%s", folder, i % s->n_runs, i < s->n_runs ? "" : "-team");
        objects[i] = cli_text("%s.objects", path[i]);
        cli_remember(path[i]);
        cli_remember(objects[i]);
    }
    int status = trace_runs(options, s, path, &traced);
    cli_begin_part(tracing, (1 - tracing) / (traced > s->n_runs ? 2 : 1));
    if (status < 0 && traced > s->n_runs)
        status =
            fold(options, options->file[0], (const char *const *)path, traced, s, !options->team);
    if (traced > s->n_runs)
        cli_begin_part(1 - (1 - tracing) / 2, (1 - tracing) / 2);
    if (status < 0)
        status = fold(options, options->file[0], (const char *const *)path, s->n_runs, s, false);
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

/* A single - is the standard input, as it is for verbs that run no program. */
static int store_traces(cli_options *options)
{
    for (size_t i = 0; i < options->n_files; i++)
        if (strcmp(options->file[i], "-") == 0)
            options->file[i] = "/dev/stdin";
    return cli_store_pipes(options);
}

int cli_fold(cli_options *options)
{
    cli_sizes s = {.n_runs = 1};
    int status = cli_read_sizes(options, &s);
    if (status >= 0)
        return status;
    if (strcmp(options->file[0], "-") != 0 && is_program(options->file[0]))
        status = fold_program(options, &s);
    else if (options->sizes && s.n_runs != options->n_files)
        status =
            cli_usage(options, "%zu traces, but sizes of %zu runs", options->n_files, s.n_runs);
    else
        status = store_traces(options);
    if (status < 0)
        status = fold(options, NULL, options->file, options->n_files, &s, false);
    cli_free_sizes(&s);
    return status;
}
