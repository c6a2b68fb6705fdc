/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the verbs of the command share. The command uses the library through ffi/pluss.h alone.
 */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "pluss.h"

/* Exit statuses of every verb. */
enum {
    CLI_OK = 0,
    CLI_NO = 1,    /* the answer is no */
    CLI_USAGE = 2, /* the command line is wrong or lacks something */
    CLI_INPUT = 3  /* a file or the machine: bad input, nothing written */
};

/* An option of the library, with its text; NULL: a flag. */
typedef struct cli_setting {
    const char *name, *text;
} cli_setting;

/* The machine that reports are about. */
typedef struct cli_target {
    bool known;
    pluss_machine_file *file; /* with its caches */
    pluss_machine_file_info info;
} cli_target;

typedef struct cli_options {
    const char *verb;
    const char **file; /* arguments that are no options */
    size_t n_files;
    char **stored; /* names of those that pipes were stored in, */
    size_t n_stored;
    const pluss_ranks *ranks; /* of this job that no context has yet; NULL: none */
    pluss_context *quiet;     /* what is said there is not printed */
    pluss_options *request;   /* what the library is asked for, */
    cli_setting *given;       /* and the texts that say so */
    size_t n_given;
    const char **region; /* of these, the names of regions; none: all */
    size_t n_regions;
    bool nest_text;
    bool annotated;      /* nests as loop-annotated traces */
    const char *machine; /* the machine file; NULL: where it is kept */
    cli_target target;
    bool levels;               /* its levels are asked for */
    uint64_t processes;        /* calibrate: 0: the default */
    bool time_stamps, pinned;  /* calibrate: with time stamps, each thread on a core of its own */
    bool measure;              /* machine */
    const char *record, *save; /* run: the record to use, to keep; machine: the file to write */
    const char *plain;         /* run: the program as it is without the plugin; NULL: none */
    bool details;              /* run: of each region */
    const char *sample_teams;  /* run: teams that samplers simulate; NULL: those of -T */
    double sample_rate;        /* run: of the lines that samplers follow; 0: not given */
    uint64_t runs;             /* of the program; 0: the default */
    bool traces;               /* fold: the program is to leave a trace, in place of a record */
    bool valgrind;             /* fold, trace: by the tool of valgrind */
    const char *sizes;         /* fold: of its runs; NULL: none */
    double latency[3];    /* scale: of a private cache, a shared one, memory; 0: the defaults */
    uint64_t team;        /* fold, trace: threads of a run; 0: the default */
    uint64_t accesses;    /* trace: most; 0: the default */
    uint64_t jobs;        /* sweep: processes; 0: one a processor */
    bool resume;          /* sweep: goes on with what is in the journal */
    const char *function; /* fold, trace: the one to be traced; NULL: all */
    bool corun;           /* the files are programs that share a cache */
    bool silent;          /* what the program writes to standard output is not wanted */
    pluss_grid grid;
    const char *fail;           /* diff: limits; NULL: none */
    double tolerance;           /* points; negative: not given */
    const char *format, *table; /* of the report; format NULL: text; table NULL: the first */
    const char *svg, *profiles, *output;
    const char **folder; /* report: where sources are looked for */
    size_t n_folders;
    const char *now, *then; /* advise: commands whose times are compared; NULL: none */
    uint64_t advised;       /* report: of regions */
    bool plot;              /* of block characters */
    const char *at;         /* the level that is reported alone; NULL: all */
    const char *line_of;    /* FILE:LINE that is reported alone; NULL: all */
    struct cli_output *report, *picture, *profile_file; /* of these, open */
    pluss_language language;
    bool has_language;
    bool emit; /* functions in C */
} cli_options;

typedef struct cli_verb {
    const char *name;
    const char *arguments;            /* "FILE" */
    const char *summary;              /* one line, for the list of verbs */
    const char *description;          /* for --help, whole lines */
    unsigned takes;                   /* its bit in the table of options */
    size_t least, most;               /* number of files */
    int (*run)(cli_options *options); /* NULL: it reads its options itself (cc) */
} cli_verb;

/* Bits of cli_verb.takes. */
enum {
    CLI_PREDICT = 1,
    CLI_SIMULATE = 2,
    CLI_NESTS = 4,
    CLI_COMPARE = 8,
    CLI_MACHINE = 16,
    CLI_CODEGEN = 32,
    CLI_RUN = 64,
    CLI_FOLD = 128,
    CLI_GAPS = 256,
    CLI_CALIBRATE = 512,
    CLI_PACK = 1024,
    CLI_TRACE = 2048,
    CLI_SCALE = 4096,
    CLI_REPORT = 8192,
    CLI_TRANSFORM = 1 << 16,
    CLI_SWEEP = 1 << 20,
    CLI_GENERATE = 1 << 17,
    CLI_ADVISE = 1 << 24,
    CLI_DIFF = 1 << 25,
    CLI_SYMBOLIC = 1 << 15,
    CLI_CC = 1 << 14,
    CLI_TIME = 1 << 26,
    CLI_REMARKS = 1 << 27,
    CLI_RUNS_PROGRAM = CLI_RUN | CLI_GAPS | CLI_CALIBRATE |
                       CLI_TRACE /* the arguments after the first are its own */
};

/* ---- options.c, numbers.c -------------------------------------------------------------------- */

/* Fills *out from argv[1...]; -1: go on; else the exit status to end with, all being said. */
int cli_parse_options(const cli_verb *verb, int argc, char **argv, cli_options *out);
void cli_free_options(cli_options *options);
void cli_print_help(const cli_verb *verb);
/* Calls `each` with every option of the verb; argument NULL: a flag; letter 0: none. */
typedef void (*cli_option_fn)(char letter, const char *name, const char *argument,
                              const char *help);
void cli_list_options(const cli_verb *verb, cli_option_fn each);

/* ---- completion.c */

/* Prints the script of a shell: bash, zsh or fish. The exit status. */
int cli_print_completion(const cli_verb *verbs, size_t n, int argc, char **argv);

/* ---- manual.c */

/* Prints the manual page of a verb, or the names of all. The exit status. */
int cli_print_manual(const cli_verb *verbs, size_t n, int argc, char **argv);

/* Each reads the whole text; false where it is not of that form, with *why saying why. */
bool cli_read_count(const char *text, uint64_t most, uint64_t *out);
bool cli_read_real(const char *text, double *out, const char **why); /* finite, >= 0 */
/* n of them, with ',' between. */
bool cli_read_reals(const char *text, size_t n, double *out, const char **why);
bool cli_read_rate(const char *text, double *out, const char **why); /* 0.01 or 1%: (0, 1] */

/* ---- sizes.c */

/* Symbols, and the values of each run. */
typedef struct cli_sizes {
    char *text; /* what the names are in */
    const char **symbol;
    size_t n_symbols, n_runs;
    int64_t *value; /* value[run * n_symbols + symbol] */
} cli_sizes;

/* Those of --sizes; *out is left where it is not given. -1: go on; else the exit status, all being
 * said. */
int cli_read_sizes(const cli_options *options, cli_sizes *out);
void cli_free_sizes(cli_sizes *sizes);

/* ---- settings.c: what the library is asked for ------------------------------------------------
 */

/* An option of the library. -1: it is set; else the exit status, all being said. */
int cli_set(cli_options *options, const char *name, const char *text);
/* The text that was given, "" of a flag; NULL: none. */
const char *cli_given(const cli_options *options, const char *name);
bool cli_is_given(const cli_options *options, const char *name, const char *text);
/* The machine file where progress leaves out its numbers: that of --machine, or the one where it is
 * kept, if there is one. -1: go on; else the exit status. */
int cli_use_machine(cli_options *options);
/* The machine file, likewise, for its costs. -1: there is one; else the exit status. */
int cli_use_costs(cli_options *options);
/* $XDG_CONFIG_HOME/pluss/machine.json, or ~/.config/pluss/machine.json; the caller's. NULL: there
 * is no such folder. */
char *cli_machine_file_place(void);
/* run: the order that the run had, rather than a prediction. */
bool cli_is_replayed(const cli_options *options);
void cli_print_progress(void); /* the laws, for --help */
/* Ends the program where there is no memory for what cannot be wrong. */
void cli_must(pluss_status status);

/* ---- messages.c ------------------------------------------------------------------------------ */

void *cli_alloc(size_t n, size_t size);            /* cleared; ends the program without memory */
void *cli_grow(void *list, size_t n, size_t size); /* room for n + 1 */
char *cli_text(const char *format, ...) __attribute__((format(printf, 1, 2))); /* the caller's */
_Noreturn void cli_no_memory(void); /* says so, and ends the program */
/* "pluss predict: error: ..." on stderr. */
void cli_error(const cli_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int cli_usage(const cli_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* the same and a hint; CLI_USAGE */
void cli_print_diagnostic(void *user, const pluss_diagnostic *diagnostic); /* each text once */
/* A context that prints diagnostics on stderr and shows a status line there. */
pluss_context *cli_context(void);
/* The exit status for what the library said. */
int cli_exit_status(pluss_status status);
int cli_tell_missing(pluss_status status); /* the same; says how values are given if they lack */

/* ---- output.c -------------------------------------------------------------------------------- */

/* Where results go: stdout, or a file, which is as it was until all of it is written. */
typedef struct cli_output {
    void *stream; /* FILE; NULL: closed */
    const char *name;
    char *place, *fresh; /* the file, and what is beside it until then; NULL: written in place */
    int error;           /* errno of the first failure, 0: none */
} cli_output;

/* path NULL or "-": stdout. false: it cannot be written, which is said. */
bool cli_output_open(const cli_options *options, const char *path, cli_output *out);
void cli_output_drop(cli_output *out); /* the file stays as it was; nothing where it is closed */
int cli_output_write(void *output, const char *data, size_t length); /* a pluss_write_fn */
/* Ends a verb that made a report: writes it, in the format of the options, to the verb's output,
 * frees it, and closes the output. made: of making it; status: what is given where all is well. */
int cli_write_report(pluss_context *ctx, const cli_options *options, pluss_status made,
                     pluss_report *report, int status);
/* The same in any format, to any output. */
int cli_write_report_to(pluss_context *ctx, const cli_options *options, const char *format,
                        cli_output *out, pluss_status made, pluss_report *report, int status);
/* Puts the file into its place where the status is CLI_OK or CLI_NO, else drops it. The status, or
 * CLI_INPUT with a message where something was not written. */
int cli_output_close(const cli_options *options, cli_output *out, int status);
/* The regular file that the path leads to, or is to be; NULL: something else is there. A file of
 * that name in the place's folder. The caller's. */
char *cli_place_of(const char *path);
char *cli_beside(const char *place, const char *name);
/* From here on a signal that ends the command removes what is not in its place, and the first
 * Ctrl-C makes long computations give up. */
void cli_watch_signals(void);
/* A reader that went away and a file that may not grow are write errors then, reported like a full
 * disk. Programs that are started get the signals as usual: restore, in the child. */
void cli_ignore_write_signals(void);
void cli_restore_write_signals(void);
/* Files, and folders that are empty after them, that go when the command is ended. Borrowed until
 * forgotten. */
void cli_remember(char *path);
void cli_forget(const char *path);
void cli_remove_pending(void);
bool cli_interrupted(void);
/* Puts files in the place of pipes among the files, which then can be read again. -1: go on; else
 * the exit status, all being said. */
int cli_store_pipes(cli_options *options);

/* ---- status_line.c ------------------------------------------------------------------------------
 */

int cli_show_status(void *user, const char *stage, double done, uint64_t steps);
/* What is shown from now on is a part of the verb's work: from `from` to `from` + `part` of it. */
void cli_begin_part(double from, double part);
/* The same while a pipe of which nobody knows the end is read, that many bytes by now. */
void cli_show_pipe(uint64_t bytes);
void cli_clear_status(void); /* before anything else is printed */

/* ---- mpi_module.c ------------------------------------------------------------------------------
 */

/* The place in a job of MPI that started this process. */
bool cli_is_rank(int *rank);
/* The module (mpi/mpi_ranks.h); NULL: it cannot be had, which is said. */
const struct pluss_mpi *cli_load_ranks(const cli_options *options);

/* ---- simulation_ranks.c ------------------------------------------------------------------------
 */

/* The verb as that rank: rank 0 simulates, others take slices until it has. */
int cli_simulate_as_rank(cli_options *options, int rank, int (*simulate)(cli_options *options));
/* The context has the job's other ranks from now on, if there are any. */
void cli_use_ranks(cli_options *options, pluss_context *ctx);

/* ---- caches.c -------------------------------------------------------------------------------- */

typedef struct cli_cache {
    char label[16]; /* "L1d", "L2" */
    unsigned level;
    char type; /* 'd' data, 'u' unified, 'i' instructions */
    uint64_t bytes;
    uint32_t line_bytes; /* 0: not known */
    int ways;            /* 0: not known, -1: fully associative */
    uint32_t shared_by;  /* hardware threads a cache */
    uint32_t count;
} cli_cache;

typedef struct cli_machine {
    char *cpu; /* name, or NULL */
    uint32_t cores, processors;
    cli_cache *cache; /* ascending by level, instruction caches after data */
    size_t n_caches;
} cli_machine;

bool cli_machine_read(cli_machine *out); /* false: hwloc cannot tell */
void cli_machine_free(cli_machine *machine);

/* ---- target_machine.c
 * -------------------------------------------------------------------------------- */

/* For the library; the caller frees its caches. */
pluss_machine_info cli_public_machine(const cli_machine *machine);
/* Fills options->target: --machine's, where its file has caches, else this machine's. -1: go on;
 * else the exit status, all being said. */
int cli_find_target(cli_options *options);
/* Its levels, unless --cache asks for others or none. As before. */
int cli_use_levels(cli_options *options);

/* ---- command_times.c */

/* Median processor times of the commands of --now and --then, in seconds, run in turn. -1: go
 * on; else the exit status, all being said. */
int cli_time_commands(const cli_options *options, double median[2], uint32_t *runs);

/* ---- time_slice.c ---------------------------------------------------------------------------- */

/* Nanoseconds: median over .4 s, in which two processes take turns on one core. 0: it could not be
 * seen. */
double cli_time_slice(void);

/* ---- report.c ---------------------------------------------------------------------------------
 */

/* Of a report in JSON, compressed or not; NULL: reported. The caller's. */
pluss_result *cli_read_result(pluss_context *ctx, const char *path);

/* ---- trace_files.c: traces beside files of other kinds */

/* Whether the file is a trace. Says nothing. */
bool cli_is_trace(const cli_options *options, const char *path);
/* Its exact curves and levels; NULL: reported. The caller's. */
pluss_result *cli_simulate_trace(pluss_context *ctx, const cli_options *options, const char *path);
bool cli_ends_with(const char *text, const char *end);
/* The caches that reports show, those that are asked for or the machine's; the caller frees *out.
 */
size_t cli_choose_caches(const cli_options *options, pluss_cache **out);
/* Writes the report, the profiles and the plot; takes the levels that are not asked for out of the
 * result. */
int cli_report(pluss_context *ctx, const cli_options *options, pluss_result *result);
/* Keeps the level of --at. 0, or the exit status. */
int cli_keep_level(pluss_context *ctx, const cli_options *options, pluss_result *result);
/* The report of --line-of. */
int cli_report_line(pluss_context *ctx, const cli_options *options, const pluss_result *result);
/* As of pluss_report_options: block characters, or letters where the terminal has none. */
int cli_plot_kind(const cli_options *options);

/* ---- regions.c --------------------------------------------------------------------------------
 */

/* Whether --region asks for it. */
bool cli_region_wanted(const cli_options *options, const char *name);
/* Error where the file has none. */
bool cli_holds_regions(const cli_options *options, const pluss_nests *nests);
/* Error where --region names one that the file does not have. */
bool cli_regions_exist(const cli_options *options, const pluss_nests *nests);
/* A verb of the nests of its file: its exit status. named: the regions that --region names must
 * exist, else the library says so. */
typedef int cli_nests_verb(pluss_context *ctx, const cli_options *options,
                           const pluss_nests *nests);
int cli_on_nests(cli_options *options, bool named, cli_nests_verb *run);
/* Of one region at the most. */
int cli_on_one_region(cli_options *options, cli_nests_verb *run);
/* The region asked for, which exists, or the whole of the only nest. NULL: none, reported; *alone
 * is the caller's. */
const pluss_nest *cli_choose_nest(pluss_context *ctx, const cli_options *options,
                                  const pluss_nests *nests, pluss_nest **alone);

/* ---- record_stamps.c
 * ---------------------------------------------------------------------------------
 */

/* The name of the record's sidecar file; the caller's. */
char *cli_trace_path(const char *record);
/* Whether the record of this path has time stamps; they may be in no file. PLUSS_EFORMAT,
 * PLUSS_EIO: its sidecar file. */
pluss_status cli_find_stamps(pluss_context *ctx, const pluss_record *record, const char *path,
                             bool *found);

/* ---- sampler_settings.c ---------------------------------------------------------------------- */

bool cli_check_sample_teams(const char *text, const char **why);
/* Puts them into the environment, for a program to be started; errno, 0: all is well. */
int cli_set_samplers(const cli_options *options);

/* ---- spawn.c --------------------------------------------------------------------------------- */

/* A file in a folder relative to the executable's; the caller's, NULL: not there. */
char *cli_beside_executable(const char *folder, const char *file);
/* "FILE:LINE" of the user's source which a call comes from that returns to this address of the
 * program, the caller's to free; NULL: unknown. */
char *cli_source_line(const char *program, uint64_t address);
/* In the first of the folders that has it. */
char *cli_find_beside(const char *const *folders, size_t n, const char *file);
/* What a program took. */
typedef struct cli_cost {
    double seconds; /* by the clock */
    uint64_t bytes; /* the most memory that it had at once */
} cli_cost;
/* Runs argv with PLUSS_RECORD=path, all it is given and all it writes passing through; path NULL:
 * it is to record nothing, and what it writes is dropped. *status is as wait gives it; cost may be
 * NULL. Recorded progress: with time stamps, and, if it is simulated, with touches. false: it could
 * not be started, reported. */
bool cli_spawn(const cli_options *options, char *const *argv, const char *path, int *status,
               cli_cost *cost);
/* A folder for its record, and its end. NULL: reported. */
char *cli_make_folder(const cli_options *options);
void cli_remove_folder(char *folder);
/* The exit status of such a program; does not return where it was ended by a signal: this process
 * ends in the same way. */
int cli_end_as(int status);

/* ---- plot.c ---------------------------------------------------------------------------------- */

/* Draws the curves into options->picture, as SVG, and closes it; the exit status. */
int cli_plot(const cli_options *options, const pluss_result *result, const pluss_cache *cache,
             size_t n_caches);

/* ---- verbs ----------------------------------------------------------------------------------- */

/* Where no threads are given, those of the machine; of a co-run, 1. -1: go on; else the exit
 * status. */
int cli_set_threads(cli_options *options);
extern const char cli_how_to_bind[]; /* how symbols get values */
int cli_predict(cli_options *options);
int cli_report_verb(cli_options *options);
int cli_remarks(cli_options *options);
int cli_advise(cli_options *options);
int cli_time(cli_options *options);
int cli_scale(cli_options *options);
int cli_sweep(cli_options *options);
int cli_simulate(cli_options *options);
int cli_nests(cli_options *options);
int cli_codegen(cli_options *options);
int cli_transform(cli_options *options);
int cli_symbolic(cli_options *options);
int cli_fold(cli_options *options);
int cli_trace(cli_options *options);
int cli_run(cli_options *options);
int cli_calibrate(cli_options *options);
int cli_gaps(cli_options *options);
int cli_compare(cli_options *options);
int cli_diff(cli_options *options);
bool cli_check_limits(const char *text, const char **why); /* of --fail */
/* Says which levels have become worse by more than these: CLI_NO; or that a limit is on a level
 * that they do not both have: CLI_INPUT. */
int cli_check_changes(const cli_options *options, const pluss_comparison *comparison);
/* Reads a file of such a verb, NULL: reported; and the verb. changes: what changed from the first
 * to the second; else by how much the curves differ, too. */
typedef pluss_result *(*cli_read_fn)(pluss_context *ctx, const cli_options *options,
                                     const char *path);
int cli_compare_files(cli_options *options, cli_read_fn read, bool changes);
int cli_machine_verb(cli_options *options);
int cli_pack(cli_options *options);
int cli_generate(cli_options *options);
int cli_cc(const cli_verb *verb, int argc,
           char **argv);      /* argv[0] is "cc"; does not return where gcc is started */
void cli_print_plugins(void); /* the versions of GCC that there are plugins for: a line */

#endif
