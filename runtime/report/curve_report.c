/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include <math.h>

#include "report/sink.h"

const char *plussi_cache_text(plussi_document *document, uint32_t threads_per_cache)
{
    return threads_per_cache == 0 ? ""
           : threads_per_cache == 1
               ? ", each thread's cache"
               : plussi_document_text(document, ", caches of %u threads each", threads_per_cache);
}

/* A member that identifies the rows of CSV. */
static void add_identity(plussi_section *section, const char *key, plussi_datum value)
{
    plussi_add_field(section, (plussi_heading){.key = key, .identifies = true}, value);
}

static void put_values(const plussi_identity *id, plussi_section *section)
{
    plussi_section *values = plussi_add_section(section, "values", NULL);
    for (size_t i = 0; i < id->n_values; i++)
        plussi_add_member(values, plussi_document_text(section->document, "%s", id->values[i].name),
                          plussi_d_integer(id->values[i].value));
}

static void put_progress(const plussi_law_told *told, plussi_section *section)
{
    if (!told->law)
        return;
    plussi_section *progress = plussi_add_section(section, "progress", NULL);
    plussi_add_member(progress, "law", plussi_d_text(told->law));
    plussi_add_member(progress, "from", plussi_d_text(told->from));
    plussi_add_member(progress, "source", plussi_d_if(told->source, plussi_d_text(told->source)));
    for (size_t i = 0; i < told->n; i++)
        plussi_add_member(progress,
                          plussi_document_text(section->document, "%s", told->number[i].name),
                          plussi_d_real(told->number[i].value));
}

static void report_identity(const plussi_identity *id, bool caches, plussi_section *section)
{
    add_identity(section, "region", plussi_d_text(id->region));
    plussi_add_member(section, "place", plussi_d_place(id->file, id->line, 0));
    add_identity(section, "threads", plussi_d_count(id->team));
    if (caches)
        add_identity(section, "threads_per_cache",
                     plussi_d_count(id->threads_per_cache ? id->threads_per_cache : id->team));
    add_identity(section, "method", plussi_d_text(id->simulated ? "simulation" : "prediction"));
    add_identity(section, "engine", plussi_d_text(id->engine));
    plussi_add_member(section, "seed", plussi_d_count(id->seed));
    plussi_add_member(section, "schedule", plussi_d_if(*id->schedule, plussi_d_text(id->schedule)));
    put_progress(&id->progress, section);
    put_values(id, section);
    if (caches)
        add_identity(section, "line_bytes", plussi_d_count(id->line_bytes));
    plussi_add_member(section, "program",
                      plussi_d_if(id->program > 0, plussi_d_count(id->program)));
    plussi_add_member(section, "rate", plussi_d_if(id->rate > 0, plussi_d_real(id->rate)));
    plussi_add_member(section, "unknown_constructs", plussi_d_count(id->unknowns));
    if (id->unknowns)
        plussi_add_note(section, PLUSSI_WARNING, &(plussi_loc){id->file, id->line, 0},
                        "not in these figures: %u construct%s that could not be described",
                        id->unknowns, id->unknowns == 1 ? "" : "s");
}

void plussi_report_identity(const plussi_identity *id, plussi_section *section)
{
    report_identity(id, true, section);
}

void plussi_report_program(const plussi_identity *id, plussi_section *section)
{
    report_identity(id, false, section);
}

static void put_errors(const plussi_curve *curve, plussi_section *section)
{
    static const plussi_heading columns[] = {{.key = "size_lines"}, {.key = "miss_ratio"}};
    static const plussi_heading spread = {.key = "spread"};
    if (!curve->n_error)
        return;
    plussi_section *errors = plussi_add_section(section, "standard_error", NULL);
    plussi_add_member(errors, "mean", plussi_d_real(curve->mean_error));
    plussi_add_series(errors, "standard_errors", columns, 2,
                      (const double *const[]){curve->error_size, curve->error}, curve->n_error);
    if (curve->spread)
        plussi_add_series(section, "spread", &spread, 1, (const double *const[]){curve->spread},
                          curve->n_error);
}

static void report_hit_rates(const plussi_curve *curve, plussi_section *section)
{
    static const plussi_heading columns[] = {
        {.key = "bytes"}, {.key = "ways"}, {.key = "hit_rate"}};
    if (!curve->n_hit_rates)
        return;
    plussi_table *table = plussi_add_table(section, "hit_rates", columns, 3);
    for (size_t i = 0; i < curve->n_hit_rates; i++) {
        const plussi_hit_rate *h = &curve->hit_rate[i];
        plussi_add_row(table, (plussi_datum[]){plussi_d_count(h->bytes), plussi_d_count(h->ways),
                                               plussi_d_real(h->rate)});
    }
}

static void report_formulas(const plussi_curve *curve, const char *key, plussi_section *section)
{
    static const plussi_heading columns[] = {
        {.key = "distance", .label = "distance"},
        {.key = "accesses_formula", .label = "accesses"},
        {.key = "accesses", .label = "here", .show = PLUSSI_AS_COUNT}};
    if (!curve->n_formulas)
        return;
    plussi_table *table = plussi_add_table(section, key, columns, 3);
    for (size_t i = 0; i < curve->n_formulas; i++) {
        const plussi_profile_formula *f = &curve->formula[i];
        plussi_add_row(table,
                       (plussi_datum[]){plussi_d_text(f->distance), plussi_d_text(f->accesses),
                                        plussi_d_count((uint64_t)llround(f->now))});
    }
}

void plussi_show_extras(const plussi_curve *curve, plussi_section *in)
{
    for (size_t i = 0; i < curve->n_hit_rates; i++) {
        const plussi_hit_rate *h = &curve->hit_rate[i];
        char size[PLUSSI_NUMBER], rate[PLUSSI_NUMBER];
        plussi_text_bytes(size, h->bytes);
        plussi_text_fixed(rate, 100 * h->rate, 2);
        plussi_add_line(in, "T = %u, one cache of %s, %u ways: hit rate %s %%", curve->id.team,
                        size, h->ways, rate);
    }
    if (!curve->n_formulas)
        return;
    plussi_section *section =
        plussi_add_section(in, NULL, "reuse distances as formulas of loop bounds:");
    report_formulas(curve, NULL, section);
}

static void report_curve(const plussi_curve *curve, plussi_section *section)
{
    static const plussi_heading points[] = {{.key = "size_lines"}, {.key = "miss_ratio"}};
    plussi_report_identity(&curve->id, section);
    plussi_add_member(section, "runs", plussi_d_if(curve->runs > 0, plussi_d_count(curve->runs)));
    plussi_add_member(
        section, "recorded",
        plussi_d_if(curve->runs > 0, plussi_d_text(plussi_recording_name((int)curve->recorded))));
    plussi_add_member(section, "coverage",
                      plussi_d_if(curve->counted, plussi_d_real(curve->coverage)));
    plussi_add_member(section, "took_seconds",
                      plussi_d_if(curve->took_seconds > 0, plussi_d_real(curve->took_seconds)));
    plussi_add_member(section, "accesses", plussi_d_real(curve->mrc.accesses));
    plussi_add_member(section, "footprint_lines", plussi_d_count(curve->footprint_lines));
    plussi_add_member(
        section, "footprint_error_lines",
        plussi_d_if(curve->footprint_error > 0, plussi_d_count(curve->footprint_error)));
    plussi_add_series(section, "curve", points, 2,
                      (const double *const[]){curve->mrc.size, curve->mrc.miss}, curve->mrc.n);
    put_errors(curve, section);
    report_hit_rates(curve, section);
    report_formulas(curve, "formulas", section);
    plussi_report_knees(curve, section);
}

void plussi_report_result(plussi_ctx *ctx, const plussi_result *result,
                          const plussi_report_caches *caches, plussi_document *document)
{
    plussi_section *curves = plussi_add_list(document->root, "curves", false);
    for (size_t i = 0; i < result->n; i++)
        report_curve(&result->curve[i], plussi_add_section(curves, "", NULL));
    if (result->coverage.counted) {
        plussi_section *all = plussi_add_section(document->root, "coverage", NULL);
        plussi_add_member(all, "share", plussi_d_real(plussi_coverage_share(&result->coverage)));
        plussi_add_member(all, "covered", plussi_d_real(result->coverage.covered));
        plussi_add_member(all, "outside", plussi_d_real(result->coverage.outside));
        plussi_add_member(all, "serial", plussi_d_real(result->coverage.serial));
        if (result->coverage.took_seconds > 0) {
            plussi_add_member(all, "took_seconds", plussi_d_real(result->coverage.took_seconds));
            plussi_add_member(all, "serial_seconds",
                              plussi_d_real(result->coverage.serial_seconds));
        }
    }
    const size_t regions = plussi_report_regions(ctx, result, caches, document);
    const bool details = caches->details || regions <= PLUSSI_WORST;
    const bool compared =
        result->n_levels && plussi_report_summary(ctx, result, NULL, regions > 0, document);
    if (!compared)
        plussi_report_miss_ratios(ctx, result, caches, details, document);
    plussi_report_levels(result, details && !compared, document);
    if (!details)
        plussi_add_line(document->root,
                        "--region NAME shows a region's curve and caches, --details those of all");
}
