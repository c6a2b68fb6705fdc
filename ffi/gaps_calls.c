/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include "study/gaps.h"

struct pluss_gaps {
    pluss_context *ctx;
    plussi_gaps *gaps;
    bool finished;
};

pluss_status pluss_gaps_new(pluss_context *ctx, const pluss_options *options, pluss_gaps **out)
{
    plussi_request request;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_ffi_request(ctx, options, &request);
    request.gaps.region = request.region;
    request.gaps.n_regions = request.n_regions;
    pluss_gaps *g = plussi_calloc(&ctx->ctx.mem, 1, sizeof *g);
    if (!g)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    g->ctx = ctx;
    pluss_status status = plussi_gaps_new(&ctx->ctx, &request.gaps, &g->gaps);
    if (status)
        plussi_free(&ctx->ctx.mem, g);
    else
        *out = g;
    return plussi_ffi_leave(ctx, status);
}

void pluss_gaps_free(pluss_gaps *g)
{
    if (!g)
        return;
    plussi_gaps_free(g->gaps);
    plussi_free(&g->ctx->ctx.mem, g);
}

pluss_status pluss_gaps_add(pluss_gaps *g, const pluss_record *record)
{
    if (!g)
        return PLUSS_EINVAL;
    if (!record || g->finished)
        return plussi_ffi_leave(g->ctx, PLUSS_EINVAL);
    plussi_trace_reader *trace = NULL;
    pluss_status status = plussi_record_trace(&g->ctx->ctx, record->record, &trace);
    if (!status)
        status = plussi_gaps_add(g->gaps, record->record, trace);
    plussi_trace_close(trace);
    return plussi_ffi_leave(g->ctx, status);
}

pluss_status pluss_gaps_finish(pluss_gaps *g)
{
    if (!g)
        return PLUSS_EINVAL;
    pluss_status status = g->finished ? PLUSS_EINVAL : plussi_gaps_finish(g->gaps);
    g->finished |= status == PLUSS_OK;
    return plussi_ffi_leave(g->ctx, status);
}

pluss_status pluss_gaps_get_info(const pluss_gaps *g, pluss_gaps_info *out)
{
    if (!g || !out || !g->finished)
        return PLUSS_EINVAL;
    const plussi_gaps_options *asked = plussi_gaps_asked(g->gaps);
    plussi_gaps_loop what = plussi_gaps_what(g->gaps);
    pluss_gaps_info info = {.size = sizeof info,
                            .region = what.region,
                            .file = what.file,
                            .line = what.line,
                            .loop = what.loop,
                            .team = what.team,
                            .bins = asked->bins,
                            .lap = asked->lap,
                            .runs = what.runs};
    return plussi_ffi_give(out, &info, sizeof info);
}

pluss_status pluss_gaps_get_test(const pluss_gaps *g, size_t run, pluss_gaps_test *out)
{
    if (!g || !out || !g->finished)
        return PLUSS_EINVAL;
    const plussi_gaps_result *r = plussi_gaps_get(g->gaps, run);
    if (!r)
        return PLUSS_ENOTFOUND;
    pluss_gaps_test test = {.size = sizeof test,
                            .samples = r->test.samples,
                            .stops = r->stops,
                            .outside = r->outside,
                            .wrong = r->wrong,
                            .chi2 = r->test.chi2,
                            .p = r->test.p,
                            .lag1 = r->test.lag1,
                            .correlation = r->test.correlation,
                            .effective = r->test.effective,
                            .p_corrected = r->test.p_corrected,
                            .counts = r->count,
                            .n_counts = plussi_gaps_asked(g->gaps)->bins};
    return plussi_ffi_give(out, &test, sizeof test);
}

pluss_status pluss_gaps_report(const pluss_gaps *g, pluss_report **out)
{
    if (!g)
        return PLUSS_EINVAL;
    if (!out || !g->finished)
        return plussi_ffi_leave(g->ctx, PLUSS_EINVAL);
    pluss_report *report = plussi_ffi_report(g->ctx);
    if (report)
        plussi_gaps_report(g->gaps, &report->document);
    return plussi_ffi_give_report(g->ctx, report, out);
}
