/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of pluss sweep share. One process coordinates: it gives cells to workers
 * (processes of this machine, ranks of MPI) one by one, and puts what they send back into the
 * journal.
 */
#ifndef PLUSS_CLI_SWEEP_H
#define PLUSS_CLI_SWEEP_H

#include "cli.h"

/* ---- sweep_journal.c: the cells that are finished, on disk -------------------------------------
 */

/* Where the rows of a cell are. */
typedef struct cli_journal_entry {
    uint64_t at, length; /* at 0: not yet there */
} cli_journal_entry;

typedef struct cli_journal {
    int fd;     /* -1: not open */
    char *path; /* NULL: a file without a name, which ends with the command */
    uint64_t end, cells, finished, incomplete; /* incomplete: cells that lack something */
    cli_journal_entry *entry;
    double synced; /* when */
} cli_journal;

/* path NULL: of no name. resume: cells that are there already are finished. -1: it is open; else
 * the exit status, all being said. */
int cli_journal_open(const cli_options *options, const char *path, bool resume,
                     const pluss_sweep_info *sweep, cli_journal *out);
/* false: it cannot be written, which is said. */
bool cli_journal_add(const cli_options *options, cli_journal *journal, uint64_t cell,
                     bool incomplete, const char *rows, size_t length);
/* All rows in the order of the cells. false: they cannot be read or written, which is said. */
bool cli_journal_write(const cli_options *options, const cli_journal *journal, cli_output *out);
/* The file goes where the sweep is finished, and where it has no cell. */
void cli_journal_close(cli_journal *journal, bool finished);

/* ---- sweep_workers.c ---------------------------------------------------------------------------
 */

/* What a worker sends: this, then the rows. */
typedef struct cli_cell_message {
    uint64_t cell, length;
    int32_t status, missing; /* status not 0: there are no rows, and the sweep ends */
} cli_cell_message;

typedef struct cli_worker {
    int fd;    /* socket; -1: a rank */
    int rank;  /* of MPI; 0: none */
    int pid;   /* of a process */
    int given; /* cells that it has and has not sent back */
} cli_worker;

typedef struct cli_workers {
    cli_worker *worker;
    size_t n, processes;           /* the processes come first */
    const struct pluss_mpi *ranks; /* NULL: none */
} cli_workers;

/* Starts n processes of this machine. false: not one, which is said. */
bool cli_workers_start(const cli_options *options, const pluss_sweep *sweep, size_t n,
                       cli_workers *out);
void cli_workers_add_ranks(cli_workers *workers, const struct pluss_mpi *ranks, int size);
/* false: it is gone, which is said. */
bool cli_workers_give(const cli_options *options, cli_workers *workers, size_t worker,
                      uint64_t cell);
typedef enum cli_came { CLI_CAME_NOTHING, CLI_CAME_CELL, CLI_CAME_END } cli_came;
/* Waits for at most a second. CELL: *rows are the caller's. END: a worker is gone, which is said.
 */
cli_came cli_workers_wait(const cli_options *options, cli_workers *workers, size_t *worker,
                          cli_cell_message *message, char **rows);
/* No more cells. at_once: what processes still evaluate is lost. */
void cli_workers_end(cli_workers *workers, bool at_once);
/* A rank other than 0: evaluates what it is given until there is no more. The exit status. */
int cli_work_as_rank(const pluss_sweep *sweep, const struct pluss_mpi *ranks);

#endif
