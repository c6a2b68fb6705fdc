/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the library is asked for: its options, in its own syntax, but for what only the command
 * knows: this machine, and where its file is kept.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

void cli_must(pluss_status status)
{
    if (status)
        cli_no_memory();
}

const char *cli_given(const cli_options *options, const char *name)
{
    for (size_t i = options->n_given; i-- > 0;)
        if (strcmp(options->given[i].name, name) == 0)
            return options->given[i].text ? options->given[i].text : "";
    return NULL;
}

bool cli_is_given(const cli_options *options, const char *name, const char *text)
{
    const char *given = cli_given(options, name);
    return given && strcmp(given, text) == 0;
}

bool cli_is_replayed(const cli_options *options)
{
    return cli_given(options, "simulate") && cli_is_given(options, "progress", "recorded");
}

/* What the library says of the text: of a file as it is, else as wrong usage. -1: nothing is wrong.
 */
static int set(cli_options *options, const char *name, const char *text)
{
    pluss_diagnostic d = {.size = sizeof d};
    int end = -1;
    if (pluss_options_set(options->quiet, options->request, name, text) == PLUSS_ENOMEM)
        cli_no_memory();
    for (size_t i = 0; end < 0 && !pluss_context_diagnostic(options->quiet, i, &d); i++)
        if (d.severity != PLUSS_ERROR || d.file) {
            cli_print_diagnostic(NULL, &d);
            end = d.severity == PLUSS_ERROR ? CLI_INPUT : -1;
        } else {
            end = cli_usage(options, "--%s", d.text);
        }
    pluss_context_clear(options->quiet);
    return end;
}

/* ---- this machine ------------------------------------------------------------------------------
 */

/* Cores that slices do not tell are the machine's processors. */
static int set_slices(cli_options *options, const char *text)
{
    cli_machine machine = {0};
    int status = set(options, "progress", text);
    if (status >= 0)
        return status;
    (void)cli_machine_read(&machine);
    char *whole = cli_text("%s%s:%u", text, strchr(text, ':') ? "" : ":",
                           machine.processors ? machine.processors : 1);
    cli_machine_free(&machine);
    status = set(options, "progress", whole);
    free(whole);
    return status;
}

static bool lacks_cores(const char *text)
{
    const char *colon = strchr(text, ':');
    return strncmp(text, "slices", 6) == 0 && (!colon || !strchr(colon + 1, ':'));
}

char *cli_machine_file_place(void)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config && *config == '/')
        return cli_text("%s/pluss/machine.json", config);
    return home && *home ? cli_text("%s/.config/pluss/machine.json", home) : NULL;
}

int cli_use_machine(cli_options *options)
{
    const char *law = cli_given(options, "progress");
    static const char *const laws[] = {"rates", "slices", "pool"};
    bool known = false;
    for (size_t i = 0; law && i < sizeof laws / sizeof *laws; i++)
        known = known || strncmp(law, laws[i], strlen(laws[i])) == 0;
    if (!known)
        return -1;
    law += strcspn(law, ":");
    if (*law && law[1] != ':') /* its first number is given */
        return -1;
    if (options->machine)
        return set(options, "machine", options->machine);
    char *path = cli_machine_file_place();
    int status = path && access(path, F_OK) == 0 ? set(options, "machine", path) : -1;
    free(path);
    return status;
}

int cli_use_costs(cli_options *options)
{
    char *place = options->machine ? NULL : cli_machine_file_place();
    const char *path = options->machine ? options->machine : place;
    int status = path && (options->machine || access(path, F_OK) == 0)
                     ? set(options, "machine", path)
                     : cli_usage(options, "there is no machine file with costs; pluss machine "
                                          "--measure --save FILE makes one, for --machine FILE");
    free(place);
    return status;
}

/* ---- texts -------------------------------------------------------------------------------------
 */

/* NAME of NAME=VALUE was given before. */
static bool is_named_again(const cli_options *options, const char *option, char end,
                           const char *text)
{
    const char *last = end == 'l' ? strrchr(text, '=') : strchr(text, '=');
    size_t length = last ? (size_t)(last - text) + 1 : 0;
    for (size_t i = 0; i < options->n_given && length; i++)
        if (strcmp(options->given[i].name, option) == 0 &&
            strncmp(options->given[i].text, text, length) == 0)
            return true;
    return false;
}

int cli_set(cli_options *options, const char *name, const char *text)
{
    int status;
    if (strcmp(name, "define") == 0 && is_named_again(options, name, 'l', text))
        return cli_usage(options, "--define '%s': the symbol has a value already", text);
    if (strcmp(name, "contents") == 0 && is_named_again(options, name, 'f', text))
        return cli_usage(options, "--contents '%s': the array has contents already", text);
    if (strcmp(name, "cache") == 0 && (strcmp(text, "machine") == 0 || strcmp(text, "none") == 0))
        status = -1; /* cli_use_levels */
    else if (strcmp(name, "progress") == 0 && lacks_cores(text))
        status = set_slices(options, text);
    else if (strcmp(name, "machine") == 0) { /* once it is known to be needed */
        options->machine = text;
        return -1;
    } else
        status = set(options, name, text);
    if (strcmp(name, "region") == 0) {
        options->region = cli_grow(options->region, options->n_regions, sizeof *options->region);
        options->region[options->n_regions++] = text;
    }
    options->given = cli_grow(options->given, options->n_given, sizeof *options->given);
    options->given[options->n_given++] = (cli_setting){name, text};
    return status;
}

void cli_print_progress(void)
{
    pluss_progress_info law = {.size = sizeof law};
    printf("\nThread progress:\n");
    for (size_t i = 0; pluss_progress_get(i, &law) == PLUSS_OK; i++)
        printf("  %-33s %s%s%s\n", law.syntax, law.summary, i == 0 ? " (default)" : "",
               !law.simulated   ? " (predicted only)"
               : !law.predicted ? " (simulated only)"
                                : "");
}
