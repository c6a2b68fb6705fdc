/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report on a whole file or run.
 */
#include "ffi.h"

#include "report/overview.h"

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
    if (status)
        return plussi_ffi_leave(ctx, status);
    pluss_report *report = plussi_ffi_report(ctx);
    if (!report)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    plussi_document *document = &report->document;
    const plussi_report_caches caches = {.cache = (const plussi_report_cache *)o.caches,
                                         .n = o.n_caches};
    plussi_add_member(document->root, "title",
                      plussi_d_if(o.title != NULL, plussi_d_text(o.title)));
    plussi_report_overview(&ctx->ctx, &result->list, &caches, document);
    if (o.plot)
        plussi_report_plots(&result->list, &caches, o.plot == 2, document);
    report_unknowns(&o, document);
    if (o.sources)
        plussi_report_sources(&ctx->ctx, &result->list, o.folders, o.n_folders, document);
    if (o.note)
        plussi_add_note(document->root, PLUSSI_NOTE, NULL, "%s", o.note);
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
