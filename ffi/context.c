/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include <string.h>

#include "report/writer.h"
#include "team/law.h"

/* The header spells the list of status codes out; it must be the same list. */
#define PLUSSI_X(name, number, text)                                                               \
    _Static_assert((int)PLUSS_##name == (number), "pluss.h: status " #name);
PLUSSI_STATUS_LIST(PLUSSI_X)
#undef PLUSSI_X
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
/* Does not compile where pluss.h has a status that the list does not have. */
static inline int only_listed(pluss_status status)
{
    switch (status) {
#define PLUSSI_X(name, number, text) case PLUSS_##name:
        PLUSSI_STATUS_LIST(PLUSSI_X)
#undef PLUSSI_X
        return 1;
    }
    return 0;
}
#pragma GCC diagnostic pop

_Static_assert(__builtin_strcmp(PLUSS_VERSION, PLUSSI_VERSION) == 0, "pluss.h: version");
_Static_assert((int)PLUSS_NOTE == (int)PLUSSI_NOTE && (int)PLUSS_WARNING == (int)PLUSSI_WARNING &&
                   (int)PLUSS_ERROR == (int)PLUSSI_ERROR,
               "pluss.h: severities");

const char *pluss_status_text(pluss_status status)
{
    return plussi_status_text(status);
}

const char *pluss_status_name(pluss_status status)
{
    return only_listed(status) ? plussi_status_name(status) : "?";
}

const char *pluss_version(void)
{
    return PLUSSI_VERSION;
}

int pluss_has_feature(const char *name)
{
    static const char *const fixed[] = {
#ifndef PLUSS_WITHOUT_ELF
        "read.elf",  "read.archive",
#endif
#ifndef PLUSS_WITHOUT_JSON
        "read.json",
#endif
        "read.text", "build",        "record"};
    if (!name)
        return 0;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(name, fixed[i]) == 0)
            return 1;
    const plussi_format *format;
    for (size_t i = 0; strncmp(name, "report.", 7) == 0 && (format = plussi_format_at(i)); i++)
        if (strcmp(name + 7, format->name) == 0)
            return 1;
    const plussi_model *model;
    for (size_t i = 0; strncmp(name, "model.", 6) == 0 && (model = plussi_model_at(i)); i++)
        if (strcmp(name + 6, model->name) == 0)
            return 1;
    const plussi_law *law;
    for (size_t i = 0; strncmp(name, "progress.", 9) == 0 && (law = plussi_law_at(i)); i++)
        if (strcmp(name + 9, law->name) == 0)
            return 1;
    return 0;
}

pluss_status plussi_ffi_give(void *out, const void *value, size_t bytes)
{
    size_t known;
    memcpy(&known, out, sizeof known);
    if (known < sizeof known)
        return PLUSS_EINVAL;
    memcpy((char *)out + sizeof known, (const char *)value + sizeof known,
           (known < bytes ? known : bytes) - sizeof known);
    return PLUSS_OK;
}

pluss_status plussi_ffi_take(plussi_ctx *ctx, void *value, size_t bytes, const void *options)
{
    memset(value, 0, bytes);
    if (!options)
        return PLUSS_OK;
    enum { MOST_LATER = 4096 }; /* bytes of a later version's fields: more is no size */
    size_t given;
    memcpy(&given, options, sizeof given);
    if (given < sizeof given || given > bytes + MOST_LATER)
        return ctx ? plussi_fail(ctx, PLUSS_EINVAL, NULL, "the options' size is not set")
                   : PLUSS_EINVAL;
    for (size_t i = bytes; i < given; i++)
        if (((const char *)options)[i] != 0)
            return ctx ? plussi_fail(ctx, PLUSS_EINVAL, NULL,
                                     "an option is set that this version (" PLUSSI_VERSION
                                     ") does not know")
                       : PLUSS_EINVAL;
    memcpy(value, options, given < bytes ? given : bytes);
    return PLUSS_OK;
}

/* Footprints, whose keys are a nest's text. */
enum { KEPT_BYTES = 1 << 18 };

/* For one failure to be told of. */
static bool make_room(pluss_context *ctx)
{
    static const char text[] = "out of memory";
    plussi_ctx *inner = &ctx->ctx;
    if (!inner->diags)
        inner->diags = plussi_calloc(&inner->mem, PLUSSI_MAX_DIAGS, sizeof *inner->diags);
    if (!ctx->spare)
        ctx->spare = plussi_strndup(&inner->mem, text, sizeof text - 1);
    return inner->diags && ctx->spare;
}

pluss_status pluss_context_new(const pluss_context_options *options, pluss_context **out)
{
    pluss_context_options taken;
    pluss_status status = plussi_ffi_take(NULL, &taken, sizeof taken, options);
    if (status)
        return status;
    if (!out)
        return PLUSS_EINVAL;
    plussi_mem mem = taken.resize ? (plussi_mem){taken.resize, taken.resize_user} : plussi_mem_libc;
    pluss_context *ctx = plussi_calloc(&mem, 1, sizeof *ctx);
    if (!ctx)
        return PLUSS_ENOMEM;
    plussi_ctx_init(&ctx->ctx, &mem);
    ctx->options = taken;
    if (!make_room(ctx) ||
        plussi_kept_new(&mem, taken.kept_bytes ? taken.kept_bytes : KEPT_BYTES, &ctx->kept)) {
        pluss_context_free(ctx);
        return PLUSS_ENOMEM;
    }
    *out = ctx;
    return PLUSS_OK;
}

void pluss_context_free(pluss_context *ctx)
{
    if (!ctx)
        return;
    plussi_mem mem = ctx->ctx.mem;
    plussi_ffi_end_ranks(ctx);
    plussi_ctx_clear(&ctx->ctx);
    plussi_kept_free(ctx->kept);
    plussi_free(&mem, ctx->spare);
    plussi_free(&mem, ctx);
}

static pluss_diagnostic public_diagnostic(const plussi_diag *diag)
{
    return (pluss_diagnostic){.size = sizeof(pluss_diagnostic),
                              .severity = (pluss_severity)diag->severity,
                              .status = diag->status,
                              .file = diag->file,
                              .line = diag->line,
                              .col = diag->col,
                              .text = diag->text};
}

size_t pluss_context_diagnostic_count(const pluss_context *ctx)
{
    return ctx ? ctx->ctx.n_diags : 0;
}

size_t pluss_context_dropped_count(const pluss_context *ctx)
{
    return ctx ? ctx->ctx.n_dropped : 0;
}

pluss_status pluss_context_diagnostic(const pluss_context *ctx, size_t i, pluss_diagnostic *out)
{
    if (!ctx || !out)
        return PLUSS_EINVAL;
    if (i >= ctx->ctx.n_diags)
        return PLUSS_ENOTFOUND;
    pluss_diagnostic diagnostic = public_diagnostic(&ctx->ctx.diags[i]);
    return plussi_ffi_give(out, &diagnostic, sizeof diagnostic);
}

void pluss_context_clear(pluss_context *ctx)
{
    if (!ctx)
        return;
    plussi_ctx_clear(&ctx->ctx);
    ctx->logged = 0;
    (void)make_room(ctx); /* there was, or the next call finds out */
}

static void log_diagnostic(const pluss_context *ctx, const plussi_diag *diag)
{
    pluss_diagnostic diagnostic = public_diagnostic(diag);
    if (ctx->options.log)
        ctx->options.log(ctx->options.log_user, &diagnostic);
}

/* What was found wrong while there was no memory need not be wrong. */
static void drop_other_errors(plussi_ctx *ctx, size_t from)
{
    size_t kept = from;
    for (size_t i = from; i < ctx->n_diags; i++) {
        plussi_diag diag = ctx->diags[i];
        if (diag.severity != PLUSSI_ERROR || diag.status == PLUSS_ENOMEM) {
            ctx->diags[kept++] = diag;
            continue;
        }
        plussi_free(&ctx->mem, diag.file);
        plussi_free(&ctx->mem, diag.text);
    }
    ctx->n_diags = kept;
}

pluss_status plussi_ffi_leave(pluss_context *ctx, pluss_status status)
{
    plussi_ctx *inner = &ctx->ctx;
    bool told = false;
    if (status == PLUSS_ENOMEM)
        drop_other_errors(inner, ctx->logged);
    for (size_t i = ctx->logged; i < inner->n_diags; i++)
        told = told || inner->diags[i].severity == PLUSSI_ERROR;
    size_t before = inner->n_diags;
    if (status && !told)
        plussi_report(inner, PLUSSI_ERROR, status, NULL, "%s", plussi_status_text(status));
    bool kept = !status || told || inner->n_diags > before;
    if (!kept && ctx->spare && inner->diags && before < PLUSSI_MAX_DIAGS) {
        inner->diags[inner->n_diags++] =
            (plussi_diag){.severity = PLUSSI_ERROR, .status = status, .text = ctx->spare};
        ctx->spare = NULL;
        inner->n_dropped--;
        kept = true;
    }
    for (; ctx->logged < inner->n_diags; ctx->logged++)
        log_diagnostic(ctx, &inner->diags[ctx->logged]);
    if (!kept) /* the list is full, which must not keep the log from it */
        log_diagnostic(ctx, &(plussi_diag){.severity = PLUSSI_ERROR,
                                           .status = status,
                                           .text = (char *)plussi_status_text(status)});
    return status;
}

pluss_status plussi_ffi_leave_part(pluss_context *ctx, pluss_status status)
{
    plussi_ctx *inner = &ctx->ctx;
    (void)plussi_ffi_leave(ctx, status);
    for (; ctx->options.log && inner->n_diags > PLUSSI_MAX_DIAGS / 2; inner->n_dropped++) {
        plussi_diag *last = &inner->diags[--inner->n_diags];
        plussi_free(&inner->mem, last->file);
        plussi_free(&inner->mem, last->text);
    }
    ctx->logged = inner->n_diags;
    return status;
}
