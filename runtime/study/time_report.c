/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/time_study.h"

#include "report/overview.h"

/* What binds, as people say it: "latency of L2". */
static const char *bound_text(plussi_document *document, const plussi_machine_costs *costs,
                              plussi_bound_by by, size_t server)
{
    const char *name = plussi_bound_by_name(by);
    return by == PLUSSI_BOUND_LEVEL || by == PLUSSI_BOUND_SHARED
               ? plussi_document_text(document, "%s of %s", name, costs->server[server].name)
               : name;
}

static plussi_datum level_datum(const plussi_machine_costs *costs, plussi_bound_by by,
                                size_t server)
{
    return plussi_d_if(by == PLUSSI_BOUND_LEVEL || by == PLUSSI_BOUND_SHARED,
                       plussi_d_text(costs->server[server].name));
}

/* Columns "L2 s", ..., "memory s" after those that there are, for people. */
static size_t add_servers(plussi_document *document, const plussi_machine_costs *costs,
                          plussi_heading *column, size_t n)
{
    for (size_t k = 1; k < costs->n; k++)
        column[n++] =
            (plussi_heading){.label = plussi_document_text(document, "%s s", costs->server[k].name),
                             .show = PLUSSI_AS_GENERAL,
                             .digits = 3};
    return n;
}

static void report_curve(const plussi_times *times, const plussi_region_time *region,
                         plussi_document *document, plussi_section *section)
{
    plussi_heading column[12 + PLUSSI_SERVERS_MOST] = {
        {.key = "threads", .label = "threads", .show = PLUSSI_AS_NUMBER},
        {.key = "time_s", .label = "time s", .show = PLUSSI_AS_GENERAL, .digits = 4},
        {.key = "speedup", .label = "speed-up", .show = PLUSSI_AS_NUMBER, .digits = 2},
        {.key = "imbalance", .label = "imbalance", .show = PLUSSI_AS_NUMBER, .digits = 3},
        {.label = "binds"},
        {.key = "binds"},
        {.key = "binds_level"},
        {.key = "core_s", .label = "core s", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.key = "dependences_s", .label = "dependences s", .show = PLUSSI_AS_GENERAL, .digits = 3}};
    size_t n = add_servers(document, &times->costs, column, 9);
    if (times->costs.n_page_steps)
        column[n++] = (plussi_heading){.key = "translation_s",
                                       .label = "translation s",
                                       .show = PLUSSI_AS_GENERAL,
                                       .digits = 3};
    if (times->costs.n_team_costs)
        column[n++] = (plussi_heading){
            .key = "barriers_s", .label = "barriers s", .show = PLUSSI_AS_GENERAL, .digits = 3};
    if (times->costs.transfer.latency.value > 0)
        column[n++] = (plussi_heading){
            .key = "transfers_s", .label = "transfers s", .show = PLUSSI_AS_GENERAL, .digits = 3};
    plussi_table *table = plussi_add_table(section, "teams", column, n);
    for (size_t i = 0; i < region->n_teams; i++) {
        const plussi_team_time *t = &region->team[i];
        plussi_datum row[12 + PLUSSI_SERVERS_MOST] = {
            plussi_d_count(t->team),
            plussi_d_measured(t->seconds, t->error),
            plussi_d_real(t->speedup),
            plussi_d_real(t->imbalance),
            plussi_d_text(bound_text(document, &times->costs, t->by, t->by_server)),
            plussi_d_text(plussi_bound_by_name(t->by)),
            level_datum(&times->costs, t->by, t->by_server),
            plussi_d_real(t->core),
            plussi_d_real(t->chain)};
        for (size_t k = 1; k < times->costs.n; k++)
            row[8 + k] = plussi_d_real(t->server[k]);
        size_t next = 8 + times->costs.n;
        if (times->costs.n_page_steps)
            row[next++] = plussi_d_real(t->pages);
        if (times->costs.n_team_costs)
            row[next++] = plussi_d_real(t->barriers);
        if (times->costs.transfer.latency.value > 0)
            row[next] = plussi_d_real(t->transfers);
        plussi_add_row(table, row);
    }
}

/* The same seconds of levels, for programs. */
static void report_levels(const plussi_times *times, const plussi_team_time *team,
                          plussi_section *section)
{
    static const plussi_heading columns[] = {{.key = "name"}, {.key = "time_s"}};
    plussi_table *table =
        plussi_add_table(section, "levels", columns, sizeof columns / sizeof *columns);
    for (size_t k = 1; k < times->costs.n; k++)
        plussi_add_row(table, (plussi_datum[]){plussi_d_text(times->costs.server[k].name),
                                               plussi_d_real(team->server[k])});
}

static void report_loops(const plussi_times *times, const plussi_team_time *team,
                         plussi_document *document, plussi_section *section)
{
    static const plussi_heading columns[] = {
        {.key = "loop", .label = "loop"},
        {.key = "place", .label = "at", .show = PLUSSI_AS_PLACE},
        {.key = "time_s", .label = "time s", .show = PLUSSI_AS_GENERAL, .digits = 4},
        {.key = "share", .label = "of all", .show = PLUSSI_AS_POINTS, .digits = 1, .unit = "%"},
        {.label = "binds"},
        {.key = "binds"},
        {.key = "binds_level"}};
    plussi_table *table =
        plussi_add_table(section, "loops", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < team->n_loops; i++) {
        const plussi_loop_time *l = &team->loop[i];
        const plussi_block_time *c = &l->cycles;
        plussi_add_row(table,
                       (plussi_datum[]){
                           plussi_d_text(l->loop),
                           plussi_d_place(l->place.file, l->place.line, l->place.col),
                           plussi_d_measured(l->seconds, l->error),
                           plussi_d_real(team->seconds > 0 ? l->seconds / team->seconds : 0),
                           plussi_d_text(bound_text(document, &times->costs, c->by, c->by_server)),
                           plussi_d_text(plussi_bound_by_name(c->by)),
                           level_datum(&times->costs, c->by, c->by_server)});
    }
}

static void report_lines(const plussi_team_time *team, plussi_document *document,
                         plussi_section *section)
{
    static const plussi_heading columns[] = {
        {.key = "place", .label = "line", .show = PLUSSI_AS_PLACE},
        {.key = "core_s", .label = "core s", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.key = "memory_s", .label = "memory s", .show = PLUSSI_AS_GENERAL, .digits = 3},
        {.key = "text", .label = ""}};
    if (!team->n_lines)
        return;
    plussi_table *table =
        plussi_add_table(section, "lines", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < team->n_lines; i++) {
        const plussi_line_time *l = &team->line[i];
        const char *text = plussi_source_line(document, l->place.file, l->place.line);
        plussi_add_row(table, (plussi_datum[]){plussi_d_place(l->place.file, l->place.line, 0),
                                               plussi_d_real(l->core), plussi_d_real(l->memory),
                                               plussi_d_if(text, plussi_d_text(text))});
    }
}

static void report_region(const plussi_times *times, const plussi_region_time *region,
                          plussi_document *document, plussi_section *list)
{
    plussi_section *section = plussi_add_section(list, "region", region->region);
    plussi_add_field(section, (plussi_heading){.key = "region", .identifies = true},
                     plussi_d_text(region->region));
    plussi_add_figure(
        section, "place", "at", PLUSSI_AS_PLACE, 0, NULL,
        plussi_d_if(region->place.file || region->place.line,
                    plussi_d_place(region->place.file, region->place.line, region->place.col)));
    plussi_add_member(section, "operations_counted", plussi_d_boolean(region->counted));
    report_curve(times, region, document, section);
    plussi_section *teams = plussi_add_list(section, "details", true);
    for (size_t i = 0; i < region->n_teams; i++) {
        const plussi_team_time *t = &region->team[i];
        plussi_section *one = plussi_add_section(
            teams, "team",
            plussi_document_text(document, "%u thread%s", t->team, t->team == 1 ? "" : "s"));
        plussi_add_field(one, (plussi_heading){.key = "threads", .identifies = true},
                         plussi_d_count(t->team));
        report_levels(times, t, one);
        report_loops(times, t, document, one);
        report_lines(t, document, one);
    }
}

void plussi_times_report(const plussi_times *times, plussi_document *document)
{
    plussi_add_member(document->root, "time_model",
                      plussi_d_text(plussi_time_model_name(times->model)));
    plussi_section *list = plussi_add_list(document->root, "times", true);
    for (size_t i = 0; i < times->n; i++)
        report_region(times, &times->at[i], document, list);
}
