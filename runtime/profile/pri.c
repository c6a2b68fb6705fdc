/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/pri.h"

#include <math.h>

pluss_status plussi_pri_init(plussi_ctx *ctx, uint32_t n_refs, uint32_t team, plussi_pri *out)
{
    plussi_ref_pri *ref = plussi_calloc(&ctx->mem, n_refs ? n_refs : 1, sizeof *ref);
    if (!ref)
        return PLUSS_ENOMEM;
    for (uint32_t i = 0; i < n_refs; i++) {
        ref[i].sharers = 1;
        plussi_histo_init(&ref[i].histo, &ctx->mem);
    }
    *out = (plussi_pri){.mem = ctx->mem, .team = team, .n_refs = n_refs, .ref = ref};
    return PLUSS_OK;
}

void plussi_pri_free(plussi_pri *pri)
{
    if (!pri->ref)
        return;
    for (uint32_t i = 0; i < pri->n_refs; i++)
        plussi_histo_free(&pri->ref[i].histo);
    for (uint32_t i = 0; i < pri->n_threads; i++)
        plussi_histo_free(&pri->thread[i].histo);
    plussi_free(&pri->mem, pri->thread);
    plussi_free(&pri->mem, pri->ref);
    *pri = (plussi_pri){.mem = pri->mem, .team = pri->team};
}

void plussi_sharing_at(const plussi_pri *pri, uint32_t ref, uint32_t T, uint32_t *sharers,
                       double *part)
{
    const plussi_ref_pri *r = &pri->ref[ref];
    uint32_t threads = r->own_team ? r->own_team : T;
    *sharers = 1;
    *part = 0;
    if (r->sharing == PLUSSI_SHARING_NONE || threads == 1)
        return;
    if (r->sharing == PLUSSI_SHARING_FULL) {
        *sharers = threads;
        *part = 1;
        return;
    }
    double chunks = r->chunks_per_line;
    if (chunks <= 1) /* of a record that has only the number of threads */
        chunks = r->sharers;
    else if (r->by_block && !r->own_team)
        chunks = 1 + (chunks - 1) * T / pri->team;
    /* At most two chunks meet in a line: the other lines are not shared. */
    *part = fmin(chunks - 1, 1);
    double most = fmax(2, round(chunks));
    *sharers = most < threads ? (uint32_t)most : threads;
}
