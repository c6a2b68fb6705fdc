/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/advise.h"

#include <math.h>
#include <string.h>

static void report_levels(const plussi_advice *a, plussi_section *section)
{
    static const plussi_heading columns[] = {
        {.key = "name", .label = "cache"},
        {.key = "misses_now", .label = "misses now", .show = PLUSSI_AS_COUNT},
        {.key = "misses_then", .label = "then", .show = PLUSSI_AS_COUNT},
        {.key = "percent_of_accesses_now",
         .label = "now",
         .show = PLUSSI_AS_NUMBER,
         .digits = 2,
         .unit = "%"},
        {.key = "percent_of_accesses_then",
         .label = "then",
         .show = PLUSSI_AS_NUMBER,
         .digits = 2,
         .unit = "%"}};
    plussi_table *table =
        plussi_add_table(section, "changes", columns, sizeof columns / sizeof *columns);
    for (size_t l = 0; l < a->n_levels; l++) {
        const plussi_advice_level *level = &a->level[l];
        double share[2], error[2];
        for (int i = 0; i < 2; i++) {
            share[i] = 100 * level->misses[i] / a->accesses[i];
            error[i] = level->error[i] < 0 ? -1 : 100 * level->error[i] / a->accesses[i];
        }
        plussi_add_row(table,
                       (plussi_datum[]){plussi_d_text(level->name), plussi_d_real(level->misses[0]),
                                        plussi_d_real(level->misses[1]),
                                        plussi_d_measured(share[0], error[0]),
                                        plussi_d_measured(share[1], error[1])});
    }
}

/* Of the first advice. */
static void report_times(const plussi_advice_list *list, plussi_section *section)
{
    if (!list->runs)
        return;
    plussi_add_figure(section, "measured_gain_percent", "measured gain", PLUSSI_AS_NUMBER, 1,
                      "% of the processor time",
                      plussi_d_real(100 * (1 - list->seconds[1] / list->seconds[0])));
    plussi_add_figure(section, "seconds", "  now", PLUSSI_AS_GENERAL, 3, "s",
                      plussi_d_real(list->seconds[0]));
    plussi_add_figure(section, "seconds_then", "  then", PLUSSI_AS_GENERAL, 3, "s",
                      plussi_d_real(list->seconds[1]));
    plussi_add_member(section, "runs", plussi_d_count(list->runs));
}

static void report_one(const plussi_advice_list *all, size_t number, const char *file,
                       plussi_document *document, plussi_section *list)
{
    const plussi_advice *a = &all->at[number - 1];
    plussi_section *section = plussi_add_section(
        list, NULL, plussi_document_text(document, "%zu. %s: %s", number, a->region, a->text));
    plussi_add_member(section, "region", plussi_d_text(a->region));
    plussi_add_member(section, "kind", plussi_d_text(plussi_advice_name(a->kind)));
    plussi_add_member(section, "text", plussi_d_text(a->text));
    plussi_add_figure(section, "place", "at", PLUSSI_AS_PLACE, 0, NULL,
                      plussi_d_if(a->place.file || a->place.line,
                                  plussi_d_place(a->place.file, a->place.line, a->place.col)));
    plussi_add_figure(section, "worst", "most misses cost", PLUSSI_AS_TEXT, 0, NULL,
                      plussi_d_if(a->worst != NULL, plussi_d_text(a->worst)));
    plussi_add_figure(section, "gain_percent", "predicted gain", PLUSSI_AS_NUMBER, 1,
                      "% of the cost", plussi_d_measured(100 * a->gain, 100 * a->gain_error));
    if (number == 1)
        report_times(all, section);
    plussi_add_member(section, "threads", plussi_d_count(a->team[0]));
    plussi_add_member(section, "threads_then", plussi_d_count(a->team[1]));
    plussi_add_member(section, "cost", plussi_d_measured(a->cost[0], a->error[0]));
    plussi_add_member(section, "cost_then", plussi_d_measured(a->cost[1], a->error[1]));
    plussi_add_member(section, "steps", plussi_d_text(a->steps));
    if (*a->show)
        plussi_add_figure(section, "source", "in the source", PLUSSI_AS_TEXT, 0, NULL,
                          plussi_d_text(a->show));
    /* "ti=48 tj=48" */
    const char *values = "";
    for (const char *at = a->kind == PLUSSI_ADVICE_TILE && !*a->steps ? a->show : ""; *at;) {
        const int length = (int)strcspn(at, " ");
        values = plussi_document_text(document, "%s -D %.*s", values, length, at);
        at += length + (at[length] == ' ');
    }
    const char *command =
        *a->steps ? plussi_document_text(document, "pluss transform %s --region '%s' %s", file,
                                         a->region, a->steps)
                  : plussi_document_text(document, "pluss predict %s --region '%s' -T %u%s", file,
                                         a->region, a->team[1], values);
    plussi_add_figure(section, "command", "see", PLUSSI_AS_TEXT, 0, NULL, plussi_d_text(command));
    report_levels(a, section);
}

void plussi_advice_report(const plussi_advice_list *list, const char *file,
                          plussi_document *document)
{
    plussi_section *advice = plussi_add_list(document->root, "advice", true);
    if (list->n == 0)
        plussi_add_line(document->root, "Nothing is predicted to gain more than its error.");
    for (size_t i = 0; i < list->n; i++)
        report_one(list, i + 1, file, document, advice);
}
