/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is in nests, as a document: out of the same lists as pluss_nest_get_... gives.
 */
#include "ffi.h"

#include <string.h>

#include "report/document.h"

static const char *const kinds[] = {"unbound", "bound", "derived"};
static const char *const sharings[] = {"none", "spatial", "full", "split"};

#define COLUMNS(list) list, sizeof list / sizeof *list
#define PLACE                                                                                      \
    {                                                                                              \
        .key = "place", .label = "", .show = PLUSSI_AS_PLACE                                       \
    }

static bool is_of(const pluss_symbol_info *s, uint32_t region)
{
    return s->region < 0 || (uint32_t)s->region == region;
}

/* "ni, nj", "blocks = n / nb (p->blocks)" */
static void report_symbols(plussi_section *section, const pluss_nest *nest, uint32_t region)
{
    static const char *const title[] = {"needs", "has", "derives"};
    static const plussi_heading columns[] = {
        {.key = "name"}, {.key = "kind"}, {.key = "value"}, {.key = "origin"}};
    for (int kind = PLUSS_SYMBOL_UNBOUND; kind <= PLUSS_SYMBOL_DERIVED; kind++) {
        const char *list = "";
        for (uint32_t i = 0; i < nest->info.symbols; i++) {
            const pluss_symbol_info *s = &nest->symbol[i];
            if ((int)s->kind != kind || !is_of(s, region))
                continue;
            bool renamed = s->origin && strcmp(s->origin, s->name) != 0;
            list = plussi_document_text(section->document, "%s%s%s%s%s%s%s%s", list,
                                        *list ? ", " : "", s->name, s->value ? " = " : "",
                                        s->value ? s->value : "", renamed ? " (" : "",
                                        renamed ? s->origin : "", renamed ? ")" : "");
        }
        if (*list)
            plussi_add_field(section, (plussi_heading){.label = title[kind]}, plussi_d_text(list));
    }
    plussi_table *table = plussi_add_table(section, "symbols", COLUMNS(columns));
    for (uint32_t i = 0; i < nest->info.symbols; i++) {
        const pluss_symbol_info *s = &nest->symbol[i];
        if (is_of(s, region))
            plussi_add_row(table,
                           (plussi_datum[]){plussi_d_text(s->name), plussi_d_text(kinds[s->kind]),
                                            plussi_d_text(s->value), plussi_d_text(s->origin)});
    }
}

static const char *loop_text(plussi_document *document, const pluss_loop_info *l)
{
    const char *step = "", *schedule = "", *collapse = "";
    if (l->step != 1)
        step = plussi_document_text(document, " step %lld", (long long)l->step);
    if (l->parallel) /* without a clause: what libgomp does */
        schedule =
            plussi_document_text(document, " schedule(%s)", *l->schedule ? l->schedule : "static");
    if (l->collapse > 1)
        collapse = plussi_document_text(document, " collapse(%u)", l->collapse);
    return plussi_document_text(document, "%*s%sfor %s in %s..%s%s%s%s%s", 2 * (int)l->depth, "",
                                l->parallel ? "parallel " : "", l->iv, l->lo, l->hi, step, schedule,
                                collapse, l->nowait ? " nowait" : "");
}

static void report_loops(plussi_section *section, const pluss_nest *nest, uint32_t region)
{
    static const plussi_heading columns[] = {
        {.key = "loop"},     {.key = "depth"},  {.key = "iv"},       {.key = "from"},
        {.key = "to"},       {.key = "step"},   {.key = "parallel"}, {.key = "schedule"},
        {.key = "collapse"}, {.key = "nowait"}, {.label = ""},       PLACE};
    plussi_table *table = plussi_add_table(section, "loops", COLUMNS(columns));
    for (uint32_t i = 0; i < nest->info.loops; i++) {
        const pluss_loop_info *l = &nest->loop[i];
        if (l->region != region)
            continue;
        plussi_add_row(table, (plussi_datum[]){
                                  plussi_d_count(i), plussi_d_count(l->depth), plussi_d_text(l->iv),
                                  plussi_d_text(l->lo), plussi_d_text(l->hi),
                                  plussi_d_integer(l->step), plussi_d_boolean(l->parallel),
                                  plussi_d_if(l->parallel, plussi_d_text(l->schedule)),
                                  plussi_d_count(l->collapse), plussi_d_boolean(l->nowait),
                                  plussi_d_text(loop_text(section->document, l)),
                                  plussi_d_place(l->file, l->line, l->col)});
    }
}

static void report_refs(plussi_section *section, const pluss_nest *nest, uint32_t region)
{
    static const plussi_heading columns[] = {{.key = "reference"},
                                             {.key = "access", .label = ""},
                                             {.key = "text", .label = ""},
                                             {.key = "array"},
                                             {.key = "atomic"},
                                             {.key = "sharing"},
                                             {.key = "loop"},
                                             {.label = ""},
                                             {.label = ""},
                                             PLACE};
    plussi_table *table = plussi_add_table(section, "references", COLUMNS(columns));
    for (uint32_t i = 0; i < nest->info.refs; i++) {
        const pluss_ref_info *r = &nest->ref[i];
        const char *sharing = sharings[r->sharing];
        if (r->region != region)
            continue;
        plussi_add_row(
            table,
            (plussi_datum[]){
                plussi_d_count(i), plussi_d_text(r->write ? "write" : "read"),
                plussi_d_text(r->text), plussi_d_text(r->array), plussi_d_boolean(r->atomic),
                plussi_d_text(sharing), r->loop < 0 ? plussi_d_null() : plussi_d_integer(r->loop),
                plussi_d_text(plussi_document_text(section->document, "shared: %s", sharing)),
                plussi_d_if(r->atomic, plussi_d_text("atomic")),
                plussi_d_place(r->file, r->line, r->col)});
    }
}

static void report_unknowns(plussi_section *section, const pluss_nest *nest, uint32_t region)
{
    static const plussi_heading columns[] = {
        {.key = "kind"}, {.key = "array"}, {.key = "reason"}, {.label = ""}, PLACE};
    plussi_table *table = plussi_add_table(section, "unknown", COLUMNS(columns));
    for (uint32_t i = 0; i < nest->info.unknowns; i++) {
        const pluss_unknown_info *u = &nest->unknown[i];
        if (u->region != region)
            continue;
        const char *text =
            plussi_document_text(section->document, "not described: %s%s%s: %s", u->kind,
                                 u->array ? " of " : "", u->array ? u->array : "", u->reason);
        plussi_add_row(table, (plussi_datum[]){plussi_d_text(u->kind), plussi_d_text(u->array),
                                               plussi_d_text(u->reason), plussi_d_text(text),
                                               plussi_d_place(u->file, u->line, u->col)});
    }
}

static void report_region(plussi_section *regions, const pluss_nest *nest, uint32_t r)
{
    const pluss_region_info *info = &nest->region[r];
    plussi_document *document = regions->document;
    const char *place = "";
    if (info->file)
        place =
            plussi_document_text(document, info->line ? "  %s:%u" : "  %s", info->file, info->line);
    plussi_section *section =
        plussi_add_section(regions, "", plussi_document_text(document, "%s%s", info->name, place));
    plussi_add_field(section, (plussi_heading){.key = "region", .identifies = true},
                     plussi_d_text(info->name));
    plussi_add_field(section, (plussi_heading){.key = "origin", .identifies = true},
                     plussi_d_text(nest->info.origin));
    plussi_add_member(section, "place", plussi_d_place(info->file, info->line, info->col));
    if (info->symbol) {
        plussi_add_member(section, "symbol", plussi_d_text(info->symbol));
        plussi_add_member(section, "no_symbol", plussi_d_boolean(info->no_symbol));
    }
    if (info->no_symbol)
        plussi_add_line(section, "not in the symbol table: %s (dropped, or wholly inlined)",
                        info->symbol);
    report_symbols(section, nest, r);
    report_loops(section, nest, r);
    report_refs(section, nest, r);
    report_unknowns(section, nest, r);
}

static bool is_wanted(const char *name, const char *const *regions, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, regions[i]) == 0)
            return true;
    return n == 0;
}

static bool are_there(const void *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!list || !list[i])
            return false;
    return true;
}

pluss_status pluss_nest_report(pluss_context *ctx, const pluss_nest *const *nests, size_t n,
                               const char *const *regions, size_t n_regions, pluss_report **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!out || !are_there((const void *const *)nests, n) ||
        !are_there((const void *const *)regions, n_regions))
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_report *report = plussi_ffi_report(ctx);
    if (!report)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    plussi_section *list = plussi_add_list(report->document.root, "regions", true);
    for (size_t i = 0; i < n; i++)
        for (uint32_t r = 0; r < nests[i]->info.regions; r++)
            if (is_wanted(nests[i]->region[r].name, regions, n_regions))
                report_region(list, nests[i], r);
    return plussi_ffi_give_report(ctx, report, out);
}
