/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the generator's files share.
 */
#ifndef TESTS_ORACLE_NEST_GEN_STATE_H
#define TESTS_ORACLE_NEST_GEN_STATE_H

#include "nest_gen.h"
#include "nest_gen_fit.h"

enum { MAX_IVS = 8, MAX_ARRAYS = 24 };

typedef struct grower {
    plussi_rng *rng;
    const nest_gen_options *o;
    uint32_t max_trips;
    plussi_nest *nest;
    plussi_region *region;
    plussi_array *array[MAX_ARRAYS]; /* that references may use */
    uint32_t n_arrays;
    plussi_array *twin[2]; /* NULL: none */
    plussi_array *index[2];
    uint32_t n_index;
    plussi_symbol *symbol[NEST_GEN_MAX_SYMBOLS];
    int64_t symbol_value[NEST_GEN_MAX_SYMBOLS]; /* by id: only nest-wide symbols are made */
    uint32_t n_symbols;
    plussi_node *iv[MAX_IVS];
    uint32_t n_ivs, names, refs;
    bool in_parallel, in_share; /* share: workshare, single, master, critical */
    nest_gen *out;
} grower;

/* Uniform in [0, n). */
uint32_t nest_gen_below(grower *g, uint32_t n);
/* True in percent of 100 cases. */
bool nest_gen_chance(grower *g, uint32_t percent);
/* Whether a construct is allowed. */
bool nest_gen_may(const grower *g, unsigned long long bit);
/* Allowed, and chosen in percent of 100 cases; the dice are thrown in any case. */
bool nest_gen_want(grower *g, unsigned long long bit, uint32_t percent);
/* Uniform in [lo, hi]. */
int64_t nest_gen_between(grower *g, int64_t lo, int64_t hi);
/* A name that no other thing has. */
const char *nest_gen_name(grower *g, const char *stem, char room[64]);
/* A source location, or none. */
plussi_loc nest_gen_place(grower *g);
plussi_node *nest_gen_add(grower *g, plussi_body *body, plussi_node *parent, plussi_node_kind kind);
plussi_expr *nest_gen_op(grower *g, plussi_expr_kind kind, plussi_expr *a, plussi_expr *b);
plussi_expr *nest_gen_num(grower *g, int64_t value);
/* The number, or a symbol that has its value. */
plussi_expr *nest_gen_constant(grower *g, int64_t value);
/* An induction variable in scope; a number if there is none. */
plussi_expr *nest_gen_some_iv(grower *g);
plussi_expr *nest_gen_condition(grower *g);
plussi_expr *nest_gen_subscript(grower *g);
/* Declares an array, and perhaps a twin to swap it with. */
void nest_gen_array(grower *g);
/* Declares an index array with contents. */
void nest_gen_index(grower *g);
/* After fitting: padded rows, symbols for extents, an open slowest dimension. */
void nest_gen_dress(grower *g, plussi_array *array);

#endif
