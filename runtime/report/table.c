/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include <math.h>
#include <string.h>

#include "report/reasons.h"

/* Columns: of ratios alone, and of ratios with their errors. */
enum { COLUMNS = 8, WIDE_COLUMNS = 5 };
enum { VALUES = 16, CACHE_WIDTH = 10, RATIO_WIDTH = 10, ERROR_WIDTH = 8 };

typedef struct row {
    uint64_t bytes;
    const char *label; /* NULL: none */
    uint32_t sharers;  /* 0: all threads */
    bool marked;       /* stays where an equal power of two comes */
} row;

typedef struct group {
    const plussi_curve **member; /* by team, each in a row */
    size_t n;
} group;

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* All but the team, who shares a cache, and what follows from these. */
static bool same_origin(const plussi_curve *a, const plussi_curve *b)
{
    if (!same_text(a->region, b->region) || !same_text(a->file, b->file) || a->line != b->line ||
        a->simulated != b->simulated || !same_text(a->engine, b->engine) ||
        a->line_bytes != b->line_bytes || a->seed != b->seed ||
        !same_text(a->schedule, b->schedule) || a->n_values != b->n_values)
        return false;
    for (size_t i = 0; i < a->n_values; i++)
        if (strcmp(a->values[i].name, b->values[i].name) != 0 ||
            a->values[i].value != b->values[i].value)
            return false;
    return true;
}

static uint64_t footprint_bytes(const plussi_curve *curve)
{
    return curve->footprint_lines > UINT64_MAX / curve->line_bytes
               ? UINT64_MAX
               : curve->footprint_lines * curve->line_bytes;
}

/* Ascending; a marked size stands in place of an equal power of two. */
static void insert_row(row *rows, size_t *n, row new_row)
{
    size_t at = *n;
    while (at > 0 && rows[at - 1].bytes > new_row.bytes)
        at--;
    for (size_t i = at; i > 0 && rows[i - 1].bytes == new_row.bytes && !new_row.marked; i--)
        if (rows[i - 1].sharers == 0)
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
                         .sharers = caches->sharers ? caches->sharers[i] : 0,
                         .marked = true});
    uint64_t last = 0;
    for (size_t i = 0; i < g->n; i++)
        if (last < footprint_bytes(g->member[i]))
            last = footprint_bytes(g->member[i]);
    for (uint64_t bytes = g->member[0]->line_bytes; !caches->only && bytes != 0; bytes *= 2) {
        insert_row(rows, n, (row){.bytes = bytes});
        if (bytes >= last)
            break;
    }
    *out = rows;
    return PLUSS_OK;
}

static void pad_left(plussi_sink *sink, const char *text, size_t width)
{
    size_t length = strlen(text);
    plussi_sink_repeat(sink, ' ', length < width ? width - length : 0);
    plussi_sink_text(sink, text);
}

static void heading(plussi_sink *sink, const plussi_curve *curve)
{
    char number[PLUSSI_NUMBER];
    plussi_sink_text(sink, curve->region);
    if (curve->file) {
        plussi_sink_text(sink, " (");
        plussi_sink_text(sink, curve->file);
        if (curve->line) {
            plussi_sink_text(sink, ":");
            plussi_sink_u64(sink, curve->line);
        }
        plussi_sink_text(sink, ")");
    }
    plussi_sink_text(sink, curve->simulated ? ": simulated, interleaving " : ": predicted by ");
    plussi_sink_text(sink, curve->engine);
    plussi_sink_text(sink, ", lines of ");
    plussi_sink_u64(sink, curve->line_bytes);
    plussi_sink_text(sink, " B");
    if (*curve->schedule) {
        plussi_sink_text(sink, ", schedule(");
        plussi_sink_text(sink, curve->schedule);
        plussi_sink_text(sink, ")");
    }
    plussi_sink_text(sink, "\n ");
    for (size_t i = 0; i < curve->n_values; i++) {
        if (i == VALUES) {
            plussi_sink_text(sink, " ...");
            break;
        }
        plussi_sink_text(sink, " ");
        plussi_sink_text(sink, curve->values[i].name);
        plussi_sink_text(sink, curve->values[i].value < 0 ? "=-" : "=");
        uint64_t magnitude = (uint64_t)curve->values[i].value;
        plussi_sink_u64(sink, curve->values[i].value < 0 ? -magnitude : magnitude);
    }
    plussi_sink_text(sink, curve->n_values ? ": " : " ");
    plussi_text_grouped(number, (uint64_t)(curve->mrc.accesses + 0.5));
    plussi_sink_text(sink, number);
    plussi_sink_text(sink, " accesses to ");
    plussi_text_grouped(number, curve->footprint_lines);
    plussi_sink_text(sink, number);
    if (curve->footprint_error) {
        plussi_sink_text(sink, " +-");
        plussi_text_grouped(number, curve->footprint_error);
        plussi_sink_text(sink, number);
    }
    plussi_sink_text(sink, curve->footprint_lines == 1 ? " line (" : " lines (");
    plussi_text_bytes(number, footprint_bytes(curve));
    plussi_sink_text(sink, number);
    plussi_sink_text(sink, ")\n");
    if (curve->unknowns) {
        plussi_sink_text(sink, "  not in these figures: ");
        plussi_sink_u64(sink, curve->unknowns);
        plussi_sink_text(sink, curve->unknowns == 1 ? " construct that could not be described\n"
                                                    : " constructs that could not be described\n");
    }
}

/* The curve of a team for caches that so many threads share; NULL: there is none. first: the first
 * of the team's. */
static const plussi_curve *find(const group *g, size_t first, uint32_t sharers)
{
    const plussi_curve *of_all = NULL;
    for (size_t i = first; i < g->n && g->member[i]->team == g->member[first]->team; i++) {
        const plussi_curve *curve = g->member[i];
        if (curve->sharers == sharers)
            return curve;
        if (curve->sharers == 0 && sharers >= curve->team)
            of_all = curve;
    }
    return of_all;
}

/* Standard error of the miss ratio at a size: the greater of those at the sizes around it. */
static double error_at(const plussi_curve *curve, double lines)
{
    size_t i = 0, last = curve->n_error - 1;
    if (lines < curve->error_size[0]) /* nothing is held, which is certain */
        return 0;
    while (i < last && curve->error_size[i] < lines)
        i++;
    double above = curve->error[i];
    return i > 0 && curve->error_size[i] > lines ? fmax(curve->error[i - 1], above) : above;
}

static size_t width_of(bool wide)
{
    return wide ? RATIO_WIDTH + ERROR_WIDTH : RATIO_WIDTH;
}

/* "12.34 %", or where columns are wide "12.34 +-0.21 %". */
static void cell(plussi_sink *sink, const plussi_curve *curve, uint64_t bytes, bool wide)
{
    char text[PLUSSI_NUMBER + 2];
    if (!curve) {
        pad_left(sink, "- ", width_of(wide));
        return;
    }
    double lines = (double)(bytes / curve->line_bytes);
    plussi_text_fixed(text, 100 * plussi_mrc_at(&curve->mrc, lines), 2);
    pad_left(sink, text, RATIO_WIDTH - 2);
    if (curve->n_error) {
        memcpy(text, "+-", 2);
        plussi_text_fixed(text + 2, 100 * error_at(curve, lines), 2);
    }
    if (wide)
        pad_left(sink, curve->n_error ? text : "", ERROR_WIDTH);
    plussi_sink_text(sink, " %");
}

/* "  <- L1, each thread's", "  <- L2, 2 threads each", "  <- L3". */
static void mark(plussi_sink *sink, const row *r, bool several)
{
    if (!r->label && !(several && r->marked))
        return;
    plussi_sink_text(sink, "  <- ");
    plussi_sink_text(sink, r->label ? r->label : "");
    if (!several)
        return;
    plussi_sink_text(sink, r->label ? ", " : "");
    if (r->sharers > 1) {
        plussi_sink_u64(sink, r->sharers);
        plussi_sink_text(sink, " threads each");
    } else {
        plussi_sink_text(sink, r->sharers ? "each thread's" : "shared");
    }
}

/* column: the first curve of each team; wide: with errors. */
static void table(plussi_sink *sink, const group *g, const size_t *column, size_t n, bool wide,
                  const row *rows, size_t n_rows)
{
    char text[PLUSSI_NUMBER + 4];
    bool several = false;
    for (size_t r = 0; r < n_rows; r++)
        several = several || rows[r].sharers;
    plussi_sink_text(sink, "\n");
    pad_left(sink, "cache", CACHE_WIDTH);
    for (size_t c = 0; c < n; c++) {
        memcpy(text, "T = ", 4);
        plussi_text_u64(text + 4, g->member[column[c]]->team);
        pad_left(sink, text, width_of(wide));
    }
    plussi_sink_text(sink, "\n");
    for (size_t r = 0; r < n_rows; r++) {
        plussi_text_bytes(text, rows[r].bytes);
        pad_left(sink, text, CACHE_WIDTH);
        for (size_t c = 0; c < n; c++)
            cell(sink, find(g, column[c], rows[r].sharers), rows[r].bytes, wide);
        mark(sink, &rows[r], several);
        plussi_sink_text(sink, "\n");
    }
}

/* What is told of a column's errors: of the caches that all share, else of the first. */
static const plussi_curve *errors_of(const group *g, size_t column)
{
    const plussi_curve *curve = find(g, column, 0);
    return curve ? curve : g->member[column];
}

enum { STANDARD_ERROR, SPREAD, GREATEST_SPREAD, N_SUMMARIES };

/* Over all sizes; false: it is not told. */
static bool summary(const plussi_curve *curve, int which, double *out)
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
 * under the columns. */
static void errors(plussi_sink *sink, const group *g, const size_t *column, size_t n)
{
    static const char *const title[] = {"std. error", "run to run", "at most"};
    for (int which = 0; which < N_SUMMARIES; which++) {
        char text[PLUSSI_NUMBER];
        double value;
        bool any = false;
        for (size_t c = 0; c < n; c++)
            any = any || summary(errors_of(g, column[c]), which, &value);
        if (!any)
            continue;
        pad_left(sink, title[which], CACHE_WIDTH);
        for (size_t c = 0; c < n; c++) {
            bool told = summary(errors_of(g, column[c]), which, &value);
            if (told)
                plussi_text_fixed(text, 100 * value, 2);
            plussi_sink_repeat(sink, ' ', RATIO_WIDTH - 2);
            pad_left(sink, told ? text : "", ERROR_WIDTH);
            plussi_sink_text(sink, "  ");
        }
        plussi_sink_text(sink,
                         which == GREATEST_SPREAD ? "points\n" : "points, mean over all sizes\n");
    }
}

static pluss_status report_group(plussi_ctx *ctx, const group *g,
                                 const plussi_report_caches *caches, plussi_sink *sink)
{
    row *rows = NULL;
    size_t n_rows;
    pluss_status status = make_rows(ctx, g, caches, &rows, &n_rows);
    if (status)
        return status;
    bool wide = false;
    for (size_t i = 0; i < g->n; i++)
        wide = wide || g->member[i]->n_error;
    heading(sink, g->member[0]);
    for (size_t at = 0; at < g->n;) {
        size_t column[COLUMNS], n = 0;
        for (; at < g->n && n < (wide ? WIDE_COLUMNS : COLUMNS); n++) {
            uint32_t team = g->member[at]->team;
            for (column[n] = at; at < g->n && g->member[at]->team == team;)
                at++;
        }
        table(sink, g, column, n, wide, rows, n_rows);
        errors(sink, g, column, n);
    }
    plussi_free(&ctx->mem, rows);
    for (size_t i = 0; i < g->n; i++)
        plussi_report_reasons(g->member[i], sink);
    return PLUSS_OK;
}

/* Curves with the same origin as number i, in order, those of a team together. */
static void gather(const plussi_result *result, size_t i, bool *done, group *g)
{
    g->n = 0;
    for (size_t j = i; j < result->n; j++) {
        const plussi_curve *curve = &result->curve[j];
        if (done[j] || !same_origin(&result->curve[i], curve))
            continue;
        done[j] = true;
        size_t at = g->n;
        for (size_t k = 0; k < g->n; k++)
            if (g->member[k]->team == curve->team && g->member[k]->sharers != curve->sharers)
                at = k + 1;
        memmove(g->member + at + 1, g->member + at, (g->n - at) * sizeof *g->member);
        g->member[at] = curve;
        g->n++;
    }
}

pluss_status plussi_report_table(plussi_ctx *ctx, const plussi_result *result,
                                 const plussi_report_caches *caches, plussi_sink *sink)
{
    const plussi_curve **member = plussi_alloc(&ctx->mem, result->n, sizeof *member);
    bool *done = plussi_calloc(&ctx->mem, result->n, sizeof *done);
    pluss_status status = member && done ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < result->n && !status; i++) {
        if (done[i])
            continue;
        group g = {member, 0};
        gather(result, i, done, &g);
        if (i > 0)
            plussi_sink_text(sink, "\n");
        status = report_group(ctx, &g, caches, sink);
    }
    plussi_free(&ctx->mem, member);
    plussi_free(&ctx->mem, done);
    return status ? status : plussi_sink_finish(ctx, sink);
}
