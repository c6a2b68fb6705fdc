/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A truth file: the exact miss ratio curve of one kernel, size, team and schedule under the uniform
 * interleaving, averaged over seeds, at the sizes of both grids (8 an octave from one line to the
 * footprint; 4 an octave to 32 MB, of which those beyond the footprint are left out: the curve is
 * flat there). Text:
 *
 *     pluss-truth 1
 *     kernel gemm
 *     size SMALL
 *     team 4
 *     schedule static,1
 *     symbols ni=60 nj=70 nk=80
 *     seeds 1..5
 *     line 64
 *     accesses 1352400
 *     footprint 1860
 *     made-by pluss 0.1.0: make truth
 *     1 0.512345678901 0.000012
 *     ...
 *     end
 *
 * Kernels with index arrays have a line `contents row col` behind the symbols: those arrays held
 * what the kernel's program fills them with at that size.
 *
 * A point is: size in lines, mean miss ratio, standard deviation over the seeds.
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

/* 0, or -1 after a message on stderr that names the file and the line. */
int truth_read(const char *path, truth *out);
void truth_write(const truth *t, FILE *out);

/* Ascending sizes of the grids: 8 an octave to the footprint (strict), and with `paper` also 4 an
 * octave to 32 MB, cut at the footprint. Returns their number. */
size_t truth_grid(uint64_t footprint, int strict, int paper, uint64_t *lines);

/* Linear search in the points; the last one's beyond the footprint. */
double truth_at(const truth *t, uint64_t lines);

#endif
