/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "report/sink.h"
#include "report/suspect.h"

enum { MOST_PARTS = 8 };              /* references a level, for people, and */
static const double least_rest = .05; /* the part of the misses that may be left to the others */

static plussi_hierarchy alone(const plussi_level_result *l)
{
    return (plussi_hierarchy){.line_bytes = l->id.line_bytes, .n = 1, .level = {l->level}};
}

static plussi_datum known(double value)
{
    return isfinite(value) ? plussi_d_real(value) : plussi_d_null();
}

/* ---- for programs ----------------------------------------------------------------------------
 */

static void put_misses(const plussi_misses *m, double accesses, uint32_t line_bytes,
                       plussi_section *section)
{
    plussi_add_member(section, "requests", plussi_d_real(m->requests));
    plussi_add_member(section, "misses", plussi_d_real(m->all));
    plussi_add_member(
        section, "miss_ratio",
        plussi_d_measured(m->all / accesses, m->error < 0 ? -1 : m->error / accesses));
    plussi_add_member(section, "misses_after_other_thread", known(m->after_other));
    plussi_section *kinds = plussi_add_section(section, "kinds", NULL);
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        plussi_add_member(kinds, plussi_miss_kind_key((plussi_miss_kind)k),
                          plussi_d_real(m->kind[k]));
    plussi_add_member(section, "bytes_fetched", plussi_d_real(m->fetched * line_bytes));
    plussi_add_member(
        section, "bytes_written_back",
        plussi_d_measured(m->written_back * line_bytes, m->written_back_error * line_bytes));
}

static void put_rival(const plussi_level_part *p, plussi_section *part)
{
    if (!p->rival)
        return;
    plussi_section *rival = plussi_add_section(part, "conflicts_with", NULL);
    plussi_add_member(rival, "array", plussi_d_text(p->rival));
    plussi_add_member(rival, "misses", plussi_d_real(p->rival_misses));
    plussi_add_member(rival, "row_bytes", plussi_d_if(p->pad_bytes, plussi_d_count(p->row_bytes)));
    plussi_add_member(rival, "column_sets",
                      plussi_d_if(p->pad_bytes, plussi_d_count(p->column_sets)));
    plussi_add_member(rival, "pad_bytes", plussi_d_if(p->pad_bytes, plussi_d_count(p->pad_bytes)));
}

static void put_steps(const plussi_level_part *p, plussi_section *part)
{
    if (!p->least_step_loop)
        return;
    plussi_add_member(part, "step_bytes", plussi_d_integer(p->step_bytes));
    plussi_section *least = plussi_add_section(part, "least_step", NULL);
    plussi_add_member(least, "loop", plussi_d_text(p->least_step_loop));
    plussi_add_member(least, "bytes", plussi_d_integer(p->least_step_bytes));
}

/* A part of the level's misses. */
static void put_part(const plussi_level_result *l, const plussi_misses *m, plussi_section *section)
{
    put_misses(m, l->accesses, l->id.line_bytes, section);
    plussi_add_member(section, "share",
                      plussi_d_real(l->misses.all > 0 ? m->all / l->misses.all : 0));
}

static void put_groups(const plussi_level_result *l, plussi_grouping by, plussi_section *section)
{
    plussi_level_group g;
    plussi_section *list =
        plussi_add_list(section, by == PLUSSI_BY_ARRAY ? "by_array" : "by_loop", false);
    for (size_t i = 0; plussi_level_get_group(l, by, i, &g); i++) {
        const plussi_level_part *first = g.first;
        plussi_section *group = plussi_add_section(list, "", NULL);
        if (by == PLUSSI_BY_ARRAY) {
            plussi_add_member(group, "array", plussi_d_text(first->array));
            plussi_add_member(
                group, "written_by",
                plussi_d_if(g.misses.kind[PLUSSI_MISS_FALSE_SHARING] > 0,
                            plussi_d_text(plussi_writers_text(section->document, l, first))));
        } else {
            plussi_add_member(group, "loop", plussi_d_text(first->loop));
            plussi_add_member(
                group, "place",
                plussi_d_place(first->loop_line ? first->site.file : NULL, first->loop_line, 0));
        }
        plussi_add_member(group, "references", plussi_d_count(g.n));
        put_part(l, &g.misses, group);
    }
}

static void put_threads(const plussi_level_result *l, plussi_section *section)
{
    plussi_section *list = l->n_threads ? plussi_add_list(section, "by_thread", false) : NULL;
    for (size_t i = 0; i < l->n_threads; i++) {
        plussi_section *thread = plussi_add_section(list, "", NULL);
        plussi_add_member(thread, "thread", plussi_d_count(i));
        put_part(l, &l->thread[i], thread);
    }
}

static const char no_inclusion[] =
    "levels before lose what it replaces: the misses that this makes there are not predicted, only "
    "simulated";

static void put_level(const plussi_level_result *l, plussi_section *section)
{
    const plussi_hierarchy h = alone(l);
    plussi_report_identity(&l->id, section);
    if (l->without_inclusion)
        plussi_add_note(section, PLUSSI_WARNING, NULL, "%s is inclusive: %s", l->level.name,
                        no_inclusion);
    plussi_add_member(section, "name", plussi_d_text(l->level.name));
    plussi_add_member(section, "bytes", plussi_d_count(l->level.bytes));
    plussi_add_member(section, "ways", plussi_d_count(plussi_level_ways(&h, 0)));
    plussi_add_member(section, "ways_from",
                      plussi_d_text(plussi_ways_from_name(l->level.ways_from)));
    plussi_add_member(section, "sets", plussi_d_count(plussi_level_sets(&h, 0)));
    plussi_add_member(section, "inclusion",
                      plussi_d_text(plussi_inclusion_name(l->level.inclusion)));
    plussi_add_member(section, "hashed", plussi_d_boolean(l->level.hashed));
    plussi_add_member(section, "page_bytes",
                      plussi_d_if(l->level.page_bytes, plussi_d_count(l->level.page_bytes)));
    plussi_add_member(section, "write_through", plussi_d_boolean(l->level.write_through));
    plussi_add_member(section, "write_allocate", plussi_d_boolean(!l->level.no_write_allocate));
    plussi_add_member(section, "point", plussi_d_if(l->n_points > 1, plussi_d_count(l->point)));
    plussi_add_member(section, "accesses", plussi_d_real(l->accesses));
    if (l->instructions > 0) {
        plussi_add_member(section, "instructions", plussi_d_real(l->instructions));
        plussi_add_member(section, "mpki", plussi_d_real(1000 * l->misses.all / l->instructions));
    }
    put_misses(&l->misses, l->accesses, l->id.line_bytes, section);
    plussi_section *parts = plussi_add_list(section, "by_reference", false);
    for (size_t i = 0; i < l->n_parts; i++) {
        plussi_section *part = plussi_add_section(parts, "", NULL);
        plussi_report_site(&l->part[i].site, l->part[i].loop, part);
        plussi_add_member(part, "loop_line",
                          plussi_d_if(l->part[i].loop_line, plussi_d_count(l->part[i].loop_line)));
        plussi_add_member(part, "array", plussi_d_text(l->part[i].array));
        put_part(l, &l->part[i].misses, part);
        put_rival(&l->part[i], part);
        put_steps(&l->part[i], part);
    }
    put_groups(l, PLUSSI_BY_ARRAY, section);
    put_groups(l, PLUSSI_BY_INNERMOST_LOOP, section);
    put_threads(l, section);
    plussi_section *lost = l->n_lost ? plussi_add_list(section, "lost_reuses", false) : NULL;
    for (size_t i = 0; i < l->n_lost; i++)
        plussi_report_reuse(&l->lost[i], plussi_add_section(lost, "", NULL));
}

/* Points of a sweep, level by level: element k is level k % levels of point k / levels. */
typedef struct sweep {
    const plussi_level_result *level;
    size_t n_levels, n_points;
} sweep;

static const plussi_level_result *sweep_at(const sweep *s, size_t level, size_t point)
{
    return &s->level[point * s->n_levels + level];
}

static void put_point(const plussi_level_result *l, plussi_table *points)
{
    const plussi_misses *m = &l->misses;
    const plussi_hierarchy h = alone(l);
    const double line = l->id.line_bytes;
    plussi_add_row(
        points,
        (plussi_datum[]){
            plussi_d_count(l->point), plussi_d_text(l->level.name), plussi_d_count(l->level.bytes),
            plussi_d_count(plussi_level_ways(&h, 0)), plussi_d_count(plussi_level_sets(&h, 0)),
            plussi_d_count(l->id.line_bytes),
            plussi_d_count(l->id.threads_per_cache ? l->id.threads_per_cache : l->id.team),
            plussi_d_real(m->requests), plussi_d_real(m->all), plussi_d_real(m->all / l->accesses),
            plussi_d_if(m->error >= 0, plussi_d_real(m->error / l->accesses)),
            plussi_d_real(m->kind[PLUSSI_MISS_COLD]), plussi_d_real(m->kind[PLUSSI_MISS_CAPACITY]),
            plussi_d_real(m->kind[PLUSSI_MISS_CONFLICT]),
            plussi_d_real(m->kind[PLUSSI_MISS_TRUE_SHARING]),
            plussi_d_real(m->kind[PLUSSI_MISS_FALSE_SHARING]), known(m->fetched * line),
            known(m->written_back * line),
            plussi_d_if(m->written_back_error >= 0 && isfinite(m->written_back),
                        plussi_d_real(m->written_back_error * line))});
}

static void put_sweep(const sweep *s, plussi_section *section)
{
    static const plussi_heading column[] = {{.key = "point"},
                                            {.key = "name"},
                                            {.key = "bytes"},
                                            {.key = "ways"},
                                            {.key = "sets"},
                                            {.key = "line_bytes"},
                                            {.key = "threads_per_cache"},
                                            {.key = "requests"},
                                            {.key = "misses"},
                                            {.key = "miss_ratio"},
                                            {.key = "miss_ratio_error"},
                                            {.key = "cold"},
                                            {.key = "capacity"},
                                            {.key = "conflict"},
                                            {.key = "true_sharing"},
                                            {.key = "false_sharing"},
                                            {.key = "bytes_fetched"},
                                            {.key = "bytes_written_back"},
                                            {.key = "bytes_written_back_error"}};
    plussi_report_program(&s->level->id, section);
    plussi_add_member(section, "accesses", plussi_d_real(s->level->accesses));
    plussi_table *points =
        plussi_add_table(section, "points", column, sizeof column / sizeof *column);
    for (size_t l = 0; l < s->n_levels; l++)
        for (size_t p = 0; p < s->n_points; p++)
            put_point(sweep_at(s, l, p), points);
}

/* ---- for people ------------------------------------------------------------------------------
 */

/* "L1, each thread's"; "L2, 4 threads'"; "L3". */
static const char *level_text(plussi_document *document, const plussi_level_result *l)
{
    uint32_t n = l->id.threads_per_cache;
    return n == 0   ? l->level.name
           : n == 1 ? plussi_document_text(document, "%s, each thread's", l->level.name)
                    : plussi_document_text(document, "%s, %u threads'", l->level.name, n);
}

static plussi_datum count_of(double n)
{
    return isfinite(n) ? plussi_d_count((uint64_t)llround(n)) : plussi_d_null();
}

/* Kinds that some level has, or that is not known of some. */
static bool is_shown(const sweep *s, int kind)
{
    for (size_t i = 0; i < s->n_levels * s->n_points; i++)
        if (!(s->level[i].misses.kind[kind] <= 0))
            return true;
    return false;
}

static bool has_lines(const sweep *s)
{
    return sweep_at(s, 0, s->n_points - 1)->id.line_bytes != s->level->id.line_bytes;
}

enum { MOST_COLUMNS = 16 };

/* The level whose ways change from point to point; NULL: there is none. */
static const plussi_cache_level *find_swept(const sweep *s)
{
    for (size_t k = 0; k < s->n_levels * s->n_points; k++)
        if (s->level[k].level.ways != s->level[k % s->n_levels].level.ways)
            return &s->level[k % s->n_levels].level;
    return NULL;
}

static plussi_datum ways_of(const plussi_level_result *l)
{
    return l->level.ways ? plussi_d_count(l->level.ways) : plussi_d_text("full");
}

/* Level by level. */
static void add_levels(plussi_section *section, const sweep *s)
{
    const bool lines = has_lines(s);
    const plussi_cache_level *swept = s->n_levels > 1 ? find_swept(s) : NULL;
    plussi_heading column[MOST_COLUMNS] = {
        {.label = "cache", .repeat = true},
        {.label = "size", .show = PLUSSI_AS_BYTES},
        {.label = "ways", .show = PLUSSI_AS_NUMBER},
    };
    size_t columns = 3;
    if (s->n_points > 1)
        column[1].repeat = column[2].repeat = true;
    if (swept)
        column[columns++] =
            (plussi_heading){.label = plussi_document_text(section->document, "of %s", swept->name),
                             .show = PLUSSI_AS_NUMBER,
                             .repeat = true};
    if (lines)
        column[columns++] =
            (plussi_heading){.label = "line", .show = PLUSSI_AS_BYTES, .repeat = true};
    column[columns++] = (plussi_heading){.label = "requests", .show = PLUSSI_AS_COUNT};
    column[columns++] = (plussi_heading){.label = "misses", .show = PLUSSI_AS_COUNT};
    column[columns++] = (plussi_heading){
        .label = "of accesses", .show = PLUSSI_AS_POINTS, .digits = 2, .unit = "%"};
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        if (is_shown(s, k))
            column[columns++] =
                (plussi_heading){.label = plussi_miss_kind_name(k), .show = PLUSSI_AS_COUNT};
    column[columns++] = (plussi_heading){.label = "fetched", .show = PLUSSI_AS_BYTES};
    column[columns++] = (plussi_heading){.label = "written back", .show = PLUSSI_AS_BYTES};
    plussi_table *table = plussi_add_table(section, NULL, column, columns);
    for (size_t i = 0; i < s->n_levels * s->n_points; i++) {
        const plussi_level_result *l = sweep_at(s, i / s->n_points, i % s->n_points);
        const plussi_misses *m = &l->misses;
        size_t c = 3;
        plussi_datum cell[MOST_COLUMNS] = {
            plussi_d_text(level_text(section->document, l)),
            plussi_d_count(l->level.bytes),
            ways_of(l),
        };
        for (size_t k = 0; swept && k < s->n_levels; k++)
            if (strcmp(sweep_at(s, k, i % s->n_points)->level.name, swept->name) == 0)
                cell[c++] = ways_of(sweep_at(s, k, i % s->n_points));
        if (lines)
            cell[c++] = plussi_d_count(l->id.line_bytes);
        cell[c++] = count_of(m->requests);
        cell[c++] = count_of(m->all);
        cell[c++] =
            plussi_d_measured(m->all / l->accesses, m->error < 0 ? -1 : m->error / l->accesses);
        for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
            if (is_shown(s, k))
                cell[c++] = count_of(m->kind[k]);
        cell[c++] = count_of(m->fetched * l->id.line_bytes);
        cell[c++] = isnan(m->written_back)
                        ? plussi_d_null()
                        : plussi_d_measured(m->written_back * l->id.line_bytes,
                                            m->written_back_error * l->id.line_bytes);
        plussi_add_row(table, cell);
    }
}

static void add_instructions(plussi_section *section, const plussi_level_result *level, size_t n)
{
    const char *text = "";
    char number[PLUSSI_NUMBER];
    if (n == 0 || level->instructions <= 0)
        return;
    for (size_t i = 0; i < n; i++) {
        plussi_text_fixed(number, 1000 * level[i].misses.all / level->instructions, 2);
        text = plussi_document_text(section->document, "%s%s %s %s", text, i ? "," : "",
                                    level[i].level.name, number);
    }
    plussi_text_grouped(number, (uint64_t)llround(fmin(level->instructions, 9e18)));
    plussi_add_line(section, "misses per 1,000 of %s instructions:%s", number, text);
}

static void add_inclusion(plussi_section *section, const plussi_level_result *level, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (level[i].without_inclusion)
            plussi_add_line(section, "%s is inclusive: %s", level[i].level.name, no_inclusion);
}

/* Where the ways of levels are from that their description leaves out. */
static void add_ways(plussi_section *section, const plussi_level_result *level, size_t n)
{
    const char *unknown = "";
    for (size_t i = 0; i < n; i++) {
        const plussi_cache_level *l = &level[i].level;
        if (l->ways_from == PLUSSI_WAYS_MACHINE && l->ways)
            plussi_add_line(section, "%s: no ways given; %u, as the machine's", l->name, l->ways);
        else if (l->ways_from == PLUSSI_WAYS_MACHINE)
            plussi_add_line(section, "%s: no ways given; fully associative, as the machine's",
                            l->name);
        else if (l->ways_from == PLUSSI_WAYS_UNKNOWN)
            unknown = plussi_document_text(section->document, "%s%s%s", unknown,
                                           *unknown ? ", " : "", l->name);
    }
    if (*unknown)
        plussi_add_line(section, "%s: ways not known; taken as fully associative", unknown);
}

/* Some of a level's misses, and whose they are. */
typedef struct level_share {
    plussi_level_part part; /* of an array: its misses alone */
    size_t number;
    const char *text;
} level_share;

static int by_misses(const void *a, const void *b)
{
    const level_share *x = a, *y = b;
    if (x->part.misses.all != y->part.misses.all)
        return x->part.misses.all > y->part.misses.all ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* "60 % capacity"; "99 % conflict, with B"; "": not known. */
static const char *main_kind(plussi_document *document, const plussi_level_part *part)
{
    const plussi_misses *m = &part->misses;
    char share[PLUSSI_NUMBER];
    int most = -1;
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        if (m->kind[k] > 0 && (most < 0 || m->kind[k] > m->kind[most]))
            most = k;
    if (most < 0)
        return "";
    plussi_text_fixed(share, 100 * m->kind[most] / m->all, 0);
    const char *rival = most == PLUSSI_MISS_CONFLICT ? part->rival : NULL;
    return plussi_document_text(document, "%s %% %s%s%s", share, plussi_miss_kind_name(most),
                                rival ? ", with " : "", rival ? rival : "");
}

/* Longer rows would end a tenth of the level's misses. */
static bool is_worth_padding(const plussi_level_result *l, const plussi_level_part *p)
{
    return p->pad_bytes && 10 * p->rival_misses >= l->misses.all;
}

/* Rows that bring columns into few sets, once for each array. */
static void add_padding(plussi_section *section, const plussi_level_result *l)
{
    for (size_t i = 0; i < l->n_parts; i++) {
        const plussi_level_part *p = &l->part[i];
        bool worth = is_worth_padding(l, p);
        for (size_t k = 0; k < i && worth; k++)
            worth = !is_worth_padding(l, &l->part[k]) || strcmp(l->part[k].rival, p->rival) != 0;
        if (!worth)
            continue;
        const plussi_hierarchy h = alone(l);
        char row[PLUSSI_NUMBER], pad[PLUSSI_NUMBER];
        plussi_text_bytes(row, p->row_bytes);
        plussi_text_bytes(pad, p->pad_bytes);
        const char *rows = p->columns ? "columns" : "rows";
        plussi_add_line(section,
                        "%s: %s of %s are %s apart, so that a %s falls into %llu of %llu sets; "
                        "with %s longer by %s it falls into all of them",
                        l->level.name, rows, p->rival, row, p->columns ? "row" : "column",
                        (unsigned long long)p->column_sets,
                        (unsigned long long)plussi_level_sets(&h, 0), rows, pad);
    }
}

/* By reference, or by array where several references have one. How many there are. */
static size_t find_shares(plussi_document *document, const plussi_level_result *l, bool by_array,
                          level_share *out)
{
    plussi_level_group g;
    size_t n = 0;
    for (; !by_array && n < l->n_parts; n++)
        out[n] = (level_share){l->part[n], n, plussi_reference_text(document, &l->part[n])};
    for (; by_array && plussi_level_get_group(l, PLUSSI_BY_ARRAY, n, &g); n++)
        out[n] = (level_share){{.misses = g.misses}, n, g.first->array ? g.first->array : "?"};
    qsort(out, n, sizeof *out, by_misses);
    return n;
}

/* Those that most of the misses of a level are of. */
static void add_shares(plussi_table *table, const plussi_level_result *l, const level_share *s,
                       size_t n)
{
    double rest = l->misses.all;
    for (size_t k = 0;
         k < n && k < MOST_PARTS && rest > least_rest * l->misses.all && s[k].part.misses.all > 0;
         k++) {
        const plussi_misses *m = &s[k].part.misses;
        rest -= m->all;
        const plussi_datum other =
            isfinite(m->after_other) ? plussi_d_real(m->after_other / m->all) : plussi_d_null();
        plussi_add_row(
            table, (plussi_datum[]){plussi_d_text(l->level.name), count_of(m->all),
                                    plussi_d_measured(m->all / l->misses.all,
                                                      m->error < 0 ? -1 : m->error / l->misses.all),
                                    plussi_d_real(m->all / m->requests),
                                    count_of(m->fetched * l->id.line_bytes),
                                    plussi_d_text(main_kind(table->document, &s[k].part)),
                                    plussi_d_text(s[k].text), other});
    }
}

static size_t count_groups(const plussi_level_result *l, plussi_grouping by)
{
    plussi_level_group g;
    size_t n = 0;
    while (plussi_level_get_group(l, by, n, &g))
        n++;
    return n;
}

/* Some misses are after another thread's touch. */
static bool follow_others(const plussi_level_result *level, size_t n)
{
    bool found = false;
    for (size_t i = 0; i < n && !found; i++)
        found = level[i].misses.after_other > 0;
    return found;
}

/* By level, the references or arrays that most of the misses are of. */
static void add_parts(plussi_section *section, const plussi_level_result *level, size_t n,
                      bool by_array)
{
    const plussi_heading column[] = {
        {.label = "cache", .repeat = true},
        {.label = "misses", .show = PLUSSI_AS_COUNT},
        {.label = "share", .show = PLUSSI_AS_POINTS, .digits = 1, .unit = "%"},
        {.label = "miss ratio", .show = PLUSSI_AS_POINTS, .digits = 2, .unit = "%"},
        {.label = "fetched", .show = PLUSSI_AS_BYTES},
        {.label = "kind"},
        {.label = by_array ? "array" : "reference"},
        {.label = "after others", .show = PLUSSI_AS_POINTS, .digits = 0, .unit = "%"},
    };
    plussi_document *document = section->document;
    size_t arrays = count_groups(level, PLUSSI_BY_ARRAY);
    if (by_array && (arrays < 2 || arrays == level->n_parts)) /* nothing new */
        return;
    plussi_table *table = plussi_add_table(
        section, NULL, column, sizeof column / sizeof *column - !follow_others(level, n));
    for (size_t i = 0; i < n; i++) {
        level_share *s = NULL;
        if (!document->status) /* else it may be that of no section */
            s = plussi_arena_alloc(&document->arena, level[i].n_parts + 1, sizeof *s);
        if (s)
            add_shares(table, &level[i], s, find_shares(document, &level[i], by_array, s));
        else if (!document->status)
            document->status = PLUSS_ENOMEM;
    }
}

/* Arrays of which false sharing makes a good part of a level's misses, and who writes them. */
static void add_writers(plussi_section *section, const plussi_level_result *l)
{
    plussi_level_group g;
    for (size_t i = 0; plussi_level_get_group(l, PLUSSI_BY_ARRAY, i, &g); i++)
        if (g.misses.kind[PLUSSI_MISS_FALSE_SHARING] > least_rest * l->misses.all)
            plussi_add_line(section, "%s: false sharing of lines of %s, written by %s",
                            l->level.name, g.first->array ? g.first->array : "?",
                            plussi_writers_text(section->document, l, g.first));
}

/* Levels from number i on that are of one prediction or simulation. */
static size_t count_alike(const plussi_result *result, size_t i)
{
    size_t n = 1;
    while (i + n < result->n_levels && result->level[i + n].id.team == result->level[i].id.team &&
           plussi_same_text(result->level[i + n].id.region, result->level[i].id.region) &&
           strcmp(result->level[i + n].level.name, result->level[i].level.name) != 0)
        n++;
    return n;
}

/* The levels from number i on, and as many points as are there. */
static sweep find_sweep(const plussi_result *result, size_t i)
{
    const plussi_level_result *first = &result->level[i];
    sweep s = {first, count_alike(result, i), 1};
    size_t most = (result->n_levels - i) / s.n_levels;
    while (s.n_points < first->n_points && s.n_points < most &&
           sweep_at(&s, 0, s.n_points)->point == s.n_points)
        s.n_points++;
    return s;
}

/* " by ways of L1", " by lines": what changes from point to point. */
static const char *sweep_text(plussi_document *document, const sweep *s)
{
    const plussi_cache_level *swept = find_swept(s);
    return s->n_points == 1 ? ""
           : !swept         ? " by size of lines"
                            : plussi_document_text(document, " by %sways of %s",
                                           has_lines(s) ? "size of lines and " : "", swept->name);
}

/* Whose the misses are. */
static void add_details(plussi_section *section, const sweep *s)
{
    const plussi_level_result *first = s->level;
    add_parts(section, first, s->n_levels, false);
    add_parts(section, first, s->n_levels, true);
    add_writers(section, first);
    for (size_t k = 0; k < s->n_levels; k++)
        add_padding(section, &first[k]);
}

void plussi_report_levels(const plussi_result *result, bool details, plussi_document *document)
{
    plussi_section *sweeps = NULL;
    if (!result->n_levels)
        return;
    plussi_section *list = plussi_add_list(document->root, "levels", false);
    for (size_t i = 0; i < result->n_levels; i++)
        put_level(&result->level[i], plussi_add_section(list, "", NULL));
    for (size_t i = 0; i < result->n_levels;) {
        const plussi_level_result *first = &result->level[i];
        const sweep s = find_sweep(result, i);
        i += s.n_levels * s.n_points;
        if (s.n_points == 1 && !details)
            continue;
        plussi_section *section = plussi_add_section(
            document->root, NULL,
            plussi_document_text(document, "%s, T = %u: caches%s, %s", first->id.region,
                                 first->id.team, sweep_text(document, &s),
                                 first->id.simulated ? "simulated" : "predicted"));
        add_levels(section, &s);
        add_instructions(section, first, s.n_points == 1 ? s.n_levels : 0);
        add_ways(section, first, s.n_levels);
        add_inclusion(section, first, s.n_levels);
        if (s.n_points > 1) {
            sweeps = sweeps ? sweeps : plussi_add_list(document->root, "sweeps", false);
            put_sweep(&s, plussi_add_section(sweeps, "", NULL));
        } else {
            add_details(section, &s);
        }
    }
}
