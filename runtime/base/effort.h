/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bounded effort: counts elementary steps, not time, so that the outcome is reproducible. What
 * needs too many is left at once, however deep in a recursion (setjmp), and its memory is freed.
 */
#ifndef PLUSSI_BASE_EFFORT_H
#define PLUSSI_BASE_EFFORT_H

#include <setjmp.h>
#include <stdbool.h>

#include "base/ctx.h"

/* Memory limit of an attempt. Up to four run at a time, beside one whose memory is kept (the engine
 * that replications share): 1.25 GB. */
enum { PLUSSI_ATTEMPT_MB = 250 };

typedef struct plussi_effort {
    uint64_t left;  /* steps */
    size_t peak;    /* largest amount of memory held at a time, bytes */
    bool starved;   /* memory did not suffice, rather than steps */
    const void *at; /* node worked on last, for the error message */
    bool attempted; /* an attempt is running, which ends at: */
    jmp_buf stop;
} plussi_effort;

/* Ends the attempt, if there is one. */
void plussi_effort_stop(plussi_effort *effort);

/* Takes steps; NULL: no bound. false: there are too few, and no attempt to end. */
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

/* Within an attempt: does not return if there are too few. */
static inline void plussi_effort_take(plussi_effort *effort, uint64_t steps)
{
    (void)plussi_effort_pay(effort, steps);
}

/* The effort of the context's attempt; NULL: it belongs to none. */
plussi_effort *plussi_effort_of(const plussi_ctx *ctx);

/* Runs body with its own context and the given effort. Memory from that context costs a step for
 * each 256 bytes, is at most PLUSSI_ATTEMPT_MB, and is freed at the end. Diagnostics are added to
 * ctx. As body may be left anywhere, it must not change other data of the caller, nor hold
 * resources other than memory. Returns its status; PLUSS_ELIMIT without a diagnostic if the effort
 * was too small. */
typedef pluss_status (*plussi_attempt_fn)(plussi_ctx *ctx, void *user);
PLUSS_NODISCARD pluss_status plussi_attempt(plussi_ctx *ctx, plussi_effort *effort,
                                            plussi_attempt_fn body, void *user);

/* Memory of an attempt. */
typedef struct plussi_attempted plussi_attempted;
/* plussi_attempt whose memory outlives it if body succeeds: nothing is allocated from it any more,
 * and plussi_attempted_free, in place of the pieces' owners, frees all of it. Else *out is NULL. */
PLUSS_NODISCARD pluss_status plussi_attempt_to_keep(plussi_ctx *ctx, plussi_effort *effort,
                                                    plussi_attempt_fn body, void *user,
                                                    plussi_attempted **out);
void plussi_attempted_free(plussi_attempted *attempted);

#endif
