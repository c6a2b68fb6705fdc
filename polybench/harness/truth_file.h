/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables of exact curves, as in truth/: one for each size, team and schedule, with a curve a
 * kernel. polybench/README.md describes the text.
 */
#ifndef POLYBENCH_TRUTH_FILE_H
#define POLYBENCH_TRUTH_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TRUTH_MAX_POINTS = 1024, TRUTH_MAX_SYMBOLS = 32 };

typedef struct truth_point {
    uint64_t lines;
    double miss, sd;
} truth_point;

typedef struct truth {
    char kernel[64], size[32], schedule[32], symbols[512];
    char contents[64]; /* index arrays whose contents the kernel's program gave; may be empty */
    uint32_t team;
    uint64_t first_seed, last_seed, accesses, footprint;
    size_t n;
    truth_point point[TRUTH_MAX_POINTS];
} truth;

/* A table that is being read. All fields belong to truth_open, truth_next and truth_close. */
typedef struct truth_table {
    FILE *in;
    char path[4096], wanted[64]; /* wanted: the one kernel that is asked for, or empty */
    int line, kernels, found;
    truth shared; /* size, team, schedule and seeds */
} truth_table;

/* Opens the table NAME, or NAME:KERNEL for one of its kernels. 0, or -1 after a message on stderr
 * that names the file and the line; after -1 nothing is to be closed. */
int truth_open(const char *name, truth_table *table);
/* Reads the next curve: 1; 0 behind the last one; -1 after a message on stderr. */
int truth_next(truth_table *table, truth *out);
void truth_close(truth_table *table);

/* Writes a table of one kernel. */
void truth_write(const truth *t, FILE *out);

/* Ascending sizes of the grids: 8 an octave to the footprint (strict), and with `paper` also 4 an
 * octave to 32 MB, cut at the footprint. Returns their number. */
size_t truth_grid(uint64_t footprint, int strict, int paper, uint64_t *lines);

/* Linear search in the points; the last one's beyond the footprint. */
double truth_at(const truth *t, uint64_t lines);

#endif
