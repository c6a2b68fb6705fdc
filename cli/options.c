/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The options of all verbs in one table, from which both the parser (getopt_long) and --help come.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrated.h"

enum {
    WALKS = CLI_PREDICT | CLI_SIMULATE,
    ENGINES = WALKS | CLI_RUN,
    PREDICTS = CLI_PREDICT | CLI_RUN,
    REPORTS = ENGINES | CLI_NESTS | CLI_MACHINE | CLI_COMPARE | CLI_PROGRESS | CLI_CALIBRATE,
    ALL = 1023
};

/* Keys of options without a letter. */
enum {
    KEY_MODEL = 256,
    KEY_CONTENTS,
    KEY_COLLECT,
    KEY_ERROR,
    KEY_EFFORT,
    KEY_PROGRESS,
    KEY_STAMPS,
    KEY_EXPLAIN,
    KEY_SPREAD,
    KEY_SCHEDULE,
    KEY_CACHE,
    KEY_LINE,
    KEY_SEED,
    KEY_REGION,
    KEY_TOGETHER,
    KEY_SIMULATE,
    KEY_RECORD,
    KEY_SAVE,
    KEY_SAMPLE_TEAMS,
    KEY_RATE,
    KEY_RUNS,
    KEY_PROCESSES,
    KEY_PIN,
    KEY_MACHINE,
    KEY_INTERVAL,
    KEY_STOPS,
    KEY_LAP,
    KEY_LOOP,
    KEY_BINS,
    KEY_DROP,
    KEY_GRID,
    KEY_TOLERANCE,
    KEY_TEXT,
    KEY_LANG,
    KEY_JSON,
    KEY_CSV,
    KEY_FORMAT,
    KEY_TABLE,
    KEY_SVG,
    KEY_PROFILES
};

static const struct description {
    const char *name;
    int key; /* its letter, if it has one */
    const char *argument;
    unsigned verbs;
    const char *help;
} descriptions[] = {
    {"threads", 'T', "LIST", WALKS,
     "numbers of threads: 1,4,16-64 or 1..64x2 (doubling); default: the machine's processors"},
    {"threads", 'T', "LIST", CLI_RUN,
     "numbers of threads: 1,4,16-64 or 1..64x2 (doubling); default: as the regions ran"},
    {"record", KEY_RECORD, "FILE", CLI_RUN,
     "run nothing, report from this record; nests come from the files that it names, or from those "
     "given"},
    {"save", KEY_SAVE, "FILE", CLI_RUN, "keep the record there"},
    {"sample-teams", KEY_SAMPLE_TEAMS, "LIST", CLI_RUN,
     "numbers of threads that a mode=sample program simulates; default: those of -T, else as its "
     "regions run"},
    {"rate", KEY_RATE, "R", CLI_RUN,
     "part of the cache lines that a mode=sample program follows, as in 0.01 or 1%; default: all"},
    {"runs", KEY_RUNS, "N", CLI_PROGRESS, "how often the program is run; default 10"},
    {"runs", KEY_RUNS, "N", CLI_CALIBRATE,
     "run the program until there are so many runs of each of its regions; default 10"},
    {"processes", KEY_PROCESSES, "N", CLI_CALIBRATE,
     "run the program at least so often, as runs in one process may be alike; default 2"},
    {"pin", KEY_PIN, NULL, CLI_CALIBRATE,
     "keep each thread on a core of its own (OMP_PROC_BIND=true, OMP_PLACES=cores)"},
    {"machine", KEY_MACHINE, "FILE", ENGINES | CLI_CALIBRATE,
     "the machine file, of progress rates and slices; default: "
     "$XDG_CONFIG_HOME/pluss/machine.json or ~/.config/pluss/machine.json"},
    {"interval", KEY_INTERVAL, "TIME", CLI_PROGRESS,
     "between stops: a number of us, ms or s; default 100us"},
    {"stops", KEY_STOPS, "HOW", CLI_PROGRESS,
     "afterwards (default): where threads were at these times is read off their time stamps, and "
     "nothing disturbs them; timer: a signal notes it at the time, as in the PACT'24 paper"},
    {"loop", KEY_LOOP, "N", CLI_PROGRESS,
     "this loop, by its number in its region; default: the one with the most gaps"},
    {"lap", KEY_LAP, "N", CLI_PROGRESS,
     "iterations of the loop that a lap has; default 1: what one iteration of it walks is shared"},
    {"bins", KEY_BINS, "N", CLI_PROGRESS, "of the histogram and the test; default 20"},
    {"drop", KEY_DROP, "SHARE", CLI_PROGRESS,
     "leave out these stops at a run's beginning, as in 10% or 0.1 (default), or 0"},
    {"define", 'D', "NAME=VALUE", ENGINES,
     "value of a symbol, or of REGION.NAME; decimal or 0x hexadecimal"},
    {"contents", KEY_CONTENTS, "ARRAY=FILE", WALKS,
     "what an index array holds: integers, white space between, in order; may be given again"},
    {"model", KEY_MODEL, "NAME", PREDICTS, "the model to predict with"},
    {"collect", KEY_COLLECT, "T", CLI_PREDICT,
     "collect private reuse intervals with T threads and extrapolate; default: each its own"},
    {"error", KEY_ERROR, "E", PREDICTS,
     "sample until the mean standard error is below E, as in 0.2% or 0.002; default: sample once"},
    {"effort", KEY_EFFORT, "N", ENGINES,
     "steps that a curve may take, of about ten nanoseconds; default 600000000. What takes more is "
     "walked if that takes fewer, with a warning, else refused. Simulations and models that walk: "
     "default 1000000000000, some hours"},
    {"progress", KEY_PROGRESS, "LAW", CLI_PREDICT,
     "how the threads progress, a law of those below; other than uniformly by the model clock "
     "alone"},
    {"progress", KEY_PROGRESS, "LAW", CLI_SIMULATE,
     "how the threads progress, a law of those below: the order in which they make their accesses"},
    {"progress", KEY_PROGRESS, "LAW", CLI_RUN,
     "how the threads progress, a law of those below; recorded: as in this run (mode=time; with "
     "--simulate mode=profile too)"},
    {"simulate", KEY_SIMULATE, NULL, CLI_RUN,
     "walk every access in the order that --progress tells, in place of predicting"},
    {"stamps", KEY_STAMPS, "RECORD", WALKS,
     "of recorded progress: the record that has the time stamps of the runs (pluss run --save)"},
    {"explain", KEY_EXPLAIN, NULL, PREDICTS,
     "why the curve falls where it does: the references and loops behind each knee"},
    {"spread", KEY_SPREAD, NULL, PREDICTS,
     "how far single runs are from their mean, with uniform progress too; takes some ten times the "
     "time"},
    {"schedule", KEY_SCHEDULE, "KIND", WALKS,
     "of all parallel loops, in place of what is written: static, dynamic or guided, chunk as in "
     "static,4; or recorded=FILE: chunks as in a recorded run with as many threads"},
    {"schedule", KEY_SCHEDULE, "KIND", CLI_RUN,
     "of all parallel loops, in place of what is written: static, dynamic or guided, chunk as in "
     "static,4; or recorded: chunks as in the run"},
    {"cache", KEY_CACHE, "LIST", ENGINES,
     "caches to show: sizes, 32K,1M, or levels, L1=32K,L2=1M,L3=32M:shared (else each thread's "
     "own; "
     ":shared=N: of N threads), or machine; default: powers of two, this machine's caches marked"},
    {"line", KEY_LINE, "BYTES", ENGINES, "size of a cache line, a power of two; default 64"},
    {"seed", KEY_SEED, "N", ENGINES, "of everything random; default 0"},
    {"region", KEY_REGION, "NAME", ENGINES | CLI_NESTS | CLI_CODEGEN | CLI_CALIBRATE,
     "take this region alone; may be given again"},
    {"region", KEY_REGION, "NAME", CLI_PROGRESS, "loops of this region alone"},
    {"together", KEY_TOGETHER, NULL, WALKS,
     "all regions as one program, in order, the cache left as the one before left it"},
    {"together", KEY_TOGETHER, NULL, CLI_RUN,
     "only the sequence of all runs as one program, not each region on its own"},
    {"grid", KEY_GRID, "GRID", CLI_COMPARE,
     "strict (default: 8 sizes an octave, one line to the footprint) or paper (4 an octave to "
     "32 MB)"},
    {"tolerance", KEY_TOLERANCE, "POINTS", CLI_COMPARE, "largest mean difference that is a yes"},
    {"text", KEY_TEXT, NULL, CLI_NESTS, "print the descriptions themselves"},
    {"text", KEY_TEXT, NULL, CLI_RUN,
     "print the descriptions, with the run's values and addresses, in place of curves"},
    {"lang", KEY_LANG, "LANGUAGE", CLI_CODEGEN, "of the program: c or rust"},
    {"format", KEY_FORMAT, "NAME", REPORTS, "of the report, one of those below"},
    {"table", KEY_TABLE, "NAME", REPORTS,
     "of the format csv: a table of the report, as docs/json.md names it; default: the first"},
    {"json", KEY_JSON, NULL, REPORTS, "as --format=json"},
    {"csv", KEY_CSV, NULL, REPORTS, "as --format=csv"},
    {"save-profile", KEY_PROFILES, "FILE", ENGINES,
     "also write the profiles behind the curves, histograms by reference, into FILE: JSON, "
     "compressed where its name ends in .gz; pluss compare reads it"},
    {"svg", KEY_SVG, "FILE", ENGINES, "also draw the curves into FILE (needs gnuplot)"},
    {"output", 'o', "FILE", ALL, "write the report to FILE in place of standard output"},
    {"help", 'h', NULL, ALL, "print this"},
};
enum { N_DESCRIPTIONS = sizeof descriptions / sizeof *descriptions };

static const struct description *find(int key)
{
    for (int i = 0; i < N_DESCRIPTIONS; i++)
        if (descriptions[i].key == key)
            return &descriptions[i];
    return NULL;
}

/* Wraps help at 100 columns after an indent of 24. */
static void print_wrapped(const char *text)
{
    enum { INDENT = 24, WIDTH = 100 };
    size_t column = INDENT;
    while (*text) {
        size_t word = strcspn(text, " ");
        if (column + 1 + word > WIDTH) {
            printf("\n%*s", INDENT, "");
            column = INDENT;
        } else if (column > INDENT) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)word, text);
        column += word;
        text += word + strspn(text + word, " ");
    }
    putchar('\n');
}

void cli_print_help(const cli_verb *verb)
{
    printf("usage: pluss %s [OPTION...]%s%s\n\n%s\n", verb->name, *verb->arguments ? " " : "",
           verb->arguments, verb->description);
    for (int i = 0; i < N_DESCRIPTIONS; i++) {
        const struct description *d = &descriptions[i];
        char left[64];
        if (!(d->verbs & verb->takes))
            continue;
        if (d->key < 256)
            snprintf(left, sizeof left, "-%c, --%s", d->key, d->name);
        else
            snprintf(left, sizeof left, "    --%s", d->name);
        if (d->argument)
            snprintf(left + strlen(left), sizeof left - strlen(left), "=%s", d->argument);
        if (strlen(left) > 21)
            printf("  %s\n%24s", left, "");
        else
            printf("  %-22s", left);
        print_wrapped(d->help);
    }
    if (verb->takes & REPORTS) {
        printf("\nFormats:\n");
        pluss_format_info format = {.size = sizeof format};
        for (size_t i = 0; pluss_report_format_get(i, &format) == PLUSS_OK; i++)
            printf("  %-12s %s%s\n", format.name, format.summary, i == 0 ? " (default)" : "");
    }
    if (verb->takes & ENGINES)
        cli_print_progress();
    if (verb->takes & PREDICTS) {
        printf("\nModels:\n");
        pluss_model_info model = {.size = sizeof model};
        for (size_t i = 0; pluss_model_get(i, &model) == PLUSS_OK; i++)
            printf("  %-12s %s%s\n", model.name, model.summary, i == 0 ? " (default)" : "");
    }
}

static void make_getopt(unsigned takes, struct option *longs, char *shorts)
{
    if (takes & CLI_RUNS_PROGRAM) /* the program's own options are its own */
        *shorts++ = '+';
    for (int i = 0; i < N_DESCRIPTIONS; i++) {
        const struct description *d = &descriptions[i];
        if (!(d->verbs & takes))
            continue;
        *longs++ =
            (struct option){d->name, d->argument ? required_argument : no_argument, NULL, d->key};
        if (d->key < 256) {
            *shorts++ = (char)d->key;
            if (d->argument)
                *shorts++ = ':';
        }
    }
    *longs = (struct option){0};
    *shorts = '\0';
}

static bool read_binding(const char *text, cli_options *o, const char **why)
{
    const char *equals = strrchr(text, '=');
    if (!equals || equals == text) {
        *why = "it is NAME=VALUE";
        return false;
    }
    int64_t value;
    if (!cli_read_i64(equals + 1, &value, why))
        return false;
    size_t length = (size_t)(equals - text);
    char *name = cli_alloc(length + 1, 1);
    memcpy(name, text, length);
    for (size_t i = 0; i < o->n_bindings; i++)
        if (strcmp(o->binding[i].name, name) == 0) {
            *why = "the symbol has a value already";
            free(name);
            return false;
        }
    o->binding = cli_grow(o->binding, o->n_bindings, sizeof *o->binding);
    o->binding[o->n_bindings++] = (pluss_binding){name, value};
    return true;
}

static bool read_model(const char *text, cli_options *o, const char **why)
{
    pluss_model_info model = {.size = sizeof model};
    for (size_t i = 0; pluss_model_get(i, &model) == PLUSS_OK; i++)
        if (strcmp(model.name, text) == 0) {
            o->model = text;
            return true;
        }
    *why = "there is no such model; --help lists them";
    return false;
}

static bool read_line(const char *text, cli_options *o, const char **why)
{
    uint64_t value;
    if (!cli_read_u64(text, 4096, &value, why))
        return false;
    *why = "a line has a power of two of bytes, up to 4096";
    o->line_bytes = (uint32_t)value;
    return value != 0 && (value & (value - 1)) == 0;
}

static bool read_grid(const char *text, cli_options *o, const char **why)
{
    *why = "the grid is strict or paper";
    o->grid = strcmp(text, "paper") == 0 ? PLUSS_GRID_PAPER : PLUSS_GRID_STRICT;
    return strcmp(text, "paper") == 0 || strcmp(text, "strict") == 0;
}

static bool read_language(const char *text, cli_options *o, const char **why)
{
    *why = "the language is c or rust";
    o->language = strcmp(text, "rust") == 0 ? PLUSS_LANGUAGE_RUST : PLUSS_LANGUAGE_C;
    o->has_language = o->language == PLUSS_LANGUAGE_RUST || strcmp(text, "c") == 0;
    return o->has_language;
}

static bool set_format(const char *name, cli_options *o, const char **why)
{
    pluss_format_info format = {.size = sizeof format};
    *why = "one report at a time";
    if (o->format && strcmp(o->format, name) != 0)
        return false;
    o->format = name;
    *why = "there is no such format";
    for (size_t i = 0; pluss_report_format_get(i, &format) == PLUSS_OK; i++)
        if (strcmp(format.name, name) == 0)
            return true;
    return false;
}

/* One option; false with *why where its argument is wrong. */
static bool take(int key, const char *text, cli_options *o, const char **why)
{
    uint64_t number = 0;
    bool good = true;
    switch (key) {
    case 'T':
        free(o->team);
        o->team = NULL;
        return cli_read_threads(text, &o->team, &o->n_teams, why);
    case 'D':
        return read_binding(text, o, why);
    case KEY_CONTENTS:
        return cli_take_contents(text, o, why);
    case KEY_MODEL:
        return read_model(text, o, why);
    case KEY_COLLECT:
        *why = "a team has at least one thread";
        good = cli_read_u64(text, UINT32_MAX, &number, why) && number > 0;
        o->collect_team = (uint32_t)number;
        return good;
    case KEY_ERROR:
        return cli_read_share(text, &o->error_target, why);
    case KEY_EFFORT:
        *why = "an effort is at least one step";
        return cli_read_u64(text, INT64_MAX, &o->effort, why) && o->effort > 0;
    case KEY_PROGRESS:
        return cli_read_progress(text, &o->progress, why);
    case KEY_SIMULATE:
        o->simulate = true;
        return true;
    case KEY_STAMPS:
        o->stamps = text;
        return true;
    case KEY_RECORD:
        o->record = text;
        return true;
    case KEY_SAMPLE_TEAMS:
        return cli_read_sample_teams(text, o, why);
    case KEY_RATE:
        return cli_read_rate(text, &o->sample_rate, why);
    case KEY_SAVE:
        o->save = text;
        return true;
    case KEY_PROCESSES:
        *why = "it is run at least once, and at most 1000 times";
        return cli_read_u64(text, 1000, &o->processes, why) && o->processes > 0;
    case KEY_PIN:
        o->pinned = true;
        return true;
    case KEY_MACHINE:
        o->machine = text;
        return true;
    case KEY_RUNS:
        *why = "it is run at least once, and at most 1000 times";
        return cli_read_u64(text, 1000, &o->runs, why) && o->runs > 0;
    case KEY_INTERVAL:
        o->interval = text;
        return cli_read_interval(text, &o->interval_ns, why);
    case KEY_STOPS:
        *why = "stops are made by the timer, or afterwards";
        o->by_timer = strcmp(text, "timer") == 0;
        return o->by_timer || strcmp(text, "afterwards") == 0;
    case KEY_LOOP:
        o->has_loop = true;
        good = cli_read_u64(text, UINT32_MAX, &number, why);
        o->loop = (uint32_t)number;
        return good;
    case KEY_LAP:
        good = cli_read_real(text, &o->lap, why);
        *why = good ? "a lap is more than nothing" : *why;
        return good && o->lap > 0;
    case KEY_BINS:
        *why = "there are 2 to 1024 bins";
        good = cli_read_u64(text, 1024, &number, why) && number >= 2;
        o->bins = (uint32_t)number;
        return good;
    case KEY_DROP:
        o->drop_given = true;
        good = strcmp(text, "0") == 0 || cli_read_share(text, &o->drop, why);
        *why = "a share is 0, or as 10% or 0.1, below 1";
        return good;
    case KEY_EXPLAIN:
        o->explain = true;
        return true;
    case KEY_SPREAD:
        o->spread = true;
        return true;
    case KEY_SCHEDULE:
        return cli_read_schedule(text, &o->schedule, &o->chunk, &o->schedule_record, why);
    case KEY_CACHE:
        return cli_read_levels(text, o, why);
    case KEY_LINE:
        return read_line(text, o, why);
    case KEY_SEED:
        return cli_read_u64(text, INT64_MAX, &o->seed, why);
    case KEY_REGION:
        o->region = cli_grow(o->region, o->n_regions, sizeof *o->region);
        o->region[o->n_regions++] = text;
        return true;
    case KEY_TOGETHER:
        o->together = true;
        return true;
    case KEY_GRID:
        return read_grid(text, o, why);
    case KEY_TOLERANCE:
        return cli_read_real(text, &o->tolerance, why);
    case KEY_TEXT:
        o->nest_text = true;
        return true;
    case KEY_LANG:
        return read_language(text, o, why);
    case KEY_JSON:
        return set_format("json", o, why);
    case KEY_CSV:
        return set_format("csv", o, why);
    case KEY_FORMAT:
        return set_format(text, o, why);
    case KEY_TABLE:
        o->table = text;
        return true;
    case KEY_PROFILES:
        o->profiles = text;
        return true;
    case KEY_SVG:
        o->svg = text;
        return true;
    case 'o':
        o->output = text;
        return true;
    default:
        *why = "not an option";
        return false;
    }
}

/* Options that may be given more than once, each time for something else. */
static bool adds_up(int key)
{
    return key == 'D' || key == KEY_CONTENTS || key == KEY_REGION;
}

static int take_files(const cli_verb *verb, int argc, char **argv, cli_options *o)
{
    o->n_files = (size_t)(argc - optind);
    o->file = (const char **)argv + optind;
    for (size_t i = 0; i < o->n_files && !(verb->takes & CLI_RUNS_PROGRAM); i++)
        if (strcmp(o->file[i], "-") == 0)
            o->file[i] = "/dev/stdin";
    if (o->n_files < verb->least)
        return cli_usage(o, "%s expected, %s given", verb->arguments,
                         o->n_files == 0 ? "nothing is" : "too little is");
    if (o->n_files > verb->most)
        return cli_usage(o, "'%s' is one too many", o->file[verb->most]);
    return -1;
}

int cli_parse_options(const cli_verb *verb, int argc, char **argv, cli_options *out)
{
    struct option longs[N_DESCRIPTIONS + 1];
    char shorts[2 * N_DESCRIPTIONS + 2], name[32];
    *out = (cli_options){.verb = verb->name, .tolerance = -1};
    make_getopt(verb->takes, longs, shorts);
    snprintf(name, sizeof name, "pluss %s", verb->name);
    argv[0] = name; /* getopt's messages start with it */
    bool given[N_DESCRIPTIONS] = {0};
    for (int key; (key = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        const char *why = "it was given before, and there can be one";
        if (key == 'h') {
            cli_print_help(verb);
            return CLI_OK;
        }
        if (key == '?') {
            fprintf(stderr, "Try 'pluss %s --help'.\n", verb->name);
            return CLI_USAGE;
        }
        const struct description *d = find(key);
        bool again = given[d - descriptions] && d->argument && !adds_up(key);
        given[d - descriptions] = true;
        if (again || !take(key, optarg, out, &why)) {
            return cli_usage(out, "--%s%s%s%s: %s", d->name, optarg ? " '" : "",
                             optarg ? optarg : "", optarg ? "'" : "", why);
        }
    }
    return take_files(verb, argc, argv, out);
}

void cli_free_options(cli_options *options)
{
    for (size_t i = 0; i < options->n_bindings; i++)
        free((char *)options->binding[i].name);
    free(options->binding);
    cli_free_contents(options);
    free(options->team);
    free(options->sample_team);
    cli_free_machine(options);
    cli_free_levels(options);
    free(options->region);
}
