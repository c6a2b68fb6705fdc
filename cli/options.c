/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The options of all verbs, from which both the parser (getopt_long) and --help come: those of the
 * library, as it lists them, and the command's own in a table.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum {
    WALKS = CLI_PREDICT | CLI_SIMULATE,
    ENGINES = WALKS | CLI_RUN,
    PREDICTS = CLI_PREDICT | CLI_RUN,
    REPORTS = ENGINES | CLI_SCALE | CLI_ADVISE | CLI_NESTS | CLI_MACHINE | CLI_COMPARE | CLI_DIFF |
              CLI_GAPS | CLI_CALIBRATE | CLI_REPORT | CLI_SYMBOLIC | CLI_TIME | CLI_REMARKS,
    ALL = 0x7fffffff & ~CLI_CC
};

/* Keys of options without a letter. */
enum {
    KEY_RECORD = 256,
    KEY_SAVE,
    KEY_SAMPLE_TEAMS,
    KEY_RATE,
    KEY_RUNS,
    KEY_PROCESSES,
    KEY_PIN,
    KEY_MACHINE,
    KEY_GRID,
    KEY_TOLERANCE,
    KEY_FAIL,
    KEY_TEXT,
    KEY_ANNOTATED,
    KEY_LANG,
    KEY_SIZES,
    KEY_LATENCY,
    KEY_CORUN,
    KEY_FUNCTION,
    KEY_ACCESSES,
    KEY_VALGRIND,
    KEY_RESUME,
    KEY_JSON,
    KEY_CSV,
    KEY_FORMAT,
    KEY_TABLE,
    KEY_HTML,
    KEY_MARKDOWN,
    KEY_SARIF,
    KEY_SOURCE,
    KEY_PLOT,
    KEY_ADVICE,
    KEY_NOW,
    KEY_THEN,
    KEY_AT,
    KEY_LINE_OF,
    KEY_SVG,
    KEY_PROFILES,
    KEY_EMIT,
    KEY_MEASURE,
    KEY_PLAIN,
    KEY_DETAILS,
    KEY_OF_CC /* read by verb_cc.c */
};

static const struct description {
    const char *name;
    int key; /* its letter, if it has one */
    const char *argument;
    unsigned verbs;
    const char *help;
} descriptions[] = {
    {"gcc", KEY_OF_CC, "NAME", CLI_CC,
     "the compiler to run; default gcc. The plugin must have been built for its version"},
    {"mode", KEY_OF_CC, "MODE", CLI_CC,
     "describe (default), auto, bind, time, sample or profile; all but the first also link "
     "libpluss-rt"},
    {"plugin", KEY_OF_CC, "FILE", CLI_CC,
     "the plugin; default pluss.so beside this executable, or in ../lib/pluss of its folder; for "
     "another version of gcc than that one's, gcc-VERSION/pluss.so beside it"},
    {"serial", KEY_OF_CC, NULL, CLI_CC,
     "describe the outermost affine loops of code without OpenMP as if they were parallel"},
    {"record", KEY_RECORD, "FILE", CLI_RUN,
     "run nothing, report from this record; nests come from the files that it names, or from those "
     "given"},
    {"save", KEY_SAVE, "FILE", CLI_RUN, "keep the record there"},
    {"plain", KEY_PLAIN, "PROGRAM", CLI_RUN,
     "the program built without the plugin: run before with the same arguments, what it writes is "
     "dropped; tells what recording costs in time and memory"},
    {"details", KEY_DETAILS, NULL, CLI_RUN,
     "text: also each region's curve and caches where there are more than three regions"},
    {"save", KEY_SAVE, "FILE", CLI_MACHINE,
     "put the caches that hold data, and what is measured, into this machine file, beside what it "
     "holds"},
    {"measure", KEY_MEASURE, NULL, CLI_MACHINE,
     "measure what operations and lines cost on this machine, for pluss time; some seconds"},
    {"sample-teams", KEY_SAMPLE_TEAMS, "LIST", CLI_RUN,
     "numbers of threads that a mode=sample program simulates; default: those of -T, else as its "
     "regions run"},
    {"rate", KEY_RATE, "R", CLI_RUN,
     "part of the cache lines that a mode=sample program follows, as in 0.01 or 1%; default: all"},
    {"runs", KEY_RUNS, "N", CLI_GAPS, "how often the program is run; default 10"},
    {"runs", KEY_RUNS, "N", CLI_CALIBRATE,
     "run the program until each of its regions has run N times; default 10"},
    {"processes", KEY_PROCESSES, "N", CLI_CALIBRATE,
     "run the program at least N times, as runs in one process may be alike; default 2"},
    {"pin", KEY_PIN, NULL, CLI_CALIBRATE,
     "keep each thread on a core of its own (OMP_PROC_BIND=true, OMP_PLACES=cores)"},
    {"machine", KEY_MACHINE, "FILE", CLI_CALIBRATE,
     "the machine file to be written; default: "
     "$XDG_CONFIG_HOME/pluss/machine.json or ~/.config/pluss/machine.json"},
    {"machine", KEY_MACHINE, "FILE", CLI_MACHINE, "the caches of this machine file"},
    {"grid", KEY_GRID, "GRID", CLI_COMPARE | CLI_DIFF,
     "strict (default: 8 sizes an octave, one line to the footprint) or paper (4 an octave to "
     "32 MB)"},
    {"tolerance", KEY_TOLERANCE, "POINTS", CLI_COMPARE | CLI_DIFF,
     "exit status 0 up to this mean difference of a curve, and difference of a level"},
    {"fail", KEY_FAIL, "LIMITS", CLI_DIFF,
     "exit status 1 where a level has more misses than before, by more than this and by more than "
     "the "
     "error: +0.5%@L2, or +0.5% of any level; several between commas"},
    {"text", KEY_TEXT, NULL, CLI_NESTS, "print the descriptions themselves"},
    {"annotated", KEY_ANNOTATED, NULL, CLI_NESTS,
     "print loop-annotated traces: the references in order, loops in brackets"},
    {"text", KEY_TEXT, NULL, CLI_RUN,
     "print the descriptions, with the run's values and addresses, in place of curves"},
    {"sizes", KEY_SIZES, "NAME=N,N,...", CLI_FOLD,
     "the sizes of each run, with ':' between several names; the last run is held back to check "
     "the nest"},
    {"sizes", KEY_SIZES, "NAME=N,N,...", CLI_SCALE,
     "problem sizes, with ':' between several names: the nests are walked at the first two alone, "
     "from whose profiles those of the others are scaled, too"},
    {"latency", KEY_LATENCY, "P,S,M", CLI_SCALE,
     "cycles of an access that a private cache gives, a shared one, and those that memory takes "
     "more; default: 4,10,200"},
    {"threads", 'T', "N", CLI_FOLD | CLI_TRACE,
     "of PROGRAM's runs, as OpenMP and Rayon have them (OMP_NUM_THREADS, RAYON_NUM_THREADS); "
     "default 1"},
    {"function", KEY_FUNCTION, "NAME", CLI_FOLD | CLI_TRACE,
     "trace PROGRAM while it executes this function, which is not put in line, alone"},
    {"accesses", KEY_ACCESSES, "N", CLI_TRACE,
     "end the trace after that many, which is told; default 100000000"},
    {"valgrind", KEY_VALGRIND, NULL, CLI_FOLD | CLI_TRACE,
     "trace PROGRAM as it is, under valgrind: it need not be compiled for it"},
    {"jobs", 'j', "N", CLI_SWEEP, "processes that evaluate cells; default: one a processor"},
    {"resume", KEY_RESUME, NULL, CLI_SWEEP,
     "go on with the cells that a sweep which did not come to its end has left in OUTPUT.cells"},
    {"corun", KEY_CORUN, NULL, WALKS,
     "the FILEs, nests, traces or saved profiles (NAME.json, NAME.json.gz), are programs that "
     "share "
     "a cache and no data: each alone, each in the shared cache, and all together; see --rates. -T "
     "is then 1 by default"},
    {"emit", KEY_EMIT, "c", CLI_SYMBOLIC,
     "print functions of the symbols in C, NAME_histogram and NAME_misses, in place of a report"},
    {"lang", KEY_LANG, "LANGUAGE", CLI_CODEGEN, "of the program: c or rust"},
    {"format", KEY_FORMAT, "NAME", REPORTS, "of the report, one of those below"},
    {"table", KEY_TABLE, "NAME", REPORTS,
     "of the format csv: a table of the report, as docs/json.md names it; default: the first"},
    {"json", KEY_JSON, NULL, REPORTS, "as --format=json"},
    {"csv", KEY_CSV, NULL, REPORTS, "as --format=csv"},
    {"html", KEY_HTML, NULL, REPORTS, "as --format=html"},
    {"markdown", KEY_MARKDOWN, NULL, REPORTS, "as --format=markdown"},
    {"sarif", KEY_SARIF, NULL, CLI_REPORT, "as --format=sarif"},
    {"advice", KEY_ADVICE, "N", CLI_REPORT,
     "look for changes of the N regions that cost most, as pluss advise does, in place of rules of "
     "thumb; default 1; 0: of none"},
    {"now", KEY_NOW, "COMMAND", CLI_ADVISE,
     "run this, the program as it is, and that of --then five times in turn, and show the gain in "
     "processor time beside the predicted one"},
    {"then", KEY_THEN, "COMMAND", CLI_ADVISE, "the program with the first advice in it"},
    {"plot", KEY_PLOT, NULL, ENGINES | CLI_REPORT,
     "text: also draw each curve, of block characters"},
    {"at", KEY_AT, "LEVEL", ENGINES | CLI_REPORT, "report on this level of caches alone, as in L2"},
    {"line-of", KEY_LINE_OF, "FILE:LINE", ENGINES | CLI_REPORT,
     "report on this line of a source alone: its misses at each level, and the reuse that is lost"},
    {"source", KEY_SOURCE, "FOLDER", CLI_REPORT,
     "where source files are that are not where the compiler found them; may be given again"},
    {"save-profile", KEY_PROFILES, "FILE", ENGINES,
     "also write the profiles of the curves, histograms by reference, into FILE: JSON, "
     "compressed where its name ends in .gz; pluss compare reads it"},
    {"svg", KEY_SVG, "FILE", ENGINES | CLI_SCALE | CLI_REPORT,
     "also draw the curves into FILE, a picture"},
    {"output", 'o', "FILE", ALL, "write the report to FILE in place of standard output"},
    {"help", 'h', NULL, ALL | CLI_CC, "print this"},
};
enum { N_DESCRIPTIONS = sizeof descriptions / sizeof *descriptions };

/* What the library does not know of its options. */
static const char *const more[][2] = {
    {"threads", "default: the machine's processors; of a run: as its regions ran"},
    {"cache",
     "or none; default: machine, those of --machine or else of this machine, marked among the "
     "powers of two, and their levels"},
    {"machine", "default: $XDG_CONFIG_HOME/pluss/machine.json or ~/.config/pluss/machine.json"},
};

enum { LIBRARY = 1024 /* keys of the library's options begin */ };

static bool is_among(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Predictions, but for what shows a curve in detail. */
static bool is_of_report(const pluss_option_info *option)
{
    static const char *const other[] = {"collect", "rates", "spread", "explain"};
    return option->predict && !is_among(option->name, other, sizeof other / sizeof *other);
}

/* Advice, and differences of levels, are made of predictions of levels. */
static bool is_of_advice(const char *name)
{
    static const char *const names[] = {"threads", "define", "schedule", "cache",
                                        "machine", "region", "contents", "error",
                                        "effort",  "line",   "seed",     "workers"};
    return is_among(name, names, sizeof names / sizeof *names);
}

/* Of traces that are simulated to be compared. */
static bool is_of_trace(const char *name)
{
    static const char *const names[] = {"line",           "cache",       "machine",
                                        "skip-bad-lines", "each-thread", "each-object"};
    return is_among(name, names, sizeof names / sizeof *names);
}

static bool is_of_time(const char *name)
{
    return is_of_advice(name) || strcmp(name, "together") == 0 || strcmp(name, "time-model") == 0;
}

static bool is_of_remarks(const char *name)
{
    return is_of_advice(name) || strcmp(name, "warn") == 0 || strcmp(name, "fail") == 0;
}

static bool is_of_formulas(const char *name)
{
    static const char *const names[] = {"region",   "define", "line",    "cache",
                                        "contents", "effort", "any-line"};
    return is_among(name, names, sizeof names / sizeof *names);
}

/* Of profiles that a verb makes and scales. */
static bool is_of_profiles(const char *name)
{
    static const char *const names[] = {"sampling", "skip-bad-lines", "model"};
    return is_among(name, names, sizeof names / sizeof *names);
}

/* An option of the library that the verb has; false: there is none of that number, or not for it.
 */
static bool get_library(size_t i, unsigned takes, pluss_option_info *out)
{
    *out = (pluss_option_info){.size = sizeof *out};
    if (pluss_option_get(i, out))
        return false;
    unsigned verbs =
        (out->predict ? CLI_PREDICT : 0) | (is_of_report(out) ? CLI_REPORT : 0) |
        (is_of_advice(out->name) ? CLI_ADVISE | CLI_DIFF : 0) |
        (is_of_trace(out->name) ? CLI_COMPARE | CLI_DIFF : 0) | (out->simulate ? CLI_SIMULATE : 0) |
        (out->run ? CLI_RUN : 0) | (out->gaps ? CLI_GAPS : 0) |
        (out->calibrate ? CLI_CALIBRATE : 0) |
        ((out->predict && out->simulate && out->run) || is_of_profiles(out->name) ? CLI_SCALE : 0) |
        (strcmp(out->name, "region") == 0 ? CLI_NESTS | CLI_CODEGEN | CLI_TRANSFORM : 0) |
        (is_of_time(out->name) ? CLI_TIME : 0) | (is_of_formulas(out->name) ? CLI_SYMBOLIC : 0) |
        (is_of_remarks(out->name) ? CLI_REMARKS : 0) |
        (strcmp(out->name, "skip-bad-lines") == 0 ? CLI_PACK : 0);
    return (takes & verbs) != 0;
}

static size_t count_library(void)
{
    pluss_option_info info = {.size = sizeof info};
    size_t n = 0;
    while (pluss_option_get(n, &info) == PLUSS_OK)
        n++;
    return n;
}

/* The number of the library's option that getopt gives; SIZE_MAX: it is none. */
static size_t find_library(int key, unsigned takes)
{
    pluss_option_info info;
    for (size_t i = 0, n = count_library(); i < n; i++)
        if (get_library(i, takes, &info) &&
            (key == (int)(LIBRARY + i) || (info.letter && key == info.letter)))
            return i;
    return SIZE_MAX;
}

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

static void print_option(char letter, const char *name, const char *argument, const char *help)
{
    char left[64];
    if (letter)
        snprintf(left, sizeof left, "-%c, --%s", letter, name);
    else
        snprintf(left, sizeof left, "    --%s", name);
    if (argument)
        snprintf(left + strlen(left), sizeof left - strlen(left), "=%s", argument);
    if (strlen(left) > 21)
        printf("  %s\n%24s", left, "");
    else
        printf("  %-22s", left);
    print_wrapped(help);
}

static void list_library(unsigned takes, cli_option_fn each)
{
    pluss_option_info info;
    for (size_t i = 0, n = count_library(); i < n; i++) {
        if (!get_library(i, takes, &info))
            continue;
        const char *rest = NULL;
        for (size_t k = 0; k < sizeof more / sizeof *more; k++)
            if (strcmp(more[k][0], info.name) == 0)
                rest = more[k][1];
        char *help = cli_text("%s%s%s", info.summary, rest ? "; " : "", rest ? rest : "");
        each(info.letter, info.name, info.syntax, help);
        free(help);
    }
}

void cli_list_options(const cli_verb *verb, cli_option_fn each)
{
    list_library(verb->takes, each);
    for (int i = 0; i < N_DESCRIPTIONS; i++) {
        const struct description *d = &descriptions[i];
        if (d->verbs & verb->takes)
            each(d->key < 256 ? (char)d->key : 0, d->name, d->argument, d->help);
    }
}

void cli_print_help(const cli_verb *verb)
{
    printf("usage: pluss %s [OPTION...]%s%s\n\n%s\n", verb->name, *verb->arguments ? " " : "",
           verb->arguments, verb->description);
    cli_list_options(verb, print_option);
    if (verb->takes & REPORTS) {
        printf("\nFormats:\n");
        pluss_format_info format = {.size = sizeof format};
        for (size_t i = 0; pluss_report_format_get(i, &format) == PLUSS_OK; i++)
            printf("  %-12s %s%s\n", format.name, format.summary, i == 0 ? " (default)" : "");
    }
    if (verb->takes & (ENGINES | CLI_REPORT))
        cli_print_progress();
    if (verb->takes & (PREDICTS | CLI_REPORT | CLI_SCALE)) {
        const bool scales = (verb->takes & CLI_SCALE) != 0;
        printf("\nModels:\n");
        pluss_model_info model = {.size = sizeof model};
        for (size_t i = 0; pluss_model_get(i, &model) == PLUSS_OK; i++)
            if (model.scales || !scales)
                printf("  %-13s %s%s\n", model.name, model.summary,
                       (scales ? model.scales == 2 : i == 0) ? " (default)" : "");
    }
}

static void add_getopt(const char *name, bool argument, int key, char letter, struct option **longs,
                       char **shorts)
{
    *(*longs)++ = (struct option){name, argument ? required_argument : no_argument, NULL, key};
    if (letter) {
        *(*shorts)++ = letter;
        if (argument)
            *(*shorts)++ = ':';
    }
}

static void make_getopt(unsigned takes, struct option *longs, char *shorts)
{
    pluss_option_info info;
    if (takes & CLI_RUNS_PROGRAM) /* the program's own options are its own */
        *shorts++ = '+';
    for (size_t i = 0, n = count_library(); i < n; i++)
        if (get_library(i, takes, &info))
            add_getopt(info.name, info.syntax != NULL, (int)(LIBRARY + i), info.letter, &longs,
                       &shorts);
    for (int i = 0; i < N_DESCRIPTIONS; i++) {
        const struct description *d = &descriptions[i];
        if (d->verbs & takes)
            add_getopt(d->name, d->argument != NULL, d->key, d->key < 256 ? (char)d->key : 0,
                       &longs, &shorts);
    }
    *longs = (struct option){0};
    *shorts = '\0';
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

static bool read_emit(const char *text, cli_options *o, const char **why)
{
    *why = "the language is c";
    o->emit = strcmp(text, "c") == 0;
    return o->emit;
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
    switch (key) {
    case KEY_RECORD:
        o->record = text;
        return true;
    case KEY_SAMPLE_TEAMS:
        o->sample_teams = text;
        return cli_check_sample_teams(text, why);
    case KEY_RATE:
        return cli_read_rate(text, &o->sample_rate, why);
    case KEY_SAVE:
        o->save = text;
        return true;
    case KEY_PLAIN:
        o->plain = text;
        return true;
    case KEY_DETAILS:
        o->details = true;
        return true;
    case KEY_PROCESSES:
        *why = "it is run at least once, and at most 1000 times";
        return cli_read_count(text, 1000, &o->processes) && o->processes > 0;
    case KEY_PIN:
        o->pinned = true;
        return true;
    case KEY_MACHINE:
        o->machine = text;
        return true;
    case KEY_RUNS:
        *why = "it is run at least once, and at most 1000 times";
        return cli_read_count(text, 1000, &o->runs) && o->runs > 0;
    case KEY_GRID:
        return read_grid(text, o, why);
    case KEY_TOLERANCE:
        return cli_read_real(text, &o->tolerance, why);
    case KEY_MEASURE:
        o->measure = true;
        return true;
    case KEY_FAIL:
        o->fail = text;
        return cli_check_limits(text, why);
    case KEY_TEXT:
        o->nest_text = true;
        return true;
    case KEY_ANNOTATED:
        o->annotated = true;
        return true;
    case KEY_SIZES:
        o->sizes = text;
        return true;
    case KEY_LATENCY:
        return cli_read_reals(text, 3, o->latency, why);
    case KEY_FUNCTION:
        o->function = text;
        return true;
    case KEY_VALGRIND:
        o->valgrind = true;
        return true;
    case KEY_ACCESSES:
        *why = "at least one access";
        return cli_read_count(text, UINT64_MAX, &o->accesses) && o->accesses > 0;
    case 'T':
        *why = "1 to 1024 threads";
        return cli_read_count(text, 1024, &o->team) && o->team > 0;
    case 'j':
        *why = "1 to 1024 processes";
        return cli_read_count(text, 1024, &o->jobs) && o->jobs > 0;
    case KEY_RESUME:
        o->resume = true;
        return true;
    case KEY_CORUN:
        o->corun = true;
        return true;
    case KEY_LANG:
        return read_language(text, o, why);
    case KEY_EMIT:
        return read_emit(text, o, why);
    case KEY_JSON:
        return set_format("json", o, why);
    case KEY_CSV:
        return set_format("csv", o, why);
    case KEY_HTML:
        return set_format("html", o, why);
    case KEY_MARKDOWN:
        return set_format("markdown", o, why);
    case KEY_SARIF:
        return set_format("sarif", o, why);
    case KEY_ADVICE:
        *why = "0 to 1000 regions";
        return cli_read_count(text, 1000, &o->advised);
    case KEY_NOW:
        o->now = text;
        return true;
    case KEY_THEN:
        o->then = text;
        return true;
    case KEY_PLOT:
        o->plot = true;
        return true;
    case KEY_AT:
        o->at = text;
        return true;
    case KEY_LINE_OF:
        o->line_of = text;
        return true;
    case KEY_SOURCE:
        o->folder = cli_grow(o->folder, o->n_folders, sizeof *o->folder);
        o->folder[o->n_folders++] = text;
        return true;
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

/* One option, given before or not. -1: go on; else the exit status. */
static int take_own(int key, bool *given, cli_options *o)
{
    const char *why = "it was given before, and there can be one";
    const struct description *d = find(key);
    bool again = given[d - descriptions] && d->argument && key != KEY_SOURCE;
    given[d - descriptions] = true;
    if (!again && take(key, optarg, o, &why))
        return -1;
    return cli_usage(o, "--%s%s%s%s: %s", d->name, optarg ? " '" : "", optarg ? optarg : "",
                     optarg ? "'" : "", why);
}

static int take_library(size_t i, cli_options *o)
{
    pluss_option_info info = {.size = sizeof info};
    cli_must(pluss_option_get(i, &info));
    if (info.syntax && !info.adds && cli_given(o, info.name))
        return cli_usage(o, "--%s '%s': it was given before, and there can be one", info.name,
                         optarg);
    return cli_set(o, info.name, optarg);
}

int cli_parse_options(const cli_verb *verb, int argc, char **argv, cli_options *out)
{
    size_t most = N_DESCRIPTIONS + count_library() + 1;
    struct option *longs = cli_alloc(most, sizeof *longs);
    char *shorts = cli_alloc(2 * most + 2, 1), name[32];
    *out = (cli_options){.verb = verb->name, .tolerance = -1, .advised = 1};
    cli_must(pluss_context_new(NULL, &out->quiet));
    cli_must(pluss_options_new(out->quiet, &out->request));
    make_getopt(verb->takes, longs, shorts);
    snprintf(name, sizeof name, "pluss %s", verb->name);
    argv[0] = name; /* getopt's messages start with it */
    bool given[N_DESCRIPTIONS] = {0};
    int status = -1;
    for (int key; status < 0 && (key = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        size_t of_library = find_library(key, verb->takes);
        if (key == 'h') {
            cli_print_help(verb);
            status = CLI_OK;
        } else if (key == '?') {
            fprintf(stderr, "Try 'pluss %s --help'.\n", verb->name);
            status = CLI_USAGE;
        } else if (of_library != SIZE_MAX) {
            status = take_library(of_library, out);
        } else {
            status = take_own(key, given, out);
        }
    }
    if (status < 0 && out->profiles)
        cli_must(pluss_options_set(out->quiet, out->request, "profiles", NULL));
    free(longs);
    free(shorts);
    if (status < 0 && cli_given(out, "sharing") && !out->profiles)
        status = cli_usage(out, "--sharing and --save-profile, where it goes, go together");
    if (status < 0 && cli_given(out, "sampling") && !cli_given(out, "sharing") &&
        verb->run != cli_scale)
        status = cli_usage(out, "--sampling is of the profiles of --sharing");
    if (status < 0 && cli_given(out, "sharing") && verb->run == cli_run &&
        !cli_given(out, "simulate"))
        status = cli_usage(out, "--sharing is for --simulate");
    return status < 0 ? take_files(verb, argc, argv, out) : status;
}

void cli_free_options(cli_options *options)
{
    for (size_t i = 0; i < options->n_stored; i++)
        free(options->stored[i]);
    free(options->stored);
    pluss_options_free(options->request);
    pluss_context_free(options->quiet);
    free(options->given);
    free(options->region);
    free(options->folder);
    pluss_machine_file_free(options->target.file);
}
