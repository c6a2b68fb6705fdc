/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Progress by the numbers that the machine file has: --progress rates, slices.
 */
#ifndef CLI_CALIBRATED_H
#define CLI_CALIBRATED_H

#include "cli.h"

/* Reads the machine file where rates, or the length of slices, are asked for and not given: that
 * of --machine, or the one where it is kept, if there is one. false: said why. */
bool cli_take_machine(cli_options *options);
void cli_free_machine(cli_options *options);

/* Numbers for one nest and team: those of its region, else of the machine. */
typedef struct cli_progress {
    pluss_progress progress;
    pluss_loop_rates *loops;
    char *name;
} cli_progress;

/* Puts them into *o; nothing, where no machine file was read. They borrow from options and room,
 * which is the caller's to free. */
void cli_use_machine(pluss_context *ctx, const cli_options *options, const pluss_nest *nest,
                     uint32_t team, cli_progress *room, pluss_options *o);
void cli_free_progress(cli_progress *room);
/* predict and simulate, each team with its numbers. */
pluss_status cli_run_calibrated(pluss_context *ctx, const cli_options *options, cli_engine engine,
                                const pluss_nest *nest, pluss_result **out);

#endif
