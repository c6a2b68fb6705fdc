/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include "study/gaps.h"

struct pluss_gaps {
    pluss_context *ctx;
    plussi_gaps *gaps;
    plussi_gaps_options options;
    double timer_interval;
    bool finished;
};

pluss_status pluss_gaps_new(pluss_context *ctx, const pluss_gaps_options *options, pluss_gaps **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_gaps_options given;
    pluss_status status = plussi_ffi_take(&ctx->ctx, &given, sizeof given, options);
    if (status)
        return plussi_ffi_leave(ctx, status);
    pluss_gaps *g = plussi_calloc(&ctx->ctx.mem, 1, sizeof *g);
    if (!g)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    g->ctx = ctx;
    g->timer_interval = given.interval_ns == 0 ? given.timer_ns : 0;
    g->options = (plussi_gaps_options){.region = given.region,
                                       .loop = given.has_loop ? (int64_t)given.loop : -1,
                                       .lap = given.lap == 0 ? 1 : given.lap,
                                       .interval = given.interval_ns,
                                       .drop = given.drop == 0  ? 0.1
                                               : given.drop < 0 ? 0
                                                                : given.drop,
                                       .bins = given.bins ? given.bins : 20};
    status = plussi_gaps_new(&ctx->ctx, &g->options, &g->gaps);
    g->options.region = NULL; /* the caller's */
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
    plussi_gaps_loop what = plussi_gaps_what(g->gaps);
    pluss_gaps_info info = {.size = sizeof info,
                            .region = what.region,
                            .file = what.file,
                            .line = what.line,
                            .loop = what.loop,
                            .team = what.team,
                            .bins = g->options.bins,
                            .lap = g->options.lap,
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
                            .n_counts = g->options.bins};
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
        plussi_gaps_report(g->gaps, g->timer_interval, &report->document);
    return plussi_ffi_give_report(g->ctx, report, out);
}
