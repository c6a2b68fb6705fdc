/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --contents NAME=FILE: what an index array holds.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

bool cli_take_contents(const char *text, cli_options *options, const char **why)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        *why = "it is NAME=FILE";
        return false;
    }
    size_t length = (size_t)(equals - text);
    for (size_t i = 0; i < options->n_contents; i++)
        if (strlen(options->contents[i].array) == length &&
            strncmp(options->contents[i].array, text, length) == 0) {
            *why = "the array has contents already";
            return false;
        }
    char *name = cli_alloc(length + 1, 1);
    memcpy(name, text, length);
    options->contents = cli_grow(options->contents, options->n_contents, sizeof *options->contents);
    options->contents[options->n_contents++] = (cli_contents){.array = name, .path = equals + 1};
    return true;
}

void cli_free_contents(cli_options *options)
{
    for (size_t i = 0; i < options->n_contents; i++) {
        free(options->contents[i].array);
        free(options->contents[i].values);
    }
    free(options->contents);
}

/* One integer; 1, 0 at the end of the file, -1: there is something else (said). */
static int read_integer(const cli_options *options, cli_contents *c, FILE *file, size_t *line,
                        int64_t *out)
{
    char word[32];
    size_t n = 0;
    int byte;
    while ((byte = getc(file)) != EOF && isspace(byte))
        *line += byte == '\n';
    for (; byte != EOF && !isspace(byte) && n + 1 < sizeof word; byte = getc(file))
        word[n++] = (char)byte;
    word[n] = '\0';
    if (byte != EOF)
        (void)ungetc(byte, file);
    const char *why = "a number of at most 31 characters is expected";
    bool whole = (byte == EOF || isspace(byte)) && strlen(word) == n;
    if (n == 0 || (whole && cli_read_i64(word, out, &why)))
        return n > 0;
    cli_error(options, "%s:%zu: '%s': %s", c->path, *line, word, why);
    return -1;
}

static bool read_file(const cli_options *options, cli_contents *c, FILE *file)
{
    size_t line = 1, room = 0;
    int64_t value;
    int more;
    while ((more = read_integer(options, c, file, &line, &value)) > 0) {
        if (c->n == room) {
            room = room ? 2 * room : 1024;
            int64_t *values = realloc(c->values, room * sizeof *values);
            if (!values) {
                cli_error(options, "%s: out of memory", c->path);
                return false;
            }
            c->values = values;
        }
        c->values[c->n++] = value;
    }
    if (more == 0 && ferror(file))
        cli_error(options, "%s: %s", c->path, strerror(errno));
    return more == 0 && !ferror(file);
}

bool cli_read_contents(cli_options *options)
{
    for (size_t i = 0; i < options->n_contents; i++) {
        cli_contents *c = &options->contents[i];
        FILE *file = fopen(c->path, "re");
        if (!file) {
            cli_error(options, "%s: %s", c->path, strerror(errno));
            return false;
        }
        bool good = read_file(options, c, file);
        fclose(file);
        if (!good)
            return false;
    }
    return true;
}
