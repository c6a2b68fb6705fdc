/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Internals of the closed-form engine: the workspace of one analysis thread.
 */
#ifndef PLUSSI_SAMPLER_WORKSPACE_H
#define PLUSSI_SAMPLER_WORKSPACE_H

#include "sampler/plan.h"

enum { PLUSSI_ITEM_TERMS = 4 };

/* A node of a phase, with the values of the loops around it. */
typedef struct plussi_item {
    const plussi_plan_node *node;
    int64_t iv[PLUSSI_CURSOR_SLOTS];
    /* A static loop whose iterations make the same number of accesses, or in blocks one that is a
     * polynomial of their number, whoever executes them: */
    bool looked_at;
    uint32_t terms; /* 0: it is none; else forward differences at the first iteration */
    __int128 difference[PLUSSI_ITEM_TERMS];
    plussi_iterset set; /* of thread 0 */
} plussi_item;

typedef struct plussi_phase {
    uint64_t number; /* UINT64_MAX: none */
    plussi_item *item;
    size_t n_items, cap;
    bool on_demand;              /* one of them is dynamic */
    const plussi_plan_node *end; /* the barrier */
    int64_t end_iv[PLUSSI_CURSOR_SLOTS];
    uint64_t *length;  /* by thread; UINT64_MAX: not counted yet */
    uint64_t *busy;    /* bits of the threads that have accesses */
    uint64_t shortest; /* least length of these; 0: not known yet */
} plussi_phase;

enum { PLUSSI_WORKSPACE_PHASES = 64 };

/* The loops around a cursor that was found by its position, outermost first, and in each of them
 * the accesses of its instance before the cursor. */
typedef struct plussi_trail {
    plussi_cursor cursor;
    uint32_t n; /* 0: none */
    const plussi_plan_node *loop[PLUSSI_CURSOR_SLOTS];
    uint64_t before[PLUSSI_CURSOR_SLOTS];
} plussi_trail;

struct plussi_workspace {
    plussi_mem mem;
    const plussi_engine *engine;
    plussi_phase phase[PLUSSI_WORKSPACE_PHASES]; /* number mod their count */
    plussi_thread_sums sums;
    plussi_phase *recent; /* in which a cursor was last found; NULL: none */
    uint64_t *length, *busy;
    plussi_trail trail;        /* of the latest one */
    const plussi_group **hint; /* by leaf: the group of its last previous touch; NULL: none yet */
    bool failed;
};

plussi_phase *plussi_workspace_phase(plussi_workspace *q, uint64_t number);
/* position.c: the leaf that holds access p of a node by the count's measure, with iv set on the
 * way; the loops on the way are added to a trail, unless that is NULL; counts before a leaf within
 * `stop`, a node around it; overwrites iv. */
const plussi_plan_node *plussi_descend(plussi_workspace *q, const plussi_count *given,
                                       const plussi_plan_node *node, uint64_t p, uint32_t *touch,
                                       plussi_trail *trail);
uint64_t plussi_count_before(const plussi_count *c, const plussi_plan_node *leaf,
                             const plussi_plan_node *stop);
void plussi_set_cursor(const plussi_plan_node *leaf, uint32_t touch, const int64_t *iv,
                       plussi_cursor *out);
/* Sets iv[0] to the thread that executes the iteration of a worksharing loop given by iv. */
void plussi_find_owner(plussi_workspace *q, const plussi_plan_node *head, int64_t *iv);
/* Accesses of a thread in an item. */
uint64_t plussi_item_length(plussi_workspace *q, plussi_item *item, uint32_t thread);
/* Those before one of its iterations in the item, which is a divided loop; false: they do not
 * follow from its differences. The inverse, *p < plussi_item_length, which was asked for: *p
 * becomes the number within the iteration. */
bool plussi_item_rank(plussi_workspace *q, plussi_item *item, uint32_t thread, uint64_t iteration,
                      uint64_t *before);
bool plussi_item_find(plussi_item *item, uint32_t thread, uint64_t *p, uint64_t *iteration);
/* Number of loops around both. */
uint32_t plussi_common_loops(const plussi_plan_node *a, const plussi_plan_node *b);

#endif
