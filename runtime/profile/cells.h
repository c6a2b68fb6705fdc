/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reuses by interval and distance together: what a program, or a thread, does alone, as far as
 * programs or threads that share a cache with it need to know.
 */
#ifndef PLUSSI_PROFILE_CELLS_H
#define PLUSSI_PROFILE_CELLS_H

#include "profile/profile.h"

#define PLUSSI_CELL_UNKNOWN UINT64_MAX

/* Accesses whose previous touches are alike. */
typedef struct plussi_cell {
    uint64_t interval; /* accesses from the previous touch to this one, >= 1; 0: a free slot */
    uint64_t distance; /* different other lines between the two, or UNKNOWN */
    double weight;     /* accesses */
} plussi_cell;

typedef struct plussi_cells {
    plussi_mem mem;
    double accesses, lines; /* first touches included; different ones */
    plussi_cell *cell;      /* base/map.h; after plussi_cells_list a list */
    size_t n, size;
} plussi_cells;

void plussi_cells_init(plussi_cells *cells, const plussi_mem *mem);
void plussi_cells_free(plussi_cells *cells); /* leaves them empty */
/* Intervals and distances are rounded to 2^9 values an octave. PLUSS_ENOMEM. Amortised O(1). */
PLUSS_NODISCARD pluss_status plussi_cells_add(plussi_cells *cells, uint64_t interval,
                                              uint64_t distance, double weight);
/* The table becomes a list, in no order; nothing can be added to it. */
void plussi_cells_list(plussi_cells *cells);

/* The accesses of one run of a concurrent profile are added. Of intervals the distances stay
 * unknown; those of distances follow from the time in which the program touches that many lines:
 * with P(x) the part of accesses whose distance is at least x (first touches among them), x lines
 * are touched by the program on average in 1 / P(0) + ... + 1 / P(x - 1) accesses, as the next one
 * that is not among them comes after 1 / P(x - 1) (Xiang et al., HOTL, ASPLOS 2013: the derivative
 * of the footprint is the miss ratio). PLUSS_ENOMEM. O(bins log bins). */
PLUSS_NODISCARD pluss_status plussi_cells_add_profile(plussi_cells *cells,
                                                      const plussi_profile *profile);

#endif
