/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/comparison.h"

#include <math.h>
#include <string.h>

#include "report/report.h"

pluss_status plussi_curve_compare(plussi_ctx *ctx, const plussi_curve *a, const plussi_curve *b,
                                  plussi_grid grid, plussi_difference *out)
{
    if (a->id.line_bytes != b->id.line_bytes)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "curves of lines of %u and of %u bytes cannot be compared",
                           a->id.line_bytes, b->id.line_bytes);
    uint64_t *sizes = NULL;
    size_t n;
    pluss_status status =
        plussi_grid_sizes(ctx, grid, b->footprint_lines, b->id.line_bytes, &sizes, &n);
    if (status)
        return status;
    plussi_mrc_error error;
    status = plussi_mrc_compare(ctx, &a->mrc, &b->mrc, sizes, n, &error);
    if (!status)
        *out = (plussi_difference){error, sizes[0], sizes[n - 1]};
    plussi_free(&ctx->mem, sizes);
    return status;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* A symbol that has one value here and another there; NULL: there is none. */
static const plussi_value *other_value(const plussi_curve *a, const plussi_curve *b, int64_t *there)
{
    for (size_t i = 0; i < a->id.n_values; i++)
        for (size_t k = 0; k < b->id.n_values; k++)
            if (strcmp(a->id.values[i].name, b->id.values[k].name) == 0 &&
                a->id.values[i].value != b->id.values[k].value) {
                *there = b->id.values[k].value;
                return &a->id.values[i];
            }
    return NULL;
}

static bool is_kind(const plussi_curve *a, const plussi_curve *b)
{
    return a->id.team == b->id.team && a->id.threads_per_cache == b->id.threads_per_cache &&
           strcmp(a->id.region, b->id.region) == 0;
}

/* The number of the curve to stand against; SIZE_MAX: there is none. */
static size_t partner(const plussi_curve *curve, const plussi_result *in)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < in->n; i++) {
        const plussi_curve *other = &in->curve[i];
        int64_t there;
        if (!is_kind(curve, other) || other_value(curve, other, &there))
            continue;
        if (curve->id.line == other->id.line && plussi_same_text(curve->id.file, other->id.file))
            return i;
        found = found < i ? found : i;
    }
    return found;
}

/* What one side has and the other has not is said, and not counted; where the other has it with
 * another value, with that. */
static void warn_unmatched(plussi_ctx *ctx, const char *name, const plussi_result *in,
                           const char *other_name, const plussi_result *other)
{
    const plussi_loc place = {.file = name};
    for (size_t i = 0; i < in->n; i++) {
        const plussi_curve *curve = &in->curve[i];
        const plussi_value *value = NULL;
        int64_t there = 0;
        if (partner(curve, other) != SIZE_MAX)
            continue;
        for (size_t k = 0; k < other->n && !value; k++)
            if (is_kind(curve, &other->curve[k]))
                value = other_value(curve, &other->curve[k], &there);
        if (value)
            plussi_report(ctx, PLUSSI_WARNING, PLUSS_ENOTFOUND, &place,
                          "%s has no curve of %s, T = %u, %s = %lld: it has %lld", other_name,
                          curve->id.region, curve->id.team, value->name, (long long)value->value,
                          (long long)there);
        else
            plussi_report(ctx, PLUSSI_WARNING, PLUSS_ENOTFOUND, &place,
                          "%s has no curve of %s, T = %u", other_name, curve->id.region,
                          curve->id.team);
    }
}

static pluss_status add_pair(plussi_ctx *ctx, plussi_comparison *c, const plussi_result *a,
                             size_t i, const plussi_result *b, size_t k)
{
    const plussi_curve *curve = &a->curve[i];
    plussi_pair pair = {.a = i,
                        .b = k,
                        .team = curve->id.team,
                        .threads_per_cache = curve->id.threads_per_cache
                                                 ? curve->id.threads_per_cache
                                                 : curve->id.team,
                        .line_bytes = curve->id.line_bytes};
    pluss_status status = plussi_curve_compare(ctx, curve, &b->curve[k], c->grid, &pair.difference);
    if (!status)
        status = plussi_grow(&c->mem, &c->pair, &c->cap, c->n, sizeof *c->pair);
    if (status)
        return status;
    pair.region = plussi_strndup(&c->mem, curve->id.region, strlen(curve->id.region));
    if (!pair.region)
        return PLUSS_ENOMEM;
    c->pair[c->n++] = pair;
    return PLUSS_OK;
}

pluss_status plussi_compare(plussi_ctx *ctx, const plussi_result *a, const plussi_result *b,
                            plussi_grid grid, const char *a_name, const char *b_name,
                            plussi_comparison *out)
{
    plussi_comparison c = {.mem = ctx->mem, .grid = grid};
    pluss_status status = PLUSS_OK;
    warn_unmatched(ctx, a_name, a, b_name, b);
    warn_unmatched(ctx, b_name, b, a_name, a);
    for (size_t i = 0; i < a->n && !status; i++) {
        size_t k = partner(&a->curve[i], b);
        if (k != SIZE_MAX)
            status = add_pair(ctx, &c, a, i, b, k);
    }
    for (size_t i = 0; i < c.n; i++) {
        double mean = c.pair[i].difference.error.mean_abs;
        c.mean_abs += mean / (double)c.n;
        c.most = fmax(c.most, mean);
    }
    if (!status && c.n == 0)
        status = plussi_fail(ctx, PLUSS_ENOTFOUND, NULL,
                             "%s and %s have no region, values and number of threads in common",
                             a_name, b_name);
    if (status)
        plussi_comparison_free(&c);
    else
        *out = c;
    return status;
}

void plussi_comparison_free(plussi_comparison *comparison)
{
    for (size_t i = 0; i < comparison->n; i++)
        plussi_free(&comparison->mem, comparison->pair[i].region);
    plussi_free(&comparison->mem, comparison->pair);
    comparison->pair = NULL;
    comparison->n = comparison->cap = 0;
}

/* ---- report ---------------------------------------------------------------------------------- */

static void add_row(plussi_table *table, const plussi_pair *pair)
{
    const plussi_mrc_error *e = &pair->difference.error;
    uint64_t bytes =
        e->max_at > UINT64_MAX / pair->line_bytes ? UINT64_MAX : e->max_at * pair->line_bytes;
    plussi_add_row(
        table, (plussi_datum[]){
                   plussi_d_text(pair->region), plussi_d_count(pair->team),
                   plussi_d_count(pair->threads_per_cache), plussi_d_real(100 * e->mean_abs),
                   plussi_d_real(100 * e->mean_signed), plussi_d_real(100 * e->max_abs),
                   plussi_d_count(e->max_at), plussi_d_count(bytes), plussi_d_count(e->n),
                   plussi_d_count(pair->difference.first), plussi_d_count(pair->difference.last)});
}

void plussi_comparison_report(const plussi_comparison *c, plussi_document *document)
{
#define POINTS .show = PLUSSI_AS_NUMBER, .digits = 2
#define COUNTS .show = PLUSSI_AS_NUMBER
    static const plussi_heading columns[] = {
        {.key = "region", .label = "region"},
        {.key = "threads", .label = "T", COUNTS},
        {.key = "threads_per_cache", .label = "T per cache", COUNTS},
        {.key = "mae_points", .label = "MAE", POINTS},
        {.key = "mean_points", .label = "mean", POINTS},
        {.key = "largest_points", .label = "largest", POINTS},
        {.key = "largest_at_lines"},
        {.label = "at", .show = PLUSSI_AS_BYTES},
        {.key = "sizes", .label = "sizes", COUNTS},
        {.key = "first_lines", .label = "from", COUNTS},
        {.key = "last_lines", .label = "to", COUNTS, .unit = "lines"}};
    plussi_section *root = document->root;
    plussi_add_member(root, "grid",
                      plussi_d_text(c->grid == PLUSSI_GRID_PAPER ? "paper" : "strict"));
    plussi_add_line(root, "Miss ratios of the first minus those of the second, in points");
    plussi_table *table =
        plussi_add_table(root, "comparisons", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < c->n; i++)
        add_row(table, &c->pair[i]);
    plussi_add_figure(root, "mae_points", plussi_document_text(document, "MAE of all %zu", c->n),
                      PLUSSI_AS_NUMBER, 2, "points", plussi_d_real(100 * c->mean_abs));
#undef POINTS
#undef COUNTS
}
