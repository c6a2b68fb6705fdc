/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of the closed-form engine: the workspace of one thread of the analysis.
 */
#ifndef PLUSSI_SAMPLER_SCAN_H
#define PLUSSI_SAMPLER_SCAN_H

#include "sampler/plan.h"

/* A node of a phase, with the values of the loops around it. */
typedef struct plussi_item {
    const plussi_pnode *node;
    int64_t iv[PLUSSI_SPOT_SLOTS];
} plussi_item;

typedef struct plussi_phase {
    uint64_t number; /* UINT64_MAX: none */
    plussi_item *item;
    size_t n_items, cap;
    bool on_demand;          /* one of them is */
    const plussi_pnode *end; /* the barrier */
    int64_t end_iv[PLUSSI_SPOT_SLOTS];
    uint64_t *length;  /* by thread; UINT64_MAX: not counted yet */
    uint64_t *busy;    /* bits of the threads that have accesses, and the least of these: */
    uint64_t shortest; /* 0: not known yet */
} plussi_phase;

enum { PLUSSI_SCAN_PHASES = 64 };

struct plussi_scan {
    plussi_mem mem;
    const plussi_engine *engine;
    plussi_phase phase[PLUSSI_SCAN_PHASES]; /* number mod their count */
    plussi_phase *recent;                   /* that a spot was found in last; NULL: none */
    uint64_t *length, *busy;
    bool failed;
};

plussi_phase *plussi_scan_phase(plussi_scan *q, uint64_t number);
/* position.c: the leaf that holds access p of a node by the count's measure, iv filled in on the
 * way; counts before a leaf inside of `stop`, which lies around it, iv used up. */
const plussi_pnode *plussi_descend(plussi_scan *q, const plussi_count *given,
                                   const plussi_pnode *node, uint64_t p, uint32_t *touch);
uint64_t plussi_count_before(const plussi_count *c, const plussi_pnode *leaf,
                             const plussi_pnode *stop);
void plussi_set_spot(const plussi_pnode *leaf, uint32_t touch, const int64_t *iv, plussi_spot *out);
/* Accesses of a thread in an item. */
uint64_t plussi_item_length(plussi_scan *q, plussi_item *item, uint32_t thread);
/* Loops that lie around both. */
uint32_t plussi_common_loops(const plussi_pnode *a, const plussi_pnode *b);

#endif
