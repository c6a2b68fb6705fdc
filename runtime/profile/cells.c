/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cells.h"

#include <math.h>

#include "base/map.h"

enum { FIRST = 1024, BITS = 9 /* bins an octave, log2 */ };

static bool is_cell(const plussi_cell *cell)
{
    return cell->interval != 0;
}

static uint64_t hash_cell(const plussi_cell *cell)
{
    return plussi_hash(cell->interval) ^ cell->distance;
}

typedef const plussi_cell *cell_key;

static bool has_cell(const plussi_cell *cell, cell_key key)
{
    return cell->interval == key->interval && cell->distance == key->distance;
}

PLUSSI_MAP(cells, plussi_cell, cell_key, is_cell, hash_cell, has_cell)

void plussi_cells_init(plussi_cells *cells, const plussi_mem *mem)
{
    *cells = (plussi_cells){.mem = *mem};
}

void plussi_cells_free(plussi_cells *cells)
{
    const plussi_mem mem = cells->mem;
    plussi_free(&mem, cells->cell);
    plussi_cells_init(cells, &mem);
}

pluss_status plussi_cells_add(plussi_cells *cells, uint64_t interval, uint64_t distance,
                              double weight)
{
    const plussi_cell key = {
        plussi_histo_quantise(interval, BITS),
        distance == PLUSSI_CELL_UNKNOWN ? distance : plussi_histo_quantise(distance, BITS), weight};
    if (!cells_reserve(&cells->mem, &cells->cell, &cells->size, FIRST, cells->n + 1))
        return PLUSS_ENOMEM;
    plussi_cell *slot = cells_find(cells->cell, cells->size, hash_cell(&key), &key);
    if (is_cell(slot)) {
        slot->weight += weight;
        return PLUSS_OK;
    }
    *slot = key;
    cells->n++;
    return PLUSS_OK;
}

void plussi_cells_list(plussi_cells *cells)
{
    size_t n = 0;
    for (size_t i = 0; i < cells->size; i++)
        if (is_cell(&cells->cell[i]))
            cells->cell[n++] = cells->cell[i];
}

pluss_status plussi_cells_add_profile(plussi_cells *cells, const plussi_profile *profile)
{
    const plussi_histo *h = &profile->histo;
    const bool intervals = profile->metric == PLUSSI_METRIC_INTERVAL;
    const double all = plussi_histo_total(h);
    plussi_bin *bin = NULL;
    size_t n = 0;
    double left = all, time = 0; /* accesses of distances from `at` on; those for `at` lines */
    uint64_t at = 0;
    pluss_status status = plussi_histo_sorted(h, &bin, &n);
    for (size_t i = 0; i < n && !status; i++) {
        if (intervals) {
            status = plussi_cells_add(cells, bin[i].key, PLUSSI_CELL_UNKNOWN,
                                      bin[i].weight / profile->runs);
            continue;
        }
        time += (double)(bin[i].key - at) * (all / fmax(left, bin[i].weight));
        at = bin[i].key;
        left -= bin[i].weight;
        status = plussi_cells_add(cells, 1 + (uint64_t)fmin(time, 0x1p62), at,
                                  bin[i].weight / profile->runs);
    }
    plussi_free(&h->mem, bin);
    cells->accesses += all / profile->runs;
    cells->lines += h->cold / profile->runs;
    return status;
}
