/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* To add a verb: a file verb_NAME.c, an entry here, and its bit in options.c. */
static const cli_verb verbs[] = {
    {"cc", "GCC-ARGUMENT...", "gcc with the plugin that writes loop nests into object files",
     "Runs gcc with the plugin that finds parallel loops and writes their descriptions into the\n"
     "object files. The code that gcc makes is the same as without. These options precede gcc's\n"
     "arguments; the first other one is gcc's. Exit status: gcc's.\n",
     CLI_CC, 1, SIZE_MAX, NULL},
    {"nests", "FILE", "the nests found in FILE, with what could not be described and why",
     "Lists the loop nests that FILE holds: an ELF executable, object or shared library, an ar\n"
     "archive of such, or a nest description as text.\n"
     "Exit status 1: FILE holds none.\n",
     CLI_NESTS, 1, 1, cli_nests},
    {"predict", "FILE...", "miss ratio curves of FILE's nests, from a model",
     "Predicts how often the nests in FILE miss in a shared cache, for numbers of threads and all\n"
     "cache sizes, without running them. Each region on its own, unless --together.\n",
     CLI_PREDICT, 1, SIZE_MAX, cli_predict},
    {"simulate", "FILE...", "the exact curves of one interleaving, by walking every access",
     "Walks every access of the nests in FILE, merged in a chosen order, through an LRU stack.\n"
     "Each region on its own, unless --together. FILE may be a trace (docs/trace-format.md), "
     "which\n"
     "has its own order and threads.\n",
     CLI_SIMULATE, 1, SIZE_MAX, cli_simulate},
    {"scale", "FILE...", "curves of many threads and large sizes from profiles of few",
     "Walks the nests in FILE with 1, 2 and 4 threads, scales the profiles of shared and of "
     "coherent\n"
     "private caches to other numbers of threads and problem sizes (by --model), and shows "
     "beside\n"
     "that what the model clock predicts, which walks nothing. Where the FILEs are profiles\n"
     "(NAME.json, NAME.json.gz: simulate -T 1,2,4 --sharing --save-profile NAME.json), these are\n"
     "scaled, to the values of their runs or to those of -D or --sizes. C_core is the size from\n"
     "which on a shared cache hardly misses more often than with one thread, C_share the size of\n"
     "all caches together from which on a shared one misses less often than private ones.\n",
     CLI_SCALE, 1, SIZE_MAX, cli_scale},
    {"report", "FILE...", "a report on a file or a run: what misses, where, why, and what to try",
     "Predicts the nests in FILE, or what a record has (pluss run --save), and reports on all of\n"
     "it: regions, worst first; misses by level, reference and line; the reuse that was lost. As\n"
     "text the first screen has the answer; with -o NAME.html it is a page for a browser, in one\n"
     "file, with the curves of a grid of threads, schedules and values: without -T, 1 to 16 "
     "threads\n"
     "or the machine's; without --schedule, as written, static,1 and dynamic,4; and the sizes "
     "given\n"
     "with -D, half and double. The name of -o tells the format: .html, .md, .json, .csv or "
     ".sarif.\n",
     CLI_REPORT, 1, SIZE_MAX, cli_report_verb},
    {"run", "[PROGRAM [ARGUMENT...]]", "run an instrumented program and report from its record",
     "Runs PROGRAM, built with pluss cc --mode=auto, bind, time, sample or profile, and predicts\n"
     "the miss ratio curves of the regions that ran: one for each set of values, with the "
     "addresses\n"
     "that their arrays had, and, where there was more than one run, one for the sequence of all,\n"
     "each with the cache as the one before left it. The program's output and exit status are\n"
     "passed on.\n"
     "Symbolic models (cri, cri-line) take recorded private reuse intervals where there are some.\n"
     "Exit status: PROGRAM's, or, where that is 0, as below.\n",
     CLI_RUN, 0, SIZE_MAX, cli_run},
    {"gaps", "PROGRAM [ARGUMENT...]", "how far apart the threads of a loop are while it runs",
     "The inter-thread gap test. Runs PROGRAM, built with pluss cc --mode=time, again and again,\n"
     "finds where its threads are in a loop at regular times, and tests whether the gaps between\n"
     "them are even, as the racetrack model takes them to be: by the chi-square test, and by that\n"
     "test corrected for the correlation of successive gaps. The standard output of PROGRAM is\n"
     "discarded.\n"
     "Exit status: PROGRAM's where that is not 0; 1: two threads were never in a loop at a time.\n",
     CLI_GAPS, 1, SIZE_MAX, cli_gaps},
    {"calibrate", "PROGRAM [ARGUMENT...]", "how threads progress on this machine",
     "Runs PROGRAM, built with pluss cc --mode=time, a few times, fits how its threads progressed\n"
     "(rates, skew, stalls, what is the same in every run, and the time of an access), and writes\n"
     "that into the machine file, for --progress rates and slices. Runs in which a thread was\n"
     "kept from running for more than half of the time are left out. The standard output of\n"
     "PROGRAM is discarded.\n"
     "Exit status: PROGRAM's where that is not 0; 1: there was nothing to calibrate with.\n",
     CLI_CALIBRATE, 1, SIZE_MAX, cli_calibrate},
    {"diff", "OLD NEW", "which loops' misses changed, at which level and reference",
     "OLD and NEW are objects, executables, nests, records, traces, or reports and profiles in\n"
     "JSON. Traces are simulated, and what else is no report is predicted, on the levels of\n"
     "--cache, --machine or this machine. Shows the\n"
     "misses of each level of each region, and, where they changed by more than the error, the\n"
     "three references that changed most. With --tolerance or as pluss compare, also by how much\n"
     "curves differ. docs/diff.md has workflows for continuous integration.\n"
     "Exit status 1: --fail says that a level has become worse.\n",
     CLI_DIFF, 2, 2, cli_diff},
    {"compare", "A B", "mean absolute error of the curves in A against those in B",
     "A and B are reports made with --json, or traces, which are simulated. Curves of the same\n"
     "region and number of threads are compared; a difference of one point is a miss ratio of\n"
     "0.01. B is the truth: the strict grid ends at its footprint. Levels of the same caches are\n"
     "compared by their misses.\n"
     "Exit status 1: a mean difference of a curve, or the difference of a level, is above\n"
     "--tolerance.\n",
     CLI_COMPARE, 2, 2, cli_compare},
    {"advise", "FILE", "what would cost less: loop orders, tiles, schedules, padding, threads",
     "Tries other forms of each nest in FILE: loops in another order or in tiles, fused loops,\n"
     "schedules and chunks, arrays padded against conflicts and false sharing, fewer threads.\n"
     "What is legal (pluss transform) is predicted on the levels of --cache, --machine or this\n"
     "machine at the first number of threads; what gains more than its error is listed, the\n"
     "greatest gain first, with a command that shows it. Values in registers are not known:\n"
     "see that the program allows it (docs/advise.md).\n",
     CLI_ADVISE, 1, 1, cli_advise},
    {"time", "FILE", "how long loops run, with how many threads, and what binds",
     "Predicts the running time of each region in FILE at each number of threads: operations, "
     "which\n"
     "objects compiled with -fplugin-arg-pluss-ops=on have counts of, and the misses predicted of\n"
     "the levels of --cache or the machine, by the costs of the machine file (pluss machine\n"
     "--measure). Shows the time with its error, the speed-up against one thread, what binds: "
     "core,\n"
     "dependences, a level's latency or bandwidth, imbalance, and loops and lines of the source\n"
     "(docs/time.md).\n",
     CLI_TIME, 1, 1, cli_time},
    {"remarks", "FILE", "a line for each loop, as of a compiler: misses, why, what helps",
     "For each loop of FILE's nests one line: what it misses at the level where that costs most, "
     "at\n"
     "1 thread and at all processors unless -T says otherwise, the reference that costs most, and\n"
     "the first legal change that is predicted to help. Predicted with few samples: the errors "
     "are\n"
     "stated. The plugin prints the same while a program is compiled (-fplugin-arg-pluss-report,\n"
     "docs/remarks.md). Exit status 1: a loop is above a limit of --fail.\n",
     CLI_REMARKS, 1, 1, cli_remarks},
    {"transform", "FILE STEP...", "a nest with its loops or arrays in another form",
     "Writes the nest in FILE after these steps, each applied to what the one before left:\n"
     "  interchange:i,k      loops i and k change places\n"
     "  tile:i=32,k=64       tiles of so many iterations\n"
     "  distribute:i         a loop for each part of loop i\n"
     "  fuse:i@12,i@15       two loops, of lines 12 and 15, become one\n"
     "  pad:A=8              rows of A longer by 8 elements\n"
     "  spread:count=64      elements of count 64 bytes apart\n"
     "  schedule:i=static,4  of a parallel loop\n"
     "pluss transform ... | pluss predict - tells what that changes. FILE holds one nest, or\n"
     "--region names one. Values in registers are not known (docs/transform.md).\n"
     "Exit status 1: a step would change the order of accesses to the same memory, or may do so.\n",
     CLI_TRANSFORM, 1, SIZE_MAX, cli_transform},
    {"codegen", "FILE", "a standalone program that samples a nest",
     "Writes a program, in C or Rust, that walks the nest in FILE thread by thread and prints the\n"
     "private reuse intervals of every reference as JSON; symbols are its arguments.\n"
     "FILE holds one nest, or --region names one.\n",
     CLI_CODEGEN, 1, 1, cli_codegen},
    {"symbolic", "FILE", "stack histograms as formulas in the symbols of a nest",
     "Derives how often each reference of the nests in FILE touches lines at which stack "
     "distance,\n"
     "as formulas in the nest's symbols, which are exact for one thread (docs/symbolic.md), and "
     "the\n"
     "layer condition of each: that the distance is no larger than the lines of the cache. With\n"
     "-D for all symbols and --cache, also the misses there. Regions that have no formulas are\n"
     "estimated, which is told, from how often they refer to each array.\n",
     CLI_SYMBOLIC, 1, 1, cli_symbolic},
    {"pack", "TRACE", "a trace as a small file that is read fast",
     "Writes TRACE, the accesses of a program as valgrind's lackey, DynamoRIO's view or plain "
     "text\n"
     "tell them, in the packed format (docs/trace-format.md).\n",
     CLI_PACK, 1, 1, cli_pack},
    {"generate", "WORDS", "a trace of threads whose stack distances are random",
     "Writes a trace in the packed format: threads that draw the distance of each access from\n"
     "distributions. WORDS is lines=N,N,...:shared=S:distances=PART+PART+...:accesses=N:seed=N;\n"
     "lines, for each thread how many it has, must be there. S is the part of the first thread's\n"
     "lines that all share (default: none); a PART is random, exponential or normal, with its\n"
     "weight before it, as in random+2normal (default: random); accesses are those of each thread\n"
     "(default: 1000000). docs/trace-format.md tells the rules.\n",
     CLI_GENERATE, 1, 1, cli_generate},
    {"trace", "PROGRAM [ARG...]", "a run of a program as a packed trace",
     "Runs PROGRAM, compiled with -fsanitize=thread by any compiler and linked with "
     "libpluss-trace\n"
     "in place of the sanitizer's library, or any program with --valgrind, and writes its accesses "
     "into the file of --output in "
     "the\n"
     "packed format (docs/trace-format.md), with its objects in FILE.objects (docs/folding.md).\n"
     "Exit status: that of PROGRAM; 1: it left no trace.\n",
     CLI_TRACE, 1, SIZE_MAX, cli_trace},
    {"fold", "TRACE...|PROGRAM", "the loop nest behind traces, or behind runs of a program",
     "Finds loops in the accesses of a run alone, and symbols in those of runs of different "
     "sizes,\n"
     "and writes them as a nest. TRACE is a trace (docs/trace-format.md); with\n"
     "--sizes there is one for each run. PROGRAM, compiled with -fsanitize=thread by any compiler\n"
     "and linked with libpluss-trace in place of the sanitizer's library, is run\n"
     "for each of the sizes: {NAME} in its arguments is replaced; where no argument has that,\n"
     "NAME=VALUE follows. Options for it come after --.\n"
     "The nest is executed and compared with every run, access by access, before it is written.\n"
     "Exit status 1: there is no such nest.\n",
     CLI_FOLD, 1, SIZE_MAX, cli_fold},
    {"sweep", "SPEC",
     "many predictions and simulations as one table, on all processors or under MPI",
     "Evaluates every combination of files, sizes, schedules, numbers of threads, caches and "
     "models\n"
     "that SPEC lists (docs/sweep.md), and writes one table in CSV: a row for each region, team "
     "and\n"
     "level. Each finished cell is kept in OUTPUT.cells until the table is whole. Started by "
     "mpirun\n"
     "or srun, all ranks take part, and the table is the same to the byte.\n"
     "Exit status 1: some cells have no figures.\n",
     CLI_SWEEP, 1, 1, cli_sweep},
    {"machine", "", "the caches of this machine",
     "Lists the caches that hwloc finds, the sizes that predict and simulate mark, or those of a\n"
     "machine file.\n"
     "Exit status 1: there are none.\n",
     CLI_MACHINE, 0, 0, cli_machine_verb},
};
enum { N_VERBS = sizeof verbs / sizeof *verbs };

static void print_help(void)
{
    printf(
        "usage: pluss VERB [OPTION...] [FILE...]\n\n"
        "How parallel loops will use the caches, for any number of threads, before they run.\n\n");
    for (int i = 0; i < N_VERBS; i++)
        printf("  %-10s %s\n", verbs[i].name, verbs[i].summary);
    printf("\npluss VERB --help tells more; pluss --version tells the version; pluss completion\n"
           "bash, zsh or fish prints what that shell completes words with, pluss manual VERB a "
           "manual\n"
           "page.\n"
           "Exit status: 0 all is well, 1 the answer is no, 2 wrong usage, 3 bad input.\n");
}

static const cli_verb *find_verb(const char *name)
{
    for (int i = 0; i < N_VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

/* Results that did not reach stdout are an error, not a success. */
static int end(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "pluss: error: standard output cannot be written\n");
    return CLI_INPUT;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return a && b && stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) &&
           x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The file that is read, or run, and would be replaced by what is written to path; NULL: none. */
static const char *read_too(const cli_options *o, const char *path)
{
    const char *const one[] = {o->record, o->machine, o->save};
    for (size_t i = 0; i < o->n_files; i++)
        if (is_same_file(path, o->file[i]))
            return o->file[i];
    for (size_t i = 0; i < o->n_given; i++) {
        const char *text = o->given[i].text;
        if (strcmp(o->given[i].name, "contents") == 0)
            text = strchr(text, '=') + 1;
        else if (strcmp(o->given[i].name, "record") != 0)
            continue;
        if (is_same_file(path, text))
            return text;
    }
    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        if (is_same_file(path, one[i]))
            return one[i];
    return NULL;
}

/* What a verb writes beside its report. */
typedef struct target {
    const char *path, *what;
    cli_output *out;
} target;

/* Two outputs in one place, or one over what is read; 0: none. */
static int check_targets(const cli_options *options, const target *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *twice = to[i].out ? read_too(options, to[i].path) : NULL;
        if (twice)
            return cli_usage(options, "%s would be overwritten, which is used here", twice);
        for (size_t k = 0; k < i; k++)
            if (to[i].path && to[k].path && strcmp(to[i].path, to[k].path) == 0)
                return cli_usage(options, "the %s and the %s cannot both go to %s", to[k].what,
                                 to[i].what, to[i].path);
    }
    return 0;
}

/* Where a verb writes is open before it begins. */
static int run_with_outputs(const cli_verb *verb, cli_options *options)
{
    cli_output report = {0}, picture = {0}, profiles = {0};
    const target to[] = {{options->output ? options->output : "-", "report", &report},
                         {options->svg, "picture", &picture},
                         {options->profiles, "profiles", &profiles},
                         {options->save, "record", NULL}};
    enum { N = sizeof to / sizeof *to };
    int status = check_targets(options, to, N);
    if (status)
        return status;
    options->report = &report;
    options->picture = &picture;
    options->profile_file = &profiles;
    bool open = true;
    for (size_t i = verb->takes & CLI_SWEEP ? 1 : 0; i < N && open;
         i++) /* it has a journal first */
        open = !to[i].path || !to[i].out || cli_output_open(options, to[i].path, to[i].out);
    status = open ? verb->run(options) : CLI_INPUT;
    for (size_t i = 0; i < N; i++)
        if (to[i].out)
            cli_output_drop(to[i].out);
    options->report = options->picture = options->profile_file = NULL;
    return status;
}

static int run_verb(const cli_verb *verb, int argc, char **argv)
{
    cli_options options;
    int status = cli_parse_options(verb, argc, argv, &options);
    if (status < 0)
        status = run_with_outputs(verb, &options);
    if (cli_interrupted()) {
        cli_error(&options, "interrupted: what there is was computed before");
        fflush(stdout);
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    }
    cli_free_options(&options);
    return status;
}

/* A stream that is closed would give its number to the next file that is opened, and messages would
 * go there: what cannot be read or written takes its place. */
static void fill_closed_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    fill_closed_streams();
    cli_ignore_write_signals();
    cli_watch_signals();
    const char *name = argc > 1 ? argv[1] : "";
    bool help = strcmp(name, "help") == 0;
    if (help && argc > 2)
        name = argv[2];
    const cli_verb *verb = find_verb(name);
    if (strcmp(name, "--version") == 0) {
        printf("pluss %s\n", pluss_version());
        cli_print_plugins();
    } else if (strcmp(name, "completion") == 0 && !help) {
        return end(cli_print_completion(verbs, N_VERBS, argc - 1, argv + 1));
    } else if (strcmp(name, "manual") == 0 && !help) {
        return end(cli_print_manual(verbs, N_VERBS, argc - 1, argv + 1));
    } else if (verb && help) {
        cli_print_help(verb);
    } else if (verb && !verb->run) {
        return end(cli_cc(verb, argc - 1, argv + 1));
    } else if (verb) {
        return end(run_verb(verb, argc - 1, argv + 1));
    } else if ((help && argc == 2) || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help();
    } else {
        fprintf(stderr,
                *name ? "pluss: error: there is no verb '%s'\n"
                      : "pluss: error: a verb is missing%s\n",
                name);
        fprintf(stderr, "Try 'pluss --help'.\n");
        return CLI_USAGE;
    }
    return end(CLI_OK);
}
