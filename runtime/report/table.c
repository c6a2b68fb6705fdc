/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include <string.h>

#include "report/reasons.h"

enum { COLUMNS = 8, VALUES = 16, CACHE_WIDTH = 10, RATIO_WIDTH = 10 };

typedef struct row {
    uint64_t bytes;
    const char *label; /* NULL: none */
    bool marked;       /* stays where an equal power of two comes */
} row;

typedef struct group {
    const plussi_curve **member;
    size_t n;
} group;

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* All but the team, and what follows from it. */
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
    if (at > 0 && rows[at - 1].bytes == new_row.bytes && !new_row.marked)
        return;
    memmove(rows + at + 1, rows + at, (*n - at) * sizeof *rows);
    rows[at] = new_row;
    ++*n;
}

static pluss_status make_rows(plussi_ctx *ctx, const group *g, const plussi_report_cache *cache,
                              size_t n_caches, bool only_caches, row **out, size_t *n)
{
    row *rows = plussi_alloc(&ctx->mem, n_caches + 65, sizeof *rows);
    if (!rows)
        return PLUSS_ENOMEM;
    *n = 0;
    for (size_t i = 0; i < n_caches; i++)
        insert_row(rows, n, (row){cache[i].bytes, cache[i].label, true});
    uint64_t last = 0;
    for (size_t i = 0; i < g->n; i++)
        if (last < footprint_bytes(g->member[i]))
            last = footprint_bytes(g->member[i]);
    for (uint64_t bytes = g->member[0]->line_bytes; !only_caches && bytes != 0; bytes *= 2) {
        insert_row(rows, n, (row){bytes, NULL, false});
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

static void table(plussi_sink *sink, const plussi_curve *const *member, size_t n, const row *rows,
                  size_t n_rows)
{
    char text[PLUSSI_NUMBER + 4];
    plussi_sink_text(sink, "\n");
    pad_left(sink, "cache", CACHE_WIDTH);
    for (size_t c = 0; c < n; c++) {
        memcpy(text, "T = ", 4);
        plussi_text_u64(text + 4, member[c]->team);
        pad_left(sink, text, RATIO_WIDTH);
    }
    plussi_sink_text(sink, "\n");
    for (size_t r = 0; r < n_rows; r++) {
        plussi_text_bytes(text, rows[r].bytes);
        pad_left(sink, text, CACHE_WIDTH);
        for (size_t c = 0; c < n; c++) {
            double lines = (double)(rows[r].bytes / member[c]->line_bytes);
            size_t length = plussi_text_fixed(text, 100 * plussi_mrc_at(&member[c]->mrc, lines), 2);
            memcpy(text + length, " %", 3);
            pad_left(sink, text, RATIO_WIDTH);
        }
        if (rows[r].label) {
            plussi_sink_text(sink, "  <- ");
            plussi_sink_text(sink, rows[r].label);
        }
        plussi_sink_text(sink, "\n");
    }
}

/* Standard errors of what was sampled, under its columns. */
static void errors(plussi_sink *sink, const plussi_curve *const *member, size_t n)
{
    char text[PLUSSI_NUMBER];
    bool any = false;
    for (size_t c = 0; c < n; c++)
        any = any || member[c]->n_error;
    if (!any)
        return;
    pad_left(sink, "std. error", CACHE_WIDTH);
    for (size_t c = 0; c < n; c++) {
        if (member[c]->n_error)
            plussi_text_fixed(text, 100 * member[c]->mean_error, 2);
        pad_left(sink, member[c]->n_error ? text : "", RATIO_WIDTH - 2);
        plussi_sink_text(sink, "  ");
    }
    plussi_sink_text(sink, "points, mean over all sizes\n");
}

static pluss_status report_group(plussi_ctx *ctx, const group *g, const plussi_report_cache *cache,
                                 size_t n_caches, bool only_caches, plussi_sink *sink)
{
    row *rows = NULL;
    size_t n_rows;
    pluss_status status = make_rows(ctx, g, cache, n_caches, only_caches, &rows, &n_rows);
    if (status)
        return status;
    heading(sink, g->member[0]);
    for (size_t first = 0; first < g->n; first += COLUMNS) {
        size_t n = g->n - first < COLUMNS ? g->n - first : COLUMNS;
        table(sink, g->member + first, n, rows, n_rows);
        errors(sink, g->member + first, n);
    }
    plussi_free(&ctx->mem, rows);
    for (size_t i = 0; i < g->n; i++)
        plussi_report_reasons(g->member[i], sink);
    return PLUSS_OK;
}

pluss_status plussi_report_table(plussi_ctx *ctx, const plussi_result *result,
                                 const plussi_report_cache *cache, size_t n_caches,
                                 bool only_caches, plussi_sink *sink)
{
    const plussi_curve **member = plussi_alloc(&ctx->mem, result->n, sizeof *member);
    bool *done = plussi_calloc(&ctx->mem, result->n, sizeof *done);
    pluss_status status = member && done ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < result->n && !status; i++) {
        if (done[i])
            continue;
        group g = {member, 0};
        for (size_t j = i; j < result->n; j++)
            if (!done[j] && same_origin(&result->curve[i], &result->curve[j])) {
                done[j] = true;
                member[g.n++] = &result->curve[j];
            }
        if (i > 0)
            plussi_sink_text(sink, "\n");
        status = report_group(ctx, &g, cache, n_caches, only_caches, sink);
    }
    plussi_free(&ctx->mem, member);
    plussi_free(&ctx->mem, done);
    return status ? status : plussi_sink_finish(ctx, sink);
}
