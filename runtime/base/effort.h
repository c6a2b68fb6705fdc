/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bounded effort: elementary steps are counted, not time, so that whether they suffice can be
 * reproduced. What needs too many is left wherever it is, however deep in a recursion (setjmp), and
 * the memory that it had taken is freed with it.
 */
#ifndef PLUSSI_BASE_EFFORT_H
#define PLUSSI_BASE_EFFORT_H

#include <setjmp.h>
#include <stdbool.h>

#include "base/ctx.h"

/* Memory of an attempt: four of them may be under way at a time, and 1 GB is what a machine has. */
enum { PLUSSI_ATTEMPT_MB = 250 };

typedef struct plussi_effort {
    uint64_t left;  /* steps */
    size_t peak;    /* the most memory that was held at a time, bytes */
    bool starved;   /* it was memory that did not suffice, not steps */
    const void *at; /* what was worked on last, for whoever has to name it */
    bool attempted; /* an attempt is under way, which ends at: */
    jmp_buf stop;
} plussi_effort;

/* Ends the attempt, if there is one. */
void plussi_effort_stop(plussi_effort *effort);

/* Takes steps; NULL: not bounded. false: there are too few, and no attempt that this ends. */
static inline bool plussi_effort_pay(plussi_effort *effort, uint64_t steps)
{
    if (!effort)
        return true;
    if (steps > effort->left) {
        plussi_effort_stop(effort);
        return false;
    }
    effort->left -= steps;
    return true;
}

/* Inside of an attempt: does not return where there are too few. */
static inline void plussi_effort_take(plussi_effort *effort, uint64_t steps)
{
    (void)plussi_effort_pay(effort, steps);
}

/* The effort of the attempt that the context belongs to; NULL: it belongs to none. */
plussi_effort *plussi_effort_of(const plussi_ctx *ctx);

/* Runs body with a context of its own, whose effort is the one given; memory from that context
 * costs a step for each 256 bytes, is at most PLUSSI_ATTEMPT_MB, and ends with the attempt.
 * Diagnostics become ctx's. Body must not change anything else that the caller will use, nor hold
 * what is no memory, as it may be left anywhere. Its status; PLUSS_ELIMIT without a diagnostic
 * where the effort was too small. */
typedef pluss_status (*plussi_attempt_fn)(plussi_ctx *ctx, void *user);
PLUSS_NODISCARD pluss_status plussi_attempt(plussi_ctx *ctx, plussi_effort *effort,
                                            plussi_attempt_fn body, void *user);

#endif
