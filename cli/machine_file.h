/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The machine file (docs/machine-file.md): how the threads of this machine progress, as `pluss
 * calibrate` found it.
 */
#ifndef CLI_MACHINE_FILE_H
#define CLI_MACHINE_FILE_H

#include "cli.h"

enum { CLI_PIECES = 8 }; /* of a thread's accesses in a loop */

/* As pluss_progress has it. */
typedef struct cli_rates {
    double sigma, skew, skew_spread, stall_rate, stall;
    double access; /* ns that one takes; 0: not known */
} cli_rates;

typedef struct cli_loop_rates {
    uint32_t loop;
    double *rates; /* of each thread */
    double *costs; /* CLI_PIECES of each thread */
} cli_loop_rates;

/* A region with a team. */
typedef struct cli_calibrated {
    char *region, *file, *command, *date;
    uint32_t line, team;
    uint64_t runs, discarded;
    cli_rates all; /* of its loops together */
    double *rates; /* of each thread */
    cli_loop_rates *loop;
    size_t n_loops;
} cli_calibrated;

typedef struct cli_machine_file {
    char *processor; /* or NULL */
    char *date;      /* of the last change, "2026-11-20T16:30:00Z" */
    cli_rates all;   /* of all regions together */
    double slice;    /* ns that a thread runs in turn with another on its core; 0: not known */
    cli_calibrated *region;
    size_t n_regions;
} cli_machine_file;

/* $XDG_CONFIG_HOME/pluss/machine.json, or ~/.config/pluss/machine.json; the caller's. NULL: there
 * is no such folder. */
char *cli_machine_file_place(void);

typedef enum cli_read { CLI_READ, CLI_READ_NONE, CLI_READ_BAD } cli_read;
/* NONE: there is no such file; BAD: it is said on stderr, with the place. */
cli_read cli_machine_file_read(const char *path, cli_machine_file *out);
/* The file to be written, its folder made; false: said on stderr. */
bool cli_machine_file_open(const cli_options *options, const char *path, cli_output *out);
/* Writes and closes it; the exit status. */
int cli_machine_file_write(const cli_options *options, const cli_machine_file *file,
                           cli_output *out);
void cli_machine_file_free(cli_machine_file *file);

/* Takes *region, in place of what there is of the same region and team, and makes the numbers of
 * all together anew. */
void cli_machine_file_merge(cli_machine_file *file, cli_calibrated *region);
/* NULL: none. A region is known by name, source file and team. */
const cli_calibrated *cli_machine_file_find(const cli_machine_file *file, const char *region,
                                            const char *source, uint32_t team);
/* The same, of those whose time of an access is known, with the team that is nearest by its ratio
 * (the smaller of two). */
const cli_calibrated *cli_machine_file_nearest(const cli_machine_file *file, const char *region,
                                               const char *source, uint32_t team);

#endif
