/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/comparison.h"

#include <math.h>
#include <string.h>

#include "report/report.h"

static pluss_status compare_distances(plussi_ctx *ctx, const plussi_curve *a, const plussi_curve *b,
                                      plussi_similarity *out)
{
    plussi_histo first, second;
    plussi_histo_init(&first, &ctx->mem);
    plussi_histo_init(&second, &ctx->mem);
    pluss_status status = plussi_mrc_distances(&a->mrc, &first);
    if (!status)
        status = plussi_mrc_distances(&b->mrc, &second);
    if (!status)
        status =
            plussi_compare_profiles(&first, &second, PLUSSI_BINNING_OCTAVES, b->id.line_bytes, out);
    plussi_histo_free(&first);
    plussi_histo_free(&second);
    return status;
}

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
        *out = (plussi_difference){error, sizes[0], sizes[n - 1], {0, 0}};
    plussi_free(&ctx->mem, sizes);
    return status ? status : compare_distances(ctx, a, b, &out->similarity);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* A symbol that has one value here and another there; NULL: there is none. */
static const plussi_value *other_value(const plussi_identity *a, const plussi_identity *b,
                                       int64_t *there)
{
    for (size_t i = 0; i < a->n_values; i++)
        for (size_t k = 0; k < b->n_values; k++)
            if (strcmp(a->values[i].name, b->values[k].name) == 0 &&
                a->values[i].value != b->values[k].value) {
                *there = b->values[k].value;
                return &a->values[i];
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
        if (!is_kind(curve, other) || other_value(&curve->id, &other->id, &there))
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
                value = other_value(&curve->id, &other->curve[k].id, &there);
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

/* ---- levels -----------------------------------------------------------------------------------
 */

/* Levels that can stand against each other, if their caches are the same. */
static bool is_same_program(const plussi_level_result *a, const plussi_level_result *b)
{
    int64_t there;
    return a->id.team == b->id.team && strcmp(a->id.region, b->id.region) == 0 &&
           !other_value(&a->id, &b->id, &there);
}

static bool is_same_cache(const plussi_level_result *a, const plussi_level_result *b)
{
    const plussi_cache_level *x = &a->level, *y = &b->level;
    return a->id.line_bytes == b->id.line_bytes &&
           a->id.threads_per_cache == b->id.threads_per_cache && strcmp(x->name, y->name) == 0 &&
           x->bytes == y->bytes && x->ways == y->ways && x->inclusion == y->inclusion &&
           x->hashed == y->hashed && x->page_bytes == y->page_bytes &&
           x->write_through == y->write_through && x->no_write_allocate == y->no_write_allocate;
}

/* The level before level number i; NULL: it is the first one. */
static const plussi_level_result *find_before(const plussi_result *in, size_t i)
{
    const plussi_level_result *l = &in->level[i], *before = i > 0 ? l - 1 : NULL;
    bool same = before && is_same_program(l, before) && l->point == before->point &&
                strcmp(l->level.name, before->level.name) != 0;
    return same ? before : NULL;
}

/* The levels before are the same, too: what comes to it is. */
static bool is_same_before(const plussi_result *a, size_t i, const plussi_result *b, size_t k)
{
    const plussi_level_result *x, *y;
    for (; (x = find_before(a, i)) && (y = find_before(b, k)); i--, k--)
        if (!is_same_cache(x, y))
            return false;
    return !x && !find_before(b, k);
}

/* Of level number n of a result. NULL: there is none. *program: of the same region, values and team
 * there are other levels. */
static const plussi_level_result *find_level(const plussi_result *of, size_t n,
                                             const plussi_result *in, bool *program)
{
    const plussi_level_result *found = NULL, *level = &of->level[n];
    int best = -1;
    *program = false;
    for (size_t i = 0; i < in->n_levels; i++) {
        const plussi_level_result *other = &in->level[i];
        if (!is_same_program(level, other))
            continue;
        *program = true;
        if (!is_same_cache(level, other))
            continue;
        bool place =
            level->id.line == other->id.line && plussi_same_text(level->id.file, other->id.file);
        int alike = 2 * place + is_same_before(of, n, in, i);
        found = alike > best ? other : found;
        best = alike > best ? alike : best;
    }
    return found;
}

static pluss_status add_level_pair(plussi_ctx *ctx, plussi_comparison *c,
                                   const plussi_level_result *a, const plussi_level_result *b)
{
    const plussi_level_result *both[] = {a, b};
    const uint32_t shared = a->id.threads_per_cache;
    double squares = 0;
    plussi_level_pair pair = {.team = a->id.team,
                              .threads_per_cache = shared ? shared : a->id.team,
                              .line_bytes = a->id.line_bytes};
    const plussi_hierarchy h = {.line_bytes = a->id.line_bytes, .n = 1, .level = {a->level}};
    pair.ways = plussi_level_ways(&h, 0);
    strcpy(pair.name, a->level.name);
    pluss_status status =
        plussi_grow(&c->mem, &c->level, &c->cap_levels, c->n_levels, sizeof *c->level);
    if (!status)
        status = plussi_copy_text(&ctx->mem, a->id.region, &pair.region);
    if (status)
        return status;
    pair.error = -1;
    for (int i = 0; i < 2; i++) {
        const plussi_misses *m = &both[i]->misses;
        pair.misses[i] = m->all;
        pair.ratio[i] = m->all / both[i]->accesses;
        pair.accesses[i] = both[i]->accesses;
        if (m->error >= 0)
            pair.error = sqrt(squares += pow(m->error / both[i]->accesses, 2));
    }
    pair.difference = pair.ratio[0] - pair.ratio[1];
    status = plussi_find_part_changes(c, &pair, a, b);
    if (status) {
        plussi_level_pair_free(&c->mem, &pair);
        return status;
    }
    c->most_of_level = fmax(c->most_of_level, fabs(pair.difference));
    c->level[c->n_levels++] = pair;
    return PLUSS_OK;
}

/* c NULL: warns alone, of the levels of a that b has with other caches. */
static pluss_status compare_levels(plussi_ctx *ctx, plussi_comparison *c, const plussi_result *a,
                                   const plussi_result *b, const char *a_name, const char *b_name)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < a->n_levels && !status; i++) {
        const plussi_level_result *level = &a->level[i];
        bool program;
        const plussi_level_result *other = find_level(a, i, b, &program);
        if (other && c)
            status = add_level_pair(ctx, c, level, other);
        else if (!other && program)
            plussi_report(ctx, PLUSSI_WARNING, PLUSS_ENOTFOUND, &(plussi_loc){.file = a_name},
                          "%s has no cache like %s of %s, T = %u", b_name, level->level.name,
                          level->id.region, level->id.team);
    }
    return status;
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
    if (!status)
        status = compare_levels(ctx, &c, a, b, a_name, b_name);
    if (!status)
        status = compare_levels(ctx, NULL, b, a, b_name, a_name);
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
    for (size_t i = 0; i < comparison->n_levels; i++)
        plussi_level_pair_free(&comparison->mem, &comparison->level[i]);
    plussi_free(&comparison->mem, comparison->level);
    *comparison = (plussi_comparison){.mem = comparison->mem, .grid = comparison->grid};
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
                   plussi_d_real(pair->difference.similarity.profile),
                   plussi_d_real(pair->difference.similarity.performance),
                   plussi_d_real(100 * e->mean_signed), plussi_d_real(100 * e->max_abs),
                   plussi_d_count(e->max_at), plussi_d_count(bytes), plussi_d_count(e->n),
                   plussi_d_count(pair->difference.first), plussi_d_count(pair->difference.last)});
}

/* Ways or lines change from point to point. */
static bool have_sweeps(const plussi_comparison *c)
{
    bool found = false;
    for (size_t i = 0; i < c->n_levels; i++)
        for (size_t k = 0; k < i && !found; k++) {
            const plussi_level_pair *a = &c->level[i], *b = &c->level[k];
            found = a->team == b->team && strcmp(a->name, b->name) == 0 &&
                    strcmp(a->region, b->region) == 0 &&
                    (a->ways != b->ways || a->line_bytes != b->line_bytes);
        }
    return found;
}

static void report_levels(const plussi_comparison *c, plussi_section *root)
{
    const bool sweeps = have_sweeps(c);
    const plussi_heading columns[] = {
        {.key = "region", .label = "region"},
        {.key = "threads", .label = "T", .show = PLUSSI_AS_NUMBER},
        {.key = "name", .label = "cache"},
        {.key = "threads_per_cache", .label = "T per cache", .show = PLUSSI_AS_NUMBER},
        {.key = "ways", .label = sweeps ? "ways" : NULL, .show = PLUSSI_AS_NUMBER},
        {.key = "line_bytes", .label = sweeps ? "line" : NULL, .show = PLUSSI_AS_BYTES},
        {.key = "first_misses", .label = "misses", .show = PLUSSI_AS_COUNT},
        {.key = "second_misses", .label = "other misses", .show = PLUSSI_AS_COUNT},
        {.key = "difference_misses", .label = "difference", .show = PLUSSI_AS_NUMBER},
        {.key = "first_miss_ratio"},
        {.key = "second_miss_ratio"},
        {.key = "difference_points",
         .label = "of accesses",
         .show = PLUSSI_AS_NUMBER,
         .digits = 2,
         .unit = "points"}};
    if (!c->n_levels)
        return;
    plussi_table *table =
        plussi_add_table(root, "levels", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < c->n_levels; i++) {
        const plussi_level_pair *p = &c->level[i];
        plussi_add_row(
            table, (plussi_datum[]){
                       plussi_d_text(p->region), plussi_d_count(p->team), plussi_d_text(p->name),
                       plussi_d_count(p->threads_per_cache), plussi_d_count(p->ways),
                       plussi_d_count(p->line_bytes), plussi_d_real(p->misses[0]),
                       plussi_d_real(p->misses[1]), plussi_d_real(p->misses[0] - p->misses[1]),
                       plussi_d_real(p->ratio[0]), plussi_d_real(p->ratio[1]),
                       plussi_d_measured(100 * p->difference, p->error < 0 ? -1 : 100 * p->error)});
    }
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
        {.key = "profile_accuracy"},
        {.key = "performance_accuracy"},
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
    report_levels(c, root);
#undef POINTS
#undef COUNTS
}
