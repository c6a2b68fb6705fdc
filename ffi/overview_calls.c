/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report on a whole file or run.
 */
#include "ffi.h"

#include <string.h>

#include "report/overview.h"
#include "report/point.h"
#include "study/advise.h"
#include "study/curve_levels.h"

static void put_unknowns(const pluss_nest *nest, plussi_table *table)
{
    for (uint32_t i = 0; i < nest->info.unknowns; i++) {
        const pluss_unknown_info *u = &nest->unknown[i];
        plussi_add_row(
            table,
            (plussi_datum[]){plussi_d_text(nest->region[u->region].name), plussi_d_text(u->kind),
                             plussi_d_if(u->array != NULL, plussi_d_text(u->array)),
                             plussi_d_text(u->reason), plussi_d_place(u->file, u->line, u->col)});
    }
}

static void report_unknowns(const pluss_overview_options *options, plussi_document *document)
{
    static const plussi_heading column[] = {{.key = "region"},
                                            {.key = "kind"},
                                            {.key = "array"},
                                            {.key = "reason"},
                                            {.key = "place", .show = PLUSSI_AS_PLACE}};
    plussi_table *table = plussi_add_table(document->root, "unknown", column, 5);
    for (size_t i = 0; i < options->n_nests; i++)
        for (size_t k = 0; k < options->nests[i]->n; k++)
            put_unknowns(options->nests[i]->nest[k], table);
}

/* ---- what to try ------------------------------------------------------------------------------
 */

/* The region of the nests as a nest of its own; NULL: there is none of that name and place. */
static pluss_status extract_region(pluss_context *ctx, const pluss_overview_options *options,
                                   const plussi_identity *id, pluss_nest **out)
{
    *out = NULL;
    for (size_t i = 0; i < options->n_nests; i++)
        for (size_t k = 0; k < options->nests[i]->n; k++) {
            const pluss_nest *nest = options->nests[i]->nest[k];
            for (uint32_t r = 0; r < nest->info.regions; r++) {
                const pluss_region_info *region = &nest->region[r];
                if (strcmp(region->name, id->region) == 0 && region->line == id->line)
                    return pluss_nest_extract(ctx, nest, r, out);
            }
        }
    return PLUSS_OK;
}

/* Regions that were looked at, and what was found. */
typedef struct looked {
    plussi_advice_list advice;
    const char **region; /* of the result */
    size_t n;
} looked;

static void free_looked(const plussi_mem *mem, looked *l, plussi_tips *tips)
{
    plussi_advice_list_free(&l->advice);
    plussi_free(mem, l->region);
    plussi_free(mem, (void *)tips->tip);
}

/* The given options with the values and the team of a point. */
static pluss_status advise_as(plussi_ctx *ctx, const plussi_nest *nest, const plussi_request *given,
                              const plussi_identity *id, plussi_advice_list *advice)
{
    plussi_request own;
    pluss_status status = plussi_request_copy(given, &own);
    if (status)
        return status;
    own.n_lists = own.n_choices = 0;
    for (size_t i = 0; i < id->n_values && !status; i++)
        status = plussi_request_bind(&own, id->values[i].name, strlen(id->values[i].name),
                                     id->values[i].value);
    if (!status)
        status = plussi_request_set_teams(ctx, &own, &id->team, 1);
    if (!status)
        status = plussi_advise(ctx, nest, &own, advice);
    plussi_request_free(&own);
    return status;
}

/* What cannot be advised is no failure. */
static pluss_status advise_region(pluss_context *ctx, const pluss_overview_options *options,
                                  const plussi_identity *id, looked *l)
{
    plussi_request given;
    plussi_ctx quiet;
    pluss_nest *unit = NULL;
    plussi_ffi_request(ctx, options->options, &given);
    if (id->program || id->simulated || *id->schedule || !plussi_request_has_levels(&given))
        return PLUSS_OK;
    pluss_status status = extract_region(ctx, options, id, &unit);
    if (status || !unit)
        return status;
    plussi_ctx_init(&quiet, &ctx->ctx.mem);
    status = advise_as(&quiet, unit->nest, &given, id, &l->advice);
    if (!status)
        l->region[l->n++] = id->region;
    pluss_nest_free(unit);
    plussi_ctx_clear(&quiet);
    return status == PLUSS_ENOMEM || status == PLUSS_ECANCELLED ? status : PLUSS_OK;
}

static pluss_status advise_regions(pluss_context *ctx, const pluss_result *result,
                                   const pluss_overview_options *options, looked *l)
{
    plussi_points points;
    pluss_status status = plussi_points_find(&ctx->ctx.mem, &result->list, &points);
    if (!status &&
        !(l->region = plussi_calloc(&ctx->ctx.mem, points.n_regions + 1, sizeof(char *))))
        status = PLUSS_ENOMEM;
    for (size_t i = 0; i < points.n_regions && i < options->advised && !status; i++) {
        const size_t region = points.point[points.first[i]].region;
        status = advise_region(ctx, options, &plussi_points_widest(&points, region)->curve->id, l);
    }
    plussi_points_free(&points);
    return status == PLUSS_ECANCELLED ? PLUSS_OK : status; /* what there is is reported */
}

/* Whether it only adds steps to advice that comes before it, for the same region. */
static bool is_variant(const plussi_advice_list *list, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (plussi_same_text(list->at[k].region, list->at[i].region) &&
            plussi_advice_adds_steps(&list->at[i], &list->at[k]))
            return true;
    return false;
}

/* Advice that is no variant of better advice. They borrow. */
static pluss_status make_tips(const looked *l, plussi_tips *out)
{
    const plussi_advice_list *advice = &l->advice;
    plussi_tip *tip = plussi_calloc(&advice->mem, advice->n + 1, sizeof *tip);
    *out = (plussi_tips){.tip = tip, .region = l->region, .n_regions = l->n};
    for (size_t i = 0; tip && i < advice->n; i++) {
        const plussi_advice *a = &advice->at[i];
        if (is_variant(advice, i))
            continue;
        tip[out->n++] = (plussi_tip){.region = a->region,
                                     .file = a->place.file,
                                     .line = a->place.line,
                                     .team = a->team[0],
                                     .text = a->text,
                                     .steps = a->steps,
                                     .source = a->show,
                                     .gain = a->gain,
                                     .gain_error = a->gain_error};
    }
    return tip ? PLUSS_OK : PLUSS_ENOMEM;
}

/* ---- the report -------------------------------------------------------------------------------
 */

static bool is_whole(const pluss_overview_options *o)
{
    bool whole =
        (o->caches || !o->n_caches) && (o->nests || !o->n_nests) && (o->folders || !o->n_folders);
    for (size_t i = 0; i < o->n_nests && whole; i++)
        whole = o->nests[i] != NULL;
    for (size_t i = 0; i < o->n_folders && whole; i++)
        whole = o->folders[i] != NULL;
    return whole;
}

pluss_status pluss_overview_report(pluss_context *ctx, const pluss_result *result,
                                   const pluss_overview_options *options, pluss_report **out)
{
    pluss_overview_options o;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!result || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_status status = plussi_ffi_take(&ctx->ctx, &o, sizeof o, options);
    if (!status && !is_whole(&o))
        status = plussi_fail(&ctx->ctx, PLUSS_EINVAL, NULL, "the options are not well formed");
    looked found = {.advice.mem = ctx->ctx.mem};
    plussi_tips tips = {0};
    if (!status)
        status = advise_regions(ctx, result, &o, &found);
    if (!status)
        status = make_tips(&found, &tips);
    pluss_report *report = status ? NULL : plussi_ffi_report(ctx);
    if (!report) {
        free_looked(&ctx->ctx.mem, &found, &tips);
        return plussi_ffi_leave(ctx, status ? status : PLUSS_ENOMEM);
    }
    plussi_document *document = &report->document;
    const plussi_report_caches caches = {.cache = (const plussi_report_cache *)o.caches,
                                         .n = o.n_caches};
    plussi_add_member(document->root, "title",
                      plussi_d_if(o.title != NULL, plussi_d_text(o.title)));
    plussi_report_overview(&ctx->ctx, &result->list, &caches, &tips, document);
    if (o.plot)
        plussi_report_plots(&result->list, &caches, o.plot == 2, document);
    report_unknowns(&o, document);
    if (o.sources)
        plussi_report_sources(&ctx->ctx, &result->list, o.folders, o.n_folders, document);
    if (o.note)
        plussi_add_note(document->root, PLUSSI_NOTE, NULL, "%s", o.note);
    free_looked(&ctx->ctx.mem, &found, &tips);
    return plussi_ffi_give_report(ctx, report, out);
}

pluss_status pluss_line_report(pluss_context *ctx, const pluss_result *result, const char *file,
                               uint32_t line, pluss_report **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!result || !file || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_report *report = plussi_ffi_report(ctx);
    if (!report)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    pluss_status status =
        plussi_report_line(&ctx->ctx, &result->list, file, line, &report->document);
    if (!status)
        return plussi_ffi_give_report(ctx, report, out);
    pluss_report_free(report);
    return plussi_ffi_leave(ctx, status);
}

pluss_status pluss_result_keep_level(pluss_context *ctx, pluss_result *result, const char *name)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!result || !name)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    if (!plussi_result_keep_level(&result->list, name))
        return plussi_ffi_leave(
            ctx, plussi_fail(&ctx->ctx, PLUSS_ENOTFOUND, NULL, "there is no level '%s'", name));
    return PLUSS_OK;
}

pluss_status pluss_result_derive_levels(pluss_context *ctx, pluss_result *result,
                                        const pluss_options *options)
{
    plussi_request request;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!result)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_ffi_request(ctx, options, &request);
    return plussi_ffi_leave(ctx, plussi_derive_levels(&ctx->ctx, &request, &result->list));
}
