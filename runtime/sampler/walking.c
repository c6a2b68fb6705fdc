/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Limits of walks. The closed form counts the accesses first, so that a walk that would be given up
 * does not start.
 */
#include "sampler/walking.h"

#include "sampler/engine.h"

uint64_t plussi_walk_effort(uint64_t given)
{
    return given ? given : 1000000000000;
}

typedef struct counting {
    const plussi_bound *bound;
    uint64_t accesses;
} counting;

static pluss_status count_walk(plussi_ctx *ctx, void *user)
{
    counting *c = user;
    plussi_engine *engine = NULL;
    pluss_status status = plussi_engine_new_serial(ctx, c->bound, &engine);
    if (!status)
        c->accesses = plussi_engine_accesses(engine);
    plussi_engine_free(engine);
    return status;
}

/* If counting takes too long, the walk decides. */
pluss_status plussi_check_walk(plussi_ctx *ctx, const plussi_bound *bound,
                               const plussi_effort *effort, uint64_t *accesses)
{
    enum { STEPS = 8 /* an access, at least */, COUNTING = 10000000 };
    if (accesses)
        *accesses = 0;
    if (!effort)
        return PLUSS_OK;
    plussi_effort few = {.left = COUNTING};
    counting c = {.bound = bound};
    plussi_ctx quiet;
    plussi_ctx_init(&quiet, &ctx->mem);
    bool counted = plussi_attempt(&quiet, &few, count_walk, &c) == PLUSS_OK;
    plussi_ctx_clear(&quiet);
    if (accesses && counted)
        *accesses = c.accesses;
    if (!counted || c.accesses <= effort->left / STEPS)
        return PLUSS_OK;
    return plussi_fail(
        ctx, PLUSS_ELIMIT, NULL,
        "walking %llu accesses takes at least %d steps each, more than the effort of "
        "%llu steps",
        (unsigned long long)c.accesses, STEPS, (unsigned long long)effort->left);
}
