/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include "study/calibrate.h"

struct pluss_calibration {
    plussi_mem mem;
    plussi_calibration fit;
    pluss_progress progress;
};

const plussi_calibration *plussi_ffi_fit(const pluss_calibration *calibration)
{
    return &calibration->fit;
}

static pluss_status fit_runs(plussi_ctx *ctx, const pluss_timelines *const *timelines, size_t n,
                             plussi_calibration *out)
{
    size_t runs = 0, at = 0;
    uint32_t team = 0;
    for (size_t i = 0; i < n; i++)
        runs += timelines[i]->timelines->n;
    plussi_calibrate_run *run = plussi_alloc(&ctx->mem, runs + 1, sizeof *run);
    if (!run)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < timelines[i]->timelines->n; r++) {
            const plussi_timeline *timeline = &timelines[i]->timelines->run[r];
            run[at++] = (plussi_calibrate_run){timeline, (uint32_t)i};
            for (size_t p = 0; p < timeline->n_phases; p++)
                team = timeline->phase[p].team > team ? timeline->phase[p].team : team;
        }
    pluss_status status = plussi_calibrate(ctx, run, runs, team, out);
    plussi_free(&ctx->mem, run);
    return status;
}

pluss_status pluss_calibrate(pluss_context *ctx, const pluss_timelines *const *timelines, size_t n,
                             pluss_calibration **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!out || (!timelines && n))
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    for (size_t i = 0; i < n; i++)
        if (!timelines[i])
            return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_calibration *c = plussi_calloc(&ctx->ctx.mem, 1, sizeof *c);
    if (!c)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    pluss_status status = fit_runs(&ctx->ctx, timelines, n, &c->fit);
    if (status) {
        plussi_free(&ctx->ctx.mem, c);
        return plussi_ffi_leave(ctx, status);
    }
    c->mem = ctx->ctx.mem;
    c->progress = plussi_ffi_progress(&c->fit.progress);
    *out = c;
    return plussi_ffi_leave(ctx, PLUSS_OK);
}

void pluss_calibration_free(pluss_calibration *calibration)
{
    if (!calibration)
        return;
    plussi_mem mem = calibration->mem;
    plussi_calibration_free(&calibration->fit);
    plussi_free(&mem, calibration);
}

pluss_status pluss_calibration_get_info(const pluss_calibration *calibration,
                                        pluss_calibration_info *out)
{
    if (!calibration || !out)
        return PLUSS_EINVAL;
    const plussi_calibration *fit = &calibration->fit;
    pluss_calibration_info info = {.size = sizeof info,
                                   .team = fit->team,
                                   .runs = fit->n_runs,
                                   .discarded = fit->n_runs - fit->n_used,
                                   .sigma_error = fit->sigma_error,
                                   .skew_error = fit->skew_error,
                                   .stall_rate_error = fit->stall_error,
                                   .progress = &calibration->progress,
                                   .access_ns = fit->access,
                                   .access_error = fit->access_error};
    return plussi_ffi_give(out, &info, sizeof info);
}

static void report_summary(const pluss_calibration_summary *s, plussi_section *root)
{
    plussi_section *all = plussi_add_section(
        root, "all",
        plussi_document_text(root->document, "All regions of %s together", s->machine_file));
    plussi_add_figure(all, "sigma", "rates differ by sigma", PLUSSI_AS_NUMBER, 4, NULL,
                      plussi_d_real(s->sigma));
    plussi_add_figure(all, "skew_accesses", "skew at barriers, median", PLUSSI_AS_NUMBER, 0,
                      "accesses", plussi_d_real(s->skew));
    if (s->slice_ns > 0)
        plussi_add_figure(all, "slice_ns", "time slice on a shared core", PLUSSI_AS_COUNT, 0, "ns",
                          plussi_d_real(s->slice_ns));
}

pluss_status pluss_calibration_report(pluss_context *ctx, const pluss_calibrated *regions, size_t n,
                                      const pluss_calibration_summary *summary, pluss_report **out)
{
    pluss_calibration_summary taken;
    if (!ctx)
        return PLUSS_EINVAL;
    bool good = out && (regions || !n);
    for (size_t i = 0; i < n && good; i++)
        good = regions[i].calibration && regions[i].region;
    pluss_status status =
        good ? plussi_ffi_take(&ctx->ctx, &taken, sizeof taken, summary) : PLUSS_EINVAL;
    if (status)
        return plussi_ffi_leave(ctx, status);
    pluss_report *report = plussi_ffi_report(ctx);
    if (!report)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    plussi_section *list = plussi_add_list(report->document.root, "calibrated", true);
    for (size_t i = 0; i < n; i++)
        plussi_calibration_report(&regions[i].calibration->fit, regions[i].region, regions[i].file,
                                  regions[i].line, list);
    if (taken.machine_file)
        report_summary(&taken, report->document.root);
    return plussi_ffi_give_report(ctx, report, out);
}
