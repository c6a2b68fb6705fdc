/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reports: documents of what the library computes, and their writers.
 */
#include "ffi.h"

#include <string.h>

#include "report/report.h"
#include "report/writer.h"

pluss_report *plussi_ffi_report(pluss_context *ctx)
{
    pluss_report *report = plussi_calloc(&ctx->ctx.mem, 1, sizeof *report);
    if (!report)
        return NULL;
    report->mem = ctx->ctx.mem;
    plussi_document_init(&report->document, &ctx->ctx.mem);
    return report;
}

pluss_status plussi_ffi_give_report(pluss_context *ctx, pluss_report *report, pluss_report **out)
{
    pluss_status status = report ? report->document.status : PLUSS_ENOMEM;
    if (status)
        pluss_report_free(report);
    else
        *out = report;
    return plussi_ffi_leave(ctx, status);
}

void pluss_report_free(pluss_report *report)
{
    if (!report)
        return;
    plussi_mem mem = report->mem;
    plussi_document_free(&report->document);
    plussi_free(&mem, report);
}

/* ---- writing --------------------------------------------------------------------------------- */

pluss_status pluss_report_format_get(size_t i, pluss_format_info *out)
{
    if (!out)
        return PLUSS_EINVAL;
    const plussi_format *format = plussi_format_at(i);
    if (!format)
        return PLUSS_ENOTFOUND;
    pluss_format_info info = {sizeof info, format->name, format->summary};
    return plussi_ffi_give(out, &info, sizeof info);
}

static pluss_status write_report(pluss_context *ctx, const pluss_report *report, const char *format,
                                 const pluss_write_options *options, pluss_write_fn write,
                                 void *user)
{
    pluss_write_options taken;
    plussi_sink sink;
    if (!report || !format || !write)
        return PLUSS_EINVAL;
    pluss_status status = plussi_ffi_take(&ctx->ctx, &taken, sizeof taken, options);
    if (status)
        return status;
    plussi_sink_init(&sink, write, user);
    return plussi_document_write(&ctx->ctx, &report->document, format, taken.table, &sink);
}

pluss_status pluss_report_write(pluss_context *ctx, const pluss_report *report, const char *format,
                                const pluss_write_options *options, pluss_write_fn write,
                                void *user)
{
    if (!ctx)
        return PLUSS_EINVAL;
    return plussi_ffi_leave(ctx, write_report(ctx, report, format, options, write, user));
}

typedef struct buffer {
    char *text;
    size_t room, used; /* used: as if there were room for all */
} buffer;

static int put(void *user, const char *data, size_t length)
{
    buffer *b = user;
    size_t left = b->used < b->room ? b->room - b->used : 0;
    if (left)
        memcpy(b->text + b->used, data, length < left ? length : left);
    b->used += length;
    return 0;
}

pluss_status pluss_report_print(pluss_context *ctx, const pluss_report *report, const char *format,
                                const pluss_write_options *options, char *text, size_t room,
                                size_t *length)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if ((!text && room) || !length)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    buffer b = {.text = text, .room = room ? room - 1 : 0};
    pluss_status status = write_report(ctx, report, format, options, put, &b);
    if (room)
        text[b.used < b.room ? b.used : b.room] = '\0';
    if (!status)
        *length = b.used;
    return plussi_ffi_leave(ctx, status);
}

/* ---- results --------------------------------------------------------------------------------- */

pluss_status pluss_result_report(pluss_context *ctx, const pluss_result *result,
                                 const pluss_report_options *options, pluss_report **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!result || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_report_options taken;
    pluss_status status = plussi_ffi_take(&ctx->ctx, &taken, sizeof taken, options);
    if (!status && taken.n_caches && !taken.caches)
        status = plussi_fail(&ctx->ctx, PLUSS_EINVAL, NULL, "the options are not well formed");
    plussi_latencies latencies = {taken.private_latency, taken.shared_latency,
                                  taken.memory_latency};
    if (!status && !(latencies.own >= 0 && latencies.shared >= 0 && latencies.memory >= 0 &&
                     latencies.own + latencies.shared + latencies.memory < 1e12))
        status = plussi_fail(&ctx->ctx, PLUSS_EINVAL, NULL,
                             "latencies are 0 or more cycles, and below 1e12");
    if (status)
        return plussi_ffi_leave(ctx, status);
    if (latencies.own + latencies.shared + latencies.memory == 0)
        latencies = (plussi_latencies){4, 10, 200}; /* Wu and Yeung, table III, L2, L3 and memory */
    pluss_report *report = plussi_ffi_report(ctx);
    const plussi_report_caches caches = {.cache = (const plussi_report_cache *)taken.caches,
                                         .n = taken.n_caches,
                                         .only = taken.only_caches != 0,
                                         .details = !taken.brief};
    if (report)
        plussi_report_result(&ctx->ctx, &result->list, &caches, &report->document);
    if (report && taken.plot)
        plussi_report_plots(&result->list, &caches, taken.plot == 2, &report->document);
    if (report && taken.scaling)
        plussi_report_scaling(&result->list, &latencies, &report->document);
    if (report && taken.note)
        plussi_add_note(report->document.root, PLUSSI_NOTE, NULL, "%s", taken.note);
    return plussi_ffi_give_report(ctx, report, out);
}

pluss_status pluss_profile_report(pluss_context *ctx, const pluss_result *result,
                                  pluss_report **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!result || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_report *report = plussi_ffi_report(ctx);
    if (report)
        plussi_report_profiles(&result->list, &report->document);
    return plussi_ffi_give_report(ctx, report, out);
}

/* ---- machines -------------------------------------------------------------------------------- */

void plussi_ffi_report_processors(plussi_section *root, const char *cpu, uint32_t cores,
                                  uint32_t processors)
{
    plussi_add_figure(root, "cpu", cpu ? "processor" : NULL, PLUSSI_AS_TEXT, 0, NULL,
                      plussi_d_text(cpu));
    plussi_add_figure(root, "cores", "cores", PLUSSI_AS_NUMBER, 0, NULL, plussi_d_count(cores));
    plussi_add_figure(root, "processors", "hardware threads", PLUSSI_AS_NUMBER, 0, NULL,
                      plussi_d_count(processors));
}

static void report_cache(plussi_table *caches, const pluss_machine_cache *c)
{
    static const char *const type[] = {"unified", "data", "instruction"};
    plussi_datum ways = c->ways ? plussi_d_integer(c->ways) : plussi_d_null();
    plussi_add_row(caches,
                   (plussi_datum[]){plussi_d_text(c->name), plussi_d_count(c->level),
                                    plussi_d_text(type[c->type]), plussi_d_count(c->bytes),
                                    c->line_bytes ? plussi_d_count(c->line_bytes) : plussi_d_null(),
                                    ways, c->ways < 0 ? plussi_d_text("full") : ways,
                                    plussi_d_count(c->shared_by), plussi_d_count(c->count)});
}

pluss_status pluss_machine_report(pluss_context *ctx, const pluss_machine_info *machine,
                                  pluss_report **out)
{
    static const plussi_heading columns[] = {
        {.key = "name", .label = "cache"},
        {.key = "level"},
        {.key = "type", .label = "type"},
        {.key = "size_bytes", .label = "size", .show = PLUSSI_AS_BYTES},
        {.key = "line_bytes", .label = "line", .show = PLUSSI_AS_BYTES},
        {.key = "ways"},
        {.label = "ways", .show = PLUSSI_AS_NUMBER},
        {.key = "shared_by", .label = "shared by", .show = PLUSSI_AS_NUMBER},
        {.key = "count", .label = "count", .show = PLUSSI_AS_NUMBER}};
    pluss_machine_info m;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!machine || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_status status = plussi_ffi_take_machine(&ctx->ctx, machine, &m);
    if (status)
        return plussi_ffi_leave(ctx, status);
    pluss_report *report = plussi_ffi_report(ctx);
    if (!report)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    plussi_ffi_report_processors(report->document.root, m.cpu, m.cores, m.processors);
    plussi_table *caches = plussi_add_table(report->document.root, "caches", columns,
                                            sizeof columns / sizeof *columns);
    for (size_t i = 0; i < m.n_caches; i++)
        report_cache(caches, &m.caches[i]);
    plussi_machine_caches levels;
    plussi_ffi_levels(&m, &levels);
    plussi_report_machine_levels(&levels, &report->document);
    return plussi_ffi_give_report(ctx, report, out);
}
