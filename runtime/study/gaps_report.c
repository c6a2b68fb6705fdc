/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "study/gaps.h"

/* ---- for programs ---------------------------------------------------------------------------- */

static void put_counts(plussi_section *section, const plussi_gaps_result *r, uint32_t bins)
{
    static const plussi_heading counts = {.key = "counts"};
    double count[PLUSSI_UNIFORMITY_BINS];
    for (uint32_t i = 0; i < bins; i++)
        count[i] = (double)r->count[i];
    plussi_add_series(section, "counts", &counts, 1, (const double *const[]){count}, bins);
}

static void put_test(plussi_section *section, const plussi_gaps_result *r, uint32_t bins)
{
    const plussi_uniformity *t = &r->test;
    plussi_add_member(section, "stops", plussi_d_count(r->stops));
    plussi_add_member(section, "outside", plussi_d_count(r->outside));
    plussi_add_member(section, "wrong", plussi_d_count(r->wrong));
    plussi_add_member(section, "samples", plussi_d_count(t->samples));
    put_counts(section, r, bins);
    if (t->samples == 0)
        return;
    plussi_add_member(section, "chi_square", plussi_d_real(t->chi2));
    plussi_add_member(section, "p", plussi_d_real(t->p));
    plussi_add_member(section, "lag_one", plussi_d_real(t->lag1));
    plussi_add_member(section, "correlation_samples", plussi_d_real(t->correlation));
    plussi_add_member(section, "effective_samples", plussi_d_real(t->effective));
    plussi_add_member(section, "p_corrected", plussi_d_real(t->p_corrected));
}

/* ---- for people ------------------------------------------------------------------------------ */

static void add_row(plussi_table *table, plussi_datum run, const plussi_gaps_result *r)
{
    const plussi_uniformity *t = &r->test;
    bool some = t->samples > 0;
    plussi_add_row(table,
                   (plussi_datum[]){run, plussi_d_count(r->stops), plussi_d_count(t->samples),
                                    plussi_d_if(some, plussi_d_real(t->chi2)),
                                    plussi_d_if(some, plussi_d_real(t->p)),
                                    plussi_d_if(some, plussi_d_real(t->lag1)),
                                    plussi_d_if(some, plussi_d_real(t->correlation)),
                                    plussi_d_if(some, plussi_d_real(t->effective)),
                                    plussi_d_if(some, plussi_d_real(t->p_corrected))});
}

static void add_runs(plussi_section *section, const plussi_gaps *gaps, size_t runs)
{
    static const plussi_heading columns[] = {
        {.label = "run", .show = PLUSSI_AS_NUMBER},
        {.label = "stops", .show = PLUSSI_AS_NUMBER},
        {.label = "gaps", .show = PLUSSI_AS_NUMBER},
        {.label = "chi2", .show = PLUSSI_AS_NUMBER, .digits = 1},
        {.label = "p", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.label = "lag 1", .show = PLUSSI_AS_NUMBER, .digits = 3},
        {.label = "time", .show = PLUSSI_AS_NUMBER, .digits = 1},
        {.label = "effective", .show = PLUSSI_AS_NUMBER},
        {.label = "corrected p", .show = PLUSSI_AS_GENERAL, .digits = 3}};
    plussi_table *table =
        plussi_add_table(section, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < runs; i++)
        add_row(table, plussi_d_count(i + 1), plussi_gaps_get(gaps, i));
    add_row(table, plussi_d_text("all"), plussi_gaps_get(gaps, SIZE_MAX));
}

static void add_histogram(plussi_section *section, const plussi_gaps_result *r, uint32_t bins)
{
    static const char bar[] = "##################################################";
    static const plussi_heading columns[] = {
        {.label = "from", .show = PLUSSI_AS_NUMBER, .digits = 2},
        {.label = "to", .show = PLUSSI_AS_NUMBER, .digits = 2, .unit = "laps"},
        {.label = "share", .show = PLUSSI_AS_POINTS, .digits = 2, .unit = "%"},
        {.label = ""}};
    plussi_table *table = plussi_add_table(section, NULL, columns, 4);
    uint64_t most = 1;
    for (uint32_t i = 0; i < bins; i++)
        most = r->count[i] > most ? r->count[i] : most;
    for (uint32_t i = 0; i < bins; i++) {
        double share = (double)r->count[i] / (double)r->test.samples;
        size_t length =
            (size_t)((double)(sizeof bar - 1) * (double)r->count[i] / (double)most + .5);
        plussi_add_row(table,
                       (plussi_datum[]){plussi_d_real((double)i / bins),
                                        plussi_d_real((double)(i + 1) / bins), plussi_d_real(share),
                                        plussi_d_text(bar + sizeof bar - 1 - length)});
    }
}

static void add_verdict(plussi_section *section, const plussi_uniformity *t, uint32_t bins)
{
    plussi_add_figure(section, NULL, "p of even gaps, samples independent", PLUSSI_AS_GENERAL, 4,
                      NULL, plussi_d_real(t->p));
    plussi_add_figure(section, NULL, "degrees of freedom", PLUSSI_AS_NUMBER, 0, NULL,
                      plussi_d_count(bins - 1));
    plussi_add_figure(section, NULL, "samples are correlated over", PLUSSI_AS_NUMBER, 1, "stops",
                      plussi_d_real(t->correlation));
    plussi_add_figure(section, NULL, "they tell as much as", PLUSSI_AS_NUMBER, 0,
                      "independent ones", plussi_d_real(t->effective));
    plussi_add_figure(section, NULL, "p of even gaps, so correlated", PLUSSI_AS_GENERAL, 4, NULL,
                      plussi_d_real(t->p_corrected));
}

/* ---- both ------------------------------------------------------------------------------------ */

static const char *title(plussi_document *document, const plussi_gaps_loop *loop, double lap,
                         double interval, bool by_timer)
{
    plussi_datum laps = plussi_d_real(lap), every = plussi_d_real(interval / 1e3);
    char text[2][PLUSSI_NUMBER];
    const char *stops = by_timer ? ", stops by the timer" : "";
    if (interval > 0)
        stops = plussi_document_text(document, "; stops every %s us%s",
                                     plussi_datum_print(&every, text[0]),
                                     by_timer ? ", by the timer" : "");
    return plussi_document_text(document,
                                "%s (%s:%u), loop %u, %u threads: gaps to thread 0, in laps of %s "
                                "iteration%s%s",
                                loop->region, loop->file, loop->line, loop->loop, loop->team,
                                plussi_datum_print(&laps, text[1]), lap == 1 ? "" : "s", stops);
}

void plussi_gaps_report(const plussi_gaps *gaps, plussi_document *document)
{
    const plussi_gaps_options *options = plussi_gaps_asked(gaps);
    const plussi_gaps_loop loop = plussi_gaps_what(gaps);
    const plussi_gaps_result *all = plussi_gaps_get(gaps, SIZE_MAX);
    const bool by_timer = options->by_timer;
    const double interval = options->interval;
    plussi_section *root = document->root;
    plussi_add_member(root, "region", plussi_d_text(loop.region));
    plussi_add_member(root, "place", plussi_d_place(loop.file, loop.line, 0));
    plussi_add_member(root, "loop", plussi_d_count(loop.loop));
    plussi_add_member(root, "threads", plussi_d_count(loop.team));
    plussi_add_member(root, "lap_iterations", plussi_d_real(options->lap));
    plussi_add_member(root, "interval_ns",
                      interval > 0 ? plussi_d_real(interval) : plussi_d_null());
    plussi_add_member(root, "taken", plussi_d_text(by_timer ? "timer" : "afterwards"));
    plussi_add_member(root, "degrees_of_freedom", plussi_d_count(options->bins - 1));
    put_test(root, all, options->bins);
    plussi_section *runs = plussi_add_list(root, "runs", false);
    for (size_t i = 0; i < loop.runs; i++)
        put_test(plussi_add_section(runs, "", NULL), plussi_gaps_get(gaps, i), options->bins);
    plussi_section *text =
        plussi_add_section(root, NULL, title(document, &loop, options->lap, interval, by_timer));
    add_runs(text, gaps, loop.runs);
    if (all->test.samples)
        add_histogram(text, all, options->bins);
    add_verdict(text, &all->test, options->bins);
    /* the handler may be interrupted between clock and counters: rarely */
    if (all->wrong > 10 && all->wrong * 100 > all->test.samples)
        plussi_add_note(root, PLUSSI_WARNING, NULL,
                        "%llu counters and time stamps of %llu do not agree",
                        (unsigned long long)all->wrong, (unsigned long long)all->test.samples);
}
