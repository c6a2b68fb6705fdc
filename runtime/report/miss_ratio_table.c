/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include <math.h>
#include <string.h>

#include "report/sink.h"

enum { VALUES = 16 }; /* of symbols in the heading, at most */

typedef struct row {
    uint64_t bytes;
    const char *label;          /* NULL: none */
    uint32_t threads_per_cache; /* 0: all threads */
    bool marked;                /* takes the place of an equal power of two */
} row;

typedef struct group {
    const plussi_curve **member; /* by team, each in order of rows */
    size_t n;
    size_t *column; /* index of the first member of each team, and of each further point of it */
    size_t n_columns;
    bool corun; /* each program's curve alone and in the shared cache, and at last that of all: a
                   column each */
} group;

/* Whether all but the team, the threads per cache and what depends on these is the same. */
static bool same_origin(const plussi_curve *a, const plussi_curve *b)
{
    if (!plussi_same_text(a->id.region, b->id.region) ||
        !plussi_same_text(a->id.file, b->id.file) || a->id.line != b->id.line ||
        a->id.simulated != b->id.simulated || !plussi_same_text(a->id.engine, b->id.engine) ||
        a->id.line_bytes != b->id.line_bytes || a->id.seed != b->id.seed ||
        !plussi_same_text(a->id.schedule, b->id.schedule))
        return false;
    return plussi_identity_same_values(&a->id, &b->id);
}

static uint64_t footprint_bytes(const plussi_curve *curve)
{
    return curve->footprint_lines > UINT64_MAX / curve->id.line_bytes
               ? UINT64_MAX
               : curve->footprint_lines * curve->id.line_bytes;
}

/* Keeps ascending order; a marked size replaces an equal power of two. */
static void insert_row(row *rows, size_t *n, row new_row)
{
    size_t at = *n;
    while (at > 0 && rows[at - 1].bytes > new_row.bytes)
        at--;
    for (size_t i = at; i > 0 && rows[i - 1].bytes == new_row.bytes && !new_row.marked; i--)
        if (rows[i - 1].threads_per_cache == 0)
            return;
    memmove(rows + at + 1, rows + at, (*n - at) * sizeof *rows);
    rows[at] = new_row;
    ++*n;
}

static pluss_status make_rows(plussi_ctx *ctx, const group *g, const plussi_report_caches *caches,
                              row **out, size_t *n)
{
    row *rows = plussi_alloc(&ctx->mem, caches->n + 65, sizeof *rows);
    if (!rows)
        return PLUSS_ENOMEM;
    *n = 0;
    for (size_t i = 0; i < caches->n; i++)
        insert_row(rows, n,
                   (row){.bytes = caches->cache[i].bytes,
                         .label = caches->cache[i].label,
                         .threads_per_cache = caches->cache[i].threads,
                         .marked = true});
    uint64_t last = 0;
    for (size_t i = 0; i < g->n; i++)
        if (last < footprint_bytes(g->member[i]))
            last = footprint_bytes(g->member[i]);
    for (uint64_t bytes = g->member[0]->id.line_bytes; !caches->only && bytes != 0; bytes *= 2) {
        insert_row(rows, n, (row){.bytes = bytes});
        if (bytes >= last)
            break;
    }
    *out = rows;
    return PLUSS_OK;
}

const char *plussi_report_values(plussi_document *document, const plussi_identity *id)
{
    const char *text = "";
    for (size_t i = 0; i < id->n_values && i <= VALUES; i++)
        text = i == VALUES
                   ? plussi_document_text(document, "%s ...", text)
                   : plussi_document_text(document, "%s%s%s=%lld", text, i ? " " : "",
                                          id->values[i].name, (long long)id->values[i].value);
    return text;
}

static const char *place_of(plussi_document *document, const plussi_identity *id)
{
    return id->file
               ? plussi_document_text(document, id->line ? " (%s:%u)" : " (%s)", id->file, id->line)
               : "";
}

static const char *engine_of(plussi_document *document, const plussi_identity *id)
{
    return plussi_document_text(
        document, "%s%s", id->simulated ? "simulated, progress " : "predicted by ", id->engine);
}

static const char *schedule_of(plussi_document *document, const plussi_identity *id)
{
    return *id->schedule ? plussi_document_text(document, ", schedule(%s)", id->schedule) : "";
}

/* How many accesses and lines it is of, after these words. */
static void add_counts(plussi_section *section, const char *before, const plussi_curve *curve)
{
    char accesses[PLUSSI_NUMBER], lines[PLUSSI_NUMBER], bytes[PLUSSI_NUMBER];
    char error[PLUSSI_NUMBER + 3] = "";
    const char *values = plussi_report_values(section->document, &curve->id);
    plussi_text_grouped(accesses, (uint64_t)(curve->mrc.accesses + 0.5));
    plussi_text_grouped(lines, curve->footprint_lines);
    plussi_text_bytes(bytes, footprint_bytes(curve));
    if (curve->footprint_error) {
        strcpy(error, " +-");
        plussi_text_grouped(error + 3, curve->footprint_error);
    }
    plussi_add_line(section, "%s%s%s%s accesses to %s%s %s (%s)", before, values,
                    *values ? ": " : "", accesses, lines, error,
                    curve->footprint_lines == 1 ? "line" : "lines", bytes);
}

static plussi_section *add_heading(plussi_document *document, const plussi_curve *curve)
{
    const plussi_identity *id = &curve->id;
    plussi_section *section =
        plussi_add_section(document->root, NULL,
                           plussi_document_text(document, "%s%s: %s, lines of %u B%s", id->region,
                                                place_of(document, id), engine_of(document, id),
                                                id->line_bytes, schedule_of(document, id)));
    add_counts(section, "", curve);
    if (curve->counted) {
        char share[PLUSSI_NUMBER];
        plussi_text_fixed(share, 100 * curve->coverage, 1);
        plussi_add_line(section, "coverage: %s %% of the loads and stores of the %s", share,
                        curve->runs ? "region's runs" : "program");
    } else if (curve->runs) {
        plussi_add_line(section, "coverage: not counted");
    }
    if (!curve->counted && curve->id.unknowns)
        plussi_add_line(section, "not in these figures: %u construct%s that could not be described",
                        curve->id.unknowns, curve->id.unknowns == 1 ? "" : "s");
    return section;
}

/* Of a co-run: what its programs are. */
static plussi_section *add_programs(plussi_document *document, const group *g)
{
    const plussi_curve *all = g->member[g->n - 1];
    plussi_section *section =
        plussi_add_section(document->root, NULL,
                           plussi_document_text(document, "co-run: %s, lines of %u B",
                                                engine_of(document, &all->id), all->id.line_bytes));
    for (size_t i = 0; i + 1 < g->n; i += 2) {
        const plussi_identity *id = &g->member[i]->id;
        add_counts(section,
                   plussi_document_text(document, "%s%s, T = %u%s, alone %s: ", id->region,
                                        place_of(document, id), id->team, schedule_of(document, id),
                                        engine_of(document, id)),
                   g->member[i]);
        if (id->unknowns)
            plussi_add_line(section,
                            "not in its figures: %u construct%s that could not be "
                            "described",
                            id->unknowns, id->unknowns == 1 ? "" : "s");
    }
    add_counts(section, "all: ", all);
    return section;
}

/* Whether a column begins with this member: runs with other addresses have the same team, too. */
static bool begins_column(const group *g, size_t first, size_t at)
{
    return g->member[at]->id.team != g->member[first]->id.team ||
           g->member[at]->id.threads_per_cache == g->member[first]->id.threads_per_cache;
}

/* The curve of a column for caches shared by N threads; NULL: none. first: its first curve. */
static const plussi_curve *find_curve(const group *g, size_t first, uint32_t threads_per_cache)
{
    const plussi_curve *of_all = NULL;
    for (size_t i = first; i < g->n && (i == first || !begins_column(g, first, i)); i++) {
        const plussi_curve *curve = g->member[i];
        if (curve->id.threads_per_cache == threads_per_cache)
            return curve;
        if (curve->id.threads_per_cache == 0 && threads_per_cache >= curve->id.team)
            of_all = curve;
    }
    return of_all;
}

/* "<- L1, each thread's", "<- L2, 2 threads each", "<- L3". */
static const char *mark_row(plussi_document *document, const row *r, bool several)
{
    const char *label = r->label ? r->label : "", *comma = r->label ? ", " : "";
    if (!several)
        return r->label ? plussi_document_text(document, "<- %s", label) : "";
    if (!r->label && !r->marked)
        return "";
    if (r->threads_per_cache > 1)
        return plussi_document_text(document, "<- %s%s%u threads each", label, comma,
                                    r->threads_per_cache);
    return plussi_document_text(document, "<- %s%s%s", label, comma,
                                r->threads_per_cache ? "each thread's" : "shared");
}

plussi_datum plussi_report_ratio(const plussi_curve *curve, uint64_t bytes)
{
    double lines = (double)(bytes / curve->id.line_bytes);
    return plussi_d_measured(plussi_mrc_at(&curve->mrc, lines),
                             curve->n_error ? plussi_curve_error_at(curve, lines) : -1);
}

static plussi_datum ratio_at(const group *g, size_t column, const row *r)
{
    const plussi_curve *curve = g->corun ? g->member[g->column[column]]
                                         : find_curve(g, g->column[column], r->threads_per_cache);
    return curve ? plussi_report_ratio(curve, r->bytes) : plussi_d_null();
}

/* The curve whose errors a column shows: that of the cache shared by all, else the first. */
static const plussi_curve *errors_of(const group *g, size_t column)
{
    const plussi_curve *curve = g->corun ? NULL : find_curve(g, column, 0);
    return curve ? curve : g->member[column];
}

const char *plussi_report_team(plussi_document *document, const plussi_curve *curve, bool several)
{
    if (!several || !curve->runs)
        return plussi_document_text(document, "T = %u", curve->id.team);
    return plussi_document_text(document, "T = %u, %llu run%s", curve->id.team,
                                (unsigned long long)curve->runs, curve->runs == 1 ? "" : "s");
}

/* Whether another column is of the same team. */
static bool is_team_twice(const group *g, size_t column)
{
    for (size_t c = 0; c < g->n_columns; c++)
        if (c != column &&
            g->member[g->column[c]]->id.team == g->member[g->column[column]]->id.team)
            return true;
    return false;
}

static const char *column_label(plussi_document *document, const group *g, size_t column)
{
    const plussi_curve *first = g->member[g->column[column]];
    const plussi_identity *id = &first->id;
    if (!g->corun)
        return plussi_report_team(document, first, is_team_twice(g, column));
    if (!id->program)
        return "all";
    return plussi_document_text(document, "%u %s", id->program, column % 2 ? "co-run" : "alone");
}

enum { STANDARD_ERROR, SPREAD, GREATEST_SPREAD, N_SUMMARIES };

/* Over all sizes; false: unknown. */
static bool find_summary(const plussi_curve *curve, int which, double *out)
{
    *out = which == STANDARD_ERROR ? curve->mean_error : 0;
    if (!curve->n_error || (which != STANDARD_ERROR && !curve->spread))
        return false;
    for (size_t i = 0; i < curve->n_error && which == SPREAD; i++)
        *out += curve->spread[i] / (double)curve->n_error;
    for (size_t i = 0; i < curve->n_error && which == GREATEST_SPREAD; i++)
        *out = fmax(*out, curve->spread[i]);
    return true;
}

/* Standard errors, which are those of the mean over runs, and standard deviations from run to run,
 * below the columns. */
static void add_errors(plussi_table *table, const group *g, plussi_datum *cells)
{
    static const char *const title[] = {"std. error", "run to run", "at most"};
    for (int which = 0; which < N_SUMMARIES; which++) {
        bool any = false;
        for (size_t c = 0; c < g->n_columns; c++) {
            double value;
            bool told = find_summary(errors_of(g, g->column[c]), which, &value);
            cells[1 + c] = told ? plussi_d_measured(NAN, value) : plussi_d_absent();
            any = any || told;
        }
        cells[0] = plussi_d_text(title[which]);
        cells[1 + g->n_columns] =
            plussi_d_text(which == GREATEST_SPREAD ? "" : "mean over all sizes");
        if (any)
            plussi_add_row(table, cells);
    }
}

static void add_table(plussi_section *section, const group *g, const row *rows, size_t n_rows,
                      plussi_heading *columns, plussi_datum *cells)
{
    plussi_document *document = section->document;
    size_t n = g->n_columns;
    bool several = false;
    for (size_t r = 0; r < n_rows; r++)
        several = several || rows[r].threads_per_cache;
    columns[0] = (plussi_heading){.label = "cache", .show = PLUSSI_AS_BYTES, .repeat = true};
    for (size_t c = 0; c < n; c++)
        columns[1 + c] = (plussi_heading){.label = column_label(document, g, c),
                                          .show = PLUSSI_AS_POINTS,
                                          .digits = 2,
                                          .unit = "%"};
    columns[1 + n] = (plussi_heading){.label = "", .repeat = true};
    plussi_table *table = plussi_add_table(section, NULL, columns, n + 2);
    for (size_t r = 0; r < n_rows; r++) {
        cells[0] = plussi_d_count(rows[r].bytes);
        for (size_t c = 0; c < n; c++)
            cells[1 + c] = ratio_at(g, c, &rows[r]);
        cells[1 + n] = plussi_d_text(mark_row(document, &rows[r], several));
        plussi_add_row(table, cells);
    }
    if (!g->corun)
        add_errors(table, g, cells);
}

/* levels: what sets and ways do is told elsewhere. */
static pluss_status add_group(plussi_ctx *ctx, const group *g, const plussi_report_caches *caches,
                              bool levels, plussi_document *document)
{
    row *rows = NULL;
    size_t n_rows;
    pluss_status status = make_rows(ctx, g, caches, &rows, &n_rows);
    plussi_heading *columns = plussi_alloc(&ctx->mem, g->n_columns + 2, sizeof *columns);
    plussi_datum *cells = plussi_alloc(&ctx->mem, g->n_columns + 2, sizeof *cells);
    if (!status && columns && cells && g->corun) {
        add_table(add_programs(document, g), g, rows, n_rows, columns, cells);
    } else if (!status && columns && cells) {
        plussi_section *section = add_heading(document, g->member[0]);
        for (size_t c = 1; c < g->n_columns; c++)
            if (is_team_twice(g, c))
                add_counts(section,
                           plussi_document_text(document, "%s: ", column_label(document, g, c)),
                           g->member[g->column[c]]);
        if (levels)
            plussi_add_line(section, "fully associative caches of each size:");
        add_table(section, g, rows, n_rows, columns, cells);
        for (size_t i = 0; i < g->n; i++)
            plussi_explain_knees(g->member[i], section);
        for (size_t i = 0; i < g->n; i++)
            plussi_show_extras(g->member[i], section);
    } else {
        status = PLUSS_ENOMEM;
    }
    plussi_free(&ctx->mem, rows);
    plussi_free(&ctx->mem, columns);
    plussi_free(&ctx->mem, cells);
    return status;
}

/* Collects the curves with the same origin as number i, in order, those of a team together. */
static void gather_group(const plussi_result *result, size_t i, bool *done, group *g)
{
    g->n = g->n_columns = 0;
    for (size_t j = i; j < result->n; j++) {
        const plussi_curve *curve = &result->curve[j];
        if (done[j] || !same_origin(&result->curve[i], curve))
            continue;
        done[j] = true;
        size_t at = g->n;
        for (size_t k = 0; k < g->n; k++)
            if (g->member[k]->id.team == curve->id.team &&
                g->member[k]->id.threads_per_cache != curve->id.threads_per_cache)
                at = k + 1;
        memmove(g->member + at + 1, g->member + at, (g->n - at) * sizeof *g->member);
        g->member[at] = curve;
        g->n++;
    }
    for (size_t at = 0; at < g->n; at++)
        if (at == 0 || begins_column(g, g->column[g->n_columns - 1], at))
            g->column[g->n_columns++] = at;
}

/* All curves of a co-run, by program. false: the result is of none. */
static bool gather_corun(const plussi_result *result, group *g)
{
    const size_t n = result->n / 2;
    if (n < 2 || result->n % 2 == 0 || result->curve[2 * n].id.program)
        return false;
    for (size_t i = 0; i < 2 * n; i++)
        if (result->curve[i].id.program != i % n + 1)
            return false;
    g->corun = true;
    g->n = g->n_columns = result->n;
    for (size_t i = 0; i < result->n; i++) {
        const size_t at = i == 2 * n ? i : 2 * (i % n) + i / n;
        g->member[at] = &result->curve[i];
        g->column[at] = at;
    }
    return true;
}

void plussi_report_miss_ratios(plussi_ctx *ctx, const plussi_result *result,
                               const plussi_report_caches *caches, bool details,
                               plussi_document *document)
{
    group g = {.member = plussi_alloc(&ctx->mem, result->n, sizeof *g.member),
               .column = plussi_alloc(&ctx->mem, result->n, sizeof *g.column)};
    bool *done = plussi_calloc(&ctx->mem, result->n, sizeof *done);
    pluss_status status = g.member && g.column && done ? PLUSS_OK : PLUSS_ENOMEM;
    const bool corun = !status && gather_corun(result, &g);
    if (corun)
        status = add_group(ctx, &g, caches, false, document);
    for (size_t i = 0; i < result->n && !corun && !status; i++) {
        if (done[i] || (!details && result->curve[i].runs))
            continue;
        gather_group(result, i, done, &g);
        status = add_group(ctx, &g, caches, result->n_levels > 0, document);
    }
    plussi_free(&ctx->mem, g.member);
    plussi_free(&ctx->mem, g.column);
    plussi_free(&ctx->mem, done);
    document->status = document->status ? document->status : status;
}
