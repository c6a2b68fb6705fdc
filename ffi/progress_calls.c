/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include <stddef.h>
#include <string.h>

#include "team/law.h"

_Static_assert((int)PLUSS_RATES_PIECES == (int)PLUSSI_RATES_PIECES,
               "pluss.h: parts of a thread's accesses");
_Static_assert(sizeof(pluss_loop_rates) == sizeof(plussi_loop_rates) &&
                   offsetof(pluss_loop_rates, rates) == offsetof(plussi_loop_rates, rate) &&
                   offsetof(pluss_loop_rates, costs) == offsetof(plussi_loop_rates, cost),
               "pluss.h: the rates of a loop");

/* The number of a law; NULL: it has no name, and is the first. */
static pluss_status find_law(plussi_ctx *ctx, const char *name, plussi_progress_law *out)
{
    const plussi_law *law;
    *out = PLUSSI_PROGRESS_UNIFORM;
    for (size_t i = 0; name && (law = plussi_law_at(i)); i++)
        if (strcmp(law->name, name) == 0) {
            *out = (plussi_progress_law)i;
            return PLUSS_OK;
        }
    return name ? plussi_fail(ctx, PLUSS_EINVAL, NULL, "there is no progress '%s'", name)
                : PLUSS_OK;
}

pluss_status plussi_ffi_take_progress(plussi_ctx *ctx, const pluss_progress *given,
                                      plussi_progress *out, bool *by_default)
{
    pluss_progress p;
    plussi_progress_law law;
    pluss_status status = plussi_ffi_take(ctx, &p, sizeof p, given);
    if (!status)
        status = find_law(ctx, p.law, &law);
    if (status)
        return status;
    *out = (plussi_progress){.law = law,
                             .accesses = p.accesses,
                             .cores = p.cores,
                             .sigma = p.sigma,
                             .skew = p.skew,
                             .skew_spread = p.skew_spread,
                             .rate = p.rates,
                             .n_rates = p.n_rates,
                             .stall_rate = p.stall_rate,
                             .stall = p.stall,
                             .loop = (const plussi_loop_rates *)p.loops,
                             .n_loops = p.n_loops,
                             .timelines = p.timelines ? p.timelines->timelines : NULL,
                             .origin = p.origin,
                             .wake = p.wake,
                             .access = p.access};
    *by_default = p.by_default != 0;
    return PLUSS_OK;
}

pluss_progress plussi_ffi_progress(const plussi_progress *p)
{
    return (pluss_progress){.size = sizeof(pluss_progress),
                            .law = plussi_progress_name(p->law),
                            .accesses = p->accesses,
                            .cores = p->cores,
                            .sigma = p->sigma,
                            .skew = p->skew,
                            .skew_spread = p->skew_spread,
                            .rates = p->rate,
                            .n_rates = p->n_rates,
                            .stall_rate = p->stall_rate,
                            .stall = p->stall,
                            .loops = (const pluss_loop_rates *)p->loop,
                            .n_loops = p->n_loops,
                            .wake = p->wake,
                            .access = p->access};
}

pluss_status pluss_progress_get(size_t i, pluss_progress_info *out)
{
    if (!out)
        return PLUSS_EINVAL;
    const plussi_law *law = plussi_law_at(i);
    if (!law)
        return PLUSS_ENOTFOUND;
    pluss_progress_info info = {.size = sizeof info,
                                .name = law->name,
                                .syntax = law->syntax,
                                .summary = law->summary,
                                .predicted = law->time != NULL,
                                .simulated = law->timed || law->next};
    return plussi_ffi_give(out, &info, sizeof info);
}

pluss_status pluss_progress_parse(pluss_context *ctx, const char *text, pluss_progress *out)
{
    plussi_progress read;
    bool by_default;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!text || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_status status = plussi_progress_parse(&ctx->ctx, text, &read, &by_default);
    if (!status) {
        pluss_progress progress = plussi_ffi_progress(&read);
        progress.by_default = by_default;
        status = plussi_ffi_give(out, &progress, sizeof progress);
    }
    return plussi_ffi_leave(ctx, status);
}
