/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "study/calibrator.h"

static void put_rates(plussi_section *section, const plussi_progress *p)
{
    static const plussi_heading column = {.key = "rates"};
    bool alike = true;
    const char *list = "";
    for (size_t k = 0; k < p->n_rates; k++) {
        char rate[PLUSSI_NUMBER];
        plussi_text_fixed(rate, p->rate[k], 3);
        list = plussi_document_text(section->document, "%s%s%s", list, k ? " " : "", rate);
        alike = alike && p->rate[k] == 1;
    }
    plussi_add_series(section, "rates", &column, 1, &p->rate, p->n_rates);
    plussi_add_figure(
        section, NULL, "rates of threads", PLUSSI_AS_TEXT, 0, NULL,
        plussi_d_text(alike ? "no thread is faster than another in every run" : list));
}

static void report_region(const plussi_region_runs *r, plussi_section *regions)
{
    const plussi_calibration *fit = &r->fit;
    const plussi_progress *s = &fit->progress;
    plussi_document *document = regions->document;
    size_t discarded = fit->n_runs - fit->n_used;
    const char *lost =
        discarded ? plussi_document_text(document, ", %zu of them discarded", discarded) : "";
    plussi_section *section = plussi_add_section(
        regions, "",
        plussi_document_text(document, "%s (%s:%u), %u threads: %zu run%s%s", r->region, r->file,
                             r->line, fit->team, fit->n_runs, fit->n_runs == 1 ? "" : "s", lost));
    plussi_add_field(section, (plussi_heading){.key = "region", .identifies = true},
                     plussi_d_text(r->region));
    plussi_add_member(section, "place", plussi_d_place(r->file, r->line, 0));
    plussi_add_field(section, (plussi_heading){.key = "threads", .identifies = true},
                     plussi_d_count(fit->team));
    plussi_add_member(section, "runs", plussi_d_count(fit->n_runs));
    plussi_add_member(section, "discarded", plussi_d_count(discarded));
    plussi_add_figure(section, "sigma", "rates differ by sigma", PLUSSI_AS_NUMBER, 4, NULL,
                      plussi_d_measured(s->sigma, fit->sigma_error));
    plussi_add_figure(section, "skew_accesses", "skew at barriers, median", PLUSSI_AS_NUMBER, 0,
                      "accesses", plussi_d_real(s->skew));
    plussi_add_figure(section, "skew_spread", "skew at barriers, spread", PLUSSI_AS_NUMBER, 2, NULL,
                      plussi_d_real(s->skew_spread));
    plussi_add_figure(section, "stall_rate", s->stall_rate > 0 ? "stalls in an access" : NULL,
                      PLUSSI_AS_GENERAL, 3, NULL,
                      plussi_d_measured(s->stall_rate, fit->stall_error));
    plussi_add_figure(section, "stall_accesses", s->stall_rate > 0 ? "stalls, mean length" : NULL,
                      PLUSSI_AS_GENERAL, 3, "accesses", plussi_d_real(s->stall));
    /* of one run alone the error is not known */
    plussi_add_figure(section, "access_ns", "an access takes", PLUSSI_AS_GENERAL, 3, "ns",
                      plussi_d_measured(fit->access, fit->access_error < 1e3
                                                         ? fit->access * fit->access_error
                                                         : -1));
    put_rates(section, &fit->progress);
}

static void report_machine(const plussi_machine_file *file, const char *name, plussi_section *root)
{
    plussi_section *all = plussi_add_section(
        root, "all", plussi_document_text(root->document, "All regions of %s together", name));
    plussi_add_figure(all, "sigma", "rates differ by sigma", PLUSSI_AS_NUMBER, 4, NULL,
                      plussi_d_real(file->all.sigma));
    plussi_add_figure(all, "skew_accesses", "skew at barriers, median", PLUSSI_AS_NUMBER, 0,
                      "accesses", plussi_d_real(file->all.skew));
    if (file->slice > 0)
        plussi_add_figure(all, "slice_ns", "time slice on a shared core", PLUSSI_AS_COUNT, 0, "ns",
                          plussi_d_real(file->slice));
}

void plussi_calibrator_report(const plussi_calibrator *calibrator, const plussi_machine_file *file,
                              const char *name, plussi_section *root)
{
    plussi_section *list = plussi_add_list(root, "calibrated", true);
    for (size_t i = 0; i < calibrator->n; i++)
        report_region(&calibrator->region[i], list);
    if (file)
        report_machine(file, name, root);
}
