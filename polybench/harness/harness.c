/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void harness_die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(EXIT_FAILURE);
}

void harness_must(pluss_context *ctx, pluss_status status)
{
    if (status == PLUSS_OK)
        return;
    for (size_t i = 0; i < pluss_context_diagnostic_count(ctx); i++) {
        pluss_diagnostic d = {.size = sizeof d};
        if (pluss_context_diagnostic(ctx, i, &d) == PLUSS_OK)
            fprintf(stderr, "%s:%u:%u: %s\n", d.file ? d.file : "-", d.line, d.col, d.text);
    }
    harness_die("error: %s", pluss_status_text(status));
}

static long long integer(const char *text, char end)
{
    char *rest;
    errno = 0;
    long long value = strtoll(text, &rest, 10);
    if (errno || rest == text || *rest != end)
        harness_die("not an integer: %s", text);
    return value;
}

uint32_t harness_team(const char *text)
{
    long long team = integer(text, '\0');
    if (team < 1 || team > 65536)
        harness_die("not a team size: %s", text);
    return (uint32_t)team;
}

bool harness_is_named(const char *name, char **list, int n)
{
    bool named = n == 0;
    for (int i = 0; i < n; i++)
        named |= strcmp(list[i], name) == 0;
    return named;
}

void harness_schedule(const char *text, harness_case *c)
{
    c->schedule = strcmp(text, "written") == 0 ? NULL : text;
}

void harness_bind(const char *text, harness_case *c)
{
    if (!strchr(text, '=') || c->n_bindings == sizeof c->binding / sizeof *c->binding)
        harness_die("not a binding, or too many: %s", text);
    c->binding[c->n_bindings++] = text;
}

void harness_set(harness_case *c, const char *name, const char *text)
{
    harness_must(c->ctx, pluss_options_set(c->ctx, c->options, name, text));
}

void harness_seed(harness_case *c, uint64_t seed)
{
    harness_must(c->ctx, pluss_options_set_integer(c->ctx, c->options, "seed", (int64_t)seed));
}

/* A kernel's parameter that no loop and no subscript needs (spmv's nnz) is not in its nest. */
static bool is_symbol(const harness_case *c, const char *binding)
{
    pluss_symbol_info symbol = {.size = sizeof symbol};
    for (uint32_t i = 0; !pluss_nest_get_symbol(c->nest, i, &symbol); i++)
        if (strlen(symbol.name) == strcspn(binding, "=") &&
            strncmp(symbol.name, binding, strlen(symbol.name)) == 0)
            return true;
    return false;
}

void harness_open(harness_case *c)
{
    if (pluss_context_new(NULL, &c->ctx) != PLUSS_OK)
        harness_die("out of memory");
    harness_must(c->ctx, pluss_nests_read(c->ctx, c->nest_path, &c->nests));
    size_t n = pluss_nests_count(c->nests);
    if (n == 0)
        harness_die("%s: no nests", c->nest_path);
    c->nest = pluss_nests_get(c->nests, 0);
    if (n > 1) {
        const pluss_nest **all = calloc(n, sizeof *all);
        for (size_t i = 0; all && i < n; i++)
            all[i] = pluss_nests_get(c->nests, i);
        harness_must(c->ctx, pluss_nest_join(c->ctx, all, n, &c->joined));
        free(all);
        c->nest = c->joined;
    }
    harness_must(c->ctx, pluss_options_new(c->ctx, &c->options));
    harness_must(c->ctx, pluss_options_set_threads(c->ctx, c->options, &c->team, 1));
    if (c->schedule)
        harness_set(c, "schedule", c->schedule);
    for (size_t i = 0; i < c->n_bindings; i++)
        if (is_symbol(c, c->binding[i]))
            harness_set(c, "define", c->binding[i]);
}

static int64_t *read_integers(const char *path, size_t *n)
{
    FILE *file = fopen(path, "re");
    if (!file)
        harness_die("%s: %s", path, strerror(errno));
    int64_t *value = NULL;
    char line[64];
    for (size_t room = 0; fgets(line, sizeof line, file); ++*n) {
        if (*n == room) {
            room = room ? 2 * room : 1024;
            value = realloc(value, room * sizeof *value);
            if (!value)
                harness_die("%s: out of memory", path);
        }
        value[*n] = integer(line, '\n');
    }
    if (ferror(file) || fclose(file))
        harness_die("%s: cannot be read", path);
    return value;
}

void harness_fill(char **words, size_t n, harness_case *c)
{
    pluss_contents contents[8];
    if (n > sizeof contents / sizeof *contents)
        harness_die("too many index arrays");
    for (size_t i = 0; i < n; i++) {
        const char *at = strchr(words[i], '@');
        if (!at)
            harness_die("not ARRAY@FILE: %s", words[i]);
        contents[i].array = strndup(words[i], (size_t)(at - words[i]));
        contents[i].n = 0;
        contents[i].values = read_integers(at + 1, &contents[i].n);
    }
    if (n)
        harness_must(c->ctx, pluss_nest_with_contents(c->ctx, c->nest, contents, n, &c->filled));
    if (n)
        c->nest = c->filled;
    for (size_t i = 0; i < n; i++) {
        free((void *)contents[i].values);
        free((char *)contents[i].array);
    }
}

void harness_close(harness_case *c)
{
    pluss_nest_free(c->filled);
    pluss_options_free(c->options);
    pluss_nest_free(c->joined);
    pluss_nests_free(c->nests);
    pluss_context_free(c->ctx);
}

double harness_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double harness_processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
