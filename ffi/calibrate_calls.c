/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

pluss_status pluss_calibration_new(pluss_context *ctx, const pluss_options *options,
                                   pluss_calibration **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    const plussi_mem *mem = &ctx->ctx.mem;
    pluss_calibration *c = plussi_calloc(mem, 1, sizeof *c);
    if (!c)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    c->ctx = ctx;
    c->all.mem = *mem;
    plussi_request_init(&c->request, mem);
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; options && i < options->request.n_regions && !status; i++)
        status = plussi_request_add_region(&c->request, options->request.region[i]);
    if (status)
        pluss_calibration_free(c);
    else
        *out = c;
    return plussi_ffi_leave(ctx, status);
}

void pluss_calibration_free(pluss_calibration *c)
{
    if (!c)
        return;
    const plussi_mem mem = c->all.mem;
    plussi_calibrator_free(&c->all);
    plussi_request_free(&c->request);
    plussi_free(&mem, c->progress);
    plussi_free(&mem, c);
}

pluss_status pluss_calibration_add(pluss_calibration *c, const pluss_record *record,
                                   const pluss_nest *const *nests, size_t n)
{
    plussi_ffi_nests taken = {.n = 0};
    bool told = false;
    if (!c)
        return PLUSS_EINVAL;
    if (!record || (n && !nests) || c->progress)
        return plussi_ffi_leave(c->ctx, PLUSS_EINVAL);
    pluss_status status = plussi_ffi_take_nests(c->ctx, record->record, nests, n, &taken, &told);
    if (!status)
        status = plussi_calibrator_add(&c->ctx->ctx, &c->all, &c->request, record->record,
                                       taken.nest, taken.n);
    plussi_ffi_drop_nests(c->ctx, &taken);
    return told ? status : plussi_ffi_leave(c->ctx, status);
}

size_t pluss_calibration_count(const pluss_calibration *c)
{
    return c ? c->all.n : 0;
}

pluss_status pluss_calibration_count_runs(const pluss_calibration *c, uint64_t *out)
{
    if (!c)
        return PLUSS_EINVAL;
    if (!out || c->progress)
        return plussi_ffi_leave(c->ctx, PLUSS_EINVAL);
    return plussi_ffi_leave(c->ctx, plussi_calibrator_count_runs(&c->ctx->ctx, &c->all, out));
}

pluss_status pluss_calibration_finish(pluss_calibration *c)
{
    if (!c)
        return PLUSS_EINVAL;
    if (c->progress)
        return plussi_ffi_leave(c->ctx, PLUSS_EINVAL);
    c->progress = plussi_alloc(&c->all.mem, c->all.n + 1, sizeof *c->progress);
    pluss_status status = c->progress ? plussi_calibrator_fit(&c->ctx->ctx, &c->all) : PLUSS_ENOMEM;
    for (size_t i = 0; i < c->all.n && !status; i++)
        c->progress[i] = plussi_ffi_progress(&c->all.region[i].fit.progress);
    if (status)
        plussi_calibrator_free(&c->all);
    return plussi_ffi_leave(c->ctx, status);
}

pluss_status pluss_calibration_get(const pluss_calibration *c, size_t i,
                                   pluss_calibration_info *out)
{
    if (!c || !out || !c->progress)
        return PLUSS_EINVAL;
    if (i >= c->all.n)
        return PLUSS_ENOTFOUND;
    const plussi_region_runs *r = &c->all.region[i];
    pluss_calibration_info info = {.size = sizeof info,
                                   .region = r->region,
                                   .file = r->file,
                                   .line = r->line,
                                   .team = r->fit.team,
                                   .runs = r->fit.n_runs,
                                   .discarded = r->fit.n_runs - r->fit.n_used,
                                   .sigma_error = r->fit.sigma_error,
                                   .skew_error = r->fit.skew_error,
                                   .stall_rate_error = r->fit.stall_error,
                                   .progress = &c->progress[i],
                                   .access_ns = r->fit.access,
                                   .access_error = r->fit.access_error};
    return plussi_ffi_give(out, &info, sizeof info);
}

pluss_status pluss_calibration_report(const pluss_calibration *c, const pluss_machine_file *file,
                                      const char *name, pluss_report **out)
{
    if (!c)
        return PLUSS_EINVAL;
    if (!out || !c->progress || (file && !name))
        return plussi_ffi_leave(c->ctx, PLUSS_EINVAL);
    pluss_report *report = plussi_ffi_report(c->ctx);
    if (report)
        plussi_calibrator_report(&c->all, file ? file->file : NULL, name, report->document.root);
    return plussi_ffi_give_report(c->ctx, report, out);
}
