/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Boxes of a reference's accesses, counted exactly without walking: those at certain iterations of
 * each loop, as they are numbered from its start or from its end, of certain threads, and at
 * certain addresses modulo the line. Most properties of accesses (the source of the reuse, its
 * interval) are constant or change little on few such boxes.
 *
 * An access has a coordinate on every axis; a box is a range of each.
 */
#ifndef PLUSSI_SAMPLER_BOXES_H
#define PLUSSI_SAMPLER_BOXES_H

#include "base/rng.h"
#include "sampler/engine.h"

enum {
    PLUSSI_BOX_LOOPS = 8,
    /* Axes 2 k and 2 k + 1: iterations from the start, and to the end, of the k-th loop around the
     * reference, outermost first. The others: the same within the thread's block of the
     * worksharing loop; the thread; the address modulo the line, in units. */
    PLUSSI_BOX_OWN_START = 2 * PLUSSI_BOX_LOOPS,
    PLUSSI_BOX_OWN_END,
    PLUSSI_BOX_THREAD,
    PLUSSI_BOX_RESIDUE,
    PLUSSI_BOX_AXES
};

/* Coordinates [from, to); to UINT64_MAX: no bound. */
typedef struct plussi_span {
    uint64_t from, to;
} plussi_span;

static inline bool plussi_span_holds(const plussi_span *span, uint64_t x)
{
    return x >= span->from && x < span->to;
}

typedef struct plussi_box {
    plussi_span axis[PLUSSI_BOX_AXES];
} plussi_box;

/* All accesses of one reference. */
typedef struct plussi_box_space {
    const plussi_engine *engine;
    uint32_t leaf, depth;
    uint32_t own;      /* level of the worksharing loop, dealt out in blocks; UINT32_MAX: none */
    uint32_t threads;  /* that execute each iteration: 1, or the team outside worksharing loops */
    uint64_t touches;  /* accesses of an execution */
    uint64_t residues; /* different addresses modulo the line, at most; 1: not told apart */
    uint64_t unit;     /* bytes from one to the next */
    uint32_t degree[PLUSSI_BOX_LOOPS]; /* of the counts as polynomials in each loop's iteration */
    uint64_t period[PLUSSI_BOX_LOOPS]; /* of the address modulo the line */
    uint64_t residue_step[PLUSSI_BOX_LOOPS]; /* units from one iteration to the next, modulo it */
} plussi_box_space;

/* false: the reference's accesses cannot be counted by boxes: conditions around it, more than
 * PLUSSI_BOX_LOOPS loops, loops that are not static, subscripts that are not affine, quotients or
 * remainders in bounds, or anything that depends on the thread's number. O(depth squared). */
bool plussi_box_space_of(const plussi_engine *engine, uint32_t leaf, plussi_box_space *out);
/* All of the space. */
plussi_box plussi_box_whole(void);
/* Whether an axis tells accesses apart: OWN_START, OWN_END and THREAD only where there are blocks,
 * RESIDUE where there are several. */
bool plussi_box_has_axis(const plussi_box_space *space, uint32_t axis);

/* Accesses in the box; counts of iterations are polynomials with the space's periods between a few
 * breaks, which are looked for at the end of each stretch and in its middle: boxes that
 * part a space must add up to plussi_engine_leaf_accesses. *effort: evaluations that may be made;
 * fewer are left; UINT64_MAX: they did not suffice. */
uint64_t plussi_box_count(const plussi_box_space *space, const plussi_box *box, uint64_t *effort);
/* Access n of the box in program order (all threads' of an iteration together), n < its count. */
void plussi_box_nth(plussi_workspace *workspace, const plussi_box_space *space,
                    const plussi_box *box, uint64_t n, plussi_cursor *out);

/* Draws from a box, each at a fraction of what plussi_box_nth costs. */
typedef struct plussi_box_draws plussi_box_draws;
/* space is borrowed. O(breaks of the counts in the outermost loop + team). PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_box_draws_new(plussi_ctx *ctx, const plussi_box_space *space,
                                                  const plussi_box *box, plussi_box_draws **out);
void plussi_box_draws_free(plussi_box_draws *draws);
/* An access near the n-th: in the same iteration of the outermost loop, or a few iterations from
 * there; uniform in the box for a uniform n below its count. false: the box was miscounted, and has
 * none there. */
bool plussi_box_draw(plussi_workspace *workspace, const plussi_box_draws *draws, uint64_t n,
                     plussi_rng *rng, plussi_cursor *out);
/* The coordinates of an access of the space. */
void plussi_box_locate(const plussi_box_space *space, const plussi_cursor *cursor,
                       uint64_t coordinate[PLUSSI_BOX_AXES]);
static inline bool plussi_box_holds(const plussi_box *box,
                                    const uint64_t coordinate[PLUSSI_BOX_AXES])
{
    bool in = true;
    for (uint32_t a = 0; a < PLUSSI_BOX_AXES && in; a++)
        in = plussi_span_holds(&box->axis[a], coordinate[a]);
    return in;
}

#endif
