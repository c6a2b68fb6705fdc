/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --sizes: the values of symbols in several runs.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

void cli_free_sizes(cli_sizes *s)
{
    free(s->text);
    free(s->symbol);
    free(s->value);
}

/* NAME=A,B,...; the values of symbol number `symbol`. */
static bool read_values(char *text, size_t symbol, cli_sizes *s)
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
static bool read_sizes(const char *text, cli_sizes *s)
{
    *s = (cli_sizes){.text = cli_text("%s", text), .n_symbols = 1, .n_runs = 1};
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

int cli_read_sizes(const cli_options *options, cli_sizes *out)
{
    if (!options->sizes || read_sizes(options->sizes, out))
        return -1;
    cli_free_sizes(out);
    return cli_usage(options,
                     "--sizes '%s': NAME=N,N,... of each symbol, as many each, with ':' between "
                     "them, as in n=20,24,28,36:m=9,12,8,14",
                     options->sizes);
}
