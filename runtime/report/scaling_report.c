/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "profile/similarity.h"
#include "report/report.h"
#include "report/sink.h"

/* The curve of the same program and lines, of that team, shared by all threads or by one; of the
 * same engine. NULL: there is none. */
static const plussi_mrc *find_other(const plussi_result *result, const plussi_identity *id,
                                    uint32_t team, uint32_t threads_per_cache)
{
    for (size_t i = 0; i < result->n; i++) {
        const plussi_identity *other = &result->curve[i].id;
        if (other->team == team && other->threads_per_cache == threads_per_cache &&
            plussi_same_text(other->region, id->region) && other->line_bytes == id->line_bytes &&
            plussi_identity_same_values(other, id) && plussi_same_text(other->engine, id->engine))
            return &result->curve[i].mrc;
    }
    return NULL;
}

static uint64_t count_bytes(const plussi_identity *id, double lines)
{
    return lines > 0 ? (uint64_t)ceil(lines) * id->line_bytes : 0;
}

static plussi_datum show_bytes(uint64_t bytes)
{
    return plussi_d_if(bytes > 0, plussi_d_count(bytes));
}

/* The curves of a program with some threads in a shared cache, in private ones, and of one thread
 * (NULL: there is none). */
typedef struct curves {
    const plussi_identity *id;
    const plussi_mrc *shared, *own, *one;
} curves;

/* false: curve number i is not that of a shared cache, or there are none of private ones. */
static bool find_curves(const plussi_result *result, size_t i, curves *out)
{
    const plussi_identity *id = &result->curve[i].id;
    if (id->team == 1 || id->threads_per_cache)
        return false;
    *out = (curves){id, &result->curve[i].mrc, find_other(result, id, id->team, 1),
                    find_other(result, id, 1, 0)};
    return out->own != NULL;
}

bool plussi_find_capacities(const plussi_result *result, size_t i, plussi_capacities *out)
{
    curves c;
    if (i >= result->n || !find_curves(result, i, &c))
        return false;
    *out = (plussi_capacities){
        .c_max = count_bytes(c.id, c.shared->size[c.shared->n - 1]),
        .c_core = c.one ? count_bytes(c.id, plussi_find_c_core(c.one, c.shared)) : 0,
        .c_share = count_bytes(c.id, plussi_find_c_share(c.shared, c.own, c.id->team))};
    return true;
}

static void add_capacities(const plussi_result *result, const plussi_latencies *latencies,
                           plussi_section *section)
{
    static const plussi_heading columns[] = {
        {.key = "region", .label = "region"},
        {.key = "values", .label = "values"},
        {.key = "engine", .label = "by"},
        {.key = "threads", .label = "T", .show = PLUSSI_AS_NUMBER},
        {.key = "c_max_bytes", .label = "C_max", .show = PLUSSI_AS_BYTES},
        {.key = "c_core_bytes", .label = "C_core", .show = PLUSSI_AS_BYTES},
        {.key = "growth_mean", .label = "dM", .show = PLUSSI_AS_NUMBER, .digits = 2},
        {.key = "growth_greatest", .label = "most", .show = PLUSSI_AS_NUMBER, .digits = 2},
        {.key = "c_share_bytes", .label = "C_share", .show = PLUSSI_AS_BYTES},
        {.key = "c_cost_bytes", .label = "C_cost", .show = PLUSSI_AS_BYTES}};
    plussi_table *table =
        plussi_add_table(section, "scaling", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < result->n; i++) {
        curves c;
        plussi_capacities found;
        if (!find_curves(result, i, &c) || !plussi_find_capacities(result, i, &found))
            continue;
        const double mib = 1048576.0 / c.id->line_bytes,
                     core = (double)(found.c_core / c.id->line_bytes),
                     cost = plussi_find_c_cost(c.shared, c.own, c.id->team, latencies);
        double mean = 0, greatest = 0;
        const bool grows =
            c.one && plussi_find_growth(c.one, c.shared, mib, core, &mean, &greatest);
        plussi_add_row(table, (plussi_datum[]){
                                  plussi_d_text(c.id->region),
                                  plussi_d_text(plussi_report_values(section->document, c.id)),
                                  plussi_d_text(c.id->engine), plussi_d_count(c.id->team),
                                  show_bytes(found.c_max), show_bytes(found.c_core),
                                  plussi_d_if(grows, plussi_d_real(mean)),
                                  plussi_d_if(grows, plussi_d_real(greatest)),
                                  show_bytes(found.c_share), show_bytes(count_bytes(c.id, cost))});
    }
}

/* ---- costs -------------------------------------------------------------------------------------
 */

static bool same_program(const plussi_identity *a, const plussi_identity *b)
{
    return plussi_same_text(a->region, b->region) && a->line_bytes == b->line_bytes &&
           plussi_identity_same_values(a, b) && plussi_same_text(a->engine, b->engine);
}

static double shared_cycles(const curves *c, double lines, const plussi_latencies *l)
{
    return plussi_mean_cycles(c->shared, lines, l->shared, l->memory);
}

static double own_cycles(const curves *c, double lines, const plussi_latencies *l)
{
    return plussi_mean_cycles(c->own, lines / c->id->team, l->own, l->memory);
}

/* Whether it is the first row that is no smaller than a capacity. */
static bool is_at(double capacity, double lines)
{
    return capacity > 0 && capacity <= lines && 2 * capacity > lines;
}

/* The cheaper of both, with its cycles; where C_core and C_share are. */
static plussi_datum tell_cheaper(plussi_document *document, const curves *c, double lines,
                                 const plussi_latencies *l)
{
    char cycles[PLUSSI_NUMBER];
    const double shared = shared_cycles(c, lines, l), own = own_cycles(c, lines, l);
    plussi_text_fixed(cycles, fmin(shared, own), 1);
    return plussi_d_text(plussi_document_text(
        document, "%s%s%s %s",
        c->one && is_at(plussi_find_c_core(c->one, c->shared), lines) ? "*" : "",
        is_at(plussi_find_c_share(c->shared, c->own, c->id->team), lines) ? "+" : "", cycles,
        shared < own ? "s" : "p"));
}

/* For people: a row for each power of two up to the largest C_max, a column for each team. */
static void show_costs(const curves *c, size_t n, const plussi_latencies *l, plussi_section *in)
{
    plussi_document *document = in->document;
    plussi_heading *columns = plussi_arena_alloc(&document->arena, n + 1, sizeof *columns);
    plussi_datum *row = plussi_arena_alloc(&document->arena, n + 1, sizeof *row);
    double last = 1;
    if (!columns || !row) {
        document->status = PLUSS_ENOMEM;
        return;
    }
    columns[0] = (plussi_heading){.label = "all caches", .show = PLUSSI_AS_BYTES, .repeat = true};
    for (size_t i = 0; i < n; i++) {
        columns[1 + i] =
            (plussi_heading){.label = plussi_document_text(document, "T = %u", c[i].id->team),
                             .show = PLUSSI_AS_NUMBER};
        last = fmax(last, fmax(c[i].shared->size[c[i].shared->n - 1],
                               c[i].id->team * c[i].own->size[c[i].own->n - 1]));
    }
    plussi_section *section = plussi_add_section(
        in, NULL,
        plussi_document_text(document, "%s%s%s, by %s: cycles of an access", c->id->region,
                             c->id->n_values ? " " : "", plussi_report_values(document, c->id),
                             c->id->engine));
    plussi_table *table = plussi_add_table(section, NULL, columns, n + 1);
    double lines = 1; /* as many as the fewest threads at least */
    while (lines < c[0].id->team)
        lines *= 2;
    for (; lines < 2 * last; lines *= 2) {
        row[0] = show_bytes(count_bytes(c->id, lines));
        for (size_t i = 0; i < n; i++)
            row[1 + i] =
                lines < c[i].id->team ? plussi_d_absent() : tell_cheaper(document, &c[i], lines, l);
        plussi_add_row(table, row);
    }
}

/* For programs: those of each team. */
static void list_costs(const curves *c, const plussi_latencies *l, plussi_section *list)
{
    static const plussi_heading columns[] = {
        {.key = "bytes"}, {.key = "shared_cycles"}, {.key = "private_cycles"}};
    enum { MOST = 64 };
    double values[3][MOST];
    size_t n = 0;
    const double last =
        fmax(c->shared->size[c->shared->n - 1], c->id->team * c->own->size[c->own->n - 1]);
    for (double lines = 1; lines < 2 * last && n < MOST; lines *= 2) {
        if (lines < c->id->team)
            continue;
        values[0][n] = lines * c->id->line_bytes;
        values[1][n] = shared_cycles(c, lines, l);
        values[2][n++] = own_cycles(c, lines, l);
    }
    plussi_section *section = plussi_add_section(list, "cost", NULL);
    const char *values_text = plussi_report_values(section->document, c->id);
    plussi_add_field(section, (plussi_heading){.key = "region", .identifies = true},
                     plussi_d_text(c->id->region));
    plussi_add_field(section, (plussi_heading){.key = "values", .identifies = true},
                     plussi_d_text(values_text));
    plussi_add_field(section, (plussi_heading){.key = "engine", .identifies = true},
                     plussi_d_text(c->id->engine));
    plussi_add_field(section, (plussi_heading){.key = "threads", .identifies = true},
                     plussi_d_count(c->id->team));
    plussi_add_series(section, "costs", columns, 3,
                      (const double *const[]){values[0], values[1], values[2]}, n);
}

static void add_costs(const plussi_result *result, const plussi_latencies *latencies,
                      plussi_section *section)
{
    plussi_section *shown = plussi_add_section(
        section, NULL, "Shared (s) or private (p) caches, the cheaper; * C_core, + C_share");
    curves *c = plussi_arena_alloc(&section->document->arena, result->n + 1, sizeof *c);
    if (!c) {
        section->document->status = PLUSS_ENOMEM;
        return;
    }
    plussi_section *list = plussi_add_list(section, "costs", false);
    for (size_t i = 0; i < result->n; i++) {
        size_t n = 0;
        bool first = true;
        for (size_t k = 0; k < result->n; k++)
            if (find_curves(result, k, &c[n]) && same_program(c[n].id, &result->curve[i].id)) {
                first &= k >= i;
                n++;
            }
        if (!first || !n || c[0].id != &result->curve[i].id)
            continue;
        show_costs(c, n, latencies, shown);
        for (size_t k = 0; k < n; k++)
            list_costs(&c[k], latencies, list);
    }
}

void plussi_report_scaling(const plussi_result *result, const plussi_latencies *latencies,
                           plussi_document *document)
{
    plussi_section *section =
        plussi_add_section(document->root, "capacities", "Capacities, of all caches together");
    plussi_add_line(section,
                    "from C_core on, a shared cache misses hardly more often than with one "
                    "thread;");
    plussi_add_line(
        section,
        "dM: how many times as often as that it misses between 1 MiB and C_core, mean and most;");
    plussi_add_line(section, "from C_share on, it misses less often than private caches do;");
    plussi_add_line(section,
                    "from C_cost on, its accesses take fewer cycles: hits %g, in private caches "
                    "%g, memory %g more",
                    latencies->shared, latencies->own, latencies->memory);
    plussi_add_member(section, "shared_latency", plussi_d_real(latencies->shared));
    plussi_add_member(section, "private_latency", plussi_d_real(latencies->own));
    plussi_add_member(section, "memory_latency", plussi_d_real(latencies->memory));
    add_capacities(result, latencies, section);
    add_costs(result, latencies, section);
}
