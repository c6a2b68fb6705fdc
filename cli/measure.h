/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Micro-benchmarks of this machine: short runs, many times, in the processor time of the thread, so
 * that other programs disturb them little. The faster half of the runs counts: its median is the
 * value, half of the range of its middle two thirds the spread.
 */
#ifndef PLUSS_CLI_MEASURE_H
#define PLUSS_CLI_MEASURE_H

#include "cli.h"

enum { CLI_PAGE = 4096 /* bytes */ };

/* Does n units of work; n is a multiple of 64. */
typedef void (*cli_work_fn)(void *work, uint64_t n);

/* ---- measure.c ------------------------------------------------------------------------------- */

double cli_thread_ns(void); /* processor time of the thread */
double cli_clock_ns(void);  /* time of day, monotonic */
/* The value and spread of n numbers, which are sorted. */
pluss_measured cli_summarize(double *number, size_t n);
/* Nanoseconds a unit. */
pluss_measured cli_measure_work(cli_work_fn run, void *work);
/* Nanoseconds to cycles, which one of these is. */
pluss_measured cli_in_cycles(pluss_measured ns, double cycle_ns);
/* Measures this machine, whose levels the file has, and puts what it finds there. A few seconds,
 * and memory of four times the largest cache. CLI_OK, or the exit status, all being said. */
int cli_measure_machine(pluss_context *ctx, const cli_options *options, uint32_t processors,
                        pluss_machine_file *file);

/* ---- measure_operations.c ---------------------------------------------------------------------
 */

double cli_measure_cycle(void); /* nanoseconds: an addition that waits for the one before */
pluss_measured cli_measure_issue(double cycle_ns);
double cli_measure_window(double cycle_ns); /* operations */
enum { CLI_OPERATIONS = 20, CLI_DBL_ADD = 5 /* its place */ };
void cli_measure_operations(double cycle_ns, pluss_operation_cost out[CLI_OPERATIONS]);

/* ---- measure_lines.c --------------------------------------------------------------------------
 */

/* bytes: a buffer that the level holds and those before do not; threads: that share it, 1: alone.
 * `held` is left as it is. false: there is no memory. */
bool cli_measure_lines(double cycle_ns, uint64_t bytes, uint32_t threads, pluss_line_cost *out);

/* Strided lines, in bursts of 2, 4, ... 64 of which each is read again seven times before the next
 * burst: what they take more than those in bursts of 64, beyond what reading takes from the first
 * level, added to what strided lines take. `level` is left as it is. Returns how many there are; 0:
 * there is no memory. */
enum { CLI_BURSTS = 6 };
size_t cli_measure_bursts(double cycle_ns, uint64_t bytes, const pluss_measured *strided,
                          pluss_burst_cost out[CLI_BURSTS]);

/* The part of a level of so many bytes that this process gets: a larger buffer costs more than half
 * of what its lines and those of the next level or memory differ by. In [1/16, 1]; 0: there is no
 * memory. */
double cli_measure_held(double cycle_ns, uint64_t bytes, double line, double next);

/* Lines in pages of their own, in turn: what each costs more, the more pages there are. strided: a
 * line of few pages. Returns how many steps there are, 0 also where there is no memory. */
enum { CLI_PAGE_STEPS = 8 };
size_t cli_measure_pages(double cycle_ns, double strided, pluss_page_cost out[CLI_PAGE_STEPS]);

/* Which part of the shorter of two, getting lines in strides and adding, does not overlap with the
 * longer; these: cycles of a line of the buffer and of an addition. 0: there is no memory. */
double cli_measure_serial(double cycle_ns, uint64_t bytes, double strided, double addition);

/* ---- measure_transfer.c -----------------------------------------------------------------------
 */

/* Lines that a thread on one processor writes and one on another reads. latency.value 0: there is
 * one processor, or no memory or thread. */
pluss_transfer_cost cli_measure_transfer(double cycle_ns);

/* ---- measure_teams.c --------------------------------------------------------------------------
 */

/* Parallel constructs and barriers of the OpenMP library of GCC, with 1, 2, 4, ... threads up to
 * the processors. Returns how many teams there are; 0: the library cannot be loaded. */
enum { CLI_TEAMS = 16 };
size_t cli_measure_teams(double cycle_ns, uint32_t processors, pluss_team_cost out[CLI_TEAMS]);

#endif
