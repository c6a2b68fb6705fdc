/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A bound nest as a list of steps with jumps, so that a thread's position is one number and a few
 * counters. Internal to the walker.
 */
#ifndef PLUSSI_TRACE_STEPS_H
#define PLUSSI_TRACE_STEPS_H

#include "bound/bound.h"

typedef enum step_kind {
    STEP_REFS,      /* entries one after another, each offset evaluated */
    STEP_LOOP,      /* begins a loop that one thread executes; no iteration: to target */
    STEP_LOOP_NEXT, /* end of its body: repeats from target, or goes on */
    STEP_FLAT,      /* a loop of affine references only */
    STEP_ITERSET,   /* a worksharing loop begins: finds the thread's iterations */
    STEP_ROW, /* its next run of iterations of the innermost collapsed loop; none left: to target */
    STEP_ROW_NEXT, /* end of its body: the row's next iteration, or back to the ROW at target */
    STEP_ROW_FLAT, /* a row of affine references only, then back to target */
    STEP_IF,       /* false: to target */
    STEP_BRANCH,   /* not taken: to target */
    STEP_JUMP,     /* to target */
    STEP_SINGLE,   /* not the first thread to reach it: to target */
    STEP_MASTER,   /* not thread 0: to target */
    STEP_BARRIER,
    STEP_FORK, /* target: after the JOIN; first: the ITERSET step, if the region is nothing but a
                  worksharing loop with the same trip count for all threads, else 0 */
    STEP_JOIN,
    STEP_SWAP,
    STEP_REGION,     /* begins; target: after the REGION_END */
    STEP_REGION_END, /* repeats from target, or goes on */
    STEP_END
} step_kind;

/* One access; a reference that straddles lines has several. */
typedef struct step_entry {
    const plussi_cexpr *offset;
    int64_t delta;     /* bytes from the reference's first access */
    int64_t copy;      /* bytes from one thread's copy of the array to the next, or 0 */
    int64_t increment; /* FLAT, ROW_FLAT: bytes from one iteration to the next */
    uint32_t array, ref;
} step_entry;

typedef struct step {
    step_kind kind;
    uint32_t target;
    uint32_t cost;     /* steps of effort, without those of emitted accesses */
    uint32_t first, n; /* REFS, FLAT, ROW_FLAT: entries */
    uint32_t levels;   /* ITERSET, ROW...: number of collapsed loops */
    bool rectangular;  /* ITERSET: inner bounds do not depend on the outer collapsed IVs */
    const plussi_bound_node *node;  /* ITERSET, ROW...: the outermost loop */
    const plussi_bound_node *inner; /* ROW...: the innermost collapsed loop */
    int64_t repeat;                 /* REGION, REGION_END */
    double weight;                  /* walk_done.c: accesses of its whole construct, about */
} step;

typedef struct step_program {
    plussi_mem mem;
    step *step;
    size_t n_steps, cap_steps;
    step_entry *entry;
    size_t n_entries, cap_entries;
    uint32_t most_flat;   /* entries of a FLAT */
    uint32_t most_levels; /* collapsed loops */
} step_program;

/* PLUSS_EUNSUPPORTED, PLUSS_ENOMEM; warns of unknown nodes. The caller frees, on failure too. */
PLUSS_NODISCARD pluss_status plussi_program_build(plussi_ctx *ctx, const plussi_bound *bound,
                                                  step_program *out);
void plussi_program_free(step_program *program);
/* walk_done.c: sets the steps' weights. O(steps * depth). */
void plussi_program_weigh(const plussi_bound *bound, step_program *program);

#endif
