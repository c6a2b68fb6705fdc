/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include <string.h>

#include "trace/foreign.h"
#include "trace/generate.h"

pluss_status pluss_nest_parse(pluss_context *ctx, const char *text, size_t length, const char *file,
                              pluss_nest **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!text || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_nest *nest = NULL;
    pluss_status status = plussi_nest_parse(&ctx->ctx, text, length, file, &nest);
    if (!status)
        status = plussi_ffi_view(&ctx->ctx, nest, file ? file : "", out);
    return plussi_ffi_leave(ctx, status);
}

static pluss_status
write_text(pluss_context *ctx, const pluss_nest *nest, pluss_write_fn write, void *user,
           pluss_status (*print)(plussi_ctx *, const plussi_nest *, char **, size_t *))
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!nest || !write)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    char *text = NULL;
    size_t length = 0;
    pluss_status status = print(&ctx->ctx, nest->nest, &text, &length);
    if (!status) {
        if (write(user, text, length) != 0)
            status = plussi_fail(&ctx->ctx, PLUSS_EIO, NULL, "the nest cannot be written");
        plussi_free(&ctx->ctx.mem, text);
    }
    return plussi_ffi_leave(ctx, status);
}

pluss_status pluss_nest_write(pluss_context *ctx, const pluss_nest *nest, pluss_write_fn write,
                              void *user)
{
    return write_text(ctx, nest, write, user, plussi_nest_print);
}

pluss_status pluss_nest_write_annotated(pluss_context *ctx, const pluss_nest *nest,
                                        pluss_write_fn write, void *user)
{
    return write_text(ctx, nest, write, user, plussi_nest_annotate);
}

void pluss_nests_free(pluss_nests *nests)
{
    if (!nests)
        return;
    plussi_mem mem = nests->mem;
    for (size_t i = 0; i < nests->n; i++)
        pluss_nest_free(nests->nest[i]);
    plussi_free(&mem, nests->nest);
    plussi_free(&mem, nests->trace);
    plussi_result_free(&nests->profile);
    plussi_free(&mem, nests);
}

size_t pluss_nests_count(const pluss_nests *nests)
{
    return nests ? nests->n : 0;
}

const pluss_nest *pluss_nests_get(const pluss_nests *nests, size_t i)
{
    return nests && i < nests->n ? nests->nest[i] : NULL;
}

/* Moves the nests found into views. */
static pluss_status view_all(plussi_ctx *ctx, plussi_found *found, size_t n, pluss_nests **out)
{
    pluss_nests *nests = plussi_calloc(&ctx->mem, 1, sizeof *nests);
    if (!nests)
        return PLUSS_ENOMEM;
    nests->mem = ctx->mem;
    plussi_result_init(&nests->profile, &ctx->mem);
    nests->nest = plussi_calloc(&ctx->mem, n, sizeof *nests->nest);
    pluss_status status = nests->nest ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < n && !status; i++) {
        status = plussi_ffi_view(ctx, found[i].nest, found[i].origin, &nests->nest[i]);
        if (!status)
            status = plussi_ffi_view_symbol(nests->nest[i], found[i].symbol,
                                            found[i].presence == PLUSSI_ABSENT);
        found[i].nest = NULL;
        nests->n += nests->nest[i] != NULL;
    }
    if (status)
        pluss_nests_free(nests);
    else
        *out = nests;
    return status;
}

/* A file without nests, that is a trace. */
static pluss_status hold_trace(plussi_ctx *ctx, const char *path, pluss_nests **out)
{
    pluss_nests *nests = NULL;
    pluss_status status = view_all(ctx, NULL, 0, &nests);
    if (!status)
        status = plussi_copy_text(&ctx->mem, path, &nests->trace);
    if (status)
        pluss_nests_free(nests);
    else
        *out = nests;
    return status;
}

static bool has_nests(const pluss_nests *nests)
{
    return nests && !nests->trace && !nests->profile.n_profiles;
}

pluss_status pluss_nests_append(pluss_context *ctx, pluss_nests *dst, pluss_nests *src)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!has_nests(dst) || !has_nests(src) || dst == src)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_nest **all = plussi_alloc(&dst->mem, dst->n + src->n + 1, sizeof *all);
    if (!all)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    for (size_t i = 0; i < dst->n; i++)
        all[i] = dst->nest[i];
    for (size_t i = 0; i < src->n; i++)
        all[dst->n + i] = src->nest[i];
    plussi_free(&dst->mem, dst->nest);
    dst->nest = all;
    dst->n += src->n;
    src->n = 0;
    return PLUSS_OK;
}

int pluss_nests_is_trace(const pluss_nests *nests)
{
    return nests && nests->trace;
}

pluss_status pluss_nests_of_profile(pluss_context *ctx, const pluss_result *result, size_t i,
                                    pluss_nests **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!result || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_nests *nests = NULL;
    plussi_profile copy = {0};
    pluss_status status = PLUSS_OK;
    if (i >= result->list.n_profiles)
        status = plussi_fail(&ctx->ctx, PLUSS_ENOTFOUND, NULL, "there is no profile %zu", i);
    if (!status)
        status = view_all(&ctx->ctx, NULL, 0, &nests);
    if (!status)
        status = plussi_profile_copy(&ctx->ctx.mem, &result->list.profile[i], &copy);
    if (!status)
        status = plussi_result_add_profile(&nests->profile, &copy);
    plussi_profile_free(&copy);
    if (status)
        pluss_nests_free(nests);
    else
        *out = nests;
    return plussi_ffi_leave(ctx, status);
}

pluss_status pluss_trace_pack(pluss_context *ctx, const char *path, const pluss_options *options,
                              pluss_write_fn write, void *user)
{
    plussi_request request;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!path || !write)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_ffi_request(ctx, options, &request);
    return plussi_ffi_leave(ctx, plussi_pack_trace(&ctx->ctx, path, &request, write, user));
}

pluss_status pluss_trace_generate(pluss_context *ctx, const char *what, pluss_write_fn write,
                                  void *user)
{
    plussi_generation generation;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!what || !write)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_status status = plussi_generation_parse(&ctx->ctx, what, &generation);
    const plussi_ask ask = plussi_ffi_ask(ctx);
    if (!status)
        status = plussi_generate_trace(&ctx->ctx, &generation, &ask, write, user);
    return plussi_ffi_leave(ctx, status);
}

pluss_status pluss_nests_read(pluss_context *ctx, const char *path, pluss_nests **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!path || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_found *found = NULL;
    size_t n = 0;
    bool is_trace = false;
    pluss_status status = plussi_foreign_is_trace(&ctx->ctx, path, &is_trace);
    if (!status && is_trace) {
        status = hold_trace(&ctx->ctx, path, out);
        return plussi_ffi_leave(ctx, status);
    }
    if (!status)
        status = plussi_pipeline_read(&ctx->ctx, path, &found, &n);
    if (!status) {
        status = view_all(&ctx->ctx, found, n, out);
        plussi_found_free(&ctx->ctx.mem, found, n);
    }
    return plussi_ffi_leave(ctx, status);
}

static pluss_status extract(plussi_ctx *ctx, const pluss_nest *nest, uint32_t number,
                            pluss_nest **out)
{
    const plussi_region *region = nest->nest->first_region;
    for (uint32_t i = 0; region && i < number; i++)
        region = region->next;
    if (!region)
        return plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "the nest has no region %u", number);
    char *text = NULL;
    size_t length = 0;
    pluss_status status = plussi_nest_print_region(ctx, nest->nest, region, &text, &length);
    if (status)
        return status;
    plussi_nest *alone = NULL;
    status = plussi_nest_parse(ctx, text, length, nest->info.origin, &alone);
    plussi_free(&ctx->mem, text);
    return status ? status : plussi_ffi_view(ctx, alone, nest->info.origin, out);
}

pluss_status pluss_nest_extract(pluss_context *ctx, const pluss_nest *nest, uint32_t region,
                                pluss_nest **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    return plussi_ffi_leave(ctx,
                            nest && out ? extract(&ctx->ctx, nest, region, out) : PLUSS_EINVAL);
}

static pluss_status join(plussi_ctx *ctx, const pluss_nest *const *nests, size_t n,
                         pluss_nest **out)
{
    plussi_nest *whole = NULL;
    pluss_status status = plussi_nest_new(ctx, &whole);
    if (status)
        return status;
    for (size_t i = 0; i < n && !status; i++)
        status = nests[i] ? plussi_nest_append(ctx, whole, nests[i]->nest) : PLUSS_EINVAL;
    if (!status)
        status = plussi_nest_validate(ctx, whole);
    if (status) {
        plussi_nest_free(whole);
        return status;
    }
    return plussi_ffi_view(ctx, whole, n > 0 ? nests[0]->info.origin : "", out);
}

pluss_status pluss_nest_join(pluss_context *ctx, const pluss_nest *const *nests, size_t n,
                             pluss_nest **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    return plussi_ffi_leave(ctx, (nests || n == 0) && out ? join(&ctx->ctx, nests, n, out)
                                                          : PLUSS_EINVAL);
}

static pluss_status fill(plussi_ctx *ctx, const pluss_nest *nest, const pluss_contents *contents,
                         size_t n, pluss_nest **out)
{
    plussi_nest *copy = NULL;
    pluss_status status = plussi_nest_new(ctx, &copy);
    if (status)
        return status;
    status = plussi_nest_append(ctx, copy, nest->nest);
    for (size_t i = 0; i < n && !status; i++)
        status = contents[i].array && (contents[i].values || contents[i].n == 0)
                     ? plussi_nest_give_values(ctx, copy, contents[i].array, contents[i].values,
                                               contents[i].n)
                     : PLUSS_EINVAL;
    if (status) {
        plussi_nest_free(copy);
        return status;
    }
    return plussi_ffi_view(ctx, copy, nest->info.origin, out);
}

pluss_status pluss_nest_with_contents(pluss_context *ctx, const pluss_nest *nest,
                                      const pluss_contents *contents, size_t n, pluss_nest **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    return plussi_ffi_leave(ctx, nest && out && (contents || n == 0)
                                     ? fill(&ctx->ctx, nest, contents, n, out)
                                     : PLUSS_EINVAL);
}
