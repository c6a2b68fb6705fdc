/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of the closed-form engine: lines that a group can touch, a superset as small as its
 * subscript's terms tell. A subscript is a constant and a sum of strides times values, each value
 * in a range of its own. Terms whose strides leave no whole line between them fill up a segment;
 * the others say where segments begin, rows of rows of segments no two of which share a line.
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
    int64_t first;                     /* byte address of the lowest segment */
    uint64_t span;                     /* from a segment's first byte to its last */
    uint32_t n;                        /* of axes, rising strides; the last two: */
    plussi_axis axis[PLUSSI_MAX_AXES]; /* threads' copies, lines of a segment */
    uint64_t lines;                    /* all of them, exactly */
    bool full;                         /* the group touches every one, whoever executes it */
} plussi_lattice;

/* The lines of one range, of that many copies. */
void plussi_lattice_range(const plussi_engine *e, uint64_t first, uint64_t last, uint64_t copies,
                          uint64_t stride_lines, plussi_lattice *out);
/* The lattice of a group in a range of an array. by_iteration: loops' values are taken from their
 * first ones on, so that a window or a band that moves with an outer loop is as long as it is, and
 * a triangle as its longest row. false: there is none that can be counted (it would be larger than
 * 2^62 lines, rows share lines, lines are long and rows begin at too many places in them). O(levels
 * + places^2). */
bool plussi_lattice_of(const plussi_engine *e, const plussi_group *g,
                       const plussi_array_range *range, bool by_iteration, plussi_lattice *out);
/* The line at a coordinate of every axis; false: the segment has one line less. */
bool plussi_lattice_line(const plussi_engine *e, const plussi_lattice *lattice, const uint64_t *at,
                         uint64_t *line);

#endif
