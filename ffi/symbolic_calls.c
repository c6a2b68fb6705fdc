/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include <math.h>

#include "study/indirect_study.h"
#include "study/points.h"
#include "study/stage.h"
#include "study/symbolic_study.h"

typedef pluss_status formula_fn(pluss_context *ctx, const plussi_formula *f,
                                const plussi_request *request, void *out);
/* A region that has no formulas, as the context's errors from `first` on say. */
typedef pluss_status instead_fn(pluss_context *ctx, const pluss_nest *nest, size_t region,
                                const plussi_request *request, size_t first, void *out);

/* The list of reports on regions, and what estimates of a nest's regions share. */
typedef struct reporting {
    plussi_section *list;
    const pluss_nest *nest; /* of the region before; NULL: none was estimated */
    pluss_nest *filled;     /* the nest with the request's contents; NULL: it takes none */
    plussi_indirect_values values;
} reporting;

/* There are no formulas. */
static bool is_missing(pluss_status status)
{
    return status == PLUSS_EUNSUPPORTED || status == PLUSS_ELIMIT;
}

/* What was said of a region from there on is no error, as it has something else. */
static void make_warnings(pluss_context *ctx, size_t first)
{
    for (size_t i = first; i < ctx->ctx.n_diags; i++)
        ctx->ctx.diags[i].severity = PLUSSI_WARNING;
}

/* Formulas for lines of any size. Where they have no form in common, those for the request's size
 * take their place. */
static pluss_status report_lines(pluss_context *ctx, const plussi_nest *nest,
                                 const plussi_region *region, const plussi_request *request,
                                 void *out)
{
    plussi_formula *f[PLUSSI_LINE_FORMS];
    const size_t first = ctx->ctx.n_diags;
    pluss_status status = plussi_symbolic_derive_lines(&ctx->ctx, nest, region, request, f);
    if (!status)
        status = plussi_symbolic_report_lines(&ctx->ctx, f, ((reporting *)out)->list);
    for (size_t i = 0; i < PLUSSI_LINE_FORMS; i++)
        plussi_formula_free(f[i]);
    if (is_missing(status))
        make_warnings(ctx, first);
    return status;
}

static bool wants(const plussi_request *request, const plussi_region *region)
{
    return plussi_wants_region(request, region->name);
}

static size_t count_regions(const pluss_nests *nests, const plussi_request *request)
{
    size_t n = 0;
    for (size_t i = 0; i < nests->n; i++)
        for (const plussi_region *r = nests->nest[i]->nest->first_region; r; r = r->next)
            n += wants(request, r);
    return n;
}

/* The formulas of a region, or what takes their place. */
static pluss_status for_region(pluss_context *ctx, const pluss_nest *nest, size_t number,
                               const plussi_region *r, const plussi_request *request,
                               formula_fn *take, instead_fn *instead, void *out)
{
    const size_t first = ctx->ctx.n_diags;
    plussi_ask_forward forward;
    plussi_request own = *request;
    plussi_formula *f = NULL;
    own.ask = plussi_ask_going_forward(&request->ask, &forward); /* derived twice, if need be */
    pluss_status one =
        own.any_line ? report_lines(ctx, nest->nest, r, &own, out) : PLUSS_EUNSUPPORTED;
    if (is_missing(one)) {
        one = plussi_symbolic_derive(&ctx->ctx, nest->nest, r, &own, &f);
        if (!one)
            one = take(ctx, f, &own, out);
        else if (instead && is_missing(one))
            one = instead(ctx, nest, number, &own, first, out);
    }
    plussi_formula_free(f);
    return one == PLUSS_ECANCELLED || one == PLUSS_ENOMEM || one == PLUSS_EIO ? one
           : plussi_ask_whether(&own.ask, "derive", 1, 0)                     ? PLUSS_ECANCELLED
                                                                              : one;
}

/* The formulas of each region that the options name, or what takes their place (NULL: nothing). A
 * region without any does not keep the others from having theirs. Leaves the context. */
static pluss_status for_regions(pluss_context *ctx, const pluss_nests *nests,
                                const plussi_request *request, formula_fn *take,
                                instead_fn *instead, void *out)
{
    pluss_status missing = plussi_refuse_points(&ctx->ctx, request);
    const double share = 1 / fmax(1, (double)count_regions(nests, request));
    size_t given = 0, done = 0;
    if (missing)
        return plussi_ffi_leave(ctx, missing);
    for (size_t i = 0; i < nests->n; i++) {
        const plussi_nest *nest = nests->nest[i]->nest;
        size_t number = 0;
        for (const plussi_region *r = nest->first_region; r; r = r->next, number++) {
            plussi_ask_part part;
            plussi_request own;
            if (!wants(request, r))
                continue;
            plussi_ask_as_part(request, NULL, (double)done++ * share, share, &part, &own);
            const pluss_status one =
                for_region(ctx, nests->nest[i], number, r, &own, take, instead, out);
            given += !one;
            if (one == PLUSS_ENOMEM || one == PLUSS_EIO || one == PLUSS_ECANCELLED)
                return plussi_ffi_leave(ctx, one);
            missing = missing ? missing : one;
            (void)plussi_ffi_leave_part(ctx, one);
        }
    }
    if (!given && !missing)
        return plussi_ffi_leave(
            ctx, plussi_fail(&ctx->ctx, PLUSS_ENOTFOUND, NULL, "there are no loop nests"));
    return given ? PLUSS_OK : missing;
}

static pluss_status check(pluss_context *ctx, const pluss_nests *nests, const void *out)
{
    if (!nests || !out)
        return PLUSS_EINVAL;
    if (nests->trace || nests->profile.n_profiles)
        return plussi_fail(&ctx->ctx, PLUSS_EUNSUPPORTED, NULL,
                           "formulas are of nests, not of traces and profiles");
    return PLUSS_OK;
}

static pluss_status report(pluss_context *ctx, const plussi_formula *f,
                           const plussi_request *request, void *out)
{
    return plussi_symbolic_report(&ctx->ctx, f, request, ((reporting *)out)->list);
}

static void leave_nest(pluss_context *ctx, reporting *r)
{
    plussi_indirect_values_free(&ctx->ctx, &r->values);
    pluss_nest_free(r->filled);
    r->filled = NULL;
    r->nest = NULL;
}

static pluss_status estimate(pluss_context *ctx, const pluss_nest *nest, size_t region,
                             const plussi_request *request, size_t first, void *out)
{
    const char *reason = ctx->ctx.n_diags > first ? ctx->ctx.diags[first].text : "";
    reporting *to = out;
    pluss_status status = PLUSS_OK;
    make_warnings(ctx, first);
    if (to->nest != nest) {
        leave_nest(ctx, to);
        status = plussi_ffi_fill(ctx, request, nest, &to->filled);
        to->nest = status ? NULL : nest;
    }
    const plussi_nest *of = to->filled ? to->filled->nest : nest->nest;
    const plussi_region *r = of->first_region;
    for (size_t i = 0; i < region; i++)
        r = r->next;
    return status
               ? status
               : plussi_indirect_report(&ctx->ctx, of, r, request, reason, &to->values, to->list);
}

pluss_status pluss_nests_symbolic(pluss_context *ctx, const pluss_nests *nests,
                                  const pluss_options *options, pluss_report **out)
{
    plussi_request request;
    if (!ctx)
        return PLUSS_EINVAL;
    pluss_status status = check(ctx, nests, out);
    if (status)
        return plussi_ffi_leave(ctx, status);
    plussi_ffi_request(ctx, options, &request);
    pluss_report *made = plussi_ffi_report(ctx);
    if (!made)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    reporting to = {.list = plussi_add_list(made->document.root, "regions", true)};
    status = for_regions(ctx, nests, &request, report, estimate, &to);
    leave_nest(ctx, &to);
    if (status) {
        pluss_report_free(made);
        return status;
    }
    return plussi_ffi_give_report(ctx, made, out);
}

typedef struct emission {
    pluss_write_fn write;
    void *user;
} emission;

/* Writes and frees the code. */
static pluss_status write_code(pluss_context *ctx, const emission *to, pluss_status status,
                               char *bytes, size_t length)
{
    if (!status && to->write(to->user, bytes, length) != 0)
        status = plussi_fail(&ctx->ctx, PLUSS_EIO, NULL, "the functions cannot be written");
    plussi_free(&ctx->ctx.mem, bytes);
    return status;
}

static pluss_status emit(pluss_context *ctx, const plussi_formula *f, const plussi_request *request,
                         void *out)
{
    char *bytes = NULL;
    size_t length = 0;
    (void)request;
    const pluss_status status = plussi_symbolic_code(&ctx->ctx, f, &bytes, &length);
    return write_code(ctx, out, status, bytes, length);
}

static pluss_status emit_counters(pluss_context *ctx, const pluss_nest *nest, size_t region,
                                  const plussi_request *request, size_t first, void *out)
{
    char *bytes = NULL;
    size_t length = 0;
    const plussi_region *r = nest->nest->first_region;
    (void)request;
    while (region-- > 0)
        r = r->next;
    make_warnings(ctx, first);
    const pluss_status status = plussi_symbolic_counters(&ctx->ctx, nest->nest, r, &bytes, &length);
    return write_code(ctx, out, status, bytes, length);
}

pluss_status pluss_nests_symbolic_code(pluss_context *ctx, const pluss_nests *nests,
                                       const pluss_options *options, pluss_write_fn write,
                                       void *user)
{
    plussi_request request;
    if (!ctx)
        return PLUSS_EINVAL;
    pluss_status status = check(ctx, nests, write ? nests : NULL);
    if (status)
        return plussi_ffi_leave(ctx, status);
    plussi_ffi_request(ctx, options, &request);
    if (request.any_line)
        return plussi_ffi_leave(
            ctx, plussi_fail(&ctx->ctx, PLUSS_EINVAL, NULL, "functions are for lines of one size"));
    return for_regions(ctx, nests, &request, emit, emit_counters, &(emission){write, user});
}
