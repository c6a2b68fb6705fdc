/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include <stddef.h>
#include <string.h>

_Static_assert(sizeof(pluss_chunk) == sizeof(plussi_chunk) &&
                   offsetof(pluss_chunk, thread) == offsetof(plussi_chunk, thread) &&
                   offsetof(pluss_chunk, time) == offsetof(plussi_chunk, time) &&
                   offsetof(pluss_chunk, lo) == offsetof(plussi_chunk, lo) &&
                   offsetof(pluss_chunk, hi) == offsetof(plussi_chunk, hi),
               "chunks are passed through");
_Static_assert(sizeof(pluss_binding) == sizeof(plussi_binding) &&
                   offsetof(pluss_binding, value) == offsetof(plussi_binding, value),
               "bindings are passed through");
_Static_assert(sizeof(pluss_cache) == sizeof(plussi_report_cache) &&
                   offsetof(pluss_cache, label) == offsetof(plussi_report_cache, label) &&
                   offsetof(pluss_cache, threads) == offsetof(plussi_report_cache, threads),
               "caches are passed through");

pluss_status pluss_options_new(pluss_context *ctx, pluss_options **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_options *options = plussi_calloc(&ctx->ctx.mem, 1, sizeof *options);
    if (!options)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    plussi_request_init(&options->request, &ctx->ctx.mem);
    *out = options;
    return PLUSS_OK;
}

void pluss_options_free(pluss_options *options)
{
    if (!options)
        return;
    plussi_mem mem = options->request.arena.mem;
    plussi_request_free(&options->request);
    plussi_free(&mem, options);
}

pluss_status pluss_options_copy(pluss_context *ctx, const pluss_options *options,
                                pluss_options **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!options || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    const plussi_mem *mem = &options->request.arena.mem;
    pluss_options *copy = plussi_calloc(mem, 1, sizeof *copy);
    pluss_status status =
        copy ? plussi_request_copy(&options->request, &copy->request) : PLUSS_ENOMEM;
    if (status)
        plussi_free(mem, copy);
    else
        *out = copy;
    return plussi_ffi_leave(ctx, status);
}

/* What every setter begins with. */
#define NEED(good)                                                                                 \
    if (!ctx)                                                                                      \
        return PLUSS_EINVAL;                                                                       \
    if (!options || !(good))                                                                       \
    return plussi_ffi_leave(ctx, PLUSS_EINVAL)

pluss_status pluss_options_set(pluss_context *ctx, pluss_options *options, const char *name,
                               const char *text)
{
    NEED(name);
    return plussi_ffi_leave(ctx, plussi_request_set(&ctx->ctx, &options->request, name, text));
}

pluss_status pluss_options_set_integer(pluss_context *ctx, pluss_options *options, const char *name,
                                       int64_t value)
{
    NEED(name);
    return plussi_ffi_leave(ctx,
                            plussi_request_set_integer(&ctx->ctx, &options->request, name, value));
}

pluss_status pluss_options_set_real(pluss_context *ctx, pluss_options *options, const char *name,
                                    double value)
{
    NEED(name);
    return plussi_ffi_leave(ctx,
                            plussi_request_set_real(&ctx->ctx, &options->request, name, value));
}

pluss_status pluss_options_set_threads(pluss_context *ctx, pluss_options *options,
                                       const uint32_t *teams, size_t n)
{
    NEED(teams || !n);
    return plussi_ffi_leave(ctx, plussi_request_set_teams(&ctx->ctx, &options->request, teams, n));
}

pluss_status pluss_options_set_binding(pluss_context *ctx, pluss_options *options, const char *name,
                                       int64_t value)
{
    NEED(name && *name);
    return plussi_ffi_leave(ctx, plussi_request_bind(&options->request, name, strlen(name), value));
}

pluss_status pluss_options_set_schedule(pluss_context *ctx, pluss_options *options,
                                        pluss_schedule schedule, int64_t chunk)
{
    static const plussi_schedule_kind kind[] = {PLUSSI_SCHED_NONE, PLUSSI_SCHED_STATIC,
                                                PLUSSI_SCHED_DYNAMIC, PLUSSI_SCHED_GUIDED,
                                                PLUSSI_SCHED_NONE};
    NEED((unsigned)schedule <= PLUSS_SCHEDULE_RECORDED);
    return plussi_ffi_leave(ctx, plussi_request_set_schedule(&ctx->ctx, &options->request,
                                                             kind[schedule], chunk,
                                                             schedule == PLUSS_SCHEDULE_RECORDED));
}

pluss_status pluss_options_set_chunks(pluss_context *ctx, pluss_options *options,
                                      const pluss_chunk *chunks, size_t n)
{
    NEED(chunks || !n);
    return plussi_ffi_leave(
        ctx, plussi_request_set_chunks(&options->request, (const plussi_chunk *)chunks, n));
}

pluss_status pluss_options_set_caches(pluss_context *ctx, pluss_options *options,
                                      const pluss_cache *caches, size_t n)
{
    NEED(caches || !n);
    return plussi_ffi_leave(
        ctx, plussi_request_set_caches(&options->request, (const plussi_report_cache *)caches, n));
}

pluss_status pluss_options_set_progress(pluss_context *ctx, pluss_options *options,
                                        const pluss_progress *progress)
{
    plussi_progress taken;
    bool by_default = false;
    NEED(true);
    pluss_status status = plussi_ffi_take_progress(&ctx->ctx, progress, &taken, &by_default);
    if (!status)
        status = plussi_request_set_progress(&ctx->ctx, &options->request, &taken, by_default);
    return plussi_ffi_leave(ctx, status);
}

pluss_status pluss_options_set_record(pluss_context *ctx, pluss_options *options,
                                      const pluss_record *record)
{
    NEED(true);
    options->request.record = record ? record->record : NULL;
    return PLUSS_OK;
}

pluss_status pluss_options_set_contents(pluss_context *ctx, pluss_options *options,
                                        const pluss_contents *contents)
{
    NEED(contents && contents->array && (contents->values || !contents->n));
    return plussi_ffi_leave(ctx, plussi_request_add_contents(&options->request, contents->array,
                                                             strlen(contents->array),
                                                             contents->values, contents->n));
}

/* ---- looking -----------------------------------------------------------------------------------
 */

const uint32_t *pluss_options_get_threads(const pluss_options *options, size_t *n)
{
    if (n)
        *n = options ? options->request.n_teams : 0;
    return options ? options->request.team : NULL;
}

const pluss_cache *pluss_options_get_caches(const pluss_options *options, size_t *n)
{
    if (n)
        *n = options ? options->request.n_caches : 0;
    return options ? (const pluss_cache *)options->request.cache : NULL;
}

pluss_status pluss_option_get(size_t i, pluss_option_info *out)
{
    const plussi_option *option = plussi_option_at(i);
    if (!out)
        return PLUSS_EINVAL;
    if (!option)
        return PLUSS_ENOTFOUND;
    pluss_option_info info = {.size = sizeof info,
                              .name = option->name,
                              .syntax = option->syntax,
                              .summary = option->summary,
                              .letter = option->letter,
                              .adds = option->adds,
                              .predict = (option->verbs & PLUSSI_FOR_PREDICT) != 0,
                              .simulate = (option->verbs & PLUSSI_FOR_SIMULATE) != 0,
                              .run = (option->verbs & PLUSSI_FOR_RUN) != 0,
                              .gaps = (option->verbs & PLUSSI_FOR_GAPS) != 0,
                              .calibrate = (option->verbs & PLUSSI_FOR_CALIBRATE) != 0};
    return plussi_ffi_give(out, &info, sizeof info);
}
