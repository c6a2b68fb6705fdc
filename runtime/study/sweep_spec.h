/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text of a parameter sweep (docs/sweep.md): its dimensions, each a list of values, and the
 * options that all cells have. A cell is one value of each dimension; cells are numbered from 0,
 * the last dimension varying fastest.
 */
#ifndef PLUSSI_STUDY_SWEEP_SPEC_H
#define PLUSSI_STUDY_SWEEP_SPEC_H

#include "study/request.h"

/* In the order in which they vary, the slowest first; there may be several of SIZES. */
typedef enum plussi_dimension_kind {
    PLUSSI_DIMENSION_FILES,
    PLUSSI_DIMENSION_SIZES,
    PLUSSI_DIMENSION_SCHEDULES,
    PLUSSI_DIMENSION_THREADS,
    PLUSSI_DIMENSION_CACHES,
    PLUSSI_DIMENSION_MODELS,
    PLUSSI_DIMENSION_KINDS
} plussi_dimension_kind;

typedef struct plussi_dimension {
    plussi_dimension_kind kind;
    plussi_loc place; /* of its first value */
    size_t n, room;   /* values, >= 1 */
    const char **value;
    /* SIZES: number[i * n_symbols + k] is value i of symbol k; there is no text */
    size_t n_symbols, symbols_room, numbers_room;
    const char **symbol;
    int64_t *number;
} plussi_dimension;

typedef struct plussi_sweep_option {
    const char *name, *text; /* text NULL: a flag */
} plussi_sweep_option;

typedef struct plussi_sweep_spec {
    plussi_arena arena; /* texts */
    plussi_dimension *dimension;
    size_t n, room;
    plussi_sweep_option *option; /* of all cells */
    size_t n_options, options_room;
    uint64_t cells, identity; /* identity: of the sweep, a hash of all that was written */
} plussi_sweep_spec;

/* The caller frees *out in any case. Every value is tried as the option that it is of. PLUSS_EINVAL
 * with the place: a line that says nothing, a value that is none; PLUSS_ELIMIT: more than 2^40
 * cells; PLUSS_ENOMEM. O(text + values). */
PLUSS_NODISCARD pluss_status plussi_sweep_spec_parse(plussi_ctx *ctx, const char *text,
                                                     size_t length, const char *file,
                                                     plussi_sweep_spec *out);
void plussi_sweep_spec_free(const plussi_mem *mem, plussi_sweep_spec *spec);
/* Adds to the identity: what the files hold is part of it. */
void plussi_sweep_spec_identify(plussi_sweep_spec *spec, const void *bytes, size_t length);

/* Which value of the dimension a cell has. O(dimensions). */
size_t plussi_cell_index(const plussi_sweep_spec *spec, uint64_t cell, size_t dimension);
/* Its text in a dimension other than SIZES. */
const char *plussi_cell_value(const plussi_sweep_spec *spec, uint64_t cell,
                              plussi_dimension_kind kind);
/* What the cell asks for; *simulated: by the exact simulation, not a model. *out is initialised;
 * the caller frees it in any case. */
PLUSS_NODISCARD pluss_status plussi_cell_request(plussi_ctx *ctx, const plussi_sweep_spec *spec,
                                                 uint64_t cell, plussi_request *out,
                                                 bool *simulated);

#endif
