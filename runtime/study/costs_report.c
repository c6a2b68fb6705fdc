/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What operations and lines cost, in a report.
 */
#include "study/machine_file.h"

static plussi_datum cycles(const plussi_measured *m)
{
    return m->spread > 0 ? plussi_d_measured(m->value, m->spread) : plussi_d_real(m->value);
}

static void report_pages(const plussi_machine_costs *costs, plussi_document *document)
{
    static const plussi_heading step[] = {
        {.key = "reach", .label = "after pages", .show = PLUSSI_AS_NUMBER},
        {.key = "cycles", .label = "cycles more", .show = PLUSSI_AS_GENERAL, .digits = 3}};
    if (!costs->n_page_steps)
        return;
    plussi_add_figure(document->root, "page_bytes", "pages", PLUSSI_AS_NUMBER, 0, "bytes",
                      plussi_d_count(costs->page_bytes));
    plussi_table *pages =
        plussi_add_table(document->root, "pages", step, sizeof step / sizeof *step);
    for (size_t i = 0; i < costs->n_page_steps; i++)
        plussi_add_row(pages, (plussi_datum[]){plussi_d_count(costs->page_step[i].reach),
                                               cycles(&costs->page_step[i].cycles)});
}

static void report_teams(const plussi_machine_costs *costs, plussi_document *document)
{
    static const plussi_heading team[] = {
        {.key = "threads", .label = "threads", .show = PLUSSI_AS_NUMBER},
        {.key = "start", .label = "parallel construct", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.key = "barrier", .label = "barrier", .show = PLUSSI_AS_GENERAL, .digits = 3}};
    if (!costs->n_team_costs)
        return;
    plussi_table *teams =
        plussi_add_table(document->root, "teams", team, sizeof team / sizeof *team);
    for (size_t i = 0; i < costs->n_team_costs; i++) {
        const plussi_team_cost *t = &costs->team_cost[i];
        plussi_add_row(teams, (plussi_datum[]){plussi_d_count(t->threads), cycles(&t->start),
                                               cycles(&t->barrier)});
    }
}

static void report_bursts(const plussi_machine_costs *costs, plussi_document *document)
{
    static const plussi_heading burst[] = {
        {.key = "name", .label = "strided lines from"},
        {.key = "lines", .label = "in bursts of", .show = PLUSSI_AS_NUMBER},
        {.key = "cycles", .label = "cycles", .show = PLUSSI_AS_GENERAL, .digits = 3}};
    plussi_table *bursts = NULL;
    for (size_t i = 0; i < costs->n; i++)
        for (size_t k = 0; k < costs->server[i].n_bursts; k++) {
            const plussi_burst_cost *b = &costs->server[i].burst[k];
            if (!bursts)
                bursts =
                    plussi_add_table(document->root, "bursts", burst, sizeof burst / sizeof *burst);
            plussi_add_row(bursts, (plussi_datum[]){plussi_d_text(costs->server[i].name),
                                                    plussi_d_count(b->lines), cycles(&b->cycles)});
        }
}

static void report_transfer(const plussi_machine_costs *costs, plussi_document *document)
{
    static const plussi_heading transfer[] = {
        {.key = "latency", .label = "latency", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.key = "stream", .label = "stream", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.key = "strided", .label = "strided", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.key = "scattered", .label = "scattered", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.key = "upgrade", .label = "upgrade", .show = PLUSSI_AS_GENERAL, .digits = 3}};
    const plussi_transfer_cost *t = &costs->transfer;
    if (!(t->latency.value > 0))
        return;
    plussi_table *table =
        plussi_add_table(document->root, "transfers", transfer, sizeof transfer / sizeof *transfer);
    plussi_add_row(
        table, (plussi_datum[]){cycles(&t->latency), cycles(&t->line[PLUSSI_PATTERN_STREAM]),
                                cycles(&t->line[PLUSSI_PATTERN_STRIDED]),
                                cycles(&t->line[PLUSSI_PATTERN_SCATTERED]), cycles(&t->upgrade)});
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
        {.key = "shared", .label = "shared", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.key = "written", .label = "written", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.key = "held", .label = "held", .show = PLUSSI_AS_POINTS, .digits = 0, .unit = "%"}};
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
                                        plussi_d_if(s->shared.value > 0, cycles(&s->shared)),
                                        plussi_d_if(i > 0, cycles(&s->written)),
                                        plussi_d_if(i + 1 < costs->n, plussi_d_real(s->held))});
    }
    report_bursts(costs, document);
    report_pages(costs, document);
    report_teams(costs, document);
    report_transfer(costs, document);
}
