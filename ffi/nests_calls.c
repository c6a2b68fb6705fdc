/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All nests of a file: each region on its own, or together.
 */
#include "ffi.h"

#include <string.h>

#include "study/corun.h"
#include "study/evaluate_nests.h"
#include "study/points.h"
#include "study/remarks.h"
#include "study/stage.h"

/* ---- names: NAME, or REGION.NAME ---------------------------------------------------------------
 */

static bool is_named(const pluss_nest *nest, const char *text, const char *name, int32_t of_region)
{
    if (strcmp(text, name) == 0)
        return true;
    if (of_region < 0)
        return false;
    const char *region = nest->region[of_region].name;
    size_t length = strlen(region);
    return strncmp(text, region, length) == 0 && text[length] == '.' &&
           strcmp(text + length + 1, name) == 0;
}

static bool has_symbol(const pluss_nest *nest, const char *text)
{
    return plussi_has_symbol(nest->nest, text);
}

static bool has_array(const pluss_nest *nest, const char *text)
{
    for (uint32_t i = 0; i < nest->info.arrays; i++)
        if (is_named(nest, text, nest->array[i].name, nest->array[i].region))
            return true;
    return false;
}

static bool has_region(const pluss_nest *nest, const char *name)
{
    for (uint32_t i = 0; i < nest->info.regions; i++)
        if (strcmp(nest->region[i].name, name) == 0)
            return true;
    return false;
}

/* One of the nests has it, or it is refused. */
static pluss_status find(plussi_ctx *ctx, const pluss_nests *nests, const char *name,
                         bool (*has)(const pluss_nest *, const char *), const char *option,
                         const char *what)
{
    for (size_t i = 0; i < nests->n; i++)
        if (has(nests->nest[i], name))
            return PLUSS_OK;
    return plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "%s '%s': there is no %s of this name", option,
                       name, what);
}

static pluss_status check_names(plussi_ctx *ctx, const pluss_nests *nests, const plussi_request *r)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < r->n_regions && !status; i++)
        status = find(ctx, nests, r->region[i], has_region, "region", "region");
    for (size_t i = 0; i < r->n_bindings && !status; i++)
        status = find(ctx, nests, r->binding[i].name, has_symbol, "define", "symbol");
    for (size_t i = 0; i < r->n_contents && !status; i++)
        status = find(ctx, nests, r->contents[i].array, has_array, "contents", "array");
    return status;
}

/* ---- nests to be run one by one ----------------------------------------------------------------
 */

typedef struct units {
    pluss_nest **nest;
    size_t n, cap;
} units;

static void free_units(const plussi_mem *mem, units *u)
{
    for (size_t i = 0; i < u->n; i++)
        pluss_nest_free(u->nest[i]);
    plussi_free(mem, u->nest);
}

static pluss_status take_regions(pluss_context *ctx, const plussi_request *request,
                                 const pluss_nest *nest, units *u)
{
    pluss_status status = PLUSS_OK;
    for (uint32_t r = 0; r < nest->info.regions && !status; r++) {
        if (!plussi_wants_region(request, nest->region[r].name))
            continue;
        status = plussi_grow(&ctx->ctx.mem, &u->nest, &u->cap, u->n, sizeof *u->nest);
        if (!status)
            status = pluss_nest_extract(ctx, nest, r, &u->nest[u->n]);
        u->n += !status;
    }
    return status;
}

static pluss_status join_units(pluss_context *ctx, units *u)
{
    pluss_nest *whole = NULL;
    pluss_status status = pluss_nest_join(ctx, (const pluss_nest *const *)u->nest, u->n, &whole);
    if (status || !u->n) {
        pluss_nest_free(whole);
        return status;
    }
    for (size_t i = 0; i < u->n; i++)
        pluss_nest_free(u->nest[i]);
    u->nest[0] = whole;
    u->n = 1;
    return PLUSS_OK;
}

pluss_status plussi_ffi_fill(pluss_context *ctx, const plussi_request *request,
                             const pluss_nest *nest, pluss_nest **out)
{
    pluss_status status = PLUSS_OK;
    *out = NULL;
    for (size_t i = 0; i < request->n_contents && !status; i++) {
        const plussi_contents *c = &request->contents[i];
        pluss_nest *filled = NULL;
        if (!has_array(nest, c->array))
            continue;
        status = pluss_nest_with_contents(ctx, *out ? *out : nest,
                                          &(pluss_contents){c->array, c->values, c->n}, 1, &filled);
        pluss_nest_free(*out);
        *out = filled;
    }
    return status;
}

static pluss_status fill_unit(pluss_context *ctx, const plussi_request *request, pluss_nest **nest)
{
    pluss_nest *filled;
    const pluss_status status = plussi_ffi_fill(ctx, request, *nest, &filled);
    if (!status && filled) {
        pluss_nest_free(*nest);
        *nest = filled;
    }
    return status;
}

static pluss_status make_units(pluss_context *ctx, const plussi_request *request,
                               const pluss_nests *nests, units *u)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < nests->n && !status; i++)
        status = take_regions(ctx, request, nests->nest[i], u);
    if (!status && request->together)
        status = join_units(ctx, u);
    for (size_t i = 0; i < u->n && !status; i++)
        status = fill_unit(ctx, request, &u->nest[i]);
    return status;
}

/* ---- curves ------------------------------------------------------------------------------------
 */

pluss_status plussi_ffi_note(pluss_context *ctx, pluss_status status, pluss_result *result)
{
    if (status == PLUSS_ENOMEM || status == PLUSS_ECANCELLED)
        return status;
    bool lacks = result->missing == PLUSS_EUNBOUND || result->missing == PLUSS_EINVAL ||
                 result->missing == PLUSS_ENOTFOUND;
    if (status && (!result->missing || lacks))
        result->missing = status;
    (void)plussi_ffi_leave_part(ctx, status);
    return PLUSS_OK;
}

pluss_status plussi_ffi_run(pluss_context *ctx, const plussi_nest *nest,
                            const plussi_request *request, plussi_study_fn engine,
                            pluss_result *result)
{
    plussi_request own;
    pluss_status status = plussi_request_for(&ctx->ctx, nest, request, &own);
    if (status)
        return status;
    status = plussi_evaluate_points(&ctx->ctx, nest, &own, engine, &result->list);
    plussi_free(&ctx->ctx.mem, (void *)own.binding);
    return status;
}

pluss_status plussi_ffi_give_result(pluss_context *ctx, pluss_status status, bool told,
                                    pluss_result *result, pluss_result **out)
{
    if (status == PLUSS_ECANCELLED && result && result->list.n) {
        result->missing = status; /* what there is was computed before */
        status = PLUSS_OK;
    }
    if (!status && !result->list.n) {
        status = result->missing;
        told = true;
    }
    if (status)
        pluss_result_free(result);
    else
        *out = result;
    return told ? status : plussi_ffi_leave(ctx, status);
}

static pluss_status run_trace(pluss_context *ctx, const char *path, const plussi_request *request,
                              plussi_study_fn engine, pluss_result **out)
{
    pluss_result *result = NULL;
    pluss_status status = plussi_ffi_result(ctx, &result);
    if (!status)
        status = engine == plussi_pipeline_simulate
                     ? plussi_pipeline_simulate_trace(&ctx->ctx, path, request, &result->list)
                     : plussi_pipeline_predict_trace(&ctx->ctx, path, request, &result->list);
    return plussi_ffi_give_result(ctx, status, false, result, out);
}

/* Progress in one of several nests is progress in all of them. */
static void ask_of_unit(const plussi_request *request, const units *u, size_t i,
                        plussi_ask_part *part, plussi_request *out)
{
    plussi_ask_as_part(request, NULL, (double)i / (double)u->n, 1 / (double)u->n, part, out);
}

typedef struct taken {
    pluss_context *ctx;
    pluss_result *result;
} taken;

static pluss_status take_evaluated(void *user, plussi_evaluated *evaluated)
{
    const taken *t = user;
    pluss_status status = plussi_result_append(&t->result->list, &evaluated->result);
    plussi_report_again(&t->ctx->ctx, &evaluated->ctx);
    return plussi_ffi_note(t->ctx, status ? status : evaluated->status, t->result);
}

/* Predictions at the same time; of simulations, which have much to hold, one after another. */
static pluss_status run_units(pluss_context *ctx, const units *u, const plussi_request *request,
                              plussi_study_fn engine, pluss_result *result)
{
    const plussi_nest **nest = plussi_alloc(&ctx->ctx.mem, u->n, sizeof *nest);
    if (!nest)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < u->n; i++)
        nest[i] = u->nest[i]->nest;
    pluss_status status = plussi_evaluate_nests(&ctx->ctx, nest, u->n, request, engine,
                                                engine == plussi_pipeline_predict, take_evaluated,
                                                &(taken){ctx, result});
    plussi_free(&ctx->ctx.mem, nest);
    return status;
}

/* A region that fails does not keep the others from having curves. */
static pluss_status run_all(pluss_context *ctx, const pluss_nests *nests,
                            const pluss_options *options, plussi_study_fn engine,
                            pluss_result **out)
{
    plussi_request request;
    units u = {0};
    pluss_result *result = NULL;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!nests || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_ffi_request(ctx, options, &request);
    if (nests->trace)
        return run_trace(ctx, nests->trace, &request, engine, out);
    pluss_status status = check_names(&ctx->ctx, nests, &request);
    bool told = false;
    if (!status) {
        status = make_units(ctx, &request, nests, &u);
        told = status && status != PLUSS_ENOMEM;
    }
    if (!status && !u.n)
        status = plussi_fail(&ctx->ctx, PLUSS_ENOTFOUND, NULL, "there are no loop nests");
    if (!status)
        status = plussi_ffi_result(ctx, &result);
    if (!status)
        status = run_units(ctx, &u, &request, engine, result);
    free_units(&ctx->ctx.mem, &u);
    return plussi_ffi_give_result(ctx, status, told, result, out);
}

/* ---- co-runs -----------------------------------------------------------------------------------
 */

typedef pluss_status (*corun_fn)(plussi_ctx *ctx, const plussi_program *program, size_t n,
                                 const plussi_request *request, plussi_result *out);

/* All nests of a file as one program: those regions that are asked for; of a file that has none of
 * them, all. */
static pluss_status make_program(pluss_context *ctx, const plussi_request *request,
                                 const pluss_nests *nests, units *u, plussi_program *out)
{
    plussi_request own = *request;
    bool asked_for = false;
    *out = (plussi_program){.trace = nests->trace, .profile = nests->profile.profile};
    if (nests->trace || nests->profile.n_profiles)
        return PLUSS_OK;
    own.together = true;
    for (size_t r = 0; r < request->n_regions && !asked_for; r++)
        for (size_t i = 0; i < nests->n && !asked_for; i++)
            asked_for = has_region(nests->nest[i], request->region[r]);
    if (!asked_for)
        own.n_regions = 0;
    pluss_status status = make_units(ctx, &own, nests, u);
    if (!status && !u->n)
        return plussi_fail(&ctx->ctx, PLUSS_ENOTFOUND, NULL, "there are no loop nests");
    if (!status)
        out->nest = u->nest[0]->nest;
    return status;
}

/* Each name is of one of the programs. */
static pluss_status check_all_names(plussi_ctx *ctx, const pluss_nests *const *nests, size_t n,
                                    const plussi_request *request)
{
    pluss_nest **all = NULL;
    size_t used = 0, room = 0;
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < nests[i]->n && !status; k++) {
            status = plussi_grow(&ctx->mem, &all, &room, used, sizeof *all);
            if (!status)
                all[used++] = nests[i]->nest[k];
        }
    if (!status)
        status = check_names(ctx, &(pluss_nests){.n = used, .nest = all}, request);
    plussi_free(&ctx->mem, all);
    return status;
}

static pluss_status run_corun(pluss_context *ctx, const pluss_nests *const *nests, size_t n,
                              const pluss_options *options, corun_fn engine, pluss_result **out)
{
    plussi_request request;
    pluss_result *result = NULL;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!nests || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    for (size_t i = 0; i < n; i++)
        if (!nests[i])
            return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_ffi_request(ctx, options, &request);
    const plussi_mem *mem = &ctx->ctx.mem;
    plussi_program *program = plussi_calloc(mem, n + 1, sizeof *program);
    units *u = plussi_calloc(mem, n + 1, sizeof *u);
    pluss_status status = program && u ? plussi_refuse_points(&ctx->ctx, &request) : PLUSS_ENOMEM;
    if (!status)
        status = check_all_names(&ctx->ctx, nests, n, &request);
    for (size_t i = 0; i < n && !status; i++)
        status = make_program(ctx, &request, nests[i], &u[i], &program[i]);
    if (!status)
        status = plussi_ffi_result(ctx, &result);
    if (!status)
        status = engine(&ctx->ctx, program, n, &request, &result->list);
    for (size_t i = 0; i < n && u; i++)
        free_units(mem, &u[i]);
    plussi_free(mem, u);
    plussi_free(mem, program);
    return plussi_ffi_give_result(ctx, status, false, result, out);
}

pluss_status pluss_corun_predict(pluss_context *ctx, const pluss_nests *const *programs, size_t n,
                                 const pluss_options *options, pluss_result **out)
{
    return run_corun(ctx, programs, n, options, plussi_corun_predict, out);
}

pluss_status pluss_corun_simulate(pluss_context *ctx, const pluss_nests *const *programs, size_t n,
                                  const pluss_options *options, pluss_result **out)
{
    return run_corun(ctx, programs, n, options, plussi_corun_simulate, out);
}

/* ---- advice and time, region by region ---------------------------------------------------------
 */

typedef pluss_status (*region_fn)(plussi_ctx *ctx, const plussi_nest *nest,
                                  const plussi_request *request, void *out);

static pluss_status advise_region(plussi_ctx *ctx, const plussi_nest *nest,
                                  const plussi_request *request, void *out)
{
    return plussi_advise(ctx, nest, request, out);
}

static pluss_status time_region(plussi_ctx *ctx, const plussi_nest *nest,
                                const plussi_request *request, void *out)
{
    return plussi_predict_times(ctx, nest, request, out);
}

/* What keeps one region from being looked at is told and noted. */
static pluss_status visit_units(pluss_context *ctx, const units *u, const plussi_request *request,
                                region_fn visit, void *out, pluss_status *missing)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < u->n && !status; i++) {
        plussi_request own;
        plussi_ask_part part;
        ask_of_unit(request, u, i, &part, &own);
        status = visit(&ctx->ctx, u->nest[i]->nest, &own, out);
        if (status == PLUSS_ENOMEM || status == PLUSS_ECANCELLED)
            return status;
        *missing = *missing ? *missing : status;
        status = plussi_ffi_leave_part(ctx, status) == PLUSS_ENOMEM ? PLUSS_ENOMEM : PLUSS_OK;
    }
    return status;
}

static pluss_status visit_regions(pluss_context *ctx, const pluss_nests *nests,
                                  const plussi_request *request, region_fn visit, void *out,
                                  pluss_status *missing)
{
    units u = {0};
    pluss_status status = plussi_refuse_points(&ctx->ctx, request);
    if (!status)
        status = check_names(&ctx->ctx, nests, request);
    if (!status)
        status = make_units(ctx, request, nests, &u);
    if (!status && !u.n)
        status = plussi_fail(&ctx->ctx, PLUSS_ENOTFOUND, NULL, "there are no loop nests");
    if (!status)
        status = visit_units(ctx, &u, request, visit, out, missing);
    free_units(&ctx->ctx.mem, &u);
    return status;
}

pluss_status pluss_nests_advise(pluss_context *ctx, const pluss_nests *nests,
                                const pluss_options *options, pluss_advice **out)
{
    plussi_request request;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!nests || !out || nests->trace)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_ffi_request(ctx, options, &request);
    pluss_advice *advice = plussi_calloc(&ctx->ctx.mem, 1, sizeof *advice);
    if (!advice)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    advice->list.mem = ctx->ctx.mem;
    pluss_status status =
        visit_regions(ctx, nests, &request, advise_region, &advice->list, &advice->missing);
    if (!status)
        *out = advice;
    else
        pluss_advice_free(advice);
    return plussi_ffi_leave(ctx, status);
}

pluss_status pluss_nests_time(pluss_context *ctx, const pluss_nests *nests,
                              const pluss_options *options, pluss_times **out)
{
    plussi_request request;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!nests || !out || nests->trace)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_ffi_request(ctx, options, &request);
    if (!request.machine || !request.machine->costs.n)
        return plussi_ffi_leave(
            ctx, plussi_fail(&ctx->ctx, PLUSS_EEMPTY, NULL,
                             "there is no machine file with costs, which time is made from"));
    pluss_times *times = plussi_calloc(&ctx->ctx.mem, 1, sizeof *times);
    if (!times)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    plussi_times_init(&times->list, &ctx->ctx.mem);
    pluss_status status =
        visit_regions(ctx, nests, &request, time_region, &times->list, &times->missing);
    if (!status)
        *out = times;
    else
        pluss_times_free(times);
    return plussi_ffi_leave(ctx, status);
}

pluss_status pluss_nests_remark(pluss_context *ctx, const pluss_nests *nests,
                                const pluss_options *options, pluss_severity *worst,
                                pluss_report **out)
{
    plussi_request request;
    units u = {0};
    if (!ctx)
        return PLUSS_EINVAL;
    if (!nests || !worst || !out || nests->trace)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_ffi_request(ctx, options, &request);
    plussi_remarks remarks = {.mem = ctx->ctx.mem};
    pluss_status status = plussi_refuse_points(&ctx->ctx, &request);
    if (!status)
        status = make_units(ctx, &request, nests, &u);
    for (size_t i = 0; i < u.n && !status; i++) {
        plussi_request own;
        plussi_ask_part part;
        ask_of_unit(&request, &u, i, &part, &own);
        status = plussi_remark_on(&ctx->ctx, u.nest[i]->nest, &own, &remarks);
    }
    free_units(&ctx->ctx.mem, &u);
    pluss_report *report = status ? NULL : plussi_ffi_report(ctx);
    if (report) {
        *worst = PLUSS_NOTE;
        for (size_t i = 0; i < remarks.n; i++)
            if ((pluss_severity)remarks.at[i].severity > *worst)
                *worst = (pluss_severity)remarks.at[i].severity;
        plussi_remarks_report(&remarks, &report->document);
    }
    plussi_remarks_free(&remarks);
    return status ? plussi_ffi_leave(ctx, status) : plussi_ffi_give_report(ctx, report, out);
}

/* ---- the nests of a file -----------------------------------------------------------------------
 */

pluss_status pluss_nests_predict(pluss_context *ctx, const pluss_nests *nests,
                                 const pluss_options *options, pluss_result **out)
{
    return run_all(ctx, nests, options, plussi_pipeline_predict, out);
}

pluss_status pluss_nests_simulate(pluss_context *ctx, const pluss_nests *nests,
                                  const pluss_options *options, pluss_result **out)
{
    return run_all(ctx, nests, options, plussi_pipeline_simulate, out);
}

pluss_status pluss_result_get_missing(const pluss_result *result)
{
    return result ? result->missing : PLUSS_EINVAL;
}

pluss_status pluss_nests_get_missing(const pluss_nests *nests)
{
    return nests ? nests->missing : PLUSS_EINVAL;
}
