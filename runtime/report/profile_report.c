/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

/* Keys and weights as columns, which the section copies. */
static void put_histo(const plussi_histo *histo, plussi_section *section)
{
    static const plussi_heading columns[] = {{.key = "keys"}, {.key = "weights"}};
    plussi_document *document = section->document;
    plussi_bin *bin = NULL;
    size_t n = 0;
    if (!document->status)
        document->status = plussi_histo_sorted(histo, &bin, &n);
    double *column = document->status ? NULL : plussi_alloc(&histo->mem, 2 * n, sizeof *column);
    if (!document->status && !column)
        document->status = PLUSS_ENOMEM;
    for (size_t i = 0; i < n && column; i++) {
        column[i] = (double)bin[i].key;
        column[n + i] = bin[i].weight;
    }
    plussi_add_member(section, "cold", plussi_d_real(histo->cold));
    plussi_add_member(section, "thread_first", plussi_d_real(histo->thread_first));
    if (histo->coherence > 0)
        plussi_add_member(section, "coherence", plussi_d_real(histo->coherence));
    if (column)
        plussi_add_series(section, "histogram", columns, 2,
                          (const double *const[]){column, column + n}, n);
    plussi_free(&histo->mem, column);
    plussi_free(&histo->mem, bin);
}

void plussi_report_site(const plussi_site *site, const char *loop, plussi_section *section)
{
    if (site->text)
        plussi_add_member(section, "reference", plussi_d_text(site->text));
    plussi_add_member(section, "write", plussi_d_boolean(site->write));
    plussi_add_member(section, "atomic", plussi_d_boolean(site->atomic));
    if (site->line)
        plussi_add_member(section, "place", plussi_d_place(site->file, site->line, 0));
    if (loop)
        plussi_add_member(section, "loop", plussi_d_text(loop));
}

static void put_part(const plussi_profile_part *part, plussi_section *section)
{
    plussi_add_member(section, "number", plussi_d_count(part->ref));
    plussi_report_site(&part->site, part->loop, section);
    put_histo(&part->histo, section);
}

void plussi_report_profiles(const plussi_result *result, plussi_document *document)
{
    plussi_section *list = plussi_add_list(document->root, "profiles", false);
    for (size_t i = 0; i < result->n_profiles; i++) {
        const plussi_profile *profile = &result->profile[i];
        plussi_section *section = plussi_add_section(list, "", NULL);
        plussi_report_identity(&profile->id, section);
        plussi_add_member(section, "metric", plussi_d_text(plussi_metric_name(profile->metric)));
        plussi_add_member(section, "scope", plussi_d_text(plussi_scope_name((int)profile->scope)));
        if (profile->sharing) {
            const char *sharing = plussi_sharing_name((int)profile->sharing);
            plussi_add_member(section, "sharing", plussi_d_text(sharing));
            plussi_add_member(section, "phase", plussi_d_count(profile->phase));
        }
        plussi_add_member(section, "runs", plussi_d_real(profile->runs));
        plussi_add_member(section, "footprint_lines", plussi_d_count(profile->footprint_lines));
        put_histo(&profile->histo, section);
        plussi_section *parts = plussi_add_list(section, "references", false);
        for (size_t k = 0; k < profile->n_parts; k++)
            put_part(&profile->part[k], plussi_add_section(parts, "", NULL));
    }
}
