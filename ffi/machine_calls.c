/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The machine file: what calibrations found.
 */
#include "ffi.h"

#include <string.h>

static pluss_status give(plussi_ctx *ctx, plussi_machine_file *inner, pluss_machine_file **out)
{
    pluss_machine_file *file = plussi_calloc(&ctx->mem, 1, sizeof *file);
    if (!file) {
        plussi_machine_file_free(inner);
        return PLUSS_ENOMEM;
    }
    file->file = inner;
    *out = file;
    return PLUSS_OK;
}

pluss_status pluss_machine_file_read(pluss_context *ctx, const char *path, pluss_machine_file **out)
{
    plussi_machine_file *inner = NULL;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_status status = path ? plussi_machine_file_read(&ctx->ctx, path, &inner)
                               : plussi_machine_file_new(&ctx->ctx, &inner);
    return plussi_ffi_leave(ctx, status ? status : give(&ctx->ctx, inner, out));
}

void pluss_machine_file_free(pluss_machine_file *file)
{
    if (!file)
        return;
    plussi_mem mem = file->file->arena.mem;
    plussi_machine_file_free(file->file);
    plussi_free(&mem, file);
}

/* Of the whole file; NULL keeps what there is. false: no memory. */
static bool set_text(plussi_machine_file *file, const char **at, const char *text)
{
    if (text)
        *at = plussi_arena_strndup(&file->arena, text, strlen(text));
    return !text || *at;
}

pluss_status pluss_machine_file_put(pluss_context *ctx, pluss_machine_file *file,
                                    const pluss_calibration *calibration,
                                    const pluss_calibrated_by *by)
{
    pluss_calibrated_by how;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!file || !calibration || !calibration->progress)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_status status = plussi_ffi_take(&ctx->ctx, &how, sizeof how, by);
    bool fits = how.slice_ns >= PLUSSI_SLICE_LEAST && how.slice_ns <= PLUSSI_SLICE_MOST;
    if (!status && how.slice_ns != 0 && !fits)
        status = plussi_fail(&ctx->ctx, PLUSS_ERANGE, NULL, "a slice of %g ns", how.slice_ns);
    if (!status)
        status = plussi_calibrator_put(&calibration->all, how.command, how.date, file->file);
    if (!status && !(set_text(file->file, &file->file->date, how.date) &&
                     set_text(file->file, &file->file->processor, how.processor)))
        status = PLUSS_ENOMEM;
    if (!status && how.slice_ns > 0)
        file->file->slice = how.slice_ns;
    return plussi_ffi_leave(ctx, status);
}

pluss_status pluss_machine_file_get_info(const pluss_machine_file *file,
                                         pluss_machine_file_info *out)
{
    if (!file || !out)
        return PLUSS_EINVAL;
    const plussi_machine_file *f = file->file;
    pluss_machine_file_info info = {.size = sizeof info,
                                    .n_regions = f->n_regions,
                                    .sigma = f->all.sigma,
                                    .skew = f->all.skew,
                                    .slice_ns = f->slice};
    return plussi_ffi_give(out, &info, sizeof info);
}

pluss_status pluss_machine_file_write(pluss_context *ctx, const pluss_machine_file *file,
                                      pluss_write_fn write, void *user)
{
    plussi_sink sink;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!file || !write)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_sink_init(&sink, write, user);
    return plussi_ffi_leave(ctx, plussi_machine_file_write(&ctx->ctx, file->file, &sink));
}
