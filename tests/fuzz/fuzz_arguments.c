/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any words as a verb's command line: they are taken, and what is in the options is in its ranges,
 * or refused. The first byte chooses the verb, line ends part the words.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cli/cli.h"
#include "any_target.h"

enum { MAX_WORDS = 64 };

static const cli_verb verbs[] = {
    {"nests", "FILE", "", "", CLI_NESTS, 1, 1, NULL},
    {"predict", "FILE", "", "", CLI_PREDICT, 1, 1, NULL},
    {"simulate", "FILE", "", "", CLI_SIMULATE, 1, 1, NULL},
    {"run", "[PROGRAM]", "", "", CLI_RUN, 0, SIZE_MAX, NULL},
    {"gaps", "PROGRAM", "", "", CLI_GAPS, 1, SIZE_MAX, NULL},
    {"calibrate", "PROGRAM", "", "", CLI_CALIBRATE, 1, SIZE_MAX, NULL},
    {"compare", "A B", "", "", CLI_COMPARE, 2, 2, NULL},
    {"codegen", "FILE", "", "", CLI_CODEGEN, 1, 1, NULL},
    {"machine", "", "", "", CLI_MACHINE, 0, 0, NULL},
    {"report", "FILE...", "", "", CLI_REPORT, 1, SIZE_MAX, NULL},
    {"advise", "FILE", "", "", CLI_ADVISE, 1, 1, NULL},
    {"remarks", "FILE", "", "", CLI_REMARKS, 1, 1, NULL},
    {"transform", "FILE STEP...", "", "", CLI_TRANSFORM, 1, SIZE_MAX, NULL},
    {"diff", "OLD NEW", "", "", CLI_DIFF, 2, 2, NULL},
};

static void check_options(const cli_options *o, const cli_verb *verb)
{
    require(o->n_files >= verb->least && o->n_files <= verb->most,
            "as many files as the verb takes");
    size_t n;
    const uint32_t *team = pluss_options_get_threads(o->request, &n);
    for (size_t i = 0; i < n; i++)
        require(team[i] >= 1, "teams have threads");
    const pluss_cache *cache = pluss_options_get_caches(o->request, &n);
    for (size_t i = 0; i < n; i++)
        require(cache[i].bytes >= 1, "caches have bytes");
    require(o->sample_rate >= 0 && o->sample_rate <= 1, "shares are shares");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const cli_verb *verb = &verbs[data[0] % (sizeof verbs / sizeof *verbs)];
    char *words = strndup((const char *)data + 1, size - 1), *rest = words,
         *argv[MAX_WORDS + 2] = {NULL};
    require(words != NULL, "memory");
    int argc = 1;
    for (char *word; argc <= MAX_WORDS && (word = strsep(&rest, "\n"));)
        argv[argc++] = word;
    cli_options options;
    optind = 0;
    if (cli_parse_options(verb, argc, argv, &options) < 0)
        check_options(&options, verb);
    cli_free_options(&options);
    free(words);
    return 0;
}
