/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What operations and lines cost, in a report.
 */
#include "study/machine_file.h"

static plussi_datum cycles(const plussi_measured *m)
{
    return m->spread > 0 ? plussi_d_measured(m->value, m->spread) : plussi_d_real(m->value);
}

void plussi_report_machine_costs(const plussi_machine_costs *costs, plussi_document *document)
{
    static const plussi_heading operation[] = {
        {.key = "operation", .label = "operation"},
        {.key = "cycles", .label = "cycles", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.key = "latency", .label = "latency", .show = PLUSSI_AS_GENERAL, .digits = 3}};
    static const plussi_heading line[] = {
        {.key = "name", .label = "line from"},
        {.key = "latency", .label = "latency", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.key = "stream", .label = "stream", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.key = "strided", .label = "strided", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.key = "scattered", .label = "scattered", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.key = "shared", .label = "shared", .show = PLUSSI_AS_GENERAL, .digits = 3}};
    if (!costs->n)
        return;
    plussi_add_figure(document->root, "cycle_ns", "cycle", PLUSSI_AS_GENERAL, 4, "ns",
                      plussi_d_real(costs->cycle_ns));
    plussi_add_figure(document->root, "issue", "any operation, at least", PLUSSI_AS_GENERAL, 3,
                      "cycles", plussi_d_if(costs->issue.value > 0, cycles(&costs->issue)));
    plussi_add_figure(document->root, "window", "executed out of order", PLUSSI_AS_GENERAL, 3,
                      "operations", plussi_d_if(costs->window > 0, plussi_d_real(costs->window)));
    plussi_add_figure(document->root, "serial", "does not overlap", PLUSSI_AS_POINTS, 0,
                      "% of the shorter of operations and lines",
                      plussi_d_if(costs->serial > 0, plussi_d_real(costs->serial)));
    plussi_table *operations = plussi_add_table(document->root, "operations", operation,
                                                sizeof operation / sizeof *operation);
    for (int g = 0; g < PLUSSI_N_OPERATIONS; g++)
        plussi_add_row(operations,
                       (plussi_datum[]){plussi_d_text(plussi_operation_name((plussi_operation)g)),
                                        cycles(&costs->operation[g]), cycles(&costs->latency[g])});
    plussi_table *lines =
        plussi_add_table(document->root, "lines", line, sizeof line / sizeof *line);
    for (size_t i = 0; i < costs->n; i++) {
        const plussi_server_cost *s = &costs->server[i];
        plussi_add_row(lines,
                       (plussi_datum[]){plussi_d_text(s->name), cycles(&s->latency),
                                        cycles(&s->line[PLUSSI_PATTERN_STREAM]),
                                        cycles(&s->line[PLUSSI_PATTERN_STRIDED]),
                                        cycles(&s->line[PLUSSI_PATTERN_SCATTERED]),
                                        plussi_d_if(s->shared.value > 0, cycles(&s->shared))});
    }
}
