/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss sweep: all cells of a parameter sweep as one table. The first process, which may be rank 0
 * of a job of MPI, coordinates.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi/mpi_ranks.h"
#include "sweep.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- how far it is -----------------------------------------------------------------------------
 */

typedef struct watch {
    double start, told;
    uint64_t before; /* cells that were finished when it began */
    bool terminal;
} watch;

static void print_time(double seconds)
{
    if (seconds < 120)
        fprintf(stderr, "%.0f s", seconds);
    else if (seconds < 7200)
        fprintf(stderr, "%.0f min", seconds / 60);
    else
        fprintf(stderr, "%.1f h", seconds / 3600);
}

/* Four times a second on a terminal, else once a minute. */
static void tell_progress(watch *w, const cli_journal *journal, bool last)
{
    const double t = now(), elapsed = t - w->start;
    if (!last && (elapsed < 1 || t - w->told < (w->terminal ? 0.25 : 60)))
        return;
    if (last && !w->terminal && elapsed < 60)
        return;
    w->told = t;
    const double rate = (double)(journal->finished - w->before) / elapsed;
    fprintf(stderr, "%spluss sweep: %" PRIu64 " of %" PRIu64 " cells", w->terminal ? "\r" : "",
            journal->finished, journal->cells);
    if (rate > 0 && !last) {
        fprintf(stderr, ", %.3g a second, ", rate);
        print_time((double)(journal->cells - journal->finished) / rate);
        fputs(" left", stderr);
    }
    fputs(w->terminal ? last ? "\033[K\r\033[K" : "\033[K" : "\n", stderr);
    fflush(stderr);
}

/* ---- the coordinator ---------------------------------------------------------------------------
 */

/* The next cell that is not finished, from *next on; false: there is none. */
static bool find_next(const cli_journal *journal, uint64_t *next)
{
    while (*next < journal->cells && journal->entry[*next].at)
        ++*next;
    return *next < journal->cells;
}

/* Gives each worker that has none a cell, and, while there are many left, a second one, so that it
 * does not wait for it. */
static bool give_cells(const cli_options *options, const cli_journal *journal, cli_workers *workers,
                       uint64_t *next)
{
    for (int turn = 1; turn <= 2; turn++) {
        if (turn == 2 && journal->cells - *next < 4 * workers->n)
            break;
        for (size_t i = 0; i < workers->n; i++) {
            if (workers->worker[i].given >= turn)
                continue;
            if (!find_next(journal, next))
                return true;
            if (!cli_workers_give(options, workers, i, *next))
                return false;
            ++*next;
        }
    }
    return true;
}

static int take_cell(const cli_options *options, cli_journal *journal,
                     const cli_cell_message *message, const char *rows)
{
    if (message->status) {
        if (!cli_interrupted())
            cli_error(options, "cell %" PRIu64 ": %s", message->cell,
                      pluss_status_text((pluss_status)message->status));
        return CLI_INPUT;
    }
    return cli_journal_add(options, journal, message->cell, message->missing != 0, rows,
                           message->length)
               ? CLI_OK
               : CLI_INPUT;
}

static int coordinate(const cli_options *options, cli_journal *journal, cli_workers *workers)
{
    watch w = {.start = now(),
               .told = now(),
               .before = journal->finished,
               .terminal = isatty(STDERR_FILENO)};
    uint64_t next = 0;
    int status = CLI_OK;
    while (status == CLI_OK && journal->finished < journal->cells && !cli_interrupted()) {
        cli_cell_message message;
        char *rows = NULL;
        size_t worker;
        if (!give_cells(options, journal, workers, &next))
            status = CLI_INPUT;
        cli_came came = status == CLI_OK
                            ? cli_workers_wait(options, workers, &worker, &message, &rows)
                            : CLI_CAME_NOTHING;
        if (came == CLI_CAME_END)
            status = CLI_INPUT;
        if (came == CLI_CAME_CELL)
            status = take_cell(options, journal, &message, rows);
        free(rows);
        tell_progress(&w, journal, false);
    }
    tell_progress(&w, journal, true);
    return cli_interrupted() ? CLI_INPUT : status;
}

/* The names of the columns. */
static int write_names(const cli_options *options, const pluss_sweep *sweep, cli_output *out)
{
    pluss_report *report = NULL;
    pluss_status status =
        pluss_sweep_report(options->quiet, sweep, PLUSS_SWEEP_NO_CELL, NULL, &report);
    if (!status)
        status = pluss_report_write(options->quiet, report, "csv", NULL, cli_output_write, out);
    pluss_report_free(report);
    return cli_exit_status(status);
}

static int write_table(const cli_options *options, const pluss_sweep *sweep,
                       const cli_journal *journal)
{
    if (!cli_output_open(options, options->output ? options->output : "-", options->report))
        return CLI_INPUT;
    int status = write_names(options, sweep, options->report);
    if (status == CLI_OK && !cli_journal_write(options, journal, options->report))
        status = CLI_INPUT;
    if (status == CLI_OK && journal->incomplete) {
        cli_error(options,
                  "%" PRIu64 " of %" PRIu64 " cells lack figures: see the columns status "
                  "and message",
                  journal->incomplete, journal->cells);
        status = CLI_NO;
    }
    return cli_output_close(options, options->report, status);
}

static int run_cells(const cli_options *options, const pluss_sweep *sweep, cli_journal *journal,
                     cli_workers *workers)
{
    int status = coordinate(options, journal, workers);
    if (status == CLI_OK)
        status = write_table(options, sweep, journal);
    else if (journal->path)
        cli_error(options, "%" PRIu64 " of %" PRIu64 " cells are in %s: --resume goes on",
                  journal->finished, journal->cells, journal->path);
    cli_journal_close(journal, status == CLI_OK || status == CLI_NO);
    return status;
}

static int sweep_with(const cli_options *options, const pluss_sweep *sweep, cli_workers *workers)
{
    pluss_sweep_info info = {.size = sizeof info};
    cli_journal journal;
    cli_must(pluss_sweep_get_info(sweep, &info));
    char *path = options->output && strcmp(options->output, "-") != 0
                     ? cli_text("%s.cells", options->output)
                     : NULL;
    int status = cli_journal_open(options, path, options->resume, &info, &journal);
    if (status < 0)
        status = run_cells(options, sweep, &journal, workers);
    else
        cli_journal_close(&journal, false);
    free(path);
    return status;
}

/* ---- the verb ----------------------------------------------------------------------------------
 */

/* Workers of this machine are started before all else, so that they share no file with this
 * process. */
static int sweep_here(const cli_options *options, const pluss_sweep *sweep)
{
    cli_workers workers;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t n = options->jobs ? options->jobs : processors > 0 ? (size_t)processors : 1;
    if (!cli_workers_start(options, sweep, n, &workers))
        return CLI_INPUT;
    const int status = sweep_with(options, sweep, &workers);
    cli_workers_end(&workers, status != CLI_OK && status != CLI_NO);
    return status;
}

/* Rank 0 has a process of its own that evaluates cells, begun before MPI is; so that all ranks have
 * the same work. */
static int sweep_as_rank(const cli_options *options, const pluss_sweep *sweep, int rank)
{
    const pluss_mpi *ranks = cli_load_ranks(options);
    cli_workers workers = {0};
    int size;
    if (!ranks || (rank == 0 && !cli_workers_start(options, sweep, 1, &workers)))
        return CLI_INPUT;
    ranks->begin(&rank, &size);
    int status = CLI_OK;
    if (rank > 0) {
        status = cli_work_as_rank(sweep, ranks);
    } else {
        cli_workers_add_ranks(&workers, ranks, size);
        status = sweep_with(options, sweep, &workers);
        const bool failed = status != CLI_OK && status != CLI_NO;
        if (failed)
            ranks->abort(status); /* others may be in a long cell */
        cli_workers_end(&workers, failed);
    }
    ranks->end();
    return status;
}

/* The text of the file. false: it cannot be read, which is said. */
static bool read_spec(const cli_options *options, const char *path, char **text, size_t *length)
{
    FILE *file = fopen(path, "rb");
    size_t room = 0, done = 0;
    *text = NULL;
    *length = 0;
    do {
        if (*length == room)
            *text = cli_grow(*text, room = 2 * room + 4096, 1);
        done = file ? fread(*text + *length, 1, room - *length, file) : 0;
        *length += done;
    } while (done);
    const bool good = file && !ferror(file);
    if (!good)
        cli_error(options, "%s cannot be read", path);
    if (file)
        fclose(file);
    return good;
}

int cli_sweep(cli_options *options)
{
    pluss_sweep *sweep = NULL;
    char *text;
    size_t length;
    int rank = 0, status = CLI_INPUT;
    if (options->resume && !options->output)
        return cli_usage(options, "--resume needs --output, whose journal it reads");
    const bool is_rank = cli_is_rank(&rank);
    if (is_rank && options->jobs)
        return cli_usage(options,
                         "--jobs is for one machine: MPI has the ranks it is started with");
    pluss_context *ctx = cli_context();
    if (read_spec(options, options->file[0], &text, &length)) {
        const pluss_status read = pluss_sweep_parse(ctx, text, length, options->file[0], &sweep);
        status = read == PLUSS_EINVAL ? CLI_INPUT : cli_exit_status(read);
    }
    if (sweep)
        status = is_rank ? sweep_as_rank(options, sweep, rank) : sweep_here(options, sweep);
    free(text);
    pluss_sweep_free(sweep);
    pluss_context_free(ctx);
    return status;
}
