/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Internals of the closed-form engine: lines that a group can touch, a superset as small as the
 * terms of its subscript allow. A subscript is a constant and a sum of strides times values, each
 * value in its own range. Terms whose strides leave no whole line in between fill a segment; the
 * others give the starts of segments, rows of rows of segments that share no line.
 */
#ifndef PLUSSI_SAMPLER_LATTICE_H
#define PLUSSI_SAMPLER_LATTICE_H

#include "sampler/group.h"

enum { PLUSSI_MAX_AXES = PLUSSI_CURSOR_SLOTS + 8 + 2 };

typedef struct plussi_axis {
    uint64_t count;
    int64_t stride; /* bytes */
} plussi_axis;

typedef struct plussi_lattice {
    int64_t first; /* byte address of the lowest segment */
    uint64_t span; /* bytes from a segment's first to its last */
    uint32_t n;    /* number of axes, in ascending order of strides; the last two: */
    plussi_axis axis[PLUSSI_MAX_AXES]; /* threads' copies, lines of a segment */
    uint64_t lines;                    /* exact number of lines */
    bool full; /* the group touches every one, whichever thread executes it */
} plussi_lattice;

/* The lines of one range, in that many copies. */
void plussi_lattice_range(const plussi_engine *e, uint64_t first, uint64_t last, uint64_t copies,
                          uint64_t stride_lines, plussi_lattice *out);
/* The lattice of a group in a range of an array. by_iteration: values of loops count from their
 * first ones, so that a window or a band that moves with an outer loop has its own length, and a
 * triangle that of its longest row. false: none that can be counted (more than 2^62 lines, rows
 * share lines, lines are long and rows begin at too many offsets). O(levels + places^2). */
bool plussi_lattice_of(const plussi_engine *e, const plussi_group *g,
                       const plussi_array_range *range, bool by_iteration, plussi_lattice *out);
/* The line at a coordinate of every axis; false: this segment has one line less. */
bool plussi_lattice_line(const plussi_engine *e, const plussi_lattice *lattice, const uint64_t *at,
                         uint64_t *line);

#endif
